//! The MPI tool information interface (MPI 3.1, section 14.3; events: MPI 5.0, section 15.3.8).
//!
//! - [`init`]: the counted beginning and end of the interface's use, [`in_use`]: whether it is.
//! - [`enumerations`], [`objects`], [`strings`], [`give`], [`slots`]: what all of it shares.
//! - [`cvar`]: control variables: the functions, and the table that `build.rs` makes of the
//!   descriptions beside the code.
//! - [`pvar`]: performance variables: metadata, sessions and handles. The runtime updates their
//!   values in [`crate::variables`].
//! - [`category`]: how variables and events are grouped.
//! - [`event`]: event types, registrations, and how events reach their callbacks.
//! - [`observer`]: how events come here from the engine and the chapters.
//!
//! The functions may be called before `MPI_Init` and after `MPI_Finalize`, by several threads at a
//! time, and their errors call no error handler.

mod categories;
pub(crate) mod category;
pub(crate) mod cvar;
mod enumeration;
pub(crate) mod enumerations;
pub(crate) mod event;
mod give;
mod in_use;
pub(crate) mod init;
mod objects;
mod observer;
pub(crate) mod pvar;
mod slots;
mod strings;
#[cfg(test)]
mod tests;
mod variables;
