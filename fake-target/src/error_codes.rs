//! Error classes, codes and their texts (MPI 5.0, sections 9.4 and 9.5).

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::abi::*;
use crate::arguments::Out;
use crate::error::{Error, Result};

/// The name of a predefined class and what it means.
struct Class(c_int, &'static str, &'static str);

macro_rules! classes {
    ($($name:ident $text:literal)*) => { &[$(Class($name, stringify!($name), $text)),*] };
}

#[rustfmt::skip]
static CLASSES: &[Class] = classes! {
    MPI_SUCCESS "no error"
    MPI_ERR_BUFFER "invalid buffer"
    MPI_ERR_COUNT "invalid count"
    MPI_ERR_TYPE "invalid datatype"
    MPI_ERR_TAG "invalid tag"
    MPI_ERR_COMM "invalid communicator"
    MPI_ERR_RANK "invalid rank"
    MPI_ERR_REQUEST "invalid request"
    MPI_ERR_ROOT "invalid root"
    MPI_ERR_GROUP "invalid group"
    MPI_ERR_OP "invalid reduction operation"
    MPI_ERR_TOPOLOGY "invalid topology"
    MPI_ERR_DIMS "invalid dimensions"
    MPI_ERR_ARG "invalid argument"
    MPI_ERR_UNKNOWN "unknown error"
    MPI_ERR_TRUNCATE "the message is longer than the receive buffer"
    MPI_ERR_OTHER "other error"
    MPI_ERR_INTERN "internal error of the MPI library"
    MPI_ERR_PENDING "the operation is still pending"
    MPI_ERR_IN_STATUS "the error codes are in the statuses"
    MPI_ERR_ACCESS "permission denied"
    MPI_ERR_AMODE "invalid access mode of a file"
    MPI_ERR_ASSERT "invalid assertion"
    MPI_ERR_BAD_FILE "invalid file name"
    MPI_ERR_BASE "invalid base address"
    MPI_ERR_CONVERSION "a conversion of data failed"
    MPI_ERR_DISP "invalid displacement"
    MPI_ERR_DUP_DATAREP "the data representation is defined already"
    MPI_ERR_FILE_EXISTS "the file exists"
    MPI_ERR_FILE_IN_USE "the file is in use"
    MPI_ERR_FILE "invalid file handle"
    MPI_ERR_INFO_KEY "invalid info key"
    MPI_ERR_INFO_NOKEY "the info object has no such key"
    MPI_ERR_INFO_VALUE "invalid info value"
    MPI_ERR_INFO "invalid info object"
    MPI_ERR_IO "input or output failed"
    MPI_ERR_KEYVAL "invalid attribute key"
    MPI_ERR_LOCKTYPE "invalid lock type"
    MPI_ERR_NAME "the service name is not published"
    MPI_ERR_NO_MEM "out of memory"
    MPI_ERR_NOT_SAME "a collective argument is not the same on all processes"
    MPI_ERR_NO_SPACE "not enough space"
    MPI_ERR_NO_SUCH_FILE "no such file"
    MPI_ERR_PORT "invalid port name"
    MPI_ERR_QUOTA "quota exceeded"
    MPI_ERR_READ_ONLY "the file is read-only"
    MPI_ERR_RMA_ATTACH "the memory cannot be attached to the window"
    MPI_ERR_RMA_CONFLICT "conflicting accesses to a window"
    MPI_ERR_RMA_RANGE "the target memory is not part of the window"
    MPI_ERR_RMA_SHARED "the memory cannot be shared"
    MPI_ERR_RMA_SYNC "wrong synchronization of one-sided calls"
    MPI_ERR_SERVICE "the service name cannot be withdrawn"
    MPI_ERR_SIZE "invalid size"
    MPI_ERR_SPAWN "processes could not be started"
    MPI_ERR_UNSUPPORTED_DATAREP "unsupported data representation"
    MPI_ERR_UNSUPPORTED_OPERATION "unsupported operation"
    MPI_ERR_WIN "invalid window"
    MPI_ERR_RMA_FLAVOR "wrong flavor of window"
    MPI_ERR_PROC_ABORTED "a process of the job has aborted"
    MPI_ERR_VALUE_TOO_LARGE "a value does not fit the argument"
    MPI_ERR_SESSION "invalid session"
    MPI_ERR_ERRHANDLER "invalid error handler"
    MPI_ERR_ABI "the library and the program disagree about the ABI"
    MPI_T_ERR_CANNOT_INIT "the tools interface cannot be initialized now"
    MPI_T_ERR_NOT_ACCESSIBLE "the functionality is not accessible now"
    MPI_T_ERR_NOT_INITIALIZED "the tools interface is not initialized"
    MPI_T_ERR_NOT_SUPPORTED "the functionality is not supported"
    MPI_T_ERR_MEMORY "out of memory"
    MPI_T_ERR_INVALID "invalid or missing arguments"
    MPI_T_ERR_INVALID_INDEX "invalid index"
    MPI_T_ERR_INVALID_ITEM "invalid item of an enumeration"
    MPI_T_ERR_INVALID_SESSION "invalid tools session"
    MPI_T_ERR_INVALID_HANDLE "invalid tools handle"
    MPI_T_ERR_INVALID_NAME "no variable or category has that name"
    MPI_T_ERR_OUT_OF_HANDLES "no more handles"
    MPI_T_ERR_OUT_OF_SESSIONS "no more sessions"
    MPI_T_ERR_CVAR_SET_NOT_NOW "the control variable cannot be set now"
    MPI_T_ERR_CVAR_SET_NEVER "the control variable can never be set"
    MPI_T_ERR_PVAR_NO_WRITE "the performance variable cannot be written"
    MPI_T_ERR_PVAR_NO_STARTSTOP "the performance variable cannot be started or stopped"
    MPI_T_ERR_PVAR_NO_ATOMIC "the performance variable cannot be read and reset at once"
    MPI_ERR_LASTCODE "the last predefined error code"
};

