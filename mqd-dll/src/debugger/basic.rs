//! The basic callbacks (5.6.1): memory, error texts, and the information attached to images and
//! processes.

use crate::error::{Code, Error, Result};
use crate::text::Text;
use mqs_abi::{mqs_basic_callbacks, mqs_image, mqs_image_info, mqs_process, mqs_process_info};
use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The debugger's table; NULL until `mqs_setup_basic_callbacks`. The debugger keeps it valid while
/// the library is in use (5.7.1).
static TABLE: AtomicPtr<mqs_basic_callbacks> = AtomicPtr::new(ptr::null_mut());

/// Keeps the debugger's table.
///
/// # Safety
/// `table` is NULL or valid for as long as the library is in use.
pub(crate) unsafe fn set_up(table: *const mqs_basic_callbacks) {
    TABLE.store(table.cast_mut(), Ordering::Release);
}

fn table() -> Option<&'static mqs_basic_callbacks> {
    // SAFETY: see `set_up`.
    unsafe { TABLE.load(Ordering::Acquire).as_ref() }
}

/// `mqs_malloc_fp`; NULL without one.
pub(crate) fn malloc(size: usize) -> *mut u8 {
    match table().and_then(|table| table.mqs_malloc_fp) {
        // SAFETY: 5.6.2 asks nothing of the caller.
        Some(malloc) => unsafe { malloc(size) }.cast(),
        None => ptr::null_mut(),
    }
}

/// `mqs_free_fp`.
///
/// # Safety
/// `block` came from [`malloc`] and is not used any more.
pub(crate) unsafe fn free(block: *mut u8) {
    if let Some(free) = table().and_then(|table| table.mqs_free_fp) {
        // SAFETY: `block` came from `malloc` and nobody uses it any more.
        unsafe { free(block.cast::<c_void>()) }
    }
}

/// The debugger's text for one of its codes (5.6.5), or the number.
pub(crate) fn error_text<const N: usize>(code: c_int) -> Text<N> {
    if let Some(error_string) = table().and_then(|table| table.mqs_errorstring_fp) {
        // SAFETY: 5.6.5 asks nothing of the caller.
        let text = unsafe { error_string(code) };
        if !text.is_null() {
            let mut copy = Text::EMPTY;
            // SAFETY: a zero-terminated string of the debugger.
            copy.append(unsafe { CStr::from_ptr(text) }.to_bytes());
            return copy;
        }
    }
    Text::format(format_args!("code {code}"))
}

/// Attaches information to an image (5.6.6).
///
/// # Safety
/// `image` is the debugger's.
pub(crate) unsafe fn put_image_info(
    image: *mut mqs_image,
    info: *mut mqs_image_info,
) -> Result<()> {
    let put = table().and_then(|table| table.mqs_put_image_info_fp);
    let put = put.ok_or(Error::on(Code::NoCallback, "mqs_put_image_info_fp"))?;
    // SAFETY: `image` is the debugger's image.
    unsafe { put(image, info) };
    Ok(())
}

/// The information attached to an image, or NULL (5.6.7).
///
/// # Safety
/// `image` is the debugger's.
pub(crate) unsafe fn image_info(image: *mut mqs_image) -> Result<*mut mqs_image_info> {
    let get = table().and_then(|table| table.mqs_get_image_info_fp);
    let get = get.ok_or(Error::on(Code::NoCallback, "mqs_get_image_info_fp"))?;
    // SAFETY: `image` is the debugger's image.
    Ok(unsafe { get(image) })
}

/// Attaches information to a process (5.6.8).
///
/// # Safety
/// `process` is the debugger's.
pub(crate) unsafe fn put_process_info(
    process: *mut mqs_process,
    info: *mut mqs_process_info,
) -> Result<()> {
    let put = table().and_then(|table| table.mqs_put_process_info_fp);
    let put = put.ok_or(Error::on(Code::NoCallback, "mqs_put_process_info_fp"))?;
    // SAFETY: `process` is the debugger's process.
    unsafe { put(process, info) };
    Ok(())
}

/// The information attached to a process, or NULL (5.6.9).
///
/// # Safety
/// `process` is the debugger's.
pub(crate) unsafe fn process_info(process: *mut mqs_process) -> Result<*mut mqs_process_info> {
    let get = table().and_then(|table| table.mqs_get_process_info_fp);
    let get = get.ok_or(Error::on(Code::NoCallback, "mqs_get_process_info_fp"))?;
    // SAFETY: `process` is the debugger's process.
    Ok(unsafe { get(process) })
}

/// Hands a box to the debugger by `put`; takes it back if that fails.
///
/// # Safety
/// As for `put`.
pub(crate) unsafe fn attach<T, I>(
    info: Box<T>,
    put: impl FnOnce(*mut I) -> Result<()>,
) -> Result<()> {
    let info = Box::into_raw(info);
    put(info.cast()).inspect_err(|_| {
        // SAFETY: the box from above, which nobody else has.
        drop(unsafe { Box::from_raw(info) });
    })
}
