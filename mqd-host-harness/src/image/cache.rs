//! ELF files that are open, so that the ranks of a job share one map and one set of indexes.

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::ElfFile;
use super::debuginfod::Debuginfod;

/// What tells one version of a file from another.
#[derive(Debug, Hash, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

/// An opened file, or what is wrong with it.
type Opened = Result<Arc<ElfFile>, String>;

/// The ELF files in use. A clone shares them; give the same cache to the targets of one job.
#[derive(Clone, Debug, Default)]
pub struct FileCache {
    files: Arc<Mutex<HashMap<Identity, Opened>>>,
    /// With what they have been asked; found in the environment when they are first needed.
    debuginfod: Arc<OnceLock<Option<Debuginfod>>>,
}

impl FileCache {
    /// The servers of debug files, if the environment names any.
    pub(super) fn debuginfod(&self) -> Option<&Debuginfod> {
        self.debuginfod.get_or_init(Debuginfod::from_environment).as_ref()
    }

    /// Opens an ELF file, or finds it open. The error is a phrase that says what is wrong with the
    /// file.
    pub(crate) fn open(&self, path: &Path) -> Opened {
        // Names come from targets: opening a pipe or a device could wait or do something.
        if !fs::metadata(path).map_err(|error| error.to_string())?.is_file() {
            return Err("it is not a file".into());
        }
        let file = File::open(path).map_err(|error| error.to_string())?;
        let data = file.metadata().map_err(|error| error.to_string())?;
        let identity = Identity {
            device: data.dev(),
            inode: data.ino(),
            size: data.len(),
            modified: (data.mtime(), data.mtime_nsec()),
        };
        // A panic elsewhere leaves the table whole: entries are added in one step.
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.entry(identity).or_insert_with(|| ElfFile::new(path, &file).map(Arc::new)).clone()
    }
}
