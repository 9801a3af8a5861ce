//! The memory of a synthetic process, and a [`Model`] written into it.

use super::contract::Kind;
use super::machine::{Layouts, Machine};
use super::model::{Model, Request};
use super::random::Random;
use std::collections::BTreeMap;

/// Where objects go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// One after the other.
    Slab,
    /// One after the other, downwards.
    Downwards,
    /// In a slab, in random order.
    Shuffled,
    /// This many bytes apart, in memory that is readable between them.
    Apart(u64),
    /// Across the end of a page, this many bytes apart.
    Straddling(u64),
    /// Each alone on its page, the pages around it unreadable.
    LonePages,
    /// Each alone, not a byte around it readable.
    Lone,
    /// In slabs of this size, unreadable gaps between them.
    Islands(u64),
}

/// A readable part of the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    pub start: u64,
    pub bytes: Vec<u8>,
}

/// A process: its memory and what the debugger's debug information says.
#[derive(Clone)]
pub struct SyntheticProcess {
    pub machine: Machine,
    pub layouts: Layouts,
    /// Sorted, apart from each other.
    pub regions: Vec<Region>,
    pub symbols: BTreeMap<String, u64>,
    pub functions: Vec<String>,
    /// Where each structure went: type and address, in the order of writing.
    pub objects: Vec<(String, u64)>,
}

const PAGE: u64 = 4096;

impl SyntheticProcess {
    pub fn new(model: &Model, machine: Machine, layouts: Layouts, placement: Placement) -> Self {
        let base = if machine.pointer == 4 { 0x0900_0000 } else { 0x7f12_0000_0000 };
        Writer { machine, layouts, placement, next: base, pieces: Vec::new(), objects: Vec::new() }
            .write(model)
    }

    /// Reads memory: all of it or nothing.
    pub fn read(&self, address: u64, size: usize) -> Option<&[u8]> {
        let index =
            self.regions.partition_point(|region| region.start <= address).checked_sub(1)?;
        let region = &self.regions[index];
        let start = (address - region.start) as usize;
        region.bytes.get(start..start.checked_add(size)?)
    }

    pub fn bytes_mut(&mut self, address: u64, size: usize) -> &mut [u8] {
        let index = self.regions.partition_point(|region| region.start <= address) - 1;
        let start = (address - self.regions[index].start) as usize;
        &mut self.regions[index].bytes[start..start + size]
    }

    /// The address of the `index`-th object of a type.
    pub fn object(&self, ty: &str, index: usize) -> u64 {
        self.objects.iter().filter(|(name, _)| name == ty).nth(index).expect("there are so many").1
    }

    /// Overwrites a field.
    pub fn set(&mut self, ty: &str, index: usize, field: &str, value: i64) {
        let (offset, kind) = self.layouts[ty].offsets[field];
        let bytes = self.machine.encode(value, self.machine.size_of(kind));
        let address = self.object(ty, index) + offset as u64;
        self.bytes_mut(address, bytes.len()).copy_from_slice(&bytes);
    }

    /// Makes memory unreadable.
    pub fn unmap(&mut self, start: u64, end: u64) {
        let mut kept = Vec::new();
        for region in self.regions.drain(..) {
            let region_end = region.start + region.bytes.len() as u64;
            let (low, high) =
                (start.clamp(region.start, region_end), end.clamp(region.start, region_end));
            let (left, right) = ((low - region.start) as usize, (high - region.start) as usize);
            kept.push(Region { start: region.start, bytes: region.bytes[..left].to_vec() });
            kept.push(Region { start: high, bytes: region.bytes[right..].to_vec() });
        }
        kept.retain(|region| !region.bytes.is_empty());
        self.regions = kept;
    }
}

struct Writer {
    machine: Machine,
    layouts: Layouts,
    placement: Placement,
    next: u64,
    pieces: Vec<(u64, Vec<u8>)>,
    objects: Vec<(String, u64)>,
}

enum Value<'a> {
    Number(i64),
    Text(&'a [u8]),
}

