//! The queues of the provider `ofi_rxm` until 1.22, which are its own.

use super::layout::Rxm;
use super::lists::ring;
use super::{ANY_ADDRESS, FabricMessage, FabricQueues, Posted};
use crate::alloc::{AddressSet, push};
use crate::error::{Error, Result};
use crate::layout::{Field, Record, Structure, Unsigned};
use crate::memory::Memory;

/// The fields of what is sent in front of a message (`ofi_op_hdr`), by their offsets.
mod header {
    pub(super) const LENGTH: usize = 8;
    pub(super) const DATA: usize = 16;
    pub(super) const TAG: usize = 24;
}

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
        posted.and(messages)
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
