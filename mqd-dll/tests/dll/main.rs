//! The tests of `libmqd.so` load the built library, as a debugger does, and drive it with a
//! synthetic debugger and a synthetic process.
//!
//! [`support`] shares nothing with the library but the interface: structures are laid out from
//! `queues.h`, with sizes, offsets, word sizes and byte orders that no real machine needs to have.

#![allow(missing_docs, unreachable_pub, reason = "tests")]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "tests may allocate and print"
)]

mod activity;
mod budget;
mod bulk;
mod damage;
mod fields;
mod interface;
mod lost;
mod machines;
mod memory;
mod mpich;
mod open_mpi;
mod quiet;
mod support;