/// What the program has added: code -> (class, text). A class is its own code.
static ADDED: Mutex<BTreeMap<c_int, (c_int, String)>> = Mutex::new(BTreeMap::new());

fn added() -> MutexGuard<'static, BTreeMap<c_int, (c_int, String)>> {
    ADDED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn class(code: c_int) -> Option<&'static Class> {
    CLASSES.iter().find(|c| c.0 == code)
}

/// The name and meaning of a code, for people: "MPI_ERR_RANK (invalid rank)".
pub(crate) fn describe(code: c_int) -> String {
    match (class(code), added().get(&code)) {
        (Some(Class(_, name, text)), _) => format!("{name} ({text})"),
        (None, Some((_, text))) if !text.is_empty() => format!("error code {code} ({text})"),
        _ => format!("error code {code}"),
    }
}

/// The value of the attribute `MPI_LASTUSEDCODE`: the largest code in use.
pub(crate) fn last_used_code() -> c_int {
    added().keys().next_back().map_or(MPI_ERR_LASTCODE, |&code| code.max(MPI_ERR_LASTCODE))
}

fn unknown(code: c_int) -> Error {
    Error::new(MPI_ERR_ARG, format!("{code} is not an error code"))
}

/// `MPI_Error_class`
pub(crate) fn error_class(code: c_int, errorclass: Out<c_int>) -> Result {
    let of_program = added().get(&code).map(|(class, _)| *class);
    errorclass.set(class(code).map(|c| c.0).or(of_program).ok_or_else(|| unknown(code))?);
    Ok(())
}

/// `MPI_Error_string`
pub(crate) fn error_string(code: c_int, string: *mut c_char, length: Out<c_int>) -> Result {
    let text = match (class(code), added().get(&code)) {
        (Some(Class(_, name, text)), _) => format!("{name}: {text}"),
        (None, Some((_, text))) => text.clone(),
        (None, None) => return Err(unknown(code)),
    };
    length.set(crate::text::copy_out(&text, string, MPI_MAX_ERROR_STRING as usize)?);
    Ok(())
}

fn add(class: Option<c_int>) -> c_int {
    let mut added = added();
    let code =
        added.keys().next_back().map_or(MPI_ERR_LASTCODE, |&last| last.max(MPI_ERR_LASTCODE)) + 1;
    added.insert(code, (class.unwrap_or(code), String::new()));
    code
}

/// `MPI_Add_error_class`
pub(crate) fn add_error_class(errorclass: Out<c_int>) -> Result {
    errorclass.set(add(None));
    Ok(())
}

/// `MPI_Add_error_code`
pub(crate) fn add_error_code(errorclass: c_int, errorcode: Out<c_int>) -> Result {
    let is_class = class(errorclass).is_some()
        || added().get(&errorclass).is_some_and(|(c, _)| *c == errorclass);
    if !is_class {
        return Err(Error::new(MPI_ERR_ARG, format!("{errorclass} is not an error class")));
    }
    errorcode.set(add(Some(errorclass)));
    Ok(())
}

/// `MPI_Add_error_string`
pub(crate) fn add_error_string(errorcode: c_int, string: &CStr) -> Result {
    let text = string.to_string_lossy().into_owned();
    added().get_mut(&errorcode).ok_or_else(|| not_added(errorcode))?.1 = text;
    Ok(())
}

/// A code that still has a string is not removed.
fn without_string(code: c_int, text: &str) -> Result {
    match text.is_empty() {
        true => Ok(()),
        false => Err(Error::new(MPI_ERR_ARG, format!("the error code {code} still has a string"))),
    }
}

/// `MPI_Remove_error_class`
pub(crate) fn remove_error_class(errorclass: c_int) -> Result {
    let mut added = added();
    match added.get(&errorclass) {
        Some((class, text)) if *class == errorclass => without_string(errorclass, text)?,
        _ => return Err(not_added(errorclass)),
    }
    if added.iter().any(|(code, (class, _))| *class == errorclass && *code != errorclass) {
        return Err(Error::new(
            MPI_ERR_ARG,
            format!("the error class {errorclass} still has error codes"),
        ));
    }
    added.remove(&errorclass);
    Ok(())
}

/// `MPI_Remove_error_code`
pub(crate) fn remove_error_code(errorcode: c_int) -> Result {
    let mut added = added();
    match added.get(&errorcode) {
        Some((class, text)) if *class != errorcode => without_string(errorcode, text)?,
        _ => return Err(not_added(errorcode)),
    }
    added.remove(&errorcode);
    Ok(())
}

/// `MPI_Remove_error_string`
pub(crate) fn remove_error_string(errorcode: c_int) -> Result {
    added().get_mut(&errorcode).ok_or_else(|| not_added(errorcode))?.1.clear();
    Ok(())
}

fn not_added(code: c_int) -> Error {
    Error::new(MPI_ERR_ARG, format!("the program has not added {code} to the error codes"))
}
