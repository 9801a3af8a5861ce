//! How bytes cross between the processes of a job: one segment of anonymous shared memory with a
//! byte ring for every ordered pair of ranks.
//!
//! - [`bootstrap`]: what the launcher tells a rank by its environment.
//! - [`address`]: how processes of other jobs know a process.
//! - [`segment`]: the shared mapping, its layout and the wake-up of sleeping ranks.
//! - [`ring`]: a ring of records, one writer and one reader.
//! - [`envelope`]: the header of a record.
//! - [`bounce`]: buffers through which data of a few pages travel.
//! - [`assist`]: how a sender helps with the copy of a large message.
//! - [`backoff`]: what a rank does while it waits.
//! - [`system`]: the calls of the operating system behind these.
//!
//! Communicators and requests are not known here. They belong to the engine.

pub(crate) mod address;
pub(crate) mod assist;
pub(crate) mod backoff;
pub(crate) mod bootstrap;
pub(crate) mod bounce;
pub(crate) mod envelope;
pub(crate) mod ring;
pub(crate) mod segment;
pub(crate) mod system;
pub(crate) mod variables;
pub(crate) mod words;
