//! The variables of the tool information interface as the code that uses them sees them: values to
//! read and counters to add to. Their metadata are in [`crate::mpi_t`].
//!
//! - [`control`]: the storage of control variables, [`values`]: the variables. [`describe`]: the
//!   macros that describe them, in a file `variables.rs` beside the code that uses them.
//! - [`performance`]: the storage of performance variables, [`counters`]: the variables of the
//!   process; those of communicators are in their contexts.
//! - [`watermark`]: the marks that follow a level.
//! - [`watch`]: what is watched at the moment. If nothing is watched, the cost is one load and a
//!   branch.

pub(crate) mod control;
pub(crate) mod counters;
pub(crate) mod describe;
pub(crate) mod performance;
pub(crate) mod values;
pub(crate) mod watch;
mod watermark;
