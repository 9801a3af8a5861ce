//! Which debug DLL to load for a target, and which of its images is the MPI library.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use mqd_inspect::process::{ReadError, Target};

/// The variable by which an MPI library names its debug DLL (5.1).
const DLL_NAME: &str = "MPIR_dll_name";

/// Symbols that only an MPI library defines, the surest first.
const LIBRARY_SYMBOLS: [&str; 5] =
    [DLL_NAME, "mqdrt_root", "ompi_mpi_comm_world", "MPIR_All_communicators", "PMPI_Init_thread"];

/// The file name of our own debug DLL.
const OWN_DLL: &str = "libmqd.so";

/// A debug DLL to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The file; a name without a slash is for the dynamic linker to find.
    pub path: PathBuf,
    /// Whose choice it is: `MPIR_dll_name`, or `mqd's own`.
    pub origin: &'static str,
}

/// The debug DLLs to try for a target, in this order: the one that the target names, then our own;
/// or the other way round where ours is known to show more; for a process of a snapshot ours alone.
/// The second list says why a DLL that the target names is not among them.
pub fn candidates(target: &Target) -> (Vec<Candidate>, Vec<String>) {
    let mut candidates = Vec::new();
    let mut warnings = Vec::new();
    // Whoever made a snapshot does not decide what is loaded here.
    let named = if target.recording().is_some() {
        Ok(None)
    } else {
        target.unrecorded(|| named_by(target))
    };
    match named {
        Ok(None) => {}
        Ok(Some(name)) => {
            let path = resolve(&name, target);
            match distrusted(&path) {
                None => candidates.push(Candidate { path, origin: DLL_NAME }),
                Some(why) => warnings.push(format!(
                    "the process names the debug DLL {}, which is not loaded since {why}; `--dll \
                     {0}` loads it all the same",
                    path.display()
                )),
            }
        }
        Err(error) => warnings.push(format!("the name of the debug DLL ({DLL_NAME}): {error}")),
    }
    if let Some(path) =
        own_dll().filter(|own| candidates.iter().all(|known| !same_file(&known.path, own)))
    {
        let own = Candidate { path, origin: "mqd's own" };
        let first = candidates.first().is_some_and(|named| is_surpassed(&named.path));
        candidates.insert(if first { 0 } else { candidates.len() }, own);
    }
    (candidates, warnings)
}

/// Is this the DLL of Open MPI? It knows nothing of unexpected messages and shows a good part of
/// the rest wrong; ours reads the same library. It is still there for what ours refuses.
fn is_surpassed(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"libompi_dbg_msgq"))
}

/// Is this our own debug DLL?
pub fn is_own(path: &Path) -> bool {
    own_dll().is_some_and(|own| same_file(&own, path))
}

/// Our own debug DLL: beside the running program, in the `lib` directory of its prefix, or one
/// level up (where cargo puts it for tests).
pub fn own_dll() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    let directory = program.parent()?;
    let places = [directory.to_owned(), directory.join("../lib"), directory.join("..")];
    let path = places.iter().map(|place| place.join(OWN_DLL)).find(|path| path.is_file())?;
    path.canonicalize().ok()
}

/// The index of the MPI library among the target's images.
pub fn library(target: &Target) -> Option<usize> {
    LIBRARY_SYMBOLS.iter().find_map(|name| target.find_symbol(name)).map(|symbol| symbol.image)
}

/// The name in `MPIR_dll_name`; None if there is no such variable or it is empty.
///
/// It is an array of characters in some libraries and a pointer to them in others. The size of the
/// symbol tells which, unless an array is as large as a pointer or the size is not known: then the
/// content tells.
fn named_by(target: &Target) -> Result<Option<String>, ReadError> {
    let Some(symbol) = target.find_symbol(DLL_NAME) else { return Ok(None) };
    let pointer_size = target.arch().pointer_size;
    let array = target.read_c_string(symbol.address);
    let name = if symbol.size > pointer_size {
        array?
    } else {
        match array {
            Ok(text) if is_name(&text) => text,
            _ => match target.read_pointer(symbol.address)? {
                0 => return Ok(None),
                address => target.read_c_string(address)?,
            },
        }
    };
    Ok(is_name(&name).then_some(name))
}

/// Can this be the name of a file? The bytes of a pointer are not.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(|character: char| character.is_control() || character == '\u{fffd}')
}

/// A name that is not absolute is meant beside the MPI library, if there is such a file; else the
/// dynamic linker looks.
fn resolve(name: &str, target: &Target) -> PathBuf {
    let beside = library(target)
        .and_then(|index| target.images().get(index))
        .and_then(|image| image.path().parent())
        .map(|directory| directory.join(name))
        .filter(|path| path.is_file());
    beside.unwrap_or_else(|| PathBuf::from(name))
}

/// Why a DLL that the target names is not to be loaded, if so.
///
/// Loading a library runs it with our rights, and the name comes from the memory of a process,
/// perhaps of another user: who attaches as root must not run what anybody wrote. Files of root and
/// our own are fine.
fn distrusted(path: &Path) -> Option<String> {
    let file = std::fs::metadata(path).ok()?;
    let us = rustix::process::geteuid().as_raw();
    if file.uid() != 0 && file.uid() != us {
        return Some(format!("it belongs to another user (uid {})", file.uid()));
    }
    (file.mode() & 0o002 != 0).then(|| "anybody can write to it".to_owned())
}

fn same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

/// `--dll libx.so` means the file in the working directory if there is one, as with any other
/// option; the dynamic linker would look elsewhere.
pub(crate) fn with_slash(path: &Path) -> PathBuf {
    if path.components().count() == 1 && path.is_file() {
        Path::new(".").join(path)
    } else {
        path.to_owned()
    }
}
