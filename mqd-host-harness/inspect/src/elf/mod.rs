//! One ELF file, mapped. Its headers, segments and notes are read with goblin, whose types hold
//! both word sizes and byte orders; sections, symbols and compression with object.

mod functions;
mod symbols;
mod unwind_tables;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use goblin::container::{Container, Ctx};
use goblin::elf::note::{NT_GNU_BUILD_ID, Note, NoteDataIterator};
use goblin::elf::program_header::{PF_W, PT_DYNAMIC, PT_INTERP, PT_LOAD, PT_NOTE, PT_PHDR};
use goblin::elf::{Elf, ProgramHeader};
use serde::{Deserialize, Serialize};

pub(crate) use self::functions::Function;
use self::functions::FunctionTable;
pub(crate) use self::symbols::FileSymbol;
use self::symbols::SymbolTable;
pub(crate) use self::unwind_tables::UnwindTables;
use crate::arch::{Arch, Endian};
use crate::files::{FileError, Mapped, map};

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    /// Code.
    Function,
    /// A variable, or a symbol without a type.
    Data,
}

/// Why a file cannot be used as an ELF file.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ElfError {
    /// It cannot be opened or mapped.
    #[error(transparent)]
    File(#[from] FileError),
    /// It has no bytes.
    #[error("it is empty")]
    Empty,
    /// It does not begin with the ELF magic number.
    #[error("it is not an ELF file")]
    NotElf,
    /// Its ELF header is invalid.
    #[error("its ELF header is damaged ({0})")]
    Header(Arc<goblin::error::Error>),
    /// Its program headers are invalid or missing.
    #[error("its program headers are damaged or cut off ({0})")]
    ProgramHeaders(Arc<goblin::error::Error>),
    /// It ends before something that its ELF header announces.
    #[error("it ends before its {0}")]
    CutOff(&'static str),
}

/// This value of `e_phnum` says that there are more program headers than it can count. Their number
/// is then in section header 0.
const PN_XNUM: u16 = 0xffff;

/// The ELF header and the program headers: the parts that the kernel reads.
#[derive(Clone, Debug)]
pub(crate) struct Headers {
    pub(crate) file_type: u16,
    pub(crate) machine: u16,
    pub(crate) entry: u64,
    pub(crate) segments: Vec<ProgramHeader>,
    pub(crate) context: Ctx,
}

impl Headers {
    /// Reads them from the start of a file or of its image in memory.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Headers, ElfError> {
        if bytes.is_empty() {
            return Err(ElfError::Empty);
        }
        if !bytes.starts_with(b"\x7fELF") {
            return Err(ElfError::NotElf);
        }
        let damaged = |error| ElfError::Header(Arc::new(error));
        let header = Elf::parse_header(bytes).map_err(damaged)?;
        let container = header.container().map_err(damaged)?;
        let endian = header.endianness().map_err(damaged)?;
        let context = Ctx::new(container, endian);
        let mut count = usize::from(header.e_phnum);
        if header.e_phnum == PN_XNUM {
            count = usize::try_from(header.e_shoff)
                .ok()
                .and_then(|offset| {
                    goblin::elf::SectionHeader::parse(bytes, offset, 1, context)
                        .ok()?
                        .first()
                        .cloned()
                })
                .map(|section| section.sh_info as usize)
                .ok_or(ElfError::CutOff("number of segments"))?;
        }
        let offset = usize::try_from(header.e_phoff).unwrap_or(usize::MAX);
        let table = bytes.get(offset..).ok_or(ElfError::CutOff("program headers"))?;
        let segments = ProgramHeader::parse(table, 0, count, context)
            .map_err(|error| ElfError::ProgramHeaders(Arc::new(error)))?;
        Ok(Headers {
            file_type: header.e_type,
            machine: header.e_machine,
            entry: header.e_entry,
            segments,
            context,
        })
    }

    /// What is known from the program headers alone, which the kernel has passed to the program.
    pub(crate) fn of_segments(arch: &Arch, bytes: &[u8], count: usize) -> Option<Headers> {
        let container = if arch.pointer_size == 8 { Container::Big } else { Container::Little };
        let endian = if arch.is_little_endian() {
            goblin::container::Endian::Little
        } else {
            goblin::container::Endian::Big
        };
        let context = Ctx::new(container, endian);
        let segments = ProgramHeader::parse(bytes, 0, count, context).ok()?;
        Some(Headers { file_type: 0, machine: arch.machine, entry: 0, segments, context })
    }

    /// The size of the ELF header.
    pub(crate) fn header_size(&self) -> u64 {
        goblin::elf::Header::size(self.context) as u64
    }

    /// Whether a dynamic linker runs it.
    pub(crate) fn is_dynamic(&self) -> bool {
        self.segments.iter().any(|segment| segment.p_type == PT_INTERP)
    }

    /// The sizes of C types and the byte order of a process that runs such a file.
    pub(crate) fn arch(&self) -> Arch {
        let endian = if self.context.le.is_little() { Endian::Little } else { Endian::Big };
        Arch::new(self.context.container == Container::Big, endian, self.machine)
    }

    /// Segments that are loaded into memory.
    pub(crate) fn loads(&self) -> impl Iterator<Item = &ProgramHeader> {
        self.segments.iter().filter(|segment| segment.p_type == PT_LOAD)
    }

    /// The address in the file of the program headers, if a segment says so.
    pub(crate) fn program_headers_address(&self) -> Option<u64> {
        self.segments
            .iter()
            .find(|segment| segment.p_type == PT_PHDR)
            .map(|segment| segment.p_vaddr)
    }

    /// The address in the file of the dynamic section.
    pub(crate) fn dynamic(&self) -> Option<u64> {
        self.segments
            .iter()
            .find(|segment| segment.p_type == PT_DYNAMIC)
            .map(|segment| segment.p_vaddr)
    }

    /// The build-id; `segment` gives the bytes of a segment.
    pub(crate) fn build_id<B: AsRef<[u8]>>(
        &self,
        segment: impl Fn(&ProgramHeader) -> Option<B>,
    ) -> Option<Vec<u8>> {
        self.segments.iter().filter(|header| header.p_type == PT_NOTE).find_map(|header| {
            let bytes = segment(header)?;
            notes(bytes.as_ref(), header.p_align, self.context)
                .find(|note| {
                    note.n_type == NT_GNU_BUILD_ID && note.name == "GNU" && !note.desc.is_empty()
                })
                .map(|note| note.desc.to_vec())
        })
    }
}

