//! Reads the bytes of a process. The process is live, left in a core file, or recorded.
//!
//! A [`process::Target`] gives access to the memory, the ELF [`image`]s, the symbols, the C
//! [`types`] and the call stacks of one process. The same code serves every word size and byte
//! order. This crate knows nothing of MPI.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use mqd_inspect::process::{CoreOptions, Target};
//!
//! let target = Target::open_core(Path::new("core.1234"), &CoreOptions::default())?;
//! let variable = target.find_symbol("counter").expect("a variable of the program");
//! println!("counter = {}", target.read_int(variable.address)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules from the bottom up: [`arch`] (word sizes and byte order), [`files`] (opening files
//! that others have named), `elf` (one ELF file), `sections` (its debug sections), [`types`] (C
//! types from DWARF), `lines` (functions and lines of the source), [`image`] (an ELF file in a
//! process, with its debug files), [`process`] (all of it together).
//!
//! # Features
//!
//! - `debuginfod` (by default): debug files also come from the servers in `DEBUGINFOD_URLS`.
//!   Without this feature the crate depends on nothing that uses the network.

pub mod arch;
mod elf;
pub mod files;
pub mod image;
mod lines;
mod names;
pub mod process;
mod sections;
pub mod types;
