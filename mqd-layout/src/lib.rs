//! Layout tables: where the fields of a library's structures are.
//!
//! A library without debug information does not tell a debugger how its structures are laid out.
//! A layout table does. It is a small text, made once from a build of the same release that has
//! debug information. `docs/layout-tables.md` describes the format. This crate is the only reader
//! and the only writer of the format, and [`SHIPPED`] lists the tables that are part of `mqd`.
//!
//! Nothing here allocates: [`Table::parse`] checks a text and keeps a reference to it, the
//! iterators read the text again, and [`Writer`] writes to any [`core::fmt::Write`]. For this
//! reason the debug DLL can use the crate inside a debugger, whose memory may run out.
//!
//! # Example
//!
//! ```
//! use mqd_layout::Table;
//!
//! let text = "mqd-layout 1
//! library openmpi
//! versions 4.1
//! machine little-endian int 4 long 8 pointer 8
//!
//! struct opal_list_item_t 40
//!   super 0 16
//!   opal_list_next 16 8
//! ";
//! let table = Table::parse(text)?;
//! assert!(table.has_version("4.1.4"));
//! let item = table.structure("opal_list_item_t").expect("the table has it");
//! let next = item.field("opal_list_next").expect("the structure has it");
//! assert_eq!((item.size, next.offset, next.size), (40, 16, 8));
//!
//! // A text that breaks a rule is refused as a whole. The error has the line.
//! let error = Table::parse("mqd-layout 1\nsize 8").expect_err("there is no such line");
//! assert_eq!(error.to_string(), "line 2: no line of a table begins with this word");
//! # Ok::<(), mqd_layout::Error>(())
//! ```

#![no_std]

mod machine;
mod parse;
mod shipped;
mod write;

pub use machine::Machine;
pub use parse::{
    Error, Field, Fields, Problem, Structure, Structures, Symbol, Symbols, Table, Words,
};
pub use shipped::{SHIPPED, Shipped};
pub use write::Writer;

/// The newest version of the format, the number in a table's first line. Version 2 adds the line
/// `variant`; older versions are read as well.
pub const FORMAT_VERSION: u32 = 2;

/// The longest text that is read as a table, in bytes. A real one has a few thousand.
pub const MAX_TEXT: usize = 64 * 1024;
