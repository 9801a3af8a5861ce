//! What ranks say of themselves besides their exit codes: whether they are in MPI. A byte for each
//! in memory that they share with the launcher, so that one that leaves without a word is noticed.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileExt;

use nix::sys::memfd::{MFdFlags, memfd_create};

/// The bytes of a job's ranks.
pub(crate) struct Life(File);

/// What a rank writes when it starts MPI; it takes it back when it has ended MPI.
const IN_MPI: u8 = b'R';

impl Life {
    /// Those of a job of so many ranks, none of which is in MPI yet.
    pub(crate) fn new(ranks: usize) -> io::Result<Life> {
        let memory = File::from(memfd_create(c"mqdrt-life", MFdFlags::MFD_CLOEXEC)?);
        memory.set_len(ranks as u64)?;
        Ok(Life(memory))
    }

    /// The descriptor that ranks inherit.
    pub(crate) fn descriptor(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Whether a rank has started MPI and not ended it.
    pub(crate) fn is_in_mpi(&self, rank: usize) -> bool {
        let mut byte = [0];
        self.0.read_at(&mut byte, rank as u64).is_ok_and(|read| read == 1) && byte[0] == IN_MPI
    }
}