impl Writer {
    fn write(mut self, model: &Model) -> SyntheticProcess {
        let mut calls = self.calls(model);
        let waits_in = model.wait.call.map_or(0, |call| {
            let text = [call.as_bytes(), b"\0"].concat();
            *calls.entry(call).or_insert_with(|| self.raw(text))
        });
        let datatypes: Vec<u64> = model
            .datatypes
            .iter()
            .map(|(name, size)| {
                self.object(
                    "mqdrt_datatype",
                    &[("name", Value::Text(name)), ("size", Value::Number(*size))],
                )
            })
            .collect();
        // Lists are written in their order; each communicator's address has to be known to its
        // requests, so the addresses come first.
        let communicators: Vec<u64> =
            model.communicators.iter().map(|_| self.reserve("mqdrt_communicator")).collect();
        let mut groups = BTreeMap::new();
        for (index, communicator) in model.communicators.iter().enumerate() {
            let mut group = |writer: &mut Self, group: &super::model::Group| {
                let key = (group.rank, group.world_ranks.clone());
                *groups.entry(key).or_insert_with(|| writer.group(group.rank, &group.world_ranks))
            };
            let local = group(&mut self, &communicator.local);
            let remote = communicator.remote.as_ref().map_or(0, |remote| group(&mut self, remote));
            let owner = communicators[index];
            let owned = |requests: &[Request]| {
                requests.iter().map(|r| (owner, r.clone())).collect::<Vec<_>>()
            };
            let posted = self.requests(&owned(&communicator.posted), &calls, &datatypes);
            let matched = self.requests(&owned(&communicator.matched), &calls, &datatypes);
            let unexpected = self.messages(owner, &communicator.unexpected);
            let collectives = self.array(
                "mqdrt_collective",
                ["calls", "active"],
                communicator.collectives.as_deref(),
            );
            let traffic =
                self.array("mqdrt_peer", ["sent", "received"], communicator.traffic.as_deref());
            let next = communicators.get(index + 1).copied().unwrap_or(0);
            self.fill(
                "mqdrt_communicator",
                owner,
                &[
                    ("next", Value::Number(next as i64)),
                    ("context_id", Value::Number(communicator.context_id)),
                    ("freed", Value::Number(communicator.freed)),
                    ("local_group", Value::Number(local as i64)),
                    ("remote_group", Value::Number(remote as i64)),
                    ("name", Value::Text(&communicator.name)),
                    ("posted_receives", Value::Number(posted as i64)),
                    ("matched_receives", Value::Number(matched as i64)),
                    ("unexpected_messages", Value::Number(unexpected as i64)),
                    ("collectives", Value::Number(collectives as i64)),
                    ("peers", Value::Number(traffic as i64)),
                ],
            );
        }
        let with_owner = |requests: &[(usize, Request)]| -> Vec<_> {
            requests
                .iter()
                .map(|(index, request)| (communicators[*index], request.clone()))
                .collect()
        };
        let sends = self.requests(&with_owner(&model.sends), &calls, &datatypes);
        let probes = self.requests(&with_owner(&model.probes), &calls, &datatypes);
        let first = communicators.first().copied().unwrap_or(0);
        let root = self.root(model, waits_in, [first, sends, probes]);
        self.finish(root)
    }

