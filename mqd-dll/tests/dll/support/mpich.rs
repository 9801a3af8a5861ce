//! A synthetic process of MPICH: the variables of a library without symbols, with communicators
//! and with messages of the process to itself. Its other messages are in [`super::ucx`].

use super::contract::Kind;
use super::machine::Machine;
use super::process::{Region, SyntheticProcess};
use super::tables::read_table;
use std::collections::BTreeMap;

mod ch3;
mod nemesis;

pub use ch3::{Ch3, Ch3Kind, LIBRARY, LISTS, RECEIVED, USER};
pub use nemesis::{NEMESIS_CELLS, Nemesis};

/// Where the library is: its functions, and its variables.
const IMAGE: u64 = 0x40_0000;
const VARIABLES: u64 = 0x60_0000;
const VARIABLES_BYTES: usize = 64 * 1024;
/// Where blocks of further objects and tables are.
const HEAP: u64 = 0x7f44_0000_0000;
const HEAP_BYTES: usize = 4 << 20;
const BYTES_OF_ACTIVE: usize = 1024;
const BYTES_OF_CH3: usize = 2048;

/// Objects that the library has room for, and those of a further block.
const DIRECT: usize = 8;
const BLOCK: usize = 1024;

const COMMUNICATOR: u64 = 1;
const DATATYPE: u64 = 3;
const REQUEST: u64 = 11;

const DATATYPE_BYTES: u64 = 400;

/// How a group is described.
#[derive(Clone, Debug)]
pub enum Map {
    /// All processes of the world.
    All(i64),
    /// First process, number.
    From(i64, i64),
    /// First process, distance, number.
    Strided(i64, i64, i64),
    /// First process, distance between blocks, processes of a block, number.
    Blocks(i64, i64, i64, i64),
    List(Vec<i64>),
    /// Of each the job and the rank there.
    Mixed(Vec<(i64, i64)>),
    /// None yet, of a communicator with this number of processes that is still being made.
    NotYet(i64),
}

/// Where an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Direct(usize),
    Indirect(usize),
}

#[derive(Clone, Debug)]
pub struct Communicator {
    pub name: &'static str,
    pub place: Place,
    pub rank: i64,
    pub size: i64,
    /// Those of messages from it and to it.
    pub contexts: (u64, u64),
    pub map: Map,
    /// The remote group.
    pub remote: Option<(i64, Map)>,
}

/// A message of the process to itself that nothing has received, or a receive of one.
#[derive(Clone, Debug)]
pub struct Own {
    pub is_send: bool,
    pub tag: i64,
    pub count: i64,
    pub datatype: u64,
}

/// A request for a message through shared memory, on `MPI_COMM_WORLD`. All but sends and receives
/// that are matched are on lists.
#[derive(Clone, Copy, Debug)]
pub struct Active {
    pub is_send: bool,
    /// Bits: 2 synchronous, 4 unexpected, 0x80 announced, 0x100 in progress.
    pub status: u64,
    pub context: u64,
    /// -2: any.
    pub source: i64,
    /// -1: any.
    pub tag: i64,
    pub count: i64,
    pub datatype: u64,
}

impl Active {
    fn is_matched(&self) -> bool {
        self.status & (4 | 0x100) == 0x100
    }
}

/// `MPI_BYTE`.
pub const BYTE: u64 = 0x4c00_010d;
/// A datatype of the program, of 24 bytes.
pub const OWN_DATATYPE: u64 = 2 << 30 | DATATYPE << 26 | 3;
/// `MPI_INT`.
pub const INT: u64 = 0x4c00_0405;

/// The state of rank 1 of 4.
#[derive(Clone, Debug, Default)]
pub struct Mpich {
    pub communicators: Vec<Communicator>,
    /// On `MPI_COMM_SELF`, in the order of starting.
    pub own: Vec<Own>,
    /// In the order of starting and of arrival.
    pub active: Vec<Active>,
    /// In the order of starting and of arrival.
    pub ch3: Vec<Ch3>,
    /// The cells of shared memory that are free, of [`CELLS`].
    pub free_cells: Option<u64>,
    pub nemesis: Option<Nemesis>,
}

