//! The entry points: generated, `MPI_X`, `PMPI_X` and `QMPI_X` for each function of the table, and
//! what they have in common.
//!
//! `MPI_X` and `PMPI_X` are one jump through [`ENTRIES`]: to the function itself, or to the first
//! tool that intercepts it ([`crate::qmpi`]). It is a jump, not a call, so that the tools' side
//! sees the address to which the function will return: the place of the call in the program.
//! `QMPI_X` is the function itself with the arguments that a tool passes on.
//!
//! The function checks that MPI is running, turns C's arguments into those of the implementation,
//! stops panics, and hands errors to the error handler.

use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use crate::abi::*;
use crate::errhandler::{self, Object};
use crate::error::{Error, Result};
use crate::mpi_t::event;
use crate::peruse;

pub use generated::UNSUPPORTED;
pub(crate) use generated::{ENTRIES, LIBRARY, STARTS};

/// How far the process is in its use of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    /// Before `MPI_Init`.
    NotInitialized = 0,
    /// Between `MPI_Init` and `MPI_Finalize`.
    Running = 1,
    /// After `MPI_Finalize`.
    Finalized = 2,
}

static PHASE: AtomicU8 = AtomicU8::new(Phase::NotInitialized as u8);

/// The phase of this process.
pub(crate) fn phase() -> Phase {
    match PHASE.load(Ordering::Acquire) & !(Checked::Callbacks as u8 | Checked::Lock as u8) {
        0 => Phase::NotInitialized,
        1 => Phase::Running,
        _ => Phase::Finalized,
    }
}

/// Enters a phase.
pub(crate) fn set_phase(phase: Phase) {
    PHASE.store(phase as u8, Ordering::Release);
}

/// Why calls are checked further than for the phase: bits in [`PHASE`], so that the usual case
/// stays one comparison.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(crate) enum Checked {
    /// PERUSE events are active: a call may come from a callback.
    Callbacks = 0x40,
    /// A thread has the lock of PERUSE.
    Lock = 0x80,
}

/// Has calls checked by [`peruse::check_call`], or no more.
pub(crate) fn check_calls(why: Checked, on: bool) {
    match on {
        true => PHASE.fetch_or(why as u8, Ordering::Relaxed),
        false => PHASE.fetch_and(!(why as u8), Ordering::Relaxed),
    };
}

/// The function that the process is in, of those that can wait: the innermost, where a callback of
/// the program calls MPI. Of some thread, where there are several in MPI.
static CURRENT: AtomicPtr<c_char> = AtomicPtr::new(ptr::null_mut());

/// The name of the function that the process is in; null if it is in none.
pub(crate) fn current_call() -> *const c_char {
    CURRENT.load(Ordering::Relaxed)
}

/// A function that may be called only while MPI runs.
#[inline(always)]
fn running(name: &'static CStr, object: Object, body: impl FnOnce() -> Result) -> c_int {
    if PHASE.load(Ordering::Relaxed) != Phase::Running as u8 {
        check(name);
    }
    let outer = CURRENT.load(Ordering::Relaxed);
    CURRENT.store(name.as_ptr().cast_mut(), Ordering::Relaxed);
    let code = anytime(name, object, body);
    CURRENT.store(outer, Ordering::Relaxed);
    if event::is_pending() {
        event::deliver();
    }
    code
}

/// A function that may be called at any time.
#[inline(always)]
fn anytime(name: &'static CStr, object: Object, body: impl FnOnce() -> Result) -> c_int {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => MPI_SUCCESS,
        Ok(Err(error)) => errhandler::raise(name, object, &error),
        Err(_) => errhandler::raise(
            name,
            object,
            &Error::new(MPI_ERR_INTERN, "the runtime has a defect (see above)"),
        ),
    }
}

/// A function whose result is no error code.
#[inline(always)]
fn value<T>(name: &'static CStr, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        errhandler::fatal(
            name,
            Object::Process,
            &Error::new(MPI_ERR_INTERN, "the runtime has a defect (see above)"),
        )
    })
}

/// Comes back if MPI runs and the call is allowed.
#[cold]
fn check(name: &'static CStr) {
    let message = match phase() {
        Phase::Running => return peruse::check_call(name),
        Phase::Finalized => "it was called after MPI_Finalize",
        Phase::NotInitialized => "it was called before MPI_Init",
    };
    errhandler::fatal(name, Object::Process, &Error::new(MPI_ERR_OTHER, message))
}

#[cold]
fn unsupported() -> Result {
    Err(Error::new(MPI_ERR_UNSUPPORTED_OPERATION, "this MPI does not implement the function"))
}

/// An exported symbol that jumps where the table says. All arguments and the return address stay
/// where the caller put them.
macro_rules! entry {
    ($name:ident, $number:literal) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            std::arch::naked_asm!(
                "jmp qword ptr [rip + {table} + {offset}]",
                table = sym ENTRIES,
                offset = const $number * size_of::<usize>(),
            );
            #[cfg(target_arch = "aarch64")]
            std::arch::naked_asm!(
                "adrp x16, {table} + {offset}",
                "ldr x16, [x16, :lo12:{table} + {offset}]",
                "br x16",
                table = sym ENTRIES,
                offset = const $number * size_of::<usize>(),
            );
        }
    };
}

#[allow(
    missing_docs,
    non_snake_case,
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    clippy::unnecessary_cast
)]
#[allow(unused_variables, reason = "of functions that are not implemented")]
#[allow(unreachable_pub, reason = "exported by name, reached by nobody in Rust")]
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "QMPI_X calls X with its own arguments; the entries' jumps leave everything as it is"
)]
mod generated {
    use std::ffi::{c_char, c_int, c_void};
    use std::sync::atomic::AtomicPtr;

    use super::{anytime, running, unsupported, value};
    use crate::abi::*;
    use crate::arguments::{CountOut, Counts, input, out, text};
    use crate::errhandler::Object;
    use crate::qmpi::MPI_Context;

    include!(concat!(env!("OUT_DIR"), "/entries.rs"));
}
