//! Error handlers (MPI 5.0, section 9.3).

use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::abi::*;
use crate::arguments::Out;
use crate::error::{Error, Result};
use crate::handles::{HandleKind, Table};
use crate::process;

/// A function of the program that handles errors. The types differ only in the handle.
#[derive(Clone, Copy)]
pub(crate) enum HandlerFunction {
    /// Of communicators.
    Communicator(MPI_Comm_errhandler_function),
    /// Of sessions.
    Session(MPI_Session_errhandler_function),
    /// Of files.
    File(MPI_File_errhandler_function),
    /// Of windows.
    Window(MPI_Win_errhandler_function),
}

/// The object of an error, for the handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorSubject {
    /// A communicator.
    Communicator(MPI_Comm),
    /// A session.
    Session(MPI_Session),
    /// A file.
    File(MPI_File),
    /// A window.
    Window(MPI_Win),
    /// Nothing that has a handle: the handler gets the null handle of its kind.
    None,
}

/// The kind of object that an error handler is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorsOf {
    /// Communicators.
    Communicators,
    /// Sessions.
    Sessions,
    /// Files.
    Files,
    /// Windows.
    Windows,
}

/// A handler that the program made. It lives while its handle or an object that it is attached to
/// does.
struct UserHandler {
    function: HandlerFunction,
    references: AtomicUsize,
}

impl HandlerFunction {
    fn errors_of(&self) -> ErrorsOf {
        match self {
            HandlerFunction::Communicator(_) => ErrorsOf::Communicators,
            HandlerFunction::Session(_) => ErrorsOf::Sessions,
            HandlerFunction::File(_) => ErrorsOf::Files,
            HandlerFunction::Window(_) => ErrorsOf::Windows,
        }
    }

    fn is_null(&self) -> bool {
        match self {
            HandlerFunction::Communicator(function) => function.is_none(),
            HandlerFunction::Session(function) => function.is_none(),
            HandlerFunction::File(function) => function.is_none(),
            HandlerFunction::Window(function) => function.is_none(),
        }
    }

    /// Calls it; returns the code that it leaves. If the subject is of another kind, the handler
    /// gets the null handle.
    fn call(&self, subject: ErrorSubject, mut returned: c_int) -> c_int {
        let code = &raw mut returned;
        // SAFETY: the program registered the function for handles of this type; both addresses are
        // those of variables here.
        unsafe {
            match (self, subject) {
                (
                    HandlerFunction::Communicator(Some(function)),
                    ErrorSubject::Communicator(mut comm),
                ) => function(&mut comm, code),
                (HandlerFunction::Communicator(Some(function)), _) => {
                    function(&mut { MPI_COMM_NULL }, code)
                }
                (HandlerFunction::Session(Some(function)), ErrorSubject::Session(mut session)) => {
                    function(&mut session, code)
                }
                (HandlerFunction::Session(Some(function)), _) => {
                    function(&mut { MPI_SESSION_NULL }, code)
                }
                (HandlerFunction::File(Some(function)), ErrorSubject::File(mut file)) => {
                    function(&mut file, code)
                }
                (HandlerFunction::File(Some(function)), _) => {
                    function(&mut { MPI_FILE_NULL }, code)
                }
                (HandlerFunction::Window(Some(function)), ErrorSubject::Window(mut window)) => {
                    function(&mut window, code)
                }
                (HandlerFunction::Window(Some(function)), _) => {
                    function(&mut { MPI_WIN_NULL }, code)
                }
                _ => {}
            }
        }
        returned
    }
}

static HANDLERS: Table<UserHandler> = Table::new(HandleKind::ErrorHandler);

fn is_predefined(handler: MPI_Errhandler) -> bool {
    [MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN].contains(&handler)
}

/// Counts one more user of a handler, for errors of one kind of object; `MPI_ERR_ERRHANDLER` if it
/// is not a handler for these.
pub(crate) fn retain_for(handler: MPI_Errhandler, errors_of: ErrorsOf) -> Result {
    if HANDLERS.get(handler.0).is_some_and(|object| object.function.errors_of() != errors_of) {
        return Err(Error::new(
            MPI_ERR_ERRHANDLER,
            "the error handler was made for another kind of object",
        ));
    }
    retain(handler)
}

/// Counts one more user of a handler; `MPI_ERR_ERRHANDLER` if it is not one.
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

/// Calls a handler of the program, or does what a predefined one does. `complain` says on standard
/// error what failed before the job ends. Returns the code for the program: a handler may change
/// "the error code to be returned" (MPI 5.0, section 9.3.1). A handler may also leave by an
/// exception or a jump, so nothing is held when it is called.
pub(crate) fn invoke(
    handler: MPI_Errhandler,
    subject: ErrorSubject,
    code: c_int,
    complain: impl FnOnce(),
) -> c_int {
    if handler == MPI_ERRORS_RETURN {
        return code;
    }
    let function = HANDLERS.get(handler.0).map(|object| object.function);
    if let Some(function) = function {
        drop(complain);
        return function.call(subject, code);
    }
    complain();
    process::end_job(code)
}

/// Whether the handle is that of an error handler.
pub(crate) fn is_handler(handler: MPI_Errhandler) -> bool {
    is_predefined(handler) || HANDLERS.get(handler.0).is_some()
}

/// `MPI_Comm_create_errhandler`
pub(crate) fn comm_create(
    function: MPI_Comm_errhandler_function,
    errhandler: Out<MPI_Errhandler>,
) -> Result {
    create(HandlerFunction::Communicator(function), errhandler)
}

/// `MPI_Session_create_errhandler`
pub(crate) fn session_create(
    function: MPI_Session_errhandler_function,
    errhandler: Out<MPI_Errhandler>,
) -> Result {
    create(HandlerFunction::Session(function), errhandler)
}

/// `MPI_File_create_errhandler`
pub(crate) fn file_create(
    function: MPI_File_errhandler_function,
    errhandler: Out<MPI_Errhandler>,
) -> Result {
    create(HandlerFunction::File(function), errhandler)
}

/// `MPI_Win_create_errhandler`
pub(crate) fn win_create(
    function: MPI_Win_errhandler_function,
    errhandler: Out<MPI_Errhandler>,
) -> Result {
    create(HandlerFunction::Window(function), errhandler)
}

fn create(function: HandlerFunction, errhandler: Out<MPI_Errhandler>) -> Result {
    if function.is_null() {
        return Err(Error::new(MPI_ERR_ARG, "the function is a null pointer"));
    }
    let handle = HANDLERS.insert(UserHandler { function, references: AtomicUsize::new(1) });
    errhandler.set(MPI_Errhandler(handle));
    Ok(())
}

/// `MPI_Errhandler_free`
pub(crate) fn free(errhandler: Out<MPI_Errhandler>) -> Result {
    let handler = errhandler.get();
    if !is_handler(handler) {
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
