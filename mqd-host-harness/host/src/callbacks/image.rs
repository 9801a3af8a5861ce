//! The image callbacks (5.6.10 to 5.6.16): sizes, symbols, types.

use std::ffi::{c_char, c_int};
use std::ptr;

use mqs_abi::{
    mqs_image, mqs_image_callbacks, mqs_lang_code, mqs_no_information, mqs_ok, mqs_process,
    mqs_taddr_t, mqs_target_type_sizes, mqs_type,
};

use super::faults::Callback;
use super::{Session, name, on_session};

/// The table for `mqs_setup_image`.
pub static IMAGE: mqs_image_callbacks = mqs_image_callbacks {
    mqs_get_type_sizes_fp: Some(get_type_sizes),
    mqs_find_function_fp: Some(find_function),
    mqs_find_symbol_fp: Some(find_symbol),
    mqs_find_type_fp: Some(find_type),
    mqs_field_offset_fp: Some(field_offset),
    mqs_sizeof_fp: Some(size_of_type),
};

unsafe extern "C" fn get_type_sizes(process: *mut mqs_process, sizes: *mut mqs_target_type_sizes) {
    on_session((), |session| {
        if session.knows_process(process) && !sizes.is_null() {
            // SAFETY: 5.6.11 has the DLL pass room for the five ints of 5.2.3. That is all that is
            // written, whatever its own type has.
            unsafe { sizes.write_unaligned(session.type_sizes()) }
        }
    });
}

unsafe extern "C" fn find_function(
    image: *mut mqs_image,
    fname: *mut c_char,
    _lang: mqs_lang_code,
    addr: *mut mqs_taddr_t,
) -> c_int {
    on_session(mqs_no_information, |session| {
        session.count(|stats| stats.function_lookups += 1);
        if session.faults.fails(Callback::FindFunction) {
            return mqs_no_information;
        }
        // SAFETY: 5.6.12 has the DLL pass a zero-terminated name, and NULL or room for an address.
        unsafe { look_up(session, image, fname, addr, Session::find_function) }
    })
}

unsafe extern "C" fn find_symbol(
    image: *mut mqs_image,
    sname: *mut c_char,
    addr: *mut mqs_taddr_t,
) -> c_int {
    on_session(mqs_no_information, |session| {
        session.count(|stats| stats.symbol_lookups += 1);
        if session.faults.fails(Callback::FindSymbol) {
            return mqs_no_information;
        }
        // SAFETY: 5.6.13 has the DLL pass a zero-terminated name, and NULL or room for an address.
        unsafe { look_up(session, image, sname, addr, Session::find_symbol) }
    })
}

/// The common part of the two look-ups.
///
/// # Safety
/// `wanted` is NULL or a zero-terminated string, `addr` is NULL or has room for an address.
unsafe fn look_up(
    session: &Session,
    image: *mut mqs_image,
    wanted: *const c_char,
    addr: *mut mqs_taddr_t,
    find: impl FnOnce(&Session, &str) -> Option<u64>,
) -> c_int {
    // SAFETY: by this function's contract.
    let wanted = unsafe { name(wanted) };
    let Some(wanted) = wanted else { return mqs_no_information };
    if !session.knows_image(image) {
        return mqs_no_information;
    }
    match find(session, &wanted).map(mqs_taddr_t::try_from) {
        Some(Ok(found)) => {
            // DLLs in use pass NULL to ask only whether a name exists.
            if !addr.is_null() {
                // SAFETY: not NULL, so there is room by this function's contract.
                unsafe { addr.write_unaligned(found) }
            }
            mqs_ok
        }
        _ => mqs_no_information,
    }
}

unsafe extern "C" fn find_type(
    image: *mut mqs_image,
    tname: *mut c_char,
    _lang: mqs_lang_code,
) -> *mut mqs_type {
    on_session(ptr::null_mut(), |session| {
        session.count(|stats| stats.type_lookups += 1);
        if session.faults.fails(Callback::FindType) {
            return ptr::null_mut();
        }
        // SAFETY: 5.6.14 has the DLL pass a zero-terminated name.
        let wanted = unsafe { name(tname) };
        match wanted {
            Some(wanted) if session.knows_image(image) => session.find_type(&wanted),
            _ => ptr::null_mut(),
        }
    })
}

unsafe extern "C" fn field_offset(ty: *mut mqs_type, fname: *mut c_char) -> c_int {
    on_session(-1, |session| {
        session.count(|stats| stats.field_lookups += 1);
        if session.faults.fails(Callback::FieldOffset) {
            return -1;
        }
        // SAFETY: 5.6.15 has the DLL pass a zero-terminated name.
        let field = unsafe { name(fname) };
        field.and_then(|field| session.field_offset(ty, &field)).unwrap_or(-1)
    })
}

/// -1 for what is not a type, or a type without a size: 5.6.16 names no error.
unsafe extern "C" fn size_of_type(ty: *mut mqs_type) -> c_int {
    on_session(-1, |session| {
        session.count(|stats| stats.size_lookups += 1);
        session.size_of(ty).unwrap_or(-1)
    })
}
