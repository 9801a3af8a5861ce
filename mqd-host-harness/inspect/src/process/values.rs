//! Single values from a target's memory.

use super::{ReadError, Target};

/// The longest string that is read: a path name (`PATH_MAX`).
const LONGEST: usize = 4096;

impl Target {
    /// The unsigned number of `size` bytes (at most 8) at an address.
    pub fn read_unsigned(&self, address: u64, size: u64) -> Result<u64, ReadError> {
        let mut bytes = [0; 8];
        let bytes = &mut bytes[..size.min(8) as usize];
        self.read(address, bytes)?;
        Ok(self.arch().unsigned(bytes))
    }

    /// The pointer at an address.
    pub fn read_pointer(&self, address: u64) -> Result<u64, ReadError> {
        self.read_unsigned(address, self.arch().pointer_size)
    }

    /// The `int` at an address, sign-extended.
    pub fn read_int(&self, address: u64) -> Result<i64, ReadError> {
        let size = self.arch().int_size;
        let unused = 64 - 8 * size.min(8);
        Ok((self.read_unsigned(address, size)? as i64) << unused >> unused)
    }

    /// The string that begins at an address, without its zero. It is cut at the length of the
    /// longest path name.
    pub fn read_c_string(&self, address: u64) -> Result<String, ReadError> {
        // In steps that never cross a page, since the next page may not be there.
        const STEP: u64 = 256;
        let mut bytes = Vec::new();
        while bytes.len() < LONGEST {
            let at = address.wrapping_add(bytes.len() as u64);
            let mut chunk = [0; STEP as usize];
            let chunk = &mut chunk[..(STEP - at % STEP) as usize];
            self.read(at, chunk)?;
            if let Some(end) = chunk.iter().position(|byte| *byte == 0) {
                bytes.extend_from_slice(&chunk[..end]);
                break;
            }
            bytes.extend_from_slice(chunk);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
