//! The process callbacks (5.6.17 to 5.6.21): rank, memory, byte order.

use std::ffi::{c_int, c_void};
use std::{ptr, slice};

use mqs_abi::{
    MQS_INVALID_PROCESS, mqs_image, mqs_no_information, mqs_ok, mqs_process, mqs_process_callbacks,
    mqs_taddr_t,
};

use super::faults::Callback;
use super::on_session;

/// The table for `mqs_setup_process`.
pub static PROCESS: mqs_process_callbacks = mqs_process_callbacks {
    mqs_get_global_rank_fp: Some(get_global_rank),
    mqs_get_image_fp: Some(get_image),
    mqs_fetch_data_fp: Some(fetch_data),
    mqs_target_to_host_fp: Some(target_to_host),
};

unsafe extern "C" fn get_global_rank(process: *mut mqs_process) -> c_int {
    on_session(MQS_INVALID_PROCESS, |session| {
        if session.faults.fails(Callback::GetGlobalRank) {
            return MQS_INVALID_PROCESS;
        }
        let rank = session.rank().filter(|_| session.knows_process(process));
        rank.and_then(|rank| c_int::try_from(rank).ok()).unwrap_or(MQS_INVALID_PROCESS)
    })
}

unsafe extern "C" fn get_image(process: *mut mqs_process) -> *mut mqs_image {
    on_session(ptr::null_mut(), |session| {
        if session.knows_process(process) { session.image() } else { ptr::null_mut() }
    })
}

unsafe extern "C" fn fetch_data(
    process: *mut mqs_process,
    addr: mqs_taddr_t,
    size: c_int,
    buf: *mut c_void,
) -> c_int {
    on_session(mqs_no_information, |session| {
        let wanted = usize::try_from(size).ok();
        session.count(|stats| {
            stats.fetches += 1;
            stats.bytes_fetched += wanted.unwrap_or(0) as u64;
        });
        let done = match wanted {
            _ if session.faults.fails(Callback::FetchData) => false,
            Some(0) => true,
            Some(wanted) if session.knows_process(process) && !buf.is_null() => {
                // SAFETY: 5.6.20 has the DLL pass room for `size` bytes. They are zeroed first
                // since they may never have been written.
                let bytes = unsafe {
                    ptr::write_bytes(buf.cast::<u8>(), 0, wanted);
                    slice::from_raw_parts_mut(buf.cast::<u8>(), wanted)
                };
                session.read(addr, bytes)
            }
            _ => false,
        };
        if !done {
            session.count(|stats| stats.failed_fetches += 1);
            return mqs_no_information;
        }
        mqs_ok
    })
}

/// One value of any size: the bytes as they are, or in the opposite order.
unsafe extern "C" fn target_to_host(
    process: *mut mqs_process,
    indata: *const c_void,
    outdata: *mut c_void,
    size: c_int,
) {
    on_session((), |session| {
        session.count(|stats| stats.conversions += 1);
        let Ok(size) = usize::try_from(size) else { return };
        if indata.is_null() || outdata.is_null() || size == 0 || !session.knows_process(process) {
            return;
        }
        // SAFETY: 5.6.21 has the DLL pass `size` bytes to read and room for as many; `copy` lets
        // the two overlap.
        let value = unsafe {
            ptr::copy(indata.cast::<u8>(), outdata.cast::<u8>(), size);
            slice::from_raw_parts_mut(outdata.cast::<u8>(), size)
        };
        if session.swaps_bytes() {
            value.reverse();
        }
    });
}
