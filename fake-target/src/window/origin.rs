//! The origin's buffers of an operation.

use std::borrow::Cow;
use std::ffi::c_void;

use super::place::elements;
use crate::abi::*;
use crate::datatype::DatatypeRef;
use crate::engine::payload::Payload;
use crate::error::{Error, Result};

/// Elements of this process.
pub(super) struct OriginBuffer {
    payload: Payload,
    pub(super) datatype: DatatypeRef,
}

impl OriginBuffer {
    /// A buffer argument. Errors: `MPI_ERR_COUNT`, `MPI_ERR_TYPE`, `MPI_ERR_BUFFER`.
    pub(super) fn new(
        buffer: *const c_void,
        count: MPI_Count,
        handle: MPI_Datatype,
    ) -> Result<OriginBuffer> {
        let datatype = elements(count, handle)?;
        let payload = Payload::elements(buffer.cast_mut(), count, datatype.clone(), handle);
        let first = buffer.wrapping_byte_offset(datatype.true_lb() as isize);
        let unusable = first.is_null() || buffer == MPI_IN_PLACE.cast_const();
        if payload.length() > 0 && unusable {
            return Err(Error::new(MPI_ERR_BUFFER, "the buffer is a null pointer"));
        }
        Ok(OriginBuffer { payload, datatype })
    }

    /// No elements.
    pub(super) fn none(datatype: DatatypeRef) -> OriginBuffer {
        OriginBuffer { payload: Payload::EMPTY, datatype }
    }

    /// Bytes of data.
    pub(super) fn bytes(&self) -> usize {
        self.payload.length()
    }

    /// The data as a stream.
    pub(super) fn read(&self) -> Cow<'_, [u8]> {
        match self.payload.piece(0, self.bytes()) {
            _ if self.bytes() == 0 => Cow::Borrowed(&[]),
            Some(data) => Cow::Borrowed(data),
            None => {
                let mut data = vec![0; self.bytes()];
                self.payload.gather(0, &mut data);
                Cow::Owned(data)
            }
        }
    }

    /// Replaces the first `bytes` of the data by what `fill` puts there.
    pub(super) fn fill(&mut self, bytes: usize, fill: impl FnOnce(&mut [u8]) -> Result) -> Result {
        if let Some(block) = self.payload.block(bytes) {
            return fill(block);
        }
        let mut data = vec![0; bytes];
        fill(&mut data)?;
        self.payload.scatter(0, &data);
        Ok(())
    }
}
