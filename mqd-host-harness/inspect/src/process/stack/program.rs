//! What the program keeps in its registers and on its stack while it is in a call of a library.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::super::Target;
use super::calls::EntryFunction;
use super::machine::{Machine, REGISTERS};
use super::{InLibrary, ThreadStack};

/// The most bytes of a stack that are compared.
const MOST_STACK: u64 = 1 << 20;

impl Target {
    /// A digest of the program's state at its call of a library: the address after the call, the
    /// registers that the callee preserves, and the program's part of the stack. Two calls with the
    /// same digest are from the same place of the program, with the same local variables. `library`
    /// and `entry` are as in [`Target::calls`].
    ///
    /// None: not exactly one thread is in the library, its stack is not known to its end, or the
    /// program's part of it has more than a megabyte.
    pub fn program_state(&self, library: usize, entry: EntryFunction) -> Option<u64> {
        self.unrecorded(|| {
            let stacks = self.stacks();
            let mut inside = stacks.threads().iter().filter_map(|thread| {
                match stacks.in_library(thread, library, entry) {
                    InLibrary::Nothing => None,
                    InLibrary::Entry { frame, .. } => Some(Some((thread, frame))),
                    InLibrary::NotKnown => Some(None),
                }
            });
            let (thread, frame) = inside.next().filter(|_| inside.next().is_none())??;
            self.state_of(thread, frame + 1)
        })
    }

    /// The digest of what a thread has in this frame and further out.
    fn state_of(&self, thread: &ThreadStack, frame: usize) -> Option<u64> {
        let machine = Machine::of(&self.arch)?;
        let outermost = thread.frames.len().checked_sub(1).filter(|_| thread.complete)?;
        let stack_pointer = machine.stack_pointer();
        let end = self.frame_of(machine, thread.id, outermost)?.registers[stack_pointer]?;
        let caller = self.frame_of(machine, thread.id, frame)?;
        let begin = caller.registers[stack_pointer]?;
        let length = end.checked_sub(begin).filter(|length| *length <= MOST_STACK)?;
        let mut stack = vec![0; length as usize];
        self.read(begin, &mut stack).ok()?;
        let mut digest = DefaultHasher::new();
        let preserved = (0..REGISTERS).filter(|register| machine.is_preserved(*register));
        let preserved = preserved.map(|register| caller.registers[register]);
        let preserved = preserved.collect::<Option<Vec<_>>>()?;
        (thread.id, caller.address, begin, preserved, stack).hash(&mut digest);
        Some(digest.finish())
    }
}
