//! An opened process, live or left in a core file: its memory, images, symbols and types.

mod arch;
mod error;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use arch::{Arch, Endian};
pub use error::{ReadError, TargetError, Unreadable};

use crate::image::{Image, Symbol};
use crate::types::TypeId;

/// Where to look for the files of a core file's process. The default finds them where the process had them.
#[derive(Clone, Debug, Default)]
pub struct CoreOptions {
    /// The executable, when it is not where the core says (the core is refused if it is another).
    pub executable: Option<PathBuf>,
    /// A directory that holds the target machine's files under their full names.
    pub sysroot: Option<PathBuf>,
    /// Directories of split debug files, besides `/usr/lib/debug`.
    pub debug_dirs: Vec<PathBuf>,
}

/// A process that is open for reading.
#[derive(Debug)]
pub struct Target {
    arch: Arch,
    images: Vec<Image>,
    pid: Option<u32>,
    core_path: Option<PathBuf>,
    executable: Option<PathBuf>,
}

impl Target {
    /// Stops a live process and opens it. It runs on when the `Target` is dropped, or when this process ends in whatever way.
    ///
    /// # Errors
    /// The process is gone or a zombie, is traced already, or access is refused.
    pub fn attach(pid: u32) -> Result<Target, TargetError> {
        Err(TargetError::NoSuchProcess { pid })
    }

    /// Opens a core file.
    ///
    /// # Errors
    /// It cannot be opened, is no core file, or `options` names a wrong executable. A truncated core opens; see [`Target::warnings`].
    pub fn open_core(path: &Path, options: &CoreOptions) -> Result<Target, TargetError> {
        let _ = options;
        Err(TargetError::NotACore { path: path.to_owned(), why: "it is empty".into() })
    }

    /// Fills `buf` with the memory at `addr`: all of it, or none.
    ///
    /// # Errors
    /// Names the first address that cannot be read, and why.
    pub fn read(&self, addr: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        let _ = buf;
        Err(ReadError { address: addr, why: Unreadable::NotMapped })
    }

    /// Word sizes and byte order.
    pub fn arch(&self) -> &Arch {
        &self.arch
    }

    /// The executable first, then every object of the link map in its order; without the vdso.
    pub fn images(&self) -> &[Image] {
        &self.images
    }

    /// The process id: of the live process, or the one that the core file tells.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// The core file; `None` for a live process.
    pub fn core_path(&self) -> Option<&Path> {
        self.core_path.as_deref()
    }

    /// The executable, as the target names it.
    pub fn executable(&self) -> Option<&Path> {
        self.executable.as_deref()
    }

    /// The command line that the process was started with; empty if it cannot be found in a core.
    pub fn cmdline(&self) -> Vec<OsString> {
        Vec::new()
    }

    /// The environment that the process was started with (name and value); empty if it cannot be found in a core.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        Vec::new()
    }

    /// The symbol of this name, data or function: the first global one in link map order, else a local one.
    pub fn find_symbol(&self, name: &str) -> Option<Symbol> {
        let _ = name;
        None
    }

    /// The function of this name, by the same order as [`Target::find_symbol`].
    pub fn find_function(&self, name: &str) -> Option<Symbol> {
        let _ = name;
        None
    }

    /// The C type of this name: a typedef, base type, or tag (`struct x` asks for the tag alone). `prefer` is the index of the image
    /// to ask first.
    pub fn find_type(&self, name: &str, prefer: Option<usize>) -> Option<TypeId> {
        let _ = (name, prefer);
        None
    }

    /// The offset in bytes of a member, anonymous structs and unions looked through; of a bit-field, the byte it begins in.
    pub fn field_offset(&self, ty: TypeId, field: &str) -> Option<u64> {
        let _ = (ty, field);
        None
    }

    /// The size in bytes of a type; `None` for an incomplete one.
    pub fn size_of(&self, ty: TypeId) -> Option<u64> {
        let _ = ty;
        None
    }

    /// What is missing or doubtful about the target, in sentences: replaced or missing files, what a truncated core lacks.
    pub fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}
