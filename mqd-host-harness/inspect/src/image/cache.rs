//! ELF files that are open, so that the ranks of a job share one map and one set of indexes.

use std::collections::HashMap;
use std::fs::File;
use std::ops::Deref;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::debuginfod::Debuginfod;
use crate::elf::{ElfError, ElfFile};
use crate::files::{self, FileError};
use crate::lines::Lines;
use crate::types::Dwarf;

/// Distinguishes the versions of a file.
#[derive(Debug, Hash, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

/// An opened file, or what is wrong with it.
type Opened = Result<Arc<OpenFile>, ElfError>;

/// An ELF file that is open, with its debug information once it has been asked for.
#[derive(Debug)]
pub(crate) struct OpenFile {
    elf: ElfFile,
    dwarf: OnceLock<Option<Dwarf>>,
    lines: OnceLock<Option<Lines>>,
}

impl OpenFile {
    fn new(path: &Path, file: &File) -> Result<OpenFile, ElfError> {
        Ok(OpenFile {
            elf: ElfFile::new(path, file)?,
            dwarf: OnceLock::new(),
            lines: OnceLock::new(),
        })
    }

    /// Its debug information, if it has any. `supplement` finds the file that `.gnu_debugaltlink`
    /// names. It is called at most once.
    pub(super) fn dwarf(
        &self,
        supplement: impl FnOnce() -> Option<Arc<OpenFile>>,
    ) -> Option<&Dwarf> {
        let load = || {
            self.elf.has_dwarf().then(|| {
                let supplement = supplement();
                Dwarf::load(&self.elf, supplement.as_deref().map(|file| &file.elf))
            })
        };
        self.dwarf.get_or_init(load).as_ref()
    }

    /// The lines of its source, if it has debug information. `supplement` is as in
    /// [`OpenFile::dwarf`].
    pub(super) fn lines(
        &self,
        supplement: impl FnOnce() -> Option<Arc<OpenFile>>,
    ) -> Option<&Lines> {
        let load = || {
            self.elf.has_dwarf().then(|| {
                let supplement = supplement();
                Lines::load(&self.elf, supplement.as_deref().map(|file| &file.elf))
            })
        };
        self.lines.get_or_init(load).as_ref()
    }
}

impl Deref for OpenFile {
    type Target = ElfFile;

    fn deref(&self) -> &ElfFile {
        &self.elf
    }
}

/// The ELF files in use. A clone shares them; give the same cache to the targets of one job.
#[derive(Clone, Debug, Default)]
pub struct FileCache {
    files: Arc<Mutex<HashMap<Identity, Opened>>>,
    /// The debuginfod servers, read from the environment when they are first needed.
    debuginfod: Arc<OnceLock<Option<Debuginfod>>>,
    /// The prefixes of the images' names for which servers are asked.
    asked_for: Arc<OnceLock<&'static [&'static str]>>,
}

impl FileCache {
    /// Asks debuginfod servers only for images whose file names begin with one of these. Only the
    /// first call has an effect. Without it, servers are asked for every image.
    ///
    /// A process has dozens of images and may be stopped meanwhile: name those whose types are
    /// needed.
    pub fn ask_servers_for(&self, prefixes: &'static [&'static str]) {
        self.asked_for.get_or_init(|| prefixes);
    }

    /// Whether servers are asked for an image with this path.
    pub(super) fn asks_for(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let matches = |prefix: &&str| name.starts_with(prefix.as_bytes());
        self.asked_for.get().is_none_or(|prefixes| prefixes.iter().any(matches))
    }

    /// The servers of debug files, if the environment names any.
    pub(super) fn debuginfod(&self) -> Option<&Debuginfod> {
        self.debuginfod.get_or_init(Debuginfod::from_environment).as_ref()
    }

    /// Opens an ELF file, unless it is open already.
    pub(crate) fn open(&self, path: &Path) -> Opened {
        let file = files::open(path)?;
        let data = file.metadata().map_err(FileError::from)?;
        let identity = Identity {
            device: data.dev(),
            inode: data.ino(),
            size: data.len(),
            modified: (data.mtime(), data.mtime_nsec()),
        };
        // A panic elsewhere leaves the table intact, since entries are added in one step.
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.entry(identity).or_insert_with(|| OpenFile::new(path, &file).map(Arc::new)).clone()
    }
}
