//! The dynamic linker's list of loaded objects (`r_debug` and `link_map` of <link.h>).

use std::collections::HashSet;

use super::memory::Memory;
use super::{Arch, ReadError};

const DT_NULL: u64 = 0;
const DT_DEBUG: u64 = 21;
/// The most entries of a dynamic section, and the most objects of a process. Real ones have fewer.
const MAX_DYNAMIC: u64 = 4096;
const MAX_OBJECTS: usize = 65_536;
const MAX_NAMESPACES: usize = 64;
const PATH_MAX: usize = 4096;

/// An entry of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LinkMap {
    /// `l_addr`: the load bias.
    pub(super) bias: u64,
    /// `l_name`: empty for the executable.
    pub(super) name: Vec<u8>,
    /// `l_ld`: the address of the dynamic section.
    pub(super) dynamic: u64,
}

/// The address of `r_debug` as the executable's dynamic section tells it; 0 before the dynamic
/// linker has run.
pub(super) fn r_debug(memory: &Memory, arch: &Arch, dynamic: u64) -> Result<u64, ReadError> {
    let word = arch.pointer_size;
    for entry in 0..MAX_DYNAMIC {
        let address = dynamic.wrapping_add(entry * 2 * word);
        match memory.word(arch, address)? {
            DT_NULL => break,
            DT_DEBUG => return memory.word(arch, address.wrapping_add(word)),
            _ => {}
        }
    }
    Ok(0)
}

/// The objects of all namespaces (`dlmopen`), and the error that ended the walk early, if any.
pub(super) fn objects(
    memory: &Memory,
    arch: &Arch,
    r_debug: u64,
) -> (Vec<LinkMap>, Option<ReadError>) {
    let mut objects = Vec::new();
    let result = walk(memory, arch, r_debug, &mut objects);
    (objects, result.err())
}

fn walk(
    memory: &Memory,
    arch: &Arch,
    r_debug: u64,
    objects: &mut Vec<LinkMap>,
) -> Result<(), ReadError> {
    let word = arch.pointer_size;
    let mut seen = HashSet::new();
    let mut r_debug = r_debug;
    for _ in 0..MAX_NAMESPACES {
        // struct r_debug { int version; struct link_map *map; Addr brk; enum state; Addr ldbase;
        // struct r_debug *next (version 2); }
        let mut version = [0; 4];
        memory.read(r_debug, &mut version)?;
        let mut node = memory.word(arch, r_debug.wrapping_add(word))?;
        while node != 0 && objects.len() < MAX_OBJECTS && seen.insert(node) {
            // struct link_map { Addr l_addr; char *l_name; Dyn *l_ld; struct link_map *l_next,
            // *l_prev; }
            let field = |index: u64| memory.word(arch, node.wrapping_add(index * word));
            let (bias, name, dynamic, next) = (field(0)?, field(1)?, field(2)?, field(3)?);
            let name = if name == 0 { Vec::new() } else { memory.string(name, PATH_MAX)? };
            objects.push(LinkMap { bias, name, dynamic });
            node = next;
        }
        let next = if arch.unsigned(&version) >= 2 {
            memory.word(arch, r_debug.wrapping_add(5 * word))?
        } else {
            0
        };
        if next == 0 {
            break;
        }
        r_debug = next;
    }
    Ok(())
}
