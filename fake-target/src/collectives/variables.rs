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
    values: ring, flat, automatic
    default: automatic
    class: none
    verbosity: USER_DETAIL
    scope: ALL_EQ
    writable: outside_collectives
    description: "How every process gets the data of all others. ring: each passes on what the last
        step brought. flat: each sends to all. automatic: flat up to 8 processes, else ring. It must
        be the same in all processes during an operation."
}

crate::variables::describe::cvar! {
    name: REDUCE_ALGORITHM
    category: COLLECTIVES
    type: enum
    values: binomial, flat, chain, automatic
    default: automatic
    class: none
    verbosity: USER_DETAIL
    scope: ALL_EQ
    writable: outside_collectives
    description: "How operands get together. binomial: along a binomial tree. flat: the root
        combines all. chain: each process combines what the next one has with its own. automatic:
        flat up to 8 processes, else binomial; of long operands each process combines a part. It
        must be the same in all processes during an operation."
}

crate::variables::describe::cvar! {
    name: ALLREDUCE_ALGORITHM
    category: COLLECTIVES
    type: enum
    values: tree, exchange, parts, automatic
    default: automatic
    class: none
    verbosity: USER_DETAIL
    scope: ALL_EQ
    writable: outside_collectives
    description: "How every process gets what all have combined. tree: a reduction and a broadcast.
        exchange: each process sends its operands to all and combines all. parts: each process
        combines a part and sends the result to all. automatic: parts for long operands, exchange
        for short ones of up to 8 processes, else tree. It must be the same in all processes during
        an operation."
}
