//! Collective operations (MPI 5.0, chapter 6).
//!
//! All of them are made of the runtime's own messages between the members of a
//! [`Team`](crate::communicator::team::Team): they travel in the communicator's hidden context, so
//! the program's receives never see them. Within one communicator all processes call the same
//! operations in the same order, and messages between two processes do not overtake each other: one
//! tag per operation is enough.

mod alltoall;
mod blocks;
mod broadcast;
mod buffer;
mod exchange;
mod gather;
mod reduce;
mod roles;
pub(crate) mod under_way;
mod variables;

pub(crate) use alltoall::*;
pub(crate) use broadcast::*;
pub(crate) use gather::*;
pub(crate) use reduce::*;
