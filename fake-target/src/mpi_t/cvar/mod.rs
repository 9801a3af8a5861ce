//! Control variables (MPI 3.1, section 14.3.6). Their descriptions stand beside the code (`cvar!`);
//! [`table`] is gathered from them.

pub(crate) mod environment;
pub(crate) mod table;
mod value;
mod variable;

use super::give::{give, give_required, missing};
use super::in_use::check;
use super::slots::Slots;
use super::{objects, strings};
use crate::abi::*;
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::handles::HandleKind;
use crate::phase::{self, Phase};
use crate::variables::counters::COLLECTIVES_UNDER_WAY;
use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use table::TABLE;
use variable::{Cvar, Writable};

/// A handle of the program.
#[derive(Default)]
struct CvarHandle {
    index: AtomicUsize,
    /// The context of the communicator that it is bound to.
    context: AtomicPtr<Context>,
    /// The handle is bound to a communicator that is gone.
    orphan: AtomicUsize,
}

static HANDLES: Slots<CvarHandle> = Slots::new(HandleKind::CvarHandle);

fn variable(index: c_int) -> Result<&'static Cvar> {
    check()?;
    let found = usize::try_from(index).ok().and_then(|index| TABLE.get(index));
    found.ok_or_else(|| {
        Error::new(MPI_T_ERR_INVALID_INDEX, format!("there is no control variable {index}"))
    })
}

/// `MPI_T_cvar_get_num`
pub(crate) fn get_num(num: *mut c_int) -> Result {
    check()?;
    give_required(num, "num_cvar", TABLE.len() as c_int)
}

/// `MPI_T_cvar_get_info`
#[expect(clippy::too_many_arguments, reason = "those of the C function")]
pub(crate) fn get_info(
    index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    datatype: *mut MPI_Datatype,
    enumtype: *mut MPI_T_enum,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
    scope: *mut c_int,
) -> Result {
    let cvar = variable(index)?;
    strings::give_both((cvar.name, name, name_len), (&cvar.full_description(), desc, desc_len))?;
    give(verbosity, cvar.verbosity);
    give(datatype, cvar.value.datatype());
    give(
        enumtype,
        cvar.value.enumeration().map_or(MPI_T_ENUM_NULL, |enumeration| enumeration.handle()),
    );
    give(bind, cvar.value.bind());
    give(scope, cvar.scope);
    Ok(())
}

/// `MPI_T_cvar_get_index`
pub(crate) fn get_index(name: *const c_char, index: *mut c_int) -> Result {
    check()?;
    let name = strings::take(name, "name")?;
    let found = TABLE.binary_search_by(|cvar| cvar.name.cmp(name));
    let found = found.map_err(|_| {
        Error::new(MPI_T_ERR_INVALID_NAME, format!("there is no control variable {name}"))
    })?;
    give_required(index, "cvar_index", found as c_int)
}

/// `MPI_T_cvar_handle_alloc`
pub(crate) fn handle_alloc(
    index: c_int,
    object: *mut c_void,
    handle: *mut MPI_T_cvar_handle,
    count: *mut c_int,
) -> Result {
    let cvar = variable(index)?;
    if handle.is_null() || count.is_null() {
        return Err(Error::new(
            MPI_T_ERR_INVALID,
            "the arguments handle and count must not be null",
        ));
    }
    let context = objects::resolve(cvar.value.bind(), object)?;
    let new = HANDLES.take(|_, slot| {
        slot.index.store(index as usize, Ordering::Relaxed);
        slot.context.store(
            context.map_or(ptr::null_mut(), |one| ptr::from_ref(one).cast_mut()),
            Ordering::Relaxed,
        );
        slot.orphan.store(0, Ordering::Relaxed);
    });
    let new =
        new.ok_or_else(|| Error::new(MPI_T_ERR_OUT_OF_HANDLES, "there are no more handles"))?;
    give(handle, MPI_T_cvar_handle(new));
    give(count, cvar.value.count());
    Ok(())
}

