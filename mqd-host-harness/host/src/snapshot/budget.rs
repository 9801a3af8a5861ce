//! How much memory reading a snapshot may take, in proportion to the size of the file.
//!
//! A frame can promise far more than the file has: zeros compress well, and an empty map of
//! MessagePack has one byte. Therefore each frame is charged with what it will take, before it is
//! decompressed and again before it is decoded. A frame that goes beyond the budget is lost like a
//! damaged one, and the others are read.

use std::collections::HashMap;
use std::mem::size_of;
use std::sync::{Mutex, PoisonError};

use mqd_report::{Communicator, Frame, Operation, Problem, Process, Stack};
use rmp::Marker;

use super::Entry;

/// What every snapshot may take, in bytes.
const BASE: u64 = 192 << 20;

/// What it may take for each byte of the file. Processes that resemble each other are compressed
/// to a hundredth, and take four times as much memory as MessagePack does.
const FACTOR: u64 = 1000;

/// What a map becomes at most: one of these structures, in a vector that has grown by doubling.
const MAP: u64 = 2 * largest(&[
    size_of::<Entry>(),
    size_of::<Process>(),
    size_of::<Communicator>(),
    size_of::<Operation>(),
]) as u64;

/// What any other value becomes at most: a string or a number in a vector or in a tree.
const VALUE: u64 = 64;

/// What a map in a copy of an entry takes at most: such a structure, in a vector without room.
const COPIED_MAP: u64 = largest(&[
    size_of::<Communicator>(),
    size_of::<Operation>(),
    size_of::<Problem>(),
    size_of::<Stack>(),
    size_of::<Frame>(),
]) as u64;

/// What any other value takes at most there: a string in a vector.
const COPIED_VALUE: u64 = 48;

/// The larger of some sizes.
const fn largest(sizes: &[usize]) -> usize {
    let (mut most, mut index) = (0, 0);
    while index < sizes.len() {
        if sizes[index] > most {
            most = sizes[index];
        }
        index += 1;
    }
    most
}

/// A frame needs more memory than a snapshot of this size may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "reading it takes {needed} bytes of memory, and {left} are left of the {limit} bytes that \
     a snapshot of this size may take"
)]
pub(crate) struct OverBudget {
    needed: u64,
    left: u64,
    limit: u64,
}

/// The memory that is left for the frames of a snapshot.
#[derive(Debug)]
pub(super) struct Budget {
    limit: u64,
    /// What each frame, by its place in the file, has been charged with.
    charged: Mutex<Charges>,
}

#[derive(Debug, Default)]
struct Charges {
    frames: HashMap<usize, u64>,
    sum: u64,
}

impl Budget {
    /// The budget for a file of this many bytes.
    pub(super) fn new(file: usize) -> Budget {
        let limit = BASE.saturating_add(FACTOR.saturating_mul(file as u64));
        Budget { limit, charged: Mutex::default() }
    }

    /// Charges a frame. A frame that is read again is charged once: with the most that it needs.
    pub(super) fn charge(&self, frame: usize, needed: u64) -> Result<(), OverBudget> {
        let mut charges = self.charged.lock().unwrap_or_else(PoisonError::into_inner);
        let before = charges.frames.get(&frame).copied().unwrap_or(0);
        if needed <= before {
            return Ok(());
        }
        let others = charges.sum - before;
        let left = self.limit.saturating_sub(others);
        if needed > left {
            return Err(OverBudget { needed, left, limit: self.limit });
        }
        charges.sum = others + needed;
        charges.frames.insert(frame, needed);
        Ok(())
    }
}

/// What MessagePack takes at most when it is decoded, in bytes.
pub(super) fn decoded(content: &[u8]) -> u64 {
    counted(content, MAP, VALUE)
}

