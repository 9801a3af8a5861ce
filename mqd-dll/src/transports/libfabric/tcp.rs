//! The queues of the provider tcp.
//!
//! Posted receives from any source are on one list, the others on lists by the address of their
//! source. Each has a number in the order of posting. Messages that were taken in are on lists by
//! sender. A message that was not is held at its connection. `MPI_Mprobe` leaves its message there
//! and marks it by a context: no other receive takes it. Sends wait at their connection until the
//! kernel has taken them.

use super::layout::{Tcp, tcp_flags, tcp_header};
use super::lists::{PARTS, PLACES, by_source, chain, ring};
use super::{ANY_ADDRESS, FabricMessage, FabricQueues, FabricSend, Posted};
use crate::alloc::{AddressSet, push};
use crate::error::{Code, Error, Result};
use crate::layout::{Field, Pointer, Record, Structure, Unsigned};
use crate::memory::Memory;

/// The header of a message on the wire.
struct Header {
    operation: u64,
    tag: u64,
    data: u64,
    length: u64,
}

impl Tcp {
    pub(super) fn queues(
        &self,
        memory: &mut Memory<'_>,
        endpoint: u64,
        receiver: u64,
        queues: &mut FabricQueues,
    ) -> Result<()> {
        let mut seen = AddressSet::default();
        let posted = self.posted(memory, receiver, queues, &mut seen);
        queues.posted.sort_unstable_by_key(|posted| posted.order);
        let messages = self.messages(memory, receiver, queues, &mut seen);
        let mut sends = Vec::new();
        let all = self.sends(memory, endpoint, queues, &mut sends);
        queues.sends = Some(sends).filter(|_| matches!(all, Ok(true)));
        posted.and(messages).and(all.map(|_| ()))
    }

    fn posted(
        &self,
        memory: &mut Memory<'_>,
        receiver: u64,
        queues: &mut FabricQueues,
        seen: &mut AddressSet,
    ) -> Result<()> {
        let head = self.receiver.from_any.address(receiver);
        self.posted_of(memory, head, queues, seen)?;
        let table = self.receiver.by_source.address(receiver);
        by_source(memory, table, |memory, head| self.posted_of(memory, head, queues, seen))
    }

    fn posted_of(
        &self,
        memory: &mut Memory<'_>,
        head: u64,
        queues: &mut FabricQueues,
        seen: &mut AddressSet,
    ) -> Result<()> {
        let here = |error: Error| error.within("xnet_srx", head);
        for address in chain(memory, head, seen).map_err(here)? {
            let bytes = memory.record(address, self.entry.bytes()).map_err(here)?;
            let entry = Record { bytes: &bytes, target: memory.target };
            let source = entry.get(self.entry.source)?;
            let posted = Posted {
                order: entry.get(self.entry.sequence)?,
                tag: entry.get(self.entry.tag)?,
                ignore: entry.get(self.entry.ignore)?,
                source: Some(source).filter(|source| *source != ANY_ADDRESS),
                context: entry.get(self.entry.context)?,
                buffer: entry.get(self.entry.user_buffer)?,
                length: self.length_of(entry)?,
            };
            push(&mut queues.posted, posted)?;
        }
        Ok(())
    }

    /// The bytes that an entry has room for.
    fn length_of(&self, entry: Record<'_>) -> Result<u64> {
        let word = entry.target.pointer;
        let pieces = entry.inner(self.entry.first_piece)?;
        let mut length = 0_u64;
        for piece in 0..entry.get(self.entry.pieces)?.min(5) as usize {
            let size = pieces.get(Field::<Pointer>::at((2 * piece + 1) * word))?;
            length = length.checked_add(size).ok_or(Error::new(Code::Impossible).part("iov"))?;
        }
        Ok(length)
    }

    fn messages(
        &self,
        memory: &mut Memory<'_>,
        receiver: u64,
        queues: &mut FabricQueues,
        seen: &mut AddressSet,
    ) -> Result<()> {
        let domain = memory.pointer(self.receiver.domain.address(receiver))?;
        let here = |error: Error| error.within("xnet_saved_msg", domain);
        let saved = ring(memory, self.progress.saved.address(domain), seen).map_err(here)?;
        for link in saved {
            let saved = link.wrapping_sub(self.saved.link.address(0));
            for address in chain(memory, self.saved.queue.address(saved), seen).map_err(here)? {
                let bytes = memory.record(address, self.entry.bytes()).map_err(here)?;
                let entry = Record { bytes: &bytes, target: memory.target };
                if entry.get(self.entry.context)? != 0 {
                    continue;
                }
                let header = self.header(entry.inner(self.entry.header)?)?;
                let own = self.entry.data.address(address);
                let buffer = match entry.get(self.entry.user_buffer)? {
                    0 => own,
                    buffer => buffer,
                };
                push(&mut queues.messages, message(&header, buffer))?;
            }
        }
        // A message that is held at its connection comes after the others of its sender.
        let held = self.progress.unexpected.address(domain);
        let here = |error: Error| error.within("xnet_ep", domain);
        for link in ring(memory, held, seen).map_err(here)? {
            let socket = link.wrapping_sub(self.socket.unexpected.address(0));
            if memory.pointer(self.socket.claimed.address(socket)).map_err(here)? != 0 {
                continue;
            }
            let header = self.socket.received_header.address(socket);
            let bytes = memory.record(header, tcp_header::ALL).map_err(here)?;
            let header = self.header(Record { bytes: &bytes, target: memory.target })?;
            push(&mut queues.messages, message(&header, 0))?;
        }
        Ok(())
    }

