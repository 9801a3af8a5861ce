//! A ring of records in shared memory: one process writes, one reads.
//!
//! The ring is divided into cells of a cache line; a record is an [`Envelope`] and its data,
//! rounded up to whole cells, and never wraps. The reader knows the cell of the next record and
//! polls the stamp in it: the record is there once the stamp equals the number of the lap. So a
//! small message crosses in one cache line, and no counter of the writer is shared. Data of the
//! previous lap could be mistaken for a stamp in the cell where the next record will begin. The
//! writer knows which cells hold data, and clears such a cell before it makes the record in front
//! of it visible. The reader publishes how far it has read. The writer looks at that only if its
//! last known value leaves no room, and once in a while: if the reader has read everything, the
//! writer begins a new lap. So messages that are answered stay in the same few cells, which both
//! processors have at hand. What is left of the old lap is a record of padding. Only its first cell
//! has to stay until the reader has come there. If the writer gets there first, it leaves that cell
//! out.

use super::envelope::{Envelope, Packet};
use super::variables::RECORD_SHARE;
use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Bytes of a cell: a cache line.
pub(crate) const CELL: usize = 64;

/// Bytes in front of a ring's cells. They hold the reader's position in cache lines of its own.
pub(crate) const CONTROL: usize = 128;

/// How far beyond the next record both ends have their processors fetch, in bytes. A cell takes
/// long to get from one processor to another, and two take no longer than one.
#[cfg(target_arch = "x86_64")]
const AHEAD: u64 = 2 * CELL as u64;

/// How many bytes the writer writes before it looks whether it can begin a new lap.
const WINDOW: u64 = 4 << 10;

/// No lap was left early, as far as the writer still has to know.
const NOWHERE: u64 = u64::MAX;

const HEADER: usize = size_of::<Envelope>();

/// A ring's place in the mapped segment; memory that outlives every user of it.
#[derive(Clone, Copy)]
pub(crate) struct RingMemory {
    /// The control lines; the cells follow.
    start: *mut u8,
    /// Bytes of all cells, a power of two.
    capacity: usize,
}

impl RingMemory {
    /// The ring at `start`.
    ///
    /// # Safety
    /// `start` is aligned to [`CELL`] and begins [`CONTROL`]` + capacity` bytes that stay mapped
    /// for the process's life, were zero when the job began, and are touched only by the one
    /// [`Writer`] and the one [`Reader`] of this ring. `capacity` is a power of two, at least 4
    /// cells.
    pub(crate) unsafe fn new(start: *mut u8, capacity: usize) -> RingMemory {
        assert!(
            capacity.is_power_of_two() && capacity >= 4 * CELL && start.addr().is_multiple_of(CELL)
        );
        RingMemory { start, capacity }
    }

    /// How far the reader has read, in bytes since the beginning.
    fn consumed(&self) -> &AtomicU64 {
        // SAFETY: inside the control lines (`new`), aligned.
        unsafe { &*self.start.cast::<AtomicU64>() }
    }

    /// The cell at `position`, counted in bytes since the beginning.
    fn cell(&self, position: u64) -> *mut u8 {
        let offset = self.offset(position);
        // SAFETY: the offset is less than the capacity, so inside the ring's memory (`new`).
        unsafe { self.start.add(CONTROL + offset) }
    }

    /// Has the processor fetch the cell that will be read soon after this position.
    #[inline]
    fn fetch_ahead(&self, position: u64) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: changes nothing.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(self.cell(position + AHEAD).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = position;
    }

    /// The same for a cell that will be written. Otherwise the writes of a message wait in the
    /// processor for those of the message before it.
    #[inline]
    fn claim_ahead(&self, position: u64) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: changes nothing. Processors that do not know the instruction skip it.
        unsafe {
            let cell = self.cell(position + AHEAD);
            std::arch::asm!("prefetchw [{}]", in(reg) cell, options(nostack, preserves_flags));
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = position;
    }

    fn stamp(&self, position: u64) -> &AtomicU32 {
        // SAFETY: positions are multiples of a cell; an envelope begins with its stamp.
        unsafe { &*self.cell(position).cast::<AtomicU32>() }
    }

