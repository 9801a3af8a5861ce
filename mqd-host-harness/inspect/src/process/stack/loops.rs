//! The loop in which a thread waits, and the word of memory that it waits for.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::super::Target;
use super::calls::EntryFunction;
use super::execute::{Cpu, Place};
use super::follow::{self, Entered, Return};
use super::machine::{Frame, Machine};
use super::unwind::{self, Unwinder};
use super::{InLibrary, StackFrame, Stacks, ThreadStack};
use crate::image::Image;

/// What the call stacks of a process tell about the loop in which it waits in a library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The entry function that it is in; `None` if it is in none, or that is not known.
    pub function: Option<String>,
    /// It does not leave the loop as long as the word at this address has the value that it has
    /// now. `None` if that is not known.
    pub word: Option<u64>,
    /// In the loop it does no more than look for what has come. False if it may be about to do
    /// something that this look has found.
    pub at_rest: bool,
    /// It is taking in something that has come: what it has just found may not be noted yet.
    pub takes_in: bool,
}

/// What a thread does in the function that a loop calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// It looks for what has come.
    Rests,
    /// It may do more.
    Works,
    /// It takes in what has come.
    TakesIn,
}

/// The function in the loop: where its code is, and in which image.
struct Around {
    code: Range<u64>,
    image: Option<usize>,
}

impl Target {
    /// The loop in which a process waits in a library. `library` and `entry` are as in
    /// [`Target::calls`]. `around` names the function that such loops call, and `is_quiet` the
    /// images, besides that function's own, whose code only looks for what has come.
    pub fn waiting(
        &self,
        library: usize,
        entry: EntryFunction,
        around: &str,
        is_quiet: impl Fn(&Image) -> bool,
    ) -> Waiting {
        let waiting = match self.recording() {
            Some(recording) => recording.waiting.clone().unwrap_or(Waiting::NOT_KNOWN),
            None => self.unrecorded(|| self.waiting_now(library, entry, around, is_quiet)),
        };
        self.note(|recording| recording.waiting = Some(waiting.clone()));
        waiting
    }

    fn waiting_now(
        &self,
        library: usize,
        entry: EntryFunction,
        around: &str,
        is_quiet: impl Fn(&Image) -> bool,
    ) -> Waiting {
        let stacks = self.stacks();
        let Some(code) = self.code_of(around).filter(|_| self.tells_callees()) else {
            return Waiting::NOT_KNOWN;
        };
        let image = self.images.iter().position(|image| image.contains(code.start));
        let around = Around { code, image };
        let mut waiting = Waiting { at_rest: !stacks.threads().is_empty(), ..Waiting::NOT_KNOWN };
        for thread in stacks.threads() {
            match stacks.in_library(thread, library, entry) {
                InLibrary::Nothing => {}
                InLibrary::NotKnown => waiting.at_rest = false,
                InLibrary::Entry { function, frame } => {
                    let call = self.call_of(&thread.frames, &around);
                    let inside = self.inside(&stacks, &thread.frames, call, &around, &is_quiet);
                    let is_idle = inside != Inside::Rests
                        && call.is_some_and(|call| self.comes_back(thread, call, &around));
                    let inside = if is_idle { Inside::Rests } else { inside };
                    waiting.at_rest &= inside == Inside::Rests;
                    waiting.takes_in |= inside == Inside::TakesIn;
                    if waiting.function.is_none() {
                        waiting.function = Some(function);
                        let is_at_rest = inside == Inside::Rests;
                        waiting.word = match call {
                            Some(call) if is_at_rest && call <= frame => {
                                self.awaited_word(thread, call)
                            }
                            None if is_at_rest => self.word_of_next_call(thread, &around),
                            _ => None,
                        };
                    }
                }
            }
        }
        waiting
    }

    /// Are the functions that frames have called known?
    fn tells_callees(&self) -> bool {
        Machine::of(&self.arch) == Some(Machine::X86_64)
    }

