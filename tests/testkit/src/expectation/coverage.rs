//! What can be shown of an MPI library's operations.

/// What an MPI library keeps of its operations, and so what can be shown of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Which MPI function has made an operation.
    pub calls: bool,
    /// How the message of a send or receive travels. Of unexpected messages it is always known.
    pub protocols: bool,
    /// In which order sends to different destinations were started. To one destination it is
    /// always known.
    pub order_of_sends: bool,
    /// Every operation has a request of its own. If false, operations that are complete at once
    /// may share one that is ready-made, and leave nothing to be shown.
    pub requests: bool,
    /// The protocol of a message of a rank to itself is shown as `self`.
    pub self_protocol: bool,
    /// What a rank waits in, which operations that call awaits, its collective operations and its
    /// messages to each peer, all counted. If false, only this is known: the function, by the
    /// call stack; awaited operations, where the call awaits several; collective operations that
    /// the rank is in; messages, together with those that the library sends for itself.
    pub state: bool,
}

impl Coverage {
    /// The companion runtime, whose structures are made to be read.
    pub const COMPANION: Coverage = Coverage {
        calls: true,
        protocols: true,
        order_of_sends: true,
        requests: true,
        self_protocol: true,
        state: true,
    };
    /// Open MPI, with the PML ob1.
    pub const OPEN_MPI: Coverage = Coverage {
        calls: false,
        protocols: false,
        order_of_sends: false,
        requests: false,
        self_protocol: false,
        state: false,
    };
}
