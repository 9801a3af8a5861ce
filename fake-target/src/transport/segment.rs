//! The shared segment of a job: its layout, its mapping and the doorbells.
//!
//! ```text
//! header | a block for each rank | who has sent to whom (one bit for each pair)
//!        | guests: processes of other jobs | rings: for each receiver one from every sender
//!        | bounce buffers of each rank
//!        | rings of guests: for each guest and rank one in either direction
//! ```
//!
//! Two processes of different jobs use the segment of one of the jobs: the one with the smaller
//! number. The other process is a guest there. Either of them enters the guest into the table, and
//! maps the two rings alone.
//!
//! The segment begins as zeros, which is a valid state of every part, so ranks need not wait for
//! each other to start. The launcher holds it as an unnamed file, which vanishes with the last
//! process of the job. Pages are allocated only when they are touched. Rings of guests are behind
//! the part that a rank maps at first.

use super::address::Address;
use super::assist::Assist;
use super::bootstrap::{Job, MAX_RANKS};
use super::bounce::{self, Readers};
use super::ring::{CELL, CONTROL, RingMemory};
use super::system;
use super::variables::{CORE_RINGS, RING_SIZE, RINGS_MEMORY};
use super::words::Words;
use crate::variables::counters::WAKE_UPS;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering, compiler_fence, fence};
use std::time::Duration;

/// Bytes for the header.
const HEADER: usize = 4096;

/// Bytes of a ring's cells in a job of any size: enough for a message of a kilobyte.
const SMALLEST_RING: usize = 4 << 10;

/// The largest bytes of a ring's cells.
const LARGEST_RING: u64 = 1 << 20;

/// "MQDRTSEG": shows that the ranks of a job agree on the format of the segment.
const MAGIC: u64 = u64::from_le_bytes(*b"MQDRTSEG");

/// The beginning of the segment.
#[repr(C)]
struct Header {
    magic: AtomicU64,
    ranks: AtomicU64,
    bytes: AtomicU64,
    /// Bytes of a ring's cells.
    ring: AtomicU64,
    /// The number of the job: see [`Address::job`].
    job: AtomicU64,
    words: Words,
}

const _: () = assert!(size_of::<Header>() <= HEADER);

/// What a rank shows the others.
#[repr(C, align(128))]
struct Block {
    /// Counts wake-ups: the word that a sleeping rank waits on.
    doorbell: AtomicU32,
    /// Threads of the rank that sleep or are about to.
    sleepers: AtomicU32,
    /// Those of them that need room in a ring.
    blocked: AtomicU32,
    pid: AtomicI32,
    /// The descriptor of the segment in that process.
    descriptor: AtomicI32,
    assist: Assist,
    bounce: Readers,
}

/// The number of processes of other jobs that a segment has room for, in the whole life of its job.
const GUESTS: usize = 1 << 14;

/// Bytes of the bounce buffers of a rank.
const BOUNCE: usize = bounce::BUFFERS * BUFFER;

/// Bytes of one of them.
const BUFFER: usize = bounce::BYTES + bounce::ALIGNMENT;

/// Where everything lies: the same in every rank, computed from the job's size and the size of a
/// page alone.
struct SegmentLayout {
    ranks: usize,
    /// Bytes of a page. What is mapped by itself, or left out of core files, begins with one.
    page: usize,
    /// Bytes of a ring's cells.
    ring: usize,
    senders: usize,
    guests: usize,
    rings: usize,
    bounce: usize,
    /// The rings of guests come after these bytes.
    total: usize,
}

impl SegmentLayout {
    fn new(ranks: usize) -> SegmentLayout {
        let mut ring = 1 << RING_SIZE.size().ilog2();
        while ring > SMALLEST_RING && ranks * ranks * (ring + CONTROL) > RINGS_MEMORY.size() << 20 {
            ring /= 2;
        }
        SegmentLayout::with_rings(ranks, ring, system::page())
    }

