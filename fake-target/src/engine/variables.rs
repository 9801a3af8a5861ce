//! The control variables and categories of the engine.

crate::variables::describe::category! {
    name: PROTOCOL
    parent: TRANSFER
    description: "How the data of messages get from the sender to the receiver."
}

crate::variables::describe::category! {
    name: TRANSFER
    description: "The transfer of messages."
}

crate::variables::describe::category! {
    name: QUEUES
    parent: TRANSFER
    description: "The queues of receives, messages and sends."
}

crate::variables::describe::category! {
    name: MATCHING
    parent: TRANSFER
    description: "How receives and messages match."
}

crate::variables::describe::category! {
    name: TRAFFIC
    parent: TRANSFER
    description: "The number of messages and bytes, and where they go."
}

crate::variables::describe::category! {
    name: RESOURCES
    description: "Objects of MPI that exist."
}

crate::variables::describe::cvar! {
    name: COMM_EAGER_LIMIT
    category: PROTOCOL
    type: int
    default: -1
    range: -1:1048576
    class: device
    verbosity: USER_DETAIL
    scope: LOCAL
    writable: always
    communicator: eager_limit
    description: "The eager limit, in bytes, of this process's sends on a communicator. -1: the
        value of EAGER_LIMIT. In the environment: the limit of new communicators. It applies to
        sends that start later. Processes may have different values."
}

crate::variables::describe::cvar! {
    name: KEPT_BUFFER
    category: RESOURCES
    type: int
    default: 1024
    range: 0:1048576
    class: device
    verbosity: TUNER_DETAIL
    scope: LOCAL
    writable: always
    description: "The memory for the data of an unexpected message of up to this many bytes is kept
        for the next one. Larger memory is returned to the system's allocator."
}

crate::variables::describe::cvar! {
    name: EAGER_LIMIT
    category: PROTOCOL
    type: int
    default: 8192
    range: 0:1048576
    class: device
    verbosity: USER_BASIC
    scope: LOCAL
    writable: always
    description: "Messages up to this size, in bytes, are eager: their data travel with their
        envelopes. Whatever the limit, an eager message must fit in a record of the ring: see
        RING_SIZE and RECORD_SHARE. It applies to sends of this process that start later. Processes
        may have different values."
}

crate::variables::describe::cvar! {
    name: SINGLE_COPY
    category: PROTOCOL
    type: boolean
    default: true
    class: device
    verbosity: USER_BASIC
    scope: LOCAL
    writable: always
    description: "Receivers fetch messages above the eager limit from the sender's memory. Otherwise
        such messages go through the rings in pieces. It applies to a message if it is true in both
        processes. If the system forbids it to a process, that process does not do it, whatever the
        value."
}

crate::variables::describe::cvar! {
    name: SINGLE_COPY_MINIMUM
    category: PROTOCOL
    type: int
    default: 0
    range: 0:2147483647
    class: device
    verbosity: TUNER_BASIC
    scope: LOCAL
    writable: always
    description: "Messages above the eager limit that are shorter than this, in bytes, go through
        the ring instead of being fetched. The receiver's value counts."
}

crate::variables::describe::cvar! {
    name: BOUNCE_SIZES
    category: PROTOCOL
    type: range
    default: 8193:32768
    range: 0:2147483647
    class: device
    verbosity: TUNER_BASIC
    scope: LOCAL
    writable: always
    description: "The sizes, in bytes, of messages of collective operations that are copied to a
        buffer in shared memory, and from there by their receivers. For several receivers of the
        same data, and if ranks share processors, the largest size is 131072. Messages up to the
        eager limit travel with their envelopes. If the second size is 0, no message is copied
        so. The sender's value counts."
}

crate::variables::describe::cvar! {
    name: CROWDED
    category: WAITING
    type: enum
    values: auto, never, always
    default: auto
    class: device
    verbosity: TUNER_BASIC
    scope: LOCAL
    writable: before_init
    description: "Whether the ranks share processors. If they do, a waiting rank gives its processor
        away soon. auto: they do if the job has more ranks than this process may use processors."
}

crate::variables::describe::cvar! {
    name: PROGRESS_TURN
    category: WAITING
    type: int
    default: 32
    range: 1:65536
    class: device
    verbosity: TUNER_DETAIL
    scope: LOCAL
    writable: always
    description: "The number of records that are taken from the ring of one sender before it is the
        next sender's turn."
}

crate::variables::describe::cvar! {
    name: ROOM_SLEEP_TIME
    category: WAITING
    type: int
    default: 1000
    range: 1:1000000
    class: device
    verbosity: TUNER_DETAIL
    scope: LOCAL
    writable: always
    description: "The longest sleep, in microseconds, of a waiting thread while a message waits for
        room in a ring. The doorbell is not always rung when there is room again."
}
