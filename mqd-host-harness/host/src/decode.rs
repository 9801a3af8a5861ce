//! Decoding the MessagePack of snapshots and workers, most of which is names of fields.
//!
//! `rmp-serde` takes twice the time: it checks each name of a field for valid UTF-8 before it looks
//! for the field. Here names are compared as bytes. Texts are checked. Both decode the same.

use std::{fmt, iter};

use rmp::Marker;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// How deep arrays and maps may be in each other. Fields that are not known can have any depth.
const DEEPEST: u32 = 128;

/// Content that is not what a frame should hold.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DecodeError {
    /// A value goes on after the end.
    #[error("it ends within a value")]
    End,
    /// A text is not UTF-8.
    #[error("a text is not UTF-8")]
    Text,
    /// Arrays and maps are too deep in each other.
    #[error("its values are more than {DEEPEST} deep")]
    Deep,
    /// A kind of value that frames do not have.
    #[error("it has a value of an unknown kind ({0:#04x})")]
    Kind(u8),
    /// An array or a map has more elements than were asked for.
    #[error("it has {0} elements too many")]
    Many(u32),
    /// The value is not one of the type.
    #[error("{0}")]
    Value(String),
}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> DecodeError {
        DecodeError::Value(message.to_string())
    }
}

/// The value at the beginning of these bytes.
///
/// # Errors
/// It is not one of this type.
pub(crate) fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    T::deserialize(&mut Decoder { rest: bytes, depth: 0 })
}

/// The values that follow each other in these bytes, up to one that is not whole.
pub(crate) fn each_from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Vec<T> {
    let mut decoder = Decoder { rest: bytes, depth: 0 };
    iter::from_fn(|| T::deserialize(&mut decoder).ok()).collect()
}

/// What follows of the content.
struct Decoder<'de> {
    rest: &'de [u8],
    depth: u32,
}

impl<'de> Decoder<'de> {
    fn take(&mut self, count: usize) -> Result<&'de [u8], DecodeError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(DecodeError::End)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], DecodeError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(DecodeError::End)?;
        self.rest = rest;
        Ok(*taken)
    }

    fn marker(&mut self) -> Result<Marker, DecodeError> {
        self.array().map(|[byte]| Marker::from_u8(byte))
    }

    fn length16(&mut self) -> Result<u32, DecodeError> {
        self.array().map(|bytes| u16::from_be_bytes(bytes).into())
    }

    fn length32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_be_bytes)
    }

    /// The bytes of a text, or `None` if the marker is that of something else.
    fn text(&mut self, marker: Marker) -> Result<Option<&'de [u8]>, DecodeError> {
        let length = match marker {
            Marker::FixStr(length) => length.into(),
            Marker::Str8 => self.array().map(|[length]| length.into())?,
            Marker::Str16 => self.length16()?,
            Marker::Str32 => self.length32()?,
            _ => return Ok(None),
        };
        self.take(length as usize).map(Some)
    }

    /// Visits what is inside an array or a map.
    fn inside<T>(
        &mut self,
        count: u32,
        visit: impl FnOnce(&mut Inside<'_, 'de>) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        if self.depth == DEEPEST {
            return Err(DecodeError::Deep);
        }
        self.depth += 1;
        let mut inside = Inside { decoder: self, left: count };
        let value = visit(&mut inside)?;
        let left = inside.left;
        self.depth -= 1;
        if left == 0 { Ok(value) } else { Err(DecodeError::Many(left)) }
    }

    fn any<V: Visitor<'de>>(
        &mut self,
        marker: Marker,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match marker {
            Marker::Null => visitor.visit_unit(),
            Marker::False => visitor.visit_bool(false),
            Marker::True => visitor.visit_bool(true),
            Marker::FixPos(number) => visitor.visit_u64(number.into()),
            Marker::FixNeg(number) => visitor.visit_i64(number.into()),
            Marker::U8 => visitor.visit_u64(self.array().map(u8::from_be_bytes)?.into()),
            Marker::U16 => visitor.visit_u64(self.array().map(u16::from_be_bytes)?.into()),
            Marker::U32 => visitor.visit_u64(self.array().map(u32::from_be_bytes)?.into()),
            Marker::U64 => visitor.visit_u64(self.array().map(u64::from_be_bytes)?),
            Marker::I8 => visitor.visit_i64(self.array().map(i8::from_be_bytes)?.into()),
            Marker::I16 => visitor.visit_i64(self.array().map(i16::from_be_bytes)?.into()),
            Marker::I32 => visitor.visit_i64(self.array().map(i32::from_be_bytes)?.into()),
            Marker::I64 => visitor.visit_i64(self.array().map(i64::from_be_bytes)?),
            Marker::F32 => visitor.visit_f32(self.array().map(f32::from_be_bytes)?),
            Marker::F64 => visitor.visit_f64(self.array().map(f64::from_be_bytes)?),
            Marker::Bin8 | Marker::Bin16 | Marker::Bin32 => {
                let length = match marker {
                    Marker::Bin8 => self.array().map(|[length]| length.into())?,
                    Marker::Bin16 => self.length16()?,
                    _ => self.length32()?,
                };
                visitor.visit_borrowed_bytes(self.take(length as usize)?)
            }
            Marker::FixArray(count) => self.inside(count.into(), |list| visitor.visit_seq(list)),
            Marker::Array16 => {
                let count = self.length16()?;
                self.inside(count, |list| visitor.visit_seq(list))
            }
            Marker::Array32 => {
                let count = self.length32()?;
                self.inside(count, |list| visitor.visit_seq(list))
            }
            Marker::FixMap(count) => self.inside(count.into(), |map| visitor.visit_map(map)),
            Marker::Map16 => {
                let count = self.length16()?;
                self.inside(count, |map| visitor.visit_map(map))
            }
            Marker::Map32 => {
                let count = self.length32()?;
                self.inside(count, |map| visitor.visit_map(map))
            }
            marker => match self.text(marker)? {
                Some(text) => {
                    visitor.visit_borrowed_str(str::from_utf8(text).map_err(|_| DecodeError::Text)?)
                }
                None => Err(DecodeError::Kind(marker.to_u8())),
            },
        }
    }
}

