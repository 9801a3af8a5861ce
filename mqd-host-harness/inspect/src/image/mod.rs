//! The ELF files of a process: the executable and its shared libraries, with their symbols and
//! debug files.

mod cache;
mod debug_file;
mod debuginfod;
mod type_table;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

pub use cache::FileCache;
pub(crate) use cache::OpenFile;
pub(crate) use debug_file::{DebugFiles, under};
use serde::{Deserialize, Serialize};
pub(crate) use type_table::TypeTable;
pub use type_table::find_layout;

use crate::arch::Arch;
pub use crate::elf::ElfError;
use crate::elf::FileSymbol;
pub use crate::elf::SymbolKind;
use crate::types::Dwarf;
use debug_file::Wanted;

/// An executable or shared library in a process.
#[derive(Debug)]
pub struct Image {
    pub(crate) path: PathBuf,
    pub(crate) bias: u64,
    pub(crate) dynamic: Option<u64>,
    pub(crate) build_id: Option<Vec<u8>>,
    /// Its file; `None` if it is missing or has been replaced.
    pub(crate) file: Option<Arc<OpenFile>>,
    pub(crate) debug_files: DebugFiles,
    /// The split debug file, looked for when it is first needed.
    pub(crate) debug_file: OnceLock<Option<Arc<OpenFile>>>,
}

impl Image {
    /// Opens a file as an image that is loaded nowhere. Every debuginfod server that the
    /// environment names is asked for its debug file.
    ///
    /// # Errors
    /// The file cannot be opened, or is no ELF file.
    pub fn open(path: &Path, debug_dirs: &[PathBuf]) -> Result<Image, ElfError> {
        let files = FileCache::default();
        let file = files.open(path)?;
        Ok(Image {
            // Debug links are relative to where the file really is.
            path: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
            bias: 0,
            dynamic: None,
            build_id: file.build_id().map(<[u8]>::to_vec),
            file: Some(file),
            debug_files: DebugFiles::new(debug_dirs, None, files).ask_for_all(),
            debug_file: OnceLock::new(),
        })
    }

    /// Word sizes and byte order of its file.
    pub fn arch(&self) -> Option<Arch> {
        Some(self.file.as_deref()?.headers().arch())
    }

    /// The bytes that its file has from a variable on, to the end of the segment.
    pub fn bytes_of(&self, variable: &str) -> Option<&[u8]> {
        let address = self.find_symbol(variable, false)?.address;
        self.bytes_at(address)
    }

    /// The address in the file of a variable.
    pub fn address_of(&self, variable: &str) -> Option<u64> {
        Some(self.find_symbol(variable, false)?.address)
    }

    /// The bytes that its file has from an address of the file on, to the end of the segment.
    pub fn bytes_at(&self, address: u64) -> Option<&[u8]> {
        Some(self.file.as_deref()?.bytes_at(address)?.0)
    }

    /// Its file, as the target names it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is added to the addresses in the file to get those in the process.
    pub fn bias(&self) -> u64 {
        self.bias
    }

    /// The address of its dynamic section in the process; `None` in a static executable.
    pub fn dynamic(&self) -> Option<u64> {
        self.dynamic
    }

    /// The build-id.
    pub fn build_id(&self) -> Option<&[u8]> {
        self.build_id.as_deref()
    }

    /// Whether C types can be had from it: it has debug information, or a debug file of it is here.
    pub fn has_types(&self) -> bool {
        self.dwarf().is_some()
    }

    /// The symbol of this name in the tables of the image's file.
    pub(crate) fn find_symbol(&self, name: &str, function: bool) -> Option<FileSymbol> {
        self.file.as_deref()?.symbols().find(self.file.as_deref()?, name, function)
    }

    /// The symbol of this name in the table of its debug file: of a stripped image, the local ones
    /// are only there.
    pub(crate) fn find_debug_symbol(&self, name: &str, function: bool) -> Option<FileSymbol> {
        let file = self.debug_file()?;
        file.symbols().find(file, name, function)
    }

    /// A symbol as the process has it; `index` is that of the image.
    pub(crate) fn place_symbol(&self, symbol: FileSymbol, index: usize) -> Symbol {
        let address =
            if symbol.absolute { symbol.address } else { symbol.address.wrapping_add(self.bias) };
        Symbol {
            address,
            size: symbol.size,
            kind: symbol.kind,
            global: symbol.global,
            image: index,
        }
    }

    /// Its debug information, from the file or from the debug file.
    pub(crate) fn dwarf(&self) -> Option<&Dwarf> {
        let file = match &self.file {
            Some(file) if file.has_dwarf() => file,
            _ => self.debug_file()?,
        };
        file.dwarf(|| self.debug_files.find_supplement(&self.path, file))
    }

    /// What is worth telling about the search for debug files, in sentences.
    pub fn debug_file_warnings(&self) -> Vec<String> {
        self.debug_files.warnings()
    }

    fn debug_file(&self) -> Option<&OpenFile> {
        let find = || {
            let wanted = Wanted {
                path: &self.path,
                build_id: self.build_id.as_deref(),
                file: self.file.as_deref().map(|file| &**file),
            };
            self.debug_files.find(&wanted)
        };
        self.debug_file.get_or_init(find).as_deref()
    }
}

/// A defined symbol of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Its address in the process.
    pub address: u64,
    /// Its size in bytes; 0 when the symbol table does not tell.
    pub size: u64,
    /// Code or data.
    pub kind: SymbolKind,
    /// Whether other images can refer to it.
    pub global: bool,
    /// The index in [`Target::images`](crate::process::Target::images) of the image that defines
    /// it.
    pub image: usize,
}
