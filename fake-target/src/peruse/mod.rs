//! PERUSE 2.0 (docs/peruse.md): tools are called back when something happens to requests, messages
//! and queues.
//!
//! - [`interface`]: what `peruse.h` declares. [`event`]: the events, [`handle`]: event handles and
//!   whom they watch.
//! - [`hooks`]: what the engine calls where events happen; [`active`]: which events anybody waits
//!   for.
//! - [`upcall`]: how a callback is called, and what it must not do; [`lock`]: the tools' lock.
//! - [`environment`]: the variables that the runtime goes by.
//!
//! *Invariant*: a hook whose event nobody has activated costs one load and a branch. *Invariant*:
//! callbacks run in the engine, one at a time, and nothing that they call enters it again.

mod active;
mod environment;
mod event;
mod handle;
mod hooks;
pub mod interface;
mod lock;
mod upcall;

use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use environment::note as note_environment;
pub(crate) use event::Event;
pub(crate) use handle::{Observers, communicator_freed, propagate};
pub(crate) use hooks::*;
pub(crate) use lock::{is_mine as has_lock, owner_blocked};
pub(crate) use upcall::{check_call, is_inside};

static INITIALIZED: AtomicBool = AtomicBool::new(false);

fn initialize() {
    INITIALIZED.store(true, Ordering::Release);
}

fn is_initialized() -> bool {
    INITIALIZED.load(Ordering::Acquire)
}
