//! Texts for C: cut to the caller's room and zero-terminated. They are bytes, since programs may
//! use other encodings than UTF-8.

use std::ffi::{c_char, c_int};

use crate::abi::MPI_ERR_ARG;
use crate::error::{Error, Result};

/// A beginning of a text of at most `bytes` bytes. A character of UTF-8 that would be divided is
/// left out.
pub(crate) fn cut(text: &[u8], bytes: usize) -> &[u8] {
    let Some((beginning, rest)) = text.split_at_checked(bytes) else { return text };
    let goes_on = |byte: &u8| (0x80..0xc0).contains(byte);
    let last = beginning.iter().rposition(|byte| !goes_on(byte));
    match (last, rest.first()) {
        // A character has at most four bytes, the first of which is at least 0xc0.
        (Some(last), Some(next)) if goes_on(next) && bytes - last < 4 && text[last] >= 0xc0 => {
            &text[..last]
        }
        _ => beginning,
    }
}

/// Copies a text and a zero into an array of `room` bytes; returns the length without the zero.
pub(crate) fn copy_out(
    text: &(impl AsRef<[u8]> + ?Sized),
    to: *mut c_char,
    room: usize,
) -> Result<c_int> {
    if to.is_null() {
        return Err(Error::new(MPI_ERR_ARG, "the argument for the text is a null pointer"));
    }
    let text = cut(text.as_ref(), room.saturating_sub(1));
    // SAFETY: a caller of MPI passes an array as long as the function's specification says, which
    // is `room`.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast(), text.len());
        to.add(text.len()).write(0);
    }
    Ok(text.len() as c_int)
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn characters_are_not_divided() {
        let text = "aä€𝄞".as_bytes();
        let lengths = [0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10];
        for (bytes, length) in lengths.into_iter().enumerate() {
            assert_eq!(cut(text, bytes), &text[..length], "{bytes}");
        }
    }

    #[test]
    fn other_encodings_are_cut_anywhere() {
        for text in [&b"\xa0\xa1\xa2\xa3\xa4\xa5"[..], b"ab\xe9cd\xb0", b"\xe9\xb0\xb1\xb2\xb3\xb4"]
        {
            assert_eq!(cut(text, 5), &text[..5]);
        }
    }
}
