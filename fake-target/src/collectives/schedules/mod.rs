//! Nonblocking and persistent collective operations (MPI 5.0, sections 6.12 and 6.13): schedules
//! that the engine carries out.
//!
//! [`plan`] is what schedules are built with. Each other file builds those of a family, and `forms`
//! has the functions of the standard that start or describe them.

mod alltoall;
mod broadcast;
mod duplicate;
mod forms;
mod gather;
mod neighbours;
mod plan;
mod reduce;

pub(crate) use duplicate::{idup, idup_with_info};
pub(crate) use forms::*;
