//! Which debug DLL to load for a target, and which of its images is the MPI library.

use std::ffi::c_int;
use std::path::{Path, PathBuf};

use mqd_inspect::process::{ReadError, Target};
use mqs_abi::mqs_first_user_code;
use serde::{Deserialize, Serialize};

use super::trust::Owners;
use super::{DllError, carried, open_mpi};

/// The variable by which an MPI library names its debug DLL (5.1).
const DLL_NAME: &str = "MPIR_dll_name";

/// Symbols that only an MPI library defines, the most reliable first.
const LIBRARY_SYMBOLS: [&str; 7] = [
    DLL_NAME,
    "mqdrt_root",
    "ompi_mpi_comm_world",
    "MPIR_All_communicators",
    "PMPI_Init_thread",
    "PMPI_Init",
    "PMPI_Session_init",
];

/// The file name of our own debug DLL.
const OWN_DLL: &str = "libmqd.so";

/// Who has chosen a debug DLL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ChosenBy {
    /// `mqd`: it is our own.
    Mqd,
    /// The user of `mqd`, with `--dll`.
    User,
    /// The target, by `MPIR_dll_name`: only files of these owners are loaded.
    Target(Owners),
}

/// A debug DLL to load.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Candidate {
    /// The file. The dynamic linker looks for a name without a slash, unless the target has chosen
    /// it.
    pub path: PathBuf,
    /// Whose choice it is.
    pub chosen_by: ChosenBy,
}

impl Candidate {
    /// Our own debug DLL, which is here.
    pub fn own(path: PathBuf) -> Candidate {
        Candidate { path, chosen_by: ChosenBy::Mqd }
    }

    /// The DLL that the user has named. A name without a slash is a file in the working directory
    /// if there is one, as with any other option; the dynamic linker would not look there.
    pub fn of_user(path: &Path) -> Candidate {
        let in_directory = path.components().count() == 1 && path.is_file();
        let path = if in_directory { Path::new(".").join(path) } else { path.to_owned() };
        Candidate { path, chosen_by: ChosenBy::User }
    }
}

/// The debug DLLs to try for a target, in order: the one that the target names, then our own. If
/// ours is known to show more, it comes first. For a process of a snapshot there is only ours. The
/// second list says why a DLL that the target names is not among them.
pub fn candidates(target: &Target) -> (Vec<Candidate>, Vec<String>) {
    let mut candidates = Vec::new();
    let mut warnings = Vec::new();
    // Whoever made a snapshot does not decide what is loaded here.
    let named = if target.recording().is_some() {
        Ok(None)
    } else {
        target.unrecorded(|| named_by(target))
    };
    let own = own_dll();
    match named {
        Ok(None) => {}
        Ok(Some(name)) => {
            let path = resolve(&name, target);
            let owners = Owners::for_target_of(target.owner());
            if own.as_ref().is_none_or(|own| !same_file(&path, own)) {
                // The DLL is checked again when it is loaded, perhaps by another process. Here this
                // saves starting one in vain.
                match owners.open(&path) {
                    Ok(_) => {
                        let chosen_by = ChosenBy::Target(owners);
                        candidates.push(Candidate { path, chosen_by });
                    }
                    // The process names ours, and is read elsewhere. Ours is here all the same.
                    Err(_) if own.is_some() && path == Path::new(OWN_DLL) => {}
                    Err(why) => warnings.push(DllError::Distrusted { path, why }.to_string()),
                }
            }
        }
        Err(error) => warnings.push(format!("the name of the debug DLL ({DLL_NAME}): {error}")),
    }
    if let Some(path) = own {
        // Open MPI's DLL does not know unexpected messages, and shows much of the rest wrong. Ours
        // reads the same library. Open MPI's is still tried for what ours refuses.
        let first = candidates.first().is_some_and(|named| open_mpi::is_its_dll(&named.path));
        candidates.insert(if first { 0 } else { candidates.len() }, Candidate::own(path));
    }
    (candidates, warnings)
}

/// The debug DLL that the target's MPI library names to debuggers (`MPIR_dll_name`); none if it
/// names none.
///
/// # Errors
///
/// The name cannot be read.
pub fn named(target: &Target) -> Result<Option<PathBuf>, ReadError> {
    Ok(named_by(target)?.map(|name| resolve(&name, target)))
}

/// Is this our own debug DLL?
pub fn is_own(path: &Path) -> bool {
    own_dll().is_some_and(|own| same_file(&own, path))
}

/// Whether this debug DLL is our own, and a code of it says that the process is before `MPI_Init`
/// or after `MPI_Finalize`. The numbers of its codes are public.
pub fn says_outside_mpi(path: &Path, code: c_int) -> bool {
    const NOT_INITIALIZED: c_int = mqs_first_user_code + 14;
    const FINALIZED: c_int = mqs_first_user_code + 15;
    matches!(code, NOT_INITIALIZED | FINALIZED) && is_own(path)
}

/// Our own debug DLL: beside the running program, in the `lib` directory of its prefix, or one
/// level up (where cargo puts it for tests). Without such a file it is the program itself if that
/// has the DLL in it ([`carry`](super::carry)).
pub fn own_dll() -> Option<PathBuf> {
    installed().or_else(carried::path)
}

/// Our own debug DLL as a file.
fn installed() -> Option<PathBuf> {
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
/// symbol tells which. If an array is as large as a pointer, or if the size is not known, the
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

/// A relative name is relative to the directory of the MPI library. A name without a slash may also
/// be in a directory of `LD_LIBRARY_PATH`, as for the dynamic linker. A name that is not found
/// stays relative.
fn resolve(name: &str, target: &Target) -> PathBuf {
    let beside = library(target)
        .and_then(|index| target.images().get(index))
        .and_then(|image| image.path().parent())
        .map(Path::to_owned);
    let listed = std::env::var_os("LD_LIBRARY_PATH").filter(|_| !name.contains('/'));
    let listed = listed.iter().flat_map(std::env::split_paths);
    let mut places = beside.into_iter().chain(listed).map(|directory| directory.join(name));
    let found = places.find(|path| path.is_absolute() && path.exists());
    found.unwrap_or_else(|| PathBuf::from(name))
}

fn same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
