//! What a process that is in an MPI function can be waiting for.

use mqs_abi::extensions::COLLECTIVES;

use crate::model::Queue;

/// A collective function: its index in [`COLLECTIVES`]. Nonblocking operations count as the
/// blocking one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub(super) struct CollectiveFunction(usize);

impl CollectiveFunction {
    /// All of them.
    pub(super) fn all() -> impl Iterator<Item = CollectiveFunction> {
        (0..COLLECTIVES.len()).map(CollectiveFunction)
    }

    /// The one with this name.
    pub(super) fn named(function: &str) -> Option<CollectiveFunction> {
        COLLECTIVES.iter().position(|name| *name == function).map(CollectiveFunction)
    }

    /// Its name, such as `MPI_Barrier`.
    pub(super) fn name(self) -> &'static str {
        COLLECTIVES[self.0]
    }

    /// No rank returns before all have called it, whatever the data.
    pub(super) fn synchronizes(self) -> bool {
        self.name() == "MPI_Barrier" || self.is_of_windows() || self.is_of_files()
    }

    /// Every rank needs data of all others, if there are any.
    pub(super) fn needs_all(self) -> bool {
        matches!(
            self.name(),
            "MPI_Barrier"
                | "MPI_Allgather"
                | "MPI_Allreduce"
                | "MPI_Alltoall"
                | "MPI_Reduce_scatter"
                | "MPI_Reduce_scatter_block"
        ) || self.is_of_windows()
            || self.is_of_files()
    }

    /// A fence, or making or freeing a window. Only libraries in which no rank returns from it
    /// before all have called it count its calls.
    pub(super) fn is_of_windows(self) -> bool {
        is_of_windows(self.name())
    }

    /// An exchange with the neighbours of a topology.
    pub(super) fn is_of_neighbours(self) -> bool {
        self.name().starts_with("MPI_Neighbor_")
    }

    /// A collective operation on a file. Only the companion runtime counts its calls, and there it
    /// synchronizes all ranks.
    pub(super) fn is_of_files(self) -> bool {
        self.name().starts_with("MPI_File_")
    }
}

/// What an MPI function does to the process that has called it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behaviour {
    /// It returns once operations of these queues are complete.
    Waits(&'static [Queue]),
    /// A collective operation.
    Collective(CollectiveFunction),
    /// It waits for messages of the MPI library itself, such as those of collective operations.
    Internal,
    /// It makes a communicator from a group alone. The companion runtime sends messages of its own
    /// for that. Elsewhere ranks may meet in a server of the launcher.
    FromGroups,
    /// It waits until another rank exposes its memory, has finished its accesses or gives up a
    /// lock. No queue shows that.
    Window,
    /// It tests for completion and returns.
    Tests,
    /// It returns without waiting for others.
    Returns,
    /// The process sends nothing any more.
    Ends,
    /// It may wait for something that the queues do not show.
    Unknown,
}

/// The functions that test for completion or arrival and return, the usual ones first.
pub const ASKING: [&str; 9] = [
    "MPI_Test",
    "MPI_Iprobe",
    "MPI_Testall",
    "MPI_Testany",
    "MPI_Testsome",
    "MPI_Improbe",
    "MPI_Request_get_status",
    "MPI_Parrived",
    "MPI_Win_test",
];

/// What a function does, by its name.
pub(super) fn behaviour(function: &str) -> Behaviour {
    const SENDS: &[Queue] = &[Queue::Sends];
    const RECEIVES: &[Queue] = &[Queue::Receives];
    const BOTH: &[Queue] = &[Queue::Sends, Queue::Receives];
    let function = plain(function);
    if let Some(collective) = CollectiveFunction::named(function) {
        return Behaviour::Collective(collective);
    }
    match function {
        "MPI_Send" | "MPI_Ssend" | "MPI_Rsend" => Behaviour::Waits(SENDS),
        _ if empties_buffers(function) => Behaviour::Waits(SENDS),
        "MPI_Recv" | "MPI_Mrecv" | "MPI_Probe" | "MPI_Mprobe" => Behaviour::Waits(RECEIVES),
        "MPI_Sendrecv"
        | "MPI_Sendrecv_replace"
        | "MPI_Wait"
        | "MPI_Waitall"
        | "MPI_Waitany"
        | "MPI_Waitsome" => Behaviour::Waits(BOTH),
        _ if ASKING.contains(&function) => Behaviour::Tests,
        // MPI_Bsend is local (MPI 5.0, section 3.4): a full buffer is an error.
        "MPI_Bsend"
        | "MPI_Isend"
        | "MPI_Issend"
        | "MPI_Irsend"
        | "MPI_Ibsend"
        | "MPI_Irecv"
        | "MPI_Imrecv"
        | "MPI_Start"
        | "MPI_Startall"
        | "MPI_Cancel"
        | "MPI_Request_free"
        | "MPI_Wtime"
        | "MPI_Pack"
        | "MPI_Unpack"
        | "MPI_Pack_external"
        | "MPI_Unpack_external"
        | "MPI_Pack_size"
        | "MPI_Reduce_local"
        | "MPI_Alloc_mem"
        | "MPI_Free_mem"
        | "MPI_Get_count"
        | "MPI_Get_elements" => Behaviour::Returns,
        _ if is_of_local_objects(function) => Behaviour::Returns,
        "MPI_Finalize" => Behaviour::Ends,
        "MPI_Comm_dup"
        | "MPI_Comm_dup_with_info"
        | "MPI_Comm_split"
        | "MPI_Comm_split_type"
        | "MPI_Comm_create"
        | "MPI_Comm_create_group"
        | "MPI_Comm_free"
        | "MPI_Comm_disconnect"
        | "MPI_Intercomm_create"
        | "MPI_Intercomm_merge"
        | "MPI_Cart_create"
        | "MPI_Cart_sub"
        | "MPI_Graph_create"
        | "MPI_Dist_graph_create"
        | "MPI_Dist_graph_create_adjacent"
        | "MPI_Win_create"
        | "MPI_Win_create_dynamic"
        | "MPI_Win_allocate"
        | "MPI_Win_allocate_shared"
        | "MPI_Win_fence"
        | "MPI_Win_free" => Behaviour::Internal,
        "MPI_Comm_create_from_group" | "MPI_Intercomm_create_from_groups" => Behaviour::FromGroups,
        "MPI_Win_start" | "MPI_Win_complete" | "MPI_Win_wait" | "MPI_Win_lock"
        | "MPI_Win_lock_all" => Behaviour::Window,
        _ => Behaviour::Unknown,
    }
}

