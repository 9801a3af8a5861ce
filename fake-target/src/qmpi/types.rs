//! The types of the interface.

#![allow(non_camel_case_types, reason = "the names are those of the C header")]

use std::ffi::c_int;

/// A tool's initialization function.
pub(crate) type MPI_Tool_init_function = Option<unsafe extern "C" fn(tool_id: c_int)>;

/// Any function, as C passes its address: `void (*)(void)`.
pub(crate) type AnyFunction = Option<unsafe extern "C" fn()>;
