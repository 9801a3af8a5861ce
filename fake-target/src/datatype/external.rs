//! The representation "external32" (MPI 5.0, section 14.5.2): big-endian, with sizes that do not
//! depend on the machine.

use std::ffi::c_void;

use super::element::{Element, Pair};
use super::layout::times;
use super::object::{Datatype, Parts};
use crate::abi::*;
use crate::error::Result;

/// A basic element: what it is in memory, and its size in "external32".
#[derive(Clone, Copy)]
struct Basic {
    format: Format,
    here: usize,
    there: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Bytes,
    Signed,
    Unsigned,
    Float,
    /// `long double`; in "external32" the IEEE format of 128 bits.
    LongDouble,
}

impl Basic {
    const fn of(format: Format, bytes: usize) -> Basic {
        Basic { format, here: bytes, there: bytes }
    }

    fn to_external(self, from: &[u8], to: &mut [u8]) {
        match self.format {
            Format::Bytes => to.copy_from_slice(from),
            Format::LongDouble => to.copy_from_slice(&to_quad(from).to_be_bytes()),
            // The low bytes come last.
            _ => {
                let low = from.iter().take(self.there);
                to.iter_mut().rev().zip(low).for_each(|(to, from)| *to = *from);
            }
        }
    }

    fn to_native(self, from: &[u8], to: &mut [u8]) {
        match self.format {
            Format::Bytes => to.copy_from_slice(from),
            Format::LongDouble => {
                let quad = u128::from_be_bytes(from.try_into().expect("sixteen bytes"));
                to.copy_from_slice(&from_quad(quad));
            }
            format => {
                let negative = format == Format::Signed && from[0] >= 0x80;
                to.fill(if negative { 0xff } else { 0 });
                to.iter_mut().zip(from.iter().rev()).for_each(|(to, from)| *to = *from);
            }
        }
    }
}

/// The bits of a `long double` in the IEEE format of 128 bits.
fn to_quad(bytes: &[u8]) -> u128 {
    let bits = u128::from_le_bytes(bytes.try_into().expect("sixteen bytes"));
    if cfg!(not(target_arch = "x86_64")) {
        return bits;
    }
    // The x87 format has the leading bit of the fraction, and 63 others.
    let (head, fraction) = (bits >> 64 & 0xffff, bits & (u64::MAX >> 1) as u128);
    head << 112 | fraction << 49
}

/// The bytes of the `long double` with these bits. Digits that do not fit are dropped.
fn from_quad(quad: u128) -> [u8; 16] {
    if cfg!(not(target_arch = "x86_64")) {
        return quad.to_le_bytes();
    }
    let (head, fraction) = (quad >> 112, quad >> 49 & (u64::MAX >> 1) as u128);
    let leading = u128::from(head & 0x7fff != 0) << 63;
    (head << 64 | leading | fraction).to_le_bytes()
}

impl Datatype {
    /// The basic elements of a predefined datatype.
    fn basics(&self, element: Element) -> Vec<Basic> {
        use Format::*;
        let int = Basic::of(Signed, 4);
        let long = Basic { format: Signed, here: 8, there: 4 };
        let quad = Basic::of(LongDouble, 16);
        match (element, self.recipe.handle) {
            (_, MPI_LONG) => vec![long],
            (_, MPI_UNSIGNED_LONG) => vec![Basic { format: Unsigned, here: 8, there: 4 }],
            (_, MPI_WCHAR) => vec![Basic { format: Unsigned, here: 4, there: 2 }],
            (Element::Signed(bytes), _) => vec![Basic::of(Signed, bytes.into())],
            (Element::Unsigned(bytes) | Element::Logical(bytes), _) => {
                vec![Basic::of(Unsigned, bytes.into())]
            }
            (Element::Float(bytes), _) => vec![Basic::of(Float, bytes.into())],
            (Element::Complex(bytes), _) => vec![Basic::of(Float, bytes.into()); 2],
            (Element::LongDouble, _) => vec![quad],
            (Element::LongComplex, _) => vec![quad; 2],
            (Element::Byte | Element::Opaque, _) => vec![Basic::of(Bytes, 1)],
            (Element::Pair(pair), _) => match pair {
                Pair::FloatInt => vec![Basic::of(Float, 4), int],
                Pair::DoubleInt => vec![Basic::of(Float, 8), int],
                Pair::LongInt => vec![long, int],
                Pair::TwoInt => vec![int, int],
                Pair::ShortInt => vec![Basic::of(Signed, 2), int],
                Pair::LongDoubleInt => vec![quad, int],
                Pair::TwoReal => vec![Basic::of(Float, 4); 2],
                Pair::TwoDouble => vec![Basic::of(Float, 8); 2],
            },
        }
    }

    /// Bytes of one element in "external32".
    pub(crate) fn external_size(&self) -> Result<MPI_Count> {
        match &self.parts {
            Parts::Basic(element, _) => {
                Ok(self.basics(*element).iter().map(|basic| basic.there as MPI_Count).sum())
            }
            Parts::Derived(parts, _) => {
                parts.iter().try_fold(0, |sum: MPI_Count, (count, part)| {
                    Ok(sum.saturating_add(times(*count, part.external_size()?)?))
                })
            }
        }
    }

    /// Visits the basic elements of elements in a row, in the order of the data stream, as long as
    /// `visit` says true. Returns whether it always did.
    fn each_basic(&self, count: MPI_Count, visit: &mut dyn FnMut(Basic) -> bool) -> bool {
        match &self.parts {
            Parts::Basic(element, _) => {
                let basics = self.basics(*element);
                (0..count).all(|_| basics.iter().all(|basic| visit(*basic)))
            }
            Parts::Derived(parts, _) => {
                (0..count).all(|_| parts.iter().all(|(count, part)| part.each_basic(*count, visit)))
            }
        }
    }

    /// Puts `count` elements at `buffer` into `out` in "external32"; `out` has that length.
    ///
    /// MPI's caller guarantees that the elements can be read.
    pub(crate) fn pack_external(&self, buffer: *const c_void, count: MPI_Count, out: &mut [u8]) {
        let mut stream = vec![0; (count * self.size()) as usize];
        self.pack(buffer, count, 0, &mut stream);
        let (mut from, mut to) = (0, 0);
        self.each_basic(count, &mut |basic| {
            basic.to_external(&stream[from..][..basic.here], &mut out[to..][..basic.there]);
            (from, to) = (from + basic.here, to + basic.there);
            true
        });
    }

    /// Takes `count` elements in "external32" to `buffer`. If `data` is shorter, it ends before the
    /// first basic element that is not complete. Returns the number of bytes in memory.
    ///
    /// MPI's caller guarantees that the elements can be written.
    pub(crate) fn unpack_external(
        &self,
        buffer: *mut c_void,
        count: MPI_Count,
        data: &[u8],
    ) -> usize {
        let mut stream = vec![0; (count * self.size()) as usize];
        let (mut rest, mut to) = (data, 0);
        self.each_basic(count, &mut |basic| {
            let Some((from, after)) = rest.split_at_checked(basic.there) else { return false };
            basic.to_native(from, &mut stream[to..][..basic.here]);
            (rest, to) = (after, to + basic.here);
            true
        });
        self.unpack(buffer, count, 0, &stream[..to])
    }
}
