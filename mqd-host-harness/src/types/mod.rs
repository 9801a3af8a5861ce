//! C types from DWARF: sizes and field offsets.

/// A type of one target; it means nothing in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId {
    /// Index of the image whose debug information has it.
    pub(crate) image: u32,
    /// Which type of that image.
    pub(crate) index: u32,
}
