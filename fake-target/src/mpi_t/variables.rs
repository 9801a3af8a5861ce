//! The control variables and categories of the tool information interface.

crate::variables::describe::category! {
    name: JOB
    description: "The process and its job."
}

crate::variables::describe::category! {
    name: TOOLS
    description: "The tool interfaces themselves."
}

crate::variables::describe::cvar! {
    name: EVENT_QUEUE_LENGTH
    category: TOOLS
    type: int
    default: 1024
    range: 0:1048576
    class: none
    verbosity: TUNER_BASIC
    scope: LOCAL
    writable: always
    description: "The largest number of events that are kept for callbacks that cannot be called at
        once. Further events are dropped."
}
