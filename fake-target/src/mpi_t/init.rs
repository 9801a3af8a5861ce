//! The beginning and the end of the interface's use, counted (MPI 3.1, section 14.3.4).

use super::give::give_required;
use super::in_use::{USERS, check, not_initialized};
use super::{cvar, event, observer, pvar};
use crate::abi::*;
use crate::error::{Error, Result};
use std::ffi::c_int;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

static CHANGE: Mutex<()> = Mutex::new(());

/// `MPI_T_init_thread`. The interface may always be used by several threads at a time.
pub(crate) fn init_thread(required: c_int, provided: *mut c_int) -> Result {
    if ![MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE]
        .contains(&required)
    {
        return Err(Error::new(
            MPI_T_ERR_INVALID,
            format!("{required} is no level of thread support"),
        ));
    }
    give_required(provided, "provided", MPI_THREAD_MULTIPLE)?;
    cvar::environment::read();
    observer::attach();
    let _change = CHANGE.lock().unwrap_or_else(PoisonError::into_inner);
    USERS.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

/// `MPI_T_finalize`. The last call ends all sessions, handles and registrations.
pub(crate) fn finalize() -> Result {
    check()?;
    let _change = CHANGE.lock().unwrap_or_else(PoisonError::into_inner);
    let users = USERS.load(Ordering::Relaxed);
    // Another thread may have been quicker.
    let left = users.checked_sub(1).ok_or_else(not_initialized)?;
    USERS.store(left, Ordering::Relaxed);
    if left == 0 {
        event::free_all();
        pvar::free_all();
        cvar::free_all();
    }
    Ok(())
}
