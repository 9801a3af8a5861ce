//! What the threads of a process do besides the one that is in an MPI function. With
//! `MPI_THREAD_MULTIPLE` another thread may send what other ranks wait for.

use mqd_inspect::process::{InLibrary, StackFrame, Stacks, ThreadStack};
use mqd_report::{OtherThreads, check};

use crate::calls::{entry_function, public_name};
use crate::stacks::{is_of_c_library, module};

/// The libraries of MPI and below, by their file names without `.so` and what follows. A thread
/// that has begun in one of these belongs to it: it serves connections and runs no code of the
/// program. A program may have libraries of its own with names that only begin like this.
const RUNTIME: [&str; 11] = [
    "libmpi",
    "libmpi_abi",
    "libmpich",
    "libpmpi",
    "libopen-pal",
    "libopen-rte",
    "libpmix",
    "libprrte",
    "libucs",
    "libuct",
    "libucp",
];

/// How the file names of their components begin.
const COMPONENTS: [&str; 4] = ["mca_", "libmca_", "libucs_", "libuct_"];

/// How the file names of libraries begin that MPI libraries use.
const BELOW: [&str; 26] = [
    "libfabric",
    "libucm",
    "libpmi",
    "libevent",
    "libhwloc",
    "libibverbs",
    "librdmacm",
    "libmlx",
    "libnl-",
    "libpsm",
    "libcxi",
    "libudev",
    "libnuma",
    "libhcoll",
    "libucc",
    "libsharp",
    "libcuda",
    "libnvidia",
    "libgdrapi",
    "libamdhip",
    "libhsa-runtime",
    "libze_",
    "libxpmem",
    "libefa",
    "libinfinipath",
    "hmca_",
];

/// What else their file names contain: providers of libfabric, and drivers of verbs.
const OF_NETWORKS: [&str; 2] = ["-fi.so", "-rdmav"];

/// What the threads do besides one that is in an MPI function. `library` is the index of the MPI
/// library among the images. `handlers`: signal handlers of the program may run. `None`: not known.
pub(crate) fn others(
    stacks: &Stacks,
    library: Option<usize>,
    handlers: bool,
) -> Option<OtherThreads> {
    let (mut callers, mut running, mut unknown) = (0, false, false);
    for thread in stacks.threads() {
        match stacks.in_library(thread, library?, entry_function) {
            InLibrary::Entry { .. } => callers += 1,
            _ if is_own(stacks, thread) => {}
            _ if thread.parked && !(handlers && may_be_woken(stacks, thread)) => {}
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

/// Is each thread of the program that waits in a function which only other threads can end?
pub(crate) fn wait_for_threads_alone(stacks: &Stacks) -> bool {
    let mut threads = stacks.threads().iter().filter(|thread| !is_own(stacks, thread));
    threads.all(|thread| !may_be_woken(stacks, thread))
}

/// May a signal handler let a waiting thread go on?
fn may_be_woken(stacks: &Stacks, thread: &ThreadStack) -> bool {
    let home = thread.frames.first().and_then(|frame| stacks.image(frame)).and_then(module);
    let home = home.unwrap_or_default();
    let mut innermost = thread.frames.iter().take_while(|frame| is_of_c_library(stacks, frame));
    let waits_for_threads = innermost.any(|frame| {
        let symbol = stacks.symbol(frame).symbol.unwrap_or_default();
        FOR_THREADS_ALONE.contains(&public_name(&symbol))
    });
    !waits_for_threads && !OF_THREADS.iter().any(|library| home.starts_with(library))
}

/// May MPI have called a function of the program from the function that a thread is in? If the
/// function is in the executable, [`Stacks::in_library`] notices it, unless the MPI library is
/// linked into the executable. Then frames do not tell the two apart, and only a function that ends
/// the use of MPI counts, as it calls functions of the program more often than others.
pub(crate) fn may_have_called_program(stacks: &Stacks, library: usize) -> bool {
    stacks.threads().iter().any(|thread| {
        let InLibrary::Entry { function, frame } =
            stacks.in_library(thread, library, entry_function)
        else {
            return false;
        };
        let inner = &thread.frames[..frame];
        // The C library calls code of the kernel (vDSO), which is in no file.
        let in_kernel = inner.get(1).is_some_and(|caller| is_of_c_library(stacks, caller))
            && inner[0].image.is_none();
        let mut inner = inner.iter().skip(usize::from(in_kernel));
        library == 0 && check::ends(&function)
            || inner.any(|frame| !is_of_mpi(stacks, frame, library))
    })
}

/// Is a frame in the MPI library, or in what it uses?
fn is_of_mpi(stacks: &Stacks, frame: &StackFrame, library: usize) -> bool {
    let name = stacks.image(frame).and_then(module).unwrap_or_default();
    frame.image == Some(library)
        || is_of_c_library(stacks, frame)
        || is_runtime(&name)
        || BELOW.iter().any(|begin| name.starts_with(begin))
        || OF_NETWORKS.iter().any(|part| name.contains(part))
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
    let (name, _) = module.split_once(".so").unwrap_or((module, ""));
    // Packages of PyPI add a hash to names.
    let is_hash = |end: &str| end.len() >= 8 && end.bytes().all(|byte| byte.is_ascii_hexdigit());
    let name = name.rsplit_once('-').filter(|(_, end)| is_hash(end)).map_or(name, |(name, _)| name);
    RUNTIME.contains(&name) || COMPONENTS.iter().any(|begin| name.starts_with(begin))
}

/// Is a thread in code of the program?
fn is_of_program(thread: &ThreadStack) -> bool {
    thread.frames.iter().any(|frame| frame.image == Some(0))
}

#[cfg(test)]
mod tests {
    use super::is_runtime;

    #[test]
    fn libraries_of_the_program_are_not_those_of_mpi() {
        for name in [
            "libmpi.so.40",
            "libmpich.so.12",
            "libmpi_abi.so.1",
            "libopen-pal.so.40.30.2",
            "libucs-1a2b3c4d.so.0.0.0",
            "mca_btl_tcp.so",
            "libuct_ib.so.0",
        ] {
            assert!(is_runtime(name), "{name}");
        }
        for name in ["libmpitasks.so", "libmpi_tools.so", "libmpiP.so", "libucpack.so", "solver"] {
            assert!(!is_runtime(name), "{name}");
        }
    }
}
