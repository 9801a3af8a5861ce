//! Sessions and their handles.

use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::abi::*;
use crate::arguments::Out;
use crate::engine::room::Holder;
use crate::engine::{self, attached};
use crate::errhandler::{self, ErrorsOf};
use crate::error::{Error, Result};
use crate::handles::{HandleKind, Table};
use crate::info;
use crate::lifetime;
use crate::process;

/// A session.
pub(crate) struct Session {
    errhandler: AtomicUsize,
    thread_level: &'static str,
}

static SESSIONS: Table<Session> = Table::new(HandleKind::Session);

/// The session of a handle; `MPI_ERR_SESSION` if there is none.
pub(crate) fn resolve(handle: MPI_Session) -> Result<Arc<Session>> {
    SESSIONS.get(handle.0).ok_or_else(|| {
        let what = match handle {
            MPI_SESSION_NULL => "MPI_SESSION_NULL",
            _ => "not that of a session, or of one that is over",
        };
        Error::new(MPI_ERR_SESSION, format!("the handle is {what}"))
    })
}

impl Session {
    /// Its error handler.
    pub(crate) fn errhandler(&self) -> MPI_Errhandler {
        MPI_Errhandler(self.errhandler.load(Ordering::Acquire))
    }

    /// Replaces its error handler; returns the previous one. The caller adjusts the use counts.
    pub(crate) fn set_errhandler(&self, errhandler: MPI_Errhandler) -> MPI_Errhandler {
        MPI_Errhandler(self.errhandler.swap(errhandler.0, Ordering::AcqRel))
    }
}

/// The levels of thread support by their names in info objects.
const LEVELS: [(&str, c_int); 4] = [
    ("MPI_THREAD_SINGLE", MPI_THREAD_SINGLE),
    ("MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED),
    ("MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED),
    ("MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE),
];

/// The level that the program asks for. If it does not say, `MPI_THREAD_SINGLE`, or
/// `MPI_THREAD_MULTIPLE` if the process has several threads already.
fn level(hints: MPI_Info) -> Result<(&'static str, c_int)> {
    let Some(asked) = info::hint(hints, c"thread_level")? else {
        return Ok(LEVELS[if process::has_several_threads_now() { 3 } else { 0 }]);
    };
    LEVELS.into_iter().find(|(name, _)| *name == asked).ok_or_else(|| {
        let message = format!("thread_level is {asked:?}, which is no level of thread support");
        Error::new(MPI_ERR_INFO_VALUE, message)
    })
}

/// `MPI_Session_init`
pub(crate) fn init(
    hints: MPI_Info,
    errhandler: MPI_Errhandler,
    session: Out<MPI_Session>,
) -> Result {
    session.set(MPI_SESSION_NULL);
    let (thread_level, level) = level(hints)?;
    errhandler::retain_for(errhandler, ErrorsOf::Sessions)?;
    // Each session may be used by another thread, unless there is only one thread.
    let several = level != MPI_THREAD_SINGLE;
    let level = if several { MPI_THREAD_MULTIPLE } else { MPI_THREAD_SINGLE };
    lifetime::begin(level, || {}).inspect_err(|_| errhandler::release(errhandler))?;
    let object = Session { errhandler: AtomicUsize::new(errhandler.0), thread_level };
    session.set(MPI_Session(SESSIONS.insert(object)));
    Ok(())
}

/// `MPI_Session_finalize`
pub(crate) fn finalize(session: Out<MPI_Session>) -> Result {
    let handle = session.get();
    let object = resolve(handle)?;
    // A buffer that is attached to the session belongs to the program again after this call.
    attached::empty(Holder::Session(handle.0));
    lifetime::end();
    if engine::is_running() {
        engine::enter().forget_buffer(handle.0);
    }
    SESSIONS.remove(handle.0);
    errhandler::release(object.errhandler());
    session.set(MPI_SESSION_NULL);
    Ok(())
}

/// `MPI_Session_get_info`: the level of thread support, and the kinds of memory that MPI accepts.
pub(crate) fn get_info(session: MPI_Session, info_used: Out<MPI_Info>) -> Result {
    let session = resolve(session)?;
    info::create_with(info_used, [("thread_level", session.thread_level), info::MEMORY_KINDS])
}

/// `MPI_Session_fromint`
pub(crate) fn from_int(integer: c_int) -> MPI_Session {
    SESSIONS.handle_of(integer)
}
