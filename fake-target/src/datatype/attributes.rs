//! Attributes of datatypes (MPI 5.0, section 7.7.4).

use std::ffi::{c_int, c_void};

use super::lookup;
use crate::abi::*;
use crate::arguments::Out;
use crate::attributes::{Functions, KeyOwner, create, find, free, give};
use crate::error::Result;

/// `MPI_Type_create_keyval`
pub(crate) fn create_keyval(
    copy: MPI_Type_copy_attr_function,
    delete: MPI_Type_delete_attr_function,
    keyval: Out<c_int>,
    extra_state: *mut c_void,
) -> Result {
    create(Functions::Datatype(copy, delete), keyval, extra_state)
}

/// `MPI_Type_free_keyval`
pub(crate) fn free_keyval(keyval: Out<c_int>) -> Result {
    free(keyval, KeyOwner::Datatype)
}

/// `MPI_Type_set_attr`
pub(crate) fn set_attr(
    datatype: MPI_Datatype,
    keyval: c_int,
    attribute_val: *mut c_void,
) -> Result {
    let object = lookup::find(datatype)?;
    object.attributes().set(datatype.0, find(keyval, KeyOwner::Datatype)?, attribute_val)
}

/// `MPI_Type_get_attr`
pub(crate) fn get_attr(
    datatype: MPI_Datatype,
    keyval: c_int,
    attribute_val: *mut c_void,
    flag: Out<c_int>,
) -> Result {
    let object = lookup::find(datatype)?;
    let found = object.attributes().get(keyval);
    if found.is_none() {
        find(keyval, KeyOwner::Datatype)?;
    }
    give(found, attribute_val, flag)
}

/// `MPI_Type_delete_attr`
pub(crate) fn delete_attr(datatype: MPI_Datatype, keyval: c_int) -> Result {
    lookup::find(datatype)?.attributes().delete(datatype.0, keyval)
}
