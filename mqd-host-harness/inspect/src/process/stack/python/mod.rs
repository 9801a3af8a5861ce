//! Frames of Python: what CPython's evaluation loop was executing.
//!
//! ```text
//!   native frames of a thread          frames of Python, of the thread's state
//!   ┌─────────────────────────┐
//!   │ PMPI_Recv               │
//!   │ MPI.cpython-311.so      │        ┌──────────────────────────┐
//!   │ _PyEval_EvalFrameDefault│ <────> │ exchange (halo.py:87)    │
//!   │                         │        │ step (halo.py:40)        │ one group: the loop
//!   ├─────────────────────────┤        ├──────────────────────────┤ calls itself only
//!   │ _PyEval_EvalFrameDefault│ <────> │ <module> (halo.py:120)   │ through C
//!   └─────────────────────────┘        └──────────────────────────┘
//! ```
//!
//! The offsets of fields differ from release to release (`layout`). Each object that is read must
//! have the expected type, and there must be as many groups as native frames of the loop. Otherwise
//! no frames of Python are reported: an unknown layout is noticed, and nothing is guessed.

mod layout;
mod lines;
mod objects;
mod parts;

use std::ops::Range;

use self::layout::{Entered, Layout};
use self::objects::{Objects, Types};
use super::StackFrame;
use super::machine::Machine;
use crate::arch::Arch;
use crate::image::Image;
use crate::process::Target;

/// The function that executes Python.
const LOOP: &str = "_PyEval_EvalFrameDefault";
/// The most frames. Python's own limit is lower, unless a program has raised it.
const MAX_FRAMES: usize = 10_000;
/// The most threads or interpreters. Real processes have fewer.
const MAX_STATES: usize = 10_000;

/// A frame of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptFrame {
    /// The function, with its class from Python 3.11 on; `<module>` outside functions.
    pub function: String,
    /// The file, as Python has it.
    pub file: String,
    /// The line that runs, or that has called the frame before this one.
    pub line: Option<u32>,
}

/// What a native frame of an interpreter executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The index of the native frame in [`ThreadStack::frames`](super::ThreadStack::frames).
    pub native: usize,
    /// The frames of the script, the innermost first.
    pub frames: Vec<ScriptFrame>,
}

/// CPython in a process.
pub(super) struct Python<'t> {
    objects: Objects<'t>,
    arch: Arch,
    /// The index of its image.
    image: usize,
    /// The addresses of the loop's code: the function and its other parts.
    evaluates: Vec<Range<u64>>,
    /// Its state.
    runtime: u64,
}

