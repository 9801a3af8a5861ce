//! This process and its place in the job.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static RANK: AtomicUsize = AtomicUsize::new(0);
static RANKS: AtomicUsize = AtomicUsize::new(1);
static THREADS: AtomicBool = AtomicBool::new(false);

/// Notes the place of this process in the job, once `MPI_Init` knows it.
pub(crate) fn set_place(rank: usize, ranks: usize) {
    RANK.store(rank, Ordering::Relaxed);
    RANKS.store(ranks, Ordering::Relaxed);
}

/// Notes whether several threads may be in MPI at a time.
pub(crate) fn set_threads(several: bool) {
    THREADS.store(several, Ordering::Relaxed);
}

/// Rank of this process in `MPI_COMM_WORLD`; 0 before `MPI_Init`.
pub(crate) fn rank() -> c_int {
    RANK.load(Ordering::Relaxed) as c_int
}

/// Ranks in the job; 1 before `MPI_Init`.
pub(crate) fn ranks() -> usize {
    RANKS.load(Ordering::Relaxed)
}

/// Whether several threads may be in MPI at a time (`MPI_THREAD_MULTIPLE`).
#[inline(always)]
pub(crate) fn has_threads() -> bool {
    THREADS.load(Ordering::Relaxed)
}

/// Whether the process has several threads at the moment, whatever they do.
pub(crate) fn has_several_threads_now() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() > 1)
}

/// The rank of this process in the job as the launcher says, also before `MPI_Init`; none without
/// a launcher.
pub(crate) fn rank_in_job() -> Option<u32> {
    std::env::var("MQDRT_RANK").ok()?.parse().ok()
}

/// How messages to the user begin: `mpi: `, and the rank if a launcher has given one.
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
