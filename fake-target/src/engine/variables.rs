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
    description: "How receives and messages meet."
}

crate::variables::describe::category! {
    name: TRAFFIC
    parent: TRANSFER
    description: "How many messages and bytes go where."
}

crate::variables::describe::category! {
    name: RESOURCES
    description: "Objects of MPI that are alive."
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
    description: "The eager limit of this process's sends in a communicator, in bytes: EAGER_LIMIT
        for those alone. -1: as EAGER_LIMIT says. In the environment: that of new communicators. It
        concerns the sends of this process that start later, and need not be the same anywhere
        else."
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
    description: "Memory for the data of an unexpected message up to so many bytes is kept for the
        next one; larger memory is given back to the system's allocator."
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
    description: "Messages up to this size, in bytes, travel with their envelopes. A message has to
        fit a record of the ring, whatever the limit: see RING_SIZE and RECORD_SHARE. It concerns
        the sends of this process that start later, and need not be the same anywhere else."
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
    description: "Receivers fetch messages above the eager limit from the sender's memory; else
        these go through the rings in pieces. It holds for a message if it is true in both
        processes. A process that the system forbids it does without, whatever the value."
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
    description: "Messages above the eager limit, but shorter than this, in bytes, go through the
        ring although they could be fetched. The receiver's value counts."
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
    description: "Whether the ranks share processors, so that one that waits gives its processor
        away soon. auto: if the job has more ranks than this process may use processors."
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
    description: "Records that are taken from the ring of one sender before it is the next one's
        turn."
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
    description: "The longest sleep of a waiting thread while a message waits for room in a ring, in
        microseconds: the doorbell for that is not always rung."
}
