//! What functions of the interface give back.

use crate::abi::MPI_T_ERR_INVALID;
use crate::error::{Error, Result};
use std::ffi::c_int;

/// Writes a caller's variable unless the caller does not want it: a null OUT argument is ignored by
/// the query functions.
pub(super) fn give<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: not null; a caller of MPI passes the address of a variable of this type, or null.
        unsafe { to.write(value) }
    }
}

/// Writes a caller's variable that must be there.
pub(super) fn give_required<T>(to: *mut T, name: &str, value: T) -> Result {
    if to.is_null() {
        return Err(missing(name));
    }
    give(to, value);
    Ok(())
}

/// An argument that must be there is not.
#[cold]
pub(super) fn missing(name: &str) -> Error {
    Error::new(MPI_T_ERR_INVALID, format!("the argument {name} is a null pointer"))
}

/// The element at an index that a caller gives; `code` is the error if there is none.
pub(super) fn at<T: Copy>(elements: &[T], index: c_int, code: c_int) -> Result<T> {
    checked(index, elements.len(), code).map(|index| elements[index])
}

/// An index that a caller gives, of so many elements; `code` is the error if there is none.
pub(super) fn checked(index: c_int, length: usize, code: c_int) -> Result<usize> {
    let found = usize::try_from(index).ok().filter(|index| *index < length);
    found.ok_or_else(|| Error::outside(code, "index", index, length))
}
