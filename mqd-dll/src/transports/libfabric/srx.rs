//! The queues of the receiving side that several providers share: `shm`, `efa`, and `ofi_rxm` since
//! 2.0.
//!
//! Posted receives from any source are on one list, the others on lists by the address of their
//! source. Each has a number in the order of posting. Messages are on lists by sender; those whose
//! sender is not known are on a ring. Receives that are matched are on no list. They are the
//! objects of the pool that are in use and not on a list.

use super::layout::{Rxm, SharedReceiver};
use super::lists::{by_source, chain, ring};
use super::{ANY_ADDRESS, FabricMessage, FabricQueues, Posted};
use crate::alloc::{AddressSet, push};
use crate::error::{Code, Error, Result};
use crate::layout::{Field, Pointer, Record, Structure};
use crate::memory::Memory;

/// No receive has more pieces.
const MAX_PIECES: u64 = 64;

impl SharedReceiver {
    /// `rxm` is given if the provider is `ofi_rxm`.
    pub(super) fn queues(
        &self,
        memory: &mut Memory<'_>,
        receiver: u64,
        rxm: Option<&Rxm>,
        queues: &mut FabricQueues,
    ) -> Result<()> {
        let mut seen = AddressSet::default();
        let posted = self.posted(memory, receiver, queues, &mut seen);
        queues.posted.sort_unstable_by_key(|posted| posted.order);
        let messages = self.messages(memory, (receiver, rxm), queues, &mut seen);
        posted.and(messages)?;
        let on_lists = (queues.posted.len() + queues.messages.len()) as u64
            + self.untagged(memory, receiver, &mut seen)?;
        queues.has_matched |= self.objects_in_use(memory, receiver)? > on_lists;
        Ok(())
    }

    /// Counts receives and messages without a tag.
    fn untagged(
        &self,
        memory: &mut Memory<'_>,
        receiver: u64,
        seen: &mut AddressSet,
    ) -> Result<u64> {
        let fields = &self.receiver;
        let mut number = chain(memory, fields.untagged_from_any.address(receiver), seen)?.len();
        let table = fields.untagged_by_source.address(receiver);
        by_source(memory, table, |memory, head| {
            number += chain(memory, head, seen)?.len();
            Ok(())
        })?;
        number += ring(memory, fields.untagged_from_unknown.address(receiver), seen)?.len();
        let senders = fields.senders.address(receiver);
        for link in ring(memory, senders, &mut AddressSet::default())? {
            let sender = link.wrapping_sub(self.sender.link.address(0));
            number += chain(memory, self.sender.untagged.address(sender), seen)?.len();
        }
        Ok(number as u64)
    }

    /// How many objects of the pool are in use.
    fn objects_in_use(&self, memory: &mut Memory<'_>, receiver: u64) -> Result<u64> {
        let pool = memory.pointer(self.receiver.pool.address(receiver))?;
        let all = memory.pointer(self.pool.objects.address(pool))?;
        let free = chain(memory, self.pool.free.address(pool), &mut AddressSet::default())?;
        let impossible = Error::on(Code::Impossible, "ofi_bufpool").part("entry_cnt");
        all.checked_sub(free.len() as u64).ok_or(impossible)
    }

    fn posted(
        &self,
        memory: &mut Memory<'_>,
        receiver: u64,
        queues: &mut FabricQueues,
        seen: &mut AddressSet,
    ) -> Result<()> {
        let head = self.receiver.from_any.address(receiver);
        self.posted_of(memory, (receiver, head), queues, seen)?;
        let table = self.receiver.by_source.address(receiver);
        by_source(memory, table, |memory, head| {
            self.posted_of(memory, (receiver, head), queues, seen)
        })
    }

    fn posted_of(
        &self,
        memory: &mut Memory<'_>,
        (receiver, head): (u64, u64),
        queues: &mut FabricQueues,
        seen: &mut AddressSet,
    ) -> Result<()> {
        let here = |error: Error| error.within("util_srx_ctx", head);
        for address in chain(memory, head, seen).map_err(here)? {
            let bytes = memory.record(address, self.entry.bytes()).map_err(here)?;
            let entry = Record { bytes: &bytes, target: memory.target };
            let peer = self.peer_of(memory, &entry, receiver)?;
            let source = peer.get(self.peer.source)?;
            let (buffer, length) = self.room(memory, &peer).map_err(here)?;
            let posted = Posted {
                order: entry.get(self.entry.sequence)?,
                tag: peer.get(self.peer.tag)?,
                ignore: entry.get(self.entry.ignore)?,
                source: Some(source).filter(|source| *source != ANY_ADDRESS),
                context: peer.get(self.peer.context)?,
                buffer,
                length,
            };
            push(&mut queues.posted, posted)?;
        }
        Ok(())
    }

