//! What a process that is in an MPI function can be waiting for.

use mqs_abi::extensions::COLLECTIVES;

use crate::model::Queue;

/// What an MPI function does to the process that has called it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behaviour {
    /// It returns once operations are complete: of these queues.
    Waits(&'static [Queue]),
    /// A collective operation: by its place in [`COLLECTIVES`].
    Collective(usize),
    /// It asks whether something has happened, and returns.
    Tests,
    /// It returns without waiting for others.
    Returns,
    /// The process has said that it sends nothing any more.
    Ends,
    /// It may wait for something that queues do not show.
    Unknown,
}

/// What a function does, by its name.
pub(super) fn behaviour(function: &str) -> Behaviour {
    const SENDS: &[Queue] = &[Queue::Sends];
    const RECEIVES: &[Queue] = &[Queue::Receives];
    const BOTH: &[Queue] = &[Queue::Sends, Queue::Receives];
    let function = plain(function);
    if let Some(number) = COLLECTIVES.iter().position(|name| *name == function) {
        return Behaviour::Collective(number);
    }
    match function {
        "MPI_Send" | "MPI_Ssend" | "MPI_Rsend" | "MPI_Bsend" => Behaviour::Waits(SENDS),
        "MPI_Recv" | "MPI_Mrecv" | "MPI_Probe" | "MPI_Mprobe" => Behaviour::Waits(RECEIVES),
        "MPI_Sendrecv"
        | "MPI_Sendrecv_replace"
        | "MPI_Wait"
        | "MPI_Waitall"
        | "MPI_Waitany"
        | "MPI_Waitsome" => Behaviour::Waits(BOTH),
        "MPI_Test"
        | "MPI_Testall"
        | "MPI_Testany"
        | "MPI_Testsome"
        | "MPI_Iprobe"
        | "MPI_Improbe"
        | "MPI_Request_get_status" => Behaviour::Tests,
        "MPI_Isend" | "MPI_Issend" | "MPI_Irsend" | "MPI_Ibsend" | "MPI_Irecv" | "MPI_Imrecv"
        | "MPI_Start" | "MPI_Startall" | "MPI_Cancel" | "MPI_Request_free" | "MPI_Wtime" => {
            Behaviour::Returns
        }
        "MPI_Finalize" => Behaviour::Ends,
        _ => Behaviour::Unknown,
    }
}

/// What this function waits for is in the queues as long as it waits, complete or not. (A wait for
/// requests may be for others, and a probe is gone when it has found its message.)
pub(super) fn is_listed(function: &str) -> bool {
    matches!(
        plain(function),
        "MPI_Send"
            | "MPI_Ssend"
            | "MPI_Rsend"
            | "MPI_Recv"
            | "MPI_Mrecv"
            | "MPI_Sendrecv"
            | "MPI_Sendrecv_replace"
    )
}

/// A function's name without the `P` of the profiling interface, and with large counts as without.
pub(super) fn plain(function: &str) -> &str {
    let function = if function.starts_with("PMPI_") { &function[1..] } else { function };
    function.strip_suffix("_c").unwrap_or(function)
}

/// In a call of this collective operation nobody can be done before all have called it, whatever
/// the data.
pub(super) fn synchronizes(collective: usize) -> bool {
    COLLECTIVES[collective] == "MPI_Barrier"
}

/// In a call of this collective operation everybody needs data of all others, if there are any.
pub(super) fn needs_all(collective: usize) -> bool {
    matches!(
        COLLECTIVES[collective],
        "MPI_Barrier"
            | "MPI_Allgather"
            | "MPI_Allreduce"
            | "MPI_Alltoall"
            | "MPI_Reduce_scatter"
            | "MPI_Reduce_scatter_block"
    )
}
