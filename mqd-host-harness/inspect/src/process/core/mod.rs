//! A core file: the memory of a process that has ended.

mod executable;
mod memory;
mod notes;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use goblin::elf::header::{ET_CORE, et_to_str};

use super::auxv::Auxv;
use super::images::{FileFinder, Unusable};
use super::memory::{Mapping, Memory};
use super::{Arch, CoreOptions, NotACore, TargetError};
use crate::elf::{ElfError, Headers};
use crate::files::{self, FileError};
use crate::image::{FileCache, OpenFile, under};
pub(super) use executable::{find_executable, start_strings};
pub(super) use memory::CoreMemory;
pub(super) use notes::Notes;

/// An opened core file.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) memory: Memory,
    pub(super) arch: Arch,
    pub(super) auxv: Auxv,
    pub(super) notes: Notes,
    pub(super) warnings: Vec<String>,
    /// The user whose file it is, if nobody else can write to it.
    pub(super) owner: Option<u32>,
}

impl Core {
    /// Maps a core file and reads its notes.
    pub(super) fn open(path: &Path) -> Result<Core, TargetError> {
        let error = |source| TargetError::File { path: path.to_owned(), source };
        let not_a_core = |why| TargetError::NotACore { path: path.to_owned(), why };
        let file = files::open(path).map_err(|why| match why {
            FileError::NotRegular(_) => not_a_core(ElfError::from(why).into()),
            why => error(why),
        })?;
        let data = file.metadata().map_err(|why| error(why.into()))?;
        if data.len() == 0 {
            return Err(not_a_core(ElfError::Empty.into()));
        }
        // systemd-coredump compresses what it keeps.
        let file = files::unpacked(file).map_err(error)?;
        let map = Arc::new(files::map(&file).map_err(error)?);
        let headers = Headers::parse(&map).map_err(|why| not_a_core(why.into()))?;
        if headers.file_type != ET_CORE {
            return Err(not_a_core(match et_to_str(headers.file_type) {
                "EXEC" | "DYN" => NotACore::Program,
                "REL" => NotACore::Object,
                _ => NotACore::OtherElf,
            }));
        }
        let arch = headers.arch();
        let notes = Notes::read(&map, &headers, &arch);
        let auxv = Auxv::parse(&arch, &notes.auxv);
        let memory = CoreMemory::new(map, &headers, notes.mappings.clone());
        if memory.is_empty() {
            return Err(TargetError::NoMemory { path: path.to_owned() });
        }
        let mut warnings = memory.truncation(path);
        if notes.auxv.is_empty() {
            warnings.push(format!(
                "{} has no auxiliary vector (NT_AUXV): where its executable and libraries were is \
                 not known",
                path.display()
            ));
        }
        let owner = (data.mode() & 0o022 == 0).then(|| data.uid());
        Ok(Core { memory: Memory::Core(memory), arch, auxv, notes, warnings, owner })
    }
}

/// The files of a process that has ended, by the names it had for them.
#[derive(Debug)]
pub(super) struct CoreFiles {
    mappings: Vec<Mapping>,
    sysroot: Option<PathBuf>,
    /// The core's directory: cores are often carried away together with the executable and its
    /// libraries.
    beside: PathBuf,
    files: FileCache,
}

impl CoreFiles {
    pub(super) fn new(core: &Path, notes: &Notes, options: &CoreOptions) -> CoreFiles {
        CoreFiles {
            mappings: notes.mappings.clone(),
            sysroot: options.sysroot.clone(),
            beside: core.parent().unwrap_or(Path::new("")).to_owned(),
            files: options.files.clone(),
        }
    }
}

impl FileFinder for CoreFiles {
    fn mapping(&self, address: u64) -> Option<&Mapping> {
        self.mappings.iter().find(|mapping| mapping.contains(address))
    }

    fn candidates(
        &self,
        path: &Path,
        _mapping: Option<&Mapping>,
    ) -> Vec<Result<Arc<OpenFile>, Unusable>> {
        let in_sysroot = self.sysroot.as_ref().map(|root| under(root, path));
        let beside = path.file_name().map(|name| self.beside.join(name));
        let places = in_sysroot.into_iter().chain([path.to_owned()]).chain(beside);
        places.map(|place| Ok(self.files.open(&place)?)).collect()
    }
}
