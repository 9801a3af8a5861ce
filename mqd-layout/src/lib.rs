//! Layout tables: where the fields of an MPI library's structures are.
//!
//! A library without debug information does not tell a debugger how its structures are laid out. A
//! layout table does: a small text made once from a library of the same release that has debug
//! information. `docs/layout-tables.md` describes the format; this crate is its only reader and
//! writer.
//!
//! Nothing here allocates: [`Table::parse`] checks a text and keeps a reference to it, the
//! iterators read it again, and [`Writer`] writes to any [`core::fmt::Write`]. So the debug DLL can
//! use it inside a debugger, under the rules of its memory.

#![no_std]

mod parse;
mod write;

pub use parse::{
    Error, Field, Fields, Machine, Problem, Structure, Structures, Symbol, Symbols, Table, Words,
};
pub use write::Writer;

/// The version of the format, the number in a table's first line.
pub const FORMAT_VERSION: u32 = 1;

/// The longest text that is read as a table, in bytes. A real one has a few thousand.
pub const MAX_TEXT: usize = 64 * 1024;

/// The tables that are part of `mqd`: one for each series of a library, since its releases share
/// their structures.
pub const SHIPPED: [&str; 2] = [
    include_str!("../../mqd-dll/layouts/openmpi-4.1.layout"),
    include_str!("../../mqd-dll/layouts/openmpi-5.0.layout"),
];
