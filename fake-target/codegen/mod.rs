//! Generation of the interface from the tables in `api/`: the C header, the Rust types and
//! constants, the entry points and the list of what is not implemented; and of the table of control
//! variables from their descriptions in the source. Part of `build.rs`.

pub(crate) mod constants;
pub(crate) mod cvars;
pub(crate) mod entries;
pub(crate) mod header;
pub(crate) mod qmpi;
pub(crate) mod table;
pub(crate) mod wrap;
