//! The clock of `MPI_Wtime` (MPI 5.0, section 9.7) and of all other times.

/// `MPI_Wtime`: seconds on the machine's monotonic clock, which is the same for all processes of
/// the job.
pub(crate) fn wtime() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the variable; this clock is always there.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Nanoseconds on the clock of [`wtime`]; never 0.
pub(crate) fn nanoseconds() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: as for `wtime`.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    (time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64).max(1)
}

/// `MPI_Wtick`: the resolution of [`wtime`] in seconds.
pub(crate) fn wtick() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 1 };
    // SAFETY: as for `wtime`.
    unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
