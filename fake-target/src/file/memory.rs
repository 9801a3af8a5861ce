//! The program's buffers: elements of a datatype as a data stream for files.

use std::borrow::Cow;
use std::ffi::c_void;

use crate::abi::*;
use crate::datatype::{self, DatatypeRef};
use crate::error::{Error, Result};

/// Elements at an address.
pub(super) struct ElementBuffer {
    buffer: *mut c_void,
    count: MPI_Count,
    bytes: MPI_Count,
    datatype: DatatypeRef,
    handle: MPI_Datatype,
}

impl ElementBuffer {
    /// The elements of a buffer argument. Errors: `MPI_ERR_COUNT`, `MPI_ERR_TYPE`,
    /// `MPI_ERR_BUFFER`.
    #[inline]
    pub(super) fn new(
        buffer: *const c_void,
        count: MPI_Count,
        handle: MPI_Datatype,
    ) -> Result<ElementBuffer> {
        let datatype = datatype::resolve(handle)?;
        if count < 0 {
            return Err(Error::new(MPI_ERR_COUNT, format!("the count {count} is negative")));
        }
        let bytes = datatype::times(count, datatype.size())?;
        let first = buffer.wrapping_byte_offset(datatype.true_lb() as isize);
        if bytes > 0 && (first.is_null() || buffer == MPI_IN_PLACE.cast_const()) {
            return Err(Error::new(MPI_ERR_BUFFER, "the buffer is a null pointer or MPI_IN_PLACE"));
        }
        Ok(ElementBuffer { buffer: buffer.cast_mut(), count, bytes, datatype, handle })
    }

    /// The address.
    pub(super) fn address(&self) -> *mut c_void {
        self.buffer
    }

    /// The handle of [`ElementBuffer::datatype`].
    pub(super) fn handle(&self) -> MPI_Datatype {
        self.handle
    }

    /// The number of elements.
    pub(super) fn count(&self) -> MPI_Count {
        self.count
    }

    /// Bytes of data.
    pub(super) fn bytes(&self) -> MPI_Count {
        self.bytes
    }

    /// What the elements are.
    pub(super) fn datatype(&self) -> &DatatypeRef {
        &self.datatype
    }

    #[inline]
    fn block(&self) -> Option<*mut u8> {
        let offset = self.datatype.block(self.count)?;
        Some(self.buffer.wrapping_byte_offset(offset as isize).cast())
    }

    /// The bytes `from..from + length` of the data; the memory itself if it is one block.
    #[inline]
    pub(super) fn read(&self, from: usize, length: usize) -> Cow<'_, [u8]> {
        match self.block() {
            _ if length == 0 => Cow::Borrowed(&[]),
            // SAFETY: not null (`new`); the program passes a buffer with these elements and leaves
            // it alone during the call. The caller stays within `bytes`.
            Some(block) => unsafe {
                Cow::Borrowed(std::slice::from_raw_parts(block.add(from), length))
            },
            None => {
                let mut bytes = vec![0; length];
                self.datatype.pack(self.buffer, self.count, from as MPI_Count, &mut bytes);
                Cow::Owned(bytes)
            }
        }
    }

    /// Replaces data from the byte `from` on. `fill` gets `length` bytes and returns how many it
    /// has filled; the rest stays as it is. The result is that number.
    pub(super) fn fill(
        &self,
        from: usize,
        length: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize>,
    ) -> Result<usize> {
        match self.block() {
            _ if length == 0 => Ok(0),
            // SAFETY: as for `read`; the program passes a buffer to write to.
            Some(block) => fill(unsafe { std::slice::from_raw_parts_mut(block.add(from), length) }),
            None => {
                let mut bytes = vec![0; length];
                let filled = fill(&mut bytes)?;
                let data = &bytes[..filled];
                self.datatype.unpack(self.buffer, self.count, from as MPI_Count, data);
                Ok(filled)
            }
        }
    }
}