    /// The layout of a job whose rings have this many bytes.
    fn with_rings(ranks: usize, ring: usize, page: usize) -> SegmentLayout {
        let senders = HEADER + (ranks * size_of::<Block>()).next_multiple_of(CELL);
        let guests =
            (senders + ranks * SegmentLayout::sender_words(ranks) * 8).next_multiple_of(page);
        let rings = (guests + GUESTS * size_of::<u64>()).next_multiple_of(page);
        let mut layout =
            SegmentLayout { ranks, page, ring, senders, guests, rings, bounce: 0, total: 0 };
        layout.bounce = rings + ranks * layout.inbound();
        layout.total = layout.bounce + (ranks * BOUNCE).next_multiple_of(page);
        layout
    }

    /// Words of a rank's set of senders: whole cache lines.
    fn sender_words(ranks: usize) -> usize {
        ranks.div_ceil(64).next_multiple_of(CELL / 8)
    }

    /// Bytes of the two rings between a guest and a rank: whole pages.
    fn pair(&self) -> usize {
        (2 * (self.ring + CONTROL)).next_multiple_of(self.page)
    }

    /// Bytes of all rings towards one rank: whole pages.
    fn inbound(&self) -> usize {
        (self.ranks * (self.ring + CONTROL)).next_multiple_of(self.page)
    }
}

/// The mapped segment. It stays mapped for the process's life.
pub(crate) struct Segment {
    base: *mut u8,
    layout: SegmentLayout,
    /// The rank of this process; none in the segment of another job.
    rank: Option<usize>,
    file: File,
    /// This process takes part in the barriers of those that go to sleep, so it needs none of its
    /// own.
    joined: bool,
}

// SAFETY: everything reached through a shared reference is atomic; rings are handed out once, by
// `ring`'s contract.
unsafe impl Sync for Segment {}
// SAFETY: no thread owns the mapping.
unsafe impl Send for Segment {}

impl Segment {
    /// Maps the job's segment. A job of one rank without a launcher makes its own. The descriptor
    /// stays open, since processes of other jobs find the segment by it.
    ///
    /// # Errors
    /// The descriptor is not the segment of this job, or the system refuses the memory.
    pub(crate) fn map(job: &Job) -> io::Result<Segment> {
        let layout = SegmentLayout::new(job.size);
        let file = match job.segment {
            Some(descriptor) => take_descriptor(descriptor)?,
            None => system::unnamed_file(c"mqdrt-job")?,
        };
        // Every rank sets the same size, so only the first call has an effect. Rings of guests may
        // be there already.
        if (file.metadata()?.len() as usize) < layout.total {
            extend(&file, layout.total)?;
        }
        let base = map(&file, 0, layout.total)?;
        let segment =
            Segment { base, layout, rank: Some(job.rank), file, joined: system::join_barriers() };
        segment.check()?;
        if !CORE_RINGS.get() {
            segment.leave_out_of_cores(job.rank);
        }
        let block = segment.block(job.rank);
        block.descriptor.store(segment.file.as_raw_fd(), Ordering::Release);
        block.pid.store(std::process::id() as i32, Ordering::Release);
        Ok(segment)
    }

    /// Maps what a guest needs of the segment of another job, in which a process is.
    ///
    /// # Errors
    /// The process has ended or is not on this machine, or the system refuses it.
    pub(crate) fn of_another_job(process: &Address) -> io::Result<Segment> {
        let path = format!("/proc/{}/fd/{}", process.pid, process.descriptor);
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        let stranger = || io::Error::other("the process is not the one that it was");
        if (file.metadata()?.len() as usize) < HEADER {
            return Err(stranger());
        }
        let beginning = map(&file, 0, HEADER)?;
        // SAFETY: the beginning of the mapping; all fields are atomic.
        let header = unsafe { &*beginning.cast::<Header>() };
        let [magic, job, ranks, ring, bytes] =
            [&header.magic, &header.job, &header.ranks, &header.ring, &header.bytes]
                .map(|field| field.load(Ordering::Acquire));
        // SAFETY: just mapped, and not used any more.
        unsafe { libc::munmap(beginning.cast(), HEADER) };
        let plausible = (1..=MAX_RANKS).contains(&(ranks as usize))
            && ring.is_power_of_two()
            && (SMALLEST_RING as u64..=LARGEST_RING).contains(&ring);
        if magic != MAGIC || job != process.job || !plausible {
            return Err(stranger());
        }
        let layout = SegmentLayout::with_rings(ranks as usize, ring as usize, system::page());
        if layout.total as u64 != bytes || process.rank as usize >= layout.ranks {
            return Err(stranger());
        }
        let base = map(&file, 0, layout.rings)?;
        Ok(Segment { base, layout, rank: None, file, joined: system::join_barriers() })
    }

