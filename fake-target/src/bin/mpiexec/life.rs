//! Whether ranks are in MPI. Each rank has a byte in memory that it shares with the launcher, so
//! that a rank which exits without `MPI_Finalize` is noticed.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileExt;

use nix::sys::memfd::{MFdFlags, memfd_create};

/// The bytes of a job's ranks.
pub(crate) struct Life(File);

/// What a rank writes when it starts MPI. It resets the byte when it has ended MPI.
const IN_MPI: u8 = b'R';

impl Life {
    /// The bytes of a job with this number of ranks, none of which is in MPI yet.
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