    /// The stamp of the lap at `position`: not zero, and not that of the lap before. No cell has an
    /// older one, as each lap writes to all cells, or notes that they hold data.
    fn lap(&self, position: u64) -> u32 {
        ((position / self.capacity as u64) as u32) << 1 | 1
    }

    /// Where a position is in its lap, in bytes.
    fn offset(&self, position: u64) -> usize {
        position as usize & (self.capacity - 1)
    }

    /// Bytes from `position` to the end of the cells.
    fn rest(&self, position: u64) -> usize {
        self.capacity - self.offset(position)
    }
}

/// The bytes a record with `bytes` of data takes.
const fn record(bytes: usize) -> usize {
    (HEADER + bytes).next_multiple_of(CELL)
}

/// The writing end.
pub(crate) struct Writer {
    memory: RingMemory,
    /// The end of the last record, in bytes since the beginning. This process's threads may read
    /// it at any time.
    position: AtomicU64,
    consumed: Cell<u64>,
    /// The position at which to look whether a new lap can begin.
    look: Cell<u64>,
    /// A record that ends a cell before this position, or earlier, can be written at once.
    limit: Cell<u64>,
    /// Where the padding begins with which the last lap was left early; [`NOWHERE`] if the reader
    /// has read it.
    left: AtomicU64,
    max_data: usize,
    /// One bit for each cell: its first word is a stamp or zero, not data.
    stamped: RefCell<Vec<u64>>,
}

impl Writer {
    /// The writing end of the ring in `memory`.
    pub(crate) fn new(memory: RingMemory) -> Writer {
        let cells = memory.capacity / CELL;
        let largest = (memory.capacity as f64 * RECORD_SHARE.get()) as usize;
        Writer {
            memory,
            position: AtomicU64::new(0),
            max_data: largest.max(CELL) - HEADER,
            consumed: Cell::new(0),
            look: Cell::new(WINDOW),
            limit: Cell::new(0),
            left: AtomicU64::new(NOWHERE),
            stamped: RefCell::new(vec![u64::MAX; cells.div_ceil(64)]),
        }
    }

    /// The most data one record can carry, in bytes: see [`RECORD_SHARE`].
    pub(crate) fn max_data(&self) -> usize {
        self.max_data
    }

    fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    /// How full the ring is, from 0 to 1. Any thread may ask.
    pub(crate) fn fill(&self) -> f64 {
        let consumed = self.memory.consumed().load(Ordering::Relaxed);
        let unused = self.left_after(consumed).map_or(0, |left| self.unused(left));
        let used = self.position().saturating_sub(consumed).saturating_sub(unused);
        (used as f64 / self.memory.capacity as f64).min(1.0)
    }

    /// Where the padding begins with which a lap was left early, if the reader has not read it. It
    /// has read up to `consumed`.
    #[inline]
    fn left_after(&self, consumed: u64) -> Option<u64> {
        Some(self.left.load(Ordering::Relaxed)).filter(|left| *left != NOWHERE && consumed <= *left)
    }

    /// The bytes of padding that begins here which can be written: all but the first cell.
    fn unused(&self, left: u64) -> u64 {
        (self.memory.rest(left) - CELL) as u64
    }

    /// Writes a record with `bytes` of data, which `fill` supplies. False if there is no room now;
    /// `fill` has not been called then.
    ///
    /// `bytes` is at most [`Writer::max_data`].
    #[inline]
    pub(crate) fn push(
        &self,
        envelope: &Envelope,
        bytes: usize,
        fill: impl FnOnce(&mut [u8]),
    ) -> bool {
        let end = self.position() + (record(bytes) + CELL) as u64;
        if end > self.limit.get() && !self.make_room(bytes) {
            return false;
        }
        self.write(envelope, bytes, HEADER + bytes, fill);
        true
    }

