//! The control variables of the environment.

crate::variables::describe::cvar! {
    name: PROCESSOR_NAME
    category: JOB
    type: string
    default: NULL
    class: none
    verbosity: USER_BASIC
    scope: LOCAL
    writable: always
    description: "The result of MPI_Get_processor_name. Empty: the name of the host."
}
