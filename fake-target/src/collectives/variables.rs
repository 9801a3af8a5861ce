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
    description: "The number of partners that a process sends to at the same time in all-to-all
        operations within a group; 0: all. A smaller number takes less memory at the receivers.
        Processes may have different values."
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
    description: "How every process gets the data of all others. ring: each process passes on what
        it received in the last step. flat: each process sends to all. automatic: flat up to 8
        processes, otherwise ring. It must be the same in all processes during an operation."
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
    description: "How operands are combined. binomial: along a binomial tree. flat: the root
        combines all. chain: each process combines what the next one has with its own. automatic:
        flat up to 8 processes, otherwise binomial; for long operands, each process combines a part.
        It must be the same in all processes during an operation."
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
    description: "How every process gets the combined operands. tree: a reduction and a broadcast.
        exchange: each process sends its operands to all and combines them all. parts: each process
        combines a part and sends the result to all. automatic: parts for long operands, exchange
        for short operands and up to 8 processes, otherwise tree. It must be the same in all
        processes during an operation."
}
