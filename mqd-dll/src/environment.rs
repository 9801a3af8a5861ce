//! The debugger's environment, by which the user makes requests that the interface has no way for.

use std::ffi::{CStr, c_char};

/// Show the MPI library's own operations and communicators too, if it is set to anything but `0`.
pub(crate) const INTERNAL: &CStr = c"MQD_INTERNAL";

/// Use no layout table but those of the user's directory, if it is set to anything but `0`: so a
/// table can be tried on a library that a shipped one fits.
pub(crate) const ONLY: &CStr = c"MQD_LAYOUT_ONLY";

/// Name the transports that UCX uses, if it is set to anything but `0`. No queue needs them.
pub(crate) const TRANSPORTS: &CStr = c"MQD_TRANSPORTS";

/// The value of a variable. The standard library's reader allocates, and cannot report that it
/// failed.
pub(crate) fn variable(name: &CStr) -> Option<&'static [u8]> {
    unsafe extern "C" {
        fn getenv(name: *const c_char) -> *const c_char;
    }
    // SAFETY: the name is zero-terminated. The value is the C library's: it stays as it is unless
    // another thread changes the environment in this very moment, which no library can exclude.
    let value = unsafe {
        let value = getenv(name.as_ptr());
        if value.is_null() {
            return None;
        }
        CStr::from_ptr(value).to_bytes()
    };
    Some(value).filter(|value| !value.is_empty())
}

/// Whether the request that this variable stands for is made.
pub(crate) fn wants(name: &CStr) -> bool {
    variable(name).is_some_and(|value| value != b"0")
}
