//! What processes tell each other about a call of a collective operation that one of them refuses.

use std::ffi::c_int;

use crate::transport::envelope::{Envelope, Packet};

/// A notice. Calls are given by the first tags of their messages.
#[derive(Clone, Copy)]
pub(crate) enum Notice {
    /// A process does not make the call, or leaves it.
    Refused {
        /// The call.
        call: c_int,
        /// The error code.
        code: c_int,
        /// What the process begins instead. None: it had begun the call.
        next: Option<c_int>,
        /// The number of the notice.
        number: u64,
    },
    /// The answer of another process.
    Settled {
        /// The number of the notice.
        number: u64,
        /// Whether that process has made the call, too. It has failed then. If not, the next one of
        /// its kind has this number.
        made: bool,
    },
}

impl Notice {
    /// The notice as a record about the communicator with that context id.
    pub(super) fn envelope(self, communicator: u32) -> Envelope {
        let (packet, tag, id, length, address) = match self {
            Notice::Refused { call, code, next, number } => {
                let next = next.map_or(0, |next| next as u64 + 1);
                (Packet::Refused, call, code as u64, next, number)
            }
            Notice::Settled { number, made } => (Packet::Settled, 0, made.into(), 0, number),
        };
        Envelope { context: communicator, tag, length, address, ..Envelope::of(packet, id) }
    }

    /// The notice in a record.
    pub(super) fn of_envelope(envelope: &Envelope) -> Notice {
        let number = envelope.address;
        match envelope.packet {
            Packet::Settled => Notice::Settled { number, made: envelope.id != 0 },
            _ => Notice::Refused {
                call: envelope.tag,
                code: envelope.id as c_int,
                next: envelope.length.checked_sub(1).map(|next| next as c_int),
                number,
            },
        }
    }
}