/// Is this a function of datatypes, groups or info objects? They are all local.
fn is_of_local_objects(function: &str) -> bool {
    ["MPI_Type_", "MPI_Group_", "MPI_Info_"].iter().any(|begin| function.starts_with(begin))
}

/// What may keep a process busy for long in a function of many ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkWithin {
    /// Nothing: it moves hardly any data.
    None,
    /// Copies of data from or to ranks that are in the same function.
    Copies,
    /// Operations of the library or of the program, on data of any size.
    Reductions,
    /// Reading and writing files.
    Files,
}

/// What may keep a process busy in a function, by its plain name.
pub(super) fn work_within(function: &str) -> WorkWithin {
    let begins = |with: &[&str]| with.iter().any(|begin| function.starts_with(begin));
    if begins(&["MPI_Barrier", "MPI_Comm_", "MPI_Intercomm_", "MPI_Cart_", "MPI_Graph_"]) {
        WorkWithin::None
    } else if begins(&["MPI_Reduce", "MPI_Allreduce", "MPI_Scan", "MPI_Exscan"]) {
        WorkWithin::Reductions
    } else if begins(&["MPI_File_"]) {
        WorkWithin::Files
    } else {
        WorkWithin::Copies
    }
}

/// Does this function make the queues?
pub(super) fn is_init(function: &str) -> bool {
    matches!(plain(function), "MPI_Init" | "MPI_Init_thread")
}

/// Is this a function of windows?
pub(super) fn is_of_windows(function: &str) -> bool {
    plain(function).starts_with("MPI_Win_")
}

/// Does a program call this function to access a window, or to make its accesses complete, without
/// other ranks taking part?
pub(super) fn accesses_windows(function: &str) -> bool {
    matches!(
        plain(function),
        "MPI_Get"
            | "MPI_Rget"
            | "MPI_Put"
            | "MPI_Rput"
            | "MPI_Accumulate"
            | "MPI_Raccumulate"
            | "MPI_Get_accumulate"
            | "MPI_Rget_accumulate"
            | "MPI_Fetch_and_op"
            | "MPI_Compare_and_swap"
            | "MPI_Win_lock"
            | "MPI_Win_lock_all"
            | "MPI_Win_unlock"
            | "MPI_Win_unlock_all"
            | "MPI_Win_flush"
            | "MPI_Win_flush_all"
            | "MPI_Win_flush_local"
            | "MPI_Win_flush_local_all"
            | "MPI_Win_sync"
    )
}

/// May a program call this function again and again, and wait for what it finds in a window? The
/// access may be the request that the function waits for.
pub(super) fn may_poll(function: &str) -> bool {
    accesses_windows(function)
        || completes_requests(function)
        || plain(function) == "MPI_Win_complete"
}

/// Does a function wait for all ranks of a communicator, or for its root?
pub(super) fn is_collective(function: &str) -> bool {
    matches!(behaviour(function), Behaviour::Collective(_) | Behaviour::Internal)
}

/// Does this function wait for a message that it leaves where it is?
pub(super) fn is_probe(function: &str) -> bool {
    matches!(plain(function), "MPI_Probe" | "MPI_Mprobe")
}

/// Does this function wait for buffered sends to leave the buffer that the program has attached?
pub(super) fn empties_buffers(function: &str) -> bool {
    matches!(
        plain(function),
        "MPI_Buffer_detach"
            | "MPI_Buffer_flush"
            | "MPI_Comm_detach_buffer"
            | "MPI_Comm_flush_buffer"
            | "MPI_Session_detach_buffer"
            | "MPI_Session_flush_buffer"
    )
}

/// Does this function wait for requests that other functions have made? Some kinds of requests are
/// in no queue.
pub(super) fn completes_requests(function: &str) -> bool {
    matches!(plain(function), "MPI_Wait" | "MPI_Waitall" | "MPI_Waitany" | "MPI_Waitsome")
}

/// Does what this function waits for stay in the queues, complete or not, until it returns? Not for
/// a wait for requests, since some kinds of requests are in no queue. Not for a probe, which leaves
/// the queue when it has found its message.
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

/// Does the call stack tell whether this function has started what it waits for?
pub(super) fn stack_tells(function: &str) -> bool {
    is_listed(function)
        || completes_requests(function)
        || matches!(behaviour(function), Behaviour::Collective(_))
}

/// A function's name without the `P` of the profiling interface and the `_c` of large counts.
pub(super) fn plain(function: &str) -> &str {
    let function = if function.starts_with("PMPI_") { &function[1..] } else { function };
    function.strip_suffix("_c").unwrap_or(function)
}
