//! The control variables and categories of collective operations.

crate::variables::describe::category! {
    name: COLLECTIVES
    description: "Collective operations and their algorithms."
}

crate::variables::describe::cvar! {
    name: ALLTOALL_WINDOW
    category: COLLECTIVES
    type: int
    default: 0
    range: 0:65536
    class: none
    verbosity: USER_DETAIL
    scope: LOCAL
    writable: outside_collectives
    description: "The partners that a process sends to at a time in all-to-all operations within a
        group; 0: all. Fewer take less memory at the receivers. It need not be the same anywhere
        else."
}

crate::variables::describe::cvar! {
    name: ALLGATHER_ALGORITHM
    category: COLLECTIVES
    type: enum
    values: ring, flat
    default: ring
    class: none
    verbosity: USER_DETAIL
    scope: ALL_EQ
    writable: outside_collectives
    description: "How every process gets the data of all others. ring: each passes on what the last
        step brought. flat: each sends to all. It must be the same in all processes during an
        operation."
}

crate::variables::describe::cvar! {
    name: REDUCE_ALGORITHM
    category: COLLECTIVES
    type: enum
    values: binomial, flat, chain
    default: binomial
    class: none
    verbosity: USER_DETAIL
    scope: ALL_EQ
    writable: outside_collectives
    description: "How operands get together. binomial: along a binomial tree. flat: the root
        combines all. chain: each process combines what the next one has with its own. It must be
        the same in all processes during an operation."
}
