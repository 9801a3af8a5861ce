//! Which entry function of a library a process is in.
//!
//! A function that ends in a call of another one may tail-call it. Then it has no frame. The target
//! of the call instruction before the return address shows that it was called. `docs/json.md` has
//! the rules by which an entry function counts.

use std::ops::Range;

use object::{Object, ObjectSymbol};
use serde::{Deserialize, Serialize};

use super::super::Target;
use super::machine::Machine;
use super::{StackFrame, Stacks, ThreadStack};

/// The name of the entry function that a symbol of a library stands for. `None` if the symbol is
/// something else.
pub type EntryFunction = fn(&str) -> Option<&str>;

/// How one sees that an entry function of a library waits.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'p> {
    /// A call is in one of these while it waits.
    pub waits: Marks<'p>,
    /// A call is in one of these while it looks for messages. What it waits for may be complete.
    pub looks: Marks<'p>,
    /// Entry functions that also wait while they are in a loop of the library. Only a change of
    /// memory ends such a loop.
    pub loops_in: fn(&str) -> bool,
    /// Entry functions in which the `calls` of the marks count.
    pub looks_in: fn(&str) -> bool,
}

/// Functions by which one sees what a call does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks<'p> {
    /// Functions that the call is in, or has called. One of the C library counts where the library
    /// itself has called it.
    pub functions: &'p [&'p str],
    /// The same, each with the beginning of the name of a library: while code of that library runs
    /// within the function, it does not count.
    pub apart: &'p [(&'p str, &'p str)],
    /// Functions, each with the beginning of the name of a library that has called it.
    pub calls: &'p [(&'p str, &'p str)],
}

/// Where the code of marks is.
struct Marked<'p> {
    /// The functions, and whether each belongs to the C library.
    functions: Vec<(bool, Range<u64>)>,
    apart: Vec<(&'p str, Range<u64>)>,
    /// Where those that do not belong to it begin.
    own: Vec<u64>,
    calls: Vec<(&'p str, Range<u64>)>,
}

/// What the call stacks of a process tell about its calls into a library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Calls {
    /// It is in this entry function.
    Function(String),
    /// It is in this entry function, and there in a progress function of the library. The same
    /// holds for each thread that is in an entry function.
    Progress(String),
    /// It is in this entry function, and there it looks for messages, waits for a change of memory,
    /// or both in turn. The same holds for each thread that is in an entry function. What it waits
    /// for may be complete.
    Looks(String),
    /// It is in no entry function of the library.
    Nothing,
    /// Not known: a stack could not be unwound.
    NotKnown,
}

impl Calls {
    /// The entry function that it is in, if it is in one.
    pub fn function(&self) -> Option<&str> {
        match self {
            Calls::Function(function) | Calls::Progress(function) | Calls::Looks(function) => {
                Some(function)
            }
            Calls::Nothing | Calls::NotKnown => None,
        }
    }
}

/// What the call stack of a thread tells about its calls into a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InLibrary {
    /// It is in this entry function, whose frame has this index.
    Entry {
        /// The entry function.
        function: String,
        /// The index of its frame in the stack.
        frame: usize,
    },
    /// It is in no entry function of the library.
    Nothing,
    /// Not known: the stack could not be unwound to its end, or a frame is elsewhere in the
    /// library.
    NotKnown,
}

impl Target {
    /// The entry function of a library that the process is in, by the call stacks of its threads.
    /// `library` is the library's index among the images, `entry` tells its entry functions by
    /// their symbols, and `progress` tells how it waits.
    pub fn calls(&self, library: usize, entry: EntryFunction, progress: Progress<'_>) -> Calls {
        let calls = match self.recording() {
            Some(recording) => recording.calls.clone().unwrap_or(Calls::NotKnown),
            // The answer is worth recording, the stacks are not.
            None => self.unrecorded(|| self.calls_now(library, entry, progress)),
        };
        self.note(|recording| recording.calls = Some(calls.clone()));
        calls
    }

    /// Do the call stacks show that no thread but the first is in this function? It has a frame of
    /// its own for as long as it runs.
    pub fn has_no_others_in(&self, function: &str) -> bool {
        let none = match self.recording() {
            Some(recording) => recording.no_others == Some(true),
            None => self.unrecorded(|| {
                let code = self.code_of(function);
                let stacks = self.stacks();
                let is_outside = |thread: &ThreadStack, code: &Range<u64>| {
                    thread.complete
                        && !thread.frames.iter().any(|frame| code.contains(&frame.place()))
                };
                let others = stacks.threads().get(1..);
                code.zip(others).is_some_and(|(code, others)| {
                    others.iter().all(|thread| is_outside(thread, &code))
                })
            }),
        };
        self.note(|recording| recording.no_others = Some(none));
        none
    }

