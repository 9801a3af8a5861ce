//! The parts of a function. Compilers move code that they expect to run rarely out of a function,
//! and no symbol of a stripped file says where it is.

use std::ops::Range;

use crate::image::Image;

/// A part is known by at least so many jumps into it. Bytes that only look like a jump lead
/// anywhere.
const JUMPS: usize = 2;

/// The function at these addresses, and the parts that its jumps lead into. A jump to the beginning
/// of a function calls it, so a part is known by jumps behind its beginning. `function_at` gives
/// the addresses of the function at an address.
pub(super) fn of(
    image: &Image,
    whole: Range<u64>,
    mut function_at: impl FnMut(u64) -> Option<Range<u64>>,
) -> Vec<Range<u64>> {
    let size = whole.end.saturating_sub(whole.start);
    let code = image.bytes_at(whole.start.wrapping_sub(image.bias())).unwrap_or_default();
    let code = &code[..code.len().min(usize::try_from(size).unwrap_or(usize::MAX))];
    let mut found: Vec<(Range<u64>, usize)> = Vec::new();
    for place in jumps(code, whole.start).filter(|place| !whole.contains(place)) {
        if let Some((_, jumps)) = found.iter_mut().find(|(part, _)| part.contains(&place)) {
            *jumps += 1;
        } else if let Some(part) = function_at(place).filter(|part| part.start < place) {
            found.push((part, 1));
        }
    }
    let parts = found.into_iter().filter(|(_, jumps)| *jumps >= JUMPS).map(|(part, _)| part);
    std::iter::once(whole).chain(parts).collect()
}

/// Where the direct jumps of x86-64 code at an address lead. Other bytes may look like jumps.
fn jumps(code: &[u8], address: u64) -> impl Iterator<Item = u64> {
    code.windows(6).enumerate().filter_map(move |(index, bytes)| {
        let (length, distance) = match *bytes {
            [0x0f, 0x80..=0x8f, a, b, c, d] => (6, [a, b, c, d]),
            [0xe9, a, b, c, d, _] => (5, [a, b, c, d]),
            _ => return None,
        };
        let next = address.wrapping_add(index as u64 + length);
        Some(next.wrapping_add_signed(i64::from(i32::from_le_bytes(distance))))
    })
}
