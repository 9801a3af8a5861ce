//! The queues of the provider sockets.
//!
//! A thread of the provider takes sends from a ring of bytes, hands them to the kernel, and waits
//! until the receiver has them. It also takes in messages.

use super::layout::{Sockets, SocketsSend, class, sockets};
use super::lists::ring;
use super::{ANY_ADDRESS, FabricMessage, FabricQueues, FabricSend, Posted};
use crate::alloc::{AddressSet, push};
use crate::error::{Code, Error, Result};
use crate::layout::{Record, Structure};
use crate::memory::Memory;

/// The most sending sides that an endpoint has.
const MAX_SENDERS: u64 = 256;

impl Sockets {
    pub(super) fn queues(
        &self,
        memory: &mut Memory<'_>,
        receiver: u64,
        queues: &mut FabricQueues,
    ) -> Result<()> {
        let sends = self.sends(memory, receiver);
        let posted = self.entries(memory, self.receiver.posted.address(receiver), |entry| {
            if entry.get(self.entry.is_tagged)? == 0 {
                return Ok(());
            }
            // A message is on its way into it.
            if entry.get(self.entry.is_busy)? != 0 {
                queues.has_matched = true;
                return Ok(());
            }
            let posted = Posted {
                order: queues.posted.len() as u64,
                tag: entry.get(self.entry.tag)?,
                ignore: entry.get(self.entry.ignore)?,
                source: Some(entry.get(self.entry.source)?)
                    .filter(|address| *address != ANY_ADDRESS),
                context: entry.get(self.entry.context)?,
                buffer: entry.get(self.entry.buffer)?,
                length: entry.get(self.entry.length)?,
            };
            push(&mut queues.posted, posted)
        });
        let messages = self.entries(memory, self.receiver.messages.address(receiver), |entry| {
            let is_taken = entry.get(self.entry.is_claimed)? != 0;
            if entry.get(self.entry.is_tagged)? == 0 || is_taken {
                return Ok(());
            }
            // Its data may be still arriving. It is a message all the same.
            let message = FabricMessage {
                tag: entry.get(self.entry.tag)?,
                data: entry.get(self.entry.data)?,
                length: entry.get(self.entry.length)?,
                buffer: entry.get(self.entry.buffer)?,
                is_announced: false,
                send: None,
            };
            push(&mut queues.messages, message)
        });
        let sends = sends.map(|sends| queues.sends = sends);
        posted.and(messages).and(sends)
    }

    /// Gives the entries of a list to `each`.
    fn entries(
        &self,
        memory: &mut Memory<'_>,
        head: u64,
        mut each: impl FnMut(Record<'_>) -> Result<()>,
    ) -> Result<()> {
        let here = |error: Error| error.within("sock_rx_entry", head);
        let links = ring(memory, head, &mut AddressSet::default()).map_err(here)?;
        for link in links {
            let entry = link.wrapping_sub(self.entry.link.address(0));
            let bytes = memory.record(entry, self.entry.bytes()).map_err(here)?;
            each(Record { bytes: &bytes, target: memory.target })?;
        }
        Ok(())
    }

    /// Reads the sends that are not complete of the endpoint that a receiving side belongs to.
    /// None: some of them are not known.
    fn sends(&self, memory: &mut Memory<'_>, receiver: u64) -> Result<Option<Vec<FabricSend>>> {
        let attributes = memory.pointer(self.receiver.attributes.address(receiver))?;
        let number = memory.pointer(self.attributes.senders_number.address(attributes))?;
        if number > MAX_SENDERS {
            return Err(Error::on(Code::Impossible, "sock_ep_attr").part("tx_ctx_cnt"));
        }
        let word = memory.target.pointer;
        let senders = memory.pointer(self.attributes.senders.address(attributes))?;
        let senders = memory.record(senders, number as usize * word)?;
        let senders = senders.chunks_exact(word).map(|sender| memory.target.unsigned(sender));
        let mut senders = senders.filter(|sender| *sender != 0);
        // If there are several, there are several receiving sides, and only one is read.
        let (Some(sender), None) = (senders.next(), senders.next()) else { return Ok(None) };
        let mut sends = Vec::new();
        let are_known = self.sends_of(memory, attributes, sender, &mut sends)?;
        Ok(Some(sends).filter(|_| are_known))
    }

    /// Reads those of one sending side. Returns whether all are known.
    fn sends_of(
        &self,
        memory: &mut Memory<'_>,
        attributes: u64,
        address: u64,
        sends: &mut Vec<FabricSend>,
    ) -> Result<bool> {
        let here = |error: Error| error.within("sock_tx_ctx", address);
        let bytes = memory.record(address, self.sender.bytes()).map_err(here)?;
        let sender = Record { bytes: &bytes, target: memory.target };
        if sender.get(self.sender.class)? != class::SENDER
            || sender.get(self.sender.attributes)? != attributes
        {
            return Err(Error::on(Code::Impossible, "sock_tx_ctx").part("ep_attr"));
        }
        let is_ring_empty =
            sender.get(self.sender.bytes_taken)? == sender.get(self.sender.bytes_put)?;
        if !is_ring_empty || sender.get(self.sender.is_shared)? != 0 {
            return Ok(false);
        }
        let head = self.sender.sends.address(address);
        for link in ring(memory, head, &mut AddressSet::default()).map_err(here)? {
            let entry = link.wrapping_sub(self.send.link.address(0));
            let bytes = memory.record(entry, self.send.bytes()).map_err(here)?;
            match self.send.send(Record { bytes: &bytes, target: memory.target })? {
                Pending::Known(send) => push(sends, send)?,
                Pending::WithoutTag => return Ok(false),
                Pending::Nothing => {}
            }
        }
        Ok(true)
    }
}

/// What an entry of the sending side stands for.
enum Pending {
    Known(FabricSend),
    /// A send whose message has left: the provider has deleted its tag. Or one that is just being
    /// made.
    WithoutTag,
    /// No send, or a complete one.
    Nothing,
}

impl SocketsSend {
    fn send(&self, entry: Record<'_>) -> Result<Pending> {
        if entry.get(self.kind)? != sockets::SENDS
            || entry.get(self.operation)? != sockets::TAGGED_SEND
            || entry.get(self.is_complete)? != 0
        {
            return Ok(Pending::Nothing);
        }
        if entry.get(self.is_sent)? != 0 {
            return Ok(Pending::WithoutTag);
        }
        let data = match entry.get(self.flags)? & sockets::HAS_DATA {
            0 => 0,
            _ => sockets::DATA_BYTES,
        };
        let length = entry.get(self.length)?.checked_sub(sockets::HEADER_BYTES + data);
        // The thread puts the entry into the list before it fills it.
        let Some(length) = length else { return Ok(Pending::WithoutTag) };
        Ok(Pending::Known(FabricSend {
            tag: entry.get(self.tag)?,
            length,
            context: entry.get(self.context)?,
            receiver: Some(entry.get(self.receiver)?).filter(|address| *address != ANY_ADDRESS),
            name: None,
        }))
    }
}
