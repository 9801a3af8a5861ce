//! The debug sections of one file: its units, and their entries, read on demand.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gimli::{
    Abbreviations, AttributeValue, DebugStrOffsetsBase, DebugTypes, DebuggingInformationEntry,
    DwarfFileType, Reader, SectionId, UnitHeader, UnitOffset, UnitType, constants,
};
use memchr::memmem;

use super::NameSpace;
use super::index::Index;
use crate::elf::ElfFile;
use crate::sections::Sections;
pub(super) use crate::sections::Slice;

pub(super) type Entry<'a> = DebuggingInformationEntry<Slice<'a>>;
pub(super) type Value<'a> = AttributeValue<Slice<'a>>;

/// What types are read from; everything else in the debug sections is left alone.
const SECTIONS: &[SectionId] = &[
    SectionId::DebugInfo,
    SectionId::DebugTypes,
    SectionId::DebugAbbrev,
    SectionId::DebugStr,
    SectionId::DebugLineStr,
    SectionId::DebugStrOffsets,
];

/// Which of the sections with units a unit is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// `.debug_info`
    Info,
    /// `.debug_types` of DWARF 4
    Types,
    /// `.debug_info` of the supplementary file (dwz)
    Supplement,
}

/// Where a unit is.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitPlace {
    pub(super) part: Part,
    /// Of its header in the section.
    pub(super) offset: usize,
    pub(super) length: usize,
}

/// Where an entry is: the number of its unit, and its offset in the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(super) unit: u32,
    pub(super) offset: u32,
}

/// Abbreviation tables by where they are: in the supplementary file or not, and the offset.
pub(super) type AbbreviationCache = HashMap<(bool, usize), Arc<Abbreviations>>;

/// The debug information of a file.
#[derive(Debug)]
pub(crate) struct Dwarf {
    main: Sections,
    supplement: Option<Sections>,
    /// Sorted by part and offset.
    units: Vec<UnitPlace>,
    /// The types of type units, by signature.
    signatures: HashMap<u64, Place>,
    index: OnceLock<Index>,
    abbreviations: Mutex<AbbreviationCache>,
}

impl Dwarf {
    /// Finds the units; their contents are not read yet. Damaged units end the list.
    pub(crate) fn load(elf: &ElfFile, supplement: Option<&ElfFile>) -> Dwarf {
        let mut dwarf = Dwarf {
            main: Sections::load(elf, SECTIONS),
            supplement: supplement.map(|elf| Sections::load(elf, SECTIONS)),
            units: Vec::new(),
            signatures: HashMap::new(),
            index: OnceLock::new(),
            abbreviations: Mutex::default(),
        };
        let (mut units, mut signatures) = (Vec::new(), HashMap::new());
        let view = dwarf.view();
        let headers = [
            (Part::Info, view.main.units().collect::<Vec<_>>()),
            (Part::Types, view.main.type_units().collect()),
            (Part::Supplement, view.supplement.iter().flat_map(|dwarf| dwarf.units()).collect()),
        ];
        for (part, headers) in headers {
            for header in headers.into_iter().map_while(Result::ok) {
                let (Some(offset), length) = (offset_of(&header), header.length_including_self())
                else {
                    continue;
                };
                if let UnitType::Type { type_signature, type_offset } = header.type_() {
                    let place = Place { unit: units.len() as u32, offset: type_offset.0 as u32 };
                    signatures.entry(type_signature.0).or_insert(place);
                }
                units.push(UnitPlace { part, offset, length });
            }
        }
        drop(view);
        dwarf.units = units;
        dwarf.signatures = signatures;
        dwarf
    }

    /// The sections as gimli reads them.
    pub(crate) fn view(&self) -> View<'_> {
        View {
            owner: self,
            main: self.main.borrow(),
            supplement: self.supplement.as_ref().map(Sections::borrow),
        }
    }

    pub(super) fn units(&self) -> &[UnitPlace] {
        &self.units
    }

    /// The definition of a type of this name.
    pub(crate) fn find(&self, space: NameSpace, name: &str) -> Option<Place> {
        let view = self.view();
        // A process has some hundred files, and only a few have the types of its MPI library. Only
        // these are worth an index.
        if self.index.get().is_none() && !view.mentions(name) {
            return None;
        }
        self.index.get_or_init(|| Index::build(&view)).find(&view, space, name)
    }
}

fn offset_of(header: &UnitHeader<Slice<'_>>) -> Option<usize> {
    header
        .debug_info_offset()
        .map(|offset| offset.0)
        .or(header.debug_types_offset().map(|offset| offset.0))
}

/// A unit that is being read.
pub(super) struct Unit<'a> {
    pub(super) number: u32,
    pub(super) part: Part,
    pub(super) header: UnitHeader<Slice<'a>>,
    pub(super) abbreviations: Arc<Abbreviations>,
    pub(super) language: Option<constants::DwLang>,
    strings: DebugStrOffsetsBase<usize>,
}

/// The debug information while it is being read.
pub(crate) struct View<'a> {
    pub(super) owner: &'a Dwarf,
    main: gimli::Dwarf<Slice<'a>>,
    supplement: Option<gimli::Dwarf<Slice<'a>>>,
}

impl<'a> View<'a> {
    /// Whether a name is anywhere among the strings. If not, nothing is called so.
    fn mentions(&self, name: &str) -> bool {
        let name = [name.as_bytes(), b"\0"].concat();
        let finder = memmem::Finder::new(&name);
        let mut sections =
            [Some(&self.main), self.supplement.as_ref()].into_iter().flatten().flat_map(|dwarf| {
                [
                    gimli::Section::reader(&dwarf.debug_str),
                    gimli::Section::reader(&dwarf.debug_line_str),
                    // Short names are stored where they are used, not in `.debug_str`.
                    gimli::Section::reader(&dwarf.debug_info),
                    gimli::Section::reader(&dwarf.debug_types),
                ]
            });
        sections.any(|section| finder.find(section.slice()).is_some())
    }

