//! The header of every record in a ring.

use crate::debug::queues::OperationKind;

/// What a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Packet {
    /// Fills the end of a ring, so that no record wraps around.
    Padding,
    /// A whole message: envelope and data.
    Eager,
    /// The envelope of a message whose data are still at the sender (an offer).
    Offer,
    /// Receiver to sender: the message is matched, send the data (clear to send).
    Clear,
    /// A piece of a message's data, in order.
    Data,
    /// Receiver to sender: the data have been fetched from the sender's memory.
    Fetched,
    /// Receiver to sender: a synchronous eager message is matched.
    Matched,
    /// Sender to receiver: cancel this message if nothing has matched it.
    Cancel,
    /// Receiver to sender: the message is cancelled.
    Cancelled,
    /// Receiver to sender: the message cannot be cancelled, since it is matched.
    NotCancelled,
    /// A process refuses a call of a collective operation: see `engine::notice`.
    Refused,
    /// The answer, to the process that refuses it.
    Settled,
}

/// The header of a record. 48 bytes, so that a record with up to 16 bytes of data fills one cache
/// line.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Envelope {
    /// The ring's lap; written last, it makes the record visible. The ring fills it in.
    pub(crate) stamp: u32,
    /// Bytes of data in this record. The ring fills it in.
    pub(crate) bytes: u32,
    /// Matching context: see `engine::context::ContextId`.
    pub(crate) context: u32,
    /// The sender's rank in the communicator.
    pub(crate) source: i32,
    /// The message's tag.
    pub(crate) tag: i32,
    /// What the record is.
    pub(crate) packet: Packet,
    /// The mode of a send (one of the `OperationKind::Send…`).
    pub(crate) mode: Kind8,
    /// [`Packet::Eager`]: one more than the number of the sender's bounce buffer that holds the
    /// data. 0: the record holds them.
    pub(crate) bounce: u16,
    /// Bytes of the whole message.
    pub(crate) length: u64,
    /// The handle of a request in the process that will look it up; for a new message, in the
    /// sender.
    pub(crate) id: u64,
    /// [`Packet::Offer`]: address of the data in the sender, 0 where they cannot be fetched.
    /// [`Packet::Clear`]: the receiver's request. [`Packet::Eager`] with a bounce buffer: address
    /// of the data in the sender. The same buffer has another address in another process, but the
    /// same distance from a multiple of [`super::bounce::ALIGNMENT`].
    pub(crate) address: u64,
}

/// A [`OperationKind`] in one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Kind8(u8);

impl From<OperationKind> for Kind8 {
    fn from(kind: OperationKind) -> Kind8 {
        Kind8(kind as u8)
    }
}

impl Kind8 {
    /// The mode of the send.
    pub(crate) fn mode(self) -> OperationKind {
        [
            OperationKind::SendStandard,
            OperationKind::SendBuffered,
            OperationKind::SendSynchronous,
            OperationKind::SendReady,
        ][usize::from(self.0.saturating_sub(1) & 3)]
    }
}

impl Envelope {
    /// An envelope without a message, for answers and pieces of data.
    pub(crate) const fn of(packet: Packet, id: u64) -> Envelope {
        Envelope {
            stamp: 0,
            bytes: 0,
            context: 0,
            source: 0,
            tag: 0,
            packet,
            mode: Kind8(OperationKind::SendStandard as u8),
            bounce: 0,
            length: 0,
            id,
            address: 0,
        }
    }
}
