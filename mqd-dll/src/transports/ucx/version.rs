//! Which release of UCX a process has loaded.

use crate::debugger::Image;
use crate::memory::Memory;
use std::ffi::CStr;

/// The exported function that returns the release as a string.
const FUNCTION: &CStr = c"ucp_get_version_string";
/// The code of x86-64 that the function may begin with: a mark for indirect branches.
const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
/// Loads an address relative to the next instruction into the result register.
const LEA_RAX: [u8; 3] = [0x48, 0x8d, 0x05];
const RET: u8 = 0xc3;

/// An address in the library's image.
pub(super) fn anchor(image: &Image) -> Option<u64> {
    image.function(FUNCTION)
}

/// The release, such as `1.13.1`. None if it is not known. No data symbol has it, so it is taken
/// from the code of the function that returns it, which loads an address and returns.
pub(super) fn version<'a>(
    memory: &mut Memory<'_>,
    image: &Image,
    text: &'a mut [u8],
) -> Option<&'a str> {
    let mut function = anchor(image)?;
    let mut code = [0; 12];
    memory.read(function, &mut code).ok()?;
    let body = match code.strip_prefix(&ENDBR64) {
        Some(body) => {
            function = function.wrapping_add(ENDBR64.len() as u64);
            body
        }
        None => &code[..8],
    };
    let (distance, rest) = body.strip_prefix(&LEA_RAX)?.split_first_chunk::<4>()?;
    if rest.first() != Some(&RET) {
        return None;
    }
    let next = function.wrapping_add((LEA_RAX.len() + distance.len()) as u64);
    let address = next.wrapping_add_signed(i32::from_le_bytes(*distance).into());
    let version = memory.text(address, text)?;
    let is_version = version.starts_with(|first: char| first.is_ascii_digit())
        && version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte));
    is_version.then_some(version)
}
