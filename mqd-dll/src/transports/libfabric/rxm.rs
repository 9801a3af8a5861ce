//! The provider `ofi_rxm`: its queues until 1.22, which are its own, and its sends.

use super::layout::{Rxm, RxmFree, RxmSending};
use super::lists::ring;
use super::{ANY_ADDRESS, FabricMessage, FabricQueues, FabricSend, Posted};
use crate::alloc::{AddressSet, push};
use crate::error::{Code, Error, Result};
use crate::layout::{Field, Record, Structure, Unsigned};
use crate::memory::Memory;

/// The fields of what is sent in front of a message (`ofi_op_hdr`), by their offsets.
mod header {
    pub(super) const LENGTH: usize = 8;
    pub(super) const DATA: usize = 16;
    pub(super) const TAG: usize = 24;
}

/// The most receives that a queue has room for. The provider's default is 2048.
const MAX_RECEIVES: u64 = 65_536;

impl Rxm {
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
        if let Some(free) = self.free {
            queues.has_matched |= free.receives_in_use(memory, queue)? > queues.posted.len() as u64;
        }
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
                .wrapping_add(self.buffer.packet.address(0));
            let header = self.packet.header.address(packet);
            let bytes = memory.record(header, header::TAG + 8).map_err(here)?;
            let header = Record { bytes: &bytes, target: memory.target };
            let number = |place: usize| header.get(Field::<Unsigned<8>>::at(place));
            let message = FabricMessage {
                tag: number(header::TAG)?,
                data: number(header::DATA)?,
                length: number(header::LENGTH)?,
                // Its place depends on how the message was sent.
                buffer: 0,
                is_announced: false,
            };
            push(&mut queues.messages, message)?;
        }
        Ok(())
    }
}

impl RxmFree {
    /// How many receives of a queue are posted or matched. The others are on a stack, which begins
    /// with the number of all and the address of its top.
    fn receives_in_use(&self, memory: &mut Memory<'_>, queue: u64) -> Result<u64> {
        let stack = memory.pointer(self.stack.address(queue))?;
        let impossible = || Error::on(Code::Impossible, "rxm_recv_fs").at(stack);
        let all = memory.pointer(stack)?;
        if all > MAX_RECEIVES {
            return Err(impossible());
        }
        let mut free = 0;
        let mut next = memory.pointer(stack.wrapping_add(memory.target.pointer as u64))?;
        while next != 0 {
            free += 1;
            if free > all {
                return Err(impossible());
            }
            next = memory.pointer(next)?;
        }
        Ok(all - free)
    }
}

impl RxmSending {
    /// The sends that are not complete. None: there are some. The provider keeps no list of them,
    /// but each uses up a credit.
    pub(super) fn sends(
        &self,
        memory: &mut Memory<'_>,
        endpoint: u64,
    ) -> Result<Option<Vec<FabricSend>>> {
        let information = memory.pointer(self.sender.information.address(endpoint))?;
        let attributes = memory.pointer(self.information.sends.address(information))?;
        let all = memory.pointer(self.attributes.size.address(attributes))?;
        let left = memory.pointer(self.sender.credits.address(endpoint))?;
        if left > all {
            return Err(Error::on(Code::Impossible, "rxm_ep").part("tx_credit"));
        }
        let deferred = self.sender.deferred.address(endpoint);
        let has_none = left == all && memory.pointer(deferred)? == deferred;
        Ok(has_none.then(Vec::new))
    }
}
