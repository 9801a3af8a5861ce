//! The defined symbols of one ELF file, by name.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use object::{Object, ObjectSymbol, ObjectSymbolTable, SymbolIndex};

use super::{ElfFile, SymbolKind};

/// A symbol with its address in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileSymbol {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) kind: SymbolKind,
    pub(crate) global: bool,
    /// Its value is not an address in the image, so the load bias does not apply.
    pub(crate) absolute: bool,
}

/// Where a symbol is. Its name is read from the file when it is asked for, so the index stores
/// none.
#[derive(Clone, Copy, Debug)]
struct Place {
    dynamic: bool,
    index: usize,
    global: bool,
    function: bool,
}

/// An index over `.dynsym` and `.symtab`.
#[derive(Debug, Default)]
pub(crate) struct SymbolTable {
    hasher: RandomState,
    places: HashMap<u64, Vec<Place>>,
}

impl SymbolTable {
    pub(crate) fn build(elf: &ElfFile) -> SymbolTable {
        let mut table = SymbolTable::default();
        let Some(file) = elf.sections() else { return table };
        for (dynamic, symbols) in [(true, file.dynamic_symbols()), (false, file.symbols())] {
            for symbol in symbols {
                let (Ok(name), Some(kind)) = (symbol.name_bytes(), kind_of(&symbol)) else {
                    continue;
                };
                let place = Place {
                    dynamic,
                    index: symbol.index().0,
                    global: symbol.is_global(),
                    function: kind == SymbolKind::Function,
                };
                let places =
                    table.places.entry(table.hasher.hash_one(without_version(name))).or_default();
                // The usual case is the same symbol in both tables, and then one place is enough.
                if !places
                    .iter()
                    .any(|known| known.global == place.global && known.function == place.function)
                {
                    places.push(place);
                }
            }
        }
        table
    }

    /// The symbol of this name, preferably a global one. With `function`, only code counts.
    pub(crate) fn find(&self, elf: &ElfFile, name: &str, function: bool) -> Option<FileSymbol> {
        let places = self.places.get(&self.hasher.hash_one(name.as_bytes()))?;
        let file = elf.sections()?;
        let candidates = || places.iter().filter(|place| place.function || !function);
        let globals = candidates().filter(|place| place.global);
        globals.chain(candidates().filter(|place| !place.global)).find_map(|place| {
            let table =
                if place.dynamic { file.dynamic_symbol_table() } else { file.symbol_table() }?;
            let symbol = table.symbol_by_index(SymbolIndex(place.index)).ok()?;
            if without_version(symbol.name_bytes().ok()?) != name.as_bytes() {
                return None;
            }
            Some(FileSymbol {
                address: symbol.address(),
                size: symbol.size(),
                kind: kind_of(&symbol)?,
                global: place.global,
                absolute: symbol.section() == object::SymbolSection::Absolute,
            })
        })
    }
}

/// What a defined symbol stands for; `None` if it has no address in the process.
fn kind_of<'data>(symbol: &impl ObjectSymbol<'data>) -> Option<SymbolKind> {
    use object::SymbolKind as Kind;
    if symbol.is_undefined() {
        return None;
    }
    match symbol.kind() {
        Kind::Text => Some(SymbolKind::Function),
        Kind::Data | Kind::Unknown => Some(SymbolKind::Data),
        _ => None,
    }
}

/// The linker writes some names with their version (`name@@VERSION`).
fn without_version(name: &[u8]) -> &[u8] {
    name.split(|byte| *byte == b'@').next().unwrap_or(name)
}