/// The cells of a process.
pub const CELLS: u64 = 8;

impl Mpich {
    pub fn write(&self, table: &str) -> SyntheticProcess {
        let heap = HEAP_BYTES + self.active.len() * BYTES_OF_ACTIVE + self.ch3.len() * BYTES_OF_CH3;
        let process = SyntheticProcess {
            machine: Machine::LP64,
            layouts: read_table(table),
            regions: vec![
                Region { start: IMAGE, bytes: header() },
                Region { start: VARIABLES, bytes: vec![0; VARIABLES_BYTES] },
                Region { start: HEAP, bytes: vec![0; heap] },
            ],
            symbols: BTreeMap::new(),
            functions: vec!["MPI_Init".to_owned(), "PMPIX_Grequest_class_create".to_owned()],
            objects: Vec::new(),
        };
        let mut writer = Writer { process, variables: VARIABLES + 256, heap: HEAP };
        writer.all(self);
        writer.process
    }
}

/// The header of the library's file, and its two segments.
fn header() -> Vec<u8> {
    let mut bytes = vec![0; 4096];
    let mut put = |at: usize, value: u64, size: usize| {
        bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
    };
    put(0, u64::from(u32::from_le_bytes(*b"\x7fELF")), 4);
    put(4, 2, 1);
    for (at, value, size) in [(32, 64, 8), (54, 56, 2), (56, 2, 2)] {
        put(at, value, size);
    }
    let segments = [(5, IMAGE, 0x2000), (6, VARIABLES, VARIABLES_BYTES as u64)];
    for (index, (flags, start, size)) in segments.into_iter().enumerate() {
        let at = 64 + index * 56;
        put(at, 1, 4);
        put(at + 4, flags, 4);
        put(at + 16, start, 8);
        put(at + 40, size, 8);
    }
    bytes
}

/// Where the objects of a pool are.
struct Pool {
    size: u64,
    direct: u64,
    blocks: Vec<u64>,
}

impl Pool {
    fn at(&self, place: Place) -> u64 {
        match place {
            Place::Direct(index) => self.direct + index as u64 * self.size,
            Place::Indirect(index) => {
                self.blocks[index / BLOCK] + (index % BLOCK) as u64 * self.size
            }
        }
    }

    /// The objects of the variables the other way round, then those of the blocks.
    fn nth(&self, number: usize) -> u64 {
        self.at(match number.checked_sub(DIRECT) {
            None => Place::Direct(DIRECT - 1 - number),
            Some(number) => Place::Indirect(number),
        })
    }
}

struct Writer {
    process: SyntheticProcess,
    variables: u64,
    heap: u64,
}

impl Writer {
    fn variable(&mut self, name: &str, size: u64) -> u64 {
        let at = self.variables;
        self.variables = (at + size).next_multiple_of(16);
        self.process.objects.push((name.to_owned(), at));
        at
    }

    fn room(&mut self, size: u64) -> u64 {
        let at = self.heap;
        self.heap = (at + size).next_multiple_of(16);
        at
    }

    fn number(&mut self, address: u64, value: i64, size: usize) {
        let bytes = value.to_le_bytes();
        self.process.bytes_mut(address, size).copy_from_slice(&bytes[..size]);
    }

    fn size(&self, ty: &str) -> u64 {
        self.process.layouts[ty].size as u64
    }

    fn field(&self, ty: &str, field: &str) -> (u64, usize) {
        let (offset, kind) = self.process.layouts[ty].offsets[field];
        let Kind::Chars(size) = kind else { panic!("{ty}.{field}") };
        (offset as u64, size)
    }

    fn put(&mut self, object: u64, ty: &str, field: &str, value: i64) {
        let (offset, size) = self.field(ty, field);
        self.number(object + offset, value, size);
    }

