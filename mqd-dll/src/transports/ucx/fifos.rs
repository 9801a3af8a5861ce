//! The queues in shared memory that carry messages within a machine.
//!
//! Each worker has a queue of its own for each transport of shared memory. Senders take places at
//! its head, one after the other. The reader takes elements out and counts them. A sender sees the
//! head, too. So if a process has taken out as many elements as another one sees put in, no message
//! of the other one is on its way.
//!
//! Messages to a process go through the lanes of the endpoint to it, and each lane belongs to one
//! transport. If a transport is not known, or is a network, nothing is known about messages to that
//! process.

use super::layout::{Fifos as Fields, MAX_LANES};
use super::worker::Worker;
use crate::alloc::{AddressMap, append, insert, push};
use crate::environment;
use crate::error::{Code, Error, OrUnreadable, Result};
use crate::layout::{Field, Pointer, Record, Structure};
use crate::memory::Memory;
use crate::queues::Fifo;
use crate::text::Text;

/// No worker has more interfaces than this.
const MAX_INTERFACES: u64 = 256;
/// This bit of the head says that the reader is to be woken.
const WAKES: u64 = 1 << 63;
/// Transports that carry no messages: they copy the data of long messages from process to process.
const COPIES: [&[u8]; 2] = [b"cma", b"knem"];
/// Transports with a queue in shared memory.
const SHARED: [&[u8]; 3] = [b"posix", b"sysv", b"xpmem"];
/// Messages of a process to itself, which arrive while they are sent.
const OWN: &[u8] = b"self";

/// What an interface of a worker is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Interface {
    /// It has a queue in shared memory.
    Shared,
    /// Nothing waits in it.
    Direct,
    /// A network, or another one.
    Other,
}

/// The interfaces of a worker by their addresses.
struct Interfaces {
    fields: Fields,
    kinds: AddressMap<Interface>,
}

impl Worker {
    /// The queues in shared memory of this process, and those of the processes behind `endpoints`,
    /// which has ranks in `MPI_COMM_WORLD`. None: they are not known.
    pub(crate) fn fifos(
        &self,
        memory: &mut Memory<'_>,
        endpoints: &AddressMap<i32>,
    ) -> Result<Option<Vec<Fifo>>> {
        match self.all_fifos(memory, endpoints) {
            // They are optional: no queue of messages depends on them.
            Err(error) if !error.is_final() => Ok(None),
            result => result,
        }
    }

    fn all_fifos(
        &self,
        memory: &mut Memory<'_>,
        endpoints: &AddressMap<i32>,
    ) -> Result<Option<Vec<Fifo>>> {
        let mut fifos = Vec::new();
        let Some(interfaces) = self.interfaces(memory)? else { return Ok(None) };
        if !self.own_fifos(memory, &interfaces, &mut fifos)? {
            return Ok(None);
        }
        for (&endpoint, &rank) in endpoints.iter().filter(|(_, rank)| **rank >= 0) {
            self.fifos_to(memory, &interfaces, endpoint, rank, &mut fifos)?;
        }
        fifos.sort_unstable_by_key(|fifo| (fifo.reader, fifo.id));
        fifos.dedup();
        Ok(Some(fifos))
    }

    /// The names of the worker's transports, for people. None: nobody asks for them, or they are
    /// not known.
    pub(crate) fn transports(&self, memory: &mut Memory<'_>) -> Result<Option<Text<64>>> {
        if !environment::wants(environment::TRANSPORTS) {
            return Ok(None);
        }
        let mut text = Text::EMPTY;
        let mut all = Vec::new();
        match self.each_interface(memory, |_, name| push(&mut all, cut_name(name))) {
            Ok(Some(_)) => {}
            Err(error) if error.is_final() => return Err(error),
            _ => return Ok(None),
        }
        text.append(b"UCX transports:");
        for (place, name) in all.iter().enumerate() {
            if all[..place].iter().all(|other| other.as_bytes() != name.as_bytes()) {
                text.append(b" ");
                text.append(name.as_bytes());
            }
        }
        Ok(Some(text))
    }

    /// The interfaces. None: the layout does not have them.
    fn interfaces(&self, memory: &mut Memory<'_>) -> Result<Option<Interfaces>> {
        let mut kinds = AddressMap::default();
        let fields = self.each_interface(memory, |interface, name| {
            let kind = match name {
                name if SHARED.contains(&name) => Interface::Shared,
                name if name == OWN || COPIES.contains(&name) => Interface::Direct,
                _ => Interface::Other,
            };
            insert(&mut kinds, interface, kind)
        })?;
        Ok(fields.map(|fields| Interfaces { fields, kinds }))
    }

