//! The functions of one ELF file, by address.

use object::{Object, ObjectSymbol, ObjectSymbolTable, SymbolIndex};

use super::{ElfFile, UnwindTables};

/// Bytes of a function that does nothing but jump to another one, at most.
const MAX_JUMP: u64 = 16;

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
        let bodies = bodies(elf, &file, &places);
        places.extend(bodies);
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

/// Functions without a symbol to which one with a symbol only jumps. Intel's compiler makes such
/// pairs of an exported function and its code. They have the symbol of the jump, and the size that
/// their unwind table tells.
fn bodies(elf: &ElfFile, file: &object::File<'_>, places: &[Place]) -> Vec<Place> {
    if file.architecture() != object::Architecture::X86_64 {
        return Vec::new();
    }
    let jumps = || {
        let small = places.iter().filter(|place| (1..=MAX_JUMP).contains(&place.size));
        small.filter_map(|place| Some((place, jump(elf, place.start)?)))
    };
    let Some(tables) = jumps().next().and_then(|_| UnwindTables::of(0, file)) else {
        return Vec::new();
    };
    let body = |(place, start): (&Place, u64)| {
        let last = places[..places.partition_point(|other| other.start <= start)].last();
        let has_symbol = last.is_some_and(|other| start - other.start < other.size);
        let entry = tables.entry(start).filter(|entry| entry.initial_address() == start)?;
        (!has_symbol).then_some(Place { start, size: entry.len(), ..*place })
    };
    jumps().filter_map(body).collect()
}

/// Where the jump at an address of the file leads. None: the instruction there is another one.
fn jump(elf: &ElfFile, address: u64) -> Option<u64> {
    const ENDBR64: &[u8] = &[0xf3, 0x0f, 0x1e, 0xfa];
    let (bytes, _) = elf.bytes_at(address)?;
    let (code, address) = match bytes.strip_prefix(ENDBR64) {
        Some(code) => (code, address + 4),
        None => (bytes, address),
    };
    let (size, offset) = match *code.first_chunk::<5>()? {
        [0xeb, offset, ..] => (2, i64::from(offset.cast_signed())),
        [0xe9, a, b, c, d] => (5, i64::from(i32::from_le_bytes([a, b, c, d]))),
        _ => return None,
    };
    Some(address.wrapping_add(size).wrapping_add_signed(offset))
}
