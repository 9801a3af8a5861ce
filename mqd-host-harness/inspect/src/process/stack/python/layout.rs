//! Where the fields are in the structures of CPython, for machines with words of 8 bytes. All
//! releases of a minor version agree.

use super::objects::Objects;

/// The layout of a minor version. All offsets are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) minor: u8,
    /// In the runtime: the first interpreter.
    pub(super) interpreters: u64,
    /// In an interpreter: the next one, and the state of its first thread.
    pub(super) next_interpreter: u64,
    pub(super) threads: u64,
    /// In the state of a thread: the next one.
    pub(super) next_thread: u64,
    /// In the state of a thread: what `pthread_self` returns, and the kernel's number.
    pub(super) thread_id: u64,
    pub(super) native_thread_id: Option<u64>,
    /// In the state of a thread: the innermost frame, or a C structure that has it.
    pub(super) current: u64,
    pub(super) current_in_c_frame: Option<u64>,
    /// In a frame: its code, its caller, where it is in its code.
    pub(super) code: u64,
    /// The bits of the pointer to the code that are no address.
    pub(super) tags: u64,
    pub(super) previous: u64,
    pub(super) at: u64,
    /// In a frame: what tells that the evaluation loop was entered for it.
    entry: Entry,
    /// In a code object.
    pub(super) first_line: u64,
    pub(super) file: u64,
    pub(super) name: u64,
    pub(super) lines: u64,
    /// In a code object: its first instruction; frames of earlier releases have an index.
    pub(super) instructions: Option<u64>,
    /// In a string: where its characters begin, if they are ASCII and if not.
    pub(super) ascii: u64,
    pub(super) characters: u64,
}

/// How a frame tells that the evaluation loop was entered for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// For each frame.
    Always,
    /// A byte that is not 0.
    Flag(u64),
    /// Before the frame of the function there is one of C, with this owner.
    Owner(u64, u64),
}

/// Whether the loop was entered for a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entered {
    /// The frame before it in the loop has called it.
    No,
    /// It was.
    Yes,
    /// It was for the frame before it. This one is of C, and has no code of Python.
    Before,
}

impl Layout {
    /// The layout of Python 3.`minor`, if it is known.
    pub(super) fn of(minor: u8) -> Option<Layout> {
        [V9, V10, V11, V12, V13, V14].into_iter().find(|layout| layout.minor == minor)
    }

    /// Whether the loop was entered for a frame. None: that cannot be read.
    pub(super) fn entered(&self, objects: &Objects<'_>, frame: u64) -> Option<Entered> {
        let byte = |offset| objects.unsigned(frame.wrapping_add(offset), 1);
        Some(match self.entry {
            Entry::Always => Entered::Yes,
            Entry::Flag(offset) if byte(offset)? != 0 => Entered::Yes,
            Entry::Owner(offset, owner) if byte(offset)? == owner => Entered::Before,
            Entry::Flag(_) | Entry::Owner(..) => Entered::No,
        })
    }
}

const V9: Layout = Layout {
    minor: 9,
    interpreters: 32,
    next_interpreter: 0,
    threads: 8,
    next_thread: 8,
    thread_id: 176,
    native_thread_id: None,
    current: 24,
    current_in_c_frame: None,
    code: 32,
    tags: 0,
    previous: 24,
    at: 104,
    entry: Entry::Always,
    first_line: 40,
    file: 104,
    name: 112,
    lines: 120,
    instructions: None,
    ascii: 48,
    characters: 72,
};

const V10: Layout = Layout { minor: 10, at: 96, ..V9 };

const V11: Layout = Layout {
    minor: 11,
    interpreters: 40,
    next_interpreter: 0,
    threads: 16,
    next_thread: 8,
    thread_id: 152,
    native_thread_id: Some(160),
    current: 56,
    current_in_c_frame: Some(8),
    code: 32,
    tags: 0,
    previous: 48,
    at: 56,
    entry: Entry::Flag(68),
    first_line: 72,
    file: 112,
    name: 128,
    lines: 136,
    instructions: Some(184),
    ascii: 48,
    characters: 72,
};

const V12: Layout = Layout {
    minor: 12,
    interpreters: 40,
    next_interpreter: 0,
    threads: 72,
    next_thread: 8,
    thread_id: 136,
    native_thread_id: Some(144),
    current: 56,
    current_in_c_frame: Some(0),
    code: 0,
    tags: 0,
    previous: 8,
    at: 56,
    entry: Entry::Owner(70, 3),
    first_line: 68,
    file: 112,
    name: 128,
    lines: 136,
    instructions: Some(192),
    ascii: 40,
    characters: 56,
};

const V13: Layout = Layout {
    minor: 13,
    interpreters: 632,
    next_interpreter: 7264,
    threads: 7344,
    thread_id: 152,
    native_thread_id: Some(160),
    current: 72,
    current_in_c_frame: None,
    instructions: Some(200),
    ..V12
};

/// Its own runtime says these, too (`_Py_DebugOffsets`).
const V14: Layout = Layout {
    minor: 14,
    interpreters: 808,
    next_interpreter: 7272,
    tags: 3,
    entry: Entry::Owner(74, 3),
    instructions: Some(208),
    ..V13
};