/// What the MessagePack of an entry without a recording takes at most if it is decoded and then
/// copied, so that there are this many.
pub(super) fn copies(entry: &[u8], uses: u32) -> u64 {
    let Some(copies) = uses.checked_sub(1) else { return decoded(entry) };
    let each = size_of::<Entry>() as u64 + counted(entry, COPIED_MAP, COPIED_VALUE);
    decoded(entry).saturating_add(each.saturating_mul(copies.into()))
}

/// The sum of what maps and other values take, and of the bytes of texts.
///
/// Every byte is looked at once. Bytes that are not MessagePack end the count, since decoding ends
/// there too.
fn counted(content: &[u8], map: u64, value: u64) -> u64 {
    let mut sum = 0_u64;
    let mut rest = content;
    while let Some((&first, after)) = rest.split_first() {
        let marker = Marker::from_u8(first);
        let (data, after) = match marker {
            // Most values: processors guess what follows.
            Marker::FixStr(length) => (u64::from(length), after),
            Marker::FixPos(_) | Marker::Null | Marker::True | Marker::False => (0, after),
            marker => {
                let (fixed, length_bytes) = payload(marker);
                let Some((length, after)) = after.split_at_checked(length_bytes) else { break };
                (big_endian(length).saturating_add(fixed), after)
            }
        };
        let next = usize::try_from(data).ok().and_then(|data| after.get(data..));
        let Some(next) = next else { break };
        let own = if is_map(marker) { map } else { value };
        sum = sum.saturating_add(own).saturating_add(data);
        rest = next;
    }
    sum
}

fn is_map(marker: Marker) -> bool {
    matches!(marker, Marker::FixMap(_) | Marker::Map16 | Marker::Map32)
}

/// How many bytes of data follow a marker, and how many bytes before them hold the length of more
/// data. The elements of an array or a map are values of their own.
fn payload(marker: Marker) -> (u64, usize) {
    match marker {
        Marker::FixStr(length) => (u64::from(length), 0),
        Marker::Bin8 | Marker::Str8 => (0, 1),
        Marker::Bin16 | Marker::Str16 => (0, 2),
        Marker::Bin32 | Marker::Str32 => (0, 4),
        Marker::Ext8 => (1, 1),
        Marker::Ext16 => (1, 2),
        Marker::Ext32 => (1, 4),
        Marker::FixExt1 => (2, 0),
        Marker::FixExt2 => (3, 0),
        Marker::FixExt4 => (5, 0),
        Marker::FixExt8 => (9, 0),
        Marker::FixExt16 => (17, 0),
        Marker::U8 | Marker::I8 => (1, 0),
        Marker::U16 | Marker::I16 | Marker::Array16 | Marker::Map16 => (2, 0),
        Marker::U32 | Marker::I32 | Marker::F32 | Marker::Array32 | Marker::Map32 => (4, 0),
        Marker::U64 | Marker::I64 | Marker::F64 => (8, 0),
        _ => (0, 0),
    }
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_counted() {
        let value = (1, "text", vec![0_u8; 300], [Some(70_000), None], 1.5);
        let content = rmp_serde::to_vec(&value).expect("plain data");
        // The array, the number, the text, 300 numbers in an array, two in an array, the float.
        let data = 4 + 2 + 4 + 8;
        assert_eq!(decoded(&content), (1 + 1 + 1 + 301 + 3 + 1) * VALUE + data);
        assert_eq!(decoded(&[0x80, 0x80, 0xc0]), 2 * MAP + VALUE);
    }

    #[test]
    fn what_is_cut_off_ends_the_count() {
        assert_eq!(decoded(&[0xc6, 0xff, 0xff, 0xff, 0xff]), 0);
        assert_eq!(decoded(&[0xdf]), 0);
    }

    #[test]
    fn a_frame_is_charged_once() {
        let budget = Budget::new(0);
        budget.charge(16, BASE - 10).expect("within the budget");
        budget.charge(16, BASE - 5).expect("five more");
        assert_eq!(
            budget.charge(99, 6),
            Err(OverBudget { needed: 6, left: 5, limit: BASE }),
            "one too many"
        );
        budget.charge(99, 5).expect("what is left");
    }
}
