//! The functions of the interface as C calls them: each under the draft's name, that of the
//! profiling interface, and MPICH's.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::abi::{MPI_ERR_ARG, MPI_ERR_INTERN, MPI_ERR_OTHER, MPI_SUCCESS};
use crate::arguments::{out, text};
use crate::entries::MPI_Context;
use crate::error::{Error, Result};
use crate::process;
use crate::qmpi::types::{AnyFunction, MPI_Tool_init_function};
use crate::qmpi::{registry, stack};

/// Exports a function under several names; the first is the one in messages.
macro_rules! export {
    ($function:ident $parameters:tt as $name:ident $(, $alias:ident)*) => {
        export!(@ $name $name $function $parameters);
        $(export!(@ $name $alias $function $parameters);)*
    };
    (@ $name:ident $alias:ident $function:ident ($($parameter:ident: $kind:ty),*)) => {
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, reason = "the name is that of the C header")]
        extern "C" fn $alias($($parameter: $kind),*) -> c_int {
            answer(stringify!($name), || $function($($parameter),*))
        }
    };
}

export!(register_tool_name(tool_name: *const c_char, init: MPI_Tool_init_function)
    as MPI_Register_tool_name, PMPI_Register_tool_name, QMPI_Register_tool_name);
export!(register_tool_storage(tool_id: c_int, storage: *mut c_void)
    as MPI_Register_tool_storage, PMPI_Register_tool_storage, QMPI_Register_tool_storage);
export!(register_tool_function(tool_id: c_int, function_enum: c_int, function: AnyFunction)
    as MPI_Register_tool_function, PMPI_Register_tool_function, QMPI_Register_tool_function,
    QMPI_Register_function);
export!(get_next_tool_function(tool_id: c_int, function_enum: c_int, function: *mut *mut (),
    next_tool_id: *mut c_int)
    as MPI_Get_next_tool_function, PMPI_Get_next_tool_function, QMPI_Get_next_tool_function,
    QMPI_Get_function);
export!(get_tool_storage(context: MPI_Context, tool_id: c_int, storage: *mut *mut c_void)
    as MPI_Get_tool_storage, PMPI_Get_tool_storage, QMPI_Get_tool_storage);
export!(get_calling_address(context: MPI_Context, address: *mut *mut c_void)
    as MPI_Get_calling_address, PMPI_Get_calling_address, QMPI_Get_calling_address);

/// The code for the caller. The error's text goes to standard error, since few tools check the
/// code.
#[inline(always)]
fn answer(call: &str, body: impl FnOnce() -> Result) -> c_int {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => MPI_SUCCESS,
        Ok(Err(error)) => refuse(call, &error),
        Err(_) => MPI_ERR_INTERN,
    }
}

#[cold]
fn refuse(call: &str, error: &Error) -> c_int {
    eprintln!("{}{call} failed: {}", process::prefix(), error.message());
    error.code()
}

/// `MPI_Register_tool_name`: before MPI is initialized, once for each name.
fn register_tool_name(tool_name: *const c_char, init: MPI_Tool_init_function) -> Result {
    let name: &CStr = text(tool_name, "tool_name")?;
    if !stack::is_open() {
        return Err(Error::new(
            MPI_ERR_OTHER,
            format!(
                "the tool {:?} comes too late: tools register before MPI is initialized",
                name.to_string_lossy()
            ),
        ));
    }
    registry::register(name, init)
}

/// `MPI_Register_tool_storage`
fn register_tool_storage(tool_id: c_int, storage: *mut c_void) -> Result {
    stack::register_storage(tool_id, storage)
}

/// `MPI_Register_tool_function`: in the tool's initialization function.
fn register_tool_function(tool_id: c_int, function_enum: c_int, function: AnyFunction) -> Result {
    stack::register_function(tool_id, function_enum, stack::code(function))
}

/// `MPI_Get_next_tool_function`: the same answer each time.
fn get_next_tool_function(
    tool_id: c_int,
    function_enum: c_int,
    function: *mut *mut (),
    next: *mut c_int,
) -> Result {
    let (function, next) = (out(function, "function_ptr")?, out(next, "next_tool_id")?);
    let (code, id) = stack::next(tool_id, function_enum)?;
    function.set(code);
    next.set(id);
    Ok(())
}

/// `MPI_Get_tool_storage`: the address that the tool has registered. The storage belongs to the
/// tool, not to the call, so any context is accepted.
fn get_tool_storage(_context: MPI_Context, tool_id: c_int, storage: *mut *mut c_void) -> Result {
    out(storage, "storage")?.set(stack::storage(tool_id)?);
    Ok(())
}

/// `MPI_Get_calling_address`: the address in the program to which its call will return, as
/// debuggers give it for a frame.
fn get_calling_address(context: MPI_Context, address: *mut *mut c_void) -> Result {
    let address = out(address, "address")?;
    if context.0 == 0 {
        return Err(Error::new(MPI_ERR_ARG, "the context is a null pointer, not that of a call"));
    }
    address.set(std::ptr::with_exposed_provenance_mut(context.0));
    Ok(())
}
