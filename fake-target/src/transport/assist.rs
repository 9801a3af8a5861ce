//! How a sender helps with a large message. The receiver copies it piece by piece from the front,
//! out of the sender's memory. A sender that waits anyway copies pieces from the back into the
//! receiver's memory. Both processors copy, and every byte is copied once.
//!
//! Each rank has one [`Assist`] in the segment, which says what it may help with. A receiver opens
//! it for the time of its copy, if nobody else has. A sender that has no time leaves it all to the
//! receiver; only a piece that it has begun is waited for.

use super::variables::{ASSIST_PIECE, ASSIST_SIZES};
use std::hint;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The number of looks at an unfinished piece before the processor is yielded, because the sender
/// does not run.
const LOOKS: u32 = 10_000;

/// The sleep between further looks at an unfinished piece after as many looks again: the sender has
/// been stopped.
const SLEEP: Duration = Duration::from_millis(1);

/// What a rank may help with; in shared memory, closed when zero.
#[repr(C, align(128))]
pub(crate) struct Assist {
    /// The pieces that have not been begun: `generation << 32 | end << 16 | begin`. The process
    /// that replaces the value gets a piece. The generation says of which message.
    left: AtomicU64,
    /// A receiver has it open, or is about to.
    taken: AtomicU32,
    /// Pieces that the sender has ended.
    ended: AtomicU32,
    /// The sender could not copy.
    failed: AtomicU32,
    /// The receiver.
    pid: AtomicI32,
    /// The sender's request.
    id: AtomicU64,
    /// Where the message goes, in the receiver.
    address: AtomicU64,
    /// Bytes of the message.
    length: AtomicU64,
    /// Bytes of a piece.
    piece: AtomicU64,
}

/// A piece for the sender to copy.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The sender's request.
    pub(crate) id: u64,
    /// Where in the message it begins.
    pub(crate) offset: usize,
    /// Bytes.
    pub(crate) length: usize,
    /// The receiver.
    pub(crate) pid: i32,
    /// Where it goes, in the receiver.
    pub(crate) address: u64,
}

/// Generation, end and begin.
fn parts(left: u64) -> (u64, u16, u16) {
    (left >> 32, (left >> 16) as u16, left as u16)
}

/// Bytes of the pieces of a message.
fn size(length: usize) -> usize {
    let piece = ASSIST_PIECE.size();
    if length > 2 * piece { piece } else { piece / 2 }
}

/// Offset and bytes of a piece of a message in pieces of that size.
fn bounds(piece: u16, size: usize, length: usize) -> (usize, usize) {
    let offset = usize::from(piece) * size;
    (offset, size.min(length.saturating_sub(offset)))
}

impl Assist {
    /// The receiver `pid` lets the sender help with its request `id`, whose `length` bytes go to
    /// `address`. None if the sender helps another receiver, or if the message is too small or too
    /// large.
    pub(crate) fn open(
        &self,
        pid: i32,
        id: u64,
        address: u64,
        length: usize,
    ) -> Option<Shared<'_>> {
        if !ASSIST_SIZES.contains(length) {
            return None;
        }
        let size = size(length);
        let pieces = u16::try_from(length.div_ceil(size)).ok().filter(|pieces| *pieces > 1)?;
        self.taken.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).ok()?;
        self.ended.store(0, Ordering::Relaxed);
        self.failed.store(0, Ordering::Relaxed);
        self.pid.store(pid, Ordering::Relaxed);
        self.id.store(id, Ordering::Relaxed);
        self.address.store(address, Ordering::Relaxed);
        self.length.store(length as u64, Ordering::Relaxed);
        self.piece.store(size as u64, Ordering::Relaxed);
        let (generation, ..) = parts(self.left.load(Ordering::Relaxed));
        // Release: a process that sees these pieces sees the fields above, too.
        self.left.store((generation + 1) << 32 | u64::from(pieces) << 16, Ordering::Release);
        Some(Shared { assist: self, pieces, size, length })
    }

    /// The sender takes the last piece that nobody has begun. It must [`Assist::end`] it.
    #[inline]
    pub(crate) fn take_last(&self) -> Option<Piece> {
        let left = self.left.load(Ordering::Acquire);
        let (_, end, begin) = parts(left);
        if begin == end { None } else { self.try_last(left, end - 1) }
    }

    #[cold]
    fn try_last(&self, left: u64, piece: u16) -> Option<Piece> {
        let load = |field: &AtomicU64| field.load(Ordering::Relaxed) as usize;
        let (offset, length) = bounds(piece, load(&self.piece), load(&self.length));
        let piece = Piece {
            id: self.id.load(Ordering::Relaxed),
            offset,
            length,
            pid: self.pid.load(Ordering::Relaxed),
            address: self.address.load(Ordering::Relaxed) + offset as u64,
        };
        // The fields that were read belong together only if this succeeds, since a new message has
        // a new generation.
        self.left
            .compare_exchange(left, left - (1 << 16), Ordering::AcqRel, Ordering::Relaxed)
            .ok()
            .map(|_| piece)
    }

    /// The sender has copied its piece, or could not.
    pub(crate) fn end(&self, copied: bool) {
        if !copied {
            self.failed.store(1, Ordering::Relaxed);
        }
        self.ended.fetch_add(1, Ordering::Release);
    }
}

/// The receiver's side, for the time of its copy.
pub(crate) struct Shared<'a> {
    assist: &'a Assist,
    pieces: u16,
    /// Bytes of a piece.
    size: usize,
    length: usize,
}

