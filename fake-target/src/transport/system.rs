//! The system calls that the transport needs.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::FromRawFd;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Bytes of a page of memory: what a mapping of a part of a file begins with a multiple of.
pub(crate) fn page() -> usize {
    // SAFETY: only answers.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).unwrap_or(4096)
}

/// Sleeps until `word`, in shared memory, is no longer `expected`, somebody calls [`futex_wake`],
/// or `timeout` passes. May return early.
pub(crate) fn futex_wait(word: &AtomicU32, expected: u32, timeout: Duration) {
    let timeout = libc::timespec {
        tv_sec: timeout.as_secs() as libc::time_t,
        tv_nsec: timeout.subsec_nanos().into(),
    };
    // SAFETY: a valid word and timeout; the call has no other effect than to wait. Every outcome
    // means "look again".
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            expected,
            &timeout,
            std::ptr::null::<u32>(),
            0,
        );
    }
}

/// Wakes every thread, of any process, that sleeps on `word`.
pub(crate) fn futex_wake(word: &AtomicU32) {
    // SAFETY: a valid word; waking has no effect on memory.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAKE,
            i32::MAX,
            std::ptr::null::<libc::timespec>(),
            std::ptr::null::<u32>(),
            0,
        );
    }
}

/// From here on this process takes part in the barriers of [`barrier_everywhere`]. False: the
/// system does not have them.
pub(crate) fn join_barriers() -> bool {
    membarrier(libc::MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED)
}

/// A memory barrier in all threads of all processes that take part: it stands between what each of
/// them has done before and does after one moment of this call. False: the system does not have it.
pub(crate) fn barrier_everywhere() -> bool {
    membarrier(libc::MEMBARRIER_CMD_GLOBAL_EXPEDITED)
}

fn membarrier(command: libc::c_int) -> bool {
    // SAFETY: the call changes no memory.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Random bits.
pub(crate) fn random() -> u64 {
    let mut bytes = [0; 8];
    // SAFETY: fills the bytes. So few are there at once on every kernel that has the call.
    unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    u64::from_ne_bytes(bytes)
}

/// A new file without a name; programs that this process starts do not inherit it.
///
/// # Errors
/// What the system says.
pub(crate) fn unnamed_file(name: &CStr) -> io::Result<File> {
    // SAFETY: makes a descriptor.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: just made; nobody else owns it.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}

/// The number of processors this process may run on; at least 1.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Lets the other ranks of the job read and write this process's memory if the system restricts
/// that to descendants (Yama).
pub(crate) fn allow_readers() {
    // SAFETY: sets an attribute of the process; a kernel without Yama refuses, which changes
    // nothing.
    unsafe {
        libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY, 0, 0, 0);
    }
}

/// Copies from `address` of process `pid` until `to` is full.
///
/// # Errors
/// What the system says: not permitted, no such process, or an address that is not mapped there.
pub(crate) fn read_process(pid: libc::pid_t, address: u64, to: &mut [u8]) -> io::Result<()> {
    let buffer = to.as_mut_ptr();
    cross(to.len(), |done, rest| {
        // SAFETY: the rest of `to`, exclusively borrowed; the kernel checks the remote part.
        let local = libc::iovec { iov_base: unsafe { buffer.add(done) }.cast(), iov_len: rest };
        let remote =
            libc::iovec { iov_base: (address + done as u64) as *mut libc::c_void, iov_len: rest };
        // SAFETY: as said.
        unsafe { libc::process_vm_readv(pid, &local, 1, &remote, 1, 0) }
    })
}

/// Copies all of `from` to `address` of process `pid`, which has asked for it.
///
/// # Errors
/// As of [`read_process`].
pub(crate) fn write_process(pid: libc::pid_t, address: u64, from: &[u8]) -> io::Result<()> {
    cross(from.len(), |done, rest| {
        let local =
            libc::iovec { iov_base: from[done..].as_ptr().cast_mut().cast(), iov_len: rest };
        let remote =
            libc::iovec { iov_base: (address + done as u64) as *mut libc::c_void, iov_len: rest };
        // SAFETY: the local part is only read; the kernel checks the remote one.
        unsafe { libc::process_vm_writev(pid, &local, 1, &remote, 1, 0) }
    })
}

/// A run of memory of another process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Where it begins there.
    pub(crate) address: u64,
    /// Its bytes.
    pub(crate) length: usize,
}

/// Runs that the system takes at a time (`IOV_MAX`).
const RUNS: usize = 1024;

