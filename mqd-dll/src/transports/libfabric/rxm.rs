//! The queues of the provider `ofi_rxm` until 1.22, which are its own.

use super::layout::RxmOld;
use super::lists::ring;
use super::{ANY_ADDRESS, FabricMessage, FabricQueues, Posted};
use crate::alloc::{AddressSet, push};
use crate::error::{Code, Error, Result};
use crate::layout::{Record, Structure};
use crate::memory::Memory;

/// The most receives that a queue has room for. The provider's default is 2048.
const MAX_RECEIVES: u64 = 65_536;

impl RxmOld {
    pub(super) fn queues(
        &self,
        memory: &mut Memory<'_>,
        endpoint: u64,
        queues: &mut FabricQueues,
    ) -> Result<()> {
        let queue = self.endpoint.tagged.address(endpoint);
        let posted = self.posted(memory, self.queue.posted.address(queue), queues);
        let messages = self.messages(memory, self.queue.messages.address(queue), queues);
        posted.and(messages)?;
        queues.has_matched |= self.receives_in_use(memory, queue)? > queues.posted.len() as u64;
        Ok(())
    }

    fn posted(&self, memory: &mut Memory<'_>, head: u64, queues: &mut FabricQueues) -> Result<()> {
        let here = |error: Error| error.within("rxm_recv_entry", head);
        let links = ring(memory, head, &mut AddressSet::default()).map_err(here)?;
        for link in links {
            let address = link.wrapping_sub(self.entry.link.address(0));
            let bytes = memory.record(address, self.entry.bytes()).map_err(here)?;
            let entry = Record { bytes: &bytes, target: memory.target };
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
            push(&mut queues.posted, posted)?;
        }
        Ok(())
    }

    fn messages(
        &self,
        memory: &mut Memory<'_>,
        head: u64,
        queues: &mut FabricQueues,
    ) -> Result<()> {
        let here = |error: Error| error.within("rxm_rx_buf", head);
        let links = ring(memory, head, &mut AddressSet::default()).map_err(here)?;
        for link in links {
            let message = link.wrapping_sub(self.message.link.address(0));
            let packet = message
                .wrapping_sub(self.buffer.message.address(0))
                .wrapping_add(self.received.packet.address(0));
            let fields = &self.sending.packet;
            let bytes = memory.record(packet, fields.bytes()).map_err(here)?;
            let packet = Record { bytes: &bytes, target: memory.target };
            if fields.is_later_part(&packet)? {
                continue;
            }
            let send = fields.announced(&packet)?;
            let message = FabricMessage {
                tag: packet.get(fields.tag)?,
                data: packet.get(fields.data)?,
                length: packet.get(fields.length)?,
                // Its place depends on how the message was sent.
                buffer: 0,
                is_announced: send.is_some(),
                send,
            };
            push(&mut queues.messages, message)?;
        }
        Ok(())
    }

    /// How many receives of a queue are posted or matched. The others are on a stack, which begins
    /// with the number of all and the address of its top. All receives follow, each after the
    /// address of the next one that is free.
    fn receives_in_use(&self, memory: &mut Memory<'_>, queue: u64) -> Result<u64> {
        let (word, size) = (memory.target.pointer, self.entry.bytes());
        let stack = memory.pointer(self.queue.free.address(queue))?;
        let all = memory.pointer(stack)?;
        let impossible = || Error::on(Code::Impossible, "rxm_recv_fs").at(stack);
        if all > MAX_RECEIVES {
            return Err(impossible());
        }
        let bytes = memory.record(stack, 2 * word + all as usize * (word + size))?;
        let at = |address: u64| {
            let place = usize::try_from(address.wrapping_sub(stack)).ok();
            let end = place.and_then(|place| place.checked_add(word));
            let next = place.zip(end).and_then(|(place, end)| bytes.get(place..end));
            next.map(|next| memory.target.unsigned(next)).ok_or_else(impossible)
        };
        let mut free = 0;
        let mut next = at(stack.wrapping_add(word as u64))?;
        while next != 0 {
            free += 1;
            if free > all {
                return Err(impossible());
            }
            next = at(next)?;
        }
        Ok(all - free)
    }
}
