//! Errors inside the runtime: an MPI error code and a sentence for the person who reads it.

use std::borrow::Cow;
use std::ffi::c_int;

use crate::abi::{MPI_Comm, MPI_Errhandler};

/// Why a function of MPI failed.
#[derive(Debug)]
pub(crate) struct Error(Box<Content>);

#[derive(Debug)]
struct Content {
    code: c_int,
    message: Cow<'static, str>,
    communicator: Option<MPI_Comm>,
    handler: Option<MPI_Errhandler>,
    told_to_all: bool,
}

/// The result of an implementation; its error reaches the program through the error handler.
pub(crate) type Result<T = ()> = std::result::Result<T, Error>;

impl Error {
    /// An error of a class (`MPI_ERR_…`; or a code that the program made) with what was wrong, in
    /// words: "the rank 7 is not between 0 and 3".
    pub(crate) fn new(code: c_int, message: impl Into<Cow<'static, str>>) -> Self {
        Error(Box::new(Content {
            code,
            message: message.into(),
            communicator: None,
            handler: None,
            told_to_all: false,
        }))
    }

    /// The same for a number that should be that of one of so many things: ranks, partitions.
    pub(crate) fn outside(code: c_int, what: &str, number: c_int, count: usize) -> Self {
        let message = match count.checked_sub(1) {
            Some(last) => format!("the {what} {number} is not between 0 and {last}"),
            None => format!("there is no {what} {number}, nor any other"),
        };
        Error::new(code, message)
    }

    /// Sets the communicator whose error handler is called, if it is not the one among the
    /// function's arguments.
    pub(crate) fn on(mut self, communicator: MPI_Comm) -> Self {
        self.0.communicator = Some(communicator);
        self
    }

    /// Sets the error handler that is called, if the function has ended the object that had it. The
    /// error has a reference to the handler.
    pub(crate) fn for_handler(mut self, handler: MPI_Errhandler) -> Self {
        self.0.handler = Some(handler);
        self
    }

    /// The handler of [`Error::for_handler`].
    pub(crate) fn handler(&self) -> Option<MPI_Errhandler> {
        self.0.handler
    }

    /// Says that another process has told it to all.
    pub(crate) fn told_to_all(mut self) -> Self {
        self.0.told_to_all = true;
        self
    }

    /// Whether another process has told it to all.
    pub(crate) fn is_told_to_all(&self) -> bool {
        self.0.told_to_all
    }

    /// The same with another code.
    pub(crate) fn with_code(mut self, code: c_int) -> Self {
        self.0.code = code;
        self
    }

    /// The error code that the program gets.
    pub(crate) fn code(&self) -> c_int {
        self.0.code
    }

    /// What was wrong.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// The communicator of [`Error::on`].
    pub(crate) fn communicator(&self) -> Option<MPI_Comm> {
        self.0.communicator
    }
}
