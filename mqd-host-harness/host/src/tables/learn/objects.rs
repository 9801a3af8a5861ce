//! The objects of a library of MPICH's family, found by the shape of their pools.
//!
//! A pool is a variable of the library: the kind of its objects, their size, and where they are.
//! Each object begins with its handle, which the program knows, and a count of references.

use std::collections::HashMap;
use std::fs;

use mqd_inspect::process::Target;
use mqd_layout::Structure;

/// The most bytes of variables that are searched.
const MAX_VARIABLES: u64 = 64 << 20;
const PIECE: usize = 64 << 10;
/// Bytes of an object.
const OBJECT_BYTES: std::ops::RangeInclusive<u64> = 16..=1 << 16;
/// The most objects that are in the library's variables, the most blocks of others, and the most
/// objects of a block.
const MAX_DIRECT: u64 = 1 << 16;
const MAX_BLOCKS: u64 = 1 << 14;
const MAX_OBJECTS: u64 = 4096;
/// The most pools of one kind.
const MAX_POOLS: u64 = 64;

/// Handles: two bits say where the object is, four of what kind it is.
const DIRECT: u64 = 2;
const INDEX: u64 = 0xfff;

/// Kinds of objects, and the name of the variable with their pools, where libraries tell it.
pub(super) const COMMUNICATORS: (u64, &str) = (1, "MPIR_Comm_mem");
pub(super) const REQUESTS: (u64, &str) = (11, "MPIR_Request_mem");

/// The name of a pool's structure in tables.
pub(super) const POOL: &str = "MPIR_Object_alloc_t";

/// An object in use.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) address: u64,
    pub(super) bytes: Vec<u8>,
}

/// The objects of a kind that are in use, by handle.
#[derive(Clone, Debug, Default)]
pub(super) struct Objects {
    /// The size of each, in bytes.
    pub(super) size: u64,
    pub(super) by_handle: HashMap<u64, Object>,
}

/// Where a pool has its fields: the offset and size of each in bytes, in the order of [`FIELDS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    size: usize,
    fields: [(usize, usize); FIELDS.len()],
}

const FIELDS: [&str; 7] =
    ["initialized", "indirect", "indirect_size", "kind", "size", "direct", "direct_size"];

impl Shape {
    /// The shape that a table has. None: it has none.
    pub(super) fn of(structure: &Structure<'_>) -> Option<Shape> {
        let mut fields = [(0, 0); FIELDS.len()];
        for (place, name) in fields.iter_mut().zip(FIELDS) {
            let field = structure.field(name)?;
            *place = (field.offset as usize, field.size as usize);
        }
        Some(Shape { size: structure.size as usize, fields })
    }
}

/// A pool as it is in memory.
struct Pool {
    initialized: u64,
    indirect: u64,
    indirect_size: u64,
    kind: u64,
    size: u64,
    direct: u64,
    direct_size: u64,
}

impl Pool {
    fn of(target: &Target, shape: &Shape, bytes: &[u8]) -> Option<Pool> {
        let number = |(offset, size): (usize, usize)| {
            Some(target.arch().unsigned(bytes.get(offset..offset + size)?))
        };
        let [initialized, indirect, indirect_size, kind, size, direct, direct_size] = shape.fields;
        Some(Pool {
            initialized: number(initialized)?,
            indirect: number(indirect)?,
            indirect_size: number(indirect_size)?,
            kind: number(kind)?,
            size: number(size)?,
            direct: number(direct)?,
            direct_size: number(direct_size)?,
        })
    }

    /// Whether it may be a pool of this kind that is in use.
    fn is_plausible(&self, kind: u64) -> bool {
        self.kind == kind
            && self.initialized == 1
            && OBJECT_BYTES.contains(&self.size)
            && (1..=MAX_DIRECT).contains(&self.direct_size)
            && self.indirect_size <= MAX_BLOCKS
    }
}