    /// Goes to where a record with this many bytes of data can be written. False if there is no
    /// room.
    #[inline(never)]
    fn make_room(&self, bytes: usize) -> bool {
        let size = record(bytes);
        if self.position() >= self.look.get() {
            self.begin_lap(size);
        } else if self.gap(size).is_some() {
            self.refresh();
        }
        if !self.has_room_for(bytes) {
            return false;
        }
        if let Some(gap) = self.gap(size) {
            self.pad(gap);
        }
        let to_end = self.memory.rest(self.position());
        if size > to_end {
            self.pad(to_end);
        }
        self.limit.set(self.next_limit());
        true
    }

    /// How far records can be written one after the other: up to the end of the lap, to what the
    /// reader has still to read, and to the next look.
    fn next_limit(&self) -> u64 {
        let (position, consumed) = (self.position(), self.consumed.get());
        let offset = self.memory.offset(position) as u64;
        let (lap, capacity) = (position - offset, self.memory.capacity as u64);
        // The cell behind the last record of a lap is the first one of the next lap.
        let limit = self.look.get().min(lap + capacity + CELL as u64);
        let Some(left) = self.left_after(consumed) else {
            return limit.min(consumed + capacity);
        };
        let limit = limit.min(consumed + capacity + self.unused(left));
        let kept = self.memory.offset(left) as u64;
        if offset < kept { limit.min(lap + kept) } else { limit }
    }

    /// Writes a record of this size that has nothing in it.
    fn pad(&self, size: usize) {
        self.write(&Envelope::of(Packet::Padding, 0), size - HEADER, HEADER, |_| {});
    }

    /// Looks how far the reader has read.
    fn refresh(&self) {
        // Acquire: the reader has finished with the cells before we write them again.
        let consumed = self.memory.consumed().load(Ordering::Acquire);
        self.consumed.set(consumed);
        if self.left_after(consumed).is_none() {
            self.left.store(NOWHERE, Ordering::Relaxed);
        }
    }

    /// Begins a new lap for a record of this size, if the reader has read everything and much of
    /// the lap is left.
    #[cold]
    fn begin_lap(&self, size: usize) {
        let position = self.position();
        self.look.set(position + WINDOW);
        self.refresh();
        let offset = self.memory.offset(position);
        let is_early = (WINDOW as usize..self.memory.capacity / 2).contains(&offset);
        if is_early && size + CELL <= offset && self.consumed.get() == position {
            self.pad(self.memory.rest(position));
            self.left.store(position, Ordering::Relaxed);
            self.look.set(self.position() + WINDOW);
        }
    }

    /// The bytes that the next record, of this size, has to leave out, since it would come upon
    /// padding that the reader has still to read.
    #[inline]
    fn gap(&self, size: usize) -> Option<usize> {
        let kept = self.memory.offset(self.left_after(self.consumed.get())?);
        let offset = self.memory.offset(self.position());
        // The cell behind the record may have to be cleared.
        (offset < kept && offset + size + CELL > kept).then(|| kept + CELL - offset)
    }

    /// Whether a record with this many bytes of data can be written now.
    #[inline]
    pub(crate) fn has_room_for(&self, bytes: usize) -> bool {
        debug_assert!(bytes <= self.max_data());
        let size = record(bytes);
        self.has_room(size) || {
            self.refresh();
            self.has_room(size)
        }
    }

    /// Whether there is room for a record of this size, as far as the reader is known to have read.
    #[inline]
    fn has_room(&self, size: usize) -> bool {
        let (position, consumed) = (self.position(), self.consumed.get());
        let gap = self.gap(size).unwrap_or(0);
        let to_end = self.memory.rest(position + gap as u64);
        let padding = gap + if size > to_end { to_end } else { 0 };
        let unused = self.left_after(consumed).map_or(0, |left| self.unused(left));
        let free = self.memory.capacity - (position - consumed - unused) as usize;
        // One cell stays free: the next record's, which may have to be cleared.
        free >= padding + size + CELL
    }

