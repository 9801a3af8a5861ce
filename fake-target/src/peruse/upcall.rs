//! Calling a tool's callback.
//!
//! A callback runs where the event happens: in the engine and under its lock, so only one at a time
//! runs in the whole process. Therefore calls that a callback must not make (section 5.1.2) would
//! not work. A call of MPI other than `MPI_Wtime` and `MPI_Wtick` ends the job with a message that
//! names it.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicU8, Ordering};

use super::callback::Specification;
use super::event::{self, Event};
use super::types::{CallbackFunction, peruse_event_h};
use super::{inside, lock};
use crate::abi::{MPI_Aint, MPI_SUCCESS};
use crate::process;

/// The event that the callback is told of.
static EVENT: AtomicU8 = AtomicU8::new(0);

/// Calls a callback. One that does not return `MPI_SUCCESS` ends the job (section 5.1.2).
pub(super) fn call<S: Specification>(
    (callback, param): (CallbackFunction<S>, *mut c_void),
    event: Event,
    handle: peruse_event_h,
    id: MPI_Aint,
    mut spec: S,
) {
    EVENT.store(event as u8, Ordering::Relaxed);
    inside::begin();
    // SAFETY: the tool registered the function for this; the specification is a variable here.
    let code = unsafe { callback(handle, id, &mut spec, param) };
    inside::end();
    lock::upcall_ends();
    if code != MPI_SUCCESS {
        failed(event, &spec.name(), code);
    }
}

#[cold]
fn failed(event: Event, on: &str, code: c_int) -> ! {
    let on = if on.is_empty() { String::new() } else { format!(" on {on}") };
    let event = event::name(event).to_string_lossy();
    end_job(&format!("a PERUSE callback for {event}{on} returned the error {code}"), code)
}

/// Ends the job if this thread may not call that function of MPI now.
#[cold]
pub(crate) fn check_call(name: &CStr) {
    let what = if inside::is_inside() {
        let event = event::ALL[EVENT.load(Ordering::Relaxed) as usize];
        let event = event::name(event).to_string_lossy();
        format!(
            "in a PERUSE callback for {event}; of MPI, a callback may call MPI_Wtime and \
             MPI_Wtick only (PERUSE 2.0, section 5.1.2)"
        )
    } else if lock::is_mine() {
        "between PERUSE_Lock and PERUSE_Unlock, where MPI may not be called (PERUSE 2.0, section \
         5.2.17)"
            .to_owned()
    } else {
        return;
    };
    end_job(&format!("{} was called {what}", name.to_string_lossy()), 1)
}

fn end_job(message: &str, code: c_int) -> ! {
    eprintln!("{}{message}. The job ends here.", process::prefix());
    process::end_job(code)
}