impl<'t> Python<'t> {
    /// The CPython of a process, if it has one of a known release. `function_at` gives the
    /// addresses of the function at an address of an image.
    pub(super) fn find(
        target: &'t Target,
        mut function_at: impl FnMut(usize, u64) -> Option<Range<u64>>,
    ) -> Option<Python<'t>> {
        let (index, image) = target.images.iter().enumerate().find(|(_, image)| {
            let name = file_name(image);
            (name.starts_with("python") || name.starts_with("libpython"))
                && image.find_symbol("_PyRuntime", false).is_some()
        })?;
        let symbol = |name: &str, function: bool| {
            Some(image.place_symbol(image.find_symbol(name, function)?, index))
        };
        let evaluates = symbol(LOOP, true)?;
        let whole = evaluates.address..evaluates.address.saturating_add(evaluates.size);
        let evaluates = parts::of(image, whole, |place| function_at(index, place));
        let layout = Layout::of(minor_version(target, image, symbol("Py_Version", false))?)?;
        Some(Python {
            objects: Objects::new(
                target,
                layout,
                Types {
                    code: symbol("PyCode_Type", false)?.address,
                    bytes: symbol("PyBytes_Type", false)?.address,
                    text: symbol("PyUnicode_Type", false)?.address,
                },
            ),
            arch: target.arch.clone(),
            image: index,
            evaluates,
            runtime: symbol("_PyRuntime", false)?.address,
        })
    }

    /// Were frames not read because the limit on what is read was reached?
    pub(super) fn is_exhausted(&self) -> bool {
        self.objects.is_exhausted()
    }

    /// What the native frames of a thread execute. Empty if that is not known.
    pub(super) fn scripts(
        &self,
        machine: Machine,
        thread: &super::ThreadState,
        frames: &[StackFrame],
        complete: bool,
    ) -> Vec<Script> {
        let loops = frames.iter().enumerate().filter(|(_, frame)| {
            frame.image == Some(self.image)
                && self.evaluates.iter().any(|part| part.contains(&frame.place()))
        });
        let loops: Vec<usize> = loops.map(|(index, _)| index).collect();
        if loops.is_empty() {
            return Vec::new();
        }
        let arch = &self.arch;
        let groups = self.state_of(machine, arch, thread).and_then(|state| self.groups(state));
        let groups = groups.unwrap_or_default();
        // A stack that was not unwound to its end lacks its outermost frames.
        let fits = match complete {
            true => groups.len() == loops.len(),
            false => groups.len() >= loops.len(),
        };
        if !fits {
            return Vec::new();
        }
        loops.into_iter().zip(groups).map(|(native, frames)| Script { native, frames }).collect()
    }

    /// Python's state of a thread.
    fn state_of(&self, machine: Machine, arch: &Arch, thread: &super::ThreadState) -> Option<u64> {
        let layout = &self.objects.layout;
        let registers = thread.registers.as_deref()?;
        // What `pthread_self` returns is the same in every namespace; the kernel's number is not.
        let (field, wanted) = match machine.thread_pointer(arch, registers) {
            Some(pointer) => (layout.thread_id, pointer),
            None => (layout.native_thread_id?, u64::from(thread.id)),
        };
        let mut interpreter = self.objects.pointer(self.runtime, layout.interpreters)?;
        let mut budget = MAX_STATES;
        while interpreter != 0 {
            let mut state = self.objects.pointer(interpreter, layout.threads)?;
            while state != 0 {
                budget = budget.checked_sub(1)?;
                if self.objects.pointer(state, field)? == wanted {
                    return Some(state);
                }
                state = self.objects.pointer(state, layout.next_thread)?;
            }
            budget = budget.checked_sub(1)?;
            interpreter = self.objects.pointer(interpreter, layout.next_interpreter)?;
        }
        None
    }

    /// The frames of a thread, in groups: one for each time that the loop was entered.
    fn groups(&self, state: u64) -> Option<Vec<Vec<ScriptFrame>>> {
        let layout = &self.objects.layout;
        let (mut groups, mut group) = (Vec::new(), Vec::new());
        let mut frame = self.objects.pointer(state, layout.current)?;
        if let Some(inner) = layout.current_in_c_frame {
            frame = self.objects.pointer(frame, inner)?;
        }
        for _ in 0..MAX_FRAMES {
            if frame == 0 {
                return group.is_empty().then_some(groups);
            }
            let entered = layout.entered(&self.objects, frame)?;
            if entered != Entered::Before {
                group.push(self.objects.frame(frame)?);
            }
            if entered != Entered::No {
                groups.push(std::mem::take(&mut group));
            }
            frame = self.objects.pointer(frame, layout.previous)?;
        }
        None
    }
}

/// The `11` of Python 3.11: what the library says, or its name.
fn minor_version(
    target: &Target,
    image: &Image,
    version: Option<crate::image::Symbol>,
) -> Option<u8> {
    match version {
        Some(symbol) => {
            let version = target.read_unsigned(symbol.address, 8).ok()?;
            (version >> 24 == 3).then_some((version >> 16) as u8)
        }
        None => {
            let name = file_name(image);
            let digits = name.split_once("python3.")?.1;
            digits.split(|digit: char| !digit.is_ascii_digit()).next()?.parse().ok()
        }
    }
}

fn file_name(image: &Image) -> String {
    image.path().file_name().unwrap_or_default().to_string_lossy().into_owned()
}
