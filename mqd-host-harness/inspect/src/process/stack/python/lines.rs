//! From a place in the code of a function to its line, by the table of the function.

/// The line in a table of Python 3.9: pairs of a number of bytes of code and a number of lines.
/// `at` is in bytes.
pub(super) fn by_lnotab(table: &[u8], first: u32, at: u64) -> Option<u32> {
    let (mut line, mut begin) = (i64::from(first), 0);
    for pair in table.chunks_exact(2) {
        begin += u64::from(pair[0]);
        if begin > at {
            break;
        }
        line += i64::from(pair[1].cast_signed());
    }
    u32::try_from(line).ok()
}

/// The line in a table of Python 3.10 (PEP 626): pairs as in 3.9, but the number of lines comes
/// before the code that it applies to. `at` is in bytes.
pub(super) fn by_line_table(table: &[u8], first: u32, at: u64) -> Option<u32> {
    const NONE: i8 = -128;
    let (mut line, mut end) = (i64::from(first), 0);
    for pair in table.chunks_exact(2) {
        end += u64::from(pair[0]);
        let delta = pair[1].cast_signed();
        if delta != NONE {
            line += i64::from(delta);
        }
        if at < end {
            return (delta != NONE).then(|| u32::try_from(line).ok()).flatten();
        }
    }
    None
}

/// The line in a table of locations from Python 3.11 on (PEP 657). `at` is in units of code.
pub(super) fn by_location_table(table: &[u8], first: u32, at: u64) -> Option<u32> {
    let (mut line, mut end) = (i64::from(first), 0);
    let mut bytes = table.iter().copied().peekable();
    while let Some(head) = bytes.next() {
        end += u64::from(head & 7) + 1;
        let kind = head >> 3 & 15;
        // The highest bit is set in the first byte of an entry, and in no other.
        let mut rest = Vec::new();
        while let Some(byte) = bytes.next_if(|byte| byte & 0x80 == 0) {
            rest.push(byte);
        }
        line += match kind {
            10..=12 => i64::from(kind - 10),
            13 | 14 => signed(&rest)?,
            _ => 0,
        };
        if at < end {
            return (kind != 15).then(|| u32::try_from(line).ok()).flatten();
        }
    }
    None
}

/// A number in groups of 6 bits, the lowest first; the lowest bit is the sign.
fn signed(bytes: &[u8]) -> Option<i64> {
    let (mut value, mut shift) = (0, 0);
    for byte in bytes {
        value |= i64::from(byte & 63) << shift;
        shift += 6;
        if byte & 64 == 0 {
            return Some(if value & 1 == 1 { -(value >> 1) } else { value >> 1 });
        }
        if shift > 48 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_before_the_code() {
        // Lines 10, 11, 9: from bytes 0, 6 and 10 on.
        let table = [6, 1, 4, 0xfe];
        let lines: Vec<_> = [0, 5, 6, 9, 10, 99].map(|at| by_lnotab(&table, 10, at)).into();
        assert_eq!(lines, [10, 10, 11, 11, 9, 9].map(Some));
    }

    #[test]
    fn pairs_with_the_code() {
        let table = [4, 1, 2, 0x80, 4, 0xfe];
        let line = |at| by_line_table(&table, 10, at);
        assert_eq!([line(0), line(3), line(6), line(9)], [11, 11, 9, 9].map(Some));
        assert_eq!([line(4), line(10)], [None, None]);
    }

    #[test]
    fn locations() {
        // One unit on the same line, in short form; two on the next one; one without a line; one
        // with a delta of -3 in long form.
        let table = [
            0x80 | 1 << 3,
            0,
            0x80 | 11 << 3 | 1,
            0,
            4,
            0x80 | 15 << 3,
            0x80 | 14 << 3,
            7,
            0,
            1,
            2,
        ];
        let line = |at| by_location_table(&table, 10, at);
        assert_eq!([line(0), line(1), line(2)], [10, 11, 11].map(Some));
        assert_eq!([line(3), line(4), line(5)], [None, Some(8), None]);
    }
}
