//! The control variables of communicators: how the processes of a team work together.

crate::variables::describe::cvar! {
    name: BARRIER_ALGORITHM
    category: COLLECTIVES
    type: enum
    values: dissemination, central, automatic
    default: automatic
    class: none
    verbosity: USER_DETAIL
    scope: ALL_EQ
    writable: outside_collectives
    description: "How processes meet in a barrier. dissemination: in each round a process tells one
        other process, at twice the distance of the round before. central: all tell the first
        process, which tells all. automatic: like dissemination, but a process tells three others in
        a round, so that there are half as many rounds. It must be the same in all processes during
        an operation."
}

crate::variables::describe::cvar! {
    name: BROADCAST_ALGORITHM
    category: COLLECTIVES
    type: enum
    values: binomial, flat, chain, automatic
    default: automatic
    class: none
    verbosity: USER_DETAIL
    scope: ALL_EQ
    writable: outside_collectives
    description: "How data get from one process to all. binomial: along a binomial tree. flat: from
        the root to each process. chain: from each process to the next. It must be the same in all
        processes during an operation."
}