    /// Writes a record of `bytes` data, of which `fill` gets those up to `filled` bytes from the
    /// record's start.
    #[inline]
    fn write(
        &self,
        envelope: &Envelope,
        bytes: usize,
        filled: usize,
        fill: impl FnOnce(&mut [u8]),
    ) {
        let position = self.position();
        let next = position + record(bytes) as u64;
        self.clear_for_next(position, next);
        let cell = self.memory.cell(position);
        let header = Envelope { bytes: bytes as u32, ..*envelope };
        const STAMP: usize = size_of::<u32>();
        // SAFETY: `push` has made sure that the record lies in free cells; of these the reader
        // looks at nothing but the stamp until that is written.
        unsafe {
            ptr::copy_nonoverlapping(
                (&raw const header).cast::<u8>().add(STAMP),
                cell.add(STAMP),
                HEADER - STAMP,
            );
            fill(std::slice::from_raw_parts_mut(cell.add(HEADER), filled - HEADER));
        }
        self.memory.stamp(position).store(self.memory.lap(position), Ordering::Release);
        self.position.store(next, Ordering::Relaxed);
        self.memory.claim_ahead(next);
    }

    /// Makes sure that nothing in the next record's cell looks like its stamp, and notes which
    /// cells of this record hold data.
    #[inline]
    fn clear_for_next(&self, position: u64, next: u64) {
        let index = |position: u64| self.memory.offset(position) / CELL;
        let mut stamped = self.stamped.borrow_mut();
        let (first, data) = (index(position), (next - position) as usize / CELL - 1);
        // A record does not wrap, so its cells are one range.
        let (mut cell, end) = (first + 1, first + 1 + data);
        while cell < end {
            let bits = (end - cell).min(64 - cell % 64);
            stamped[cell / 64] &= !(u64::MAX >> (64 - bits) << (cell % 64));
            cell += bits;
        }
        let (word, bit) = (&mut stamped[index(next) / 64], 1 << (index(next) % 64));
        if *word & bit == 0 {
            *word |= bit;
            self.memory.stamp(next).store(0, Ordering::Relaxed);
        }
    }
}

/// What [`Reader::pop_if`] has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Front {
    /// No record.
    Nothing,
    /// Another record than the one that was wanted.
    Other,
    /// The record, which has been taken.
    Taken,
}

/// The reading end.
pub(crate) struct Reader {
    memory: RingMemory,
    position: Cell<u64>,
}

impl Reader {
    /// The reading end of the ring in `memory`.
    pub(crate) fn new(memory: RingMemory) -> Reader {
        Reader { memory, position: Cell::new(0) }
    }

    /// Hands the next record to `take`, if there is one; afterwards its room is free again.
    #[inline]
    pub(crate) fn pop<R>(&self, take: impl FnOnce(&Envelope, &[u8]) -> R) -> Option<R> {
        let mut position = self.position.get();
        let mut envelope = self.envelope(position)?;
        while envelope.packet == Packet::Padding {
            position = self.consume(position, record(envelope.bytes as usize));
            envelope = self.envelope(position)?;
        }
        let bytes = (envelope.bytes as usize).min(self.memory.rest(position) - HEADER);
        // SAFETY: a stamped record is complete, and the writer leaves it alone until it is
        // consumed. The data end before the ring does.
        let data =
            unsafe { std::slice::from_raw_parts(self.memory.cell(position).add(HEADER), bytes) };
        let result = take(envelope, data);
        self.consume(position, record(bytes));
        Some(result)
    }

    /// Hands the next record to `take` if it is `wanted`, and leaves it alone otherwise.
    #[inline]
    pub(crate) fn pop_if(
        &self,
        wanted: impl FnOnce(&Envelope) -> bool,
        take: impl FnOnce(&[u8]),
    ) -> Front {
        match self.envelope(self.position.get()) {
            None => Front::Nothing,
            Some(envelope) if !wanted(envelope) => Front::Other,
            Some(_) => {
                self.pop(|_, data| take(data));
                Front::Taken
            }
        }
    }

    /// The record at `position`, if it is complete.
    #[inline]
    fn envelope(&self, position: u64) -> Option<&Envelope> {
        // Acquire: the record is complete when its stamp is seen.
        if self.memory.stamp(position).load(Ordering::Acquire) != self.memory.lap(position) {
            return None;
        }
        // SAFETY: a stamped record is complete, written by this same library at the other end, and
        // not changed until it is consumed.
        Some(unsafe { &*self.memory.cell(position).cast::<Envelope>() })
    }

