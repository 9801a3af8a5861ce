//! Words of shared memory that several ranks use. Each belongs to one object, such as a file
//! pointer.

use super::state::Engine;
use std::sync::atomic::AtomicI64;

impl Engine {
    /// A free word of this process's job, with the value 0; none if all are in use. Its number
    /// together with this process names it in every rank.
    pub(crate) fn take_word(&self) -> Option<usize> {
        self.segment.words().take()
    }

    /// The word with that number that the process `world` has taken.
    pub(crate) fn word(&'static self, world: usize, number: usize) -> &'static AtomicI64 {
        self.peer(world).words().get(number)
    }

    /// Frees a word that no rank uses any more.
    pub(crate) fn give_back_word(&'static self, world: usize, number: usize) {
        self.peer(world).words().give_back(number);
    }
}
