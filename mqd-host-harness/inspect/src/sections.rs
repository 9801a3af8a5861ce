//! The debug sections of one file, as they are mapped or inflated.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

use byteorder::{BigEndian, ByteOrder, LittleEndian};
use gimli::{DwarfSections, EndianSlice, RunTimeEndian, SectionId};
use object::{Object, ObjectSection, ObjectSymbol};

use crate::elf::ElfFile;
use crate::files::Mapped;

pub(crate) type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// The bytes of a section: their place in the file's map, or the decompressed bytes.
#[derive(Debug)]
enum Bytes {
    Mapped(Range<usize>),
    Inflated(Vec<u8>),
}

impl Default for Bytes {
    fn default() -> Bytes {
        Bytes::Mapped(0..0)
    }
}

/// Some debug sections of a file.
#[derive(Debug)]
pub(crate) struct Sections {
    map: Arc<Mapped>,
    endian: RunTimeEndian,
    sections: DwarfSections<Bytes>,
}

impl Sections {
    /// Takes these sections of a file. Those that are compressed are inflated.
    pub(crate) fn load(elf: &ElfFile, wanted: &[SectionId]) -> Sections {
        let file = elf.sections();
        let load = |id: SectionId| -> Result<Bytes, Infallible> {
            let section = file
                .as_ref()
                .filter(|_| wanted.contains(&id))
                .and_then(|file| file.section_by_name(id.name()));
            // Files of dwz call themselves object files too, and have no relocations.
            let relocations = |section: &object::Section<'_, '_>| {
                elf.is_relocatable() && section.relocations().next().is_some()
            };
            let bytes = section.and_then(|section| match section.compressed_file_range().ok()? {
                range
                    if range.format == object::CompressionFormat::None
                        && !relocations(&section) =>
                {
                    let start = usize::try_from(range.offset).ok()?;
                    let end = start.checked_add(usize::try_from(range.uncompressed_size).ok()?)?;
                    elf.bytes().get(start..end).map(|_| Bytes::Mapped(start..end))
                }
                _ => {
                    let mut bytes = section.uncompressed_data().ok()?.into_owned();
                    if let Some(file) = file.as_ref().filter(|_| relocations(&section)) {
                        relocate(&mut bytes, file, &section);
                    }
                    Some(Bytes::Inflated(bytes))
                }
            });
            Ok(bytes.unwrap_or_default())
        };
        let Ok(sections) = DwarfSections::load(load);
        let endian = if elf.headers().arch().is_little_endian() {
            RunTimeEndian::Little
        } else {
            RunTimeEndian::Big
        };
        Sections { map: elf.shared_map(), endian, sections }
    }

    /// The sections as gimli reads them. The others are empty.
    pub(crate) fn borrow(&self) -> gimli::Dwarf<Slice<'_>> {
        self.sections.borrow(|bytes| {
            let bytes = match bytes {
                Bytes::Mapped(range) => &self.map[range.clone()],
                Bytes::Inflated(bytes) => bytes,
            };
            EndianSlice::new(bytes, self.endian)
        })
    }

    pub(crate) fn is_little_endian(&self) -> bool {
        self.endian == RunTimeEndian::Little
    }
}

/// Applies the relocations of a debug section of an object file, as the linker would. In an object
/// file, references between sections are still relocations.
///
/// Such references are absolute relocations. No others are applied.
fn relocate(bytes: &mut [u8], file: &object::File<'_>, section: &object::Section<'_, '_>) {
    for (offset, relocation) in section.relocations() {
        let object::RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
        let Ok(symbol) = file.symbol_by_index(symbol) else { continue };
        let size = usize::from(relocation.size() / 8);
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let field = start.checked_add(size).and_then(|end| bytes.get_mut(start..end));
        let (Some(field), object::RelocationKind::Absolute, 1..=8) =
            (field, relocation.kind(), size)
        else {
            continue;
        };
        let little = file.is_little_endian();
        let addend = match relocation.has_implicit_addend() {
            true if little => LittleEndian::read_uint(field, size),
            true => BigEndian::read_uint(field, size),
            false => relocation.addend().cast_unsigned(),
        };
        let value = symbol.address().wrapping_add(addend) & (u64::MAX >> (64 - 8 * size));
        if little {
            LittleEndian::write_uint(field, value, size)
        } else {
            BigEndian::write_uint(field, value, size)
        }
    }
}
