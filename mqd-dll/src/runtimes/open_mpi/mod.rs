//! Open MPI 4.1 and 5.0 with the PMLs ob1, ucx and cm, with or without debug information.
//!
//! The library is recognised and entered by symbols that are in every build's dynamic symbol table.
//! The layouts of its structures come from the debugger's types. Released libraries have no types;
//! then they come from a layout table (`docs/layout-tables.md`). Either is checked against the
//! process before it is used ([`library`]). Then these are read:
//!
//! - communicators from the array `ompi_mpi_communicators`, their groups in all representations
//!   ([`groups`]);
//! - sends and receives from the free lists that all requests of ob1 are taken from: their slabs
//!   hold every request, whatever list it is on ([`requests`]); requests that live elsewhere
//!   (probes on the stack) from the lists of posted receives;
//! - unexpected messages from each communicator's lists per peer ([`messages`]);
//! - what ranks wait for in windows, from memory that they share ([`windows`]).
//!
//! ```text
//! reader ──> groups, requests, messages, waits,    one pass over the memory
//!            composed, windows
//!                       └──> pass                  its state
//!                              └──> library ──> layout, tables
//! ```

mod collectives;
mod composed;
mod groups;
mod layout;
mod library;
mod messages;
mod objects;
mod pass;
mod pml_cm;
mod pml_ucx;
mod reader;
mod requests;
mod waits;
mod windows;

pub(crate) use library::{COMMUNICATORS, Library};
pub(crate) use pml_ucx::send_function;
pub(crate) use reader::{check, read};
pub(crate) use waits::LOOP;
