//! Copies within the memory of this process.

use std::ptr;

/// The most bytes that are copied at a time. For more than the second-level cache has, glibc's
/// `memmove` takes a loop that is slower than the processor's own instruction: by 20 % for 1 MiB on
/// Zen 4.
const PIECE: usize = 256 << 10;

/// Copies bytes. The memory may overlap.
///
/// # Safety
/// As for [`ptr::copy`].
#[inline]
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    if bytes > PIECE && from.addr().abs_diff(to.addr()) >= bytes {
        // SAFETY: as the caller says.
        unsafe { copy_in_pieces(from, to, bytes) };
    } else {
        // SAFETY: as the caller says.
        unsafe { ptr::copy(from, to, bytes) };
    }
}

/// The same for memory that does not overlap.
///
/// # Safety
/// As for [`ptr::copy_nonoverlapping`].
#[cold]
unsafe fn copy_in_pieces(from: *const u8, to: *mut u8, bytes: usize) {
    for done in (0..bytes).step_by(PIECE) {
        // SAFETY: a piece is within the bytes.
        unsafe { ptr::copy_nonoverlapping(from.add(done), to.add(done), PIECE.min(bytes - done)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_add_up_to_the_bytes() {
        for bytes in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE + 7] {
            let from: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8).collect();
            let mut to = vec![255; bytes + 1];
            // SAFETY: both have as many bytes.
            unsafe { copy(from.as_ptr(), to.as_mut_ptr(), bytes) };
            assert_eq!((&to[..bytes], to[bytes]), (from.as_slice(), 255), "{bytes} bytes");
        }
    }

    #[test]
    fn memory_may_overlap() {
        for distance in [1, PIECE, 2 * PIECE] {
            let whole: Vec<u8> = (0..4 * PIECE).map(|at| (at % 251) as u8).collect();
            let bytes = whole.len() - distance;
            let mut there = whole.clone();
            // SAFETY: both places are within the memory.
            unsafe { copy(there.as_ptr(), there.as_mut_ptr().add(distance), bytes) };
            assert_eq!(there[distance..], whole[..bytes], "up by {distance}");
            let mut there = whole.clone();
            // SAFETY: as above.
            unsafe { copy(there.as_ptr().add(distance), there.as_mut_ptr(), bytes) };
            assert_eq!(there[..bytes], whole[distance..], "down by {distance}");
        }
    }
}