    /// The names of the calls that made the requests.
    fn calls<'m>(&mut self, model: &'m Model) -> BTreeMap<&'m str, u64> {
        let requests = model.communicators.iter().flat_map(|c| c.posted.iter().chain(&c.matched));
        let loose = model.sends.iter().chain(&model.probes).map(|(_, request)| request);
        let mut calls = BTreeMap::new();
        for request in requests.chain(loose) {
            if !calls.contains_key(request.call) {
                let text = [request.call.as_bytes(), b"\0"].concat();
                calls.insert(request.call, self.raw(text));
            }
        }
        calls
    }

    fn root(&mut self, model: &Model, call: u64, [communicators, sends, probes]: [u64; 3]) -> u64 {
        self.object(
            "mqdrt_process",
            &[
                ("layout_version", Value::Number(model.layout_version)),
                ("phase", Value::Number(model.phase)),
                ("world_rank", Value::Number(model.world_rank)),
                ("world_size", Value::Number(model.world_size)),
                ("communicators", Value::Number(communicators as i64)),
                ("sends", Value::Number(sends as i64)),
                ("probes", Value::Number(probes as i64)),
                ("call", Value::Number(call as i64)),
                ("threads", Value::Number(model.wait.threads)),
                ("awaited", Value::Number(model.wait.awaited)),
                ("needed", Value::Number(model.wait.needed)),
                ("operations", Value::Number(0)),
                ("wait", Value::Number(model.wait.number)),
                ("internal_communicators", Value::Number(0)),
                ("internal_sends", Value::Number(0)),
                ("going_on", Value::Number(0)),
            ],
        )
    }

    fn finish(mut self, root: u64) -> SyntheticProcess {
        self.pieces.sort_by_key(|(start, _)| *start);
        let mut regions: Vec<Region> = Vec::new();
        for (start, bytes) in self.pieces {
            // Where bytes have no place of their own, whole pages are readable.
            let (low, high) = match self.placement {
                Placement::Lone => (start, start + bytes.len() as u64),
                _ => (start - start % PAGE, (start + bytes.len() as u64).next_multiple_of(PAGE)),
            };
            let joins = |region: &Region| region.start + region.bytes.len() as u64 >= low;
            if !regions
                .last()
                .is_some_and(|region| joins(region) && self.placement != Placement::Lone)
            {
                regions.push(Region { start: low, bytes: Vec::new() });
            }
            let region = regions.last_mut().expect("one was pushed");
            let wanted = (high - region.start) as usize;
            if region.bytes.len() < wanted {
                region.bytes.resize(wanted, 0xCC);
            }
            let offset = (start - region.start) as usize;
            region.bytes[offset..offset + bytes.len()].copy_from_slice(&bytes);
        }
        if matches!(self.placement, Placement::Apart(_) | Placement::Straddling(_)) {
            regions = vec![joined(&regions)];
        }
        SyntheticProcess {
            machine: self.machine,
            layouts: self.layouts,
            regions,
            symbols: BTreeMap::from([("mqdrt_root".to_owned(), root)]),
            functions: vec!["MPI_Init".to_owned()],
            objects: self.objects,
        }
    }

    /// Room for an object.
    fn place(&mut self, size: u64) -> u64 {
        let align = |address: u64| address.next_multiple_of(16);
        match self.placement {
            Placement::Slab | Placement::Shuffled => {
                let at = align(self.next);
                self.next = at + size;
                at
            }
            Placement::Downwards => {
                self.next = (self.next - size) & !15;
                self.next
            }
            Placement::Apart(stride) => {
                let at = align(self.next);
                self.next = at + stride.max(size);
                at
            }
            Placement::Straddling(stride) => {
                let at = self.next.next_multiple_of(PAGE) + PAGE - ((size / 2) & !7).max(8);
                self.next = at + stride.max(size);
                at
            }
            Placement::LonePages => {
                let at = self.next.next_multiple_of(PAGE) + 64;
                self.next = (at + size).next_multiple_of(PAGE) + PAGE;
                at
            }
            Placement::Lone => {
                let at = align(self.next);
                self.next = at + size + 32;
                at
            }
            Placement::Islands(island) => {
                let at = align(self.next);
                if at / island == (at + size) / island {
                    self.next = at + size;
                    return at;
                }
                let at = (at + size).next_multiple_of(island) + island + PAGE;
                self.next = at + size;
                at
            }
        }
    }

    fn reserve(&mut self, ty: &str) -> u64 {
        let size = self.layouts[ty].size as u64;
        let address = self.place(size);
        self.objects.push((ty.to_owned(), address));
        address
    }

    fn raw(&mut self, bytes: Vec<u8>) -> u64 {
        let address = self.place(bytes.len() as u64);
        self.pieces.push((address, bytes));
        address
    }

    fn fill(&mut self, ty: &str, address: u64, values: &[(&str, Value<'_>)]) {
        let bytes = self.encode(ty, values);
        self.pieces.push((address, bytes));
    }

    /// Structures of two numbers each, one after the other; NULL for none.
    fn array(&mut self, ty: &str, fields: [&str; 2], values: Option<&[(i64, i64)]>) -> u64 {
        let Some(values) = values else { return 0 };
        let elements = values.iter().flat_map(|(first, second)| {
            self.encode(
                ty,
                &[(fields[0], Value::Number(*first)), (fields[1], Value::Number(*second))],
            )
        });
        let bytes: Vec<u8> = elements.collect();
        let size = self.layouts[ty].size as u64;
        let address = self.raw(bytes);
        self.objects
            .extend((0..values.len() as u64).map(|index| (ty.to_owned(), address + index * size)));
        address
    }

    fn encode(&self, ty: &str, values: &[(&str, Value<'_>)]) -> Vec<u8> {
        let layout = &self.layouts[ty];
        assert_eq!(values.len(), layout.offsets.len(), "every field of {ty} is written");
        let mut bytes = vec![0xAA; layout.size];
        for (name, value) in values {
            let (offset, kind) = layout.offsets[*name];
            let encoded = match (value, kind) {
                (Value::Text(text), Kind::Chars(size)) => {
                    assert!(text.len() <= size);
                    let mut chars = text.to_vec();
                    if chars.len() < size {
                        chars.push(0);
                    }
                    chars.resize(size, 0xEE);
                    chars
                }
                (Value::Number(number), kind) => {
                    self.machine.encode(*number, self.machine.size_of(kind))
                }
                _ => panic!("{ty}.{name} is no text"),
            };
            bytes[offset..offset + encoded.len()].copy_from_slice(&encoded);
        }
        bytes
    }

    fn object(&mut self, ty: &str, values: &[(&str, Value<'_>)]) -> u64 {
        let address = self.reserve(ty);
        self.fill(ty, address, values);
        address
    }

    fn group(&mut self, rank: i64, world_ranks: &[i64]) -> u64 {
        let ranks = world_ranks
            .iter()
            .flat_map(|rank| self.machine.encode(*rank, self.machine.int))
            .collect();
        let ranks = self.raw(ranks);
        self.object(
            "mqdrt_group",
            &[
                ("size", Value::Number(world_ranks.len() as i64)),
                ("rank", Value::Number(rank)),
                ("world_ranks", Value::Number(ranks as i64)),
            ],
        )
    }

    /// Addresses for the elements of a list, in the order of the list.
    fn list(&mut self, ty: &str, length: usize) -> Vec<u64> {
        let mut addresses: Vec<u64> = (0..length).map(|_| self.reserve(ty)).collect();
        if self.placement == Placement::Shuffled {
            Random::new(length as u64).shuffle(&mut addresses);
        }
        addresses
    }

    fn requests(
        &mut self,
        requests: &[(u64, Request)],
        calls: &BTreeMap<&str, u64>,
        datatypes: &[u64],
    ) -> u64 {
        let addresses = self.list("mqdrt_request", requests.len());
        for (index, (owner, request)) in requests.iter().enumerate() {
            let number = Value::Number;
            self.fill(
                "mqdrt_request",
                addresses[index],
                &[
                    ("next", number(addresses.get(index + 1).copied().unwrap_or(0) as i64)),
                    ("communicator", number(*owner as i64)),
                    ("kind", number(request.kind)),
                    ("state", number(request.state)),
                    ("peer", number(request.peer)),
                    ("tag", number(request.tag)),
                    ("buffer", number(request.buffer)),
                    ("count", number(request.count)),
                    (
                        "datatype",
                        number(request.datatype.map_or(0, |index| datatypes[index]) as i64),
                    ),
                    ("length", number(request.length)),
                    ("system_buffer", number(request.system_buffer)),
                    ("protocol", number(request.protocol)),
                    ("actual_source", number(request.actual_source)),
                    ("actual_tag", number(request.actual_tag)),
                    ("actual_length", number(request.actual_length)),
                    ("call", number(calls[request.call] as i64)),
                    ("wait", number(request.wait)),
                    ("whole", number(0)),
                    ("open", number(0)),
                ],
            );
        }
        addresses.first().copied().unwrap_or(0)
    }

    fn messages(&mut self, owner: u64, messages: &[super::model::Message]) -> u64 {
        let addresses = self.list("mqdrt_message", messages.len());
        for (index, message) in messages.iter().enumerate() {
            let number = Value::Number;
            self.fill(
                "mqdrt_message",
                addresses[index],
                &[
                    ("next", number(addresses.get(index + 1).copied().unwrap_or(0) as i64)),
                    ("communicator", number(owner as i64)),
                    ("source", number(message.source)),
                    ("tag", number(message.tag)),
                    ("length", number(message.length)),
                    ("buffer", number(message.buffer)),
                    ("protocol", number(message.protocol)),
                    ("mode", number(message.mode)),
                ],
            );
        }
        addresses.first().copied().unwrap_or(0)
    }
}

/// One region from the first byte to the last.
fn joined(regions: &[Region]) -> Region {
    let start = regions[0].start;
    let last = regions.last().expect("there are some");
    let mut bytes = vec![0xCC; (last.start - start) as usize + last.bytes.len()];
    for region in regions {
        let offset = (region.start - start) as usize;
        bytes[offset..offset + region.bytes.len()].copy_from_slice(&region.bytes);
    }
    Region { start, bytes }
}
