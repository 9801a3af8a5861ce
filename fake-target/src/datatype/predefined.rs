//! The predefined datatypes (MPI 5.0, section 3.2.2 and annex A): names, sizes, and what they are
//! to reductions.

use std::sync::LazyLock;

use super::element::{Element, Pair};
use super::layout::Layout;
use super::object::Datatype;
use crate::abi::*;

struct Row {
    handle: MPI_Datatype,
    name: &'static str,
    element: Element,
    /// Bytes of data; for a pair, those of its members.
    sizes: &'static [MPI_Count],
    /// For a pair: the offset of the index, and the extent.
    pair: (MPI_Count, MPI_Count),
    align: MPI_Count,
}

macro_rules! basic {
    ($($handle:ident $element:expr, $size:expr, $align:expr;)*) => {
        [$(Row {
            handle: $handle,
            name: stringify!($handle),
            element: $element,
            sizes: &[$size],
            pair: (0, $size),
            align: $align,
        }),*]
    };
}

macro_rules! pairs {
    ($($handle:ident $pair:expr, $value:expr, $index:expr, $offset:expr, $extent:expr,
        $align:expr;)*) => {
        [$(Row {
            handle: $handle,
            name: stringify!($handle),
            element: Element::Pair($pair),
            sizes: &[$value, $index],
            pair: ($offset, $extent),
            align: $align,
        }),*]
    };
}

use Element::{Byte, Complex, Float, Logical, LongComplex, LongDouble, Opaque, Signed, Unsigned};

#[rustfmt::skip]
static BASIC: &[Row] = &basic! {
    MPI_AINT Signed(8), 8, 8;
    MPI_COUNT Signed(8), 8, 8;
    MPI_OFFSET Signed(8), 8, 8;
    MPI_PACKED Opaque, 1, 1;
    MPI_SHORT Signed(2), 2, 2;
    MPI_INT Signed(4), 4, 4;
    MPI_LONG Signed(8), 8, 8;
    MPI_LONG_LONG_INT Signed(8), 8, 8;
    MPI_UNSIGNED_SHORT Unsigned(2), 2, 2;
    MPI_UNSIGNED Unsigned(4), 4, 4;
    MPI_UNSIGNED_LONG Unsigned(8), 8, 8;
    MPI_UNSIGNED_LONG_LONG Unsigned(8), 8, 8;
    MPI_FLOAT Float(4), 4, 4;
    MPI_C_COMPLEX Complex(4), 8, 4;
    MPI_DOUBLE Float(8), 8, 8;
    MPI_C_DOUBLE_COMPLEX Complex(8), 16, 8;
    MPI_LONG_DOUBLE LongDouble, 16, 16;
    MPI_C_LONG_DOUBLE_COMPLEX LongComplex, 32, 16;
    MPI_C_BOOL Logical(1), 1, 1;
    MPI_WCHAR Opaque, 4, 4;
    MPI_INT8_T Signed(1), 1, 1;
    MPI_UINT8_T Unsigned(1), 1, 1;
    MPI_CHAR Signed(1), 1, 1;
    MPI_SIGNED_CHAR Signed(1), 1, 1;
    MPI_UNSIGNED_CHAR Unsigned(1), 1, 1;
    MPI_BYTE Byte, 1, 1;
    MPI_INT16_T Signed(2), 2, 2;
    MPI_UINT16_T Unsigned(2), 2, 2;
    MPI_INT32_T Signed(4), 4, 4;
    MPI_UINT32_T Unsigned(4), 4, 4;
    MPI_INT64_T Signed(8), 8, 8;
    MPI_UINT64_T Unsigned(8), 8, 8;
    MPI_LOGICAL Logical(4), 4, 4;
    MPI_INTEGER Signed(4), 4, 4;
    MPI_REAL Float(4), 4, 4;
    MPI_COMPLEX Complex(4), 8, 4;
    MPI_DOUBLE_PRECISION Float(8), 8, 8;
    MPI_CHARACTER Opaque, 1, 1;
    MPI_CXX_FLOAT_COMPLEX Complex(4), 8, 4;
    MPI_CXX_DOUBLE_COMPLEX Complex(8), 16, 8;
    MPI_CXX_LONG_DOUBLE_COMPLEX LongComplex, 32, 16;
    MPI_CXX_BOOL Logical(1), 1, 1;
    MPI_DOUBLE_COMPLEX Complex(8), 16, 8;
    MPI_LOGICAL1 Logical(1), 1, 1;
    MPI_LOGICAL2 Logical(2), 2, 2;
    MPI_LOGICAL4 Logical(4), 4, 4;
    MPI_LOGICAL8 Logical(8), 8, 8;
    MPI_LOGICAL16 Logical(16), 16, 16;
    MPI_INTEGER1 Signed(1), 1, 1;
    MPI_INTEGER2 Signed(2), 2, 2;
    MPI_INTEGER4 Signed(4), 4, 4;
    MPI_INTEGER8 Signed(8), 8, 8;
    MPI_INTEGER16 Signed(16), 16, 16;
    MPI_REAL2 Float(2), 2, 2;
    MPI_REAL4 Float(4), 4, 4;
    MPI_REAL8 Float(8), 8, 8;
    MPI_REAL16 Float(16), 16, 16;
    MPI_COMPLEX4 Complex(2), 4, 2;
    MPI_COMPLEX8 Complex(4), 8, 4;
    MPI_COMPLEX16 Complex(8), 16, 8;
    MPI_COMPLEX32 Complex(16), 32, 16;
};

