//! The control variables and categories of the transport.

crate::variables::describe::category! {
    name: WAITING
    description: "What a thread does while it waits in a call: it spins, gives the processor away,
        sleeps."
}

crate::variables::describe::category! {
    name: RINGS
    parent: TRANSPORT
    description: "The rings in shared memory between every two processes."
}

crate::variables::describe::category! {
    name: TRANSPORT
    description: "How bytes cross between the processes of a job."
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
    description: "The sizes of messages, in bytes, whose copy out of the sender's memory the
        receiver shares with the sender, if that waits; the largest int stands for no limit. The
        receiver's value counts."
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
    description: "Bytes of the pieces in which a receiver and a waiting sender copy a message
        together: few enough that the last one does not keep the other side waiting for long, enough
        to be worth a call of the system. Messages of up to two pieces are cut in pieces of half the
        size. The receiver's value counts."
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
    description: "Microseconds that a waiting thread spins where every rank has a processor: about
        as long as it takes to be woken."
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
    description: "Looks for messages between two glances at the clock, which costs as much as
        several looks, where every rank has a processor."
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
    description: "Looks for messages in a row before a waiting thread gives its processor away,
        where ranks share processors."
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
    description: "Microseconds that a waiting thread looks for messages, giving its processor away
        in between, before it sleeps."
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
    description: "A processor that was given away for longer than so many microseconds is wanted by
        others: the thread sleeps instead."
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
    description: "Waits for which a process remembers that its processor is wanted by others."
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
    description: "The longest sleep of a waiting thread, in milliseconds: a bound for what no
        doorbell announces."
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
    description: "The largest record, as a share of the ring it is in: so that a reader and a writer
        can work at the same time. It bounds eager messages and the pieces of long ones."
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
    description: "Bytes of the ring between two processes, if RINGS_MEMORY is enough for all;
        rounded down to a power of two. It must be the same in all processes of the job: MPI_Init
        fails where it is not."
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
    description: "MiB that all rings of the job together should take at the most; in large jobs the
        rings are smaller, but never below 4 KiB. It must be the same in all processes of the job:
        MPI_Init fails where it is not."
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
    description: "Core files contain the rings between other processes, too. Without them cores are
        smaller, and all that a debugger shows is still there."
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
    description: "This process allows any other of the same user to read its memory where the system
        restricts that (Yama): receivers fetch long messages so, and debuggers attach."
}