    fn header(&self) -> &Header {
        // SAFETY: the first page of the mapping; all fields are atomic.
        unsafe { &*self.base.cast::<Header>() }
    }

    /// The words that ranks take for objects of theirs.
    pub(crate) fn words(&self) -> &Words {
        &self.header().words
    }

    /// Writes this rank's view of the segment into the header, or compares it with what another
    /// rank has written.
    fn check(&self) -> io::Result<()> {
        let header = self.header();
        let random = Address::job_of(system::random());
        // The first rank sets the number.
        let _ = header.job.compare_exchange(0, random, Ordering::AcqRel, Ordering::Acquire);
        for (field, value) in [
            (&header.ranks, self.layout.ranks as u64),
            (&header.ring, self.layout.ring as u64),
            (&header.bytes, self.layout.total as u64),
            (&header.magic, MAGIC),
        ] {
            if let Err(found) =
                field.compare_exchange(0, value, Ordering::AcqRel, Ordering::Acquire)
                && found != value
            {
                return Err(io::Error::other(format!(
                    "another rank of this job uses a different layout ({found:#x}, not \
                     {value:#x}): mixed libraries, or different values of MQDRT_RING_SIZE or \
                     MQDRT_RINGS_MEMORY?"
                )));
            }
        }
        Ok(())
    }

    /// Core files need only the rings towards this rank.
    fn leave_out_of_cores(&self, rank: usize) {
        let inbound = self.layout.inbound();
        let own = self.layout.rings + rank * inbound;
        for (start, end) in [(self.layout.rings, own), (own + inbound, self.layout.total)] {
            // SAFETY: whole pages of our mapping; the advice concerns core files only. A refusal
            // makes them larger, no more.
            unsafe { libc::madvise(self.base.add(start).cast(), end - start, libc::MADV_DONTDUMP) };
        }
    }

    /// Bytes of a ring's cells.
    pub(crate) fn ring_bytes(&self) -> usize {
        self.layout.ring
    }

    /// Bytes of the whole.
    pub(crate) fn bytes(&self) -> usize {
        self.layout.total
    }

    /// The number of ranks.
    pub(crate) fn ranks(&self) -> usize {
        self.layout.ranks
    }

    /// The number of the job.
    pub(crate) fn job(&self) -> u64 {
        self.header().job.load(Ordering::Acquire)
    }

    /// The descriptor of the segment in the process of `rank`, once that has begun.
    pub(crate) fn descriptor(&self, rank: usize) -> i32 {
        self.block(rank).descriptor.load(Ordering::Acquire)
    }

    /// The number of a guest in the table, by its key; none if the table is full.
    fn guest(&self, key: u64) -> Option<usize> {
        // SAFETY: inside the mapping by the layout, in that of a guest too.
        let table = unsafe {
            let table = self.base.add(self.layout.guests).cast::<AtomicU64>();
            std::slice::from_raw_parts(table, GUESTS)
        };
        table.iter().position(|entry| {
            let found = entry.compare_exchange(0, key, Ordering::AcqRel, Ordering::Acquire);
            found.is_ok() || found == Err(key)
        })
    }

