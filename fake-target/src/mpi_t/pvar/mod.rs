//! Performance variables (MPI 3.1, section 14.3.7).
//!
//! - [`table`]: the metadata. [`handle`]: what a handle keeps of its own. What the runtime updates
//!   is in [`crate::variables`].
//! - This file: sessions and the functions.

mod handle;
pub(crate) mod table;

use super::give::{at, give, give_required, missing};
use super::in_use::check;
use super::slots::Slots;
use super::{categories, objects, strings};
use crate::abi::*;
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::handles::HandleKind;
use handle::{PvarHandle, invalid};
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError, RwLock};
use table::{Pvar, TABLE};

/// The variables of components that were added while the program runs, behind those of the table.
static ADDED: RwLock<Vec<&'static Pvar>> = RwLock::new(Vec::new());

/// Adds the variables of a component, which changes their categories.
pub(crate) fn add(component: &'static [Pvar]) {
    ADDED.write().unwrap_or_else(PoisonError::into_inner).extend(component);
    categories::changed();
}

/// All variables, in the order of their indices.
pub(crate) fn all() -> Vec<&'static Pvar> {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner);
    TABLE.iter().chain(added.iter().copied()).collect()
}

fn variable(index: c_int) -> Result<&'static Pvar> {
    check()?;
    at(&all(), index, MPI_T_ERR_INVALID_INDEX)
}

/// The indices of the variables in a category.
pub(super) fn of_category(category: usize) -> Vec<c_int> {
    let all = all();
    let indices = all.iter().enumerate().filter(|(_, pvar)| pvar.category == category);
    indices.map(|(index, _)| index as c_int).collect()
}

/// `MPI_T_pvar_get_num`
pub(crate) fn get_num(num: *mut c_int) -> Result {
    check()?;
    give_required(num, "num_pvar", all().len() as c_int)
}

/// `MPI_T_pvar_get_info`
#[expect(clippy::too_many_arguments, reason = "those of the C function")]
pub(crate) fn get_info(
    index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    class: *mut c_int,
    datatype: *mut MPI_Datatype,
    enumtype: *mut MPI_T_enum,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
    readonly: *mut c_int,
    continuous: *mut c_int,
    atomic: *mut c_int,
) -> Result {
    let pvar = variable(index)?;
    strings::give_both((pvar.name, name, name_len), (pvar.description, desc, desc_len))?;
    give(verbosity, pvar.verbosity);
    give(class, pvar.class);
    give(datatype, pvar.datatype());
    give(enumtype, pvar.enumeration.map_or(MPI_T_ENUM_NULL, |enumeration| enumeration.handle()));
    give(bind, pvar.bind());
    give(readonly, pvar.readonly().into());
    give(continuous, pvar.continuous().into());
    give(atomic, pvar.atomic().into());
    Ok(())
}

/// `MPI_T_pvar_get_index`
pub(crate) fn get_index(name: *const c_char, class: c_int, index: *mut c_int) -> Result {
    check()?;
    let name = strings::take(name, "name")?;
    let found = all().iter().position(|pvar| pvar.name == name && pvar.class == class);
    let found = found.ok_or_else(|| {
        Error::new(
            MPI_T_ERR_INVALID_NAME,
            format!("there is no performance variable {name} of the class {class}"),
        )
    })?;
    give_required(index, "pvar_index", found as c_int)
}

/// A session: its handles.
#[derive(Default)]
struct PvarSession {
    handles: Mutex<Vec<usize>>,
}

static SESSIONS: Slots<PvarSession> = Slots::new(HandleKind::PvarSession);
static HANDLES: Slots<PvarHandle> = Slots::new(HandleKind::PvarHandle);

impl PvarSession {
    /// Does something with each handle, even if it fails for one. `code` is the error in that case.
    fn each(&self, code: c_int, action: impl Fn(&'static PvarHandle) -> Result) -> Result {
        let handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut result = Ok(());
        for handle in handles.into_iter().filter_map(|handle| HANDLES.get(handle)) {
            if let Err(error) = action(handle) {
                result = Err(Error::new(code, error.message().to_owned()));
            }
        }
        result
    }
}

fn resolve_session(session: MPI_T_pvar_session) -> Result<&'static PvarSession> {
    check()?;
    let found = SESSIONS.get(session.0);
    found.ok_or_else(|| {
        Error::new(MPI_T_ERR_INVALID_SESSION, "the session is none, or has been freed")
    })
}

/// A handle of a session. A valid handle implies a valid session, since handles end with their
/// session.
#[inline]
fn resolve(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Result<&'static PvarHandle> {
    check()?;
    match HANDLES.get(handle.0) {
        Some(found) if found.session.load(Ordering::Relaxed) == session.0 => Ok(found),
        _ => Err(resolve_session(session).err().unwrap_or_else(invalid)),
    }
}

/// `MPI_T_pvar_session_create`
pub(crate) fn session_create(session: *mut MPI_T_pvar_session) -> Result {
    check()?;
    if session.is_null() {
        return give_required(session, "session", MPI_T_PVAR_SESSION_NULL);
    }
    let new = SESSIONS
        .take(|_, slot| slot.handles.lock().unwrap_or_else(PoisonError::into_inner).clear());
    let new =
        new.ok_or_else(|| Error::new(MPI_T_ERR_OUT_OF_SESSIONS, "there are no more sessions"))?;
    give_required(session, "session", MPI_T_pvar_session(new))
}