    /// Gives the address and the transport's name of each interface to `each`. None: the layout
    /// does not have them.
    fn each_interface(
        &self,
        memory: &mut Memory<'_>,
        mut each: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<Option<Fields>> {
        let Some(fields) = self.layout.fifos else { return Ok(None) };
        let target = memory.target;
        let context = memory.pointer(self.layout.worker.context.address(self.address))?;
        let resources = memory.pointer(fields.context.resources.address(context))?;
        let number = memory.record(fields.worker.number.address(self.address), 4)?;
        let number = target.unsigned(&number);
        if number > MAX_INTERFACES {
            return Err(Error::on(Code::Impossible, "ucp_worker_t").part("num_ifaces"));
        }
        let list = memory.pointer(fields.worker.interfaces.address(self.address))?;
        let list = memory.record(list, number as usize * target.pointer)?;
        for pointer in list.chunks_exact(target.pointer) {
            let address = target.unsigned(pointer);
            if address == 0 {
                continue;
            }
            let bytes = memory.record(address, fields.interface.bytes())?;
            let record = Record { bytes: &bytes, target };
            let place = record.get(fields.interface.resource)? * fields.resource.bytes() as u64;
            let resource = memory.record(resources.wrapping_add(place), fields.resource.bytes())?;
            let name = Record { bytes: &resource, target }.get(fields.resource.name)?;
            each(record.get(fields.interface.interface)?, name)?;
        }
        Ok(Some(fields))
    }

    /// The queues that carry messages to this process, and how many elements it has taken out of
    /// each. False: they are not plausible.
    fn own_fifos(
        &self,
        memory: &mut Memory<'_>,
        interfaces: &Interfaces,
        fifos: &mut Vec<Fifo>,
    ) -> Result<bool> {
        let fields = &interfaces.fields;
        let shared = interfaces.kinds.iter().filter(|(_, kind)| **kind == Interface::Shared);
        for (interface, _) in shared {
            let bytes = memory.record(*interface, fields.shared_interface.bytes())?;
            let record = Record { bytes: &bytes, target: memory.target };
            let taken = record.get(fields.shared_interface.read_index)?;
            let control = record.get(fields.shared_interface.control)?;
            let Some((id, head, tail)) = control_of(memory, fields, control)? else {
                return Ok(false);
            };
            // Places are given back after elements have been taken out, but not after each one.
            if taken > head || tail > taken {
                return Ok(false);
            }
            push(fifos, Fifo { id, reader: None, elements: taken })?;
        }
        Ok(true)
    }

    /// The queues that carry messages to the process with this rank, through this endpoint. None is
    /// added if not all lanes are known.
    fn fifos_to(
        &self,
        memory: &mut Memory<'_>,
        interfaces: &Interfaces,
        endpoint: u64,
        rank: i32,
        fifos: &mut Vec<Fifo>,
    ) -> Result<()> {
        let fields = &interfaces.fields;
        let target = memory.target;
        let lanes = fields.endpoint.lanes.address(endpoint);
        let lanes = match fields.extension {
            None => memory.record(lanes, MAX_LANES * target.pointer)?,
            Some((more, extension)) => {
                let bytes = more.extension.address(0) - fields.endpoint.lanes.address(0);
                let mut lanes = memory.record(lanes, bytes as usize)?;
                let further = memory.pointer(more.extension.address(endpoint))?;
                append(
                    &mut lanes,
                    &memory.record(extension.lanes.address(further), target.pointer)?,
                )?;
                lanes
            }
        };
        let before = fifos.len();
        for lane in lanes.chunks_exact(target.pointer) {
            let lane = target.unsigned(lane);
            if lane == 0 {
                continue;
            }
            if !self.lane(memory, interfaces, lane, rank, fifos)? {
                fifos.truncate(before);
                return Ok(());
            }
        }
        if fifos.len() == before {
            push(fifos, Fifo { id: 0, reader: Some(rank), elements: 0 })?;
        }
        Ok(())
    }

    /// Adds the queue of a lane. False: it is a lane of another kind.
    fn lane(
        &self,
        memory: &mut Memory<'_>,
        interfaces: &Interfaces,
        lane: u64,
        rank: i32,
        fifos: &mut Vec<Fifo>,
    ) -> Result<bool> {
        let fields = &interfaces.fields;
        let bytes = memory.record(lane, fields.shared_endpoint.bytes());
        let Some(bytes) = bytes.or_unreadable()? else { return Ok(false) };
        let record = Record { bytes: &bytes, target: memory.target };
        // A lane that has not been connected yet is a placeholder, which has no interface of the
        // worker.
        match interfaces.kinds.get(&record.get(Field::<Pointer>::at(0))?) {
            Some(Interface::Direct) => Ok(true),
            Some(Interface::Shared) => {
                let control = record.get(fields.shared_endpoint.control)?;
                let Some((id, head, _)) = control_of(memory, fields, control)? else {
                    return Ok(false);
                };
                push(fifos, Fifo { id, reader: Some(rank), elements: head })?;
                Ok(true)
            }
            Some(Interface::Other) | None => Ok(false),
        }
    }
}

fn cut_name(name: &[u8]) -> Text<16> {
    let mut text = Text::EMPTY;
    text.append(name);
    text
}

/// The number of a queue, and how many elements were put in and how many places were given back.
/// None: there is no queue.
fn control_of(
    memory: &mut Memory<'_>,
    fields: &Fields,
    address: u64,
) -> Result<Option<(u64, u64, u64)>> {
    let control = &fields.control;
    let Some(bytes) = memory.record(address, control.bytes()).or_unreadable()? else {
        return Ok(None);
    };
    let record = Record { bytes: &bytes, target: memory.target };
    let (head, tail) = (record.get(control.head)? & !WAKES, record.get(control.tail)?);
    let (process, length) = (record.get(control.process)?, record.get(control.length)?);
    let name = record.get(control.name)?;
    // The address by which the reader is woken is unique, so it identifies the queue.
    let Some(name) = name.get(..length as usize).filter(|name| !name.is_empty()) else {
        return Ok(None);
    };
    if process <= 0 || tail > head {
        return Ok(None);
    }
    let name = name.iter().copied().chain(process.to_le_bytes());
    let id = name.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Ok(Some((id.max(1), head, tail)))
}
