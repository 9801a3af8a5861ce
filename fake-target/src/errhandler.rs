//! Error handlers (MPI 5.0, section 9.3): what happens when a function of MPI fails.

use std::ffi::{CStr, c_int};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::abi::*;
use crate::arguments::Out;
use crate::communicator;
use crate::error::{Error, Result};
use crate::error_codes;
use crate::handles::{Kind, Table};

/// Whose error handler hears of a failure.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Object {
    /// That of the communicator, if it is one; else that of the process.
    Communicator(MPI_Comm),
    /// That of `MPI_COMM_SELF`, which stands for the process (MPI 5.0, section 9.3).
    Process,
    /// Nobody's: files without a handler of their own and the tools interface just return the code.
    Nobody,
}

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

/// Tells the error handler of a failure; returns the code for the program.
#[cold]
pub(crate) fn raise(call: &'static CStr, object: Object, error: &Error) -> c_int {
    let object = match (error.communicator(), object) {
        (_, Object::Nobody) => return error.code(),
        (Some(communicator), _) => Object::Communicator(communicator),
        (None, object) => object,
    };
    let (communicator, handler) = attached(object);
    invoke(handler, communicator, error.code(), || complain(call, communicator, error));
    error.code()
}

/// The communicator that an error is about, and its handler.
fn attached(object: Object) -> (MPI_Comm, MPI_Errhandler) {
    let of = |communicator| Some((communicator, handler_of(communicator)?));
    match object {
        Object::Communicator(communicator) => of(communicator),
        _ => None,
    }
    .or_else(|| of(MPI_COMM_SELF))
    .unwrap_or((MPI_COMM_NULL, MPI_ERRORS_ARE_FATAL))
}

fn invoke(handler: MPI_Errhandler, communicator: MPI_Comm, code: c_int, complain: impl FnOnce()) {
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
    crate::environment::end_job(code)
}

/// Reports an error that no handler can take and ends the job.
#[cold]
pub(crate) fn fatal(call: &'static CStr, object: Object, error: &Error) -> ! {
    let (communicator, _) = attached(object);
    complain(call, communicator, error);
    crate::environment::end_job(error.code())
}

/// Says on the standard error output what failed.
fn complain(call: &'static CStr, communicator: MPI_Comm, error: &Error) {
    let call = call.to_string_lossy();
    let on = name_of(communicator).map(|name| format!(" on {name}")).unwrap_or_default();
    let what = error_codes::describe(error.code());
    let who =
        crate::environment::rank_in_job().map(|rank| format!("rank {rank}: ")).unwrap_or_default();
    eprintln!("mpi: {who}{call} failed{on}: {what}: {}. The job ends here.", error.message());
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

/// `MPI_Comm_set_errhandler`
pub(crate) fn comm_set(comm: MPI_Comm, errhandler: MPI_Errhandler) -> Result {
    let communicator = communicator::resolve(comm)?;
    retain(errhandler)?;
    release(communicator.set_errhandler(errhandler));
    Ok(())
}

/// `MPI_Comm_get_errhandler`: the program frees the handle when it needs it no more.
pub(crate) fn comm_get(comm: MPI_Comm, errhandler: Out<MPI_Errhandler>) -> Result {
    let handler = communicator::resolve(comm)?.errhandler();
    retain(handler)?;
    errhandler.set(handler);
    Ok(())
}

/// `MPI_Comm_call_errhandler`
pub(crate) fn comm_call(comm: MPI_Comm, errorcode: c_int) -> Result {
    let handler = communicator::resolve(comm)?.errhandler();
    let error = Error::new(errorcode, "the program said so");
    invoke(handler, comm, errorcode, || complain(c"MPI_Comm_call_errhandler", comm, &error));
    Ok(())
}

/// The handler of a communicator; none if it is no communicator.
fn handler_of(comm: MPI_Comm) -> Option<MPI_Errhandler> {
    communicator::resolve(comm).ok().map(|communicator| communicator.errhandler())
}

/// The name of a communicator that has one.
fn name_of(comm: MPI_Comm) -> Option<String> {
    communicator::resolve(comm)
        .ok()
        .map(|communicator| communicator.name())
        .filter(|name| !name.is_empty())
}