/// Copies from runs of memory of process `pid`, one after the other, until `to` is full. The runs
/// are as many bytes as `to`.
///
/// # Errors
/// As of [`read_process`]; then some of the bytes may have been copied.
pub(crate) fn read_runs(pid: libc::pid_t, runs: &[Run], to: &mut [u8]) -> io::Result<()> {
    let mut rest = to;
    for runs in runs.chunks(RUNS) {
        let bytes = runs.iter().map(|run| run.length).sum();
        let (now, later) = rest.split_at_mut(bytes);
        let local = libc::iovec { iov_base: now.as_mut_ptr().cast(), iov_len: bytes };
        let remote = vectors(runs);
        // SAFETY: the local part is exclusively borrowed; the kernel checks the remote one.
        let done = unsafe {
            libc::process_vm_readv(pid, &local, 1, remote.as_ptr(), remote.len() as u64, 0)
        };
        if done != bytes as isize {
            let mut rest = now;
            for run in runs {
                let (now, later) = rest.split_at_mut(run.length);
                read_process(pid, run.address, now)?;
                rest = later;
            }
        }
        rest = later;
    }
    Ok(())
}

/// Copies all of `from` to runs of memory of process `pid`, one after the other. The runs are as
/// many bytes as `from`.
///
/// # Errors
/// As of [`read_runs`].
pub(crate) fn write_runs(pid: libc::pid_t, runs: &[Run], from: &[u8]) -> io::Result<()> {
    let mut rest = from;
    for runs in runs.chunks(RUNS) {
        let bytes = runs.iter().map(|run| run.length).sum();
        let (now, later) = rest.split_at(bytes);
        let local = libc::iovec { iov_base: now.as_ptr().cast_mut().cast(), iov_len: bytes };
        let remote = vectors(runs);
        // SAFETY: the local part is only read; the kernel checks the remote one.
        let done = unsafe {
            libc::process_vm_writev(pid, &local, 1, remote.as_ptr(), remote.len() as u64, 0)
        };
        if done != bytes as isize {
            let mut rest = now;
            for run in runs {
                let (now, later) = rest.split_at(run.length);
                write_process(pid, run.address, now)?;
                rest = later;
            }
        }
        rest = later;
    }
    Ok(())
}

fn vectors(runs: &[Run]) -> Vec<libc::iovec> {
    let vector =
        |run: &Run| libc::iovec { iov_base: run.address as *mut libc::c_void, iov_len: run.length };
    runs.iter().map(vector).collect()
}

/// Calls `step` with what is done and what is left until all `bytes` have crossed.
fn cross(bytes: usize, mut step: impl FnMut(usize, usize) -> isize) -> io::Result<()> {
    let mut done = 0;
    while done < bytes {
        match step(done, bytes - done) {
            n if n > 0 => done += n as usize,
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            _ => return Err(io::Error::last_os_error()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_a_process() {
        let from: Vec<u8> = (0..100_000u32).map(|i| i as u8).collect();
        let mut to = vec![0; from.len()];
        let pid = std::process::id() as libc::pid_t;
        read_process(pid, from.as_ptr().addr() as u64, &mut to).unwrap();
        assert_eq!(from, to);
        assert!(read_process(pid, 8, &mut to).is_err());
        let written = vec![0u8; from.len()];
        write_process(pid, written.as_ptr().addr() as u64, &from).unwrap();
        assert_eq!(std::hint::black_box(&written), &from);
        assert!(write_process(pid, 8, &from).is_err());
    }

    #[test]
    fn reads_and_writes_runs() {
        let pid = std::process::id() as libc::pid_t;
        let memory: Vec<u8> = (0..20_000u32).map(|i| (i % 251) as u8).collect();
        let base = memory.as_ptr().addr() as u64;
        let runs: Vec<Run> =
            (0..3000).map(|i| Run { address: base + i * 6, length: 1 + i as usize % 3 }).collect();
        let expected: Vec<u8> = (0..3000usize)
            .flat_map(|i| (0..1 + i % 3).map(move |j| ((i * 6 + j) % 251) as u8))
            .collect();
        let mut seen = vec![0; expected.len()];
        read_runs(pid, &runs, &mut seen).unwrap();
        assert_eq!(seen, expected);
        seen.iter_mut().for_each(|byte| *byte ^= 0xff);
        write_runs(pid, &runs, &seen).unwrap();
        let changed = std::hint::black_box(&memory).iter().filter(|byte| **byte > 250).count();
        assert!(changed > 0);
        let mut again = vec![0; expected.len()];
        read_runs(pid, &runs, &mut again).unwrap();
        assert_eq!(again, seen);
        assert!(read_runs(pid, &[Run { address: 8, length: 1 }], &mut [0]).is_err());
    }

    #[test]
    fn a_changed_word_does_not_block() {
        futex_wait(&AtomicU32::new(1), 0, Duration::from_secs(3600));
    }
}
