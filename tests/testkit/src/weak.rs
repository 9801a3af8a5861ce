//! Makes the `MPI_` names of a library weak: a tool or a program that defines `MPI_Send` itself and
//! calls `PMPI_Send` links without a clash (MPI 3.1, section 14.2.1). Rust cannot express this.

use std::ops::Range;

use anyhow::{Context, Result};
use object::elf::{FileHeader64, SHT_DYNSYM, SHT_SYMTAB, STB_GLOBAL, STB_WEAK, Sym64};
use object::read::archive::ArchiveFile;
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{Endianness, SectionIndex};

/// In a shared library.
///
/// # Errors
///
/// When the bytes are not a 64-bit ELF file.
pub fn shared_library(image: &mut [u8]) -> Result<()> {
    for (offset, info) in bindings(image)? {
        image[offset] = info;
    }
    Ok(())
}

/// In each object of a static library.
///
/// # Errors
///
/// When the bytes are not an archive of 64-bit ELF files.
pub fn static_library(archive: &mut [u8]) -> Result<()> {
    let members: Vec<Range<usize>> = ArchiveFile::parse(&*archive)?
        .members()
        .map(|member| {
            let (start, size) = member?.file_range();
            Ok(start as usize..(start + size) as usize)
        })
        .collect::<Result<_>>()?;
    for member in members {
        // A copy, because members are not aligned.
        let mut object = archive[member.clone()].to_vec();
        if object.starts_with(b"\x7fELF") {
            shared_library(&mut object)?;
            archive[member].copy_from_slice(&object);
        }
    }
    Ok(())
}

/// The offsets of the `st_info` bytes to change, and their new values.
fn bindings(image: &[u8]) -> Result<Vec<(usize, u8)>> {
    let header = FileHeader64::<Endianness>::parse(image).context("not a 64-bit ELF file")?;
    let endian = header.endian()?;
    let sections = header.sections(endian, image)?;
    let mut bindings = Vec::new();
    for section in sections.iter() {
        if ![SHT_SYMTAB, SHT_DYNSYM].contains(&section.sh_type(endian)) {
            continue;
        }
        let strings =
            sections.strings(endian, image, SectionIndex(section.sh_link(endian) as usize))?;
        let symbols: &[Sym64<Endianness>] = section.data_as_array(endian, image)?;
        for (number, symbol) in symbols.iter().enumerate() {
            let ours = symbol.name(endian, strings)?.starts_with(b"MPI_");
            if ours && symbol.st_bind() == STB_GLOBAL && !symbol.is_undefined(endian) {
                // Its name is the first field, four bytes.
                let offset = section.sh_offset(endian) as usize
                    + number * size_of::<Sym64<Endianness>>()
                    + 4;
                bindings.push((offset, (STB_WEAK.0 << 4) | symbol.st_type().0));
            }
        }
    }
    Ok(bindings)
}
