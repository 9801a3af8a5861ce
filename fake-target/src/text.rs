//! Texts for C: cut to the caller's room at a character boundary, and zero-terminated.

use std::ffi::{c_char, c_int};

use crate::abi::MPI_ERR_ARG;
use crate::error::{Error, Result};

/// The longest beginning of a text of at most `bytes` bytes that ends between two characters.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Copies a text and a zero into an array of `room` bytes; returns the length without the zero.
pub(crate) fn copy_out(text: &str, to: *mut c_char, room: usize) -> Result<c_int> {
    if to.is_null() {
        return Err(Error::new(MPI_ERR_ARG, "the argument for the text is a null pointer"));
    }
    let text = cut(text, room.saturating_sub(1));
    // SAFETY: a caller of MPI passes an array as long as the function's specification says, which
    // is `room`.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast(), text.len());
        to.add(text.len()).write(0);
    }
    Ok(text.len() as c_int)
}
