//! Memory that all processes of a window map: an unnamed file, which vanishes with the last of
//! them.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::ptr;

use crate::transport::system;

/// A mapping of shared memory; it ends with the value.
pub(super) struct Mapping {
    base: *mut u8,
    bytes: usize,
}

// SAFETY: an address; what lies there is atomic or the program's.
unsafe impl Sync for Mapping {}
// SAFETY: as above.
unsafe impl Send for Mapping {}

impl Mapping {
    /// New memory of so many bytes, all zero, and the file behind it, which has to stay open until
    /// the other processes have mapped it.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn create(bytes: usize) -> io::Result<(Mapping, File)> {
        let file = system::unnamed_file(c"mpi-window")?;
        file.set_len(bytes as u64)?;
        Ok((Mapping::of(&file, bytes)?, file))
    }

    /// The memory that another process has made, by its descriptor there.
    ///
    /// # Errors
    /// What the system says: not permitted, or no such process.
    pub(super) fn open(process: i32, descriptor: RawFd, bytes: usize) -> io::Result<Mapping> {
        let path = format!("/proc/{process}/fd/{descriptor}");
        Mapping::of(&OpenOptions::new().read(true).write(true).open(path)?, bytes)
    }

    fn of(file: &File, bytes: usize) -> io::Result<Mapping> {
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address of the system's choice.
        let base =
            unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, file.as_raw_fd(), 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping { base: base.cast(), bytes })
    }

    /// The address of a byte of it.
    pub(super) fn at(&self, offset: usize) -> *mut u8 {
        assert!(offset <= self.bytes, "{offset} is within {} bytes", self.bytes);
        self.base.wrapping_add(offset)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `of`; the window that refers to it is gone.
        unsafe { libc::munmap(self.base.cast(), self.bytes) };
    }
}

/// Bytes of memory that the machine has.
pub(super) fn of_machine() -> usize {
    // SAFETY: fills the structure, for which zeros are valid.
    let info = unsafe {
        let mut info: libc::sysinfo = std::mem::zeroed();
        if libc::sysinfo(&mut info) != 0 {
            return usize::MAX;
        }
        info
    };
    (info.totalram as usize).saturating_mul(info.mem_unit as usize)
}
