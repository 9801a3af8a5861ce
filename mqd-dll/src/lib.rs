//! The debug DLL of `mqd`: it shows a debugger the message queues of an MPI process.
//!
//! A debugger loads the DLL (`libmqd.so`, built by the package `libmqd`) and calls the functions
//! `mqs_*` of the MPI Message Queue Dumping interface (MQD 1.0, sections 5.7 to 5.10). A debugger
//! that knows them also calls the extensions ([`mqs_abi::extensions`]). The C side of both is
//! `mqs-abi/include/mpi_interface.h`. The DLL reads a process only through the callbacks that the
//! debugger hands it. Data flow:
//!
//! ```text
//! ffi ──> debugger ──> memory ──> runtimes ──> queues ──> iterate ──> ffi
//! entry   the callback  windowed,  one reader   plain      the protocol's
//! points  tables, safe  bounded    for each     data       cursors
//!                       reads      MPI, on transports
//! ```
//!
//! These rules hold everywhere:
//! - `mqs_update_communicator_list` reads everything in one pass. The iterators serve what was
//!   read.
//! - The word size and byte order come from the debugger. Structure layouts come from the
//!   debugger's types or from a layout table (`docs/layout-tables.md`). Nothing comes from this
//!   machine.
//! - The work is bounded, whatever the target's memory holds. What was read before an error is
//!   kept.
//! - Memory comes from the debugger, which may refuse it at any time. So all allocation is
//!   fallible; `clippy.toml` forbids the rest.
//! - No panic leaves the library. It prints nothing and installs no signal handler. The only files
//!   it opens are layout tables in the directory that `MQD_LAYOUT_DIR` names.
//! - `unsafe` is in the modules `ffi`, `alloc`, `debugger` and `environment` only.

#![allow(non_upper_case_globals, reason = "the interface's constants have lower case names")]

mod alloc;
mod debugger;
mod elf;
mod environment;
mod error;
pub mod ffi;
mod files;
mod iterate;
mod last_error;
mod layout;
mod memory;
mod queues;
mod runtimes;
mod tables;
mod text;
mod transports;
mod types;

pub use alloc::DebuggerMemory;
