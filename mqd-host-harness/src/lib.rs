//! The debugger's side of the MPI Message Queue Dumping interface (MQD 1.0): a library, and the
//! command `mqd`.
//!
//! The way of the data: a [`target`] (a live process or a core file, with its [`image`]s and
//! [`types`]) is read by a debug DLL ([`dll`]) through [`callbacks`]; [`walk`] drives the protocol
//! for one process and [`dump`] for all of them; the result is a [`report`], which [`filter`]
//! reduces and [`render`] turns into text. Foreign DLLs run in a [`worker`] process; where the MPI
//! library has no debug information, layout [`tables`] answer them. [`graph`] draws reports,
//! [`changes`] compares looks. [`job`] finds the processes of a job. [`cli`] is the only module
//! that knows about arguments and terminals.

pub mod callbacks;
pub mod changes;
pub mod check;
pub mod cli;
pub mod dll;
pub mod doctor;
pub mod dump;
pub mod filter;
pub mod graph;
pub mod image;
pub mod job;
mod peek;
pub mod render;
pub mod report;
pub mod snapshot;
pub mod tables;
pub mod target;
pub mod types;
pub mod walk;
pub mod worker;
