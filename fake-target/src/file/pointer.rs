//! The shared file pointer (MPI 5.0, section 14.4.4): a word that all processes of a file see.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::abi::{MPI_ERR_ARG, MPI_ERR_NO_SPACE, MPI_Offset};
use crate::engine;
use crate::error::{Error, Result};

/// The shared file pointer of a file, in etypes of the view.
pub(super) enum SharedPointer {
    /// That of a file that one process has opened.
    Own(AtomicI64),
    /// A word of shared memory, given by its number and the process that has taken it.
    Word { process: usize, number: usize },
    /// There was no word left.
    Missing,
}

impl SharedPointer {
    /// A pointer for a file of one process.
    pub(super) fn own() -> SharedPointer {
        SharedPointer::Own(AtomicI64::new(0))
    }

    /// Takes a word of shared memory. The result is its number for the other processes.
    pub(super) fn take_word() -> i64 {
        engine::enter().take_word().map_or(-1, |word| word as i64)
    }

    /// The pointer in the word with that number, which `process` has taken.
    pub(super) fn in_word(process: usize, word: i64) -> SharedPointer {
        let in_word = |number| SharedPointer::Word { process, number };
        usize::try_from(word).map_or(SharedPointer::Missing, in_word)
    }

    /// Frees the word. One of the processes that share it does that.
    pub(super) fn give_back(&self) {
        if let SharedPointer::Word { process, number } = self {
            engine::enter().give_back_word(*process, *number);
        }
    }

    fn with<R>(&self, work: impl FnOnce(&AtomicI64) -> R) -> Result<R> {
        match self {
            SharedPointer::Own(pointer) => Ok(work(pointer)),
            SharedPointer::Word { process, number } => {
                Ok(work(engine::enter().word(*process, *number)))
            }
            SharedPointer::Missing => Err(Error::new(
                MPI_ERR_NO_SPACE,
                "too many files are open at once for this one to have a shared file pointer",
            )),
        }
    }

    /// Where it is.
    pub(super) fn get(&self) -> Result<MPI_Offset> {
        self.with(|pointer| pointer.load(Ordering::Acquire))
    }

    /// Sets it.
    pub(super) fn set(&self, offset: MPI_Offset) -> Result {
        self.with(|pointer| pointer.store(offset, Ordering::Release))
    }

    /// Moves it forwards in one step. The result is its old position. `MPI_ERR_ARG` if it would go
    /// further than an offset can say.
    pub(super) fn advance(&self, by: MPI_Offset) -> Result<MPI_Offset> {
        let next = |position: MPI_Offset| position.checked_add(by);
        let moved =
            self.with(|pointer| pointer.fetch_update(Ordering::AcqRel, Ordering::Acquire, next))?;
        moved.map_err(|position| {
            let message =
                format!("the shared file pointer cannot go {by} etypes beyond {position}");
            Error::new(MPI_ERR_ARG, message)
        })
    }
}