    /// The outermost frame that has called the function. What it has called may loop, too.
    fn call_of(&self, frames: &[StackFrame], around: &Around) -> Option<usize> {
        let machine = Machine::of(&self.arch)?;
        frames.iter().rposition(|frame| {
            !frame.exact && machine.callee(self, frame.address) == Some(around.code.start)
        })
    }

    /// What the frames do that the loop has called. `call` is the index of the frame with the loop.
    ///
    /// The function calls others that look for what has come. If one of these is not quiet, it may
    /// have found something to do. It does this in functions of its own, so it has not begun as
    /// long as there is no such frame. A quiet one that has found something hands it to others.
    fn inside(
        &self,
        stacks: &Stacks,
        frames: &[StackFrame],
        call: Option<usize>,
        around: &Around,
        is_quiet: impl Fn(&Image) -> bool,
    ) -> Inside {
        let is_around = |frame: &StackFrame| around.code.contains(&frame.place());
        let Some(call) = call else {
            // The function may have been entered by a tail call.
            return if frames.iter().any(is_around) { Inside::Works } else { Inside::Rests };
        };
        let is_quiet = |(index, frame): (usize, &StackFrame)| match stacks.image(frame) {
            Some(image) => frame.image == around.image || is_quiet(image),
            // Code of the kernel's own has no image, and calls nothing.
            None => index == 0,
        };
        let mut inside = frames[..call].iter().enumerate().rev().peekable();
        inside.next_if(|(_, frame)| is_around(frame));
        let first_is_quiet = inside.next().is_none_or(is_quiet);
        match (inside.all(is_quiet), first_is_quiet) {
            (true, _) => Inside::Rests,
            (false, false) => Inside::Works,
            (false, true) => Inside::TakesIn,
        }
    }

    /// Does the thread come back to the function that the loop has called, without doing anything
    /// else before? It may write to its stack, to the library's own variables, and to locks. `call`
    /// is the index of the frame with the loop.
    fn comes_back(&self, thread: &ThreadStack, call: usize, around: &Around) -> bool {
        let back = || {
            let machine = Machine::of(&self.arch)?;
            let index = call.checked_sub(1)?;
            let frame = thread.frames.get(index).filter(|frame| !frame.exact)?;
            around.code.contains(&frame.place()).then_some(())?;
            let caller = self.frame_of(machine, thread.id, index)?;
            let stack_pointer = caller.registers[machine.stack_pointer()]?;
            let cpu = self.cpu_of(machine, thread.id)?;
            let read = |address: u64, into: &mut [u8]| self.read(address, into).is_ok();
            let is_lock = |place: Place| {
                self.is_of_c_library(place.code) && self.image_of(place.address).is_some()
            };
            let wanted = Return { address: frame.address, stack_pointer };
            Some(follow::returns(&read, &is_lock, cpu, wanted))
        };
        back() == Some(true)
    }

    /// The function that a thread is about to enter, if it begins at one of these addresses and the
    /// thread does nothing before.
    pub(super) fn enters(&self, thread: &ThreadStack, functions: &[u64]) -> Option<Entered> {
        let cpu = self.cpu_of(Machine::of(&self.arch)?, thread.id)?;
        let read = |address: u64, into: &mut [u8]| self.read(address, into).is_ok();
        follow::enters(&read, cpu, functions)
    }

    /// The word that a loop waits for. The next step of the loop is to call the function.
    fn word_of_next_call(&self, thread: &ThreadStack, around: &Around) -> Option<u64> {
        let machine = Machine::of(&self.arch)?;
        let Entered { registers, after } = self.enters(thread, &[around.code.start])?;
        let read = |address: u64, into: &mut [u8]| self.read(address, into).is_ok();
        follow::awaited_word(&read, registers, machine.call_before(self, after)?, after)
    }

