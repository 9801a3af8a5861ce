//! The debugger's side of the MPI Message Queue Dumping interface (MQD 1.0): from the processes of
//! a job to their report.
//!
//! ```no_run
//! use std::sync::atomic::AtomicU64;
//!
//! use mqd_host::dump::Dumper;
//! use mqd_host::request::{Options, Request};
//! use mqd_report::Report;
//!
//! let mut dumper = Dumper::new(Options::default());
//! let outcome = dumper.dump(&Request::Core("core.1234".into()), &AtomicU64::new(0));
//! println!("{}", serde_json::to_string(&Report::new(vec![outcome.process]))?);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! The data flow: a process that `mqd-inspect` has opened is read by a debug DLL ([`dll`]) through
//! [`callbacks`]. [`walk`] drives the protocol for one process. [`dump`] turns a [`request`] into
//! an [`outcome`]. Debug DLLs that are not ours run in a [`worker`] process. Where the MPI library
//! has no debug information, layout [`tables`] answer type questions. `stacks` tells where in the
//! program each thread is. [`job`] finds the processes of a job, and [`fanout`] reads those of
//! other hosts. [`capture`] makes the entries of a [`snapshot`]. [`doctor`] checks what reading
//! needs.

pub mod callbacks;
mod called_back;
pub mod calls;
pub mod capture;
pub mod conform;
mod decode;
pub mod dll;
pub mod doctor;
pub mod dump;
pub mod fanout;
pub mod job;
mod libraries;
pub mod motion;
pub mod outcome;
mod parallel;
mod part;
mod problems;
pub mod programs;
pub mod request;
pub mod shared_memory;
pub mod snapshot;
mod sockets;
mod stacks;
pub mod tables;
mod threads;
mod turns;
pub mod walk;
pub mod worker;