    /// Where the code of a function of a library begins. `library` is as in [`Target::calls`].
    pub fn beginning_of(&self, library: usize, function: &str) -> Option<u64> {
        let image = self.images.get(library)?;
        Some(image.place_symbol(image.find_symbol(function, true)?, library).address)
    }

    fn calls_now(&self, library: usize, entry: EntryFunction, progress: Progress<'_>) -> Calls {
        let stacks = self.stacks();
        let (waits, looks) = (self.marked(progress.waits), self.marked(progress.looks));
        let mut calls = if stacks.threads().is_empty() { Calls::NotKnown } else { Calls::Nothing };
        let mut first: Option<(String, Shown)> = None;
        for thread in stacks.threads() {
            match stacks.in_library(thread, library, entry) {
                InLibrary::Nothing => {}
                InLibrary::NotKnown => calls = Calls::NotKnown,
                InLibrary::Entry { function, frame } => {
                    let is_in = |marked| {
                        self.is_in(marked, thread, (library, frame), (progress.looks_in)(&function))
                    };
                    let loops =
                        || (progress.loops_in)(&function) && self.loops(thread, library, frame);
                    let shown = if is_in(&waits) || loops() {
                        Shown::Waits
                    } else if is_in(&looks) {
                        Shown::Looks
                    } else {
                        Shown::Nothing
                    };
                    let least = &mut first.get_or_insert((function, shown)).1;
                    *least = shown.min(*least);
                }
            }
        }
        match first {
            Some((function, Shown::Waits)) => Calls::Progress(function),
            Some((function, Shown::Looks)) => Calls::Looks(function),
            Some((function, Shown::Nothing)) => Calls::Function(function),
            None => calls,
        }
    }

    fn marked<'p>(&self, marks: Marks<'p>) -> Marked<'p> {
        let code = marks.functions.iter().filter_map(|name| self.code_of(name));
        let functions: Vec<_> = code.map(|code| (self.is_of_c_library(code.start), code)).collect();
        let apart = marks.apart.iter();
        let apart: Vec<_> =
            apart.filter_map(|(name, library)| Some((*library, self.code_of(name)?))).collect();
        let own = functions.iter().filter(|(shared, _)| !shared).map(|(_, code)| code.start);
        let own = own.chain(apart.iter().map(|(_, code)| code.start)).collect();
        let calls = marks.calls.iter();
        let calls = calls
            .flat_map(|(library, name)| self.all_code_of(name).map(|code| (*library, code)))
            .collect();
        Marked { functions, apart, own, calls }
    }

    /// Is a thread in one of the marks? `(library, entry)`: the library, and the frame of its entry
    /// function. `calls`: do the calls of the marks count?
    fn is_in(
        &self,
        marked: &Marked<'_>,
        thread: &ThreadStack,
        (library, entry): (usize, usize),
        calls: bool,
    ) -> bool {
        let mut frames = thread.frames[..=entry].iter();
        let is_marked = |frame: &StackFrame| {
            marked.functions.iter().any(|(shared, code)| match shared {
                false => self.progresses(frame, code),
                true => self.has_called(frame, code) && frame.image == Some(library),
            }) || calls
                && marked
                    .calls
                    .iter()
                    .any(|(name, code)| self.has_called(frame, code) && self.is_of(frame, name))
        };
        let enters = || !marked.own.is_empty() && self.enters(thread, &marked.own).is_some();
        let is_apart = || {
            let frames = &thread.frames[..=entry];
            marked.apart.iter().any(|(name, code)| self.progresses_apart(frames, code, name))
        };
        frames.any(is_marked) || is_apart() || enters()
    }

    /// Whether a frame is in the progress function or has called it. The progress function may have
    /// made a tail call: then it has no frame of its own.
    fn progresses(&self, frame: &StackFrame, code: &Range<u64>) -> bool {
        code.contains(&frame.place()) || self.has_called(frame, code)
    }

    /// The same for one of the frames, if no code of a library runs within the function.
    fn progresses_apart(&self, frames: &[StackFrame], code: &Range<u64>, library: &str) -> bool {
        let Some(index) = frames.iter().rposition(|frame| self.progresses(frame, code)) else {
            return false;
        };
        let mut within = frames[..index].iter().filter(|frame| !code.contains(&frame.place()));
        !within.any(|frame| self.is_of(frame, library))
    }

    /// Whether a frame has called the function.
    fn has_called(&self, frame: &StackFrame, code: &Range<u64>) -> bool {
        self.called_by(frame) == Some(code.start)
    }

    /// The function that a frame has called, as its code says.
    pub(super) fn called_by(&self, frame: &StackFrame) -> Option<u64> {
        let machine = Machine::of(&self.arch).filter(|_| !frame.exact)?;
        machine.callee(self, frame.address)
    }

    /// The image with the code or data at this address.
    pub fn image_of(&self, address: u64) -> Option<usize> {
        self.images.iter().position(|image| image.contains(address))
    }

    /// Is a frame in a library whose name begins like this?
    fn is_of(&self, frame: &StackFrame, name: &str) -> bool {
        let image = frame.image.and_then(|image| self.images.get(image));
        let file = image.and_then(|image| image.path.file_name()).unwrap_or_default();
        file.as_encoded_bytes().starts_with(name.as_bytes())
    }

    /// Is the function at this address one of the C library, which everybody may call?
    pub(super) fn is_of_c_library(&self, address: u64) -> bool {
        self.image_of(address).is_some_and(|image| self.images[image].is_of_c_library())
    }

    /// Where the code of a function is.
    pub(super) fn code_of(&self, name: &str) -> Option<Range<u64>> {
        self.all_code_of(name).next()
    }

    /// Where the code of all functions with this name is. The C library and the kernel may both
    /// have one.
    fn all_code_of(&self, name: &str) -> impl Iterator<Item = Range<u64>> {
        self.images.iter().filter_map(move |image| {
            let file = image.file.as_deref()?.sections()?;
            let symbol = file.dynamic_symbols().chain(file.symbols()).find(|symbol| {
                symbol.is_definition()
                    && symbol.kind() == object::SymbolKind::Text
                    && symbol.name() == Ok(name)
            })?;
            let start = image.bias.wrapping_add(symbol.address());
            Some(start..start.wrapping_add(symbol.size()))
        })
    }
}

