//! An index of the type names that a file defines: one pass over the outermost entries of its
//! units, made at the first question.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::thread;

use gimli::{DwLang, DwTag, constants};

use super::NameSpace;
use super::dwarf::{AbbreviationCache, Part, Place, View};

/// Below this many bytes of units a second thread costs more than it gives.
const PARALLEL_BYTES: usize = 4 << 20;

/// Type names to their first definition. Names are kept as hashes and compared when one is asked
/// for, so that the index is small.
#[derive(Debug)]
pub(super) struct Index {
    hasher: RandomState,
    places: HashMap<u64, Place>,
}

/// What one pass over some units found.
#[derive(Default)]
struct Found {
    names: Vec<(u64, Place)>,
    /// Units of the supplementary file that belong to this one.
    imports: Vec<u32>,
}

impl Index {
    pub(super) fn build(view: &View<'_>) -> Index {
        let mut index = Index { hasher: RandomState::new(), places: HashMap::new() };
        let units = view.owner.units();
        let own = units.iter().take_while(|unit| unit.part != Part::Supplement).count();
        let mut imports = Vec::new();
        for found in index.scan_parallel(view, own) {
            index.places.reserve(found.names.len());
            imports.extend(found.imports);
            index.add(found.names);
        }
        // Other files share the supplement: only what this file imports counts.
        let mut seen = HashSet::new();
        let mut cache = AbbreviationCache::new();
        while let Some(number) = imports.pop() {
            if seen.insert(number) {
                let mut found = Found::default();
                index.scan(view, number, &mut cache, &mut found);
                imports.extend(found.imports);
                index.add(found.names);
            }
        }
        index
    }

    fn add(&mut self, names: Vec<(u64, Place)>) {
        for (hash, place) in names {
            self.places.entry(hash).or_insert(place);
        }
    }

    /// Scans the first `count` units, in as many threads as there are processors; the results are
    /// in the order of the units.
    fn scan_parallel(&self, view: &View<'_>, count: usize) -> Vec<Found> {
        let units = &view.owner.units()[..count];
        let total: usize = units.iter().map(|unit| unit.length).sum();
        let threads =
            thread::available_parallelism().map_or(1, usize::from).min(1 + total / PARALLEL_BYTES);
        let mut shares: Vec<std::ops::Range<u32>> = Vec::new();
        let (mut first, mut bytes) = (0, 0);
        for (number, unit) in units.iter().enumerate() {
            bytes += unit.length;
            if bytes >= total / threads || number + 1 == count {
                shares.push(first..number as u32 + 1);
                (first, bytes) = (number as u32 + 1, 0);
            }
        }
        let scan_share = |share: std::ops::Range<u32>| {
            // Each thread has its own view: gimli's is not shared between threads.
            let view = view.owner.view();
            let (mut found, mut cache) = (Found::default(), AbbreviationCache::new());
            for number in share {
                self.scan(&view, number, &mut cache, &mut found);
            }
            found
        };
        if shares.len() <= 1 {
            return shares.into_iter().map(scan_share).collect();
        }
        thread::scope(|scope| {
            let workers: Vec<_> =
                shares.into_iter().map(|share| scope.spawn(|| scan_share(share))).collect();
            workers.into_iter().filter_map(|worker| worker.join().ok()).collect()
        })
    }

    /// Scans a unit; what is damaged ends it early.
    fn scan(&self, view: &View<'_>, number: u32, cache: &mut AbbreviationCache, found: &mut Found) {
        let Some(unit) = view.unit_with(number, cache) else { return };
        if !unit.language.is_none_or(speaks_c) {
            return;
        }
        let mut cursor = unit.header.entries(&unit.abbreviations);
        // The root, then its first child.
        if !matches!((cursor.next_entry(), cursor.next_entry()), (Ok(true), Ok(true))) {
            return;
        }
        while let Some(entry) = cursor.current() {
            if entry.tag() == constants::DW_TAG_imported_unit {
                let import = entry
                    .attr_value(constants::DW_AT_import)
                    .and_then(|value| view.follow(&unit, value));
                let number = import.map(|place| place.unit);
                found.imports.extend(number.filter(|number| is_supplement(view, *number)));
            } else if let Some(space) = name_space(entry.tag())
                && !entry.has_attr(constants::DW_AT_declaration)
                && let Some(name) = view.name(&unit, entry)
            {
                let place = Place { unit: number, offset: entry.offset().0 as u32 };
                found.names.push((self.hash(space, name.slice()), place));
            }
            if !matches!(cursor.next_sibling(), Ok(Some(_))) {
                return;
            }
        }
    }

    pub(super) fn find(&self, view: &View<'_>, space: NameSpace, name: &str) -> Option<Place> {
        let place = *self.places.get(&self.hash(space, name.as_bytes()))?;
        let (unit, entry) = view.entry(place)?;
        (view.name(&unit, &entry)?.slice() == name.as_bytes()).then_some(place)
    }

    fn hash(&self, space: NameSpace, name: &[u8]) -> u64 {
        self.hasher.hash_one((space, name))
    }
}

fn is_supplement(view: &View<'_>, number: u32) -> bool {
    view.owner.units()[number as usize].part == Part::Supplement
}

fn name_space(tag: DwTag) -> Option<NameSpace> {
    match tag {
        constants::DW_TAG_structure_type
        | constants::DW_TAG_class_type
        | constants::DW_TAG_union_type
        | constants::DW_TAG_enumeration_type => Some(NameSpace::Tag),
        constants::DW_TAG_typedef | constants::DW_TAG_base_type => Some(NameSpace::Ordinary),
        _ => None,
    }
}

/// Whether a language uses C names for its types. An `int` of Rust is not the one that is meant.
fn speaks_c(language: DwLang) -> bool {
    matches!(
        language,
        constants::DW_LANG_C89
            | constants::DW_LANG_C
            | constants::DW_LANG_C99
            | constants::DW_LANG_C11
            | constants::DW_LANG_C17
            | constants::DW_LANG_C_plus_plus
            | constants::DW_LANG_C_plus_plus_03
            | constants::DW_LANG_C_plus_plus_11
            | constants::DW_LANG_C_plus_plus_14
            | constants::DW_LANG_C_plus_plus_17
            | constants::DW_LANG_C_plus_plus_20
            | constants::DW_LANG_ObjC
            | constants::DW_LANG_ObjC_plus_plus
            | constants::DW_LANG_UPC
    )
}