    /// The word that a loop waits for. The loop has called a function from this frame.
    fn awaited_word(&self, thread: &ThreadStack, index: usize) -> Option<u64> {
        let machine = Machine::of(&self.arch)?;
        let frame = self.frame_of(machine, thread.id, index)?;
        let registers = machine.numbered_as_in_code(&frame.registers)?;
        let read = |address: u64, into: &mut [u8]| self.read(address, into).is_ok();
        let call = machine.call_before(self, frame.address)?;
        follow::awaited_word(&read, registers, call, frame.address)
    }

    /// Is a thread in a loop of the library that it does not leave as long as nobody changes
    /// memory? `entry` is the index of the frame of the entry function.
    pub(super) fn loops(&self, thread: &ThreadStack, library: usize, entry: usize) -> bool {
        let Some(machine) = Machine::of(&self.arch) else { return false };
        let read = |address: u64, into: &mut [u8]| self.read(address, into).is_ok();
        // Who calls the loop may be in one, too.
        thread.frames[..=entry].iter().enumerate().rev().any(|(index, frame)| {
            let comes_around = || {
                let call = machine.call_before(self, frame.address)?;
                let registers = self.frame_of(machine, thread.id, index)?.registers;
                let registers = machine.numbered_as_in_code(&registers)?;
                Some(follow::comes_around(&read, registers, call, frame.address))
            };
            let is_between =
                || Some(follow::is_between_calls(&read, self.cpu_of(machine, thread.id)?));
            let is_in_loop = || if frame.exact { is_between() } else { comes_around() };
            frame.image == Some(library) && is_in_loop() == Some(true)
        })
    }

    /// If the thread that is in an MPI function is in a loop of the library that looks at memory
    /// many times in each round, and does not leave it as long as nobody changes memory: an address
    /// that it passes in each round. `library` and `entry` are as in [`Target::calls`].
    pub fn spins_at(&self, library: usize, entry: EntryFunction) -> Option<u64> {
        let stacks = self.stacks();
        let (thread, entry) = stacks.threads().iter().find_map(|thread| {
            match stacks.in_library(thread, library, entry) {
                InLibrary::Entry { frame, .. } => Some((thread, frame)),
                _ => None,
            }
        })?;
        let machine = Machine::of(&self.arch)?;
        let read = |address: u64, into: &mut [u8]| self.read(address, into).is_ok();
        let spins_at = |(index, frame): (usize, &StackFrame)| {
            if frame.image != Some(library) {
                return None;
            }
            if frame.exact {
                return follow::spins(&read, self.cpu_of(machine, thread.id)?);
            }
            let call = machine.call_before(self, frame.address)?;
            let registers = self.frame_of(machine, thread.id, index)?.registers;
            let registers = machine.numbered_as_in_code(&registers)?;
            follow::spins_around(&read, registers, call, frame.address).then_some(frame.address)
        };
        self.unrecorded(|| thread.frames[..=entry].iter().enumerate().find_map(spins_at))
    }

    /// A thread to be executed.
    fn cpu_of(&self, machine: Machine, thread: u32) -> Option<Cpu> {
        let state = self.threads.iter().find(|state| state.id == thread)?;
        machine.cpu(&self.arch, state.registers.as_deref()?)
    }

    /// The registers of a frame, which the stacks do not keep.
    pub(super) fn frame_of(&self, machine: Machine, thread: u32, index: usize) -> Option<Frame> {
        let state = self.threads.iter().find(|state| state.id == thread)?;
        let innermost = machine.frame(&self.arch, state.registers.as_deref()?)?;
        let vdso = unwind::vdso(self);
        let mut unwinder = Unwinder::new(self, machine, vdso.as_ref());
        unwinder.frame(innermost, index)
    }
}

impl Waiting {
    /// Nothing is known.
    const NOT_KNOWN: Waiting =
        Waiting { function: None, word: None, at_rest: false, takes_in: false };
}