    /// The rings between a guest, by its key, and `rank`: the one towards the rank, and the one
    /// towards the guest.
    ///
    /// # Errors
    /// The table is full, or the system refuses the memory.
    ///
    /// # Safety
    /// Each of the two processes makes one writer and one reader of them. There are no other users.
    pub(crate) unsafe fn guest_rings(&self, key: u64, rank: usize) -> io::Result<[RingMemory; 2]> {
        assert!(rank < self.ranks());
        let guest = self.guest(key).ok_or_else(|| {
            io::Error::other(format!("a job has met {GUESTS} processes of other jobs, its limit"))
        })?;
        let bytes = self.layout.pair();
        let offset = self.layout.total + (guest * self.layout.ranks + rank) * bytes;
        extend(&self.file, offset + bytes)?;
        let base = map(&self.file, offset, bytes)?;
        // SAFETY: a mapping of its own with room for both, aligned to a page, zero at the
        // beginning; ends by our own contract.
        Ok(unsafe {
            let other = base.add(self.layout.ring + CONTROL);
            [RingMemory::new(base, self.layout.ring), RingMemory::new(other, self.layout.ring)]
        })
    }

    /// The ring from rank `sender` to rank `receiver`.
    ///
    /// # Safety
    /// The sender makes one writer of it, and the receiver one reader. There are no other users.
    pub(crate) unsafe fn ring(&self, sender: usize, receiver: usize) -> RingMemory {
        assert!(sender < self.ranks() && receiver < self.ranks());
        let offset = self.layout.rings
            + receiver * self.layout.inbound()
            + sender * (self.layout.ring + CONTROL);
        // SAFETY: inside the mapping by the layout, aligned to a cell, zero at the beginning; ends
        // by our own contract.
        unsafe { RingMemory::new(self.base.add(offset), self.layout.ring) }
    }

    fn block(&self, rank: usize) -> &Block {
        assert!(rank < self.ranks());
        // SAFETY: inside the mapping by the layout; all fields are atomic.
        unsafe { &*self.base.add(HEADER).cast::<Block>().add(rank) }
    }

    fn senders(&self, receiver: usize) -> &[AtomicU64] {
        assert!(receiver < self.ranks());
        let words = SegmentLayout::sender_words(self.ranks());
        // SAFETY: inside the mapping by the layout.
        unsafe {
            std::slice::from_raw_parts(
                self.base.add(self.layout.senders).cast::<AtomicU64>().add(receiver * words),
                words,
            )
        }
    }

    /// Takes a bounce buffer of this rank: see [`Readers::take`].
    pub(crate) fn take_bounce(&self, readers: u32) -> Option<usize> {
        self.block(self.own()).bounce.take(readers)
    }

    /// A receiver needs the data in a bounce buffer of `rank` no more.
    pub(crate) fn leave_bounce(&self, rank: usize, buffer: usize) {
        self.block(rank).bounce.leave(buffer);
    }

    /// A bounce buffer of `rank`, at a multiple of [`bounce::ALIGNMENT`]. Its owner writes it after
    /// it has taken it and before it tells the readers. They read it until they leave it.
    pub(crate) fn bounce(&self, rank: usize, buffer: usize) -> *mut u8 {
        assert!(rank < self.ranks() && buffer < bounce::BUFFERS);
        self.base.wrapping_add(self.layout.bounce + rank * BOUNCE + buffer * BUFFER)
    }

    fn own(&self) -> usize {
        self.rank.expect("asked of the segment of the own job only")
    }

    /// The process of `rank`, once that has begun.
    pub(crate) fn pid(&self, rank: usize) -> i32 {
        self.block(rank).pid.load(Ordering::Acquire)
    }

    /// What `rank` may help with.
    #[inline]
    pub(crate) fn assist(&self, rank: usize) -> &Assist {
        &self.block(rank).assist
    }

    /// Tells `receiver` to look at the ring from this rank from now on; called once, before the
    /// first record.
    pub(crate) fn announce(&self, receiver: usize) {
        let rank = self.own();
        self.senders(receiver)[rank / 64].fetch_or(1 << (rank % 64), Ordering::AcqRel);
    }

    /// The ranks numbered `64 * word` and up that have ever sent to this one, one bit each; none
    /// when `word` is beyond the last rank.
    pub(crate) fn announced(&self, word: usize) -> Option<u64> {
        (word * 64 < self.ranks()).then(|| self.senders(self.own())[word].load(Ordering::Acquire))
    }

