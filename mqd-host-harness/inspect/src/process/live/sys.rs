//! The system calls on another process, each behind a safe function.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

/// What happened to a traced thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Nothing yet.
    None,
    /// It ended.
    Ended,
    /// It stopped where we asked it to, or in a stop of the whole job.
    Stopped,
    /// It stopped because this signal is about to be delivered to it.
    Signal(i32),
}

/// Becomes the tracer of a thread, without stopping it.
pub(super) fn seize(thread: u32) -> io::Result<()> {
    ptrace(libc::PTRACE_SEIZE, thread, 0)
}

/// Asks a seized thread to stop.
pub(super) fn interrupt(thread: u32) -> io::Result<()> {
    ptrace(libc::PTRACE_INTERRUPT, thread, 0)
}

/// Lets a stopped thread run on, with a signal.
pub(super) fn resume(thread: u32, signal: i32) -> io::Result<()> {
    ptrace(libc::PTRACE_CONT, thread, signal)
}

/// Detaches from a stopped thread, which then runs on.
pub(super) fn detach(thread: u32) -> io::Result<()> {
    ptrace(libc::PTRACE_DETACH, thread, 0)
}

fn ptrace(request: libc::c_uint, thread: u32, data: i32) -> io::Result<()> {
    let none = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: these requests take no address of ours and a plain number as data.
    let result =
        unsafe { libc::ptrace(request, thread as libc::pid_t, none, data as libc::c_long) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The general registers of a stopped thread, in the layout of a core file (`pr_reg` of
/// NT_PRSTATUS).
pub(super) fn registers(thread: u32) -> io::Result<Vec<u8>> {
    // More than any machine has.
    let mut registers = vec![0u8; 1024];
    let mut place =
        libc::iovec { iov_base: registers.as_mut_ptr().cast(), iov_len: registers.len() };
    let kind = libc::NT_PRSTATUS as *mut libc::c_void;
    // SAFETY: `place` is `registers`; the kernel writes no more than its length, and says how much
    // that was.
    let result = unsafe {
        libc::ptrace(
            libc::PTRACE_GETREGSET,
            thread as libc::pid_t,
            kind,
            (&raw mut place).cast::<libc::c_void>(),
        )
    };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    registers.truncate(place.iov_len);
    Ok(registers)
}

/// The kernel's description of a counter, as far as a counter of passes needs it
/// (`perf_event_attr`, version 5).
#[repr(C)]
#[derive(Default)]
struct CounterAttributes {
    kind: u32,
    size: u32,
    unused: [u64; 4],
    flags: u64,
    wakeup: u32,
    /// The kind of access that is counted: execution.
    access: u32,
    address: u64,
    length: u64,
    rest: [u64; 5],
}

/// A counter of how often a thread executes the instruction at an address. The processor's debug
/// registers count; the process runs as before.
pub(super) fn count_passes(thread: u32, address: u64) -> io::Result<OwnedFd> {
    const BREAKPOINT: u32 = 5;
    const EXECUTE: u32 = 4;
    /// Only what the thread does itself, not the kernel and not a hypervisor.
    const PROGRAM_ALONE: u64 = 1 << 5 | 1 << 6;
    /// Whenever the thread runs. If the kernel cannot do that, the counter cannot be read.
    const ALWAYS: u64 = 1 << 2;
    const CLOSE_ON_EXEC: libc::c_ulong = 8;
    let attributes = CounterAttributes {
        kind: BREAKPOINT,
        size: size_of::<CounterAttributes>() as u32,
        flags: PROGRAM_ALONE | ALWAYS,
        access: EXECUTE,
        address,
        length: size_of::<libc::c_long>() as u64,
        ..CounterAttributes::default()
    };
    // SAFETY: `attributes` is as long as it says; the kernel only reads it.
    let result = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            thread as libc::pid_t,
            -1,
            -1,
            CLOSE_ON_EXEC,
        )
    };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just opened it, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(result as i32) })
}

/// Looks, without waiting, what happened to a thread that this thread traces.
pub(super) fn poll(thread: u32) -> io::Result<Event> {
    let mut status = 0;
    let flags = libc::__WALL | libc::WNOHANG | libc::__WNOTHREAD;
    // SAFETY: `status` is a valid place for the result.
    let result = unsafe { libc::waitpid(thread as libc::pid_t, &mut status, flags) };
    Ok(match result {
        0 => Event::None,
        result if result < 0 => return Err(io::Error::last_os_error()),
        _ if !libc::WIFSTOPPED(status) => Event::Ended,
        _ if status >> 16 != 0 => Event::Stopped,
        _ => Event::Signal(libc::WSTOPSIG(status)),
    })
}

/// Reads memory of the process of a thread; returns how many bytes from `address` on could be read.
pub(super) fn read_memory(thread: u32, address: u64, buf: &mut [u8]) -> io::Result<usize> {
    let local = libc::iovec { iov_base: buf.as_mut_ptr().cast(), iov_len: buf.len() };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: buf.len() };
    // SAFETY: `local` is `buf`; the kernel checks `remote`, which is an address in the other
    // process.
    let count = unsafe { libc::process_vm_readv(thread as libc::pid_t, &local, 1, &remote, 1, 0) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}
