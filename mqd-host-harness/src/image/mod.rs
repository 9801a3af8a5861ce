//! The ELF files of a process: the executable and its shared libraries, with their symbols and debug files.

mod cache;
mod debug_file;
mod elf;
mod symbols;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

pub use cache::FileCache;
pub(crate) use debug_file::{DebugFiles, under};
pub(crate) use elf::{ElfFile, Headers, map, notes};

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
    pub(crate) file: Option<Arc<ElfFile>>,
    pub(crate) debug_files: DebugFiles,
    /// The split debug file, looked for when it is first needed.
    pub(crate) debug_file: OnceLock<Option<Arc<ElfFile>>>,
}

impl Image {
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

    /// The symbol of this name: from the file, else from the symbol table of its debug file.
    pub(crate) fn find_symbol(&self, index: usize, name: &str, function: bool) -> Option<Symbol> {
        let own = self.file.as_deref().and_then(|file| file.symbols().find(file, name, function));
        // A global symbol is in the file even if it is stripped; only local ones need the debug file.
        let symbol = own.or_else(|| {
            let file = self.debug_file()?;
            file.symbols().find(file, name, function)
        })?;
        let address = if symbol.absolute { symbol.address } else { symbol.address.wrapping_add(self.bias) };
        Some(Symbol { address, size: symbol.size, kind: symbol.kind, global: symbol.global, image: index })
    }

    /// Its debug information, from the file or from the debug file.
    pub(crate) fn dwarf(&self) -> Option<&Dwarf> {
        let file = match &self.file {
            Some(file) if file.has_dwarf() => file,
            _ => self.debug_file()?,
        };
        file.dwarf(|| self.debug_files.find_supplement(&self.path, file))
    }

    fn debug_file(&self) -> Option<&ElfFile> {
        let find = || {
            let wanted = Wanted { path: &self.path, build_id: self.build_id.as_deref(), file: self.file.as_deref() };
            self.debug_files.find(&wanted)
        };
        self.debug_file.get_or_init(find).as_deref()
    }
}

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// Code.
    Function,
    /// A variable, or a symbol without a type.
    Data,
}

/// A defined symbol of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its address in the process.
    pub address: u64,
    /// Its size in bytes; 0 when the symbol table does not tell.
    pub size: u64,
    /// Code or data.
    pub kind: SymbolKind,
    /// Whether other images can refer to it.
    pub global: bool,
    /// The index in [`Target::images`](crate::target::Target::images) of the image that defines it.
    pub image: usize,
}
