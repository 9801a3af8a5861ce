//! Enumerations: the functions (MPI 3.1, section 14.3.5).

use super::enumeration::Enumeration;
use super::give::{at, give};
use super::in_use::check;
use super::strings;
use crate::abi::*;
use crate::error::{Error, Result};
use std::ffi::{c_char, c_int};

/// All enumerations.
pub(super) fn all() -> impl Iterator<Item = &'static Enumeration> {
    let cvars = super::cvar::table::TABLE.iter().filter_map(|cvar| cvar.value.enumeration());
    let pvars = super::pvar::all().into_iter().filter_map(|pvar| pvar.enumeration);
    let events = super::event::types::TYPES.iter().map(|kind| kind.elements_enumeration);
    cvars.chain(pvars).chain(events)
}

fn resolve(handle: MPI_T_enum) -> Result<&'static Enumeration> {
    check()?;
    let found = all().find(|enumeration| enumeration.handle() == handle);
    // Table 14.6 has the index codes for enumerations, and MPI_T_ERR_INVALID_HANDLE for all
    // handles: a wrong one is a wrong handle.
    found.ok_or_else(|| {
        Error::new(MPI_T_ERR_INVALID_HANDLE, "the handle is not that of an enumeration")
    })
}

/// `MPI_T_enum_get_info`
pub(crate) fn get_info(
    enumtype: MPI_T_enum,
    num: *mut c_int,
    name: *mut c_char,
    name_len: *mut c_int,
) -> Result {
    let enumeration = resolve(enumtype)?;
    strings::give(enumeration.name, name, name_len)?;
    give(num, enumeration.items.len() as c_int);
    Ok(())
}

/// `MPI_T_enum_get_item`
pub(crate) fn get_item(
    enumtype: MPI_T_enum,
    index: c_int,
    value: *mut c_int,
    name: *mut c_char,
    name_len: *mut c_int,
) -> Result {
    let enumeration = resolve(enumtype)?;
    // MPI 4.0 deprecated MPI_T_ERR_INVALID_ITEM, and took this code instead.
    let (number, item) = at(enumeration.items, index, MPI_T_ERR_INVALID_INDEX)?;
    strings::give(item, name, name_len)?;
    give(value, number);
    Ok(())
}
