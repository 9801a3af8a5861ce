//! What a Fortran interface tells the library about its datatypes (MPI 5.0, section 20.4). This
//! library has no Fortran interface, so nothing is known until one sets it.

use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::{Mutex, PoisonError};

use crate::abi::*;
use crate::arguments::Out;
use crate::error::{Error, Result};
use crate::info;

/// The sizes in bytes that this library can work with: those of its datatypes.
const SIZES: [(&CStr, &str); 4] = [
    (c"mpi_logical_size", "4"),
    (c"mpi_integer_size", "4"),
    (c"mpi_real_size", "4"),
    (c"mpi_double_precision_size", "8"),
];

/// Further keys, with the values true or false.
const SUPPORTED: [&CStr; 19] = [
    c"mpi_logical1_supported",
    c"mpi_logical2_supported",
    c"mpi_logical4_supported",
    c"mpi_logical8_supported",
    c"mpi_logical16_supported",
    c"mpi_integer1_supported",
    c"mpi_integer2_supported",
    c"mpi_integer4_supported",
    c"mpi_integer8_supported",
    c"mpi_integer16_supported",
    c"mpi_real2_supported",
    c"mpi_real4_supported",
    c"mpi_real8_supported",
    c"mpi_real16_supported",
    c"mpi_complex4_supported",
    c"mpi_complex8_supported",
    c"mpi_complex16_supported",
    c"mpi_complex32_supported",
    c"mpi_double_complex_supported",
];

/// The information that was set; none if nothing was set.
static SAID: Mutex<Option<Vec<(&'static CStr, CString)>>> = Mutex::new(None);
static BOOLEANS: Mutex<Option<Booleans>> = Mutex::new(None);

/// The bytes of Fortran's logical values.
struct Booleans {
    yes: Vec<u8>,
    no: Vec<u8>,
}

fn abi(message: &'static str) -> Error {
    Error::new(MPI_ERR_ABI, message)
}

/// `MPI_Abi_set_fortran_info`: once.
pub(crate) fn abi_set_fortran_info(info: MPI_Info) -> Result {
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.is_some() {
        return Err(abi("the Fortran interface has been described before"));
    }
    let mut values = Vec::new();
    for (key, own) in SIZES {
        match info::hint(info, key)? {
            Some(value) if value != own => {
                return Err(abi("a size of the Fortran interface is not that of this library"));
            }
            Some(value) => values.push((key, CString::new(value).unwrap_or_default())),
            None => {}
        }
    }
    for key in SUPPORTED {
        if let Some(value) = info::hint(info, key)? {
            values.push((key, CString::new(value).unwrap_or_default()));
        }
    }
    *said = Some(values);
    Ok(())
}

/// `MPI_Abi_get_fortran_info`: `MPI_INFO_NULL` if nothing was set.
pub(crate) fn abi_get_fortran_info(info: Out<MPI_Info>) -> Result {
    let said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(values) = &*said else {
        info.set(MPI_INFO_NULL);
        return Ok(());
    };
    info::create(info)?;
    values.iter().try_for_each(|(key, value)| info::set(info.get(), key, value))
}

/// The bytes of a logical value; `MPI_ERR_ARG` for a null pointer or a size that no kind has.
fn bytes_of(size: c_int, value: *const c_void) -> Result<Vec<u8>> {
    if ![1, 2, 4, 8, 16].contains(&size) {
        return Err(Error::new(MPI_ERR_ARG, format!("no logical kind has {size} bytes")));
    }
    let bytes = crate::arguments::array(value.cast::<u8>(), size as usize, "logical")?;
    Ok(bytes.to_vec())
}

/// `MPI_Abi_set_fortran_booleans`: once.
pub(crate) fn abi_set_fortran_booleans(
    logical_size: c_int,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
) -> Result {
    let (yes, no) = (bytes_of(logical_size, logical_true)?, bytes_of(logical_size, logical_false)?);
    let mut booleans = BOOLEANS.lock().unwrap_or_else(PoisonError::into_inner);
    if booleans.is_some() {
        return Err(abi("the truth values of the Fortran interface have been set before"));
    }
    *booleans = Some(Booleans { yes, no });
    Ok(())
}

/// `MPI_Abi_get_fortran_booleans`
pub(crate) fn abi_get_fortran_booleans(
    logical_size: c_int,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
    is_set: Out<c_int>,
) -> Result {
    let booleans = BOOLEANS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = booleans.as_ref().filter(|known| known.yes.len() as c_int == logical_size);
    is_set.set(known.is_some().into());
    let Some(known) = known else { return Ok(()) };
    for (to, from) in [(logical_true, &known.yes), (logical_false, &known.no)] {
        let to = crate::arguments::array_mut(to.cast::<u8>(), from.len(), "logical")?;
        to.copy_from_slice(from);
    }
    Ok(())
}