    fn header(&self, bytes: Record<'_>) -> Result<Header> {
        let byte = |at: usize| bytes.get(Field::<Unsigned<1>>::at(at));
        let number = |at: usize| bytes.get(Field::<Unsigned<8>>::at(at));
        let operation = byte(tcp_header::OPERATION)?;
        let flags = bytes.get(Field::<Unsigned<2>>::at(tcp_header::FLAGS))?;
        let mut rest = tcp_header::REST;
        let mut data = 0;
        if flags & tcp_header::HAS_DATA != 0 {
            data = number(rest)?;
            rest += size_of::<u64>();
        }
        let tag = number(rest)?;
        let length = match operation {
            tcp_header::ANNOUNCED => number(rest + size_of::<u64>())?,
            _ => {
                let bytes = byte(tcp_header::BYTES)?;
                let length = number(tcp_header::SIZE)?.checked_sub(bytes);
                length.ok_or(Error::on(Code::Impossible, "xnet_base_hdr").part("size"))?
            }
        };
        Ok(Header { operation, tag, data, length })
    }

    /// Reads the sends of all connections. False: nothing is known about some of them.
    fn sends(
        &self,
        memory: &mut Memory<'_>,
        endpoint: u64,
        queues: &mut FabricQueues,
        sends: &mut Vec<FabricSend>,
    ) -> Result<bool> {
        let word = memory.target.pointer;
        let mut are_known = true;
        let parts = memory.record(self.endpoint.connections.address(endpoint), PARTS * word)?;
        let mut connections = Vec::new();
        push(&mut connections, memory.pointer(self.endpoint.to_itself.address(endpoint))?)?;
        for part in parts.chunks_exact(word) {
            let part = memory.target.unsigned(part);
            if part == 0 {
                continue;
            }
            for connection in memory.record(part, PLACES * word)?.chunks_exact(word) {
                push(&mut connections, memory.target.unsigned(connection))?;
            }
        }
        for connection in connections.into_iter().filter(|connection| *connection != 0) {
            memory.step()?;
            if memory.pointer(self.connection.endpoint.address(connection))? != endpoint {
                return Err(Error::on(Code::Impossible, "xnet_conn").part("rdm"));
            }
            let socket = memory.pointer(self.connection.socket.address(connection))?;
            if socket != 0 {
                are_known &= self.socket(memory, socket, queues, sends)?;
            }
        }
        Ok(are_known)
    }

    fn socket(
        &self,
        memory: &mut Memory<'_>,
        socket: u64,
        queues: &mut FabricQueues,
        sends: &mut Vec<FabricSend>,
    ) -> Result<bool> {
        let here = |error: Error| error.within("xnet_ep", socket);
        let fields = &self.socket;
        let peer = memory.pointer(fields.peer.address(socket)).map_err(here)?;
        let receiver = match peer {
            0 => None,
            peer => {
                let address = memory.record(self.peer.address.address(peer), 8).map_err(here)?;
                Some(memory.target.unsigned(&address)).filter(|address| *address != ANY_ADDRESS)
            }
        };
        let receiving = memory.pointer(fields.receiving.address(socket)).map_err(here)?;
        if receiving != 0 {
            let bytes = memory.record(receiving, self.entry.bytes()).map_err(here)?;
            let entry = Record { bytes: &bytes, target: memory.target };
            let flags = entry.get(self.entry.flags)?;
            queues.has_matched |= flags & (tcp_flags::SAVED | tcp_flags::INTERNAL) == 0;
        }
        let mut seen = AddressSet::default();
        let mut waiting = Vec::new();
        let sending = memory.pointer(fields.sending.address(socket)).map_err(here)?;
        if sending != 0 {
            push(&mut waiting, sending)?;
        }
        for list in [fields.sends, fields.acknowledged, fields.background] {
            for address in chain(memory, list.address(socket), &mut seen).map_err(here)? {
                push(&mut waiting, address)?;
            }
        }
        for address in waiting {
            let bytes = memory.record(address, self.entry.bytes()).map_err(here)?;
            let entry = Record { bytes: &bytes, target: memory.target };
            if entry.get(self.entry.flags)? & tcp_flags::INTERNAL != 0 {
                continue;
            }
            let header = self.header(entry.inner(self.entry.header)?)?;
            match header.operation {
                tcp_header::TAGGED => {
                    let context = entry.get(self.entry.context)?;
                    let Header { tag, length, .. } = header;
                    push(sends, FabricSend { tag, length, context, receiver, name: None })?;
                }
                // Only the header of the announcement had the tag.
                tcp_header::ANNOUNCED | tcp_header::DATA => return Ok(false),
                _ => {}
            }
        }
        // Receives of announced messages wait for the data in a table of their own, and so do the
        // sends that were announced.
        let asked_for = memory.pointer(fields.asked_for.address(socket)).map_err(here)?;
        queues.has_matched |= has_items(memory, asked_for).map_err(here)?;
        let announced = memory.pointer(fields.announced.address(socket)).map_err(here)?;
        Ok(!has_items(memory, announced).map_err(here)?)
    }
}

/// Is anything in a table of places that have a number of one byte? There is no table before it is
/// needed.
fn has_items(memory: &mut Memory<'_>, table: u64) -> Result<bool> {
    const PLACES: usize = 1 << 8;
    if table == 0 {
        return Ok(false);
    }
    let (word, target) = (memory.target.pointer, memory.target);
    // The item is the first of two words.
    let places = memory.record(table, PLACES * 2 * word)?;
    Ok(places.chunks_exact(2 * word).any(|place| target.unsigned(&place[..word]) != 0))
}

fn message(header: &Header, buffer: u64) -> FabricMessage {
    let is_announced = header.operation == tcp_header::ANNOUNCED;
    FabricMessage {
        tag: header.tag,
        data: header.data,
        length: header.length,
        buffer: if is_announced { 0 } else { buffer },
        is_announced,
        send: None,
    }
}
