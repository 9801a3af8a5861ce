//! Error handlers (MPI 5.0, section 9.3).

use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::abi::*;
use crate::arguments::Out;
use crate::error::{Error, Result};
use crate::handles::{Kind, Table};
use crate::process;

/// A handler that the program made. It lives while its handle or an object that it is attached to
/// does.
struct UserHandler {
    function: MPI_Comm_errhandler_function,
    references: AtomicUsize,
}

static HANDLERS: Table<UserHandler> = Table::new(Kind::ErrorHandler);

fn is_predefined(handler: MPI_Errhandler) -> bool {
    [MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN].contains(&handler)
}

/// Counts one more user of a handler; `MPI_ERR_ERRHANDLER` if it is none.
pub(crate) fn retain(handler: MPI_Errhandler) -> Result {
    if !is_predefined(handler) {
        let object = HANDLERS.get(handler.0).ok_or_else(invalid)?;
        object.references.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// Counts one user less.
pub(crate) fn release(handler: MPI_Errhandler) {
    if let Some(object) = HANDLERS.get(handler.0)
        && object.references.fetch_sub(1, Ordering::AcqRel) == 1
    {
        HANDLERS.remove(handler.0);
    }
}

fn invalid() -> Error {
    Error::new(MPI_ERR_ERRHANDLER, "the handle is not that of an error handler")
}

/// Calls a handler of the program, or whatever a predefined one does; `complain` says on standard
/// error what failed before the job ends.
pub(crate) fn invoke(
    handler: MPI_Errhandler,
    communicator: MPI_Comm,
    code: c_int,
    complain: impl FnOnce(),
) {
    if handler == MPI_ERRORS_RETURN {
        return;
    }
    if let Some(object) = HANDLERS.get(handler.0)
        && let Some(function) = object.function
    {
        let (mut communicator, mut code) = (communicator, code);
        // SAFETY: the program registered the function for communicators; both addresses are those
        // of variables here.
        unsafe { function(&mut communicator, &mut code) };
        return;
    }
    complain();
    process::end_job(code)
}

/// `MPI_Comm_create_errhandler`
pub(crate) fn comm_create(
    function: MPI_Comm_errhandler_function,
    errhandler: Out<MPI_Errhandler>,
) -> Result {
    if function.is_none() {
        return Err(Error::new(MPI_ERR_ARG, "the function is a null pointer"));
    }
    let handle = HANDLERS.insert(UserHandler { function, references: AtomicUsize::new(1) });
    errhandler.set(MPI_Errhandler(handle));
    Ok(())
}

/// `MPI_Errhandler_free`
pub(crate) fn free(errhandler: Out<MPI_Errhandler>) -> Result {
    let handler = errhandler.get();
    if !is_predefined(handler) && HANDLERS.get(handler.0).is_none() {
        return Err(invalid());
    }
    release(handler);
    errhandler.set(MPI_ERRHANDLER_NULL);
    Ok(())
}

/// `MPI_Errhandler_fromint`
pub(crate) fn from_int(errhandler: c_int) -> MPI_Errhandler {
    HANDLERS.handle_of(errhandler)
}
