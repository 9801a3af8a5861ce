//! Sources of layouts: whatever knows the sizes and field offsets of the target's structures.

use crate::error::Result;
use std::ffi::CStr;

/// A source of layouts.
pub(crate) trait Types {
    /// A structure of the source.
    type Type: Copy;

    /// Finds a structure by its C name.
    fn find(&self, name: &'static CStr) -> Result<Self::Type>;

    /// The size of a structure in bytes.
    fn size(&self, ty: Self::Type) -> Result<usize>;

    /// The offset of a field in bytes.
    fn offset(&self, ty: Self::Type, field: &'static CStr) -> Result<usize>;
}

/// A name written with its terminating zero.
pub(crate) const fn c_name(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a name needs one zero, at its end"),
    }
}
