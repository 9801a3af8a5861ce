//! The program's buffers in collective operations: elements of a datatype as bytes.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use crate::abi::*;
use crate::copying;
use crate::datatype::{self, DatatypeRef};
use crate::engine::internal::{Partner, Transfer};
use crate::engine::payload::Payload;
use crate::error::{Error, Result};

/// Elements at an address.
#[derive(Clone)]
pub(super) struct Elements {
    buffer: *mut c_void,
    count: MPI_Count,
    datatype: DatatypeRef,
    handle: MPI_Datatype,
}

/// Whether an argument is `MPI_IN_PLACE`.
pub(super) fn in_place(buffer: *const c_void) -> bool {
    buffer == MPI_IN_PLACE.cast_const()
}

impl Elements {
    /// The elements of a buffer argument. Errors: `MPI_ERR_COUNT`, `MPI_ERR_TYPE`,
    /// `MPI_ERR_BUFFER`.
    #[inline(always)]
    pub(super) fn new(
        buffer: *const c_void,
        count: MPI_Count,
        handle: MPI_Datatype,
    ) -> Result<Self> {
        let datatype = datatype::resolve(handle)?;
        let elements = Elements { buffer: buffer.cast_mut(), count, datatype, handle };
        elements.check()?;
        Ok(elements)
    }

    /// A buffer argument of which parts are used: `part` says which.
    #[inline]
    pub(super) fn base(buffer: *const c_void, handle: MPI_Datatype) -> Result<Self> {
        Self::new(buffer, 0, handle)
    }

    #[inline]
    fn check(&self) -> Result {
        let has_memory = |bytes| bytes == 0 || !self.first().is_null();
        let is_valid = self.count >= 0
            && !in_place(self.buffer)
            && self.count.checked_mul(self.datatype.size()).is_some_and(has_memory);
        if is_valid { Ok(()) } else { Err(self.error()) }
    }

    /// What [`Elements::check`] has found.
    #[cold]
    fn error(&self) -> Error {
        if self.count < 0 {
            return Error::new(MPI_ERR_COUNT, format!("the count {} is negative", self.count));
        }
        if self.count.checked_mul(self.datatype.size()).is_none() {
            let message = format!("{} elements are more than memory has", self.count);
            return Error::new(MPI_ERR_COUNT, message);
        }
        if in_place(self.buffer) {
            return Error::new(MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning for this buffer");
        }
        Error::new(MPI_ERR_BUFFER, "the buffer is a null pointer")
    }

    /// The address of the first byte of data.
    #[inline]
    fn first(&self) -> *mut c_void {
        self.buffer.wrapping_byte_offset(self.datatype.true_lb() as isize)
    }

    /// `count` elements from the element number `displacement` on.
    #[inline]
    pub(super) fn part(&self, displacement: MPI_Count, count: MPI_Count) -> Result<Self> {
        let offset = displacement.wrapping_mul(self.datatype.extent());
        self.at(offset, count)
    }

    /// `count` elements from `offset` bytes on.
    #[inline]
    pub(super) fn at(&self, offset: MPI_Count, count: MPI_Count) -> Result<Self> {
        let part = Elements {
            buffer: self.buffer.wrapping_byte_offset(offset as isize),
            count,
            ..self.clone()
        };
        part.check()?;
        Ok(part)
    }

    /// The data of as many elements, which come after that many blocks of them. They need no check
    /// if the first block has passed it.
    #[inline]
    pub(super) fn block_payload(&self, index: c_int) -> Payload {
        self.payload_at(self.offset_of_block(index))
    }

    /// The elements of the same block.
    #[inline]
    pub(super) fn block_elements(&self, index: c_int) -> Elements {
        let offset = self.offset_of_block(index) as isize;
        Elements { buffer: self.buffer.wrapping_byte_offset(offset), ..self.clone() }
    }

    #[inline]
    fn offset_of_block(&self, index: c_int) -> MPI_Count {
        MPI_Count::from(index).wrapping_mul(self.count).wrapping_mul(self.datatype.extent())
    }

    /// Bytes of data.
    #[inline]
    pub(super) fn bytes(&self) -> usize {
        (self.count * self.datatype.size()) as usize
    }

    /// The number of elements.
    pub(super) fn count(&self) -> MPI_Count {
        self.count
    }

    /// The address of the elements.
    pub(super) fn address(&self) -> *mut c_void {
        self.buffer
    }

    /// What the elements are.
    pub(super) fn datatype(&self) -> &DatatypeRef {
        &self.datatype
    }

    /// The elements as the data of a message; as bytes if they are one block.
    #[inline]
    pub(super) fn payload(&self) -> Payload {
        self.payload_at(0)
    }

    #[inline]
    fn payload_at(&self, offset: MPI_Count) -> Payload {
        let offset = offset as isize;
        match self.block() {
            Some(block) => Payload::bytes(block.wrapping_offset(offset), self.bytes()),
            None => {
                let buffer = self.buffer.wrapping_byte_offset(offset);
                Payload::elements(buffer, self.count, self.datatype.clone(), self.handle)
            }
        }
    }

    /// The handle of [`Elements::datatype`].
    pub(super) fn handle(&self) -> MPI_Datatype {
        self.handle
    }

    #[inline]
    fn block(&self) -> Option<*mut u8> {
        let offset = self.datatype.block(self.count)?;
        Some(self.buffer.wrapping_byte_offset(offset as isize).cast())
    }

    /// The data as a stream of bytes; the memory itself if they are one block.
    #[inline(always)]
    pub(super) fn read(&self) -> Cow<'_, [u8]> {
        match self.block() {
            _ if self.bytes() == 0 => Cow::Borrowed(&[]),
            Some(block) => {
                // SAFETY: not null (`check`); the program passes a buffer with these elements and
                // leaves it alone during the call.
                Cow::Borrowed(unsafe { std::slice::from_raw_parts(block, self.bytes()) })
            }
            None => {
                let mut bytes = vec![0; self.bytes()];
                self.datatype.pack(self.buffer, self.count, 0, &mut bytes);
                Cow::Owned(bytes)
            }
        }
    }

