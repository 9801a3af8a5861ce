//! The latest error of each code, as the debugger asks for it (`mqs_dll_error_string`, 5.7.5).

use crate::debugger::basic;
use crate::error::{Code, Error};
use crate::text::Text;
use mqs_abi::{mqs_end_of_list, mqs_no_information, mqs_ok};
use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicU8, Ordering};

/// The text of an error, cut at the size of `Text`.
pub(crate) fn describe<const N: usize>(error: &Error) -> Text<N> {
    let mut text = Text::EMPTY;
    // A failure only says that the text was cut.
    let _ = error.write(&mut text, basic::error_text::<96>);
    text
}

/// Bytes of an error text with its terminating zero.
const TEXT_BYTES: usize = 512;

/// A text that the debugger may keep: it does not move, and its last byte is always zero.
struct Slot([AtomicU8; TEXT_BYTES]);

/// For each code its text with the place of the latest error, or empty.
static LATEST: [Slot; Code::COUNT] =
    [const { Slot([const { AtomicU8::new(0) }; TEXT_BYTES]) }; Code::COUNT];

/// Keeps an error for `mqs_dll_error_string`. The result is the number that crosses the interface.
pub(crate) fn record(error: &Error) -> c_int {
    store(&LATEST[error.code as usize], &describe(error));
    error.code.number()
}

fn store(slot: &Slot, text: &Text<TEXT_BYTES>) {
    let bytes = text.as_c_str().to_bytes_with_nul();
    for (to, from) in slot.0.iter().zip(bytes) {
        to.store(*from, Ordering::Relaxed);
    }
}

/// The text of a code for `mqs_dll_error_string` (5.7.5). It belongs to the library and does not
/// move; its content changes with the next error of that code.
pub(crate) fn text(code: c_int) -> *const c_char {
    let fixed: &CStr = match code {
        mqs_ok => c"no error",
        mqs_no_information => c"there is no information",
        mqs_end_of_list => c"the list is at its end",
        _ => {
            let Some((place, text)) = Code::of_number(code) else {
                return c"not an error code of libmqd".as_ptr();
            };
            let slot = &LATEST[place];
            if slot.0[0].load(Ordering::Relaxed) == 0 {
                store(slot, &Text::format(format_args!("{text}")));
            }
            return slot.0.as_ptr().cast();
        }
    };
    fixed.as_ptr()
}
