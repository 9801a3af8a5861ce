//! Call stacks: of all threads of a process, and which entry function of a library it is in.
//!
//! A stack is walked from the innermost frame outwards. The registers of a frame give its caller's:
//!
//! ```text
//!  higher addresses
//!  +--------------------------+
//!  | frame of main            |
//!  +--------------------------+
//!  | frame of MPI_Recv        |  <- the entry function that is looked for
//!  +--------------------------+  <- canonical frame address (CFA) of the progress function: what
//!  | return address           |     the stack pointer was in MPI_Recv before the call. It is a
//!  | saved registers          |     register of this frame plus an offset.
//!  | frame of progress        |
//!  +--------------------------+  <- stack pointer: this frame is the innermost one
//!  lower addresses
//! ```
//!
//! 1. The thread's registers are those of the innermost frame. The program counter tells its
//!    function.
//! 2. The unwind table for that address (`.eh_frame`) has a rule for the CFA and one for each
//!    register that the function has saved, as an offset from the CFA.
//! 3. The return address tells the caller's function. It is the address *after* the call, so the
//!    function is looked up one byte before it. Only the innermost frame, and one that a signal has
//!    interrupted, are at the beginning of an instruction.
//! 4. The caller's stack pointer is the CFA. Back to step 2, until a table says that there is no
//!    caller.
//!
//! `.eh_frame` is the only source. Where it has nothing for an address, or memory is missing, the
//! walk stops, and nothing is concluded from the part that is missing.
//!
//! The modules: `machine` (registers), `unwind` (one step), `calls` (entry functions of a library),
//! `loops`, `follow` and `execute` (the word of memory for which a loop waits), `program` (what the
//! program keeps on its stack), `python` (frames of Python).

mod calls;
mod execute;
mod follow;
mod loops;
mod machine;
mod program;
mod python;
mod unwind;

use std::sync::Arc;

pub use self::calls::{Calls, EntryFunction, InLibrary, Marks, Progress};
pub use self::loops::Waiting;
use self::machine::Machine;
use self::python::Python;
pub use self::python::{Script, ScriptFrame};
use self::unwind::Unwinder;
use super::Target;
use crate::image::{Image, Source};

/// The most frames of a stack. Only a damaged one has more.
const MAX_FRAMES: usize = 10_000;
/// The innermost frames of a stack of which it is noted what they have called.
const MAX_NOTED_CALLS: usize = 64;
/// The most frames of all threads of a process. Only a damaged process has more.
const MAX_FRAMES_OF_PROCESS: usize = 200_000;

/// A thread of the target, stopped or as its core file has it.
#[derive(Clone, Debug)]
pub(super) struct ThreadState {
    pub(super) id: u32,
    /// Its general registers as the kernel lays them out; `None` if they could not be had.
    pub(super) registers: Option<Vec<u8>>,
}

/// The call stacks of a process. They outlive the access to its memory.
#[derive(Clone, Debug)]
pub struct Stacks {
    images: Arc<[Image]>,
    threads: Arc<[ThreadStack]>,
}

/// The call stack of a thread.
#[derive(Clone, Debug)]
pub struct ThreadStack {
    /// The thread's id in the kernel.
    pub id: u32,
    /// The innermost frame first.
    pub frames: Vec<StackFrame>,
    /// Was it unwound to its outermost frame?
    pub complete: bool,
    /// Does it wait, without a limit of time, for another thread of the process? It waits in the
    /// kernel for a lock or condition of its process alone, or for a thread to end, and what it
    /// waits for has not happened yet. False if that is not known.
    pub parked: bool,
    /// What frames of an interpreter (CPython 3.9 to 3.14) execute, the innermost first. Empty if
    /// there are none, or if it is not known.
    pub scripts: Vec<Script>,
    /// Frames of the interpreter were not read, because it has too many bytes of code on its
    /// stacks.
    pub too_much_script: bool,
}

/// A frame of a call stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackFrame {
    /// The address of the code that runs, or will when the callee has returned.
    pub address: u64,
    /// It runs, or a signal has interrupted it: the address is not one after a call.
    pub exact: bool,
    /// The index of its image in [`Target::images`]; `None` if the code is in none.
    pub image: Option<usize>,
    /// Only of the innermost frames: the address that the call instruction names, which may be an
    /// entry of the procedure linkage table. If the function there ended with a jump to another
    /// one, only this tells that it was called. `None`: the call was by a pointer, or that is not
    /// known.
    pub called: Option<u64>,
}

