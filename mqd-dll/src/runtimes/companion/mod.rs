//! The companion runtime, `libmpi_abi.so.1`.
//!
//! Its queues are the structures of `fake-target/src/debug/queues.h`, found from the symbol
//! `mqdrt_root`. That file is the contract. This reader knows its names, its constants and the
//! meaning of fields, but no offset or size.

mod layout;
mod reader;

pub(crate) use layout::Layout;
pub(crate) use reader::Reader;

use std::ffi::CStr;

/// The symbol of the root structure.
pub(crate) const ROOT: &CStr = c"mqdrt_root";
