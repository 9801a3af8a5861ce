//! Functions of the program that MPI calls: reductions, copy callbacks, error handlers.

use mqd_inspect::process::{InLibrary, StackFrame, Stacks, Target};

use crate::calls::{entry_function, public_name};
use crate::libraries::{OF_FUNCTIONS, calls_program, program_imports, serves_mpi};
use crate::stacks::{is_of_c_library, module};

/// How the names of functions begin by which a program has MPI call it, or end its calls, at any
/// time: MPICH's asynchronous tasks, and the fault tolerance of ULFM.
const AT_ANY_TIME: [&str; 3] = ["MPIX_Async_start", "MPIX_Grequest_start", "MPIX_Comm_revoke"];

/// The same of functions that make reductions. MPI calls these when a message of a reduction has
/// come, also while it waits for another message.
const REDUCTIONS: [&str; 5] =
    ["MPI_Op_create", "PMPI_Op_create", "mpi_op_create", "pmpi_op_create", "_ZN3MPI2Op4Init"];

/// May a call of MPI end, or call the program, although what it waits for does not come?
pub(crate) fn may_go_on_at_any_time(target: &Target, library: usize) -> bool {
    program_imports(target, library, &AT_ANY_TIME, false)
}

/// May the program have made reductions?
pub(crate) fn has_reductions(target: &Target, library: usize) -> bool {
    program_imports(target, library, &REDUCTIONS, true)
}

/// May MPI have called a function of the program? Such a function is known by its frame. It may
/// also end with a call of the C library or of MPI, and then has no frame. The call instruction
/// tells that MPI has called it by a pointer.
pub(crate) fn may_have_called_program(target: &Target, library: usize) -> bool {
    let stacks = target.stacks();
    stacks.threads().iter().any(|thread| {
        let InLibrary::Entry { frame, .. } = stacks.in_library(thread, library, entry_function)
        else {
            return false;
        };
        let frames = &thread.frames[..=frame];
        let inner = &frames[usize::from(is_in_kernel(&stacks, frames))..frame];
        !inner.iter().all(|frame| is_of_mpi(&stacks, frame, library))
            || frames.windows(2).any(|pair| may_be_between(target, pair, library))
    })
}

/// Is the innermost frame code of the kernel (vDSO) that the C library has called? That is in no
/// file.
fn is_in_kernel(stacks: &Stacks, frames: &[StackFrame]) -> bool {
    frames[0].image.is_none() && frames.get(1).is_some_and(|caller| is_of_c_library(stacks, caller))
}

/// May a function of the program have been between a frame and the one that has called it? It has
/// then jumped to a function of the C library or of MPI.
fn may_be_between(target: &Target, pair: &[StackFrame], library: usize) -> bool {
    let [callee, caller] = pair else { return false };
    let stacks = target.stacks();
    // A function of the program would be back at once, too.
    let yields = || {
        let symbol = stacks.symbol(callee).symbol.unwrap_or_default();
        public_name(&symbol) == "sched_yield"
    };
    let is_of_mpi =
        || stacks.symbol(callee).symbol.is_some_and(|symbol| entry_function(&symbol).is_some());
    (is_of_c_library(&stacks, callee) || is_of_mpi())
        && !is_of_c_library(&stacks, caller)
        && !caller.exact
        && calls_program(&stacks.image(caller).and_then(module).unwrap_or_default())
        && !calls_mpi_or_c(target, caller, library)
        && !yields()
}

/// Has a frame certainly called a function of MPI, of what it uses, or of the C library?
fn calls_mpi_or_c(target: &Target, frame: &StackFrame, library: usize) -> bool {
    let called = frame.called.and_then(|function| target.image_of(function));
    called.is_some_and(|index| index == library || serves_mpi(&target.images()[index]))
}

/// Is a frame in the MPI library, or in what it uses? If MPI is linked into the program, only the
/// names of functions tell.
fn is_of_mpi(stacks: &Stacks, frame: &StackFrame, library: usize) -> bool {
    match frame.image == Some(library) {
        true => {
            let symbol = || stacks.symbol(frame).symbol.unwrap_or_default();
            library != 0 || OF_FUNCTIONS.iter().any(|begin| symbol().starts_with(begin))
        }
        false => stacks.image(frame).is_some_and(serves_mpi),
    }
}