    /// Replaces the data by what `fill` puts into the bytes it is given.
    pub(super) fn fill(&self, fill: impl FnOnce(&mut [u8]) -> Result) -> Result {
        match self.block() {
            _ if self.bytes() == 0 => fill(&mut []),
            // SAFETY: as for `read`; the program passes a buffer to write to.
            Some(block) => fill(unsafe { std::slice::from_raw_parts_mut(block, self.bytes()) }),
            None => {
                let mut bytes = vec![0; self.bytes()];
                fill(&mut bytes)?;
                self.datatype.unpack(self.buffer, self.count, 0, &bytes);
                Ok(())
            }
        }
    }

    /// Copies the data of other elements, which have as many bytes. If the memory overlaps, both
    /// are the same elements.
    #[inline]
    pub(super) fn copy_from(&self, from: &Elements) -> Result {
        if self.bytes() < from.bytes() {
            return Err(truncated(from.bytes(), self.bytes()));
        }
        let data = from.read();
        if let Some(block) = self.block() {
            if !data.is_empty() {
                // SAFETY: both are as long as the data; `copy` allows overlap.
                unsafe { copying::copy(data.as_ptr(), block, data.len()) };
            }
            return Ok(());
        }
        self.datatype.unpack(self.buffer, self.count, 0, &data);
        Ok(())
    }

    /// `MPI_ERR_BUFFER` if the program gives the same memory for sending and receiving, which is
    /// allowed only with `MPI_IN_PLACE` (MPI 5.0, section 2.3).
    #[inline]
    pub(super) fn apart_from(self, other: &Elements) -> Result<Elements> {
        self.check_apart_from(other)?;
        Ok(self)
    }

    /// The same without a move: to move what was just made takes long.
    #[inline]
    pub(super) fn check_apart_from(&self, other: &Elements) -> Result {
        // The addresses of the data are compared, since both buffers may be MPI_BOTTOM.
        if self.bytes() > 0 && other.bytes() > 0 && self.first() == other.first() {
            return Err(same_buffer());
        }
        Ok(())
    }

    /// Starts to send the data to a partner.
    pub(super) fn start_send(&self, to: Partner, tag: c_int) -> Transfer<'_> {
        to.isend_data(tag, self.payload())
    }

    /// Sends the data to a partner.
    pub(super) fn send(&self, to: Partner, tag: c_int) -> Result {
        self.start_send(to, tag).wait()
    }

    /// Receives the data from a partner.
    pub(super) fn receive(&self, from: Partner, tag: c_int) -> Result {
        from.receive_data(tag, self.payload())
    }

    /// The same if every process receives and combines: see [`Payload::alone`].
    pub(super) fn receive_alone(&self, from: Partner, tag: c_int) -> Result {
        from.receive_data(tag, self.payload().alone())
    }
}

#[cold]
fn same_buffer() -> Error {
    let message = "the same buffer is to be sent and received; MPI_IN_PLACE would say so";
    Error::new(MPI_ERR_BUFFER, message)
}

#[cold]
fn truncated(from: usize, to: usize) -> Error {
    Error::new(MPI_ERR_TRUNCATE, format!("{from} bytes do not fit a buffer for {to}"))
}

