//! The debug DLL: finding it, loading it, and its functions (MQD 5.7 to 5.10).

mod bound;
mod carried;
mod functions;
mod locate;
mod message;
pub(crate) mod open_mpi;
mod trust;
mod watched;

use std::ffi::{CStr, c_char, c_int};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use mqd_inspect::files::{self, FileError};

pub(crate) use self::bound::Bound;
pub use self::carried::{carried, carry};
pub use self::functions::Functions;
pub use self::locate::{
    Candidate, ChosenBy, candidates, is_own, library, named, own_dll, says_outside_mpi,
};
pub use self::message::fill_in;
pub use self::trust::{Distrust, Owners};
pub(crate) use self::watched::Calls;
use crate::callbacks;

/// The interface versions that this host speaks (5.4.3). A DLL that was compiled with `FOR_MPI2`
/// calls version 2 by the number 3.
const COMPATIBLE: [c_int; 2] = [mqs_abi::MQS_INTERFACE_COMPATIBILITY, 3];

/// A debug DLL that is loaded, has all functions it needs, and speaks our version of the interface.
///
/// Its global state knows one debugger, and nothing says that it may be called by two threads at
/// once: this type is not `Sync`.
#[derive(Debug)]
pub struct Dll {
    path: PathBuf,
    version: String,
    functions: Functions,
    /// Keeps the functions mapped.
    _library: Library,
    /// The file that the library is loaded from. The dynamic linker knows the library by the number
    /// of this descriptor, so the number must not be used again before the library is unloaded. The
    /// last field, since fields are dropped in order.
    _file: Option<File>,
}

/// Why a DLL cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DllError {
    /// The target names it, and somebody who is not trusted could have written it.
    #[error(
        "the process names the debug DLL {}, which is not loaded since {why}; `--dll {0}` loads it \
         all the same",
        path.display()
    )]
    Distrusted {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: Distrust,
    },
    /// It is not a regular file, or cannot be opened.
    #[error("cannot load the debug DLL {}: {why}", path.display())]
    File {
        /// What was to be loaded.
        path: PathBuf,
        /// What is wrong with it.
        why: FileError,
    },
    /// It is in the program, and the system cannot make a file of it in memory.
    #[error(
        "cannot make a file in memory of the debug DLL in {}: {error}. `mqd install-dll DIR` \
         writes it to a directory; name the file with --dll",
        path.display()
    )]
    Carried {
        /// The program.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// `dlopen` failed.
    #[error("cannot load the debug DLL {}: {reason}", path.display())]
    Load {
        /// What was to be loaded.
        path: PathBuf,
        /// What the dynamic linker says.
        reason: String,
    },
    /// A function is missing that the interface requires.
    #[error(
        "{} is not a debug DLL for message queues: it has no function {function}",
        path.display()
    )]
    MissingFunction {
        /// The library.
        path: PathBuf,
        /// The function's name.
        function: &'static str,
    },
    /// Built for another version of the interface.
    #[error(
        "the debug DLL {} speaks version {found} of the MQD interface; mqd speaks versions 2 and \
         3. Use the DLL of another release of the MPI library, or another release of mqd",
        path.display()
    )]
    Incompatible {
        /// The DLL.
        path: PathBuf,
        /// What `mqs_version_compatibility` returned.
        found: c_int,
    },
    /// Built with another type for addresses.
    #[error(
        "the debug DLL {} is built for addresses of {found} bytes, mqd for {}: use a DLL of mqd's \
         word size",
        path.display(),
        size_of::<mqs_abi::mqs_taddr_t>()
    )]
    AddressWidth {
        /// The DLL.
        path: PathBuf,
        /// What `mqs_dll_taddr_width` returned.
        found: c_int,
    },
}

impl DllError {
    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            DllError::Distrusted { path, .. }
            | DllError::File { path, .. }
            | DllError::Carried { path, .. }
            | DllError::Load { path, .. }
            | DllError::MissingFunction { path, .. }
            | DllError::Incompatible { path, .. }
            | DllError::AddressWidth { path, .. } => path,
        }
    }
}

