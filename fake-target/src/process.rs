//! This process and its place in the job.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

static RANK: AtomicUsize = AtomicUsize::new(0);
static RANKS: AtomicUsize = AtomicUsize::new(1);
/// The place of the job's first process in the launcher's table of processes.
static FIRST: AtomicI32 = AtomicI32::new(0);
static THREADS: AtomicBool = AtomicBool::new(false);
static LOCKED: AtomicBool = AtomicBool::new(false);
/// The launcher that this process has started.
static OWN_LAUNCHER: AtomicI32 = AtomicI32::new(0);
/// The numbers of processes of other jobs: see [`number_of`].
static STRANGERS: RwLock<Vec<c_int>> = RwLock::new(Vec::new());

/// Notes the place of this process in the job, once `MPI_Init` knows it.
pub(crate) fn set_place(rank: usize, ranks: usize, first: c_int) {
    RANK.store(rank, Ordering::Relaxed);
    FIRST.store(first, Ordering::Relaxed);
    RANKS.store(ranks, Ordering::Relaxed);
}

/// Notes whether several threads may be in MPI at a time.
pub(crate) fn set_threads(several: bool) {
    THREADS.store(several, Ordering::Relaxed);
}

/// From here on threads lock the engine.
pub(crate) fn set_locked() {
    LOCKED.store(true, Ordering::Relaxed);
}

/// Rank of this process in `MPI_COMM_WORLD`; 0 before `MPI_Init`.
pub(crate) fn rank() -> c_int {
    RANK.load(Ordering::Relaxed) as c_int
}

/// Ranks in the job; 1 before `MPI_Init`.
pub(crate) fn ranks() -> usize {
    RANKS.load(Ordering::Relaxed)
}

/// Notes one more process of another job, by its place in the table of this job's launcher; -1 if
/// it is not there. This process counts it from [`ranks`] on.
pub(crate) fn note_stranger(number: c_int) {
    STRANGERS.write().unwrap_or_else(PoisonError::into_inner).push(number);
}

/// Whether this process has ever met a process of another job.
pub(crate) fn has_strangers() -> bool {
    !STRANGERS.read().unwrap_or_else(PoisonError::into_inner).is_empty()
}

/// Whether a process, by its number here, is a rank of this one's job.
pub(crate) fn is_of_job(process: c_int) -> bool {
    (process as usize) < ranks()
}

/// Whether the numbers of processes for debuggers differ from those that this process uses.
pub(crate) fn has_other_numbers() -> bool {
    FIRST.load(Ordering::Relaxed) != 0 || has_strangers()
}

/// The place in the launcher's table of a process that this one knows, given by its number here. -1
/// if it is not there.
pub(crate) fn number_of(process: c_int) -> c_int {
    match (process as usize).checked_sub(ranks()) {
        None => FIRST.load(Ordering::Relaxed) + process,
        Some(stranger) => {
            let strangers = STRANGERS.read().unwrap_or_else(PoisonError::into_inner);
            strangers.get(stranger).copied().unwrap_or(-1)
        }
    }
}

/// Whether several threads may be in MPI at a time (`MPI_THREAD_MULTIPLE`).
#[inline(always)]
pub(crate) fn has_threads() -> bool {
    THREADS.load(Ordering::Relaxed)
}

/// Whether threads lock the engine. They do if the program may have several (any level but
/// `MPI_THREAD_SINGLE`): a session of another thread may begin at any time.
#[inline(always)]
pub(crate) fn is_locked() -> bool {
    LOCKED.load(Ordering::Relaxed)
}

/// Whether the process has several threads at the moment, in MPI or not.
pub(crate) fn has_several_threads_now() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() > 1)
}

/// The rank of this process in the job as the launcher says. Also known before `MPI_Init`; none
/// without a launcher.
pub(crate) fn rank_in_job() -> Option<u32> {
    std::env::var("MQDRT_RANK").ok()?.parse().ok()
}

/// The process that has started this one as a rank, or that this one has started as its launcher; 0
/// without one.
pub(crate) fn launcher() -> c_int {
    let variable = || std::env::var("MQDRT_LAUNCHER_PID").ok()?.parse().ok();
    let started = rank_in_job().and_then(|_| variable());
    started.unwrap_or_else(|| OWN_LAUNCHER.load(Ordering::Relaxed))
}

/// This process has started a launcher.
pub(crate) fn set_launcher(pid: c_int) {
    OWN_LAUNCHER.store(pid, Ordering::Relaxed);
}

/// The number of this process's program among those that were started together; none without a
/// launcher.
pub(crate) fn program() -> Option<c_int> {
    std::env::var("MQDRT_PROGRAM").ok()?.parse().ok()
}

/// How many processes the user expects to run, including processes to be spawned: as the launcher
/// was told, otherwise one for each processor. It is always more than the launcher has started,
/// since one more can always be started. With a smaller number, programs would not spawn any.
pub(crate) fn universe() -> c_int {
    let told = std::env::var("MQDRT_UNIVERSE").ok().and_then(|text| text.parse().ok());
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let started = || FIRST.load(Ordering::Relaxed) + ranks() as c_int;
    told.unwrap_or_else(|| (started() + 1).max(processors() as c_int))
}

/// The beginning of messages to the user: `mpi: `, and the rank if a launcher has given one.
pub(crate) fn prefix() -> String {
    match rank_in_job() {
        Some(rank) => format!("mpi: rank {rank}: "),
        None => "mpi: ".to_owned(),
    }
}

/// Ends the job: writes out what the program has printed and exits with a code that tells the
/// launcher to end the other processes.
pub(crate) fn end_job(code: c_int) -> ! {
    // An exit code has eight bits, and zero would be success.
    let code = if code & 0xff == 0 { 1 } else { code & 0xff };
    // SAFETY: flushes the streams of C's library; `_exit` because the program's exit handlers may
    // need other threads or other processes.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(code)
    }
}
