//! The stages of initialization and interception: the tools that the user has asked for, and their
//! order.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU8, Ordering};

use crate::abi::{MPI_ERR_ARG, MPI_ERR_OTHER};
use crate::entries::{ENTRIES, LIBRARY, STARTS};
use crate::error::{Error, Result};
use crate::failure::{self, Object};
use crate::qmpi::registry::{self, ToolRegistration};
use crate::qmpi::types::AnyFunction;

/// The number of functions that can be intercepted.
const FUNCTIONS: usize = LIBRARY.len();

/// The tool ID of the library itself.
const LIBRARY_ID: c_int = 0;

/// An instance of a tool. Its ID is its place in the stack, from 1.
struct Tool {
    name: Box<[u8]>,
    storage: AtomicPtr<c_void>,
    /// The tool's functions by the numbers of the intercepted functions; null if the tool does not
    /// intercept one.
    functions: Box<[AtomicPtr<()>]>,
}

impl Tool {
    fn new(registration: &ToolRegistration) -> Self {
        Tool {
            name: registration.name.clone(),
            storage: AtomicPtr::default(),
            functions: (0..FUNCTIONS).map(|_| AtomicPtr::default()).collect(),
        }
    }
}

/// Set once, when initialization begins.
static STACK: OnceLock<Box<[Tool]>> = OnceLock::new();

/// Tools register.
const REGISTRATION: u8 = 0;
/// Tools are being initialized.
const INITIALIZATION: u8 = 1;
/// Tools intercept; nothing changes any more.
const INTERCEPTION: u8 = 2;

static STAGE: AtomicU8 = AtomicU8::new(REGISTRATION);

/// The tool whose initialization function runs; 0: none.
static INITIALIZING: AtomicI32 = AtomicI32::new(0);

/// The first tool that intercepts a function, as `qmpi_tools.c` has it.
#[repr(C)]
struct First {
    function: AtomicPtr<()>,
    tool_id: AtomicI32,
}

unsafe extern "C" {
    /// The first tool for each intercepted function. Written here before the entries lead to it.
    static mqdrt_first: [First; FUNCTIONS];
    /// The functions of C that call that tool.
    static mqdrt_tools: [unsafe extern "C" fn(); FUNCTIONS];
}

impl First {
    fn set(&self, (function, tool_id): (*mut (), c_int)) {
        self.function.store(function, Ordering::Relaxed);
        self.tool_id.store(tool_id, Ordering::Release);
    }
}

/// Whether tools may still register their names.
pub(super) fn is_open() -> bool {
    STAGE.load(Ordering::Acquire) == REGISTRATION
}

/// Initializes the user's tools when it is called for the first time. It is part of every call that
/// starts MPI; `call` is the name of that call.
///
/// # Safety
///
/// `call` is the name of an MPI function, constant and zero-terminated.
#[unsafe(no_mangle)]
unsafe extern "C" fn mqdrt_start_tools(call: *const c_char) {
    // SAFETY: the caller's promise.
    let call: &'static CStr = unsafe { CStr::from_ptr(call) };
    if STAGE
        .compare_exchange(REGISTRATION, INITIALIZATION, Ordering::AcqRel, Ordering::Acquire)
        .is_err()
    {
        return;
    }
    // The calls that start MPI are treated like intercepted functions from the beginning.
    for &function in STARTS {
        // SAFETY: defined by qmpi_tools.c with this type.
        unsafe { &mqdrt_first[function] }.set(library(function));
    }
    match registry::requested() {
        Ok(tools) => load(&tools),
        Err(error) => failure::fatal(call, Object::Process, &error),
    }
}

fn load(registrations: &[ToolRegistration]) {
    let tools = STACK.get_or_init(|| registrations.iter().map(Tool::new).collect());
    for (id, registration) in (1..).zip(registrations) {
        INITIALIZING.store(id, Ordering::Release);
        // SAFETY: the tool registered it as its initialization function.
        unsafe { (registration.init)(id) };
    }
    INITIALIZING.store(0, Ordering::Release);
    STAGE.store(INTERCEPTION, Ordering::Release);
    for function in 0..FUNCTIONS {
        let first = after(tools, 0, function);
        if first.1 != LIBRARY_ID {
            // SAFETY: both are defined by qmpi_tools.c with these types.
            let (place, code) = unsafe { (&mqdrt_first[function], mqdrt_tools[function]) };
            place.set(first);
            ENTRIES[function].store(code as *mut (), Ordering::Release);
        }
    }
}

