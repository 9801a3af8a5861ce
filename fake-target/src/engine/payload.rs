//! The program's data of a send or a receive.

use crate::abi::{MPI_BYTE, MPI_Count, MPI_DATATYPE_NULL, MPI_Datatype};
use crate::copying;
use crate::datatype::DatatypeRef;
use crate::debug::queues::mqdrt_datatype;
use std::ffi::c_void;
use std::ptr;

/// Where the data of a message are in this process's memory.
///
/// The program promises (MPI 5.0, section 3.7.2) to leave the buffer in place until the operation
/// is complete; every access relies on that.
#[derive(Clone)]
pub(crate) struct Payload {
    /// The buffer as the call gave it.
    buffer: *mut c_void,
    /// Elements as the call gave them.
    count: MPI_Count,
    /// The datatype of the elements; none for the runtime's own bytes.
    datatype: Option<DatatypeRef>,
    /// The handle of the datatype as the call gave it.
    handle: MPI_Datatype,
    /// Bytes of data.
    length: usize,
    /// The data are one block; otherwise the datatype says where they are.
    dense: bool,
    /// The data are no longer in the call's buffer.
    moved: bool,
    /// The sender should not help with the copy.
    alone: bool,
    /// The bounce buffer that holds the data, as in an envelope; 0: none.
    bounce: u16,
    /// The first byte of the block.
    block: *mut u8,
}

impl Payload {
    /// No data.
    pub(crate) const EMPTY: Payload = Payload {
        buffer: ptr::null_mut(),
        count: 0,
        datatype: None,
        handle: MPI_DATATYPE_NULL,
        length: 0,
        dense: true,
        moved: false,
        alone: false,
        bounce: 0,
        block: ptr::null_mut(),
    };

    /// Becomes the same as another one, field by field. A copy of the whole would stall on the
    /// stores that made the other one.
    #[inline]
    pub(super) fn take_on(&mut self, other: &Payload) {
        let Payload { buffer, count, datatype, handle, length, dense, .. } = other;
        let Payload { moved, alone, bounce, block, .. } = other;
        self.datatype.clone_from(datatype);
        (self.buffer, self.count, self.handle) = (*buffer, *count, *handle);
        (self.length, self.dense, self.moved) = (*length, *dense, *moved);
        (self.alone, self.bounce, self.block) = (*alone, *bounce, *block);
    }

    /// The runtime's own bytes.
    pub(crate) fn bytes(buffer: *mut u8, length: usize) -> Payload {
        let count = length as MPI_Count;
        Payload {
            buffer: buffer.cast(),
            count,
            handle: MPI_BYTE,
            length,
            block: buffer,
            ..Payload::EMPTY
        }
    }

    /// `count` elements in the program's buffer; the count is not negative, and `handle` is that of
    /// the datatype.
    #[inline]
    pub(crate) fn elements(
        buffer: *mut c_void,
        count: MPI_Count,
        datatype: DatatypeRef,
        handle: MPI_Datatype,
    ) -> Payload {
        let length = (count * datatype.size()) as usize;
        let offset = if length == 0 { Some(0) } else { datatype.block(count) };
        let block = buffer.wrapping_byte_offset(offset.unwrap_or(0) as isize).cast();
        let dense = offset.is_some();
        Payload {
            buffer,
            count,
            datatype: Some(datatype),
            handle,
            length,
            dense,
            moved: false,
            alone: false,
            bounce: 0,
            block,
        }
    }

    /// The same data to receive, without the help of the sender. The sender receives something
    /// itself, or the memory to write is in the cache of this processor.
    pub(crate) fn alone(self) -> Payload {
        Payload { alone: true, ..self }
    }

    /// The same data to send, copied to a bounce buffer: see [`Payload::moved_to`].
    pub(super) fn bounced_to(&self, to: *mut u8, bounce: u16) -> Payload {
        Payload { bounce, ..self.moved_to(to) }
    }

    /// The bounce buffer that holds the data, as in an envelope.
    pub(super) fn bounce(&self) -> u16 {
        self.bounce
    }

    /// Whether the sender is to leave the copy to the receiver.
    pub(super) fn is_alone(&self) -> bool {
        self.alone
    }

    /// The buffer as the call gave it.
    pub(crate) fn buffer(&self) -> *mut c_void {
        self.buffer
    }

    /// Where the data are now: in that buffer, or where they have been copied to.
    pub(crate) fn place(&self) -> *mut c_void {
        if self.moved { self.block.cast() } else { self.buffer }
    }

