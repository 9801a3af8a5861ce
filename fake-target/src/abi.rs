//! The C types and constants of the MPI 5.0 standard ABI (MPI 5.0, chapter 20).

#![allow(non_camel_case_types, non_snake_case)]

use std::ffi::{c_char, c_int, c_void};

/// An address, or a difference of addresses.
pub type MPI_Aint = isize;
/// A displacement in a file.
pub type MPI_Offset = i64;
/// A number of elements or bytes that need not fit an int.
pub type MPI_Count = i64;
/// What a callback of the tools interface may do.
pub type MPI_T_cb_safety = c_int;
/// How the events of a source are ordered.
pub type MPI_T_source_order = c_int;

/// What is known about a message that was received, or about an operation that has ended.
///
/// The three public fields are those of C. The first two private ones hold the number of bytes, the
/// third whether the operation was cancelled.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MPI_Status {
    /// The rank of the sender.
    pub MPI_SOURCE: c_int,
    /// The tag of the message.
    pub MPI_TAG: c_int,
    /// The error code of the operation; set only by the functions that complete several.
    pub MPI_ERROR: c_int,
    internal: [c_int; 5],
}

impl MPI_Status {
    /// The empty status (MPI 5.0, section 3.7.3): no source, no tag, no data, not cancelled.
    pub const EMPTY: Self = MPI_Status {
        MPI_SOURCE: MPI_ANY_SOURCE,
        MPI_TAG: MPI_ANY_TAG,
        MPI_ERROR: MPI_SUCCESS,
        internal: [0; 5],
    };

    /// The number of bytes of data.
    pub fn bytes(&self) -> MPI_Count {
        (self.internal[0] as u32 as i64) | ((self.internal[1] as i64) << 32)
    }

    /// Sets the number of bytes of data.
    pub fn set_bytes(&mut self, bytes: MPI_Count) {
        self.internal[0] = bytes as c_int;
        self.internal[1] = (bytes >> 32) as c_int;
    }

    /// Whether the operation was cancelled.
    pub fn cancelled(&self) -> bool {
        self.internal[2] != 0
    }

    /// Sets whether the operation was cancelled.
    pub fn set_cancelled(&mut self, cancelled: bool) {
        self.internal[2] = cancelled.into();
    }
}

/// What the handle types have in common.
pub trait Handle: Copy {
    /// The handle with that value.
    fn from_raw(raw: usize) -> Self;
    /// The value of the handle.
    fn raw(self) -> usize;
}

include!(concat!(env!("OUT_DIR"), "/constants.rs"));