    /// Wakes `rank` if it sleeps; called after something has been written for it.
    #[inline]
    pub(crate) fn ring_doorbell(&self, rank: usize) {
        let block = self.block(rank);
        // Between our record and the look at `sleepers`; the sleeper has one between its mark and
        // its last look at the rings. A fence here takes longer than the rest of a short message,
        // so the sleeper makes one for all.
        if self.joined {
            compiler_fence(Ordering::SeqCst);
        } else {
            fence(Ordering::SeqCst);
        }
        if block.sleepers.load(Ordering::Relaxed) > 0 {
            wake(block);
        }
    }

    /// Wakes `rank` if it sleeps because its ring was full; called after a record of its has been
    /// read. There is no fence, so a rank that is just going to sleep may be missed. Its sleep must
    /// be short.
    #[inline]
    pub(crate) fn room_made(&self, rank: usize) {
        let block = self.block(rank);
        if block.blocked.load(Ordering::Relaxed) > 0 {
            wake(block);
        }
    }

    /// Marks a thread of this rank as about to sleep, because it needs room or messages. Dropping
    /// the mark without [`Sleeper::sleep`] cancels it.
    pub(crate) fn prepare_to_sleep(&self, needs_room: bool) -> Sleeper<'_> {
        let block = self.block(self.own());
        let doorbell = block.doorbell.load(Ordering::Acquire);
        block.sleepers.fetch_add(1, Ordering::AcqRel);
        block.blocked.fetch_add(needs_room.into(), Ordering::AcqRel);
        let sure = system::barrier_everywhere();
        fence(Ordering::SeqCst);
        Sleeper { block, doorbell, needs_room, sure }
    }
}

#[cold]
fn wake(block: &Block) {
    WAKE_UPS.add_shared(1);
    block.doorbell.fetch_add(1, Ordering::AcqRel);
    system::futex_wake(&block.doorbell);
}

/// A thread's announcement that it will sleep.
pub(crate) struct Sleeper<'a> {
    block: &'a Block,
    doorbell: u32,
    needs_room: bool,
    /// Those that write see the mark, or their records are seen.
    sure: bool,
}

impl Sleeper<'_> {
    /// Sleeps until the doorbell has rung since [`Segment::prepare_to_sleep`], but at most this
    /// long.
    pub(crate) fn sleep(self, longest: Duration) {
        /// The delay of a message that was missed.
        const UNSURE: Duration = Duration::from_millis(1);
        let longest = if self.sure { longest } else { longest.min(UNSURE) };
        system::futex_wait(&self.block.doorbell, self.doorbell, longest);
    }
}

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        self.block.sleepers.fetch_sub(1, Ordering::AcqRel);
        self.block.blocked.fetch_sub(self.needs_room.into(), Ordering::AcqRel);
    }
}

/// The file behind an inherited descriptor.
fn take_descriptor(descriptor: RawFd) -> io::Result<File> {
    // SAFETY: only asks whether the descriptor is open.
    if unsafe { libc::fcntl(descriptor, libc::F_GETFD) } < 0 {
        return Err(io::Error::other(format!(
            "descriptor {descriptor} (MQDRT_SEGMENT_FD) is not open: was it closed between \
             mpiexec and the program?"
        )));
    }
    // SAFETY: the launcher passes it for this purpose; this process has no other owner of it.
    let file = unsafe { File::from_raw_fd(descriptor) };
    // Programs that this one starts do not belong to the job. SAFETY: sets a flag of a descriptor
    // of ours.
    unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
    Ok(file)
}

