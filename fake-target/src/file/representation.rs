//! Data representations (MPI 5.0, section 14.5): how data are represented in a file.

use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex, PoisonError};

use super::memory::ElementBuffer;
use crate::abi::*;
use crate::datatype::{self, DatatypeRef};
use crate::error::{Error, Result};

/// How data are represented in a file.
#[derive(Clone)]
pub(super) enum Representation {
    /// As in memory.
    Native,
    /// As in memory, which is enough for one machine.
    Internal,
    /// Big-endian, with sizes that do not depend on the machine.
    External32,
    /// As functions of the program say.
    OfProgram(Arc<Registered>),
}

/// A function of the program that converts data: with an int for a count, or with an `MPI_Count`.
#[derive(Clone, Copy)]
pub(super) enum Conversion {
    Int(MPI_Datarep_conversion_function),
    Count(MPI_Datarep_conversion_function_c),
}

/// A representation that the program has registered.
pub(super) struct Registered {
    name: String,
    /// Its number among the program's representations.
    number: i64,
    read: Conversion,
    write: Conversion,
    extent: MPI_Datarep_extent_function,
    extra_state: usize,
}

static REGISTERED: Mutex<Vec<Arc<Registered>>> = Mutex::new(Vec::new());

const PREDEFINED: [&[u8]; 3] = [b"native", b"internal", b"external32"];

impl Representation {
    /// The representation with that name; `MPI_ERR_UNSUPPORTED_DATAREP` if there is none.
    pub(super) fn named(name: &CStr) -> Result<Representation> {
        match name.to_bytes() {
            b"native" => return Ok(Representation::Native),
            b"internal" => return Ok(Representation::Internal),
            b"external32" => return Ok(Representation::External32),
            _ => {}
        }
        let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
        let found = registered.iter().find(|one| one.name.as_bytes() == name.to_bytes());
        found.map(|one| Representation::OfProgram(one.clone())).ok_or_else(|| {
            let message = format!("there is no data representation {name:?}");
            Error::new(MPI_ERR_UNSUPPORTED_DATAREP, message)
        })
    }

    /// Its name.
    pub(super) fn name(&self) -> String {
        match self {
            Representation::Native => "native".to_owned(),
            Representation::Internal => "internal".to_owned(),
            Representation::External32 => "external32".to_owned(),
            Representation::OfProgram(registered) => registered.name.clone(),
        }
    }

    /// A number for the comparison of the choices of two processes.
    pub(super) fn number(&self) -> i64 {
        match self {
            Representation::Native => 0,
            Representation::Internal => 1,
            Representation::External32 => 2,
            Representation::OfProgram(registered) => 3 + registered.number,
        }
    }

    /// Whether data are the same in the file as in memory.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Representation::Native | Representation::Internal)
    }

    /// The size in bytes that the data of a buffer have in the file.
    #[inline]
    pub(super) fn bytes_of(&self, memory: &ElementBuffer) -> Result<MPI_Count> {
        if self.is_plain() {
            return Ok(memory.bytes());
        }
        datatype::times(memory.count(), self.size(memory.datatype())?)
    }

    /// The bytes of data of an element in a file.
    pub(super) fn size(&self, datatype: &DatatypeRef) -> Result<MPI_Count> {
        match self {
            Representation::Native | Representation::Internal => Ok(datatype.size()),
            Representation::External32 => datatype.external_size(),
            Representation::OfProgram(registered) => registered.size(datatype),
        }
    }

    /// A datatype as it lies in a file.
    pub(super) fn in_file(&self, datatype: &DatatypeRef) -> Result<DatatypeRef> {
        match self.is_plain() {
            true => Ok(datatype.clone()),
            false => datatype.with_sizes(&mut |basic| self.size(basic)),
        }
    }

    /// The data of a buffer as they are in a file, where they have `bytes` bytes.
    pub(super) fn encode(&self, memory: &ElementBuffer, bytes: usize) -> Result<Vec<u8>> {
        let mut data = vec![0; bytes];
        match self {
            Representation::External32 => {
                memory.datatype().pack_external(memory.address(), memory.count(), &mut data);
            }
            Representation::OfProgram(registered) if registered.write.is_some() => {
                registered.convert(registered.write, memory, memory.count(), &mut data)?;
            }
            _ => {
                memory.datatype().pack(memory.address(), memory.count(), 0, &mut data);
            }
        }
        Ok(data)
    }

    /// Converts elements from a file into a buffer. The result is their number of bytes in memory.
    /// If the data end within an element, its basic elements count in "external32", and nothing of
    /// it in the program's representations.
    pub(super) fn decode(&self, memory: &ElementBuffer, data: &mut [u8]) -> Result<MPI_Count> {
        let size = self.size(memory.datatype())?;
        if size == 0 {
            return Ok(0);
        }
        let bytes = data.len() as MPI_Count;
        let count = bytes / size;
        if matches!(self, Representation::External32) {
            let begun = count + MPI_Count::from(bytes % size > 0);
            let read = memory.datatype().unpack_external(memory.address(), begun, data);
            return Ok(read as MPI_Count);
        }
        let data = &mut data[..(count * size) as usize];
        match self {
            Representation::OfProgram(registered) if registered.read.is_some() => {
                registered.convert(registered.read, memory, count, data)?;
            }
            _ => {
                memory.datatype().unpack(memory.address(), count, 0, data);
            }
        }
        Ok(count * memory.datatype().size())
    }
}

