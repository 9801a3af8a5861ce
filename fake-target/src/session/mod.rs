//! Sessions (MPI 5.0, section 11.3): MPI without `MPI_COMM_WORLD`, used repeatedly and
//! independently by parts of a program.
//!
//! - [`object`]: sessions and their handles. [`psets`]: the process sets that they know.
//! - A communicator of a session is made from a group: `communicator::create_from_group`.

mod object;
mod psets;

pub(crate) use object::*;
pub(crate) use psets::*;