/// `MPI_T_pvar_session_free`: its handles end with it.
pub(crate) fn session_free(session: *mut MPI_T_pvar_session) -> Result {
    check()?;
    // SAFETY: a caller of MPI passes null or the address of a session.
    let session = unsafe { session.as_mut() };
    let session = session.ok_or_else(|| missing("session"))?;
    free_session(*session)?;
    *session = MPI_T_PVAR_SESSION_NULL;
    Ok(())
}

fn free_session(session: MPI_T_pvar_session) -> Result {
    let slot = resolve_session(session)?;
    let handles = std::mem::take(&mut *slot.handles.lock().unwrap_or_else(PoisonError::into_inner));
    SESSIONS.give_back(session.0);
    handles.into_iter().for_each(end_handle);
    Ok(())
}

fn end_handle(handle: usize) {
    if let Some(found) = HANDLES.get(handle) {
        found.end();
        HANDLES.give_back(handle);
    }
}

/// `MPI_T_pvar_handle_alloc`
pub(crate) fn handle_alloc(
    session: MPI_T_pvar_session,
    index: c_int,
    object: *mut c_void,
    handle: *mut MPI_T_pvar_handle,
    count: *mut c_int,
) -> Result {
    let owner = resolve_session(session)?;
    let pvar = variable(index)?;
    if handle.is_null() || count.is_null() {
        return Err(Error::new(
            MPI_T_ERR_INVALID,
            "the arguments handle and count must not be null",
        ));
    }
    let communicator = objects::resolve(pvar.bind(), object)?;
    let new = HANDLES.take(|_, slot| slot.begin(session.0, pvar, communicator));
    let new =
        new.ok_or_else(|| Error::new(MPI_T_ERR_OUT_OF_HANDLES, "there are no more handles"))?;
    owner.handles.lock().unwrap_or_else(PoisonError::into_inner).push(new);
    give(count, HANDLES.get(new).map_or(0, PvarHandle::count) as c_int);
    give(handle, MPI_T_pvar_handle(new));
    Ok(())
}

/// `MPI_T_pvar_handle_free`
pub(crate) fn handle_free(session: MPI_T_pvar_session, handle: *mut MPI_T_pvar_handle) -> Result {
    let owner = resolve_session(session)?;
    // SAFETY: a caller of MPI passes null or the address of a handle.
    let handle = unsafe { handle.as_mut() };
    let handle = handle.ok_or_else(|| missing("handle"))?;
    resolve(session, *handle)?;
    owner.handles.lock().unwrap_or_else(PoisonError::into_inner).retain(|own| *own != handle.0);
    end_handle(handle.0);
    *handle = MPI_T_PVAR_HANDLE_NULL;
    Ok(())
}

/// Does something with one handle, or with all of a session; the action learns whether it is one of
/// all, whose failure has the given code.
fn one_or_all(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    code: c_int,
    action: impl Fn(&'static PvarHandle, bool) -> Result,
) -> Result {
    if handle == MPI_T_PVAR_ALL_HANDLES {
        return resolve_session(session)?.each(code, |handle| action(handle, true));
    }
    action(resolve(session, handle)?, false)
}

/// `MPI_T_pvar_start`
pub(crate) fn start(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Result {
    one_or_all(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, |handle, all| handle.start(true, all))
}

/// `MPI_T_pvar_stop`
pub(crate) fn stop(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Result {
    one_or_all(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, |handle, all| handle.start(false, all))
}

/// `MPI_T_pvar_read`
#[inline]
pub(crate) fn read(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    buf: *mut c_void,
) -> Result {
    resolve(session, handle)?.read(buf)
}

/// `MPI_T_pvar_write`
pub(crate) fn write(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    buf: *const c_void,
) -> Result {
    resolve(session, handle)?.set(Some(buf), false)
}

/// `MPI_T_pvar_reset`
pub(crate) fn reset(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Result {
    one_or_all(session, handle, MPI_T_ERR_PVAR_NO_WRITE, |handle, all| handle.set(None, all))
}

/// `MPI_T_pvar_readreset`
pub(crate) fn readreset(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    buf: *mut c_void,
) -> Result {
    resolve(session, handle)?.read_and_reset(buf)
}

/// A communicator ends.
pub(super) fn communicator_gone(context: &Context) {
    for handle in HANDLES.handles() {
        if let Some(handle) = HANDLES.get(handle) {
            handle.communicator_gone(context);
        }
    }
}

/// Ends all sessions and their handles.
pub(super) fn free_all() {
    for session in SESSIONS.handles() {
        let slot = SESSIONS.get(session);
        SESSIONS.give_back(session);
        let handles = slot.map(|slot| {
            std::mem::take(&mut *slot.handles.lock().unwrap_or_else(PoisonError::into_inner))
        });
        handles.into_iter().flatten().for_each(end_handle);
    }
}