    fn dwarf(&self, part: Part) -> Option<&gimli::Dwarf<Slice<'a>>> {
        if part == Part::Supplement { self.supplement.as_ref() } else { Some(&self.main) }
    }

    /// Opens a unit; `cache` keeps abbreviation tables.
    pub(super) fn unit_with(&self, number: u32, cache: &mut AbbreviationCache) -> Option<Unit<'a>> {
        let UnitPlace { part, offset, .. } = *self.owner.units.get(number as usize)?;
        let dwarf = self.dwarf(part)?;
        let header = match part {
            Part::Info | Part::Supplement => {
                dwarf.unit_header(gimli::DebugInfoOffset(offset)).ok()?
            }
            // There is no way to open a unit of this section by its offset: make it the first of a
            // shorter section.
            Part::Types => {
                let section = gimli::Section::reader(&dwarf.debug_types);
                DebugTypes::new(section.slice().get(offset..)?, section.endian())
                    .units()
                    .next()
                    .ok()??
            }
        };
        let key = (part == Part::Supplement, header.debug_abbrev_offset().0);
        let abbreviations = match cache.get(&key) {
            Some(known) => Arc::clone(known),
            None => {
                let new = Arc::new(header.abbreviations(&dwarf.debug_abbrev).ok()?);
                cache.insert(key, Arc::clone(&new));
                new
            }
        };
        let mut strings = DebugStrOffsetsBase::default_for_encoding_and_file(
            header.encoding(),
            DwarfFileType::Main,
        );
        let mut language = None;
        let root = header.entry(&abbreviations, header.root_offset()).ok()?;
        for attribute in root.attrs() {
            match attribute.value() {
                AttributeValue::DebugStrOffsetsBase(base) => strings = base,
                AttributeValue::Language(value) => language = Some(value),
                _ => {}
            }
        }
        Some(Unit { number, part, header, abbreviations, language, strings })
    }

    /// Opens a unit.
    pub(super) fn unit(&self, number: u32) -> Option<Unit<'a>> {
        // A panic elsewhere leaves the table whole: entries are added in one step.
        let mut cache = self.owner.abbreviations.lock().unwrap_or_else(PoisonError::into_inner);
        self.unit_with(number, &mut cache)
    }

    /// Reads an entry.
    pub(super) fn entry(&self, place: Place) -> Option<(Unit<'a>, Entry<'a>)> {
        let unit = self.unit(place.unit)?;
        let entry =
            unit.header.entry(&unit.abbreviations, UnitOffset(place.offset as usize)).ok()?;
        Some((unit, entry))
    }

    /// The number of the unit that has this offset of a section.
    pub(super) fn unit_at(&self, part: Part, offset: usize) -> Option<u32> {
        let units = &self.owner.units;
        let number = units
            .partition_point(|unit| (unit.part, unit.offset) <= (part, offset))
            .checked_sub(1)?;
        let unit = units[number];
        (unit.part == part && offset - unit.offset < unit.length).then_some(number as u32)
    }

    /// The entry that an attribute of `unit` refers to.
    pub(super) fn follow(&self, unit: &Unit<'a>, value: Value<'a>) -> Option<Place> {
        let (part, offset) = match value {
            AttributeValue::UnitRef(offset) => {
                return Some(Place { unit: unit.number, offset: offset.0 as u32 });
            }
            AttributeValue::DebugTypesRef(signature) => {
                return self.owner.signatures.get(&signature.0).copied();
            }
            AttributeValue::DebugInfoRefSup(offset) => (Part::Supplement, offset.0),
            AttributeValue::DebugInfoRef(offset) if unit.part == Part::Supplement => {
                (Part::Supplement, offset.0)
            }
            AttributeValue::DebugInfoRef(offset) => (Part::Info, offset.0),
            _ => return None,
        };
        let number = self.unit_at(part, offset)?;
        let start = self.owner.units[number as usize].offset;
        Some(Place { unit: number, offset: (offset - start) as u32 })
    }

    /// The text of a string attribute.
    pub(super) fn string(&self, unit: &Unit<'a>, value: Value<'a>) -> Option<Slice<'a>> {
        let dwarf = self.dwarf(unit.part)?;
        match value {
            AttributeValue::String(string) => Some(string),
            AttributeValue::DebugStrRef(offset) => dwarf.string(offset).ok(),
            AttributeValue::DebugStrRefSup(offset) => self.supplement.as_ref()?.string(offset).ok(),
            AttributeValue::DebugLineStrRef(offset) => dwarf.line_string(offset).ok(),
            AttributeValue::DebugStrOffsetsIndex(index) => {
                let format = unit.header.format();
                dwarf
                    .string(
                        dwarf.debug_str_offsets.get_str_offset(format, unit.strings, index).ok()?,
                    )
                    .ok()
            }
            _ => None,
        }
    }

    /// The byte order of the target.
    pub(super) fn is_little_endian(&self) -> bool {
        self.owner.main.is_little_endian()
    }

    /// The name of an entry.
    pub(super) fn name(&self, unit: &Unit<'a>, entry: &Entry<'a>) -> Option<Slice<'a>> {
        self.string(unit, entry.attr_value(constants::DW_AT_name)?)
    }
}
