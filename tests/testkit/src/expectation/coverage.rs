//! What can be shown of an MPI library's operations.

/// What an MPI library keeps of its operations, and so what can be shown of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Which MPI function has started an operation.
    pub calls: bool,
    /// The protocol of the message of a send or receive. For unexpected messages it is known if
    /// `arrivals` is true.
    pub protocols: bool,
    /// Whether the data of an unexpected message are here, as the protocol says. If false, the
    /// library may take in long messages at once.
    pub arrivals: bool,
    /// Blocking probes are among the receives.
    pub probes: bool,
    /// For which operations a rank waits that waits for several.
    pub waits: bool,
    /// The collective operations that a rank is in. If false, some are in memory that no queue
    /// shows.
    pub collectives: bool,
    /// Communicators that are freed and in use. If false, an error says what is missing.
    pub freed_communicators: bool,
    /// In which order sends to different destinations were started.
    pub order_of_sends: bool,
    /// In which order sends to one destination were started.
    pub order_to_one: bool,
    /// In which order receives from different sources were posted.
    pub order_of_receives: bool,
    /// Count and datatype of every operation. If false, what is shown of them is compared.
    pub elements: bool,
    /// The address of data that are not contiguous.
    pub scattered_buffers: bool,
    /// The arguments of a receive that has been matched.
    pub received_calls: bool,
    /// Sends. If false, those of a process may not be known; an error then says so.
    pub sends: bool,
    /// The lengths of sends. If false, some may not be known; a line says so.
    pub lengths_of_sends: bool,
    /// Long sends from the program's own buffer wait until they are received. If false, they may be
    /// complete at once and not be seen.
    pub buffered_sends: bool,
    /// Complete sends that the program has not finished with `MPI_Wait` or the like. If false, some
    /// of them cannot be seen.
    pub complete_sends: bool,
    /// Receives that have their message and are not complete.
    pub matched_receives: bool,
    /// Complete receives that the program has not finished with `MPI_Wait` or the like.
    pub complete_receives: bool,
    /// Receives from any source can be completed. If false, the library may lose their messages.
    pub receives_from_any: bool,
    /// The arguments of operations on a communicator of one process. If false, the source of a
    /// receive with `MPI_ANY_SOURCE` may be shown as the process itself, and sends are pending
    /// until they are received, even if the call has returned.
    pub own_calls: bool,
    /// Sends of a process to itself whose call has returned. If false, they are pending until they
    /// are received.
    pub own_sends: bool,
    /// How many messages went to and came from each peer.
    pub traffic: bool,
    /// Every operation has a request of its own. If false, operations that are complete at once may
    /// share a predefined one and not be seen.
    pub requests: bool,
    /// The protocol of a message of a rank to itself is shown as `self`.
    pub self_protocol: bool,
    /// The call that a rank waits in, the operations that it awaits, and counts of collective
    /// operations and of messages to each peer. If false, only this is known: the function, from
    /// the call stack; awaited operations, if the call awaits several; collective operations that
    /// the rank is in; and counts of messages that include the library's own.
    pub state: bool,
}

impl Coverage {
    /// The companion runtime, whose structures are designed to be read.
    pub const COMPANION: Coverage = Coverage {
        calls: true,
        protocols: true,
        arrivals: true,
        probes: true,
        waits: true,
        collectives: true,
        freed_communicators: true,
        order_of_sends: true,
        order_to_one: true,
        order_of_receives: true,
        elements: true,
        scattered_buffers: true,
        received_calls: true,
        sends: true,
        lengths_of_sends: true,
        buffered_sends: true,
        complete_sends: true,
        matched_receives: true,
        complete_receives: true,
        receives_from_any: true,
        own_calls: true,
        own_sends: true,
        traffic: true,
        requests: true,
        self_protocol: true,
        state: true,
    };
    /// Open MPI, with the PML ob1.
    pub const OPEN_MPI: Coverage = Coverage {
        calls: false,
        protocols: false,
        arrivals: true,
        probes: true,
        waits: true,
        collectives: true,
        freed_communicators: true,
        order_of_sends: false,
        order_to_one: true,
        order_of_receives: true,
        elements: true,
        scattered_buffers: true,
        received_calls: true,
        sends: true,
        lengths_of_sends: true,
        buffered_sends: true,
        complete_sends: true,
        matched_receives: true,
        complete_receives: true,
        receives_from_any: true,
        own_calls: true,
        own_sends: true,
        traffic: true,
        requests: false,
        self_protocol: false,
        state: false,
    };
    /// Open MPI, with the PML ucx.
    pub const OPEN_MPI_UCX: Coverage = Coverage {
        probes: false,
        freed_communicators: false,
        order_to_one: false,
        elements: false,
        scattered_buffers: false,
        received_calls: false,
        complete_sends: false,
        traffic: false,
        ..Coverage::OPEN_MPI
    };
    /// MPICH, with the netmod ucx.
    pub const MPICH: Coverage = Coverage {
        waits: false,
        collectives: false,
        complete_receives: false,
        own_calls: false,
        ..Coverage::OPEN_MPI_UCX
    };
    /// MPICH, with the device ch3.
    pub const MPICH_CH3: Coverage =
        Coverage { scattered_buffers: true, own_calls: true, own_sends: false, ..Coverage::MPICH };
    /// MPICH, where messages go through shared memory.
    pub const MPICH_SHARED: Coverage = Coverage { sends: false, ..Coverage::MPICH };
    /// MPICH where a process sends to others through UCX and to itself through shared memory. Long
    /// messages arrive without the sender's help. A receive from any source may wait for ever
    /// although its message was sent: 2 of 25 programs of 4.3.2 hung so, and 3 of 25 of 5.0.2.
    pub const MPICH_UCX: Coverage = Coverage {
        receives_from_any: false,
        order_of_receives: false,
        buffered_sends: false,
        matched_receives: false,
        ..Coverage::MPICH_SHARED
    };
    /// Open MPI, with the PML cm and libfabric.
    pub const OPEN_MPI_OFI: Coverage = Coverage {
        arrivals: false,
        waits: false,
        freed_communicators: true,
        sends: false,
        buffered_sends: false,
        matched_receives: false,
        complete_receives: false,
        ..Coverage::OPEN_MPI_UCX
    };
    /// MPICH, with the netmod ofi.
    pub const MPICH_OFI: Coverage = Coverage {
        arrivals: false,
        order_of_receives: false,
        sends: false,
        lengths_of_sends: false,
        buffered_sends: false,
        matched_receives: false,
        ..Coverage::MPICH
    };
    /// Intel MPI. It keeps no envelope of a send.
    pub const INTEL: Coverage = Coverage {
        arrivals: false,
        matched_receives: false,
        buffered_sends: false,
        own_calls: true,
        own_sends: true,
        ..Coverage::MPICH_SHARED
    };
    /// Intel MPI, over libfabric.
    pub const INTEL_OFI: Coverage = Coverage { lengths_of_sends: false, ..Coverage::INTEL };
    /// MPICH 3.4, where messages go through shared memory.
    pub const MPICH_3: Coverage =
        Coverage { matched_receives: false, own_calls: true, ..Coverage::MPICH_SHARED };
}
