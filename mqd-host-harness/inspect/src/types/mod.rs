//! C types from DWARF: sizes and field offsets.

mod dwarf;
mod index;
mod layout;

pub(crate) use dwarf::Dwarf;
pub use layout::{Layout, Member};
pub(crate) use layout::{Resolved, resolve};

/// A type of one target; it means nothing in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(pub(crate) u32);

/// C keeps the tags of structures, unions and enumerations apart from typedefs and base types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NameSpace {
    Tag,
    Ordinary,
}

/// How deep types may refer to each other. More is taken for damage.
const MAX_DEPTH: usize = 64;
