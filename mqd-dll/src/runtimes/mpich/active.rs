//! Messages through shared memory: active messages, whose requests say all.
//!
//! A posted receive and an unexpected message are a request each, on a list of its kind. What a
//! receive has asked for is overwritten when its message comes. A send keeps neither its tag nor,
//! unless it is long, its receiver. Where there is one, the queues of sends are not known.

use super::layout::{ActiveRequest, Members, active, context, device, mpi, request};
use super::lists::{Listed, places};
use super::pass::{Pass, Placed, impossible, narrow, size};
use super::pools::Objects;
use super::ucx::{gone, shown_internal};
use crate::alloc::push;
use crate::error::{Code, Error, Result};
use crate::layout::Record;
use crate::queues::{Details, Message, Operation, Peer, Status};
use mqs_abi::notes;

/// A receive or an unexpected message.
struct Active {
    address: u64,
    next: u64,
    is_message: bool,
    index: usize,
    operation: Operation,
}

impl Listed for Active {
    fn links(&self) -> (u64, u64) {
        (self.address, self.next)
    }
}

impl Pass<'_, '_> {
    /// Reads the messages that go through shared memory.
    pub(super) fn active_messages(&mut self, requests: &Objects) -> Result<()> {
        let Some((fields, extension)) = self.layout.active else { return Ok(()) };
        let mut found = Vec::new();
        let mut sends = false;
        for (address, bytes) in requests.iter() {
            let record = Record { bytes, target: self.memory.target };
            if record.get(self.layout.request.cc)? == 0
                || record.get(fields.type_)? != device::ACTIVE
            {
                continue;
            }
            let what = record.get(self.layout.request.kind)?;
            sends |= what == request::SEND;
            if what != request::RECEIVE {
                continue;
            }
            let status = extension.status.address(record.get(fields.extension)?);
            let result = self.memory.record(status, 8).and_then(|status| {
                let status = self.memory.target.unsigned(&status);
                self.active_receive(&fields, address, bytes, status)
            });
            match result {
                Ok(Some(one)) => push(&mut found, one)?,
                Ok(None) => {}
                Err(error) => self.keep(Err(error.within("MPIR_Request", address)))?,
            }
        }
        let places = places(&found)?;
        for Active { address, is_message, index, operation, .. } in found {
            let place = places.get(&address).copied().unwrap_or(0);
            let found = &mut self.found[index];
            // What has its message comes first.
            let queue = if is_message { &mut found.unexpected } else { &mut found.receives };
            let place = (u64::from(operation.status == Status::Pending), place);
            push(queue, Placed { place, operation })?;
        }
        if sends {
            // Some may be of the library itself, which cannot be told either.
            self.snapshot.hides_sends = true;
            let unseen = "sends through shared memory, as MPICH does not keep their tags";
            self.keep(Err(Error::on(Code::NotSeen, unseen)))?;
        }
        Ok(())
    }

    /// A receive or an unexpected message. None: it is the library's own, or about to vanish.
    fn active_receive(
        &mut self,
        fields: &ActiveRequest,
        address: u64,
        bytes: &[u8],
        status: u64,
    ) -> Result<Option<Active>> {
        let record = Record { bytes, target: self.memory.target };
        let is = |flag: u64| status & flag != 0;
        let is_message = is(active::UNEXPECTED) && !is(active::MATCHED);
        let is_taken = is_message && (is(active::PROBED) || is(active::CLAIMED));
        // Context ids of 16 bits have other fields behind them.
        let number = match self.layout.members {
            Members::Maps(..) => record.get(fields.context_id)? & 0xffff,
            Members::Groups(..) => record.get(fields.context_id)?,
        };
        let is_internal = number & context::COLLECTIVE != 0;
        let Some(&index) = self.received_by.get(&(number & !context::COLLECTIVE)) else {
            return gone(is_internal).map(|()| None);
        };
        let (source, tag) = (record.get(fields.source)?, record.get(fields.tag)?);
        if is_internal && !is_message {
            self.found[index].note_collective(tag)?;
        }
        if is_taken || self.found[index].hidden || (is_internal && !self.internal) {
            return Ok(None);
        }
        let is_matched = !is_message && is(active::IN_PROGRESS);
        let length = self.bytes_of(record.get(fields.datatype)?, record.get(fields.count)?)?;
        let desired = match source {
            mpi::ANY_SOURCE if !is_message && !is_matched => Peer::ANY,
            _ => self.peer(index, source, "status.MPI_SOURCE")?,
        };
        let is_any_tag = tag == mpi::ANY_TAG && !is_message && !is_matched;
        if !is_any_tag && tag < 0 {
            return Err(impossible("status.MPI_TAG"));
        }
        let tag = if is_internal { shown_internal(tag) } else { tag };
        let tag = (!is_any_tag).then(|| narrow(tag, "status.MPI_TAG")).transpose()?;
        let received = match is_matched {
            // Its lowest bit says that the request is cancelled; here it is not.
            true => size(received(record.get(fields.received)?), "status.count_lo")?,
            false => length,
        };
        let has_message = is_message || is_matched;
        let message =
            tag.filter(|_| has_message).map(|tag| Message { peer: desired, tag, length: received });
        let notes = match (is_message, is(active::RENDEZVOUS), is(active::SYNCHRONOUS)) {
            (false, ..) if is_matched => ["", "the message that it has; what it asked for is gone"],
            (false, ..) => ["", ""],
            (true, true, _) => [notes::RENDEZVOUS, ""],
            (true, false, true) => [notes::SYNCHRONOUS, notes::EAGER],
            (true, false, false) => [notes::EAGER, ""],
        };
        let buffer = record.get(fields.buffer)?;
        let operation = Operation {
            status: if is_matched { Status::Matched } else { Status::Pending },
            desired,
            tag,
            length: if is_matched { received } else { length },
            system_buffer: is_message,
            buffer: if is_matched || is(active::RENDEZVOUS) { 0 } else { buffer },
            message,
            awaited: None,
            details: Details { notes, ..Details::default() },
        };
        let next = record.get(fields.next)?;
        Ok(Some(Active { address, next, is_message, index, operation }))
    }
}

/// The number of bytes in a status: 32 bits, one bit of something else, the others.
fn received(count: u64) -> u64 {
    count & 0xffff_ffff | count >> 33 << 32
}
