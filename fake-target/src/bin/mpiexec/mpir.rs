//! The MPIR Process Acquisition Interface: tells a debugger which processes make up the job. Its
//! variables live in `mpir.c`.

use std::ffi::{CString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::unistd::Pid;

/// `MPIR_PROCDESC`, as `mpir.c` declares it.
#[derive(Clone, Copy)]
#[repr(C)]
struct ProcDesc {
    host_name: *mut c_char,
    executable_name: *mut c_char,
    pid: c_int,
}

const MPIR_DEBUG_SPAWNED: c_int = 1;
const MPIR_DEBUG_ABORTING: c_int = 2;

unsafe extern "C" {
    static mut MPIR_proctable: *mut ProcDesc;
    static mut MPIR_proctable_size: c_int;
    static mut MPIR_debug_state: c_int;
    static mut MPIR_abort_string: *mut c_char;
    static mut MPIR_being_debugged: c_int;
    safe fn MPIR_Breakpoint();
}

/// Whether a debugger has started this job and wants the ranks to be held until it has seen them.
pub(crate) fn being_debugged() -> bool {
    // SAFETY: an int of our own C unit; only a debugger writes it, while this process is stopped.
    unsafe { (&raw const MPIR_being_debugged).read_volatile() != 0 }
}

/// Adds processes to the table and stops at the debugger's breakpoint, if there is one. The ranks
/// may go on when this returns.
///
/// It is called again when ranks have spawned others: the new table begins with the entries of the
/// old one, so a debugger may read either at any time.
pub(crate) fn spawned<'a>(processes: impl Iterator<Item = (&'a Path, Pid)>) {
    let host = nix::unistd::gethostname().unwrap_or_default();
    // SAFETY: mpiexec has one thread, and nothing else in it touches these variables. The tables
    // stay for the life of the process.
    unsafe {
        let size = (&raw const MPIR_proctable_size).read_volatile();
        let before = (&raw const MPIR_proctable).read_volatile();
        let mut table: Vec<ProcDesc> = (0..size as usize).map(|at| before.add(at).read()).collect();
        table.extend(processes.map(|(executable, pid)| ProcDesc {
            host_name: leak(host.as_bytes()),
            executable_name: leak(executable.as_os_str().as_bytes()),
            pid: pid.as_raw(),
        }));
        let size = c_int::try_from(table.len()).unwrap_or(c_int::MAX);
        (&raw mut MPIR_proctable).write_volatile(Vec::leak(table).as_mut_ptr());
        (&raw mut MPIR_proctable_size).write_volatile(size);
        (&raw mut MPIR_debug_state).write_volatile(MPIR_DEBUG_SPAWNED);
    }
    MPIR_Breakpoint();
}

/// A spawned process has ended normally. Its place in the table becomes empty, so that debuggers do
/// not look for it. The others keep their places.
pub(crate) fn ended(place: usize) {
    // SAFETY: as above; the place is one of the table.
    unsafe {
        let table = (&raw const MPIR_proctable).read_volatile();
        assert!((place as c_int) < (&raw const MPIR_proctable_size).read_volatile());
        table.add(place).write(ProcDesc {
            host_name: leak(b""),
            executable_name: leak(b""),
            pid: 0,
        });
    }
}

/// Tells the debugger that the job is ending before its time, and why.
pub(crate) fn aborting(why: &str) {
    // SAFETY: as above.
    unsafe {
        (&raw mut MPIR_abort_string).write_volatile(leak(why.as_bytes()));
        (&raw mut MPIR_debug_state).write_volatile(MPIR_DEBUG_ABORTING);
    }
    MPIR_Breakpoint();
}

/// A C string for the rest of the process's life, as a debugger may read it at any time.
fn leak(text: &[u8]) -> *mut c_char {
    let text: Vec<u8> = text.iter().copied().take_while(|&byte| byte != 0).collect();
    CString::new(text).unwrap_or_default().into_raw()
}
