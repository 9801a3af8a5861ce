//! The buffers that the program attaches for buffered sends (MPI 5.0, section 3.6).

use super::Engine;
use super::context::Context;
use super::request::{Operation, Owner, Request};
use crate::abi::MPI_BSEND_OVERHEAD;
use crate::debug::queues::{Kind, State};
use crate::mpi_t::pvar::counters::{BUFFERED_BYTES, BUFFERED_MESSAGES};
use std::cell::RefCell;
use std::ffi::c_void;

/// A buffer for messages that their sends have left behind.
pub(crate) enum Buffer {
    /// The program's memory.
    Attached {
        /// The address.
        address: *mut c_void,
        /// Bytes.
        size: usize,
        /// The places in use, in their order: offset and bytes.
        taken: Vec<(usize, usize)>,
    },
    /// `MPI_BUFFER_AUTOMATIC`: each message has memory of its own, the runtime's. The number of
    /// messages.
    Automatic(usize),
}

/// The place of a message in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Bytes from the buffer's address.
    offset: usize,
    /// Bytes taken, with the overhead.
    bytes: usize,
    /// In the buffer of the communicator, not in that of the process.
    of_communicator: bool,
    /// Where the program has the data.
    data: *mut c_void,
}

impl Buffer {
    /// The program's memory as a buffer.
    pub(crate) fn new(address: *mut c_void, size: usize) -> Buffer {
        Buffer::Attached { address, size, taken: Vec::new() }
    }

    /// Bytes of the program's memory.
    pub(crate) fn size(&self) -> usize {
        if let Buffer::Attached { size, .. } = self { *size } else { 0 }
    }

    fn is_empty(&self) -> bool {
        match self {
            Buffer::Attached { taken, .. } => taken.is_empty(),
            Buffer::Automatic(messages) => *messages == 0,
        }
    }

    /// The first gap for `bytes` of data and the overhead that the standard lets each message have:
    /// its offset, and its number among the places.
    fn gap(&self, bytes: usize) -> Option<(usize, usize)> {
        let Buffer::Attached { size, taken, .. } = self else { return Some((0, 0)) };
        let needed = bytes + MPI_BSEND_OVERHEAD as usize;
        let ends = std::iter::once(0).chain(taken.iter().map(|(offset, bytes)| offset + bytes));
        let starts = taken.iter().map(|(offset, _)| *offset).chain(std::iter::once(*size));
        let gap = ends.zip(starts).enumerate().find(|(_, (end, start))| end + needed <= *start);
        gap.map(|(index, (end, _))| (end, index))
    }

    /// Takes a place; its offset.
    fn take(&mut self, bytes: usize) -> Option<usize> {
        let (offset, index) = self.gap(bytes)?;
        match self {
            Buffer::Attached { taken, .. } => {
                taken.insert(index, (offset, bytes + MPI_BSEND_OVERHEAD as usize))
            }
            Buffer::Automatic(messages) => *messages += 1,
        }
        BUFFERED_MESSAGES.rise(1);
        BUFFERED_BYTES.rise((bytes + MPI_BSEND_OVERHEAD as usize) as u64);
        Some(offset)
    }

    fn give_back(&mut self, place: Place) {
        BUFFERED_MESSAGES.fall(1);
        BUFFERED_BYTES.fall(place.bytes as u64);
        match self {
            Buffer::Attached { taken, .. } => taken.retain(|(offset, _)| *offset != place.offset),
            Buffer::Automatic(messages) => *messages -= 1,
        }
    }
}

