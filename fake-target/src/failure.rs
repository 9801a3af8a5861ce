//! What happens when a function of MPI fails (MPI 5.0, section 9.3): the error handler of the
//! object is called.

use std::ffi::{CStr, c_int};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::abi::*;
use crate::arguments::Out;
use crate::communicator;
use crate::errhandler::{ErrorSubject, ErrorsOf, invoke, is_handler, release, retain, retain_for};
use crate::error::{Error, Result};
use crate::error_codes;
use crate::file;
use crate::launcher;
use crate::process;
use crate::session;
use crate::window;

/// The object whose error handler is called for a failure.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Object {
    /// That of the communicator if it is a valid one, otherwise that of the process.
    Communicator(MPI_Comm),
    /// That of the session if it is a valid one, otherwise that of the process.
    Session(MPI_Session),
    /// That of the file if it is a valid one, otherwise that of `MPI_FILE_NULL`.
    File(MPI_File),
    /// That of the window if it is a valid one, otherwise that of the process.
    Window(MPI_Win),
    /// The handler that the call itself has been given.
    Given(MPI_Errhandler),
    /// That of the process: see [`for_the_process`].
    Process,
    /// None: the tools interface only returns the code.
    Nobody,
}

/// Tells the error handler of a failure; returns the code for the program.
#[cold]
pub(crate) fn raise(call: &'static CStr, object: Object, error: Error) -> c_int {
    let object = match (error.communicator(), object) {
        (_, Object::Nobody) => return error.code(),
        (Some(communicator), _) => Object::Communicator(communicator),
        (None, object) => object,
    };
    let (subject, handler) = attached(object);
    let (own, code) = (error.handler(), error.code());
    let code = invoke(own.unwrap_or(handler), subject, code, move || {
        complain(call, subject, &error);
    });
    if let Some(own) = own {
        release(own);
    }
    code
}

/// What an error is about, and its handler.
fn attached(object: Object) -> (ErrorSubject, MPI_Errhandler) {
    let own = match object {
        Object::Communicator(communicator) => of_communicator(communicator),
        Object::Session(session) => session::resolve(session)
            .ok()
            .map(|object| (ErrorSubject::Session(session), object.errhandler())),
        Object::File(file) => Some((ErrorSubject::File(file), file::errors::errhandler(file))),
        Object::Window(win) => {
            window::resolve(win).ok().map(|window| (ErrorSubject::Window(win), window.errhandler()))
        }
        Object::Given(handler) if is_handler(handler) => Some((ErrorSubject::None, handler)),
        _ => None,
    };
    // If neither exists, the initial error handler is used.
    own.or_else(|| of_communicator(for_the_process()))
        .unwrap_or((ErrorSubject::None, launcher::initial_errhandler()))
}

/// The communicator whose handler hears of errors that concern no object.
///
/// It is `MPI_COMM_SELF` (MPI 5.0, section 9.3). Before MPI 4.0 it was `MPI_COMM_WORLD`. A program
/// that never sets a handler of `MPI_COMM_SELF` may have been written for such a version, so the
/// handler of `MPI_COMM_WORLD` is taken. If the program has set neither, the two are the same.
fn for_the_process() -> MPI_Comm {
    if SELF_HAS_A_HANDLER.load(Ordering::Relaxed) { MPI_COMM_SELF } else { MPI_COMM_WORLD }
}

/// Whether the program set the error handler of `MPI_COMM_SELF`.
static SELF_HAS_A_HANDLER: AtomicBool = AtomicBool::new(false);

fn of_communicator(comm: MPI_Comm) -> Option<(ErrorSubject, MPI_Errhandler)> {
    let communicator = communicator::resolve(comm).ok()?;
    Some((ErrorSubject::Communicator(comm), communicator.errhandler()))
}

/// Reports an error that no handler can handle, and ends the job.
#[cold]
pub(crate) fn fatal(call: &'static CStr, object: Object, error: &Error) -> ! {
    let (subject, _) = attached(object);
    complain(call, subject, error);
    process::end_job(error.code())
}

/// Says on the standard error output what failed.
fn complain(call: &'static CStr, subject: ErrorSubject, error: &Error) {
    let call = call.to_string_lossy();
    let on = name_of(subject).map(|name| format!(" on {name}")).unwrap_or_default();
    let what = error_codes::describe(error.code());
    let (mpi, message) = (process::prefix(), error.message());
    eprintln!("{mpi}{call} failed{on}: {what}: {message}. The job ends here.");
}