/// The library's own function.
fn library(function: usize) -> (*mut (), c_int) {
    (LIBRARY[function].load(Ordering::Relaxed), LIBRARY_ID)
}

/// The first tool that intercepts the function among those after the first `skipped`, or the
/// library.
fn after(tools: &[Tool], skipped: usize, function: usize) -> (*mut (), c_int) {
    let rest = tools[skipped..].iter().zip(skipped as c_int + 1..);
    let mut functions =
        rest.map(|(tool, id)| (tool.functions[function].load(Ordering::Relaxed), id));
    functions.find(|(code, _)| !code.is_null()).unwrap_or_else(|| library(function))
}

/// The tool with that ID; `MPI_ERR_ARG` if there is none.
fn tool(id: c_int) -> Result<&'static Tool> {
    let tools = STACK.get().map_or(&[][..], |tools| tools);
    let index = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
    index.and_then(|index| tools.get(index)).ok_or_else(|| {
        let which = match tools.len() {
            0 => "there are no tools".into(),
            count => format!("tool IDs are 1 to {count}"),
        };
        Error::new(MPI_ERR_ARG, format!("{id} is no tool ID: {which}"))
    })
}

/// The number of a function as an index; `MPI_ERR_ARG` if it is none.
fn index(function: c_int) -> Result<usize> {
    usize::try_from(function).ok().filter(|&index| index < FUNCTIONS).ok_or_else(|| {
        Error::new(
            MPI_ERR_ARG,
            format!(
                "{function} is no function: values of MPI_Functions_enum are 0 to {}",
                FUNCTIONS - 1
            ),
        )
    })
}

/// Registers a tool's function in place of an MPI function. Only valid in the tool's initialization
/// function.
pub(super) fn register_function(id: c_int, function: c_int, code: *mut ()) -> Result {
    let (tool, index) = (tool(id)?, index(function)?);
    if code.is_null() {
        return Err(Error::new(MPI_ERR_ARG, "the function is a null pointer"));
    }
    if INITIALIZING.load(Ordering::Acquire) != id {
        let name = String::from_utf8_lossy(&tool.name);
        return Err(Error::new(
            MPI_ERR_OTHER,
            format!(
                "it is too late for the tool {name:?} (ID {id}): a tool registers its functions \
                 in its initialization function"
            ),
        ));
    }
    tool.functions[index].store(code, Ordering::Relaxed);
    Ok(())
}

/// The function that a tool has to call next, and the ID to pass.
pub(super) fn next(id: c_int, function: c_int) -> Result<(*mut (), c_int)> {
    let index = index(function)?;
    // Only tools have a next function.
    tool(id)?;
    if STAGE.load(Ordering::Acquire) != INTERCEPTION {
        return Err(Error::new(
            MPI_ERR_OTHER,
            format!(
                "what comes after the tool {id} is known when all tools are initialized; ask in \
                 the tool's MPI_Init"
            ),
        ));
    }
    let tools = STACK.get().map_or(&[][..], |tools| tools);
    Ok(after(tools, id as usize, index))
}

/// Stores an address for a tool.
pub(super) fn register_storage(id: c_int, storage: *mut c_void) -> Result {
    tool(id)?.storage.store(storage, Ordering::Release);
    Ok(())
}

/// The address that a tool has registered; null if none.
pub(super) fn storage(id: c_int) -> Result<*mut c_void> {
    Ok(tool(id)?.storage.load(Ordering::Acquire))
}

/// Whether a pointer is the null pointer of C's `void (*)(void)`.
pub(super) fn code(function: AnyFunction) -> *mut () {
    function.map_or(ptr::null_mut(), |function| function as *mut ())
}
