//! The callbacks that a debug DLL calls (MQD 5.6), and the host objects behind its opaque pointers.
//!
//! The tables are static and without state. They act on the thread's current [`Session`]: one
//! process being read. Each pointer that a DLL hands back is compared with those of the current
//! session before it is used. So a DLL that mixes up its objects gets an error code, and nothing
//! crashes. No panic leaves a callback.

mod basic;
mod faults;
pub(crate) mod heap;
mod image;
mod process;
mod session;
mod stats;

use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

pub use self::basic::BASIC;
pub use self::faults::Callback;
pub(crate) use self::faults::Plan;
pub use self::image::IMAGE;
pub use self::process::PROCESS;
pub(crate) use self::session::Missing;
pub use self::session::Session;
pub use self::stats::Stats;

thread_local! {
    static CURRENT: RefCell<Option<Rc<Session>>> = const { RefCell::new(None) };
}

/// While it lives, callbacks on this thread act on its session.
#[derive(Debug)]
#[must_use = "the session is left at once if this is dropped"]
pub struct Entered {
    before: Option<Rc<Session>>,
}

/// Makes a session the one that callbacks on this thread act on.
pub fn enter(session: &Rc<Session>) -> Entered {
    Entered { before: CURRENT.replace(Some(Rc::clone(session))) }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.before.take());
    }
}

/// Runs the body of a callback on the current session. `otherwise` is the result if there is none
/// (the DLL called from a thread of its own, or outside a dump) or if the body panics.
fn on_session<R>(otherwise: R, body: impl FnOnce(&Session) -> R) -> R {
    let Ok(Some(session)) =
        CURRENT.try_with(|current| current.try_borrow().ok().and_then(|current| current.clone()))
    else {
        return otherwise;
    };
    catch_unwind(AssertUnwindSafe(|| body(&session))).unwrap_or_else(|_| {
        session.complain("a callback failed in mqd itself: please report this");
        otherwise
    })
}

/// A name that the DLL passes; None if it is NULL.
///
/// # Safety
/// `name` is NULL or points to a zero-terminated string that stays for the call.
unsafe fn name<'a>(name: *const c_char) -> Option<std::borrow::Cow<'a, str>> {
    // SAFETY: not NULL, and zero-terminated by this function's contract.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy())
}
