//! The entry points: generated, `MPI_X`, `PMPI_X` and `QMPI_X` for each function of the table, and
//! what they have in common.
//!
//! `MPI_X` and `PMPI_X` are one jump through [`ENTRIES`]: to the function itself, or to the first
//! tool that intercepts it (of QMPI). It is a jump, not a call, so that the tools' side
//! sees the address to which the function will return: the place of the call in the program.
//! `QMPI_X` is the function itself with the arguments that a tool passes on.
//!
//! The function checks that MPI is running, converts C's arguments to those of the implementation,
//! stops panics, and passes errors to the error handler. The handler may leave by an exception of
//! C++ or a jump: when it is called, the function is over but for its result.

use std::ffi::{CStr, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use crate::abi::*;
use crate::error::{Error, Result};
use crate::failure::{self, HandlerCall, Object};
use crate::mpi_t::event;
use crate::peruse;
use crate::phase::{self, Phase};

pub(crate) use functions::{ENTRIES, LIBRARY, STARTS};

/// A call of an MPI function by the program, as QMPI tools pass it on. In C it is a pointer that is
/// never dereferenced. Its value is the address in the program to which the call returns.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types, reason = "the name is that of the C header")]
pub(crate) struct MPI_Context(pub(crate) usize);

/// The boundary to C. An exception of the program may cross it, a panic of the runtime may not.
struct Boundary;

impl Drop for Boundary {
    #[cold]
    fn drop(&mut self) {
        if thread::panicking() {
            std::process::abort();
        }
    }
}

/// Runs code of the runtime. Aborts if a panic would leave it.
#[inline(always)]
fn at_boundary<T>(work: impl FnOnce() -> T) -> T {
    let boundary = Boundary;
    let result = work();
    std::mem::forget(boundary);
    result
}

/// A function that may be called only while MPI runs.
#[inline(always)]
fn running(name: &'static CStr, object: Object, body: impl FnOnce() -> Result) -> c_int {
    at_boundary(|| {
        if !phase::is_plain() {
            check(name);
        }
        let outer = phase::set_current_call(name.as_ptr());
        let outcome = caught(body);
        phase::set_current_call(outer);
        let code = code_of(name, object, outcome);
        if event::is_pending() {
            event::deliver();
        }
        code
    })
}

/// A function that may be called at any time.
#[inline(always)]
fn anytime(name: &'static CStr, object: Object, body: impl FnOnce() -> Result) -> c_int {
    at_boundary(|| code_of(name, object, caught(body)))
}

/// The outcome of a function. A panic is an error.
#[inline(always)]
fn caught(body: impl FnOnce() -> Result) -> Result {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err(defect()))
}

/// The error code for the program. If there is one, the error handler hears of it.
#[inline(always)]
fn code_of(name: &'static CStr, object: Object, outcome: Result) -> c_int {
    match outcome {
        Ok(()) => MPI_SUCCESS,
        Err(error) => failure::raise(name, object, error),
    }
}

#[cold]
fn defect() -> Error {
    Error::new(MPI_ERR_INTERN, "the runtime has a defect (see above)")
}

/// A function that calls an error handler: `call` gives it, and the code.
#[inline(always)]
fn calling(name: &'static CStr, call: impl FnOnce(&mut Option<HandlerCall>) -> c_int) -> c_int {
    let mut handler = None;
    let code = call(&mut handler);
    if let Some(handler) = handler {
        at_boundary(|| failure::call_handler(name, handler));
    }
    code
}

/// Keeps what a function gives.
fn keep(to: &mut Option<HandlerCall>, outcome: Result<HandlerCall>) -> Result {
    *to = Some(outcome?);
    Ok(())
}

/// A function whose result is not an error code.
#[inline(always)]
fn value<T>(name: &'static CStr, body: impl FnOnce() -> T) -> T {
    at_boundary(|| {
        catch_unwind(AssertUnwindSafe(body))
            .unwrap_or_else(|_| failure::fatal(name, Object::Process, &defect()))
    })
}

/// Returns if MPI runs and the call is allowed.
#[cold]
fn check(name: &'static CStr) {
    let message = match phase::phase() {
        Phase::Running => return peruse::check_call(name),
        Phase::Finalized => "it was called after MPI_Finalize, and there is no session",
        Phase::NotInitialized => "it was called before MPI_Init, and there is no session",
    };
    failure::fatal(name, Object::Process, &Error::new(MPI_ERR_OTHER, message))
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

/// The functions, under the names that debuggers show in a backtrace.
#[allow(
    missing_docs,
    non_snake_case,
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    clippy::unnecessary_cast
)]
#[allow(unreachable_pub, reason = "exported by name, reached by nobody in Rust")]
#[allow(clippy::undocumented_unsafe_blocks, reason = "QMPI_X calls MPI_X with its own arguments")]
mod functions {
    use std::ffi::{c_char, c_int, c_void};
    use std::sync::atomic::AtomicPtr;

    use super::{MPI_Context, anytime, calling, keep, running, value};
    use crate::abi::*;
    use crate::arguments::{CountOut, Counts, handle_at, input, out, text};
    use crate::failure::Object;

    include!(concat!(env!("OUT_DIR"), "/functions.rs"));
}

/// The exported symbols.
#[allow(missing_docs, non_snake_case, clippy::missing_safety_doc)]
#[allow(unreachable_pub, reason = "exported by name, reached by nobody in Rust")]
mod exports {
    use super::ENTRIES;

    include!(concat!(env!("OUT_DIR"), "/exports.rs"));
}
