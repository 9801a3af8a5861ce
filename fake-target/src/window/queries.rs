//! What a program asks about windows and stores with them: attributes, names, hints (MPI 5.0,
//! sections 7.7.3, 7.8, 12.2.6 and 12.2.7).

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::PoisonError;

use super::object::{Flavor, Window, resolve};
use crate::abi::*;
use crate::arguments::{CountOut, Out, out};
use crate::attributes::{AttributeValue, Functions, KeyOwner, find, free, give};
use crate::error::{Error, Result};
use crate::{attributes, group, text};

/// The predefined attributes: the memory's address, and addresses of numbers.
fn predefined(window: &Window, key: c_int) -> Option<AttributeValue> {
    let values = &window.values;
    let number = |number: &c_int| ptr::from_ref(number).cast_mut().cast();
    Some(match key {
        MPI_WIN_BASE => window.base(),
        MPI_WIN_SIZE => ptr::from_ref(&values.size).cast_mut().cast(),
        MPI_WIN_DISP_UNIT => number(&values.disp_unit),
        MPI_WIN_CREATE_FLAVOR => number(&values.flavor),
        MPI_WIN_MODEL => number(&values.model),
        _ => return None,
    })
}

fn changeable(key: c_int) -> Result {
    if (MPI_WIN_BASE..=MPI_WIN_MODEL).contains(&key) {
        return Err(Error::new(
            MPI_ERR_KEYVAL,
            format!("the attribute {key} is predefined and cannot be changed"),
        ));
    }
    Ok(())
}

/// `MPI_Win_create_keyval`
pub(crate) fn create_keyval(
    copy: MPI_Win_copy_attr_function,
    delete: MPI_Win_delete_attr_function,
    keyval: Out<c_int>,
    extra_state: *mut c_void,
) -> Result {
    attributes::create(Functions::Window(copy, delete), keyval, extra_state)
}

/// `MPI_Win_free_keyval`: attributes with the key stay.
pub(crate) fn free_keyval(keyval: Out<c_int>) -> Result {
    changeable(keyval.get())?;
    free(keyval, KeyOwner::Window)
}

/// `MPI_Win_set_attr`
pub(crate) fn set_attr(win: MPI_Win, keyval: c_int, attribute_val: *mut c_void) -> Result {
    let window = resolve(win)?;
    changeable(keyval)?;
    window.attributes.set(win.0, find(keyval, KeyOwner::Window)?, attribute_val)
}

/// `MPI_Win_get_attr`
pub(crate) fn get_attr(
    win: MPI_Win,
    keyval: c_int,
    attribute_val: *mut c_void,
    flag: Out<c_int>,
) -> Result {
    let window = resolve(win)?;
    let found = predefined(&window, keyval).or_else(|| window.attributes.get(keyval));
    if found.is_none() {
        find(keyval, KeyOwner::Window)?;
    }
    give(found, attribute_val, flag)
}

/// `MPI_Win_delete_attr`
pub(crate) fn delete_attr(win: MPI_Win, keyval: c_int) -> Result {
    let window = resolve(win)?;
    changeable(keyval)?;
    window.attributes.delete(win.0, keyval)
}

/// `MPI_Win_get_name`; the null handle has a name too.
pub(crate) fn get_name(win: MPI_Win, win_name: *mut c_char, resultlen: Out<c_int>) -> Result {
    let name = match win {
        MPI_WIN_NULL => b"MPI_WIN_NULL".to_vec(),
        _ => resolve(win)?.bytes_of_name(),
    };
    resultlen.set(text::copy_out(&name, win_name, MPI_MAX_OBJECT_NAME as usize)?);
    Ok(())
}

/// `MPI_Win_set_name`
pub(crate) fn set_name(win: MPI_Win, win_name: &CStr) -> Result {
    resolve(win)?.set_name(win_name.to_bytes());
    Ok(())
}

/// `MPI_Win_get_group`
pub(crate) fn get_group(win: MPI_Win, group: Out<MPI_Group>) -> Result {
    group.set(group::calls::register(resolve(win)?.communicator.local().clone()));
    Ok(())
}

/// `MPI_Win_set_info`
pub(crate) fn set_info(win: MPI_Win, info: MPI_Info) -> Result {
    let window = resolve(win)?;
    let mut hints = window.hints.lock().unwrap_or_else(PoisonError::into_inner);
    hints.update(info)
}

/// `MPI_Win_get_info`
pub(crate) fn get_info(win: MPI_Win, info_used: Out<MPI_Info>) -> Result {
    let window = resolve(win)?;
    let hints = window.hints.lock().unwrap_or_else(PoisonError::into_inner).clone();
    hints.give(info_used)
}

/// `MPI_Win_shared_query`: the memory of a rank as this process may load and store it; no bytes if
/// it may not. `MPI_PROC_NULL` stands for the first rank with memory.
pub(crate) fn shared_query(
    win: MPI_Win,
    rank: c_int,
    size: Out<MPI_Aint>,
    disp_unit: CountOut,
    baseptr: *mut c_void,
) -> Result {
    let window = resolve(win)?;
    let base = out(baseptr.cast::<*mut c_void>(), "baseptr")?;
    if window.flavor == Flavor::Dynamic {
        return Err(Error::new(
            MPI_ERR_RMA_FLAVOR,
            "a window of MPI_Win_create_dynamic has no memory of its own",
        ));
    }
    let share = match window.target(rank)? {
        Some(target) => Some(&window.shares[target]),
        None => window.shares.iter().find(|share| share.size > 0),
    };
    let share = share.filter(|share| !share.here.is_null());
    size.set(share.map_or(0, |share| share.size));
    disp_unit.set(share.map_or(1, |share| share.disp_unit as MPI_Count));
    // Other libraries show no memory as NULL, and programs rely on it.
    base.set(share.filter(|share| share.size > 0).map_or(ptr::null_mut(), |s| s.here.cast()));
    Ok(())
}
