//! The buffers that the program attaches for buffered sends (MPI 5.0, section 3.6).

use super::Engine;
use super::context::Context;
use super::payload::Payload;
use super::request::{Operation, Owner, Request};
use crate::abi::MPI_BSEND_OVERHEAD;
use crate::debug::queues::Kind;
use std::cell::RefCell;
use std::ptr;

/// A buffer for messages that their sends have left behind.
pub(crate) enum Buffer {
    /// The program's memory: its address, its size in bytes, and the places in use (offset and size, in the order of offsets).
    Attached {
        /// The address.
        address: usize,
        /// Bytes.
        size: usize,
        /// Offset and size of each message's place.
        taken: Vec<(usize, usize)>,
    },
    /// `MPI_BUFFER_AUTOMATIC`: memory of the runtime's own, for each message; the number of messages.
    Automatic(usize),
}

/// The place of one message: its address and size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reserved {
    address: usize,
    bytes: usize,
    of_communicator: bool,
}

impl Buffer {
    /// Whether no message is in it.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Buffer::Attached { taken, .. } => taken.is_empty(),
            Buffer::Automatic(messages) => *messages == 0,
        }
    }

    /// A place for `bytes` of data, each message taking `MPI_BSEND_OVERHEAD` more.
    fn reserve(&mut self, bytes: usize) -> Option<usize> {
        match self {
            Buffer::Attached { address, size, taken } => {
                let needed = bytes + MPI_BSEND_OVERHEAD as usize;
                let mut start = 0;
                let mut index = 0;
                while index < taken.len() && taken[index].0 - start < needed {
                    start = taken[index].0 + taken[index].1;
                    index += 1;
                }
                if *size - start < needed {
                    return None;
                }
                taken.insert(index, (start, needed));
                Some(*address + start)
            }
            Buffer::Automatic(messages) => {
                *messages += 1;
                Some(Box::leak(vec![0u8; bytes].into_boxed_slice()).as_mut_ptr().expose_provenance())
            }
        }
    }

    fn give_back(&mut self, reserved: Reserved) {
        match self {
            Buffer::Attached { address, taken, .. } => taken.retain(|(start, _)| *address + *start != reserved.address),
            Buffer::Automatic(messages) => {
                *messages -= 1;
                let slice = ptr::slice_from_raw_parts_mut(
                    ptr::with_exposed_provenance_mut::<u8>(reserved.address),
                    reserved.bytes,
                );
                // SAFETY: leaked by `reserve` with this address and size, given back once.
                drop(unsafe { Box::from_raw(slice) });
            }
        }
    }
}

impl Engine {
    /// The buffer of a communicator, or of the process.
    pub(crate) fn buffer<'a>(&'a self, communicator: Option<&'a Context>) -> &'a RefCell<Option<Buffer>> {
        communicator.map_or(&self.attached, |context| &context.attached)
    }

    /// Starts a send whose data are copied to the attached buffer; none when they do not fit.
    pub(crate) fn send_buffered(&'static self, operation: Operation, destination: usize) -> Option<&'static Request> {
        debug_assert_eq!(operation.kind, Kind::SendBuffered);
        let bytes = operation.payload.length();
        let of_communicator = operation.context.attached.borrow().is_some();
        let buffer = self.buffer(of_communicator.then_some(operation.context));
        let address = buffer.borrow_mut().as_mut()?.reserve(bytes)?;
        let reserved = Reserved { address, bytes, of_communicator };
        let copy = operation.payload.moved_to(ptr::with_exposed_provenance_mut(address));
        let request = self.make(&Operation { payload: copy, ..operation }, Owner::Call);
        request.head.system_buffer.set(1);
        request.reserved.set(Some(reserved));
        Some(request)
    }

    /// The data of a buffered send have left.
    pub(super) fn give_back_reserved(&self, request: &Request) {
        let (Some(reserved), Some(context)) = (request.reserved.take(), request.context.get()) else { return };
        if let Some(buffer) = self.buffer(reserved.of_communicator.then_some(context)).borrow_mut().as_mut() {
            buffer.give_back(reserved);
        }
    }
}

/// Waits until no message is left in a buffer.
pub(crate) fn flush(communicator: Option<&'static Context>) {
    super::wait::wait_for(|engine: &'static Engine| {
        engine.buffer(communicator).borrow().as_ref().is_none_or(Buffer::is_empty).then_some(())
    });
}
