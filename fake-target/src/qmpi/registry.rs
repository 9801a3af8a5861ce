//! The stage of registration: which tools there are, and which of them the user asks for.

use std::ffi::CStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::abi::{MPI_ERR_ARG, MPI_ERR_OTHER};
use crate::error::{Error, Result};
use crate::qmpi::types::MPI_Tool_init_function;

/// The environment variables with the user's tools: ours, and that of MPICH. The first that is set
/// counts.
const VARIABLES: [&str; 2] = ["QMPI_TOOLS", "MPIR_CVAR_QMPI_TOOL_LIST"];

/// `QMPI_MAX_TOOL_NAME_LENGTH` of `qmpi.h`: bytes of a name with the zero at its end.
const NAME_LENGTH: usize = 256;

/// A tool that the user may ask for.
#[derive(Clone, Debug)]
pub(super) struct ToolRegistration {
    /// The name, as bytes.
    pub(super) name: Box<[u8]>,
    /// Called for each instance.
    pub(super) init: unsafe extern "C" fn(std::ffi::c_int),
}

static REGISTRY: Mutex<Vec<ToolRegistration>> = Mutex::new(Vec::new());

fn registry() -> MutexGuard<'static, Vec<ToolRegistration>> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Registers a tool under a name that no other has.
pub(super) fn register(name: &CStr, init: MPI_Tool_init_function) -> Result {
    let init = init
        .ok_or_else(|| Error::new(MPI_ERR_ARG, "the initialization function is a null pointer"))?;
    let shown = name.to_string_lossy();
    let name = name.to_bytes();
    if name.is_empty() || name.contains(&b':') {
        return Err(Error::new(
            MPI_ERR_ARG,
            format!(
                "a user cannot ask for a tool named {shown:?}: names are not empty and have no \
                 colon"
            ),
        ));
    }
    if name.len() >= NAME_LENGTH {
        return Err(Error::new(
            MPI_ERR_ARG,
            format!("the name {shown:?} is longer than {} bytes", NAME_LENGTH - 1),
        ));
    }
    let mut registry = registry();
    if registry.iter().any(|registration| *registration.name == *name) {
        return Err(Error::new(
            MPI_ERR_ARG,
            format!("a tool named {shown:?} is registered already; choose another name"),
        ));
    }
    registry.push(ToolRegistration { name: name.into(), init });
    Ok(())
}

/// The tools that the user asks for, in that order.
pub(super) fn requested() -> Result<Vec<ToolRegistration>> {
    let set = |variable: &'static str| Some((variable, std::env::var_os(variable)?));
    let Some((variable, list)) = VARIABLES.into_iter().find_map(set) else { return Ok(Vec::new()) };
    let registry = registry();
    let names = list.as_bytes().split(|&byte| byte == b':').filter(|name| !name.is_empty());
    names
        .map(|name| {
            registry
                .iter()
                .find(|r| *r.name == *name)
                .cloned()
                .ok_or_else(|| unknown(variable, name, &registry))
        })
        .collect()
}

fn unknown(variable: &str, name: &[u8], registry: &[ToolRegistration]) -> Error {
    let name = String::from_utf8_lossy(name);
    let known: Vec<_> =
        registry.iter().map(|registration| String::from_utf8_lossy(&registration.name)).collect();
    let known = if known.is_empty() { "none".into() } else { known.join(", ") };
    Error::new(
        MPI_ERR_OTHER,
        format!(
            "{variable} asks for the tool {name:?}, which has not been registered (registered: \
             {known}). Link the tool to the program, or preload it with LD_PRELOAD"
        ),
    )
}
