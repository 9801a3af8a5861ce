//! The environment (MPI 5.0, chapter 9): versions, clocks, memory, the processor's name, and the end of the job.

use std::ffi::c_int;

use crate::abi::MPI_Aint;

/// The rank of this process in the job, as the launcher says; none without a launcher.
pub(crate) fn rank_in_job() -> Option<u32> {
    std::env::var("MQDRT_RANK").ok()?.parse().ok()
}

/// Ends the job: writes out what the program has printed and exits with a code that tells the launcher to end the other processes.
pub(crate) fn end_job(code: c_int) -> ! {
    // An exit code has eight bits, and zero would be success.
    let code = if code & 0xff == 0 { 1 } else { code & 0xff };
    // SAFETY: flushes the streams of C's library; `_exit` because the program's exit handlers may need other threads or other processes.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(code)
    }
}

/// Seconds since a time in the past that is the same for all processes of the job: the machine's clock since it was started.
pub(crate) fn wtime() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the variable; this clock is always there.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The resolution of [`wtime`] in seconds.
pub(crate) fn wtick() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 1 };
    // SAFETY: as for `wtime`.
    unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// `MPI_Aint_add`
pub(crate) fn aint_add(base: MPI_Aint, disp: MPI_Aint) -> MPI_Aint {
    base.wrapping_add(disp)
}

/// `MPI_Aint_diff`
pub(crate) fn aint_diff(addr1: MPI_Aint, addr2: MPI_Aint) -> MPI_Aint {
    addr1.wrapping_sub(addr2)
}
