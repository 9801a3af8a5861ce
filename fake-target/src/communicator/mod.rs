//! Communicators (MPI 5.0, chapter 7).
//!
//! - [`object`]: what all chapters share: two matching contexts, one for the program and a hidden
//!   one for the runtime's own messages, and the groups. [`annex`]: what other chapters keep there.
//! - [`team`]: processes of a communicator that do something together.
//! - [`creation`], [`intercommunicator`]: communicators made of others. [`topology`]: Cartesian
//!   ones.
//! - [`from_groups`]: communicators made of groups alone, by messages in the [`universe`].
//! - [`attributes`], [`queries`]: what programs keep with communicators and ask about them.

mod annex;
pub(crate) mod attributes;
mod cartesian;
mod creation;
mod from_groups;
mod intercommunicator;
mod object;
mod queries;
pub(crate) mod team;
mod topology;
mod universe;
mod variables;

pub(crate) use creation::{
    comm_create, comm_free, create_group, dup, dup_with_info, end, of_the_same_processes, ranks_of,
    split, split_type,
};
pub(crate) use from_groups::{create_from_group, intercomm_create_from_groups};
pub(crate) use intercommunicator::{create as intercomm_create, merge as intercomm_merge};
pub(crate) use object::{Communicator, end_predefined, make_predefined, resolve};
pub(crate) use queries::*;
pub(crate) use topology::*;
pub(crate) use universe::open_universe;
