//! Open files and their handles.

use std::ffi::{CStr, CString, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use super::errors::default_errhandler;
use super::pointer::SharedPointer;
use super::split::Split;
use super::view::View;
use crate::abi::*;
use crate::communicator::Communicator;
use crate::communicator::team::{Team, tag};
use crate::engine::context::ContextId;
use crate::errhandler;
use crate::error::{Error, Result};
use crate::handles::{HandleKind, Table};

/// An open file.
pub(crate) struct File {
    /// A communicator of its own, with the processes that have opened it together.
    pub(super) communicator: &'static Communicator,
    pub(super) descriptor: std::fs::File,
    pub(super) path: PathBuf,
    /// Its name for C, once somebody has asked for it.
    name: OnceLock<CString>,
    /// The access mode of `MPI_File_open`.
    pub(super) amode: c_int,
    errhandler: AtomicUsize,
    handle: AtomicUsize,
    pub(super) pointer: SharedPointer,
    view: RwLock<View>,
    state: Mutex<FileState>,
    /// Atomic mode (MPI 5.0, section 14.6.1).
    pub(super) is_atomic: AtomicBool,
    /// In atomic mode, threads of this process take turns, since the system's locks do not separate
    /// them.
    pub(super) turn: Mutex<()>,
}

/// What changes while a file is open, besides the view.
pub(super) struct FileState {
    /// The individual file pointer, in etypes of the view.
    pub(super) position: MPI_Offset,
    /// The split collective operation between its beginning and its end.
    pub(super) split: Option<Split>,
    /// Whether the processes collect what they write together. All of them have the same value.
    pub(super) collects: bool,
    /// The hints that are followed.
    pub(super) hints: Vec<(String, String)>,
}

static FILES: Table<File> = Table::new(HandleKind::File);

/// The file of a handle; `MPI_ERR_FILE` if there is none.
pub(crate) fn resolve(handle: MPI_File) -> Result<Arc<File>> {
    FILES.get(handle.0).ok_or_else(|| {
        let what = match handle {
            MPI_FILE_NULL => "MPI_FILE_NULL",
            _ => "not that of a file, or of one that was closed",
        };
        Error::new(MPI_ERR_FILE, format!("the handle is {what}"))
    })
}

/// Takes in a file that has been opened.
pub(super) fn register(file: File) -> MPI_File {
    let file = Arc::new(file);
    let handle = FILES.insert(file.clone());
    file.handle.store(handle, Ordering::Release);
    MPI_File(handle)
}

/// Ends the use of a handle.
pub(super) fn remove(handle: MPI_File) {
    FILES.remove(handle.0);
}

/// `MPI_File_fromint`
pub(crate) fn from_int(integer: c_int) -> MPI_File {
    FILES.handle_of(integer)
}

impl File {
    /// A file with the view that files have at first.
    pub(super) fn new(
        communicator: &'static Communicator,
        descriptor: std::fs::File,
        path: PathBuf,
        amode: c_int,
        pointer: SharedPointer,
    ) -> Result<File> {
        let handler = default_errhandler();
        errhandler::retain(handler)?;
        let state = FileState { position: 0, split: None, collects: false, hints: Vec::new() };
        Ok(File {
            communicator,
            descriptor,
            path,
            name: OnceLock::new(),
            amode,
            errhandler: AtomicUsize::new(handler.0),
            handle: AtomicUsize::new(MPI_FILE_NULL.0),
            pointer,
            view: RwLock::new(View::of_bytes()),
            is_atomic: AtomicBool::new(false),
            state: Mutex::new(state),
            turn: Mutex::new(()),
        })
    }

    /// Its handle, once the program has it.
    pub(crate) fn handle(&self) -> MPI_File {
        MPI_File(self.handle.load(Ordering::Acquire))
    }

    /// The context of its communicator, which no other object has.
    pub(crate) fn context_id(&self) -> ContextId {
        self.communicator.program.id()
    }

    /// The name of the file in the system.
    pub(crate) fn name(&self) -> &CStr {
        self.name.get_or_init(|| {
            // The system has opened it, so its name has no zero byte.
            CString::new(self.path.as_os_str().as_bytes()).unwrap_or_default()
        })
    }

    /// The view. It stays as it is while the result is there. A thread must not call this again
    /// meanwhile.
    pub(super) fn view(&self) -> RwLockReadGuard<'_, View> {
        self.view.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the view. The individual file pointer goes to its beginning.
    pub(super) fn set_view(&self, view: View) {
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = view;
        self.state().position = 0;
    }

    /// The changing state, locked.
    pub(super) fn state(&self) -> MutexGuard<'_, FileState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of its error handler.
    pub(super) fn errhandler_place(&self) -> &AtomicUsize {
        &self.errhandler
    }

    /// Its error handler.
    pub(crate) fn errhandler(&self) -> MPI_Errhandler {
        MPI_Errhandler(self.errhandler.load(Ordering::Acquire))
    }

    /// The processes that have opened it together.
    pub(super) fn team(&self) -> Team {
        Team::local(self.communicator, tag::FILE)
    }

    /// Whether this process does what one process does for all.
    pub(super) fn leads(&self) -> bool {
        self.communicator.rank() == 0
    }

    /// The size in bytes.
    pub(super) fn size(&self) -> Result<MPI_Offset> {
        let metadata = self.descriptor.metadata();
        let size =
            metadata.map_err(|e| super::errors::system("ask the size of", &self.path, &e))?;
        Ok(size.len() as MPI_Offset)
    }

    /// `MPI_ERR_UNSUPPORTED_OPERATION` if the file was opened for sequential access only.
    pub(super) fn needs_random_access(&self) -> Result {
        self.not_sequential("is accessed by the shared file pointer alone")
    }

    /// The same for what sets the shared file pointer, or asks where it is.
    pub(super) fn needs_shared_position(&self) -> Result {
        self.not_sequential("has a shared file pointer that moves by reading and writing alone")
    }

    fn not_sequential(&self, what: &str) -> Result {
        if self.amode & MPI_MODE_SEQUENTIAL == 0 {
            return Ok(());
        }
        Err(Error::new(
            MPI_ERR_UNSUPPORTED_OPERATION,
            format!("a file with MPI_MODE_SEQUENTIAL {what}"),
        ))
    }

    /// `MPI_ERR_READ_ONLY` if the file was opened for reading only.
    pub(super) fn needs_write(&self) -> Result {
        if self.amode & MPI_MODE_RDONLY == 0 {
            return Ok(());
        }
        Err(Error::new(MPI_ERR_READ_ONLY, "the file was opened with MPI_MODE_RDONLY"))
    }

    /// `MPI_ERR_ACCESS` if the file was opened for writing only.
    pub(super) fn needs_read(&self) -> Result {
        if self.amode & MPI_MODE_WRONLY == 0 {
            return Ok(());
        }
        Err(Error::new(MPI_ERR_ACCESS, "the file was opened with MPI_MODE_WRONLY"))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        errhandler::release(self.errhandler());
    }
}
