//! The arguments of implementations, which the entry points make from C arguments.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::NonNull;

use crate::abi::{
    Handle, MPI_Aint, MPI_Count, MPI_ERR_ARG, MPI_IN_PLACE, MPI_Status, MPI_UNDEFINED,
};
use crate::error::{Error, Result};

/// A caller's variable that a function writes or changes. Not null. The caller guarantees that it
/// is writable.
#[derive(Clone, Copy)]
pub(crate) struct Out<T>(NonNull<T>);

impl<T: Copy> Out<T> {
    /// Writes the variable.
    pub(crate) fn set(self, value: T) {
        // SAFETY: not null (checked by `out`); a caller of MPI passes the address of a variable of
        // this type.
        unsafe { self.0.write(value) }
    }

    /// Reads the variable.
    pub(crate) fn get(self) -> T {
        // SAFETY: as for `set`.
        unsafe { self.0.read() }
    }
}

/// A count, an extent or a position that a function writes: an int in the small variant of the
/// function, wider in the others.
#[derive(Clone, Copy)]
pub(crate) enum CountOut {
    /// `int *`
    Int(Out<c_int>),
    /// `MPI_Count *` or `MPI_Aint *`
    Long(Out<MPI_Count>),
}

impl CountOut {
    /// Writes the value, or `MPI_UNDEFINED` if the variable cannot hold it.
    pub(crate) fn set(self, value: MPI_Count) {
        match self {
            CountOut::Int(out) => out.set(value.try_into().unwrap_or(MPI_UNDEFINED)),
            CountOut::Long(out) => out.set(value),
        }
    }

    /// Reads the variable.
    pub(crate) fn get(self) -> MPI_Count {
        match self {
            CountOut::Int(out) => out.get().into(),
            CountOut::Long(out) => out.get(),
        }
    }
}

/// An array of counts or displacements: of int in the small variant of a function, of `MPI_Count`
/// or `MPI_Aint` in the large one.
#[derive(Clone, Copy)]
pub(crate) enum Counts {
    /// `const int []`
    Ints(*const c_int),
    /// `const MPI_Count []` or `const MPI_Aint []`
    Longs(*const MPI_Count),
    /// One that is the same for all.
    Same(MPI_Count),
}

impl Counts {
    /// The element at an index, which must be within the length that the function's other arguments
    /// give.
    pub(crate) fn get(self, index: usize) -> MPI_Count {
        // SAFETY: a caller of MPI passes an array as long as the function's other arguments say;
        // null was checked by `is_null`.
        unsafe {
            match self {
                Counts::Ints(array) => array.add(index).read().into(),
                Counts::Longs(array) => array.add(index).read(),
                Counts::Same(count) => count,
            }
        }
    }

    /// Whether there is no array at all.
    pub(crate) fn is_null(self) -> bool {
        match self {
            Counts::Ints(array) => array.is_null(),
            Counts::Longs(array) => array.is_null(),
            Counts::Same(_) => false,
        }
    }

    /// `MPI_ERR_ARG` if there is no array although `length` is not 0.
    pub(crate) fn check(self, length: usize, name: &str) -> Result {
        if length > 0 && self.is_null() { Err(null(name)) } else { Ok(()) }
    }

    /// The first `length` elements. Errors: those of [`Counts::check`].
    pub(crate) fn to_vec(self, length: usize, name: &str) -> Result<Vec<MPI_Count>> {
        self.check(length, name)?;
        Ok((0..length).map(|i| self.get(i)).collect())
    }
}

// A pointer to an `MPI_Aint` stands in for one to an `MPI_Count`.
const _: () = assert!(size_of::<MPI_Aint>() == size_of::<MPI_Count>());

/// The variable at a required pointer.
pub(crate) fn out<T>(pointer: *mut T, name: &'static str) -> Result<Out<T>> {
    let variable = NonNull::new(pointer).filter(|_| pointer.addr() != MPI_IN_PLACE.addr());
    variable.map(Out).ok_or_else(|| no_variable(pointer.is_null(), name))
}

#[cold]
fn no_variable(is_null: bool, name: &str) -> Error {
    match is_null {
        true => null(name),
        false => Error::new(
            MPI_ERR_ARG,
            format!("the argument {name} is MPI_IN_PLACE, which is no variable"),
        ),
    }
}

/// The status at a required pointer.
pub(crate) fn status_at<'a>(status: *mut MPI_Status) -> Result<&'a mut MPI_Status> {
    // SAFETY: a caller of MPI passes null or the address of a status of its own.
    unsafe { status.as_mut() }
        .ok_or_else(|| Error::new(MPI_ERR_ARG, "the argument status is a null pointer"))
}

/// The handle at a pointer; 0, which is no handle, if the pointer is null.
pub(crate) fn handle_at<H: Handle>(pointer: *const H) -> H {
    // SAFETY: a caller of MPI passes null or the address of a handle.
    unsafe { pointer.as_ref() }.copied().unwrap_or(H::from_raw(0))
}

/// What a required pointer points to.
pub(crate) fn input<'a, T>(pointer: *const T, name: &'static str) -> Result<&'a T> {
    // SAFETY: a caller of MPI passes null or the address of a value that stays there during the
    // call.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// The text at a required pointer.
pub(crate) fn text<'a>(pointer: *const c_char, name: &'static str) -> Result<&'a CStr> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: a caller of MPI passes a zero-terminated text that stays there during the call.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// The elements of an array argument; `MPI_ERR_ARG` if there is no array although its length is not
/// 0.
pub(crate) fn array<'a, T>(
    pointer: *const T,
    length: usize,
    name: &'static str,
) -> Result<&'a [T]> {
    if length == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: a caller of MPI passes an array of that length that stays there during the call.
    Ok(unsafe { std::slice::from_raw_parts(pointer, length) })
}

/// The elements of an array argument that a function writes.
pub(crate) fn array_mut<'a, T>(
    pointer: *mut T,
    length: usize,
    name: &'static str,
) -> Result<&'a mut [T]> {
    if length == 0 {
        return Ok(&mut []);
    }
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: as for `array`, and the caller leaves it to MPI during the call.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, length) })
}

fn null(name: &str) -> Error {
    Error::new(MPI_ERR_ARG, format!("the argument {name} is a null pointer"))
}