impl<'de> Deserializer<'de> for &mut Decoder<'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let marker = self.marker()?;
        self.any(marker, visitor)
    }

    /// The name of a field or of a variant.
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let marker = self.marker()?;
        match self.text(marker)? {
            Some(name) => visitor.visit_borrowed_bytes(name),
            None => self.any(marker, visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.rest.split_first() {
            Some((&first, rest)) if Marker::from_u8(first) == Marker::Null => {
                self.rest = rest;
                visitor.visit_none()
            }
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    /// A name, or a map of a name to what the variant has.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match self.rest.first().map(|first| Marker::from_u8(*first)) {
            Some(Marker::FixMap(1)) => {
                self.rest = &self.rest[1..];
                self.inside(1, |map| {
                    map.left = 0;
                    visitor.visit_enum(Variant { decoder: map.decoder, has_content: true })
                })
            }
            _ => visitor.visit_enum(Variant { decoder: self, has_content: false }),
        }
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct ignored_any
    }
}

/// The rest of an array or of a map.
struct Inside<'a, 'de> {
    decoder: &'a mut Decoder<'de>,
    left: u32,
}

impl<'de> SeqAccess<'de> for Inside<'_, 'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        seed.deserialize(&mut *self.decoder).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left as usize)
    }
}

impl<'de> MapAccess<'de> for Inside<'_, 'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DecodeError> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, DecodeError> {
        seed.deserialize(&mut *self.decoder)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left as usize)
    }
}

/// A variant of an enumeration.
struct Variant<'a, 'de> {
    decoder: &'a mut Decoder<'de>,
    has_content: bool,
}

impl<'a, 'de> EnumAccess<'de> for Variant<'a, 'de> {
    type Error = DecodeError;
    type Variant = Variant<'a, 'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Variant<'a, 'de>), DecodeError> {
        Ok((seed.deserialize(&mut *self.decoder)?, self))
    }
}