    fn all(&mut self, model: &Mpich) {
        let (context, worker) = (self.variable("context", 8), self.variable("worker", 8));
        // They stand side by side.
        assert_eq!(worker, context + 16);
        self.process.objects.retain(|(name, _)| name != "worker");
        self.process.objects.push(("worker".to_owned(), context + 8));
        self.variable("av_table0", 8);
        let size = self.size("MPIR_Comm");
        let world = self.variable("predefined", 3 * size);
        let communicators = self.pool(COMMUNICATOR, size, model.uses_block().into());
        let size_of_request = self.size("MPIR_Request");
        let number = model.own.len() + model.active.len() + model.ch3.len();
        let blocks = number.saturating_sub(DIRECT).div_ceil(BLOCK);
        let requests = self.pool(REQUEST, size_of_request, blocks);
        let datatypes = self.pool(DATATYPE, DATATYPE_BYTES, 0);
        let own_datatype = datatypes.direct + 3 * DATATYPE_BYTES;
        self.number(own_datatype + 8, 24, 8);
        for (index, name, rank, size, map) in
            [(0, "MPI_COMM_WORLD", 1, 4, Map::All(4)), (1, "MPI_COMM_SELF", 0, 1, Map::From(1, 1))]
        {
            let at = world + index * self.size("MPIR_Comm");
            self.number(at, 1 << 30 | (COMMUNICATOR << 26) as i64 | index as i64, 4);
            let contexts = (index << 4, index << 4);
            let place = Place::Direct(0);
            let remote = None;
            self.communicator(at, &Communicator { name, place, rank, size, contexts, map, remote });
        }
        self.number(world + 2 * self.size("MPIR_Comm"), 0x4400_0002, 4);
        for communicator in &model.communicators {
            self.communicator(communicators.at(communicator.place), communicator);
        }
        self.own(model, &requests, world + self.size("MPIR_Comm"));
        if !model.ch3.is_empty() {
            self.ch3(model, &requests, world);
        }
        if !model.active.is_empty() {
            self.active(model, &requests, world);
        }
        if let Some(free) = model.free_cells {
            self.cells(free);
        }
        if let Some(nemesis) = model.nemesis {
            self.nemesis(nemesis);
        }
    }

    /// The cells of 4 processes, of which those of rank 1 are not all free.
    fn cells(&mut self, free: u64) {
        const PROCESSES: u64 = 4;
        let (ty, pool_ty) = ("MPIDI_POSIX_eager_iqueue_transport_t", "MPIDU_genqi_shmem_pool_s");
        let (queue_ty, cell_ty) = ("MPIDU_genq_shmem_queue_u", "MPIDU_genqi_shmem_cell_header_s");
        let transport = self.variable(ty, self.size(ty));
        let (pool, queue) = (self.room(self.size(pool_ty)), self.size(queue_ty));
        let (terminals, free_queues) = (self.room(PROCESSES * queue), self.room(PROCESSES * queue));
        let (cells, own) = (self.room(CELLS * 64), free_queues + queue);
        for (name, at) in [(pool_ty, pool), (cell_ty, cells), (queue_ty, own)] {
            self.process.objects.push((name.to_owned(), at));
        }
        // Handles are places, counted from 1.
        let handle = |index: u64| if index < free { index * 64 + 1 } else { 0 };
        for (at, ty, field, value) in [
            (transport, ty, "num_cells", CELLS),
            (transport, ty, "size_of_cell", 32),
            (transport, ty, "terminals", terminals),
            (transport, ty, "my_terminal", terminals + queue),
            (transport, ty, "cell_pool", pool),
            (pool, pool_ty, "cell_size", 32),
            (pool, pool_ty, "cells_per_free_queue", CELLS),
            (pool, pool_ty, "num_proc", PROCESSES),
            (pool, pool_ty, "num_free_queue", 1),
            (pool, pool_ty, "rank", 1),
            (pool, pool_ty, "cell_header_base", cells),
            (pool, pool_ty, "free_queues", free_queues),
            (own, queue_ty, "q.head", handle(0)),
            (own, queue_ty, "q.tail", free.checked_sub(1).map_or(0, handle)),
        ] {
            self.put(at, ty, field, value as i64);
        }
        for index in 0..free {
            let at = cells + index * 64;
            self.put(at, cell_ty, "handle", handle(index) as i64);
            self.put(at, cell_ty, "u.nem_queue.next_m", handle(index + 1) as i64);
        }
    }

