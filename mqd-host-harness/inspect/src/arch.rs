//! The target's word sizes and byte order. The rest of the crate makes no assumption about them.

use byteorder::{BigEndian, ByteOrder, LittleEndian};
use serde::{Deserialize, Serialize};

/// The order of bytes in the target's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// The target's machine and C ABI, taken from its executable or core file. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arch {
    /// The byte order.
    pub endian: Endian,
    /// The ELF machine number (`e_machine`).
    pub machine: u16,
    /// Size of `short`.
    pub short_size: u64,
    /// Size of `int`.
    pub int_size: u64,
    /// Size of `long`.
    pub long_size: u64,
    /// Size of `long long`.
    pub long_long_size: u64,
    /// Size of `void *`.
    pub pointer_size: u64,
}

impl Arch {
    /// The C types of Linux on a 64-bit (LP64) or 32-bit (ILP32) ELF target.
    pub fn new(is_64: bool, endian: Endian, machine: u16) -> Arch {
        let word = if is_64 { 8 } else { 4 };
        Arch {
            endian,
            machine,
            short_size: 2,
            int_size: 4,
            long_size: word,
            long_long_size: 8,
            pointer_size: word,
        }
    }

    /// Whether words are least significant byte first.
    pub fn is_little_endian(&self) -> bool {
        self.endian == Endian::Little
    }

    /// The unsigned number in `bytes`, which are in the target's byte order. Only the first 8 bytes
    /// count.
    pub fn unsigned(&self, bytes: &[u8]) -> u64 {
        match (bytes.len(), self.endian) {
            (0, _) => 0,
            (1..=8, Endian::Little) => LittleEndian::read_uint(bytes, bytes.len()),
            (1..=8, Endian::Big) => BigEndian::read_uint(bytes, bytes.len()),
            (_, Endian::Little) => LittleEndian::read_u64(bytes),
            (len, Endian::Big) => BigEndian::read_u64(&bytes[len - 8..]),
        }
    }

    /// In words, for messages.
    pub fn describe(&self) -> String {
        let order = if self.is_little_endian() { "little" } else { "big" };
        let machine = goblin::elf::header::machine_to_str(self.machine);
        format!("{machine} ({}-bit, {order}-endian)", 8 * self.pointer_size)
    }

    /// The highest address that a pointer of the target can hold.
    pub(crate) fn address_mask(&self) -> u64 {
        if self.pointer_size >= 8 { u64::MAX } else { (1 << (8 * self.pointer_size)) - 1 }
    }
}

/// Bytes as hexadecimal digits, as build-ids are written.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
