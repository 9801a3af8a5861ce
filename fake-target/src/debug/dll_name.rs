//! `MPIR_dll_name`: where a debugger finds the library that reads the queues (MQD 1.0, section
//! 4.1).

use std::ffi::{CStr, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};

/// File name of the debug DLL.
const LIBRARY: &str = "libmqd.so";

/// Bytes of `MPIR_dll_name` with the terminating zero.
const CAPACITY: usize = 4096;

/// The path of the debug DLL, a zero-terminated array of char; a bare file name until [`set`] has
/// found the file.
#[allow(non_upper_case_globals, reason = "the name is that of the interface")]
#[unsafe(no_mangle)]
pub(crate) static MPIR_dll_name: [AtomicU8; CAPACITY] = initial();

const fn initial() -> [AtomicU8; CAPACITY] {
    let mut name = [const { AtomicU8::new(0) }; CAPACITY];
    let mut index = 0;
    while index < LIBRARY.len() {
        name[index] = AtomicU8::new(LIBRARY.as_bytes()[index]);
        index += 1;
    }
    name
}

/// Writes the full path of the DLL into `MPIR_dll_name`. It is beside this library or in
/// `$MQDRT_LIBDIR`. Otherwise the bare name stays, and the debugger searches for the file.
pub(crate) fn set() {
    let directories =
        own_directory().into_iter().chain(std::env::var_os("MQDRT_LIBDIR").map(PathBuf::from));
    let Some(path) =
        directories.map(|directory| directory.join(LIBRARY)).find(|path| path.is_file())
    else {
        return;
    };
    let bytes = path.as_os_str().as_bytes();
    if bytes.len() >= CAPACITY {
        return;
    }
    for (to, from) in MPIR_dll_name.iter().zip(bytes.iter().copied().chain(std::iter::once(0))) {
        to.store(from, Ordering::Relaxed);
    }
}

/// The directory of the file that holds this code: `libmpi_abi.so`, or the program where it is
/// linked statically.
fn own_directory() -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null::<c_char>(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: the address of a function of this library, and a structure to fill.
    let found = unsafe { libc::dladdr(set as fn() as *const c_void, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: dladdr gives a C string that lives as long as the library is loaded.
    let file = unsafe { CStr::from_ptr(info.dli_fname) };
    let file = Path::new(OsStr::from_bytes(file.to_bytes())).canonicalize().ok()?;
    file.parent().map(Path::to_path_buf)
}