    /// Gives `bytes` from `position` back to the writer; returns the position behind them.
    #[inline]
    fn consume(&self, position: u64, bytes: usize) -> u64 {
        let next = position + bytes as u64;
        self.position.set(next);
        self.memory.fetch_ahead(next);
        // Release: we have read the cells before the writer may use them again.
        self.memory.consumed().store(next, Ordering::Release);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring in private memory that lives as long as the test process.
    fn ring(capacity: usize) -> (Writer, Reader) {
        #[repr(align(64))]
        #[derive(Clone)]
        struct Line(#[expect(dead_code, reason = "only its memory counts")] [u8; 64]);
        let lines = vec![Line([0; 64]); (CONTROL + capacity) / 64].leak();
        // SAFETY: leaked, aligned, zero and used by this pair alone.
        let memory = unsafe { RingMemory::new(lines.as_mut_ptr().cast(), capacity) };
        (Writer::new(memory), Reader::new(memory))
    }

    /// A simple generator: the test's data are the same in every run.
    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *state >> 33
    }

    fn push(writer: &Writer, tag: i32, bytes: usize) -> bool {
        let envelope = Envelope { tag, ..Envelope::of(Packet::Eager, 7) };
        writer.push(&envelope, bytes, |data| data.fill(tag as u8))
    }

    #[test]
    fn only_the_record_that_is_wanted_is_taken() {
        let (writer, reader) = ring(1024);
        let seven = |envelope: &Envelope| envelope.tag == 7;
        let mut data = Vec::new();
        assert_eq!(reader.pop_if(seven, |_| panic!("nothing is there")), Front::Nothing);
        assert!(push(&writer, 6, 30) && push(&writer, 7, 30));
        assert_eq!(reader.pop_if(seven, |_| panic!("the first one has tag 6")), Front::Other);
        assert!(reader.pop(|_, _| ()).is_some());
        assert_eq!(reader.pop_if(seven, |bytes| data.extend_from_slice(bytes)), Front::Taken);
        assert_eq!((data, reader.pop(|_, _| ())), (vec![7; 30], None));
    }

    #[test]
    fn records_of_all_sizes_arrive_in_order_for_many_laps() {
        let (writer, reader) = ring(4096);
        let mut state = 1;
        let (mut sent, mut received) = (0, 0);
        while received < 20_000 {
            // Data of ones look like the stamp of the first lap: the worst case.
            let bytes = random(&mut state) as usize % (writer.max_data() + 1);
            if !random(&mut state).is_multiple_of(3) && push(&writer, sent, bytes) {
                sent += 1;
            } else if let Some((tag, id)) = reader.pop(|envelope, data| {
                assert!(data.iter().all(|&byte| byte == envelope.tag as u8));
                (envelope.tag, envelope.id)
            }) {
                assert_eq!((tag, id), (received, 7));
                received += 1;
            } else {
                assert_eq!(sent, received, "the ring lost a record");
            }
        }
    }

    #[test]
    fn messages_that_are_answered_stay_in_a_few_cells() {
        let (writer, reader) = ring(1 << 16);
        for tag in 0..1000 {
            assert!(push(&writer, tag, 1000));
            assert!(writer.memory.offset(writer.position()) < WINDOW as usize + 2 * 1024);
            assert_eq!(reader.pop(|envelope, data| (envelope.tag, data.len())), Some((tag, 1000)));
        }
        // Each takes 17 cells, and four of them a lap.
        assert_eq!(writer.position() >> 16, 1000 / 4 - 1);
    }

    #[test]
    fn a_lap_that_was_left_early_has_room() {
        let (writer, reader) = ring(1 << 16);
        while writer.position() < 1 << 16 {
            assert!(push(&writer, 0, 1000) && writer.fill() < 0.03);
            if writer.position() < 1 << 16 {
                assert!(reader.pop(|_, _| ()).is_some());
            }
        }
        // The padding and a record are still to be read. One cell stays free, and before the
        // padding's own cell there is one that leads past it.
        let mut count = 1;
        while push(&writer, count, 0) {
            count += 1;
        }
        assert_eq!(count as usize, (1 << 16) / CELL - 17 - 3);
        assert!(writer.fill() > 0.99);
        for expected in 0..count {
            assert_eq!(reader.pop(|envelope, _| envelope.tag), Some(expected));
        }
        assert_eq!((reader.pop(|_, _| ()), writer.fill()), (None, 0.0));
    }

    #[test]
    fn records_arrive_in_order_whether_laps_are_left_early_or_not() {
        let (writer, reader) = ring(1 << 16);
        let mut state = 5;
        let (mut sent, mut received) = (0, 0);
        let (mut early, mut around) = (0, 0);
        while received < 50_000 {
            // Sometimes the reader keeps up, sometimes it is far behind.
            let burst =
                random(&mut state) % if random(&mut state).is_multiple_of(4) { 90 } else { 3 };
            for _ in 0..=burst {
                let bytes = random(&mut state) as usize % 2000;
                let (fits, before) = (writer.has_room_for(bytes), writer.position());
                assert!(push(&writer, sent, bytes) || !fits, "there was room for {bytes}");
                early += usize::from(writer.left.load(Ordering::Relaxed) == before);
                let after = writer.position();
                let is_same_lap = after >> 16 == before >> 16;
                around += usize::from(is_same_lap && after - before > record(bytes) as u64);
                sent += i32::from(fits);
            }
            for _ in 0..=random(&mut state) % 90 {
                let taken = reader.pop(|envelope, data| {
                    assert!(data.iter().all(|&byte| byte == envelope.tag as u8));
                    envelope.tag
                });
                match taken {
                    Some(tag) => assert_eq!(tag, received),
                    None => assert_eq!(sent, received, "the ring lost a record"),
                }
                received += i32::from(taken.is_some());
            }
        }
        assert!(early > 100 && around > 0, "{early} laps were left early, {around} cells left out");
    }

    #[test]
    fn data_are_never_taken_for_a_stamp() {
        let (writer, reader) = ring(1024);
        for lap in 1..200u32 {
            // Every word of the data is the stamp of the lap to come.
            let fake = (lap + 1).to_ne_bytes();
            assert!(writer.push(&Envelope::of(Packet::Eager, 1), 200, |data| {
                data.chunks_mut(4).for_each(|word| word.copy_from_slice(&fake))
            }));
            assert!(reader.pop(|_, data| assert_eq!(data.len(), 200)).is_some());
            for _ in 0..12 {
                assert!(reader.pop(|_, _| ()).is_none());
                assert!(push(&writer, 0, 0));
                assert!(reader.pop(|_, data| assert!(data.is_empty())).is_some());
            }
        }
    }

    #[test]
    fn a_full_ring_refuses_and_recovers() {
        let (writer, reader) = ring(512);
        let mut count = 0;
        while push(&writer, count, 8) {
            count += 1;
        }
        assert_eq!(count, 7);
        assert!(reader.pop(|envelope, _| assert_eq!(envelope.tag, 0)).is_some());
        assert!(push(&writer, count, 8));
        assert!(!push(&writer, count, 8));
    }

    #[test]
    fn two_threads_exchange_a_million_records() {
        struct Send<T>(T);
        // SAFETY: each end moves to one thread and stays there.
        unsafe impl<T> std::marker::Send for Send<T> {}
        let (writer, reader) = ring(1 << 16);
        let writer = Send(writer);
        let thread = std::thread::spawn(move || {
            let writer = writer;
            let mut state = 3;
            for tag in 0..1_000_000 {
                let bytes = random(&mut state) as usize % 300;
                while !push(&writer.0, tag, bytes) {
                    std::thread::yield_now();
                }
            }
        });
        for expected in 0..1_000_000 {
            while reader
                .pop(|envelope, data| {
                    assert_eq!(envelope.tag, expected);
                    assert!(data.iter().all(|&byte| byte == expected as u8));
                })
                .is_none()
            {
                std::thread::yield_now();
            }
        }
        thread.join().unwrap();
    }
}
