//! The ELF files of a process: the executable and its shared libraries.

use std::path::{Path, PathBuf};

/// An executable or shared library in a process.
#[derive(Debug)]
pub struct Image {
    path: PathBuf,
    bias: u64,
    dynamic: Option<u64>,
    build_id: Option<Vec<u8>>,
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
