//! Where the fields of the target's structures are.
//!
//! A reader declares the structures it needs, by name and field, with [`structures!`]. A source of
//! [`Types`](crate::types::Types) resolves them once into plain data. From then on a [`Record`]
//! gives the values. The source is the debugger's debug information or a layout table.

use crate::debugger::Target;
use crate::error::{Code, Error, Result};
use crate::text::until_nul;
use std::marker::PhantomData;

/// No structure of a library is larger than this; a size beyond it is a mistake.
const MAX_SIZE: usize = 512 * 1024;

/// A checked size of a structure.
pub(crate) fn structure_size(size: usize, name: &'static str) -> Result<usize> {
    if (1..=MAX_SIZE).contains(&size) { Ok(size) } else { Err(Error::on(Code::WrongType, name)) }
}

/// What a field holds, and how its bytes become a value.
pub(crate) trait Kind {
    /// The value on this side.
    type Value<'a>;

    /// The value of the field that `bytes` begins with; None if the structure is too short for it.
    fn value<'a>(bytes: &'a [u8], target: &Target) -> Option<Self::Value<'a>>;
}

/// A field: its offset in the structure. The type parameter says what it holds.
pub(crate) struct Field<K> {
    offset: usize,
    kind: PhantomData<K>,
}

impl<K> Field<K> {
    pub(crate) const fn at(offset: usize) -> Self {
        Self { offset, kind: PhantomData }
    }

    /// The address of the field in a structure at `address`.
    pub(crate) const fn address(self, address: u64) -> u64 {
        address.wrapping_add(self.offset as u64)
    }
}

impl<K> Clone for Field<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Field<K> {}

/// An `int`.
pub(crate) struct Int;

impl Kind for Int {
    type Value<'a> = i64;

    fn value(bytes: &[u8], target: &Target) -> Option<i64> {
        bytes.get(..target.int).map(|bytes| target.signed(bytes))
    }
}

/// A `long long`.
pub(crate) struct LongLong;

impl Kind for LongLong {
    type Value<'a> = i64;

    fn value(bytes: &[u8], target: &Target) -> Option<i64> {
        bytes.get(..target.long_long).map(|bytes| target.signed(bytes))
    }
}

/// A pointer.
pub(crate) struct Pointer;

impl Kind for Pointer {
    type Value<'a> = u64;

    fn value(bytes: &[u8], target: &Target) -> Option<u64> {
        bytes.get(..target.pointer).map(|bytes| target.unsigned(bytes))
    }
}

/// An unsigned number of `N` bytes, whatever the machine.
pub(crate) struct Unsigned<const N: usize>;

impl<const N: usize> Kind for Unsigned<N> {
    type Value<'a> = u64;

    fn value(bytes: &[u8], target: &Target) -> Option<u64> {
        bytes.get(..N).map(|bytes| target.unsigned(bytes))
    }
}

/// A signed number of `N` bytes, whatever the machine.
pub(crate) struct Signed<const N: usize>;

impl<const N: usize> Kind for Signed<N> {
    type Value<'a> = i64;

    fn value(bytes: &[u8], target: &Target) -> Option<i64> {
        bytes.get(..N).map(|bytes| target.signed(bytes))
    }
}

/// A `size_t`, which is as large as a pointer.
pub(crate) type Size = Pointer;

/// A structure inside the structure: its bytes, and those after it.
pub(crate) struct Inner;

impl Kind for Inner {
    type Value<'a> = &'a [u8];

    fn value<'a>(bytes: &'a [u8], _: &Target) -> Option<&'a [u8]> {
        Some(bytes)
    }
}

/// A `char` array of `N` bytes that holds a zero-terminated string.
pub(crate) struct Chars<const N: usize>;

impl<const N: usize> Kind for Chars<N> {
    type Value<'a> = &'a [u8];

    fn value<'a>(bytes: &'a [u8], _: &Target) -> Option<&'a [u8]> {
        bytes.get(..N).map(until_nul)
    }
}

/// A structure that was read, to take values from.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) target: &'a Target,
}

impl<'a> Record<'a> {
    pub(crate) fn get<K: Kind>(&self, field: Field<K>) -> Result<K::Value<'a>> {
        let value = self.bytes.get(field.offset..).and_then(|bytes| K::value(bytes, self.target));
        value.ok_or(Error::new(Code::WrongType))
    }

    /// The structure inside this one.
    pub(crate) fn inner(&self, field: Field<Inner>) -> Result<Record<'a>> {
        Ok(Record { bytes: self.get(field)?, target: self.target })
    }
}

/// A structure of the target.
pub(crate) trait Structure {
    /// The C name.
    const NAME: &'static str;

    /// Its size in bytes.
    fn bytes(&self) -> usize;
}

/// Declares structures of the target: for each a Rust type that holds the size and the fields'
/// places. A field is named as in C; `name = "a.b": kind` declares a field of an inner structure.
macro_rules! structures {
    (@name $field:ident) => { concat!(stringify!($field), "\0") };
    (@name $field:ident $path:literal) => { concat!($path, "\0") };
    ($($(#[$doc:meta])* $name:ident = $tag:literal {
        $($field:ident $(= $path:literal)?: $kind:ty,)*
    })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name {
            bytes: usize,
            $(pub(super) $field: $crate::layout::Field<$kind>,)*
        }

        impl $crate::layout::Structure for $name {
            const NAME: &'static str = $tag;

            fn bytes(&self) -> usize {
                self.bytes
            }
        }

        impl $name {
            pub(super) fn resolve(
                types: &impl $crate::types::Types,
            ) -> $crate::error::Result<Self> {
                use $crate::types::c_name;
                let ty = types.find(c_name(concat!($tag, "\0")))?;
                Ok(Self {
                    bytes: $crate::layout::structure_size(types.size(ty)?, $tag)?,
                    $($field: $crate::layout::Field::at(
                        types.offset(
                            ty,
                            c_name($crate::layout::structures!(@name $field $($path)?)),
                        )?,
                    ),)*
                })
            }
        }
    )+};
}
pub(crate) use structures;
