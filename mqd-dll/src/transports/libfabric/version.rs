//! Which release of libfabric a process has loaded.

use crate::debugger::Image;
use crate::memory::Memory;
use crate::text::Text;
use std::ffi::CStr;

/// The exported function that returns the release as a number.
const FUNCTION: &CStr = c"fi_version";
/// The code of x86-64 that the function may begin with: a mark for indirect branches.
const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
/// Loads a number into the result register.
const MOV_EAX: u8 = 0xb8;
const RET: u8 = 0xc3;

/// An address in the library's image.
pub(super) fn anchor(image: &Image) -> Option<u64> {
    image.function(FUNCTION)
}

/// The series, such as `1.22`. None if it is not known. It is taken from the code of the function
/// that returns it, which loads a number and returns.
pub(super) fn version(memory: &mut Memory<'_>, image: &Image) -> Option<Text<32>> {
    let function = anchor(image)?;
    let mut code = [0; 10];
    memory.read(function, &mut code).ok()?;
    let body = code.strip_prefix(&ENDBR64).unwrap_or(&code);
    let (number, rest) = body.strip_prefix(&[MOV_EAX])?.split_first_chunk::<4>()?;
    if rest.first() != Some(&RET) {
        return None;
    }
    let number = u32::from_le_bytes(*number);
    Some(Text::format(format_args!("{}.{}", number >> 16, number & 0xffff)))
}
