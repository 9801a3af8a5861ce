//! The entry points: generated, `MPI_X`, `PMPI_X` and `QMPI_X` for each function of the table, and
//! what they have in common.
//!
//! `MPI_X` and `PMPI_X` are one jump through [`ENTRIES`]: to the function itself, or to the first
//! tool that intercepts it (of QMPI). It is a jump, not a call, so that the tools' side
//! sees the address to which the function will return: the place of the call in the program.
//! `QMPI_X` is the function itself with the arguments that a tool passes on.
//!
//! The function checks that MPI is running, converts C's arguments to those of the implementation,
//! stops panics, and passes errors to the error handler.

use std::ffi::{CStr, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::abi::*;
use crate::error::{Error, Result};
use crate::failure::{self, Object};
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

/// A function that may be called only while MPI runs.
#[inline(always)]
fn running(name: &'static CStr, object: Object, body: impl FnOnce() -> Result) -> c_int {
    if !phase::is_plain() {
        check(name);
    }
    let outer = phase::set_current_call(name.as_ptr());
    let code = anytime(name, object, body);
    phase::set_current_call(outer);
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
        Ok(Err(error)) => failure::raise(name, object, &error),
        Err(_) => failure::raise(
            name,
            object,
            &Error::new(MPI_ERR_INTERN, "the runtime has a defect (see above)"),
        ),
    }
}

/// A function whose result is not an error code.
#[inline(always)]
fn value<T>(name: &'static CStr, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        failure::fatal(
            name,
            Object::Process,
            &Error::new(MPI_ERR_INTERN, "the runtime has a defect (see above)"),
        )
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

    use super::{MPI_Context, anytime, running, value};
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
