//! Objects of Python, read from a process. Each must have the expected type.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::ScriptFrame;
use super::layout::Layout;
use super::lines;
use crate::process::Target;

/// The type of an object.
const TYPE: u64 = 8;
/// The number of bytes of a `bytes` object, and they themselves.
const SIZE: u64 = 16;
const BYTES: u64 = 32;
/// The number of characters of a string, and how they are kept.
const LENGTH: u64 = 16;
const STATE: u64 = 32;

/// Longer names and paths are not read.
const LONGEST_TEXT: u64 = 4096;
/// Longer tables of lines are not read.
const LONGEST_TABLE: u64 = 1 << 20;

/// The most bytes of objects that are read of a process, which is stopped meanwhile. Real programs
/// have some hundred functions on their stacks, with a few thousand bytes each.
pub(super) const MOST_BYTES: u64 = 16 << 20;

/// The memory of a process with words of 8 bytes, the lowest byte first.
pub(super) trait Memory {
    /// Fills `bytes` from an address. None: that cannot be read.
    fn fill(&self, address: u64, bytes: &mut [u8]) -> Option<()>;
}

impl Memory for Target {
    fn fill(&self, address: u64, bytes: &mut [u8]) -> Option<()> {
        self.read(address, bytes).ok()
    }
}

/// The addresses of types of objects.
#[derive(Clone, Copy)]
pub(super) struct Types {
    pub(super) code: u64,
    pub(super) bytes: u64,
    pub(super) text: u64,
}

/// Reads objects.
pub(super) struct Objects<'t> {
    memory: &'t dyn Memory,
    pub(super) layout: Layout,
    types: Types,
    /// What was read, by address: a function that calls itself is read once.
    known: RefCell<HashMap<u64, Rc<Code>>>,
    /// How many bytes may still be read. None: a read would have exceeded the limit.
    room: Cell<Option<u64>>,
}

/// The code of a function.
pub(super) struct Code {
    function: String,
    file: String,
    first_line: u32,
    lines: Vec<u8>,
}

