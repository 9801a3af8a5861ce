//! The convention for returning strings (MPI 3.1, section 14.3.3).

use super::give::missing;
use crate::abi::MPI_T_ERR_INVALID;
use crate::error::{Error, Result};
use crate::text::copy_out;
use std::ffi::{CStr, c_char, c_int};

/// Checks a pair of arguments before anything is written: a negative length is an error.
pub(super) fn check(length: *mut c_int) -> Result {
    // SAFETY: a caller of MPI passes null or the address of an int.
    match unsafe { length.as_ref() } {
        Some(length) if *length < 0 => Err(Error::new(
            MPI_T_ERR_INVALID,
            format!("the length {length} of a buffer is negative"),
        )),
        _ => Ok(()),
    }
}

/// Returns a text: if there is a buffer, at most `length - 1` characters and a zero; in any case,
/// the length of the whole text with its zero. Without a variable for the length nothing is
/// returned.
pub(super) fn give(text: &str, buffer: *mut c_char, length: *mut c_int) -> Result {
    check(length)?;
    // SAFETY: as in `check`.
    let Some(length) = (unsafe { length.as_mut() }) else { return Ok(()) };
    if !buffer.is_null() && *length > 0 {
        copy_out(text, buffer, *length as usize)?;
    }
    *length = text.len() as c_int + 1;
    Ok(())
}

/// A text and where it goes.
type Given<'a> = (&'a str, *mut c_char, *mut c_int);

/// Returns the name and the description of an object, both or none.
pub(super) fn give_both(
    (name, name_buffer, name_length): Given<'_>,
    (text, buffer, length): Given<'_>,
) -> Result {
    check(length)?;
    give(name, name_buffer, name_length)?;
    give(text, buffer, length)
}

/// The text that a caller passes.
pub(super) fn take<'a>(text: *const c_char, name: &str) -> Result<&'a str> {
    if text.is_null() {
        return Err(missing(name));
    }
    // SAFETY: a caller of MPI passes a zero-terminated text that stays there during the call. What
    // is not UTF-8 is no name of ours.
    Ok(unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("\u{fffd}"))
}