/// The notes in the bytes of a segment, up to the first damaged one.
pub(crate) fn notes(bytes: &[u8], align: u64, context: Ctx) -> impl Iterator<Item = Note<'_>> {
    // In core files an alignment of 0 or 1 stands for 4.
    let align = if align == 8 { 8 } else { 4 };
    NoteDataIterator { data: bytes, size: bytes.len(), offset: 0, ctx: (align, context) }
        .map_while(Result::ok)
}

/// An executable, shared library or debug file.
#[derive(Debug)]
pub(crate) struct ElfFile {
    path: PathBuf,
    map: Arc<Mapped>,
    headers: Headers,
    build_id: Option<Vec<u8>>,
    symbols: OnceLock<SymbolTable>,
    functions: OnceLock<FunctionTable>,
}

impl ElfFile {
    /// Maps and checks an opened file. `path` names it in messages and is where debug files are
    /// looked for.
    pub(crate) fn new(path: &Path, file: &File) -> Result<ElfFile, ElfError> {
        let map = map(file)?;
        let headers = Headers::parse(&map)?;
        let mut elf = ElfFile {
            path: path.to_owned(),
            map: Arc::new(map),
            headers,
            build_id: None,
            symbols: OnceLock::new(),
            functions: OnceLock::new(),
        };
        // In a split debug file only the section has the note.
        let from_section = || object::Object::build_id(&elf.sections()?).ok()?.map(<[u8]>::to_vec);
        elf.build_id =
            elf.headers.build_id(|segment| elf.segment_bytes(segment)).or_else(from_section);
        Ok(elf)
    }

    /// Where it was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The whole file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// The map, for what outlives a borrow of the file.
    pub(crate) fn shared_map(&self) -> Arc<Mapped> {
        Arc::clone(&self.map)
    }

    /// Whether the file has become shorter while it was read.
    pub(crate) fn has_shrunk(&self) -> bool {
        self.map.has_shrunk()
    }

    pub(crate) fn headers(&self) -> &Headers {
        &self.headers
    }

    pub(crate) fn build_id(&self) -> Option<&[u8]> {
        self.build_id.as_deref()
    }

    /// Whether it is an object file that a linker has yet to work on.
    pub(crate) fn is_relocatable(&self) -> bool {
        self.headers.file_type == goblin::elf::header::ET_REL
    }

    /// The bytes that the file has of a segment.
    pub(crate) fn segment_bytes(&self, segment: &ProgramHeader) -> Option<&[u8]> {
        let start = usize::try_from(segment.p_offset).ok()?;
        let end = start.checked_add(usize::try_from(segment.p_filesz).ok()?)?;
        self.map.get(start..end)
    }

    /// The byte at an address of the file, and those that follow it in the segment; whether the
    /// segment is writable in memory.
    pub(crate) fn bytes_at(&self, address: u64) -> Option<(&[u8], bool)> {
        self.headers.loads().find_map(|segment| {
            let offset =
                address.checked_sub(segment.p_vaddr).filter(|offset| *offset < segment.p_filesz)?;
            Some((
                self.segment_bytes(segment)?.get(offset as usize..)?,
                segment.p_flags & PF_W != 0,
            ))
        })
    }

    /// How many bytes from an address on are zero because the file says so (`.bss`); 0 if none.
    pub(crate) fn zeros_at(&self, address: u64) -> u64 {
        let zeros = self.headers.loads().find_map(|segment| {
            let offset = address.checked_sub(segment.p_vaddr)?;
            (offset >= segment.p_filesz && offset < segment.p_memsz)
                .then(|| segment.p_memsz - offset)
        });
        zeros.unwrap_or(0)
    }

    /// Its sections and symbol tables; `None` if they are damaged or stripped altogether.
    pub(crate) fn sections(&self) -> Option<object::File<'_>> {
        object::File::parse(self.bytes()).ok()
    }

    /// Its defined symbols by name.
    pub(crate) fn symbols(&self) -> &SymbolTable {
        self.symbols.get_or_init(|| SymbolTable::build(self))
    }

    /// The function whose symbol covers an address of the file. If there are several at one
    /// address, one whose name is `preferred`.
    pub(crate) fn function_at(
        &self,
        address: u64,
        preferred: impl Fn(&str) -> bool,
    ) -> Option<Function> {
        self.functions.get_or_init(|| FunctionTable::build(self)).find(self, address, preferred)
    }

    /// Whether an address of the file is in one of its segments.
    pub(crate) fn contains(&self, address: u64) -> bool {
        self.headers
            .loads()
            .any(|load| address.checked_sub(load.p_vaddr).is_some_and(|at| at < load.p_memsz))
    }

    /// Whether it has debug information.
    pub(crate) fn has_dwarf(&self) -> bool {
        use object::{Object, ObjectSection};
        self.sections()
            .and_then(|sections| {
                sections.section_by_name(".debug_info").map(|section| section.size())
            })
            .is_some_and(|size| size > 0)
    }
}