    /// The part of an entry that its provider knows. If it names a receiving side, it is this one,
    /// or another provider's object for it: `efa` has one for `shm`.
    fn peer_of<'e>(
        &self,
        memory: &mut Memory<'_>,
        entry: &Record<'e>,
        receiver: u64,
    ) -> Result<Record<'e>> {
        let peer = entry.inner(self.entry.peer)?;
        let named = peer.get(self.peer.receiver)?;
        // The second word of an object of libfabric is the context of who has made it.
        let context = named.wrapping_add(memory.target.pointer as u64);
        let is_right = [0, receiver].contains(&named) || memory.pointer(context)? == receiver;
        let wrong = Error::on(Code::Impossible, "fi_peer_rx_entry").part("srx");
        if is_right { Ok(peer) } else { Err(wrong) }
    }

    /// Where a receive has room, and how many bytes.
    fn room(&self, memory: &mut Memory<'_>, peer: &Record<'_>) -> Result<(u64, u64)> {
        let impossible = Error::on(Code::Impossible, "fi_peer_rx_entry").part("iov");
        let (pieces, word) = (peer.get(self.peer.pieces)?, memory.target.pointer);
        if pieces > MAX_PIECES {
            return Err(impossible);
        }
        let (mut buffer, mut length) = (0, 0_u64);
        if pieces > 0 {
            let bytes = memory.record(peer.get(self.peer.iov)?, pieces as usize * 2 * word)?;
            let iov = Record { bytes: &bytes, target: memory.target };
            buffer = iov.get(Field::<Pointer>::at(0))?;
            for piece in 0..pieces as usize {
                let size = iov.get(Field::<Pointer>::at((2 * piece + 1) * word))?;
                length = length.checked_add(size).ok_or(impossible)?;
            }
        }
        Ok((buffer, length))
    }

    fn messages(
        &self,
        memory: &mut Memory<'_>,
        (receiver, rxm): (u64, Option<&Rxm>),
        queues: &mut FabricQueues,
        seen: &mut AddressSet,
    ) -> Result<()> {
        let here = |error: Error| error.within("util_srx_ctx", receiver);
        let unknown = self.receiver.from_unknown.address(receiver);
        for address in ring(memory, unknown, seen).map_err(here)? {
            self.message(memory, (receiver, rxm, address), queues).map_err(here)?;
        }
        for link in ring(memory, self.receiver.senders.address(receiver), seen).map_err(here)? {
            let sender = link.wrapping_sub(self.sender.link.address(0));
            for address in chain(memory, self.sender.queue.address(sender), seen).map_err(here)? {
                self.message(memory, (receiver, rxm, address), queues).map_err(here)?;
            }
        }
        Ok(())
    }

    fn message(
        &self,
        memory: &mut Memory<'_>,
        (receiver, rxm, address): (u64, Option<&Rxm>, u64),
        queues: &mut FabricQueues,
    ) -> Result<()> {
        let bytes = memory.record(address, self.entry.bytes())?;
        let entry = Record { bytes: &bytes, target: memory.target };
        let peer = self.peer_of(memory, &entry, receiver)?;
        let send = match rxm {
            Some(rxm) => rxm.send_of(memory, &peer)?,
            None => None,
        };
        let message = FabricMessage {
            tag: peer.get(self.peer.tag)?,
            data: peer.get(self.peer.data)?,
            length: peer.get(self.peer.length)?,
            // The provider keeps the data in its own way.
            buffer: 0,
            is_announced: send.is_some(),
            send,
        };
        push(&mut queues.messages, message)
    }
}

impl Rxm {
    /// The number of a message's send at the sender. None: the message is not announced.
    fn send_of(&self, memory: &mut Memory<'_>, peer: &Record<'_>) -> Result<Option<u64>> {
        let received = peer.get(self.context.context)?;
        if received == 0 {
            return Ok(None);
        }
        let (packet, fields) = (self.received.packet.address(received), &self.sending.packet);
        let bytes = memory.record(packet, fields.bytes())?;
        fields.announced(&Record { bytes: &bytes, target: memory.target })
    }
}
