//! PERUSE 2.0 (docs/peruse.md): tools are called back when something happens to requests, messages
//! and queues.
//!
//! - [`interface`]: the functions of `peruse.h`, [`types`]: its types and constants.
//! - [`event`]: the events, [`handle`]: event handles and what they watch, [`active`]: which events
//!   are watched at all.
//! - [`callback`]: what callbacks there are, and what each is told.
//! - [`observer`]: how events come here from the engine and the chapters; [`spawn`]: what
//!   is told of processes that are started.
//! - [`upcall`]: how a callback is called, and what it must not do; [`inside`]: which thread is in
//!   one; [`lock`]: the tools' lock.
//! - [`environment`]: the variables that the runtime uses.
//!
//! *Invariant*: callbacks run in the engine, one at a time, and nothing that they call enters it
//! again.

mod active;
mod callback;
mod environment;
mod event;
mod handle;
mod inside;
pub mod interface;
mod lock;
mod observer;
mod spawn;
pub mod types;
mod upcall;

pub(crate) use environment::note as note_environment;
pub(crate) use upcall::check_call;
