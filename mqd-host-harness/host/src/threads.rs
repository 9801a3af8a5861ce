//! What the threads of a process do besides the one that is in an MPI function. With
//! `MPI_THREAD_MULTIPLE` another thread may send what other ranks wait for.

use mqd_inspect::image::Image;
use mqd_inspect::process::{InLibrary, StackFrame, Stacks, Target, ThreadStack};
use mqd_report::OtherThreads;

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

/// The libraries that MPI libraries use, in the same way.
const BELOW: [&str; 36] = [
    "libfabric",
    "libucm",
    "libpmi",
    "libpmi2",
    "libevent",
    "libevent_core",
    "libevent_pthreads",
    "libhwloc",
    "libibverbs",
    "librdmacm",
    "libmlx4",
    "libmlx5",
    "libnl",
    "libnl-genl",
    "libnl-route",
    "libpsm_infinipath",
    "libpsm2",
    "libinfinipath",
    "libcxi",
    "libudev",
    "libnuma",
    "libhcoll",
    "libocoms",
    "libucc",
    "libsharp",
    "libsharp_coll",
    "libcuda",
    "libcudart",
    "libnvidia-ml",
    "libgdrapi",
    "libamdhip64",
    "libhsa-runtime64",
    "libze_loader",
    "libze_intel_gpu",
    "libxpmem",
    "libefa",
];

/// How the file names of their components begin.
const COMPONENTS_BELOW: [&str; 2] = ["hmca_", "libucc_"];

/// How names of functions begin that are linked into a program together with MPI.
const OF_FUNCTIONS: [&str; 21] = [
    "MPI_", "PMPI_", "MPIR_", "MPID", "MPII_", "MPIC_", "MPIX_", "MPIU_", "MPIO", "MPL_", "ADIO",
    "ompi_", "opal_", "mca_", "orte_", "prte_", "pmix_", "PMIx_", "ucp_", "uct_", "ucs_",
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
/// library of MPI may be woken by a thread of that library. If the program uses such a library
/// itself, that thread may also call a function of the program, which wakes others.
pub(crate) fn none_goes_on(target: &Target, library: Option<usize>) -> bool {
    let Some(library) = library else { return false };
    let stacks = &target.stacks();
    let (others, threads): (Vec<_>, Vec<_>) =
        stacks.threads().iter().partition(|thread| is_own(stacks, thread));
    !threads.is_empty()
        && threads.iter().all(|thread| {
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
        && (others.is_empty() || !uses_runtime(target, library))
}

/// May the program, or a library of it, use a library below MPI itself?
fn uses_runtime(target: &Target, library: usize) -> bool {
    const FUNCTIONS: [&str; 6] = ["PMIx_", "ucp_", "uct_", "ucs_", "event_", "fi_"];
    target.images().iter().enumerate().any(|(index, image)| {
        let is_of_program = index == 0 || index != library && !serves_mpi(image);
        is_of_program && image.may_import(&FUNCTIONS)
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

/// Do all threads of the program wait in functions that only other threads can end?
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

/// May MPI have called a function of the program? Such a function is known by its frame. It may
/// also end with a call of the C library, and then has no frame. The call instruction tells that
/// MPI has called it by a pointer.
pub(crate) fn may_have_called_program(target: &Target, library: usize) -> bool {
    let stacks = target.stacks();
    stacks.threads().iter().any(|thread| {
        let InLibrary::Entry { frame, .. } = stacks.in_library(thread, library, entry_function)
        else {
            return false;
        };
        let inner = &thread.frames[..frame];
        // The C library calls code of the kernel (vDSO), which is in no file.
        let in_kernel = inner.get(1).is_some_and(|caller| is_of_c_library(&stacks, caller))
            && inner[0].image.is_none();
        let mut inner = inner.iter().skip(usize::from(in_kernel));
        let mut calls = thread.frames[..=frame].windows(2);
        inner.any(|frame| !is_of_mpi(&stacks, frame, library))
            || calls.any(|pair| {
                // A function of the program would be back at once, too.
                let yields = || {
                    let symbol = stacks.symbol(&pair[0]).symbol.unwrap_or_default();
                    public_name(&symbol) == "sched_yield"
                };
                let is_call_of_c = is_of_c_library(&stacks, &pair[0])
                    && !is_of_c_library(&stacks, &pair[1])
                    && !pair[1].exact;
                is_call_of_c && !calls_mpi_or_c(target, &pair[1], library) && !yields()
            })
    })
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

/// Is this a library of MPI, one that MPI libraries use, or the C library?
fn serves_mpi(image: &Image) -> bool {
    let name = module(image).unwrap_or_default();
    image.is_of_c_library() || is_runtime(&name) || is_below(&name)
}

/// Is this the file name of an MPI library or of a component?
fn is_runtime(module: &str) -> bool {
    let name = plain(module);
    RUNTIME.contains(&name) || COMPONENTS.iter().any(|begin| name.starts_with(begin))
}

/// Is this the file name of a library that MPI libraries use?
fn is_below(module: &str) -> bool {
    let name = plain(module);
    BELOW.contains(&name)
        || COMPONENTS_BELOW.iter().any(|begin| name.starts_with(begin))
        || OF_NETWORKS.iter().any(|part| module.contains(part))
}

/// The file name of a library without `.so` and what follows, its version, and the hash that
/// packages of PyPI add.
fn plain(module: &str) -> &str {
    let (name, _) = module.split_once(".so").unwrap_or((module, ""));
    let is_version = |end: &str| end.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_hash = |end: &str| {
        let (hash, version) = end.split_once('.').unwrap_or((end, ""));
        hash.len() >= 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) && is_version(version)
    };
    let without = |name: &'_ str| match name.rsplit_once('-') {
        Some((rest, end)) if is_hash(end) || is_version(end) => rest.len(),
        _ => name.len(),
    };
    let name = &name[..without(name)];
    &name[..without(name)]
}

/// Is a thread in code of the program?
fn is_of_program(thread: &ThreadStack) -> bool {
    thread.frames.iter().any(|frame| frame.image == Some(0))
}

#[cfg(test)]
mod tests {
    use super::{is_below, is_runtime};

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
        for name in ["libevent-2.1.so.7", "libevent_core-2-a22b3c4d.1.so.7", "libnl-route-3.so.200"]
        {
            assert!(is_below(name), "{name}");
        }
        for name in ["libmlx5-rdmav34.so", "libtcp-fi.so", "libnuma-1a2b3c4d.so.1.0.0"] {
            assert!(is_below(name), "{name}");
        }
        for name in ["libeventlog.so", "libnumatools.so.1", "libcudasolver.so", "libfabric_x.so"] {
            assert!(!is_below(name), "{name}");
        }
    }
}