impl Conversion {
    fn is_some(self) -> bool {
        match self {
            Conversion::Int(function) => function.is_some(),
            Conversion::Count(function) => function.is_some(),
        }
    }
}

fn failed(code: std::ffi::c_int) -> Result {
    match code {
        MPI_SUCCESS => Ok(()),
        _ => {
            let message = format!("a function of the data representation returned {code}");
            Err(Error::new(MPI_ERR_CONVERSION, message))
        }
    }
}

impl Registered {
    fn extra_state(&self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.extra_state)
    }

    /// Bytes of an element in the file: the sum over its predefined datatypes, which the program's
    /// function knows.
    fn size(&self, datatype: &DatatypeRef) -> Result<MPI_Count> {
        let mut sum: MPI_Count = 0;
        let mut outcome = Ok(());
        datatype.each_predefined(&mut |handle, count| {
            let mut extent: MPI_Aint = 0;
            if let (Some(function), Ok(())) = (self.extent, &outcome) {
                // SAFETY: the program registered the function for this; the address is that of a
                // variable here.
                outcome = failed(unsafe { function(handle, &mut extent, self.extra_state()) });
            }
            sum = sum.saturating_add(count.saturating_mul(extent as MPI_Count));
        });
        outcome.map(|()| sum)
    }

    /// Has the program convert elements between a buffer and data of the file.
    fn convert(
        &self,
        conversion: Conversion,
        memory: &ElementBuffer,
        count: MPI_Count,
        data: &mut [u8],
    ) -> Result {
        let (user, file) = (memory.address(), data.as_mut_ptr().cast());
        let (handle, state) = (memory.handle(), self.extra_state());
        // SAFETY: the program registered the functions for this; both buffers have the elements.
        failed(unsafe {
            match conversion {
                Conversion::Int(Some(function)) => {
                    let small = count.try_into().map_err(|_| {
                        let message =
                            format!("the conversion function cannot take {count} elements");
                        Error::new(MPI_ERR_CONVERSION, message)
                    })?;
                    function(user, handle, small, file, 0, state)
                }
                Conversion::Count(Some(function)) => function(user, handle, count, file, 0, state),
                _ => MPI_SUCCESS,
            }
        })
    }
}

/// `MPI_Register_datarep`
pub(crate) fn register_datarep(
    datarep: &CStr,
    read: MPI_Datarep_conversion_function,
    write: MPI_Datarep_conversion_function,
    extent: MPI_Datarep_extent_function,
    extra_state: *mut c_void,
) -> Result {
    register(datarep, Conversion::Int(read), Conversion::Int(write), extent, extra_state)
}

/// `MPI_Register_datarep_c`
pub(crate) fn register_datarep_c(
    datarep: &CStr,
    read: MPI_Datarep_conversion_function_c,
    write: MPI_Datarep_conversion_function_c,
    extent: MPI_Datarep_extent_function,
    extra_state: *mut c_void,
) -> Result {
    register(datarep, Conversion::Count(read), Conversion::Count(write), extent, extra_state)
}

fn register(
    datarep: &CStr,
    read: Conversion,
    write: Conversion,
    extent: MPI_Datarep_extent_function,
    extra_state: *mut c_void,
) -> Result {
    let name = datarep.to_bytes();
    if name.is_empty() || name.len() >= MPI_MAX_DATAREP_STRING as usize {
        return Err(Error::new(MPI_ERR_ARG, "the name of a data representation is 1 to 127 bytes"));
    }
    if extent.is_none() {
        return Err(Error::new(MPI_ERR_ARG, "the function for extents is a null pointer"));
    }
    let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    if PREDEFINED.contains(&name) || registered.iter().any(|one| one.name.as_bytes() == name) {
        let message = format!("there is a data representation {datarep:?} already");
        return Err(Error::new(MPI_ERR_DUP_DATAREP, message));
    }
    let number = registered.len() as i64;
    let name = datarep.to_string_lossy().into_owned();
    let extra_state = extra_state.expose_provenance();
    registered.push(Arc::new(Registered { name, number, read, write, extent, extra_state }));
    Ok(())
}
