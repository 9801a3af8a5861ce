//! What predefined datatypes are to reductions.

/// What an element is to a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// A signed integer of so many bytes.
    Signed(u8),
    /// An unsigned integer of so many bytes.
    Unsigned(u8),
    /// A floating-point number in the IEEE format of so many bytes.
    Float(u8),
    /// `long double`
    LongDouble,
    /// A complex number of two floats, by the bytes of one.
    Complex(u8),
    /// `long double _Complex`
    LongComplex,
    /// A truth value of so many bytes.
    Logical(u8),
    /// A byte: bits and nothing else.
    Byte,
    /// A value and an index, as `MPI_MINLOC` takes them.
    Pair(Pair),
    /// Text and packed data, with which no reduction computes.
    Opaque,
}

/// The pairs of a value and an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pair {
    FloatInt,
    DoubleInt,
    LongInt,
    TwoInt,
    ShortInt,
    LongDoubleInt,
    TwoReal,
    TwoDouble,
}
