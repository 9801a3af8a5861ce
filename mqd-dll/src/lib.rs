//! `libmqd.so`, the debug DLL: it shows a debugger the message queues of an MPI process.
//!
//! A debugger loads this library and calls the 18 `mqs_*` functions of the MPI Message Queue
//! Dumping interface (MQD 1.0, sections 5.7 to 5.10; the C side is
//! `mqs-abi/include/mpi_interface.h`), and those of the five beyond it that it knows
//! ([`mqs_abi::extensions`]). The library knows the process only through the callbacks that it is
//! handed. Data flow:
//!
//! ```text
//! ffi ──> debugger ──> memory ──> runtimes ──> queues ──> iterate ──> ffi
//! entry   the callback  windowed,  one reader   plain      the protocol's
//! points  tables, safe  bounded    for each     data       cursors
//!                       reads      MPI
//! ```
//!
//! What holds everywhere:
//! - A `mqs_update_communicator_list` reads everything in one pass; the iterators serve from
//!   memory.
//! - The target's word size, byte order and structure layouts come from the debugger ([`layout`]),
//!   never from this machine.
//! - Whatever is in the target's memory, the work is bounded, and what was read before an error is
//!   kept.
//! - Memory comes from the debugger and may be refused at any time: only fallible allocation
//!   ([`alloc`], enforced by `clippy.toml`).
//! - No panic leaves the library, and it prints nothing and installs no signal handler. It opens no
//!   file, except for reading layout tables from a directory that the user has named ([`files`]).
//! - `unsafe` is in [`ffi`], [`alloc`], [`debugger`] and [`files`] only.

#![allow(non_upper_case_globals, reason = "the interface's constants have lower case names")]

mod alloc;
mod debugger;
mod elf;
mod environment;
mod error;
pub mod ffi;
mod files;
mod iterate;
mod layout;
mod memory;
mod queues;
mod runtimes;
mod text;
