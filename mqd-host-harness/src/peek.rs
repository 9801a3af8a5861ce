//! Single values from a target's memory, for the two interfaces that are plain variables:
//! `MPIR_dll_name` and `MPIR_proctable`.

use crate::target::{ReadError, Target};

/// The longest string that is read: a path name (`PATH_MAX`).
const LONGEST: usize = 4096;

/// The unsigned number of `size` bytes (at most 8) at an address.
pub(crate) fn unsigned(target: &Target, address: u64, size: u64) -> Result<u64, ReadError> {
    let mut bytes = [0; 8];
    let bytes = &mut bytes[..size.min(8) as usize];
    target.read(address, bytes)?;
    Ok(target.arch().unsigned(bytes))
}

/// The pointer at an address.
pub(crate) fn pointer(target: &Target, address: u64) -> Result<u64, ReadError> {
    unsigned(target, address, target.arch().pointer_size)
}

/// The `int` at an address, sign-extended.
pub(crate) fn int(target: &Target, address: u64) -> Result<i64, ReadError> {
    let size = target.arch().int_size;
    let unused = 64 - 8 * size.min(8);
    Ok((unsigned(target, address, size)? as i64) << unused >> unused)
}

/// The string that begins at an address, without its zero; cut where a path name cannot be longer.
pub(crate) fn c_string(target: &Target, address: u64) -> Result<String, ReadError> {
    // In steps that never cross a page, since the next page may not be there.
    const STEP: u64 = 256;
    let mut bytes = Vec::new();
    while bytes.len() < LONGEST {
        let at = address.wrapping_add(bytes.len() as u64);
        let mut chunk = [0; STEP as usize];
        let chunk = &mut chunk[..(STEP - at % STEP) as usize];
        target.read(at, chunk)?;
        if let Some(end) = chunk.iter().position(|byte| *byte == 0) {
            bytes.extend_from_slice(&chunk[..end]);
            break;
        }
        bytes.extend_from_slice(chunk);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
