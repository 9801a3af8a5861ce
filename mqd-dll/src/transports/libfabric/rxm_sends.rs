//! Sends of the provider `ofi_rxm`.
//!
//! Each send that is not complete uses up a credit, and has an object of a pool. A short one is
//! complete soon. A long one is announced, and waits until its message is received. Its object has
//! no receiver, but the announcement has the number of the object. At first the pool gives out the
//! objects in the order of their numbers, later the one that was free last.

use super::layout::{RxmSending, rxm};
use super::{FabricQueues, FabricSend};
use crate::alloc::push;
use crate::error::{Code, Error, Result};
use crate::layout::{Record, Structure};
use crate::memory::Memory;

/// The most objects that are searched.
const MAX_OBJECTS: u64 = 4096;

impl RxmSending {
    /// Does an endpoint leave its queues to the provider below it?
    pub(super) fn passes_through(&self, memory: &mut Memory<'_>, endpoint: u64) -> Result<bool> {
        let information = memory.pointer(self.sender.information.address(endpoint))?;
        let attributes = memory.pointer(self.information.endpoint.address(information))?;
        let bytes = memory.record(attributes, self.endpoint.bytes())?;
        let attributes = Record { bytes: &bytes, target: memory.target };
        Ok(attributes.get(self.endpoint.protocol)? == rxm::PASSES_THROUGH)
    }

    /// Reads the sends that are not complete.
    pub(super) fn queue(
        &self,
        memory: &mut Memory<'_>,
        endpoint: u64,
        queues: &mut FabricQueues,
    ) -> Result<()> {
        let information = memory.pointer(self.sender.information.address(endpoint))?;
        let attributes = memory.pointer(self.information.sends.address(information))?;
        let all = memory.pointer(self.attributes.size.address(attributes))?;
        let left = memory.pointer(self.sender.credits.address(endpoint))?;
        let open = all.checked_sub(left);
        let open = open.ok_or(Error::on(Code::Impossible, "rxm_ep").part("tx_credit"))?;
        let deferred = self.sender.deferred.address(endpoint);
        if memory.pointer(deferred)? != deferred {
            return Ok(());
        }
        let mut sends = Vec::new();
        if open > 0 {
            let pool = memory.pointer(self.sender.pool.address(endpoint))?;
            let here = |error: Error| error.within("ofi_bufpool", pool);
            self.announced(memory, pool, open, &mut sends).map_err(here)?;
        }
        // If there are others, nothing else is known of them.
        queues.sends = Some(sends).filter(|sends| sends.len() as u64 == open);
        Ok(())
    }

    /// Searches a pool for this number of sends that are announced.
    fn announced(
        &self,
        memory: &mut Memory<'_>,
        pool: u64,
        wanted: u64,
        sends: &mut Vec<FabricSend>,
    ) -> Result<()> {
        let size = memory.pointer(self.pool.size.address(pool))?;
        let of_region = memory.pointer(self.pool.objects_of_region.address(pool))?;
        let regions = memory.pointer(self.pool.region_count.address(pool))?;
        let table = memory.pointer(self.pool.regions.address(pool))?;
        let mut index = 0;
        for place in 0..regions {
            memory.step()?;
            let word = memory.target.pointer as u64;
            let region = memory.pointer(table.wrapping_add(place.wrapping_mul(word)))?;
            if memory.pointer(self.region.pool.address(region))? != pool {
                return Err(Error::new(Code::Impossible).part("region_table"));
            }
            let mut object = memory.pointer(self.region.objects.address(region))?;
            for _ in 0..of_region {
                if index == MAX_OBJECTS || sends.len() as u64 == wanted {
                    return Ok(());
                }
                memory.step()?;
                let bytes = memory.record(object, self.buffer.bytes())?;
                let buffer = Record { bytes: &bytes, target: memory.target };
                if let Some(send) = self.send(&buffer, index)? {
                    push(sends, send)?;
                }
                index += 1;
                object = object.wrapping_add(size);
            }
        }
        Ok(())
    }

    /// The send that an object stands for. None: it is not in use, or not announced.
    fn send(&self, buffer: &Record<'_>, index: u64) -> Result<Option<FabricSend>> {
        let packet = buffer.inner(self.buffer.packet)?;
        let fields = &self.packet;
        let is_open = rxm::WAITS.contains(&buffer.get(self.buffer.state)?)
            && packet.get(fields.operation)? == rxm::TAGGED
            && packet.get(fields.number)? == index;
        let name = fields.announced(&packet)?.filter(|_| is_open);
        name.map(|name| {
            Ok(FabricSend {
                tag: packet.get(fields.tag)?,
                length: packet.get(fields.length)?,
                context: buffer.get(self.buffer.context)?,
                receiver: None,
                name: Some(name),
            })
        })
        .transpose()
    }
}