impl Shared<'_> {
    /// The receiver takes the first half of the pieces that nobody has begun, at least one: offset
    /// and bytes. Many small copies take longer, and often the sender does not help, since it
    /// receives too.
    pub(crate) fn take_first(&self) -> Option<(usize, usize)> {
        let mut left = self.assist.left.load(Ordering::Relaxed);
        loop {
            let (_, end, begin) = parts(left);
            if begin == end {
                return None;
            }
            let taken = (end - begin).div_ceil(2);
            match self.assist.left.compare_exchange_weak(
                left,
                left + u64::from(taken),
                Ordering::AcqRel,
                Ordering::Relaxed,
            ) {
                Ok(_) => {
                    let (offset, _) = bounds(begin, self.size, self.length);
                    let (last, length) = bounds(begin + taken - 1, self.size, self.length);
                    return Some((offset, last + length - offset));
                }
                Err(found) => left = found,
            }
        }
    }

    /// Takes back the pieces that have not been begun, waits for the one that the sender is
    /// copying, and closes. False if the sender has failed with any.
    pub(crate) fn close(self) -> bool {
        while self.take_first().is_some() {}
        let (_, end, _) = parts(self.assist.left.load(Ordering::Relaxed));
        let mut looks = 0;
        while self.assist.ended.load(Ordering::Acquire) < u32::from(self.pieces - end) {
            looks += 1;
            match looks / LOOKS {
                0 => hint::spin_loop(),
                1 => thread::yield_now(),
                _ => thread::sleep(SLEEP),
            }
        }
        let good = self.assist.failed.load(Ordering::Relaxed) == 0;
        self.assist.taken.store(0, Ordering::Release);
        good
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU8;

    /// The default sizes of pieces.
    const PIECE: usize = 64 << 10;
    const SMALL_PIECE: usize = PIECE / 2;

    fn closed() -> Assist {
        // The zeros that the segment begins with.
        Assist {
            left: AtomicU64::new(0),
            taken: AtomicU32::new(0),
            ended: AtomicU32::new(0),
            failed: AtomicU32::new(0),
            pid: AtomicI32::new(0),
            id: AtomicU64::new(0),
            address: AtomicU64::new(0),
            length: AtomicU64::new(0),
            piece: AtomicU64::new(0),
        }
    }

    #[test]
    fn both_sides_take_pieces_until_none_is_left() {
        let assist = closed();
        assert_eq!(assist.take_last(), None);
        let shared = assist.open(5, 7, 1 << 40, 3 * PIECE + 10).unwrap();
        assert!(assist.open(6, 8, 0, 3 * PIECE).is_none());
        let last = Piece {
            id: 7,
            offset: 3 * PIECE,
            length: 10,
            pid: 5,
            address: (1 << 40) + 3 * PIECE as u64,
        };
        assert_eq!(assist.take_last(), Some(last));
        assert_eq!(shared.take_first(), Some((0, 2 * PIECE)));
        assist.end(true);
        assert_eq!(
            assist.take_last().map(|piece| (piece.offset, piece.length)),
            Some((2 * PIECE, PIECE))
        );
        assert_eq!((shared.take_first(), assist.take_last()), (None, None));
        assist.end(false);
        assert!(!shared.close());
        assert!(assist.open(6, 8, 0, 2 * PIECE).unwrap().close());
    }

    #[test]
    fn the_receiver_takes_half_of_what_is_left() {
        let assist = closed();
        let shared = assist.open(5, 7, 0, 9 * PIECE + 1).unwrap();
        let taken = std::iter::from_fn(|| shared.take_first());
        let expected = [(0, 5 * PIECE), (5 * PIECE, 3 * PIECE), (8 * PIECE, PIECE)];
        assert_eq!(taken.collect::<Vec<_>>(), [&expected[..], &[(9 * PIECE, 1)]].concat());
    }

    #[test]
    fn only_messages_of_several_pieces_are_shared() {
        let assist = closed();
        for length in [0, 1, SMALL_PIECE, PIECE * (usize::from(u16::MAX) + 1)] {
            assert!(assist.open(5, 7, 0, length).is_none(), "{length}");
        }
    }

    #[test]
    fn a_piece_of_an_older_message_cannot_be_taken() {
        let assist = closed();
        let shared = assist.open(5, 7, 0, 2 * PIECE).unwrap();
        let stale = assist.left.load(Ordering::Relaxed);
        assert!(shared.close());
        let _shared = assist.open(6, 8, 0, 2 * PIECE).unwrap();
        assert_eq!(assist.try_last(stale, 3), None);
    }

    #[test]
    fn every_byte_is_copied_once() {
        const MESSAGES: u64 = 300;
        let (assist, over) = (closed(), AtomicU32::new(0));
        let copies: Vec<AtomicU8> = (0..20 * PIECE / 1024).map(|_| AtomicU8::new(0)).collect();
        let copy = |offset: usize, length: usize| {
            for copy in &copies[offset / 1024..(offset + length) / 1024] {
                copy.fetch_add(1, Ordering::Relaxed);
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| {
                while over.load(Ordering::Relaxed) == 0 {
                    if let Some(piece) = assist.take_last() {
                        copy(piece.offset, piece.length);
                        assist.end(true);
                    }
                }
            });
            for id in 1..=MESSAGES {
                let length = (id as usize % 19 + 2) * PIECE;
                let shared = assist.open(1, id, 0, length).unwrap();
                while let Some((offset, length)) = shared.take_first() {
                    copy(offset, length);
                }
                assert!(shared.close());
                for (index, copies) in copies.iter().enumerate() {
                    assert_eq!(
                        copies.swap(0, Ordering::Relaxed),
                        u8::from(index * 1024 < length),
                        "{id}: {index}"
                    );
                }
            }
            over.store(1, Ordering::Relaxed);
        });
    }
}
