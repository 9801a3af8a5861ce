//! Attributes of communicators (MPI 5.0, section 7.7.2).

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering};

use super::object::resolve;
use crate::abi::*;
use crate::arguments::Out;
use crate::attributes::{AttributeValue, Functions, KeyOwner, create, find, free, give};
use crate::error::{Error, Result};
use crate::process;

/// The predefined attributes of communicators (MPI 5.0, section 9.1.2): addresses of ints.
fn predefined(key: c_int) -> Option<AttributeValue> {
    struct Ints {
        tag_ub: AtomicI32,
        io: AtomicI32,
        host: AtomicI32,
        wtime_is_global: AtomicI32,
        last_used_code: AtomicI32,
        universe_size: AtomicI32,
        appnum: AtomicI32,
    }
    static INTS: Ints = Ints {
        tag_ub: AtomicI32::new(c_int::MAX),
        io: AtomicI32::new(MPI_ANY_SOURCE),
        host: AtomicI32::new(MPI_PROC_NULL),
        wtime_is_global: AtomicI32::new(1),
        last_used_code: AtomicI32::new(0),
        universe_size: AtomicI32::new(0),
        appnum: AtomicI32::new(0),
    };
    let int = match key {
        MPI_TAG_UB => &INTS.tag_ub,
        MPI_IO => &INTS.io,
        MPI_HOST => &INTS.host,
        MPI_WTIME_IS_GLOBAL => &INTS.wtime_is_global,
        MPI_LASTUSEDCODE => {
            INTS.last_used_code.store(crate::error_codes::last_used_code(), Ordering::Relaxed);
            &INTS.last_used_code
        }
        MPI_UNIVERSE_SIZE => {
            INTS.universe_size.store(process::universe(), Ordering::Relaxed);
            &INTS.universe_size
        }
        MPI_APPNUM => {
            INTS.appnum.store(process::program()?, Ordering::Relaxed);
            &INTS.appnum
        }
        _ => return None,
    };
    Some(int.as_ptr().cast())
}

/// Keys of the ABI: they cannot be set, deleted or freed. `MPI_APPNUM` has no value without a
/// launcher.
fn is_predefined(key: c_int) -> bool {
    predefined(key).is_some() || key == MPI_APPNUM
}

fn changeable(key: c_int) -> Result {
    if is_predefined(key) {
        return Err(Error::new(
            MPI_ERR_KEYVAL,
            format!("the attribute {key} is predefined and cannot be changed"),
        ));
    }
    Ok(())
}

/// `MPI_Comm_create_keyval`, `MPI_Keyval_create`
pub(crate) fn create_keyval(
    copy: MPI_Comm_copy_attr_function,
    delete: MPI_Comm_delete_attr_function,
    keyval: Out<c_int>,
    extra_state: *mut c_void,
) -> Result {
    create(Functions::Communicator(copy, delete), keyval, extra_state)
}

/// `MPI_Comm_free_keyval`, `MPI_Keyval_free`: attributes with the key stay.
pub(crate) fn free_keyval(keyval: Out<c_int>) -> Result {
    changeable(keyval.get())?;
    free(keyval, KeyOwner::Communicator)
}

/// `MPI_Comm_set_attr`, `MPI_Attr_put`
pub(crate) fn set_attr(comm: MPI_Comm, keyval: c_int, attribute_val: *mut c_void) -> Result {
    let communicator = resolve(comm)?;
    changeable(keyval)?;
    communicator.annex.attributes.set(comm.0, find(keyval, KeyOwner::Communicator)?, attribute_val)
}

/// `MPI_Comm_get_attr`, `MPI_Attr_get`
pub(crate) fn get_attr(
    comm: MPI_Comm,
    keyval: c_int,
    attribute_val: *mut c_void,
    flag: Out<c_int>,
) -> Result {
    let communicator = resolve(comm)?;
    if is_predefined(keyval) {
        // The others are those of MPI_COMM_WORLD, which no session has.
        let has_all = communicator.program.session.get() == 0;
        let value = predefined(keyval).filter(|_| has_all || keyval == MPI_TAG_UB);
        return give(value, attribute_val, flag);
    }
    let found = communicator.annex.attributes.get(keyval);
    if found.is_none() {
        find(keyval, KeyOwner::Communicator)?;
    }
    give(found, attribute_val, flag)
}

/// `MPI_Comm_delete_attr`, `MPI_Attr_delete`
pub(crate) fn delete_attr(comm: MPI_Comm, keyval: c_int) -> Result {
    let communicator = resolve(comm)?;
    changeable(keyval)?;
    communicator.annex.attributes.delete(comm.0, keyval)
}