impl<'t> Objects<'t> {
    pub(super) fn new(memory: &'t dyn Memory, layout: Layout, types: Types) -> Objects<'t> {
        let room = Cell::new(Some(MOST_BYTES));
        Objects { memory, layout, types, known: RefCell::default(), room }
    }

    /// Was something not read because the limit was reached?
    pub(super) fn is_exhausted(&self) -> bool {
        self.room.get().is_none()
    }

    /// A frame. None: it cannot be read, or is something else.
    pub(super) fn frame(&self, frame: u64) -> Option<ScriptFrame> {
        let layout = &self.layout;
        let address = self.pointer(frame, layout.code)? & !layout.tags;
        self.check(address, self.types.code)?;
        let at = match layout.instructions {
            Some(begin) => {
                let instruction = self.pointer(frame, layout.at)?;
                // Before the first instruction of a frame that has just begun.
                instruction.checked_sub(address.wrapping_add(begin))
            }
            None => u64::try_from(self.integer(frame.wrapping_add(layout.at))?).ok(),
        };
        let code = self.code_at(address)?;
        let line = at.and_then(|at| match layout.minor {
            9 => lines::by_lnotab(&code.lines, code.first_line, at),
            // An index of instructions of two bytes.
            10 => lines::by_line_table(&code.lines, code.first_line, 2 * at),
            _ => lines::by_location_table(&code.lines, code.first_line, at / 2),
        });
        Some(ScriptFrame { function: code.function.clone(), file: code.file.clone(), line })
    }

    /// The code object at an address.
    fn code_at(&self, address: u64) -> Option<Rc<Code>> {
        if let Some(code) = self.known.borrow().get(&address) {
            return Some(Rc::clone(code));
        }
        let layout = &self.layout;
        let first_line = self.integer(address.wrapping_add(layout.first_line))?;
        let code = Rc::new(Code {
            function: self.string(address, layout.name)?,
            file: self.string(address, layout.file)?,
            first_line: u32::try_from(first_line).ok()?,
            lines: self.table(address, layout.lines)?,
        });
        self.known.borrow_mut().insert(address, Rc::clone(&code));
        Some(code)
    }

    /// The pointer at a place.
    pub(super) fn pointer(&self, base: u64, offset: u64) -> Option<u64> {
        self.unsigned(base.wrapping_add(offset), 8)
    }

    /// A number of so many bytes.
    pub(super) fn unsigned(&self, address: u64, size: usize) -> Option<u64> {
        let bytes = self.read(address, size as u64)?;
        Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// An `int`.
    fn integer(&self, address: u64) -> Option<i64> {
        let number = self.unsigned(address, 4)?;
        Some(i64::from((number as u32).cast_signed()))
    }

    /// The object that the pointer at a place points to, if it has this type.
    fn object(&self, base: u64, offset: u64, of_type: u64) -> Option<u64> {
        let object = self.pointer(base, offset)?;
        self.check(object, of_type)?;
        Some(object)
    }

    /// None: it is no object of this type.
    fn check(&self, object: u64, of_type: u64) -> Option<()> {
        (self.pointer(object, TYPE)? == of_type).then_some(())
    }

    fn table(&self, base: u64, offset: u64) -> Option<Vec<u8>> {
        let object = self.object(base, offset, self.types.bytes)?;
        let size = self.pointer(object, SIZE).filter(|size| *size <= LONGEST_TABLE)?;
        self.read(object.wrapping_add(BYTES), size)
    }

    fn string(&self, base: u64, offset: u64) -> Option<String> {
        let object = self.object(base, offset, self.types.text)?;
        let length = self.pointer(object, LENGTH).filter(|length| *length <= LONGEST_TEXT)?;
        // From the lowest bit on: interned (2 bits), bytes of a character (3), compact, ASCII.
        let state = self.unsigned(object.wrapping_add(STATE), 4)?;
        let (kind, compact, ascii) = (state >> 2 & 7, state >> 5 & 1, state >> 6 & 1);
        if compact == 0 {
            return None;
        }
        let begin = if ascii == 1 { self.layout.ascii } else { self.layout.characters };
        let bytes = self.read(object.wrapping_add(begin), length * kind)?;
        let character = |bytes: &[u8]| {
            let code = bytes.iter().rev().fold(0, |code, byte| code << 8 | u32::from(*byte));
            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
        };
        matches!(kind, 1 | 2 | 4)
            .then(|| bytes.chunks_exact(kind as usize).map(character).collect())
    }

    fn read(&self, address: u64, size: u64) -> Option<Vec<u8>> {
        let room = self.room.get().and_then(|room| room.checked_sub(size));
        self.room.set(room);
        room?;
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        self.memory.fill(address, &mut bytes)?;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: Types = Types { code: 0x10, bytes: 0x20, text: 0x30 };
    const FRAMES: u64 = 1 << 40;
    const CODES: u64 = 2 << 40;
    const TABLES: u64 = 3 << 40;
    const NAME: u64 = 4 << 40;
    /// The distance between objects of a kind: larger than a code object or a table.
    const STEP: u64 = 1 << 21;

    /// A process in which each frame has a code object of its own, with a table of so many bytes.
    struct Synthetic {
        layout: Layout,
        table: u64,
        asked: Cell<u64>,
    }

    impl Synthetic {
        fn word(&self, address: u64) -> u64 {
            let (part, at) = (address >> 40 << 40, address & ((1 << 40) - 1));
            let (number, at) = (at / STEP, at % STEP);
            match part {
                FRAMES if at == self.layout.code => CODES + number * STEP,
                FRAMES => 0,
                CODES if at == TYPE => TYPES.code,
                CODES if at == self.layout.lines => TABLES + number * STEP,
                CODES if at == self.layout.name || at == self.layout.file => NAME,
                TABLES if at == TYPE => TYPES.bytes,
                TABLES if at == SIZE => self.table,
                NAME if at == TYPE => TYPES.text,
                NAME if at == LENGTH => 1,
                // One byte for each character, compact, ASCII.
                NAME if at == STATE => 1 << 2 | 1 << 5 | 1 << 6,
                _ => 0,
            }
        }
    }

    impl Memory for Synthetic {
        fn fill(&self, address: u64, bytes: &mut [u8]) -> Option<()> {
            self.asked.set(self.asked.get() + bytes.len() as u64);
            let word = self.word(address).to_le_bytes();
            let size = bytes.len().min(8);
            bytes[..size].copy_from_slice(&word[..size]);
            Some(())
        }
    }

    /// How many of 10,000 frames could be read, what was asked for, and whether it was too much.
    fn read(table: u64) -> (usize, u64, bool) {
        let layout = Layout::of(11).expect("3.11 is known");
        let memory = Synthetic { layout, table, asked: Cell::new(0) };
        let objects = Objects::new(&memory, layout, TYPES);
        let frames = (0..10_000).filter_map(|number| objects.frame(FRAMES + number * STEP)).count();
        (frames, memory.asked.get(), objects.is_exhausted())
    }

    #[test]
    fn large_tables_are_read_within_the_budget() {
        let (frames, asked, exhausted) = read(1 << 20);
        assert_eq!((frames, exhausted), (15, true));
        assert!(asked <= MOST_BYTES, "{asked}");
    }

    #[test]
    fn many_small_functions_are_read() {
        let (frames, asked, exhausted) = read(500);
        assert_eq!((frames, exhausted), (10_000, false));
        assert!(asked <= MOST_BYTES, "{asked}");
    }
}
