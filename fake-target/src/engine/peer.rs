//! Another process, as this one sees it: the two rings between them, and what waits for room in the
//! outgoing one. It is a rank of the job, or a stranger: a process of another job.

use super::request::Request;
use crate::transport::address::Address;
use crate::transport::assist::Assist;
use crate::transport::envelope::Envelope;
use crate::transport::ring::{Reader, RingMemory, Writer};
use crate::transport::segment::Segment;
use crate::transport::words::Words;
use crate::variables::counters::RING_FULL;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;

/// One process.
pub(crate) struct Peer {
    /// Its number in this process: its rank in `MPI_COMM_WORLD`, or a number after all ranks if it
    /// belongs to another job.
    pub(crate) rank: usize,
    /// The segment of its job.
    home: &'static Segment,
    /// Its rank in its job.
    rank_at_home: usize,
    /// A stranger's address.
    pub(crate) stranger: Option<Address>,
    /// Communicators that have this stranger.
    pub(crate) uses: Cell<usize>,
    /// The ring towards it.
    pub(crate) writer: Writer,
    /// The ring from it.
    pub(crate) reader: Reader,
    /// It knows that this rank writes to it.
    announced: Cell<bool>,
    /// Something waits to be written.
    pub(crate) busy: Cell<bool>,
    /// Answers to its messages. They go first, since each lets an operation of the peer go on.
    pub(crate) answers: RefCell<VecDeque<Envelope>>,
    /// Sends whose envelopes have not left, in the order of the calls.
    pub(crate) waiting: RefCell<VecDeque<&'static Request>>,
    /// Sends whose data it has asked for.
    pub(crate) streams: RefCell<VecDeque<&'static Request>>,
}

impl Peer {
    /// The peer with this rank, as seen from this process, whose rank is `own`.
    pub(crate) fn new(segment: &'static Segment, own: usize, rank: usize) -> Peer {
        // SAFETY: the engine is made once in a process, and makes one peer of each rank.
        let rings = unsafe { (segment.ring(own, rank), segment.ring(rank, own)) };
        Peer::with(rank, (segment, rank), rings, None)
    }

    /// The process of another job, whose segment is `theirs`, of this process at the address `own`;
    /// `rank` is its number here.
    ///
    /// # Errors
    /// There is no room for another guest, or the system refuses the memory.
    ///
    /// # Safety
    /// The engine makes one peer of each process.
    pub(crate) unsafe fn of_another_job(
        (ours, own): (&'static Segment, &Address),
        (theirs, address): (&'static Segment, &Address),
        rank: usize,
    ) -> io::Result<Peer> {
        // SAFETY: ends by our contract, and by that of the other process.
        let (outgoing, incoming) = unsafe {
            if own.job < address.job {
                let [towards_us, towards_them] =
                    ours.guest_rings(address.key(), own.rank as usize)?;
                (towards_them, towards_us)
            } else {
                let [towards_them, towards_us] =
                    theirs.guest_rings(own.key(), address.rank as usize)?;
                (towards_them, towards_us)
            }
        };
        let home = (theirs, address.rank as usize);
        Ok(Peer::with(rank, home, (outgoing, incoming), Some(*address)))
    }

    fn with(
        rank: usize,
        (home, rank_at_home): (&'static Segment, usize),
        (outgoing, incoming): (RingMemory, RingMemory),
        stranger: Option<Address>,
    ) -> Peer {
        Peer {
            rank,
            home,
            rank_at_home,
            stranger,
            uses: Cell::new(0),
            writer: Writer::new(outgoing),
            reader: Reader::new(incoming),
            announced: Cell::new(false),
            busy: Cell::new(false),
            answers: RefCell::default(),
            waiting: RefCell::default(),
            streams: RefCell::default(),
        }
    }

    /// Wakes it if it sleeps.
    #[inline]
    pub(crate) fn wake(&self) {
        self.home.ring_doorbell(self.rank_at_home);
    }

    /// Wakes it if it sleeps because its ring was full, after a record of its has been read.
    #[inline]
    pub(crate) fn room_made(&self) {
        self.home.room_made(self.rank_at_home);
    }

    /// The process id.
    pub(crate) fn pid(&self) -> i32 {
        self.home.pid(self.rank_at_home)
    }

    /// What it may help with.
    pub(crate) fn assist(&self) -> &'static Assist {
        self.home.assist(self.rank_at_home)
    }

    /// The words of its job's segment.
    pub(crate) fn words(&self) -> &'static Words {
        self.home.words()
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
        envelope: &Envelope,
        bytes: usize,
        fill: impl FnOnce(&mut [u8]),
    ) -> bool {
        // A stranger looks at its ring as soon as it knows of this process.
        if !self.announced.replace(true) && self.stranger.is_none() {
            self.home.announce(self.rank);
        }
        let pushed = self.writer.push(envelope, bytes, fill);
        if pushed {
            self.wake();
        } else {
            RING_FULL.add(1);
        }
        pushed
    }
}
