//! The functions of one ELF file, by address.

use object::{Object, ObjectSymbol, ObjectSymbolTable, SymbolIndex};

use super::ElfFile;

/// A symbol of a function. Its name is not stored but read from the file when it is asked for.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u64,
    size: u64,
    dynamic: bool,
    global: bool,
    index: usize,
}

/// The symbol of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// Its address in the file.
    pub(crate) start: u64,
    /// Its size in bytes.
    pub(crate) size: u64,
}

/// An index over the functions of `.dynsym` and `.symtab`, by their addresses.
#[derive(Debug, Default)]
pub(crate) struct FunctionTable(Vec<Place>);

impl FunctionTable {
    pub(crate) fn build(elf: &ElfFile) -> FunctionTable {
        let mut places = Vec::new();
        let Some(file) = elf.sections() else { return FunctionTable(places) };
        for (dynamic, symbols) in [(true, file.dynamic_symbols()), (false, file.symbols())] {
            let functions = symbols.filter(|symbol| {
                symbol.is_definition() && symbol.kind() == object::SymbolKind::Text
            });
            places.extend(functions.map(|symbol| Place {
                start: symbol.address(),
                size: symbol.size(),
                dynamic,
                global: symbol.is_global(),
                index: symbol.index().0,
            }));
        }
        // Symbols at one address stay in the order of the tables.
        places.sort_by_key(|place| place.start);
        FunctionTable(places)
    }

    /// The function that contains an address of the file and begins closest to it. If several
    /// symbols begin there, one whose name is `preferred`; then a global one; then the one with the
    /// fewest leading underscores.
    pub(crate) fn find(
        &self,
        elf: &ElfFile,
        address: u64,
        preferred: impl Fn(&str) -> bool,
    ) -> Option<Function> {
        let end = self.0.partition_point(|place| place.start <= address);
        let start = self.0[..end].last()?.start;
        let first = self.0[..end].partition_point(|place| place.start < start);
        let file = elf.sections()?;
        let functions = self.0[first..end].iter().filter_map(|place| {
            let table =
                if place.dynamic { file.dynamic_symbol_table() } else { file.symbol_table() };
            let symbol = table?.symbol_by_index(SymbolIndex(place.index)).ok()?;
            Some((place, symbol.name().ok()?))
        });
        let covering = functions.filter(|(place, _)| address - place.start < place.size);
        let (place, name) = covering.min_by_key(|(place, name)| {
            let underscores = name.len() - name.trim_start_matches('_').len();
            (!preferred(name), !place.global, underscores)
        })?;
        Some(Function { name: name.to_owned(), start: place.start, size: place.size })
    }
}
