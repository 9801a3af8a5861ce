//! The control variables and categories of the transport.

crate::variables::describe::category! {
    name: WAITING
    description: "What a thread does while it waits in a call: it spins, gives its processor away,
        or sleeps."
}

crate::variables::describe::category! {
    name: RINGS
    parent: TRANSPORT
    description: "The rings in shared memory between every two processes."
}

crate::variables::describe::category! {
    name: TRANSPORT
    description: "How bytes get from one process of a job to another."
}

crate::variables::describe::cvar! {
    name: ASSIST_SIZES
    category: PROTOCOL
    type: range
    default: 32769:2147483647
    range: 0:2147483647
    class: device
    verbosity: USER_DETAIL
    scope: LOCAL
    writable: always
    description: "The sizes, in bytes, of messages that the receiver and a waiting sender copy
        together out of the sender's memory. The largest int means no limit. The receiver's value
        counts."
}

crate::variables::describe::cvar! {
    name: ASSIST_PIECE
    category: PROTOCOL
    type: int
    default: 65536
    range: 4096:1073741824
    class: device
    verbosity: TUNER_DETAIL
    scope: LOCAL
    writable: always
    description: "The size, in bytes, of the pieces in which a receiver and a waiting sender copy a
        message together. With small pieces, neither side waits long for the last one. With large
        pieces, there are fewer system calls. Messages of up to two pieces are cut into pieces of
        half the size. The receiver's value counts."
}

crate::variables::describe::cvar! {
    name: SPIN_TIME
    category: WAITING
    type: int
    default: 50
    range: 0:1000000
    class: device
    verbosity: USER_DETAIL
    scope: LOCAL
    writable: always
    description: "Microseconds that a waiting thread spins, if every rank has a processor. Waking a
        thread takes about as long."
}

crate::variables::describe::cvar! {
    name: SPIN_LOOKS
    category: WAITING
    type: int
    default: 200
    range: 1:1000000
    class: device
    verbosity: TUNER_DETAIL
    scope: LOCAL
    writable: always
    description: "How often a waiting thread looks for messages between two readings of the clock,
        if every rank has a processor. A reading costs as much as several looks."
}

crate::variables::describe::cvar! {
    name: SHARED_LOOKS
    category: WAITING
    type: int
    default: 4
    range: 1:1000000
    class: device
    verbosity: TUNER_DETAIL
    scope: LOCAL
    writable: always
    description: "How often a waiting thread looks for messages before it gives its processor away,
        if ranks share processors."
}

crate::variables::describe::cvar! {
    name: PATIENCE
    category: WAITING
    type: int
    default: 3000
    range: 0:10000000
    class: device
    verbosity: USER_DETAIL
    scope: LOCAL
    writable: always
    description: "Microseconds that a waiting thread looks for messages before it sleeps. Between
        the looks it gives its processor away."
}

crate::variables::describe::cvar! {
    name: WANTED_TIME
    category: WAITING
    type: int
    default: 100
    range: 0:10000000
    class: device
    verbosity: TUNER_DETAIL
    scope: LOCAL
    writable: always
    description: "If a processor was given away for longer than this many microseconds, others want
        it. The thread then sleeps instead of giving it away again."
}

crate::variables::describe::cvar! {
    name: WANTED_MEMORY
    category: WAITING
    type: int
    default: 50
    range: 1:1000000
    class: device
    verbosity: TUNER_DETAIL
    scope: LOCAL
    writable: always
    description: "The number of waits for which a process remembers that others want its processor."
}

crate::variables::describe::cvar! {
    name: SLEEP_TIME
    category: WAITING
    type: int
    default: 50
    range: 1:10000
    class: device
    verbosity: TUNER_BASIC
    scope: LOCAL
    writable: always
    description: "The longest sleep of a waiting thread, in milliseconds. It limits the delay of
        events that ring no doorbell."
}

crate::variables::describe::cvar! {
    name: RECORD_SHARE
    category: RINGS
    type: double
    default: 0.25
    range: 0.02:0.45
    class: device
    verbosity: TUNER_DETAIL
    scope: LOCAL
    writable: before_init
    description: "The size of the largest record, as a share of its ring. It is less than the whole
        ring, so that a reader and a writer can work at the same time. It limits eager messages and
        the pieces of long ones."
}

crate::variables::describe::cvar! {
    name: RING_SIZE
    category: RINGS
    type: int
    default: 65536
    range: 4096:1048576
    class: device
    verbosity: USER_DETAIL
    scope: ALL_EQ
    writable: before_init
    description: "The size, in bytes, of the ring between two processes, if RINGS_MEMORY is enough
        for all rings. It is rounded down to a power of two. It must be the same in all processes of
        the job; otherwise MPI_Init fails."
}

crate::variables::describe::cvar! {
    name: RINGS_MEMORY
    category: RINGS
    type: int
    default: 1024
    range: 1:65536
    class: device
    verbosity: TUNER_BASIC
    scope: ALL_EQ
    writable: before_init
    description: "The memory, in MiB, that all rings of the job together should take at most. In
        large jobs the rings are smaller, but never below 4 KiB. It must be the same in all
        processes of the job; otherwise MPI_Init fails."
}

crate::variables::describe::cvar! {
    name: CORE_RINGS
    category: TRANSPORT
    type: boolean
    default: false
    class: device
    verbosity: MPIDEV_BASIC
    scope: LOCAL
    writable: before_init
    description: "Whether core files also contain the rings between other processes. Without them
        core files are smaller, and debuggers show the same."
}

crate::variables::describe::cvar! {
    name: ALLOW_READERS
    category: TRANSPORT
    type: boolean
    default: true
    class: device
    verbosity: USER_DETAIL
    scope: LOCAL
    writable: before_init
    description: "Whether other processes of the same user may read this process's memory if the
        system restricts this (Yama). Receivers need it to fetch long messages, and debuggers need
        it to attach."
}
