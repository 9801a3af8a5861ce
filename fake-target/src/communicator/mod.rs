//! Communicators (MPI 5.0, chapter 7).
//!
//! - [`object`]: what all chapters share: the groups, and two matching contexts, one for the
//!   program and a hidden one for the runtime's own messages. [`annex`]: data of other chapters.
//! - [`call`], [`calls`]: calls of collective operations, their tags, and wrong calls.
//! - [`team`]: processes of a communicator that do something together. [`agreement`]: what if it
//!   fails at some of them.
//! - [`creation`], [`intercommunicator`]: communicators made of others. [`topology`]: Cartesian
//!   ones, whose grids [`dimensions`] balances; [`graph`]: graphs, and neighbours.
//! - [`from_groups`]: communicators made of groups alone, by messages in the [`universe`].
//! - [`distant`]: processes of other jobs.
//! - [`attributes`], [`queries`]: what programs store with communicators and ask about them.

pub(crate) mod agreement;
mod annex;
pub(crate) mod attributes;
pub(crate) mod call;
mod calls;
mod cartesian;
mod creation;
mod dimensions;
mod distant;
mod from_groups;
mod graph;
mod intercommunicator;
mod object;
mod queries;
pub(crate) mod team;
mod topology;
mod universe;
mod variables;

pub(crate) use creation::{
    comm_create, comm_free, create_group, disconnect, draft_duplicate, dup, dup_with_info, end,
    of_the_same_processes, ranks_of, split, split_type,
};
pub(crate) use dimensions::dims_create;
pub(crate) use distant::{connected, meet_all, precedes};
pub(crate) use from_groups::{create_from_group, intercomm_create_from_groups};
pub(crate) use graph::{
    Neighbours, dist_graph_create, dist_graph_create_adjacent, dist_graph_neighbors,
    dist_graph_neighbors_count, graph_create, graph_get, graph_map, graph_neighbors,
    graph_neighbors_count, graphdims_get, neighbours,
};
pub(crate) use intercommunicator::{create as intercomm_create, merge as intercomm_merge};
pub(crate) use object::{
    Communicator, end_predefined, make_predefined, new_context_id, random_context_id, resolve,
};
pub(crate) use queries::*;
pub(crate) use topology::*;
pub(crate) use universe::open_universe;