impl Variant<'_, '_> {
    fn with_content(self) -> Result<Self, DecodeError> {
        let unit = || de::Error::invalid_type(Unexpected::UnitVariant, &"a variant with content");
        if self.has_content { Ok(self) } else { Err(unit()) }
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        if self.has_content { de::Deserialize::deserialize(self.decoder) } else { Ok(()) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, DecodeError> {
        seed.deserialize(self.with_content()?.decoder)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DecodeError> {
        self.with_content()?.decoder.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.with_content()?.decoder.deserialize_any(visitor)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};
    use serde_bytes::ByteBuf;

    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Some5 {
        Unit,
        One(i32),
        Two(u8, String),
        Named { left: Option<u64>, right: () },
        Nested(Box<Some5>),
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Wrapped(f64);

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Everything {
        numbers: Vec<i64>,
        large: u64,
        texts: (String, char, bool),
        bytes: ByteBuf,
        map: BTreeMap<u64, Option<String>>,
        enums: Vec<Some5>,
        wrapped: Wrapped,
        #[serde(default)]
        absent: Option<u32>,
    }

    fn everything() -> Everything {
        let edges = [0, 1, 127, 128, 255, 256, 65_535, 65_536, 1 << 32, i64::MAX];
        let nested = Box::new(Some5::Two(3, "x".repeat(300)));
        Everything {
            numbers: edges.into_iter().flat_map(|edge| [edge, -edge, -1 - edge]).collect(),
            large: u64::MAX,
            texts: ("ä\0".repeat(40), '\u{10ffff}', true),
            bytes: ByteBuf::from(vec![0xc1; 70_000]),
            map: (0..20).map(|key| (key << 40, (key % 3 == 0).then(|| key.to_string()))).collect(),
            enums: vec![
                Some5::Unit,
                Some5::One(-1),
                Some5::Two(255, String::new()),
                Some5::Named { left: None, right: () },
                Some5::Nested(nested),
            ],
            wrapped: Wrapped(1.5),
            absent: None,
        }
    }

    #[test]
    fn what_rmp_serde_writes_is_read() {
        let value = everything();
        let bytes = rmp_serde::to_vec_named(&value).expect("plain data");
        assert_eq!(from_slice::<Everything>(&bytes).expect("it was written"), value);
        // Structures as arrays.
        let bytes = rmp_serde::to_vec(&value).expect("plain data");
        assert_eq!(from_slice::<Everything>(&bytes).expect("it was written"), value);
        for length in 0..bytes.len() {
            from_slice::<Everything>(&bytes[..length]).expect_err("it is cut off");
        }
    }

    /// Damaged bytes are read as rmp-serde reads them, or not at all.
    #[test]
    fn damage_is_read_as_rmp_serde_does() {
        let mut value = everything();
        value.bytes.truncate(3);
        let bytes = rmp_serde::to_vec_named(&value).expect("plain data");
        let mut read = 0;
        for at in 0..bytes.len() {
            for byte in 0..=255 {
                let mut damaged = bytes.clone();
                damaged[at] = byte;
                let theirs = rmp_serde::from_slice::<Everything>(&damaged);
                match from_slice::<Everything>(&damaged) {
                    Ok(value) => {
                        let theirs = theirs.expect("it is read here");
                        assert_eq!(format!("{value:?}"), format!("{theirs:?}"));
                        read += 1;
                    }
                    // A text that is not UTF-8 can stand for bytes there.
                    Err(DecodeError::Text) => {}
                    Err(error) => assert!(theirs.is_err(), "{at}: {byte:#x}: {error}: {theirs:?}"),
                }
            }
        }
        assert!(read > bytes.len(), "{read}");
    }

    #[test]
    fn depth_has_a_bound() {
        #[derive(Debug, Deserialize)]
        struct Nothing {}
        let deep = |depth: usize| {
            let value = [vec![0x91; depth], vec![0xc0]].concat();
            from_slice::<Nothing>(&[&[0x81, 0xa1, b'x'][..], &value].concat())
        };
        deep(100).expect("it is skipped");
        assert!(matches!(deep(1 << 20), Err(DecodeError::Deep)));
    }
}
