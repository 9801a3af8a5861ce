//! What the threads of a process do besides the one that is in an MPI function. With
//! `MPI_THREAD_MULTIPLE` another thread may send what other ranks wait for.

use std::cell::LazyCell;

use mqd_inspect::process::{InLibrary, Stacks, Target, ThreadStack};
use mqd_report::OtherThreads;

use crate::calls::{entry_function, public_name};
use crate::libraries::{OF_RUNTIME, is_below, is_runtime, program_imports};
use crate::stacks::{is_of_c_library, module};

/// What the threads do besides one that is in an MPI function. `library` is the index of the MPI
/// library among the images. `handlers`: signal handlers of the program may run. `reductions`: MPI
/// may call the program's reductions. `None`: not known.
pub(crate) fn others(
    stacks: &Stacks,
    library: Option<usize>,
    handlers: bool,
    reductions: impl Fn() -> bool,
) -> Option<OtherThreads> {
    let reductions = LazyCell::new(reductions);
    // A reduction may call functions that a signal handler may not call.
    let is_woken = |thread: &ThreadStack| {
        !is_of_team(stacks, thread) && !is_of_algebra(stacks, thread) && *reductions
            || handlers && may_be_woken(stacks, thread)
    };
    let (mut callers, mut running, mut unknown) = (0, false, false);
    for thread in stacks.threads() {
        match stacks.in_library(thread, library?, entry_function) {
            InLibrary::Entry { .. } => callers += 1,
            _ if is_own(stacks, thread) => {}
            _ if thread.parked && !is_woken(thread) => {}
            _ if thread.parked => unknown = true,
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

/// Whether all threads of the program wait for each other, outside MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitForEachOther {
    No,
    /// They do, but a thread of another library may wake one of them.
    Perhaps,
    Surely,
}

/// A thread that waits in a library of MPI may be woken by a thread of that library. If the program
/// uses such a library itself, that thread may also call a function of the program, which wakes
/// others. What wakes a thread that is in no function of the program is not known.
pub(crate) fn wait_for_each_other(target: &Target, library: Option<usize>) -> WaitForEachOther {
    let Some(library) = library else { return WaitForEachOther::No };
    let stacks = &target.stacks();
    let (others, threads): (Vec<_>, Vec<_>) =
        stacks.threads().iter().partition(|thread| is_own(stacks, thread));
    let waits = |thread: &&ThreadStack| {
        let called = stacks.in_library(thread, library, entry_function);
        thread.parked && thread.complete && matches!(called, InLibrary::Nothing)
    };
    let in_runtime = |thread: &ThreadStack| {
        let mut modules = thread.frames.iter().filter_map(|frame| module(stacks.image(frame)?));
        modules.any(|module| is_runtime(&module))
    };
    if threads.is_empty() || !threads.iter().all(waits) {
        return WaitForEachOther::No;
    }
    let is_sure = threads.iter().all(|thread| is_of_program(thread) && !in_runtime(thread))
        && (others.is_empty() || !program_imports(target, library, &OF_RUNTIME, true));
    if is_sure { WaitForEachOther::Surely } else { WaitForEachOther::Perhaps }
}

/// Functions in which only other threads let a thread go on, and never a signal handler. Of what
/// wakes threads, POSIX lets a handler call `sem_post` alone.
const FOR_THREADS_ALONE: [&str; 11] = [
    "pthread_mutex_lock",
    "pthread_join",
    "pthread_clockjoin_ex",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "pthread_barrier_wait",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "cnd_wait",
    "mtx_lock",
];

/// Libraries whose threads wait for each other without the C library.
const OF_THREADS: [&str; 3] = ["libgomp.so", "libomp.so", "libiomp5.so"];

/// Libraries of linear algebra that have threads of their own.
const OF_ALGEBRA: [&str; 3] = ["libopenblas", "libscipy_openblas", "libblis"];

/// Do all threads of the program wait in functions that only other threads can end?
pub(crate) fn wait_for_threads_alone(stacks: &Stacks) -> bool {
    let mut threads = stacks.threads().iter().filter(|thread| !is_own(stacks, thread));
    threads.all(|thread| !may_be_woken(stacks, thread))
}

/// Does a thread wait for its team in a library of threads?
fn is_of_team(stacks: &Stacks, thread: &ThreadStack) -> bool {
    let home = thread.frames.first().and_then(|frame| stacks.image(frame)).and_then(module);
    let home = home.unwrap_or_default();
    OF_THREADS.iter().any(|library| home.starts_with(library))
}

/// Has a thread begun in a library of linear algebra? Such a thread never calls MPI.
fn is_of_algebra(stacks: &Stacks, thread: &ThreadStack) -> bool {
    let mut frames = thread.frames.iter().rev().filter(|frame| !is_of_c_library(stacks, frame));
    let home = frames.next().and_then(|frame| stacks.image(frame)).and_then(module);
    let home = home.unwrap_or_default();
    thread.complete && OF_ALGEBRA.iter().any(|library| home.starts_with(library))
}

/// May a signal handler let a waiting thread go on?
fn may_be_woken(stacks: &Stacks, thread: &ThreadStack) -> bool {
    let mut innermost = thread.frames.iter().take_while(|frame| is_of_c_library(stacks, frame));
    let waits_for_threads = innermost.any(|frame| {
        let symbol = stacks.symbol(frame).symbol.unwrap_or_default();
        FOR_THREADS_ALONE.contains(&public_name(&symbol))
    });
    !waits_for_threads && !is_of_team(stacks, thread)
}

/// Does a thread belong to the MPI library? It has begun there, and is in no function of the
/// program.
fn is_own(stacks: &Stacks, thread: &ThreadStack) -> bool {
    let mut frames = thread.frames.iter().rev().filter(|frame| !is_of_c_library(stacks, frame));
    let home = |frame| stacks.image(frame).and_then(module).unwrap_or_default();
    thread.complete
        && frames.next().is_some_and(|first| is_runtime(&home(first)))
        && frames.all(|frame| {
            let name = home(frame);
            frame.image.is_none() || is_runtime(&name) || is_below(&name)
        })
}

/// Is a thread in code of the program?
fn is_of_program(thread: &ThreadStack) -> bool {
    thread.frames.iter().any(|frame| frame.image == Some(0))
}