impl Engine {
    /// The buffer of a communicator, or of the process.
    pub(crate) fn buffer<'a>(
        &'a self,
        communicator: Option<&'a Context>,
    ) -> &'a RefCell<Option<Buffer>> {
        communicator.map_or(&self.attached, |context| &context.attached)
    }

    /// The buffer for the sends of a communicator: its own, if it has one.
    fn buffer_for<'a>(&'a self, context: &'a Context) -> (&'a RefCell<Option<Buffer>>, bool) {
        let own = context.attached.borrow().is_some();
        (self.buffer(own.then_some(context)), own)
    }

    /// Whether the data of a send fit the buffer now.
    pub(crate) fn has_room(&self, operation: &Operation) -> bool {
        let (buffer, _) = self.buffer_for(operation.context);
        buffer
            .borrow()
            .as_ref()
            .is_some_and(|buffer| buffer.gap(operation.payload.length()).is_some())
    }

    /// Starts a send whose data are copied to the buffer; none when they do not fit.
    pub(crate) fn send_buffered(
        &'static self,
        operation: &Operation,
        destination: usize,
        owner: Owner,
    ) -> Option<&'static Request> {
        debug_assert_eq!(operation.kind, Kind::SendBuffered);
        let bytes = operation.payload.length();
        let (buffer, of_communicator) = self.buffer_for(operation.context);
        let mut own = Vec::new();
        let (offset, address) = {
            let mut buffer = buffer.borrow_mut();
            let buffer = buffer.as_mut()?;
            let offset = buffer.take(bytes)?;
            match buffer {
                Buffer::Attached { address, .. } => {
                    (offset, address.wrapping_byte_add(offset).cast())
                }
                Buffer::Automatic(_) => {
                    own.resize(bytes, 0);
                    (offset, own.as_mut_ptr())
                }
            }
        };
        let data = operation.payload.buffer();
        let operation = Operation { payload: operation.payload.moved_to(address), ..*operation };
        let request = self.make(&operation, owner);
        request.own.replace(own);
        request.head.system_buffer.set(1);
        let taken = bytes + MPI_BSEND_OVERHEAD as usize;
        request.buffered.set(Some(Place { offset, bytes: taken, of_communicator, data }));
        self.start_send(request, &operation, destination);
        Some(request)
    }

    /// Starts a persistent send whose data are copied to the buffer, and so is complete at once;
    /// none when they do not fit. The data travel in a request of their own: the persistent one
    /// may be started again before they have left.
    pub(crate) fn start_buffered(
        &'static self,
        request: &'static Request,
        operation: &Operation,
        destination: usize,
    ) -> Option<()> {
        let twin = self.send_buffered(operation, destination, Owner::Program)?;
        self.complete_nothing(request);
        request.stand_in.set(twin.handle());
        twin.twin.set(Some(request));
        request.twin.set(Some(twin));
        if twin.state() == State::Complete {
            self.show_persistent(twin);
        }
        self.detach(twin);
        Some(())
    }

    /// In the list of sends a persistent request takes the place of the one that carried its data.
    fn show_persistent(&self, carrier: &'static Request) {
        let Some(persistent) = carrier.twin.take() else { return };
        persistent.twin.set(None);
        persistent.head.protocol.set(carrier.head.protocol.get());
        persistent.queue.set(carrier.queue.take());
        self.sends().replace(carrier, persistent);
    }

    /// The data of a buffered send have left: it is as any complete send, its data where the
    /// program has them. False for other requests.
    #[inline]
    pub(super) fn leave_buffer(&self, request: &'static Request) -> bool {
        let Some(place) = request.buffered.take() else { return false };
        let Some(context) = request.context.get() else { return false };
        request.head.buffer.set(place.data);
        request.head.system_buffer.set(0);
        self.show_persistent(request);
        if let Some(buffer) =
            self.buffer(place.of_communicator.then_some(context)).borrow_mut().as_mut()
        {
            buffer.give_back(place);
        }
        true
    }
}

/// Waits until no message is left in a buffer.
pub(crate) fn flush(communicator: Option<&'static Context>) {
    super::wait::wait_for(super::wait::Awaited::Other, |engine: &'static Engine| {
        engine.buffer(communicator).borrow().as_ref().is_none_or(Buffer::is_empty).then_some(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: usize = MPI_BSEND_OVERHEAD as usize;

    fn place(offset: usize) -> Place {
        Place { offset, bytes: 0, of_communicator: false, data: std::ptr::null_mut() }
    }

    #[test]
    fn places_are_taken_and_given_back() {
        let mut buffer = Buffer::new(std::ptr::null_mut(), 3 * OVERHEAD + 300);
        let offsets = [100, 100, 100].map(|bytes| buffer.take(bytes));
        assert_eq!(offsets, [Some(0), Some(OVERHEAD + 100), Some(2 * OVERHEAD + 200)]);
        assert_eq!(buffer.take(0), None);
        buffer.give_back(place(OVERHEAD + 100));
        assert_eq!(buffer.take(101), None);
        assert_eq!(buffer.take(40), Some(OVERHEAD + 100));
        for offset in [0, OVERHEAD + 100, 2 * OVERHEAD + 200] {
            assert!(!buffer.is_empty());
            buffer.give_back(place(offset));
        }
        assert!(buffer.is_empty());
        assert_eq!(Buffer::new(std::ptr::null_mut(), OVERHEAD - 1).take(0), None);
    }
}
