//! Memory for programs (MPI 5.0, section 9.2).

use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::abi::*;
use crate::arguments::out;
use crate::error::{Error, Result};
use crate::info;

/// The addresses of what is allocated. A wrong one given to `MPI_Free_mem` is an error that the
/// program can handle, and would otherwise end the process.
static ALLOCATED: LazyLock<Mutex<HashSet<usize>>> = LazyLock::new(Mutex::default);

/// `MPI_Alloc_mem`; `baseptr` is the address of a pointer.
pub(crate) fn alloc_mem(size: MPI_Aint, info: MPI_Info, baseptr: *mut c_void) -> Result {
    info::check_hints(info)?;
    let bytes = usize::try_from(size)
        .map_err(|_| Error::new(MPI_ERR_ARG, format!("the size {size} is negative")))?;
    let base = out(baseptr.cast::<*mut c_void>(), "baseptr")?;
    let alignment = alignment(info)?;
    let mut memory = ptr::null_mut();
    // SAFETY: an ordinary allocation; never of 0 bytes, so that the result is a pointer to free.
    if unsafe { libc::posix_memalign(&mut memory, alignment, bytes.max(1)) } != 0 {
        return Err(Error::new(MPI_ERR_NO_MEM, format!("{bytes} bytes cannot be allocated")));
    }
    ALLOCATED.lock().unwrap_or_else(PoisonError::into_inner).insert(memory.addr());
    base.set(memory);
    Ok(())
}

/// The alignment that the program asks for, or that of `malloc` if this is larger.
fn alignment(hints: MPI_Info) -> Result<usize> {
    let of_malloc = align_of::<libc::max_align_t>();
    let Some(asked) = info::hint(hints, c"mpi_minimum_memory_alignment")? else {
        return Ok(of_malloc);
    };
    match asked.parse::<usize>() {
        Ok(bytes) if bytes.is_power_of_two() => Ok(bytes.max(of_malloc)),
        _ => {
            let message =
                format!("mpi_minimum_memory_alignment is {asked:?}, which is no power of two");
            Err(Error::new(MPI_ERR_INFO_VALUE, message))
        }
    }
}

/// `MPI_Free_mem`; null is no memory, as for `free`.
pub(crate) fn free_mem(base: *mut c_void) -> Result {
    let known = ALLOCATED.lock().unwrap_or_else(PoisonError::into_inner).remove(&base.addr());
    if !known && !base.is_null() {
        return Err(Error::new(
            MPI_ERR_BASE,
            "the memory is not from MPI_Alloc_mem, or was freed already",
        ));
    }
    // SAFETY: from `alloc_mem`, and just taken off the list; or null.
    unsafe { libc::free(base) };
    Ok(())
}