#[rustfmt::skip]
static PAIRS: &[Row] = &pairs! {
    MPI_FLOAT_INT Pair::FloatInt, 4, 4, 4, 8, 4;
    MPI_DOUBLE_INT Pair::DoubleInt, 8, 4, 8, 16, 8;
    MPI_LONG_INT Pair::LongInt, 8, 4, 8, 16, 8;
    MPI_2INT Pair::TwoInt, 4, 4, 4, 8, 4;
    MPI_SHORT_INT Pair::ShortInt, 2, 4, 4, 8, 4;
    MPI_LONG_DOUBLE_INT Pair::LongDoubleInt, 16, 4, 16, 32, 16;
    MPI_2REAL Pair::TwoReal, 4, 4, 4, 8, 4;
    MPI_2DOUBLE_PRECISION Pair::TwoDouble, 8, 8, 8, 16, 8;
    MPI_2INTEGER Pair::TwoInt, 4, 4, 4, 8, 4;
};

// The predefined handles of the ABI are the values FIRST..FIRST + PLACES.
const FIRST: usize = 0x200;
const PLACES: usize = 0x100;

static PREDEFINED: LazyLock<Vec<Option<Datatype>>> = LazyLock::new(|| {
    let mut places: Vec<Option<Datatype>> = (0..PLACES).map(|_| None).collect();
    for row in BASIC.iter().chain(PAIRS) {
        let layout = match *row.sizes {
            [value, index] => {
                Layout::sequence([(0, Layout::block(value)), (row.pair.0, Layout::block(index))])
            }
            _ => Ok(Layout::block(row.sizes[0])),
        };
        let layout = layout.expect("small offsets");
        places[row.handle.0 - FIRST] = Some(Datatype::predefined(
            row.handle,
            row.name,
            row.element,
            layout,
            row.sizes,
            row.pair.1,
            row.align,
        ));
    }
    places
});

/// The sizes of the predefined datatypes without gaps; 0 for other handles.
static DENSE: [u8; PLACES] = {
    let mut sizes = [0; PLACES];
    let mut row = 0;
    while row < BASIC.len() {
        sizes[BASIC[row].handle.0 - FIRST] = BASIC[row].sizes[0] as u8;
        row += 1;
    }
    sizes
};

/// The size of a predefined datatype of which any number of elements is one block of memory that
/// begins at its address; none for other handles.
#[inline(always)]
pub(crate) fn dense_size(handle: MPI_Datatype) -> Option<usize> {
    let size = *DENSE.get(handle.0.wrapping_sub(FIRST))?;
    (size > 0).then_some(size.into())
}

/// The predefined datatype of a handle.
#[inline]
pub(super) fn find(handle: MPI_Datatype) -> Option<&'static Datatype> {
    PREDEFINED.get(handle.0.wrapping_sub(FIRST))?.as_ref()
}