/// The bytes to leave out at the beginning of memory that is aligned for any datatype, for data
/// that begin `low` bytes behind the address of their elements. The address has to be aligned, not
/// the data: reductions of the program get it.
fn left_out(low: isize) -> usize {
    low.rem_euclid(align_of::<u128>() as isize) as usize
}

/// Memory for elements, for the time of an operation.
pub(super) struct Scratch {
    elements: Elements,
    // Aligned for any datatype; accessed only through `elements`.
    memory: Vec<u128>,
}

/// The most memory that a thread keeps for the next operations: the number of pieces, and the bytes
/// of each. The system takes longer to provide fresh memory than a reduction takes to fill it.
const KEPT: usize = 8;
const LARGEST_KEPT: usize = 8 << 20;

thread_local! {
    static MEMORY: RefCell<Vec<Vec<u128>>> = const { RefCell::new(Vec::new()) };
}

/// This much memory, with unspecified content.
fn memory(words: usize) -> Result<Vec<u128>> {
    let kept = MEMORY.try_with(|kept| {
        let mut kept = kept.borrow_mut();
        let large = |memory: &Vec<u128>| (words..=4 * words + 64).contains(&memory.len());
        let place = kept.iter().position(large)?;
        Some(kept.swap_remove(place))
    });
    if let Ok(Some(memory)) = kept {
        return Ok(memory);
    }
    let mut memory: Vec<u128> = Vec::new();
    memory.try_reserve_exact(words).map_err(|_| {
        Error::new(
            MPI_ERR_NO_MEM,
            format!("{} bytes cannot be allocated", words * size_of::<u128>()),
        )
    })?;
    memory.resize(words, 0);
    Ok(memory)
}

impl Scratch {
    /// Room for as many elements of the same datatype as `like` has.
    pub(super) fn like(like: &Elements) -> Result<Self> {
        let datatype = &like.datatype;
        let last = (like.count - 1).max(0).saturating_mul(datatype.extent());
        let low = datatype.true_lb().saturating_add(last.min(0));
        let high =
            datatype.true_lb().saturating_add(datatype.true_extent()).saturating_add(last.max(0));
        let low = low as isize;
        let begin = left_out(low);
        let bytes = (high.saturating_sub(low as MPI_Count) as usize).saturating_add(begin);
        let mut memory = memory(bytes.div_ceil(size_of::<u128>()).max(1))?;
        let data = memory.as_mut_ptr().cast::<c_void>().wrapping_byte_add(begin);
        let buffer = data.wrapping_byte_offset(low.wrapping_neg());
        Ok(Scratch { elements: Elements { buffer, ..like.clone() }, memory })
    }

    /// The elements.
    pub(super) fn elements(&self) -> &Elements {
        &self.elements
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if size_of_val(&self.memory[..]) > LARGEST_KEPT {
            return;
        }
        let memory = std::mem::take(&mut self.memory);
        // A thread that is ending keeps nothing.
        let _ = MEMORY.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            if kept.len() == KEPT {
                kept.remove(0);
            }
            kept.push(memory);
        });
    }
}

/// Memory for a few elements in the frame of a function: it is there at once.
pub(super) struct Near([MaybeUninit<u128>; 16]);

impl Near {
    #[inline]
    pub(super) fn new() -> Near {
        Near([MaybeUninit::uninit(); 16])
    }
}

/// Room for the elements of another process while they are combined.
pub(super) struct Operand<'a> {
    elements: Elements,
    _near: PhantomData<&'a mut Near>,
    _scratch: Option<Scratch>,
}

impl<'a> Operand<'a> {
    /// Room for as many elements of the same datatype as `like` has, near by if they fit there.
    #[inline]
    pub(super) fn new(near: &'a mut Near, like: &Elements) -> Result<Self> {
        let low = like.datatype.block(like.count).map(|low| (low as isize, left_out(low as isize)));
        let fits = |&(_, begin): &(isize, usize)| begin + like.bytes() <= size_of::<Near>();
        let (elements, scratch) = match low.filter(fits) {
            Some((low, begin)) => {
                let data = near.0.as_mut_ptr().wrapping_byte_add(begin);
                let buffer = data.wrapping_byte_offset(low.wrapping_neg()).cast();
                (Elements { buffer, ..like.clone() }, None)
            }
            None => {
                let scratch = Scratch::like(like)?;
                (scratch.elements().clone(), Some(scratch))
            }
        };
        Ok(Operand { elements, _near: PhantomData, _scratch: scratch })
    }

    /// The elements.
    #[inline]
    pub(super) fn elements(&self) -> &Elements {
        &self.elements
    }
}