    /// A pool of objects with this number of blocks.
    fn pool(&mut self, kind: u64, size: u64, blocks: usize) -> Pool {
        let ty = "MPIR_Object_alloc_t";
        let pool = self.variable(ty, self.size(ty));
        let direct = self.variable("direct", DIRECT as u64 * size);
        for index in 0..DIRECT as u64 {
            self.number(direct + index * size, (2 << 30 | kind << 26 | index) as i64, 4);
        }
        let number_of_blocks = blocks as i64;
        let blocks: Vec<u64> = (0..blocks).map(|_| self.room(BLOCK as u64 * size)).collect();
        if !blocks.is_empty() {
            let list = self.room(8192 * 8);
            self.put(pool, ty, "indirect", list as i64);
            for (number, block) in (0..).zip(&blocks) {
                self.number(list + number * 8, *block as i64, 8);
                for index in 0..BLOCK as u64 {
                    let handle = 3 << 30 | kind << 26 | number << 12 | index;
                    self.number(block + index * size, handle as i64, 4);
                }
            }
        }
        for (field, value) in [
            ("initialized", 1),
            ("indirect_size", number_of_blocks),
            ("kind", kind as i64),
            ("size", size as i64),
            ("direct", direct as i64),
            ("direct_size", DIRECT as i64),
        ] {
            self.put(pool, ty, field, value);
        }
        Pool { size, direct, blocks }
    }

    fn communicator(&mut self, at: u64, communicator: &Communicator) {
        let ty = "MPIR_Comm";
        self.process.objects.push((ty.to_owned(), at));
        self.number(at + 4, 2, 4);
        let remote = communicator.remote.as_ref().map_or(communicator.size, |(size, _)| *size);
        for (field, value) in [
            ("context_id", communicator.contexts.0 as i64),
            ("recvcontext_id", communicator.contexts.1 as i64),
            ("remote_size", remote),
            ("local_size", communicator.size),
            ("rank", communicator.rank),
            ("comm_kind", i64::from(communicator.remote.is_some())),
        ] {
            self.put(at, ty, field, value);
        }
        let (name, _) = self.field(ty, "name");
        self.process
            .bytes_mut(at + name, communicator.name.len())
            .copy_from_slice(communicator.name.as_bytes());
        if self.process.layouts.contains_key("MPIDI_VCRT_t") {
            return self.connections(at, communicator);
        }
        let (map, _) = self.field(ty, "dev.ch4.map");
        let (local, _) = self.field(ty, "dev.ch4.local_map");
        match &communicator.remote {
            None => self.map(at + map, communicator.size, &communicator.map),
            Some((size, remote)) => {
                self.map(at + map, *size, remote);
                self.map(at + local, communicator.size, &communicator.map);
            }
        }
    }

