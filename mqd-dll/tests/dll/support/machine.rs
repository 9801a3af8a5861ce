//! A machine that a process may run on: its word sizes, and how it writes a number down.

use super::contract::{Kind, contract};
use super::random::Random;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    Little,
    Big,
    /// An imaginary machine: bytes are reversed, and each is changed. A reader that decodes a value
    /// without the debugger's help fails, even on NULL.
    Strange,
}

#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub short: usize,
    pub int: usize,
    pub long: usize,
    pub long_long: usize,
    pub pointer: usize,
    pub representation: Representation,
}

impl Machine {
    pub const LP64: Self = Self {
        short: 2,
        int: 4,
        long: 8,
        long_long: 8,
        pointer: 8,
        representation: Representation::Little,
    };
    pub const S390X: Self = Self { representation: Representation::Big, ..Self::LP64 };
    pub const I386: Self = Self { long: 4, pointer: 4, ..Self::LP64 };
    pub const PPC32: Self = Self { representation: Representation::Big, ..Self::I386 };
    pub const ILP64: Self = Self { int: 8, ..Self::LP64 };
    pub const STRANGE: Self = Self { representation: Representation::Strange, ..Self::LP64 };

    pub const ALL: [Self; 6] =
        [Self::LP64, Self::S390X, Self::I386, Self::PPC32, Self::ILP64, Self::STRANGE];

    /// A number as this machine stores it.
    pub fn encode(&self, value: i64, size: usize) -> Vec<u8> {
        let mut bytes = value.to_le_bytes()[..size].to_vec();
        match self.representation {
            Representation::Little => {}
            Representation::Big => bytes.reverse(),
            Representation::Strange => {
                bytes.reverse();
                bytes.iter_mut().for_each(|byte| *byte ^= 0x5A);
            }
        }
        bytes
    }

    /// The reverse, for the debugger's `mqs_target_to_host`.
    pub fn decode(&self, bytes: &[u8]) -> Vec<u8> {
        let mut host = bytes.to_vec();
        match self.representation {
            Representation::Little => {}
            Representation::Big => host.reverse(),
            Representation::Strange => {
                host.reverse();
                host.iter_mut().for_each(|byte| *byte ^= 0x5A);
            }
        }
        if cfg!(target_endian = "big") {
            host.reverse();
        }
        host
    }

    pub fn size_of(&self, kind: Kind) -> usize {
        match kind {
            Kind::Int => self.int,
            Kind::LongLong => self.long_long,
            Kind::Pointer => self.pointer,
            Kind::Chars(size) => size,
        }
    }
}

/// A structure as the debugger knows it.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub size: usize,
    pub offsets: BTreeMap<String, (usize, Kind)>,
}

pub type Layouts = BTreeMap<String, Layout>;

/// The structures as a C compiler lays them out.
pub fn natural(machine: &Machine) -> Layouts {
    lay_out(machine, |_| 0)
}

/// The structures with their fields in another order and with gaps between them, so that offsets
/// cannot be guessed.
pub fn shuffled(machine: &Machine, seed: u64) -> Layouts {
    let mut random = Random::new(seed);
    let mut layouts = Layouts::new();
    for (name, fields) in &contract().structures {
        let mut fields = fields.clone();
        random.shuffle(&mut fields);
        layouts.insert(name.clone(), structure(machine, &fields, |_| random.below(40)));
    }
    layouts
}

fn lay_out(machine: &Machine, mut gap: impl FnMut(&str) -> usize) -> Layouts {
    contract()
        .structures
        .iter()
        .map(|(name, fields)| (name.clone(), structure(machine, fields, &mut gap)))
        .collect()
}

fn structure(
    machine: &Machine,
    fields: &[(String, Kind)],
    mut gap: impl FnMut(&str) -> usize,
) -> Layout {
    let (mut layout, mut align) = (Layout::default(), 1);
    for (name, kind) in fields {
        let size = machine.size_of(*kind);
        let field_align = if matches!(kind, Kind::Chars(_)) { 1 } else { size };
        let offset = (layout.size + gap(name)).next_multiple_of(field_align);
        layout.offsets.insert(name.clone(), (offset, *kind));
        layout.size = offset + size;
        align = align.max(field_align);
    }
    layout.size = layout.size.next_multiple_of(align);
    layout
}
