//! Collective operations (MPI 5.0, chapter 6).
//!
//! All of them are made of the runtime's own messages between the members of a
//! [`Team`](crate::communicator::team::Team): they travel in the communicator's hidden context, so
//! the program's receives never see them. Within one communicator all processes call the same
//! operations in the same order, and messages between two processes do not overtake each other: one
//! tag per blocking operation is enough. Nonblocking operations are [`schedules`], each with a tag
//! of its own.

mod alltoall;
mod blocks;
mod broadcast;
mod buffer;
mod exchange;
mod fold;
mod gather;
mod reduce;
mod roles;
mod schedules;
pub(crate) mod under_way;
mod variables;

pub(crate) use alltoall::*;
pub(crate) use broadcast::*;
pub(crate) use gather::*;
pub(crate) use reduce::*;
pub(crate) use schedules::*;
pub(crate) use under_way::{Collective, UnderWay, enter};
