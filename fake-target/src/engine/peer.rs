//! A rank of the job, as this one sees it: the two rings between them, and what waits for room in
//! the outgoing one.

use super::request::Request;
use crate::transport::envelope::Envelope;
use crate::transport::ring::{Reader, Writer};
use crate::transport::segment::Segment;
use crate::variables::counters::RING_FULL;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// One rank.
pub(crate) struct Peer {
    /// Its rank in `MPI_COMM_WORLD`.
    pub(crate) rank: usize,
    /// The ring towards it.
    pub(crate) writer: Writer,
    /// The ring from it.
    pub(crate) reader: Reader,
    /// It knows that this rank writes to it.
    announced: Cell<bool>,
    /// Something waits to be written.
    pub(crate) busy: Cell<bool>,
    /// Answers to its messages. They go first: each of them lets an operation over there get on.
    pub(crate) answers: RefCell<VecDeque<Envelope>>,
    /// Sends whose envelopes have not left, in the order of the calls.
    pub(crate) waiting: RefCell<VecDeque<&'static Request>>,
    /// Sends whose data it has asked for.
    pub(crate) streams: RefCell<VecDeque<&'static Request>>,
}

impl Peer {
    /// The peer with that rank, of this process's rank `own`.
    pub(crate) fn new(segment: &Segment, own: usize, rank: usize) -> Peer {
        // SAFETY: the engine is made once in a process, and makes one peer of each rank.
        let (outgoing, incoming) = unsafe { (segment.ring(own, rank), segment.ring(rank, own)) };
        Peer {
            rank,
            writer: Writer::new(outgoing),
            reader: Reader::new(incoming),
            announced: Cell::new(false),
            busy: Cell::new(false),
            answers: RefCell::default(),
            waiting: RefCell::default(),
            streams: RefCell::default(),
        }
    }

    /// Whether sends wait for room: later ones must not overtake them.
    #[inline]
    pub(crate) fn has_waiting(&self) -> bool {
        self.busy.get() && !self.waiting.borrow().is_empty()
    }

    /// Writes a record if there is room for it.
    #[inline]
    pub(crate) fn push(
        &self,
        segment: &Segment,
        envelope: &Envelope,
        bytes: usize,
        fill: impl FnOnce(&mut [u8]),
    ) -> bool {
        if !self.announced.replace(true) {
            segment.announce(self.rank);
        }
        let pushed = self.writer.push(envelope, bytes, fill);
        if pushed {
            segment.ring_doorbell(self.rank);
        } else {
            RING_FULL.add(1);
        }
        pushed
    }
}