/// Makes the file at least this long. Other processes may do the same at the same time.
fn extend(file: &File, bytes: usize) -> io::Result<()> {
    // Room for the last bytes makes it that long.
    let (last, some) = ((bytes - HEADER) as libc::off_t, HEADER as libc::off_t);
    // SAFETY: a call that changes the file alone. It never makes the file shorter.
    match unsafe { libc::fallocate(file.as_raw_fd(), 0, last, some) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn map(file: &File, offset: usize, bytes: usize) -> io::Result<*mut u8> {
    // SAFETY: a new mapping at an address of the system's choice.
    let base = unsafe {
        libc::mmap(
            ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_NORESERVE,
            file.as_raw_fd(),
            offset as libc::off_t,
        )
    };
    if base == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(base.cast()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::envelope::{Envelope, Packet};
    use crate::transport::ring::{Reader, Writer};

    fn memfd() -> RawFd {
        // SAFETY: makes a descriptor.
        let descriptor = unsafe { libc::memfd_create(c"mqdrt-test".as_ptr(), 0) };
        assert!(descriptor >= 0);
        descriptor
    }

    fn job(rank: usize, size: usize, segment: RawFd) -> Job {
        // SAFETY: duplicates a descriptor, which `Segment::map` will close.
        Job { rank, size, segment: Some(unsafe { libc::dup(segment) }), first: 0 }
    }

    #[test]
    fn every_part_has_its_own_place() {
        for ranks in [1, 2, 3, 64, 65, 300] {
            let layout = SegmentLayout::new(ranks);
            assert!(HEADER + ranks * size_of::<Block>() <= layout.senders);
            assert!(layout.senders + ranks * ranks.div_ceil(64) * 8 <= layout.rings);
            assert!(layout.ring >= SMALLEST_RING);
            assert_eq!(layout.bounce, layout.rings + ranks * layout.inbound());
            assert_eq!(layout.total, layout.bounce + ranks * BOUNCE);
        }
        assert_eq!(SegmentLayout::new(8).ring, RING_SIZE.size());
    }

    #[test]
    fn mappings_begin_with_a_page_of_any_size() {
        for (page, ranks) in [(4 << 10, 1), (16 << 10, 3), (64 << 10, 65), (256 << 10, 2)] {
            let layout = SegmentLayout::with_rings(ranks, SMALLEST_RING, page);
            // `total` is where the pairs of guests begin.
            let places = [layout.rings, layout.inbound(), layout.total, layout.pair()];
            assert!(places.iter().all(|place| place.is_multiple_of(page)), "{page}: {places:?}");
            assert!(layout.guests + GUESTS * size_of::<u64>() <= layout.rings);
        }
    }

    #[test]
    fn two_mappings_share_rings_and_announcements() {
        let file = memfd();
        let (one, two) =
            (Segment::map(&job(1, 70, file)).unwrap(), Segment::map(&job(69, 70, file)).unwrap());
        assert_eq!(two.pid(1), std::process::id() as i32);
        assert_eq!(two.pid(0), 0);
        // SAFETY: one writer, one reader.
        let (writer, reader) =
            unsafe { (Writer::new(one.ring(1, 69)), Reader::new(two.ring(1, 69))) };
        one.announce(69);
        assert_eq!(
            (two.announced(0), two.announced(1), two.announced(2)),
            (Some(2), Some(0), None)
        );
        assert!(
            writer.push(&Envelope::of(Packet::Eager, 5), 3, |data| data.copy_from_slice(b"abc"))
        );
        assert_eq!(
            reader.pop(|envelope, data| (envelope.id, data.to_vec())),
            Some((5, b"abc".to_vec()))
        );
        one.ring_doorbell(69);
    }

    #[test]
    fn a_wrong_size_is_refused() {
        let file = memfd();
        let _first = Segment::map(&job(0, 2, file)).unwrap();
        let error = Segment::map(&job(0, 3, file)).err().unwrap().to_string();
        assert!(error.contains("different layout"), "{error}");
        let error = Segment::map(&Job { rank: 0, size: 2, segment: Some(999), first: 0 })
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains("descriptor 999"), "{error}");
    }

    #[test]
    fn a_doorbell_between_mark_and_sleep_is_not_lost() {
        let segment = Segment::map(&Job { rank: 0, size: 1, segment: None, first: 0 }).unwrap();
        let sleeper = segment.prepare_to_sleep(false);
        segment.ring_doorbell(0);
        assert_ne!(segment.block(0).doorbell.load(Ordering::Acquire), sleeper.doorbell);
        sleeper.sleep(Duration::from_secs(3600));
        assert_eq!(segment.block(0).sleepers.load(Ordering::Acquire), 0);
    }
}
