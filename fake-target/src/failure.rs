//! What happens when a function of MPI fails (MPI 5.0, section 9.3): the error handler of the object
//! that is concerned hears of it.

use std::ffi::{CStr, c_int};

use crate::abi::*;
use crate::arguments::Out;
use crate::communicator;
use crate::errhandler::{invoke, release, retain};
use crate::error::{Error, Result};
use crate::error_codes;
use crate::process;

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

/// Reports an error that no handler can take and ends the job.
#[cold]
pub(crate) fn fatal(call: &'static CStr, object: Object, error: &Error) -> ! {
    let (communicator, _) = attached(object);
    complain(call, communicator, error);
    process::end_job(error.code())
}

/// Says on the standard error output what failed.
fn complain(call: &'static CStr, communicator: MPI_Comm, error: &Error) {
    let call = call.to_string_lossy();
    let on = name_of(communicator).map(|name| format!(" on {name}")).unwrap_or_default();
    let what = error_codes::describe(error.code());
    let (mpi, message) = (process::prefix(), error.message());
    eprintln!("{mpi}{call} failed{on}: {what}: {message}. The job ends here.");
}

/// `MPI_Comm_set_errhandler`
pub(crate) fn set_errhandler(comm: MPI_Comm, errhandler: MPI_Errhandler) -> Result {
    let communicator = communicator::resolve(comm)?;
    retain(errhandler)?;
    release(communicator.set_errhandler(errhandler));
    Ok(())
}

/// `MPI_Comm_get_errhandler`: the program frees the handle when it needs it no more.
pub(crate) fn get_errhandler(comm: MPI_Comm, errhandler: Out<MPI_Errhandler>) -> Result {
    let handler = communicator::resolve(comm)?.errhandler();
    retain(handler)?;
    errhandler.set(handler);
    Ok(())
}

/// `MPI_Comm_call_errhandler`
pub(crate) fn call_errhandler(comm: MPI_Comm, errorcode: c_int) -> Result {
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