    /// The datatype's handle as the call gave it.
    pub(crate) fn handle(&self) -> MPI_Datatype {
        self.handle
    }

    /// Elements as the call gave them.
    pub(crate) fn count(&self) -> MPI_Count {
        self.count
    }

    /// Bytes of data.
    #[inline]
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// The datatype, as debuggers see it.
    pub(crate) fn datatype(&self) -> *const mqdrt_datatype {
        self.datatype.as_ref().map_or(ptr::null(), |datatype| ptr::from_ref(datatype.head()))
    }

    /// Whether the first `bytes` of the data end with an element of a predefined datatype.
    pub(super) fn is_whole(&self, bytes: i64) -> bool {
        self.datatype.as_ref().is_none_or(|datatype| datatype.elements_in(bytes).is_some())
    }

    /// Whether the data are one block.
    #[inline]
    pub(crate) fn is_dense(&self) -> bool {
        self.dense
    }

    /// The address of the data if they are one block; otherwise 0.
    pub(crate) fn address(&self) -> u64 {
        if self.dense { self.block.addr() as u64 } else { 0 }
    }

    /// The first `bytes` of the data to receive, if they are one block.
    pub(crate) fn block(&mut self, bytes: usize) -> Option<&mut [u8]> {
        if !self.dense || bytes > self.length || self.block.is_null() {
            return None;
        }
        // SAFETY: the program's buffer holds `length` bytes from `block`, and is the operation's
        // own until that is complete.
        Some(unsafe { std::slice::from_raw_parts_mut(self.block, bytes) })
    }

    /// `bytes` of the data to send from `offset` on, if they are one block.
    pub(crate) fn piece(&self, offset: usize, bytes: usize) -> Option<&[u8]> {
        if !self.dense || offset.checked_add(bytes)? > self.length || self.block.is_null() {
            return None;
        }
        // SAFETY: as for `block`; a buffer to send is not written by anybody meanwhile.
        Some(unsafe { std::slice::from_raw_parts(self.block.add(offset), bytes) })
    }

    /// Copies the data from `offset` on into `to`.
    #[inline]
    pub(crate) fn gather(&self, offset: usize, to: &mut [u8]) {
        debug_assert!(offset + to.len() <= self.length);
        if self.dense {
            // SAFETY: as for `block`; a buffer to send is not written by anybody meanwhile.
            unsafe { copying::copy(self.block.add(offset), to.as_mut_ptr(), to.len()) }
        } else if let Some(datatype) = &self.datatype {
            datatype.pack(self.buffer, self.count, offset as MPI_Count, to);
        }
    }

    /// Copies `from` into the data at `offset`; what goes beyond the end is dropped.
    #[inline]
    pub(crate) fn scatter(&self, offset: usize, from: &[u8]) {
        let bytes = from.len().min(self.length.saturating_sub(offset));
        if bytes == 0 {
            return;
        }
        if self.dense {
            // SAFETY: as for `block`. The source may be the program's too (a message to itself), so
            // they might even overlap.
            unsafe { copying::copy(from.as_ptr(), self.block.add(offset), bytes) }
        } else if let Some(datatype) = &self.datatype {
            datatype.unpack(self.buffer, self.count, offset as MPI_Count, &from[..bytes]);
        }
    }

    /// The same data, copied to `to`, which must have room for [`Payload::length`] bytes.
    pub(crate) fn moved_to(&self, to: *mut u8) -> Payload {
        if self.length > 0 {
            // SAFETY: the caller gives that much memory.
            self.gather(0, unsafe { std::slice::from_raw_parts_mut(to, self.length) });
        }
        Payload { block: to, dense: true, moved: true, ..self.clone() }
    }

    /// Forgets the datatype.
    pub(crate) fn forget(&mut self) {
        self.datatype = None;
    }
}

/// Copies between two buffers of this process, as much as fits.
pub(super) fn copy(from: &Payload, to: &Payload) {
    const PIECE: usize = 64 << 10;
    let length = from.length.min(to.length);
    if from.dense {
        if length > 0 {
            // SAFETY: as for `Payload::block`.
            to.scatter(0, unsafe { std::slice::from_raw_parts(from.block, length) });
        }
        return;
    }
    let mut piece = vec![0; length.min(PIECE)];
    for start in (0..length).step_by(PIECE) {
        let piece = &mut piece[..(length - start).min(PIECE)];
        from.gather(start, piece);
        to.scatter(start, piece);
    }
}
