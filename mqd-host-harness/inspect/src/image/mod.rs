//! The ELF files of a process: the executable and its shared libraries, with their symbols and
//! debug files.

mod cache;
mod debug_file;
#[cfg_attr(not(feature = "debuginfod"), path = "no_debuginfod.rs")]
mod debuginfod;
mod type_table;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

pub use cache::FileCache;
pub(crate) use cache::OpenFile;
pub(crate) use debug_file::{DebugFiles, under};
use object::{Object, ObjectSymbol};
use serde::{Deserialize, Serialize};
pub(crate) use type_table::TypeTable;
pub use type_table::find_layout;

use crate::arch::Arch;
pub use crate::elf::{ElfError, SymbolKind};
use crate::elf::{FileSymbol, Function};
use crate::lines::{Line, Lines};
use crate::names::demangle;
use crate::types::Dwarf;
use debug_file::Wanted;

/// How the names of the C library's files begin, of GNU and of musl.
const C_LIBRARIES: [&str; 9] = [
    "libc.so",
    "libc-2.",
    "libm.so",
    "libm-2.",
    "libpthread.so",
    "libpthread-2.",
    "ld-linux",
    "ld-musl",
    "libc.musl",
];

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
    /// Opens a file as an image that is not loaded in any process. Every debuginfod server that the
    /// environment names is asked for its debug file.
    ///
    /// # Errors
    /// The file cannot be opened, or is not an ELF file.
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

    /// Is an address of the process in its code or its variables?
    pub(crate) fn contains(&self, address: u64) -> bool {
        self.file.as_deref().is_some_and(|elf| elf.contains(address.wrapping_sub(self.bias)))
    }

    /// Is it a part of the C library?
    pub fn is_of_c_library(&self) -> bool {
        let name = self.path.file_name().unwrap_or_default().as_encoded_bytes();
        C_LIBRARIES.iter().any(|begin| name.starts_with(begin.as_bytes()))
    }

    /// Does it use functions of other images whose names begin like this? `None`: its file is not
    /// there.
    pub fn imports(&self, begins: &[&str]) -> Option<bool> {
        let file = self.file.as_deref().and_then(|file| file.sections())?;
        let mut imported = file.dynamic_symbols().filter(|symbol| symbol.is_undefined());
        Some(imported.any(|symbol| {
            let name = symbol.name().unwrap_or_default();
            begins.iter().any(|begin| name.starts_with(begin))
        }))
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

    /// Whether it can provide C types: it has debug information, or its debug file is here.
    pub fn has_types(&self) -> bool {
        self.dwarf().is_some()
    }

    /// The symbol of this name in the tables of the image's file.
    pub(crate) fn find_symbol(&self, name: &str, function: bool) -> Option<FileSymbol> {
        self.file.as_deref()?.symbols().find(self.file.as_deref()?, name, function)
    }

    /// The symbol of this name in the table of its debug file. The local symbols of a stripped
    /// image are only there.
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
        let file = self.file_with_dwarf()?;
        file.dwarf(|| self.debug_files.find_supplement(&self.path, file))
    }

    fn lines(&self) -> Option<&Lines> {
        let file = self.file_with_dwarf()?;
        file.lines(|| self.debug_files.find_supplement(&self.path, file))
    }

    fn file_with_dwarf(&self) -> Option<&OpenFile> {
        match &self.file {
            Some(file) if file.has_dwarf() => Some(file),
            _ => self.debug_file(),
        }
    }

    /// Where the code at an address of the process is in the source: inlined functions first, the
    /// function that has the code last. Never empty. `exact` is false for a return address, which
    /// comes after the call.
    pub(crate) fn source_of(&self, address: u64, exact: bool) -> Vec<Source> {
        let instruction = address.wrapping_sub(u64::from(!exact)).wrapping_sub(self.bias);
        let lines = self.lines().map(|lines| lines.at(instruction)).unwrap_or_default();
        let mut places: Vec<Source> = lines
            .into_iter()
            .map(|Line { function, file, line, inlined }| Source {
                function,
                symbol: None,
                offset: None,
                file: file.filter(|_| line.is_some()),
                line,
                inlined,
            })
            .collect();
        let symbol = self.symbol_of(address, exact);
        match places.last_mut() {
            Some(last) => {
                last.function = last.function.take().or(symbol.function);
                (last.symbol, last.offset) = (symbol.symbol, symbol.offset);
            }
            None => places.push(symbol),
        }
        places
    }

    /// The function of the code at an address of the process, by the symbols alone. `exact` is as
    /// in [`Image::source_of`].
    pub(crate) fn symbol_of(&self, address: u64, exact: bool) -> Source {
        let address = address.wrapping_sub(self.bias);
        let Some(symbol) = self.function_at(address.wrapping_sub(u64::from(!exact))) else {
            return Source::default();
        };
        Source {
            function: Some(demangle(&symbol.name, None)),
            offset: Some(address.wrapping_sub(symbol.start)),
            symbol: Some(symbol.name),
            ..Source::default()
        }
    }

    /// The function whose symbol covers an address of the file.
    fn function_at(&self, address: u64) -> Option<Function> {
        let of = |file: &OpenFile| file.function_at(address, |_| false);
        self.file.as_deref().and_then(of).or_else(|| self.debug_file().and_then(of))
    }

    /// Warnings about the search for debug files, in sentences.
    pub fn debug_file_warnings(&self) -> Vec<String> {
        self.debug_files.warnings()
    }

    /// Whether one of its files has become shorter while it was read.
    pub(crate) fn has_shrunk(&self) -> bool {
        let debug_file = self.debug_file.get().and_then(Option::as_ref);
        self.file.iter().chain(debug_file).any(|file| file.has_shrunk())
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

/// A place of the code in its source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The function, demangled, without its parameters.
    pub function: Option<String>,
    /// The symbol that covers the code; `None` for inlined functions.
    pub symbol: Option<String>,
    /// The offset of the address from the beginning of the symbol, in bytes.
    pub offset: Option<u64>,
    /// The file of the source, as the debug information names it.
    pub file: Option<String>,
    /// The line in it, from 1.
    pub line: Option<u32>,
    /// Is the function inlined into that of the next place?
    pub inlined: bool,
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