impl Stacks {
    /// The entry function of a library that a thread is in: that of its outermost such frame. If
    /// the library has called a function of the program, only what that function has called counts.
    /// `library` and `entry` are as in [`Target::calls`].
    pub fn in_library(
        &self,
        thread: &ThreadStack,
        library: usize,
        entry: EntryFunction,
    ) -> InLibrary {
        let mut certain = thread.complete;
        let mut found = None;
        // A frame of the executable, of which the library is no part, was passed.
        let mut of_program = false;
        for (index, frame) in thread.frames.iter().enumerate() {
            // Code that a signal has interrupted has not called the program.
            of_program &= !frame.exact;
            match self.function(frame, library, entry) {
                // The library has called the program. This frame does not tell what the program
                // does now.
                Function::Entry(_) if of_program => return found.unwrap_or(InLibrary::NotKnown),
                Function::Entry(function) => {
                    found = Some(InLibrary::Entry { function, frame: index });
                }
                Function::Other => of_program |= library != 0 && frame.image == Some(0),
                Function::OfTheLibrary => certain = false,
            }
        }
        match found {
            Some(entry) => entry,
            None if certain => InLibrary::Nothing,
            None => InLibrary::NotKnown,
        }
    }

    fn function(&self, frame: &StackFrame, library: usize, entry: EntryFunction) -> Function {
        let Some(image) = self.images.get(library) else { return Function::OfTheLibrary };
        let Some(elf) = image.file.as_deref() else { return Function::OfTheLibrary };
        let address = frame.place().wrapping_sub(image.bias);
        if !elf.contains(address) {
            return Function::Other;
        }
        // An executable that the library is linked into has other functions, too.
        let is_executable = library == 0;
        match elf.function_at(address, |name| entry(name).is_some()) {
            Some(symbol) => match entry(&symbol.name) {
                Some(name) => Function::Entry(name.to_owned()),
                None if is_executable => Function::Other,
                None => Function::OfTheLibrary,
            },
            None => Function::OfTheLibrary,
        }
    }
}

/// What the call stack of a thread shows of its call: the more, the greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    Nothing,
    Looks,
    Waits,
}

/// What function a frame is in.
enum Function {
    /// This entry function.
    Entry(String),
    /// One outside the library.
    Other,
    /// Something else of the library: perhaps a part of an entry function that has no symbol.
    OfTheLibrary,
}
