//! What the layout of a structure depends on.

/// The machine that a table is for: a structure's layout depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Whether the least significant byte of a number comes first.
    pub little_endian: bool,
    /// Bytes of an `int`.
    pub int: u8,
    /// Bytes of a `long`.
    pub long: u8,
    /// Bytes of a pointer.
    pub pointer: u8,
}