/// The objects of one kind in a process. None: there is no such pool of this shape.
pub(super) fn find(
    target: &Target,
    library: usize,
    shape: &Shape,
    (kind, symbol): (u64, &str),
) -> Option<Objects> {
    let start = match target.find_symbol(symbol) {
        Some(symbol) => symbol.address,
        None => search(target, library, shape, kind)?,
    };
    let mut objects = Objects::default();
    for number in 0..MAX_POOLS {
        let at = start + number * shape.size as u64;
        let mut bytes = vec![0; shape.size];
        target.read(at, &mut bytes).ok()?;
        let pool = Pool::of(target, shape, &bytes)?;
        // Pools of other threads may not be in use. Other variables follow.
        if !pool.is_plausible(kind) || (number > 0 && pool.size != objects.size) {
            break;
        }
        objects.size = pool.size;
        objects.take_pool(target, &pool);
    }
    (objects.size > 0).then_some(objects)
}

/// The first pool of a kind in the variables of the library.
fn search(target: &Target, library: usize, shape: &Shape, kind: u64) -> Option<u64> {
    let word = target.arch().pointer_size as usize;
    let parts = variables(target, library)?;
    let handle = DIRECT << 30 | kind << 26;
    parts.iter().find_map(|(start, bytes)| {
        let windows = bytes.windows(shape.size).enumerate().step_by(word);
        windows
            .filter_map(|(place, bytes)| Some((place, Pool::of(target, shape, bytes)?)))
            .filter(|(_, pool)| pool.is_plausible(kind))
            .find(|(_, pool)| target.read_unsigned(pool.direct, 4).is_ok_and(|it| it == handle))
            .map(|(place, _)| start + place as u64)
    })
}

/// The variables of the library: where each part begins, and its bytes.
fn variables(target: &Target, library: usize) -> Option<Vec<(u64, Vec<u8>)>> {
    let path = target.images().get(library)?.path();
    let maps = fs::read_to_string(format!("/proc/{}/maps", target.pid()?)).ok()?;
    let (mut parts, mut end, mut left) = (Vec::new(), 0, MAX_VARIABLES);
    for line in maps.lines() {
        let mut words = line.split_ascii_whitespace();
        let (Some(range), Some(access)) = (words.next(), words.next()) else { continue };
        let Some((from, to)) = range.split_once('-') else { continue };
        let number = |text| u64::from_str_radix(text, 16).ok();
        let (Some(from), Some(to)) = (number(from), number(to)) else { continue };
        // Variables that are zero at first follow the file without a name.
        let name = words.nth(3);
        let is_its = match name {
            Some(name) => path.as_os_str() == name,
            None => from == end,
        };
        if !is_its {
            continue;
        }
        end = to;
        if !access.starts_with("rw") {
            continue;
        }
        let size = (to - from).min(left);
        left -= size;
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        for (number, piece) in bytes.chunks_mut(PIECE).enumerate() {
            // What cannot be read stays zero.
            let _ = target.read(from + (number * PIECE) as u64, piece);
        }
        parts.push((from, bytes));
    }
    Some(parts)
}

impl Objects {
    fn take_pool(&mut self, target: &Target, pool: &Pool) {
        self.take_block(target, pool.direct, pool.direct_size);
        let pointer = target.arch().pointer_size;
        for number in 0..pool.indirect_size {
            if let Ok(block) = target.read_pointer(pool.indirect + number * pointer) {
                self.take_block(target, block, MAX_OBJECTS);
            }
        }
    }

    /// Takes the objects of a block, as long as their handles have ascending numbers.
    fn take_block(&mut self, target: &Target, start: u64, most: u64) {
        let Ok(first) = target.read_unsigned(start, 4) else { return };
        for number in 0..most {
            let address = start + number * self.size;
            let mut bytes = vec![0; usize::try_from(self.size).unwrap_or(0)];
            if target.read(address, &mut bytes).is_err() {
                return;
            }
            let word = |place: usize| target.arch().unsigned(&bytes[place..place + 4]);
            let (handle, references) = (word(0), word(4));
            if handle & !INDEX != first & !INDEX || handle & INDEX != (first & INDEX) + number {
                return;
            }
            if (1..1 << 31).contains(&references) {
                self.by_handle.insert(handle, Object { address, bytes });
            }
        }
    }

    /// The object at an address.
    pub(super) fn at(&self, address: u64) -> Option<&Object> {
        self.by_handle.values().find(|object| object.address == address)
    }
}
