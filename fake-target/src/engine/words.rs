//! Words of shared memory that ranks agree on: each is one object's, such as a file pointer.

use super::state::Engine;
use std::sync::atomic::AtomicI64;

impl Engine {
    /// A word that nobody uses, with the value 0; none if all are in use. Its number names it in
    /// all ranks.
    pub(crate) fn take_word(&self) -> Option<usize> {
        self.segment.words().take()
    }

    /// The word with that number.
    pub(crate) fn word(&self, number: usize) -> &AtomicI64 {
        self.segment.words().get(number)
    }

    /// Gives a word back that no rank uses any more.
    pub(crate) fn give_back_word(&self, number: usize) {
        self.segment.words().give_back(number);
    }
}
