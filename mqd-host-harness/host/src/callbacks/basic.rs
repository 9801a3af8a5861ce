//! The basic callbacks (5.6.1 to 5.6.9): memory, text, and what the DLL attaches to our objects.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use mqs_abi::{mqs_basic_callbacks, mqs_image, mqs_image_info, mqs_process, mqs_process_info};

use super::faults::Callback;
use super::{heap, name, on_session};

/// The table for `mqs_setup_basic_callbacks`.
pub static BASIC: mqs_basic_callbacks = mqs_basic_callbacks {
    mqs_malloc_fp: Some(malloc),
    mqs_free_fp: Some(free),
    mqs_dprints_fp: Some(dprints),
    mqs_errorstring_fp: Some(errorstring),
    mqs_put_image_info_fp: Some(put_image_info),
    mqs_get_image_info_fp: Some(get_image_info),
    mqs_put_process_info_fp: Some(put_process_info),
    mqs_get_process_info_fp: Some(get_process_info),
};

unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    if on_session(false, |session| session.faults.fails(Callback::Malloc)) {
        return ptr::null_mut();
    }
    let block = heap::allocate(size);
    if !block.is_null() {
        on_session((), |session| {
            session.count(|stats| {
                stats.mallocs += 1;
                stats.mallocs_outstanding += 1;
            });
        });
    }
    block
}

unsafe extern "C" fn free(block: *mut c_void) {
    if !block.is_null() {
        on_session((), |session| session.count(|stats| stats.mallocs_outstanding -= 1));
        // SAFETY: 5.6.3 has the DLL pass only what `malloc` above gave it, once.
        unsafe { heap::free(block) }
    }
}

unsafe extern "C" fn dprints(text: *const c_char) {
    // SAFETY: 5.6.4 has the DLL pass a zero-terminated string.
    if let Some(text) = unsafe { name(text) } {
        on_session((), |session| session.message(&text));
    }
}

unsafe extern "C" fn errorstring(code: c_int) -> *mut c_char {
    on_session(ptr::null_mut(), |session| session.error_string(code))
}

unsafe extern "C" fn put_image_info(image: *mut mqs_image, info: *mut mqs_image_info) {
    on_session((), |session| {
        if session.knows_image(image) {
            session.image_info.set(info);
        }
    });
}

unsafe extern "C" fn get_image_info(image: *mut mqs_image) -> *mut mqs_image_info {
    on_session(ptr::null_mut(), |session| {
        if session.knows_image(image) { session.image_info.get() } else { ptr::null_mut() }
    })
}

unsafe extern "C" fn put_process_info(process: *mut mqs_process, info: *mut mqs_process_info) {
    on_session((), |session| {
        if session.knows_process(process) {
            session.process_info.set(info);
        }
    });
}

unsafe extern "C" fn get_process_info(process: *mut mqs_process) -> *mut mqs_process_info {
    on_session(ptr::null_mut(), |session| {
        if session.knows_process(process) { session.process_info.get() } else { ptr::null_mut() }
    })
}
