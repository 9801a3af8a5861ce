//! The processes of the known program, with their objects.

use std::collections::HashMap;

use mqd_inspect::process::Target;

use super::LearnError;
use super::known::{Comm, Kind, Known, Operation};
use super::objects::{self, COMMUNICATORS, Object, Objects, REQUESTS, Shape};

/// A process of the program, stopped.
pub(super) struct Process {
    pub(super) target: Target,
    pub(super) known: Known,
    /// The index of the MPI library among the images.
    pub(super) library: usize,
}

/// The same with the objects that pools of a certain shape have.
pub(super) struct Found<'p> {
    pub(super) process: &'p Process,
    pub(super) comms: Objects,
    pub(super) requests: Objects,
}

/// A communicator or an operation of the program, with its object.
pub(super) struct Sample<'w, T> {
    /// The place of its process in [`World::processes`].
    pub(super) process: usize,
    pub(super) what: &'w T,
    pub(super) object: &'w Object,
    target: &'w Target,
}

impl<T> Sample<'_, T> {
    /// A number of the object, of at most eight bytes. None: it would end outside of the object.
    pub(super) fn unsigned(&self, offset: usize, size: usize) -> Option<u64> {
        Some(self.target.arch().unsigned(self.object.bytes.get(offset..offset + size)?))
    }

    /// An `int` of the object.
    pub(super) fn int(&self, offset: usize) -> Option<i64> {
        let bits = u32::try_from(self.unsigned(offset, 4)?).ok()?;
        Some(bits.cast_signed().into())
    }

    /// A pointer of the object.
    pub(super) fn pointer(&self, offset: usize) -> Option<u64> {
        self.unsigned(offset, 8)
    }

    /// Bytes of the process.
    pub(super) fn read(&self, address: u64, size: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; size];
        self.target.read(address, &mut bytes).ok()?;
        Some(bytes)
    }
}

/// All processes with their objects.
pub(super) struct World<'p> {
    /// By rank.
    pub(super) processes: Vec<Found<'p>>,
}

impl<'p> World<'p> {
    /// The objects in pools of this shape.
    pub(super) fn new(processes: &'p [Process], shape: &Shape) -> Result<Self, LearnError> {
        let found = processes.iter().map(|process| {
            let objects = |what| objects::find(&process.target, process.library, shape, what);
            let comms = objects(COMMUNICATORS).ok_or(LearnError::NoPool("communicators"))?;
            let requests = objects(REQUESTS).ok_or(LearnError::NoPool("requests"))?;
            Ok(Found { process, comms, requests })
        });
        let world = World { processes: found.collect::<Result<_, LearnError>>()? };
        for found in &world.processes {
            let known = &found.process.known;
            let comm = known.comms.iter().find(|c| !found.comms.by_handle.contains_key(&c.handle));
            if let Some(comm) = comm {
                return Err(LearnError::NoObject(format!("the communicator {:?}", comm.name)));
            }
            let is_missing = |operation: &&Operation| {
                operation.request != 0 && !found.requests.by_handle.contains_key(&operation.request)
            };
            if let Some(operation) = known.operations.iter().find(is_missing) {
                let what = format!("the request {:#x}", operation.request);
                return Err(LearnError::NoObject(what));
            }
        }
        Ok(world)
    }

    /// The size of a structure whose objects are in pools, in bytes.
    pub(super) fn size(&self, structure: &str) -> Option<u64> {
        let found = self.processes.first()?;
        match structure {
            "MPIR_Comm" => Some(found.comms.size),
            "MPIR_Request" => Some(found.requests.size),
            _ => None,
        }
    }

    /// All communicators.
    pub(super) fn comms(&self) -> Vec<Sample<'_, Comm>> {
        let samples = self.processes.iter().enumerate().flat_map(|(process, found)| {
            found.process.known.comms.iter().filter_map(move |what| {
                let object = found.comms.by_handle.get(&what.handle)?;
                Some(Sample { process, what, object, target: &found.process.target })
            })
        });
        samples.collect()
    }

    /// The operations of some kinds that have requests, in the order of each process.
    pub(super) fn operations(&self, kinds: &[Kind]) -> Vec<Sample<'_, Operation>> {
        let samples = self.processes.iter().enumerate().flat_map(|(process, found)| {
            found.process.known.of(kinds).into_iter().filter_map(move |what| {
                let object = found.requests.by_handle.get(&what.request)?;
                Some(Sample { process, what, object, target: &found.process.target })
            })
        });
        samples.collect()
    }

    /// The communicator of an operation.
    pub(super) fn comm_of<'s>(
        &'s self,
        sample: &Sample<'_, Operation>,
    ) -> Option<Sample<'s, Comm>> {
        let found = &self.processes[sample.process];
        let what = found.process.known.comms.get(sample.what.comm)?;
        let object = found.comms.by_handle.get(&what.handle)?;
        Some(Sample { process: sample.process, what, object, target: &found.process.target })
    }

    /// The requests of unexpected messages, in the order of each process: those that `is_it` says
    /// are of the message.
    pub(super) fn messages(
        &self,
        kinds: &[Kind],
        is_it: impl Fn(&Sample<'_, Operation>) -> bool,
    ) -> Result<Vec<Sample<'_, Operation>>, LearnError> {
        let mut all = Vec::new();
        for (process, found) in self.processes.iter().enumerate() {
            let known = &found.process.known;
            let handles: HashMap<u64, ()> =
                known.operations.iter().map(|operation| (operation.request, ())).collect();
            for what in known.of(kinds) {
                let target = &found.process.target;
                let others =
                    found.requests.by_handle.iter().filter(|(at, _)| !handles.contains_key(at));
                let mut fits = others
                    .map(|(_, object)| Sample { process, what, object, target })
                    .filter(|sample| is_it(sample));
                match (fits.next(), fits.next()) {
                    (Some(one), None) => all.push(one),
                    _ => {
                        let tag = what.tag;
                        let what = format!("the unexpected message with tag {tag}");
                        return Err(LearnError::NoObject(what));
                    }
                }
            }
        }
        Ok(all)
    }

    /// The address of the request of a message's sender, if it waits for the receiver.
    pub(super) fn sender(&self, message: &Sample<'_, Operation>) -> Option<u64> {
        let comm = self.comm_of(message)?.what;
        let rank = *comm.members.get(usize::try_from(message.what.peer).ok()?)?;
        let sender = self.processes.get(usize::try_from(rank).ok()?)?;
        let known = &sender.process.known;
        let send = known.of(&[Kind::Send]).into_iter().find(|send| {
            send.tag == message.what.tag
                && known.comms.get(send.comm).is_some_and(|its| its.name == comm.name)
        })?;
        Some(sender.requests.by_handle.get(&send.request)?.address)
    }
}
