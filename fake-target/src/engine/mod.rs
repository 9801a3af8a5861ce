//! The matching engine: sends, receives and probes of this process, and the messages that arrive
//! for them.
//!
//! - [`entrance`]: how threads get in, one at a time; [`state`]: what they find.
//! - [`context`]: the queues of a communicator. They consist of [`request`]s and [`message`]s, and
//!   are made of [`list`]s and [`slab`]s. [`matching`]: the rules of matching,
//!   and [`unexpected`]: the messages that no receive has matched.
//! - [`send`], [`receive`], [`probe`], [`cancel`]: operations, from their call to their end.
//! - [`progress`]: what arrives from the other ranks, and what waits for room on its way to them.
//!   Each other rank is a [`peer`].
//! - [`strangers`]: processes of other jobs.
//! - [`buffer`], [`room`] and [`attached`]: buffered sends.
//! - [`wait`]: how a call waits.
//! - [`look`]: how a call that does not wait looks around.
//! - [`task`]: requests that are more than one message, and [`schedule`]: collective operations as
//!   such tasks.
//! - [`internal`]: the runtime's own messages, for collective operations and the making of
//!   communicators; [`direct`]: those that are there when they are wanted, and [`bounce`]: those of
//!   a few pages.
//! - [`refusal`]: collective operations in which a process does not take part, and what processes
//!   tell each other about them: [`notice`].
//! - [`words`]: words of shared memory for other chapters.
//! - [`observe`]: how tools hear of all that. [`accounts`]: what is counted.
//!
//! *Invariant*: one lock, [`enter`], guards everything here; it is taken only in programs with
//! `MPI_THREAD_MULTIPLE`, and never kept while a thread waits. *Invariant*: at any instruction the
//! lists that debuggers read are whole, and what they show is true.

mod accounts;
pub(crate) mod attached;
mod bounce;
pub(crate) mod buffer;
mod cancel;
pub(crate) mod context;
mod direct;
mod entrance;
pub(crate) mod internal;
mod list;
pub(crate) mod look;
mod matching;
pub(crate) mod message;
pub(crate) mod notice;
pub(crate) mod observe;
pub(crate) mod payload;
mod peer;
mod probe;
mod progress;
mod receive;
pub(crate) mod refusal;
pub(crate) mod request;
pub(crate) mod room;
pub(crate) mod schedule;
mod send;
mod slab;
mod state;
mod strangers;
mod subject;
pub(crate) mod task;
#[cfg(test)]
mod tests;
mod unexpected;
mod variables;
pub(crate) mod wait;
mod words;

pub(crate) use entrance::{
    allow_threads, enter, entered, is_running, report_outside, ring_bytes, ring_use, segment_bytes,
    start,
};
pub(crate) use state::{Engine, Settings};