/// The dynamic linker's own words, which libloading keeps as the source of its error.
fn linker_says(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

impl Dll {
    /// Loads a debug DLL, checks it as 4.2 says, and hands it the basic callbacks.
    ///
    /// # Errors
    /// It cannot be trusted ([`Owners`]) or loaded, or is not a debug DLL that this host can use.
    pub fn load(candidate: &Candidate) -> Result<Dll, DllError> {
        let path = candidate.path.as_path();
        let file = open(candidate)?;
        let loaded = file.as_ref().map_or_else(
            || path.to_owned(),
            |file| PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd())),
        );
        // SAFETY: loading runs the initialisers of a library that the user has named, that is our
        // own, or that the MPI library being debugged has named and only users whom we trust could
        // have written. There is no way to use a debug DLL without trusting it that far.
        let library =
            unsafe { Library::open(Some(&loaded), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| {
                let shown = path.display().to_string();
                let reason = linker_says(&error).replace(&*loaded.to_string_lossy(), &shown);
                DllError::Load { path: path.to_owned(), reason }
            })?;
        let functions = Functions::find(&library)
            .map_err(|function| DllError::MissingFunction { path: path.to_owned(), function })?;

        // SAFETY: the function has the type of 5.7.3 and takes nothing.
        let found = unsafe { (functions.version_compatibility)() };
        if !COMPATIBLE.contains(&found) {
            return Err(DllError::Incompatible { path: path.to_owned(), found });
        }
        // SAFETY: the function has the type of 5.7.4 and takes nothing.
        let width = functions.dll_taddr_width.map(|width| unsafe { width() });
        if let Some(found) =
            width.filter(|width| *width as usize != size_of::<mqs_abi::mqs_taddr_t>())
        {
            return Err(DllError::AddressWidth { path: path.to_owned(), found });
        }
        // SAFETY: the function has the type of 5.7.2 and takes nothing; its string belongs to the
        // DLL and stays.
        let version =
            unsafe { text((functions.version_string)()) }.unwrap_or_else(|| "unknown".to_owned());
        // SAFETY: the table is static, so it outlives the DLL as 5.7.1 demands.
        unsafe { (functions.setup_basic_callbacks)(&callbacks::BASIC) };
        Ok(Dll { path: path.to_owned(), version, functions, _library: library, _file: file })
    }

    /// The path it was loaded by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it says its version is.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// From now on counts what it calls besides callbacks ([`Calls`]). False: that cannot be done.
    pub(crate) fn watch(&self) -> bool {
        // SAFETY: the library is loaded as long as this exists, and a DLL has no threads.
        unsafe { watched::watch(self.functions.setup_image as *const std::ffi::c_void) }
    }

    /// What it says its version is when it is asked again (5.7.2); None for NULL.
    pub(crate) fn version_now(&self) -> Option<String> {
        // SAFETY: the function has the type of 5.7.2 and takes nothing; its string belongs to the
        // DLL.
        unsafe { text((self.functions.version_string)()) }
    }

    /// The version of the interface that it speaks (5.7.3).
    pub(crate) fn compatibility_now(&self) -> c_int {
        // SAFETY: the function has the type of 5.7.3 and takes nothing.
        unsafe { (self.functions.version_compatibility)() }
    }

    /// The bytes of its addresses (5.7.4).
    pub(crate) fn width_now(&self) -> Option<c_int> {
        // SAFETY: the function has the type of 5.7.4 and takes nothing.
        self.functions.dll_taddr_width.map(|width| unsafe { width() })
    }

    /// Its functions.
    pub fn functions(&self) -> &Functions {
        &self.functions
    }

    /// The text of one of its error codes (5.7.5), on one line.
    pub(crate) fn error_text(&self, code: c_int) -> Option<String> {
        // SAFETY: the function has the type of 5.7.5; its string belongs to the DLL.
        unsafe { text((self.functions.dll_error_string)(code)) }.filter(|text| !text.is_empty())
    }
}

/// Opens and checks what a target has chosen. What others have chosen is left to the dynamic
/// linker, except pipes and devices: opening one could block for ever.
fn open(Candidate { path, chosen_by }: &Candidate) -> Result<Option<File>, DllError> {
    let file = |why| DllError::File { path: path.clone(), why };
    match chosen_by {
        ChosenBy::Target(owners) => match owners.open(path) {
            Ok(file) => Ok(Some(file)),
            Err(why) => Err(DllError::Distrusted { path: path.clone(), why }),
        },
        ChosenBy::User if path.components().count() > 1 => {
            files::open(path).map(|_| None).map_err(file)
        }
        ChosenBy::Mqd if carried::path().as_ref() == Some(path) => carried::file()
            .transpose()
            .map_err(|error| DllError::Carried { path: path.clone(), error }),
        ChosenBy::User | ChosenBy::Mqd => Ok(None),
    }
}

/// A C string of the DLL's, trimmed; None for NULL.
///
/// # Safety
/// `string` is NULL or points to a zero-terminated string.
unsafe fn text(string: *const c_char) -> Option<String> {
    if string.is_null() {
        return None;
    }
    // SAFETY: not NULL, so zero-terminated by this function's contract.
    let bytes = unsafe { CStr::from_ptr(string) };
    Some(bytes.to_string_lossy().trim().to_owned())
}
