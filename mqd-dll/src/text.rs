//! Text in places of fixed size: names and lines of the interface, messages and error texts.

use std::ffi::{CStr, c_char};
use std::fmt;

/// A zero-terminated text of at most `N - 1` bytes. What does not fit is cut between two
/// characters.
#[derive(Clone, Copy)]
pub(crate) struct Text<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Text<N> {
    pub(crate) const EMPTY: Self = Self { bytes: [0; N], len: 0 };

    /// Formats a text, the counterpart of `format!`.
    pub(crate) fn format(arguments: fmt::Arguments<'_>) -> Self {
        let mut text = Self::EMPTY;
        // An error only says that the text was cut.
        let _ = fmt::write(&mut text, arguments);
        text
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Appends bytes of the target, which need not be UTF-8.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        let kept = cut(bytes, N - 1 - self.len);
        self.bytes[self.len..self.len + kept.len()].copy_from_slice(kept);
        self.len += kept.len();
    }

    /// The text; empty if it is not UTF-8.
    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// For the debugger: a zero-terminated string that lives as long as this text stays in place.
    pub(crate) fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }
}

impl<const N: usize> fmt::Write for Text<N> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let before = self.len;
        self.append(s.as_bytes());
        if self.len - before == s.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

/// The longest start of `text` of at most `limit` bytes that does not end inside a UTF-8 character.
/// Text in another encoding is cut at the limit.
pub(crate) fn cut(text: &[u8], limit: usize) -> &[u8] {
    if text.len() <= limit {
        return text;
    }
    let is_continuation = |byte: u8| byte & 0xC0 == 0x80;
    let mut end = limit;
    while end > limit.saturating_sub(3) && is_continuation(text[end]) {
        end -= 1;
    }
    // `end` is now at the first byte of the character that the limit would split, if the text is
    // UTF-8 at all.
    let length = match text[end] {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 1,
    };
    if end + length > limit { &text[..end] } else { &text[..limit] }
}

/// The part of a character array before its terminating zero; all of it if there is none.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// Bytes as the `char` array of an interface structure: cut, zero-terminated and zero-filled.
pub(crate) fn to_chars<const N: usize>(text: &[u8]) -> [c_char; N] {
    let mut chars = [0; N];
    for (to, from) in chars.iter_mut().zip(cut(text, N - 1)) {
        *to = *from as c_char;
    }
    chars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_between_characters() {
        assert_eq!(cut("abc".as_bytes(), 3), b"abc");
        assert_eq!(cut("abcd".as_bytes(), 3), b"abc");
        for (text, width) in [("é", 2), ("€", 3), ("😀", 4)] {
            let text = text.repeat(4);
            for limit in 0..text.len() {
                let kept = cut(text.as_bytes(), limit);
                assert_eq!(kept.len(), limit / width * width, "{text} {limit}");
            }
        }
    }

    #[test]
    fn cuts_other_encodings_at_the_limit() {
        assert_eq!(cut(&[0x80; 10], 7), [0x80; 7]);
        assert_eq!(cut(b"caf\xE9 au lait", 3), b"caf");
        assert_eq!(cut(b"caf\xE9 au lait", 4), b"caf\xE9");
    }

    #[test]
    fn texts_are_terminated_and_filled() {
        let mut text = Text::<8>::EMPTY;
        text.append(b"12345");
        assert_eq!(text.as_c_str(), c"12345");
        text.append(b"6789");
        assert_eq!(text.as_c_str(), c"1234567");
        assert_eq!(to_chars::<6>(b"ab"), [b'a' as c_char, b'b' as c_char, 0, 0, 0, 0]);
        assert_eq!(Text::<6>::format(format_args!("{}{}", "abc", "déf")).as_c_str(), c"abcd");
        assert_eq!(until_nul(b"ab\0c"), b"ab");
        assert_eq!(until_nul(b"ab"), b"ab");
    }
}
