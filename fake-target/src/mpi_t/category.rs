//! Categories: the functions (MPI 3.1, section 14.3.8).

use super::categories::{CATEGORIES, CHANGES, Category};
use super::give::{checked, give, give_required};
use super::in_use::check;
use super::{cvar, event, pvar, strings};
use crate::abi::*;
use crate::error::{Error, Result};
use std::ffi::{c_char, c_int};
use std::sync::atomic::Ordering;

fn category(index: c_int) -> Result<(usize, &'static Category)> {
    check()?;
    let index = checked(index, CATEGORIES.len(), MPI_T_ERR_INVALID_INDEX)?;
    Ok((index, &CATEGORIES[index]))
}

fn children(category: usize) -> Vec<c_int> {
    let indices = CATEGORIES.iter().enumerate().filter(|(_, child)| child.parent == Some(category));
    indices.map(|(index, _)| index as c_int).collect()
}

/// `MPI_T_category_get_num`
pub(crate) fn get_num(num: *mut c_int) -> Result {
    check()?;
    give_required(num, "num_cat", CATEGORIES.len() as c_int)
}

/// `MPI_T_category_get_info`
#[expect(clippy::too_many_arguments, reason = "those of the C function")]
pub(crate) fn get_info(
    index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    desc: *mut c_char,
    desc_len: *mut c_int,
    num_cvars: *mut c_int,
    num_pvars: *mut c_int,
    num_categories: *mut c_int,
) -> Result {
    let (index, category) = category(index)?;
    strings::give_both((category.name, name, name_len), (category.description, desc, desc_len))?;
    give(num_cvars, cvar::of_category(index).len() as c_int);
    give(num_pvars, pvar::of_category(index).len() as c_int);
    give(num_categories, children(index).len() as c_int);
    Ok(())
}

/// `MPI_T_category_get_num_events`
pub(crate) fn get_num_events(index: c_int, num: *mut c_int) -> Result {
    let (index, _) = category(index)?;
    give_required(num, "num_events", event::of_category(index).len() as c_int)
}

/// `MPI_T_category_get_index`
pub(crate) fn get_index(name: *const c_char, index: *mut c_int) -> Result {
    check()?;
    let name = strings::take(name, "name")?;
    let found = CATEGORIES.iter().position(|category| category.name == name);
    let found = found.ok_or_else(|| {
        Error::new(MPI_T_ERR_INVALID_NAME, format!("there is no category {name}"))
    })?;
    give_required(index, "cat_index", found as c_int)
}

/// Writes as many indices as the array holds; the rest of the array stays as it is.
fn list(found: Vec<c_int>, length: c_int, indices: *mut c_int) -> Result {
    let room = usize::try_from(length)
        .map_err(|_| Error::new(MPI_T_ERR_INVALID, format!("the length {length} is negative")))?;
    let count = found.len().min(room);
    let to = crate::arguments::array_mut(indices, count, "indices")
        .map_err(|error| error.with_code(MPI_T_ERR_INVALID))?;
    to.copy_from_slice(&found[..count]);
    Ok(())
}

/// `MPI_T_category_get_cvars`
pub(crate) fn get_cvars(index: c_int, length: c_int, indices: *mut c_int) -> Result {
    list(cvar::of_category(category(index)?.0), length, indices)
}

/// `MPI_T_category_get_pvars`
pub(crate) fn get_pvars(index: c_int, length: c_int, indices: *mut c_int) -> Result {
    list(pvar::of_category(category(index)?.0), length, indices)
}

/// `MPI_T_category_get_events`
pub(crate) fn get_events(index: c_int, length: c_int, indices: *mut c_int) -> Result {
    list(event::of_category(category(index)?.0), length, indices)
}

/// `MPI_T_category_get_categories`
pub(crate) fn get_categories(index: c_int, length: c_int, indices: *mut c_int) -> Result {
    list(children(category(index)?.0), length, indices)
}

/// `MPI_T_category_changed`
pub(crate) fn get_changed(stamp: *mut c_int) -> Result {
    check()?;
    give_required(stamp, "stamp", CHANGES.load(Ordering::Acquire))
}
