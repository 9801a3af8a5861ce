//! Objects of Python, read from a process: each must have the type that it should have.

use std::cell::RefCell;
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

/// Reads objects. `code`, `bytes` and `text` are the addresses of their types.
pub(super) struct Objects<'t> {
    pub(super) target: &'t Target,
    pub(super) layout: Layout,
    pub(super) code: u64,
    pub(super) bytes: u64,
    pub(super) text: u64,
    /// What was read, by address: a function that calls itself is read once.
    pub(super) known: RefCell<HashMap<u64, Rc<Code>>>,
}

/// The code of a function.
pub(super) struct Code {
    function: String,
    file: String,
    first_line: u32,
    lines: Vec<u8>,
}

impl Objects<'_> {
    /// A frame. None: it cannot be read, or is something else.
    pub(super) fn frame(&self, frame: u64) -> Option<ScriptFrame> {
        let layout = &self.layout;
        let address = self.object(frame, layout.code, self.code)?;
        let at = match layout.instructions {
            Some(begin) => {
                let instruction = self.pointer(frame, layout.at)?;
                // Before the first instruction of a frame that has just begun.
                instruction.checked_sub(address.wrapping_add(begin))
            }
            None => u64::try_from(self.target.read_int(frame.wrapping_add(layout.at)).ok()?).ok(),
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
        let first_line = self.target.read_int(address.wrapping_add(layout.first_line)).ok()?;
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
        self.target.read_pointer(base.wrapping_add(offset)).ok()
    }

    /// The object that the pointer at a place points to, if it has this type.
    fn object(&self, base: u64, offset: u64, of_type: u64) -> Option<u64> {
        let object = self.pointer(base, offset)?;
        (self.pointer(object, TYPE)? == of_type).then_some(object)
    }

    fn table(&self, base: u64, offset: u64) -> Option<Vec<u8>> {
        let object = self.object(base, offset, self.bytes)?;
        let size = self.pointer(object, SIZE).filter(|size| *size <= LONGEST_TABLE)?;
        self.read(object.wrapping_add(BYTES), size)
    }

    fn string(&self, base: u64, offset: u64) -> Option<String> {
        let object = self.object(base, offset, self.text)?;
        let length = self.pointer(object, LENGTH).filter(|length| *length <= LONGEST_TEXT)?;
        // From the lowest bit on: interned (2 bits), bytes of a character (3), compact, ASCII.
        let state = self.target.read_unsigned(object.wrapping_add(STATE), 4).ok()?;
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
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        self.target.read(address, &mut bytes).ok()?;
        Some(bytes)
    }
}