/// The name of an object that has one.
fn name_of(subject: ErrorSubject) -> Option<String> {
    match subject {
        ErrorSubject::Communicator(comm) => {
            let communicator = communicator::resolve(comm).ok()?;
            Some(communicator.name()).filter(|name| !name.is_empty())
        }
        ErrorSubject::Window(win) => {
            let name = window::resolve(win).ok()?.name();
            Some(if name.is_empty() { "a window".to_owned() } else { name })
        }
        ErrorSubject::Session(_) => Some("a session".to_owned()),
        ErrorSubject::File(_) => Some("a file".to_owned()),
        ErrorSubject::None => None,
    }
}

/// The program's request to call the handler of an object.
pub(crate) struct HandlerCall {
    handler: MPI_Errhandler,
    subject: ErrorSubject,
    code: c_int,
}

/// Calls the handler of an object at the program's request.
#[cold]
pub(crate) fn call_handler(call: &'static CStr, wanted: HandlerCall) {
    let HandlerCall { handler, subject, code } = wanted;
    let error = Error::new(code, "the program said so");
    invoke(handler, subject, code, move || complain(call, subject, &error));
}

/// `MPI_Comm_set_errhandler`
pub(crate) fn set_errhandler(comm: MPI_Comm, errhandler: MPI_Errhandler) -> Result {
    let communicator = communicator::resolve(comm)?;
    retain_for(errhandler, ErrorsOf::Communicators)?;
    if comm == MPI_COMM_SELF {
        SELF_HAS_A_HANDLER.store(true, Ordering::Relaxed);
    }
    release(communicator.set_errhandler(errhandler));
    Ok(())
}

/// Gives the program a separate handle for an error handler.
fn give_handler(handler: MPI_Errhandler, errhandler: Out<MPI_Errhandler>) -> Result {
    retain(handler)?;
    errhandler.set(handler);
    Ok(())
}

/// `MPI_Comm_get_errhandler`: the program frees the handle when it no longer needs it.
pub(crate) fn get_errhandler(comm: MPI_Comm, errhandler: Out<MPI_Errhandler>) -> Result {
    give_handler(communicator::resolve(comm)?.errhandler(), errhandler)
}

/// `MPI_Comm_call_errhandler`
pub(crate) fn call_errhandler(comm: MPI_Comm, code: c_int) -> Result<HandlerCall> {
    let handler = communicator::resolve(comm)?.errhandler();
    Ok(HandlerCall { handler, subject: ErrorSubject::Communicator(comm), code })
}

/// `MPI_File_get_errhandler`
pub(crate) fn file_get_errhandler(file: MPI_File, errhandler: Out<MPI_Errhandler>) -> Result {
    if file != MPI_FILE_NULL {
        file::resolve(file)?;
    }
    give_handler(file::errors::errhandler(file), errhandler)
}

/// `MPI_File_call_errhandler`
pub(crate) fn file_call_errhandler(fh: MPI_File, code: c_int) -> Result<HandlerCall> {
    if fh != MPI_FILE_NULL {
        file::resolve(fh)?;
    }
    let handler = file::errors::errhandler(fh);
    Ok(HandlerCall { handler, subject: ErrorSubject::File(fh), code })
}

/// `MPI_Session_set_errhandler`
pub(crate) fn session_set_errhandler(session: MPI_Session, errhandler: MPI_Errhandler) -> Result {
    let session = session::resolve(session)?;
    retain_for(errhandler, ErrorsOf::Sessions)?;
    release(session.set_errhandler(errhandler));
    Ok(())
}

/// `MPI_Session_get_errhandler`
pub(crate) fn session_get_errhandler(
    session: MPI_Session,
    errhandler: Out<MPI_Errhandler>,
) -> Result {
    give_handler(session::resolve(session)?.errhandler(), errhandler)
}

/// `MPI_Session_call_errhandler`
pub(crate) fn session_call_errhandler(session: MPI_Session, code: c_int) -> Result<HandlerCall> {
    let handler = session::resolve(session)?.errhandler();
    Ok(HandlerCall { handler, subject: ErrorSubject::Session(session), code })
}

/// `MPI_Win_set_errhandler`
pub(crate) fn win_set_errhandler(win: MPI_Win, errhandler: MPI_Errhandler) -> Result {
    let window = window::resolve(win)?;
    retain_for(errhandler, ErrorsOf::Windows)?;
    release(window.set_errhandler(errhandler));
    Ok(())
}

/// `MPI_Win_get_errhandler`
pub(crate) fn win_get_errhandler(win: MPI_Win, errhandler: Out<MPI_Errhandler>) -> Result {
    give_handler(window::resolve(win)?.errhandler(), errhandler)
}

/// `MPI_Win_call_errhandler`
pub(crate) fn win_call_errhandler(win: MPI_Win, code: c_int) -> Result<HandlerCall> {
    let handler = window::resolve(win)?.errhandler();
    Ok(HandlerCall { handler, subject: ErrorSubject::Window(win), code })
}
