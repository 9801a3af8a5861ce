//! What a rank and its launcher agree on besides the place in the job
//! ([`crate::transport::bootstrap`]): waiting for a debugger, and ending correctly.

use std::env;
use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::abi::{MPI_ERRORS_ABORT, MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN, MPI_Errhandler};
use crate::phase::{self, Phase};
use crate::process;

/// Waits until the launcher lets this rank go on. It holds the ranks while a debugger that has
/// started the job looks at them: `MQDRT_GATE_FD` is a pipe, and its end of file the sign. (MPIR
/// Process Acquisition Interface 1.0, section 5: ranks wait in MPI_Init.)
pub(crate) fn wait_at_gate() {
    let Some(gate) = env::var("MQDRT_GATE_FD").ok().and_then(|text| text.parse::<RawFd>().ok())
    else {
        return;
    };
    // SAFETY: the launcher made the descriptor for this one use; nothing else in this process knows
    // it.
    let mut gate = unsafe { File::from_raw_fd(gate) };
    // After an error the rank runs.
    let _ = gate.read(&mut [0]);
}

/// The initial error handler, as the launcher was told (MPI 5.0, section 9.3). It is for errors
/// outside of the life of `MPI_COMM_SELF`, and is the first handler of the predefined
/// communicators.
pub(crate) fn initial_errhandler() -> MPI_Errhandler {
    match env::var("MQDRT_INITIAL_ERRHANDLER").as_deref() {
        Ok("mpi_errors_return") => MPI_ERRORS_RETURN,
        Ok("mpi_errors_abort") => MPI_ERRORS_ABORT,
        _ => MPI_ERRORS_ARE_FATAL,
    }
}

/// Tells the launcher whether this process is in MPI. The launcher ends the job if a rank exits
/// without `MPI_Finalize`. The byte is in memory that both share (`MQDRT_LIFE_FD`).
pub(crate) fn note_life(in_mpi: bool) {
    static BYTE: OnceLock<Option<&'static AtomicU8>> = OnceLock::new();
    if let Some(byte) = BYTE.get_or_init(map_life) {
        byte.store(if in_mpi { b'R' } else { b'F' }, Ordering::Release);
    }
}

fn map_life() -> Option<&'static AtomicU8> {
    let descriptor = env::var("MQDRT_LIFE_FD").ok()?.parse::<RawFd>().ok()?;
    let rank = process::rank_in_job()? as usize;
    // SAFETY: the launcher made the descriptor for this one use; nothing else in this process knows
    // it.
    let file = unsafe { File::from_raw_fd(descriptor) };
    if file.metadata().ok()?.len() <= rank as u64 {
        return None;
    }
    // SAFETY: a new mapping of a file that has a byte for each rank; it stays for the process's
    // life.
    unsafe {
        let memory = libc::mmap(
            std::ptr::null_mut(),
            rank + 1,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            0,
        );
        (memory != libc::MAP_FAILED).then(|| &*memory.cast::<AtomicU8>().add(rank))
    }
}

/// This process exits with the code 0, and was a rank when it began to.
static EXITS: AtomicBool = AtomicBool::new(false);

/// Has [`note_exit`] called when the process exits.
pub(crate) fn watch_exit() {
    unsafe extern "C" {
        fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    }
    let process = std::ptr::without_provenance_mut(std::process::id() as usize);
    // SAFETY: the function stays, as this library is never unloaded while MPI runs; it does not
    // follow its argument. If it cannot be registered, the launcher learns less.
    unsafe { on_exit(note_exit, process) };
}

/// A process that a rank has forked is no rank. `process` is the id of the rank.
extern "C" fn note_exit(status: c_int, process: *mut c_void) {
    let is_rank = process.addr() == std::process::id() as usize;
    EXITS.store(is_rank && status == 0, Ordering::Relaxed);
}

/// The system calls the functions of this section after the exit handlers of the program. Those
/// that are older than MPI_Init come after [`note_exit`], and may call MPI_Finalize.
#[used]
#[unsafe(link_section = ".fini_array")]
static CHECK_AT_LAST: extern "C" fn() = check;

/// A rank that exits without MPI_Finalize would let the others wait for ever. So it prints a
/// message and fails, and the launcher ends the others.
extern "C" fn check() {
    if EXITS.load(Ordering::Relaxed) && phase::phase() == Phase::Running {
        let who = process::rank_in_job().map(|rank| format!("rank {rank} ")).unwrap_or_default();
        let what = if phase::has_world() { "MPI_Finalize" } else { "MPI_Session_finalize" };
        eprintln!("mpi: {who}exits without having called {what}. The job ends here.");
        process::end_job(1);
    }
}
