//! What the threads of a process do besides the one that is in an MPI function. With
//! `MPI_THREAD_MULTIPLE` another thread may send what other ranks wait for.

use mqd_inspect::process::{InLibrary, Stacks, ThreadStack};
use mqd_report::OtherThreads;

use crate::calls::entry_function;
use crate::stacks::{is_of_c_library, module};

/// How the file names of an MPI library and its components begin. A thread that has begun in one of
/// these belongs to the library: it serves connections and runs no code of the program.
const RUNTIME: [&str; 11] = [
    "libmpi",
    "libpmpi",
    "libopen-pal",
    "libopen-rte",
    "libpmix",
    "libprrte",
    "mca_",
    "libmca_",
    "libucs",
    "libuct",
    "libucp",
];

/// What the threads do besides one that is in an MPI function. `library` is the index of the MPI
/// library among the images. `None`: not known.
pub(crate) fn others(stacks: &Stacks, library: Option<usize>) -> Option<OtherThreads> {
    let (mut callers, mut running, mut unknown) = (0, false, false);
    for thread in stacks.threads() {
        match stacks.in_library(thread, library?, entry_function) {
            InLibrary::Entry { .. } => callers += 1,
            _ if thread.parked || is_own(stacks, thread) => {}
            InLibrary::Nothing if is_of_program(thread) => running = true,
            _ => unknown = true,
        }
    }
    match callers {
        _ if running => Some(OtherThreads::Running),
        _ if unknown => None,
        0 => None,
        1 => Some(OtherThreads::Blocked),
        _ => Some(OtherThreads::InMpi),
    }
}

/// Do all threads of the program wait for each other, outside MPI? A thread that waits inside a
/// library of MPI may be woken by a thread of that library.
pub(crate) fn none_goes_on(stacks: &Stacks, library: Option<usize>) -> bool {
    let Some(library) = library else { return false };
    let mut threads = stacks.threads().iter().filter(|thread| !is_own(stacks, thread)).peekable();
    threads.peek().is_some()
        && threads.all(|thread| {
            let called = stacks.in_library(thread, library, entry_function);
            let in_runtime = thread
                .frames
                .iter()
                .any(|frame| is_runtime(&stacks.image(frame).and_then(module).unwrap_or_default()));
            thread.parked
                && thread.complete
                && matches!(called, InLibrary::Nothing)
                && is_of_program(thread)
                && !in_runtime
        })
}

/// Functions in which only other threads let a thread go on, and never a signal handler: POSIX does
/// not let handlers give up a mutex.
const FOR_THREADS_ALONE: [&str; 3] =
    ["pthread_mutex_lock", "pthread_join", "__pthread_clockjoin_ex"];

/// Does each thread of the program wait for a mutex or for the end of a thread, as far as it waits?
pub(crate) fn wait_for_threads_alone(stacks: &Stacks) -> bool {
    stacks.threads().iter().filter(|thread| !is_own(stacks, thread)).all(|thread| {
        let mut innermost = thread.frames.iter().take_while(|frame| is_of_c_library(stacks, frame));
        innermost.any(|frame| {
            let symbol = stacks.symbol(frame).symbol.unwrap_or_default();
            FOR_THREADS_ALONE.contains(&symbol.as_str())
        })
    })
}

/// Has a thread begun in the MPI library?
fn is_own(stacks: &Stacks, thread: &ThreadStack) -> bool {
    let mut outermost = thread.frames.iter().rev();
    let first = outermost.find(|frame| !is_of_c_library(stacks, frame));
    let home = first.and_then(|frame| stacks.image(frame)).and_then(module).unwrap_or_default();
    thread.complete && is_runtime(&home)
}

/// Is this the file name of an MPI library or of a component?
fn is_runtime(module: &str) -> bool {
    RUNTIME.iter().any(|name| module.starts_with(name))
}

/// Is a thread in code of the program?
fn is_of_program(thread: &ThreadStack) -> bool {
    thread.frames.iter().any(|frame| frame.image == Some(0))
}