/// `MPI_T_cvar_handle_free`
pub(crate) fn handle_free(handle: *mut MPI_T_cvar_handle) -> Result {
    check()?;
    // SAFETY: a caller of MPI passes null or the address of a handle.
    let handle = unsafe { handle.as_mut() };
    let handle = handle.ok_or_else(|| missing("handle"))?;
    if !HANDLES.give_back(handle.0) {
        return Err(invalid_handle());
    }
    *handle = MPI_T_CVAR_HANDLE_NULL;
    Ok(())
}

#[cold]
fn invalid_handle() -> Error {
    Error::new(MPI_T_ERR_INVALID_HANDLE, "the handle names no control variable (any more)")
}

/// The variable of a handle, and the context of the communicator that it is bound to.
#[inline]
fn resolve(handle: MPI_T_cvar_handle) -> Result<(&'static Cvar, Option<&'static Context>)> {
    check()?;
    let slot = HANDLES.get(handle.0).ok_or_else(invalid_handle)?;
    if slot.orphan.load(Ordering::Acquire) != 0 {
        return Err(invalid_handle());
    }
    // SAFETY: null, or that of a communicator: `communicator_gone` marks the handles of those that
    // end.
    let context = unsafe { slot.context.load(Ordering::Relaxed).as_ref() };
    Ok((&TABLE[slot.index.load(Ordering::Relaxed)], context))
}

/// `MPI_T_cvar_read`
pub(crate) fn read(handle: MPI_T_cvar_handle, buf: *mut c_void) -> Result {
    let (cvar, context) = resolve(handle)?;
    if buf.is_null() {
        return Err(missing("buf"));
    }
    cvar.value.read(context, buf);
    Ok(())
}

/// `MPI_T_cvar_write`
pub(crate) fn write(handle: MPI_T_cvar_handle, buf: *const c_void) -> Result {
    let (cvar, context) = resolve(handle)?;
    if buf.is_null() {
        return Err(missing("buf"));
    }
    if [MPI_T_SCOPE_CONSTANT, MPI_T_SCOPE_READONLY].contains(&cvar.scope) {
        return Err(Error::new(
            MPI_T_ERR_CVAR_SET_NEVER,
            format!("{} can only be read", cvar.name),
        ));
    }
    match cvar.writable {
        Writable::BeforeInit if phase::phase() != Phase::NotInitialized => {
            // MPI starts once in a process, so there is no later time.
            return Err(Error::new(
                MPI_T_ERR_CVAR_SET_NEVER,
                format!("{} is used by MPI_Init", cvar.name),
            ));
        }
        Writable::OutsideCollectives if COLLECTIVES_UNDER_WAY.get() > 0 => {
            let message = format!("{} cannot change during a collective operation", cvar.name);
            return Err(Error::new(MPI_T_ERR_CVAR_SET_NOT_NOW, message));
        }
        _ => {}
    }
    cvar.value.write(context, buf)
}

/// A communicator ends. Handles bound to it can only be freed.
pub(super) fn communicator_gone(context: &Context) {
    for handle in HANDLES.handles() {
        if let Some(slot) = HANDLES.get(handle)
            && ptr::eq(slot.context.load(Ordering::Relaxed), context)
        {
            slot.orphan.store(1, Ordering::Release);
            slot.context.store(ptr::null_mut(), Ordering::Relaxed);
        }
    }
}

/// Ends all handles.
pub(super) fn free_all() {
    for handle in HANDLES.handles() {
        HANDLES.give_back(handle);
    }
}

/// The indices of the variables in a category.
pub(super) fn of_category(category: usize) -> Vec<c_int> {
    let indices = TABLE.iter().enumerate().filter(|(_, cvar)| cvar.category == category);
    indices.map(|(index, _)| index as c_int).collect()
}