impl StackFrame {
    /// An address in the code of the function. The address after a call may be in the next
    /// function.
    fn place(&self) -> u64 {
        self.address.wrapping_sub(u64::from(!self.exact))
    }
}

impl Stacks {
    /// The threads: the main thread first, the others by their ids.
    pub fn threads(&self) -> &[ThreadStack] {
        &self.threads
    }

    /// The image of a frame.
    pub fn image(&self, frame: &StackFrame) -> Option<&Image> {
        self.images.get(frame.image?)
    }

    /// Where a frame is in the source: inlined functions first, the function that has the code
    /// last. Never empty.
    pub fn source(&self, frame: &StackFrame) -> Vec<Source> {
        match self.image(frame) {
            Some(image) => image.source_of(frame.address, frame.exact),
            None => vec![Source::default()],
        }
    }

    /// The function of a frame by the symbols alone, without inlined functions and lines.
    pub fn symbol(&self, frame: &StackFrame) -> Source {
        let image = self.image(frame);
        image.map_or_else(Source::default, |image| image.symbol_of(frame.address, frame.exact))
    }
}

impl Target {
    /// The call stacks of all threads. There are none for a recorded process, and none for a
    /// machine whose stacks cannot be unwound.
    pub fn stacks(&self) -> Stacks {
        let threads = self.stacks.get_or_init(|| self.unrecorded(|| self.unwind()).into());
        Stacks { images: Arc::clone(&self.images), threads: Arc::clone(threads) }
    }

    fn unwind(&self) -> Vec<ThreadStack> {
        let Some(machine) = Machine::of(&self.arch) else { return Vec::new() };
        let vdso = unwind::vdso(self);
        let mut unwinder = Unwinder::new(self, machine, vdso.as_ref());
        let mut threads: Vec<_> = self.threads.iter().collect();
        threads.sort_unstable_by_key(|thread| (Some(thread.id) != self.pid, thread.id));
        let mut room = MAX_FRAMES_OF_PROCESS;
        let python = Python::find(self, |image, place| unwinder.function_at(image, place));
        let stack = |thread: &ThreadState| {
            let registers = thread.registers.as_deref();
            let innermost = registers.and_then(|bytes| machine.frame(&self.arch, bytes));
            let (mut frames, complete) = match innermost {
                Some(innermost) => unwinder.walk(innermost, MAX_FRAMES.min(room)),
                None => (Vec::new(), false),
            };
            room -= frames.len();
            self.note_calls(&mut frames);
            let scripts = python
                .as_ref()
                .map(|python| python.scripts(machine, thread, &frames, complete))
                .unwrap_or_default();
            let parked = self.is_parked(thread);
            let too_much_script =
                scripts.is_empty() && python.as_ref().is_some_and(Python::is_exhausted);
            ThreadStack { id: thread.id, frames, complete, parked, scripts, too_much_script }
        };
        threads.into_iter().map(stack).collect()
    }

    /// Notes what the innermost frames outside the C library have called. MPI libraries are no
    /// deeper than these.
    fn note_calls(&self, frames: &mut [StackFrame]) {
        let is_of_c_library = |frame: &StackFrame| {
            let image = frame.image.and_then(|image| self.images.get(image));
            image.is_some_and(Image::is_of_c_library)
        };
        for caller in frames.iter_mut().take(MAX_NOTED_CALLS).skip(1) {
            if !is_of_c_library(caller) {
                caller.called = self.called_by(caller);
            }
        }
    }

    /// Does a thread wait for another one of the process, and for nothing else? A system call that
    /// was interrupted starts again. If the futex has another value by then, the thread goes on.
    fn is_parked(&self, thread: &ThreadState) -> bool {
        let futex = || {
            let machine = Machine::of(&self.arch)?;
            machine.futex(&self.arch, thread.registers.as_deref()?)
        };
        let Some(futex) = futex() else { return false };
        let mut bytes = [0; 4];
        if self.read(futex.address, &mut bytes).is_err() {
            return false;
        }
        let value = u32::from_le_bytes(bytes);
        if futex.expected.is_some_and(|expected| expected != value) {
            return false;
        }
        // The kernel clears the id of a thread when it ends, and wakes those that join it. Futexes
        // that processes share hold such an id only if that thread has the lock.
        let id = value & 0x3fff_ffff;
        futex.private || id != thread.id && self.threads.iter().any(|other| other.id == id)
    }
}
