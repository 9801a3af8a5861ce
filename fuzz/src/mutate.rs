//! Ways to change an input.

use fastrand::Rng;
use serde_json::Value;

/// Numbers at which readers go wrong: limits of types, sizes that overflow when added.
const NUMBERS: [u64; 16] = [
    0,
    1,
    2,
    7,
    8,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// Changes bytes wherever they are, more often at the beginning, where headers stand.
pub(crate) fn bytes(random: &mut Rng, input: &mut Vec<u8>, other: &[u8]) {
    if input.is_empty() {
        input.push(random.u8(..));
    }
    let length = input.len();
    let place = |random: &mut Rng| match random.u8(0..4) {
        0 => random.usize(..length.min(128)),
        1 => length - 1 - random.usize(..length.min(4096)),
        _ => random.usize(..length),
    };
    let at = place(random);
    match random.u8(0..8) {
        0 => input[at] ^= 1 << random.u8(0..8),
        1 => input[at] = random.u8(..),
        2 | 3 => number(random, &mut input[at..]),
        4 => input.truncate(at),
        5 => {
            let end = (at + random.usize(..64)).min(length);
            input.drain(at..end);
        }
        6 => {
            let end = (at + random.usize(..256)).min(length);
            let part = input[at..end].to_vec();
            let to = place(random);
            input.splice(to..to, part);
        }
        _ => {
            let from = random.usize(..other.len().max(1)).min(other.len());
            let end = (from + random.usize(..256)).min(other.len());
            let room = (end - from).min(length - at);
            input[at..at + room].copy_from_slice(&other[from..from + room]);
        }
    }
}

/// Writes a number over the first bytes, in any width and either byte order, or changes the number
/// there a little.
fn number(random: &mut Rng, bytes: &mut [u8]) {
    let width = (1 << random.u8(0..4)).min(bytes.len());
    let old = bytes[..width].iter().rev().fold(0, |old, byte| old << 8 | u64::from(*byte));
    let new = match random.bool() {
        true => NUMBERS[random.usize(..NUMBERS.len())],
        false => old.wrapping_add(random.u64(0..64)).wrapping_sub(32),
    };
    let little = new.to_le_bytes();
    bytes[..width].copy_from_slice(&little[..width]);
    if random.u8(0..4) == 0 {
        bytes[..width].reverse();
    }
}

/// Changes words where they are: what stands around them can still be decoded. Most bytes of a
/// process's memory are zero, so places are taken where something stands.
pub(crate) fn words(random: &mut Rng, input: &mut Vec<u8>, other: &[u8]) {
    let (Some(at), Some(from)) = (occupied(random, input), occupied(random, input)) else {
        return bytes(random, input, other);
    };
    match random.u8(0..4) {
        0 => input[at] ^= 1 << random.u8(0..8),
        1 => number(random, &mut input[at..]),
        // Lists become rings, or lead into other lists.
        2 => {
            let (from, to) = (pointer(input, from), pointer(input, at).start);
            input.copy_within(from, to);
        }
        _ => input.copy_within(from..from + WORD, at),
    }
}

/// The size of a word of the processes that the inputs are from, in bytes.
const WORD: usize = 8;

/// A place with a word that is not zero.
fn occupied(random: &mut Rng, input: &[u8]) -> Option<usize> {
    const TRIES: usize = 64;
    let last = input.len().checked_sub(WORD)?;
    let mut places = (0..TRIES).map(|_| random.usize(..=last));
    places.find(|at| input[*at..*at + WORD].iter().any(|byte| *byte != 0))
}

/// The next word after a place that looks like an address of x86-64 Linux, or the word there.
fn pointer(input: &[u8], at: usize) -> std::ops::Range<usize> {
    const FAR: usize = 256;
    let end = input.len().min(at + FAR);
    let is_address = |word: &[u8]| matches!(word, [.., 0x55 | 0x56 | 0x7e | 0x7f, 0, 0]);
    let found = input[at..end].windows(WORD).position(is_address).map_or(at, |skip| at + skip);
    found..found + WORD
}

/// Changes a value somewhere in a JSON text, or bytes if it is not JSON.
pub(crate) fn json(random: &mut Rng, input: &mut Vec<u8>, other: &[u8]) {
    let parsed = serde_json::from_slice::<Value>(input);
    let (Ok(mut value), false) = (parsed, random.u8(0..16) == 0) else {
        return bytes(random, input, other);
    };
    let other = serde_json::from_slice(other).unwrap_or(Value::Null);
    let donor = descend(random, &mut other.clone()).take();
    let place = descend(random, &mut value);
    change(random, place, donor);
    *input = value.to_string().into_bytes();
}

/// A value somewhere inside.
fn descend<'a>(random: &mut Rng, value: &'a mut Value) -> &'a mut Value {
    let inside = match value {
        Value::Array(values) => values.len(),
        Value::Object(fields) => fields.len(),
        _ => 0,
    };
    if inside == 0 || random.u8(0..6) == 0 {
        return value;
    }
    let which = random.usize(..inside);
    let next = match value {
        Value::Array(values) => values.get_mut(which),
        Value::Object(fields) => fields.values_mut().nth(which),
        _ => None,
    };
    // The index is below the number of values.
    descend(random, next.expect("a value inside"))
}

fn change(random: &mut Rng, value: &mut Value, donor: Value) {
    match (random.u8(0..6), &mut *value) {
        (0, _) => *value = Value::Null,
        (1 | 2, _) => *value = donor,
        (_, Value::Number(number)) => {
            let any = NUMBERS[random.usize(..NUMBERS.len())];
            *value = match (random.u8(0..3), number.as_i64()) {
                (0, Some(old)) => old.wrapping_add(random.i64(-2..3)).into(),
                (1, _) => any.cast_signed().into(),
                _ => any.into(),
            };
        }
        (_, Value::Array(values)) if !values.is_empty() => {
            let which = random.usize(..values.len());
            match random.bool() {
                true => drop(values.remove(which)),
                false => values.push(values[which].clone()),
            }
        }
        (_, Value::Object(fields)) if !fields.is_empty() => {
            let which = random.usize(..fields.len());
            if let Some(name) = fields.keys().nth(which).cloned() {
                fields.remove(&name);
            }
        }
        (_, Value::String(text)) => match random.bool() {
            true => text.push(random.char(..)),
            false => *text = NUMBERS[random.usize(..NUMBERS.len())].to_string(),
        },
        (_, Value::Bool(it)) => *it = !*it,
        (_, _) => *value = Value::Array(vec![value.take(), donor]),
    }
}

/// Changes words and lines of a text, or bytes if it is not text.
pub(crate) fn lines(random: &mut Rng, input: &mut Vec<u8>, other: &[u8]) {
    let (Ok(text), false) = (std::str::from_utf8(input), random.u8(0..8) == 0) else {
        return bytes(random, input, other);
    };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        return bytes(random, input, other);
    }
    let at = random.usize(..lines.len());
    match random.u8(0..5) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(random.usize(..=lines.len()), lines[at].clone()),
        2 => {
            let to = random.usize(..lines.len());
            lines.swap(at, to);
        }
        3 => {
            let other = String::from_utf8_lossy(other);
            let count = other.lines().count().max(1);
            lines[at] = other.lines().nth(random.usize(..count)).unwrap_or_default().to_owned();
        }
        _ => {
            let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
            let word = random.usize(..words.len());
            words[word] = NUMBERS[random.usize(..NUMBERS.len())].to_string();
            lines[at] = words.join(" ");
        }
    }
    *input = lines.join("\n").into_bytes();
}
