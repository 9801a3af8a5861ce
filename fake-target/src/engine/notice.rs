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
        /// What has become of the call there.
        answer: Answer,
    },
}

/// What has become of a call that another process refuses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// It has not been made. The next one of its kind has its number.
    NotMade,
    /// It has been made, and has failed.
    Made,
    /// It has been refused, too.
    RefusedToo,
}

impl Notice {
    /// The notice as a record about the communicator with that context id.
    pub(super) fn envelope(self, communicator: u32) -> Envelope {
        let (packet, tag, id, length, address) = match self {
            Notice::Refused { call, code, next, number } => {
                let next = next.map_or(0, |next| next as u64 + 1);
                (Packet::Refused, call, code as u64, next, number)
            }
            Notice::Settled { number, answer } => (Packet::Settled, 0, answer as u64, 0, number),
        };
        Envelope { context: communicator, tag, length, address, ..Envelope::of(packet, id) }
    }

    /// The notice in a record.
    pub(super) fn of_envelope(envelope: &Envelope) -> Notice {
        let number = envelope.address;
        match envelope.packet {
            Packet::Settled => {
                let answers = [Answer::NotMade, Answer::Made, Answer::RefusedToo];
                let is_it = |answer: &Answer| *answer as u64 == envelope.id;
                let answer = answers.into_iter().find(is_it).unwrap_or(Answer::NotMade);
                Notice::Settled { number, answer }
            }
            _ => Notice::Refused {
                call: envelope.tag,
                code: envelope.id as c_int,
                next: envelope.length.checked_sub(1).map(|next| next as c_int),
                number,
            },
        }
    }
}