    fn map(&mut self, at: u64, size: i64, map: &Map) {
        let size = if matches!(map, Map::NotYet(_)) { 0 } else { size };
        let (mode, offset, stride, block) = match map {
            Map::All(_) => (1, 0, 0, 0),
            Map::From(offset, _) => (3, *offset, 0, 0),
            Map::Strided(offset, stride, _) => (5, *offset, *stride, 0),
            Map::Blocks(offset, stride, block, _) => (7, *offset, *stride, *block),
            Map::List(_) => (9, 0, 0, 0),
            Map::Mixed(_) => (10, 0, 0, 0),
            Map::NotYet(_) => (0, 0, 0, 0),
        };
        let ty = "MPIDI_rank_map_t";
        for (field, value) in [
            ("mode", mode),
            ("size", size),
            ("reg.stride.offset", offset),
            ("reg.stride.stride", stride),
            ("reg.stride.blocksize", block),
        ] {
            self.put(at, ty, field, value);
        }
        let numbers: Vec<i64> = match map {
            Map::List(ranks) => ranks.clone(),
            Map::Mixed(ranks) => ranks.iter().flat_map(|(job, rank)| [*job, *rank]).collect(),
            _ => return,
        };
        let table = self.room(numbers.len() as u64 * 4);
        for (place, number) in (0..).zip(numbers) {
            self.number(table + place * 4, number, 4);
        }
        self.put(at, ty, "irreg.lut.lpid", table as i64);
    }

    /// The two lists, whose elements are in the pool the other way round.
    fn own(&mut self, model: &Mpich, requests: &Pool, communicator: u64) {
        let ty = "MPIR_Request";
        let at = |index: usize| requests.nth(index);
        for (index, own) in model.own.iter().enumerate() {
            let following =
                (index + 1..model.own.len()).find(|next| model.own[*next].is_send == own.is_send);
            let next = following.map_or(0, at);
            self.process.objects.push((ty.to_owned(), at(index)));
            self.number(at(index) + 4, 1, 4);
            for (field, value) in [
                ("kind", if own.is_send { 1 } else { 2 }),
                ("cc", 1),
                ("comm", communicator as i64),
                ("next", next as i64),
                ("dev.ch4.self.buf", 0x5000),
                ("dev.ch4.self.count", own.count),
                ("dev.ch4.self.datatype", own.datatype as i64),
                ("dev.ch4.self.tag", own.tag),
                ("dev.ch4.self.context_id", 16),
            ] {
                self.put(at(index), ty, field, value);
            }
        }
    }
}

impl Writer {
    /// Two lists, and sends on none.
    fn active(&mut self, model: &Mpich, requests: &Pool, communicator: u64) {
        let ty = "MPIR_Request";
        let before = model.own.len();
        let at = |index: usize| requests.nth(before + index);
        let list = |active: &Active| (active.is_send, active.status & 4);
        for (index, active) in model.active.iter().enumerate() {
            let mut rest = index + 1..model.active.len();
            // What is matched has left its list, and still names the next one.
            let is_on_it = |next: &Active| list(next) == list(active) && !next.is_matched();
            let following = rest.find(|next| is_on_it(&model.active[*next]));
            self.process.objects.push((ty.to_owned(), at(index)));
            self.number(at(index) + 4, 2, 4);
            let extension = self.room(self.size("MPIDIG_req_ext_t"));
            let (status, _) = self.field("MPIDIG_req_ext_t", "status");
            self.number(extension + status, active.status as i64, 8);
            for (field, value) in [
                ("kind", if active.is_send { 1 } else { 2 }),
                ("cc", 1),
                ("comm", if active.status & 4 == 0 { communicator as i64 } else { 0 }),
                ("next", following.map_or(0, |next| at(next) as i64)),
                ("dev.type", 1),
                ("dev.ch4.am.req", extension as i64),
                ("dev.ch4.am.buffer", 0x7000),
                ("dev.ch4.am.count", active.count),
                ("dev.ch4.am.datatype", active.datatype as i64),
                ("dev.ch4.am.u.recv.context_id", active.context as i64),
                ("status.count_lo", 21),
                ("status.MPI_SOURCE", active.source),
                ("status.MPI_TAG", active.tag),
            ] {
                self.put(at(index), ty, field, value);
            }
        }
    }
}

impl Mpich {
    fn uses_block(&self) -> bool {
        self.communicators.iter().any(|one| matches!(one.place, Place::Indirect(_)))
    }
}
