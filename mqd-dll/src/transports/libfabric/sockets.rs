//! The queues of the provider sockets.

use super::layout::Sockets;
use super::lists::ring;
use super::{ANY_ADDRESS, FabricMessage, FabricQueues, Posted};
use crate::alloc::{AddressSet, push};
use crate::error::{Error, Result};
use crate::layout::{Record, Structure};
use crate::memory::Memory;

impl Sockets {
    pub(super) fn queues(
        &self,
        memory: &mut Memory<'_>,
        receiver: u64,
        queues: &mut FabricQueues,
    ) -> Result<()> {
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
            };
            push(&mut queues.messages, message)
        });
        posted.and(messages)
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
}
