//! UCX below an MPI library: a worker with its queues and requests, written into the memory of a
//! process of Open MPI whose PML is ucx, or of MPICH with the netmod ucx.

use crate::support::contract::Kind;
use crate::support::machine::Layouts;
use crate::support::process::{Region, SyntheticProcess};
use crate::support::session::Op;
use mqs_abi::*;

/// Where UCX's memory begins, and the stack of the first thread ends.
const BASE: u64 = 0x7f55_0000_0000;
const STACK_TOP: u64 = 0x7ffc_0001_0000;
const STACK_BYTES: usize = 48 * 1024;

/// Queues of the hash of posted receives.
const QUEUES: usize = 1024;
/// Requests of a chunk of the pool.
const PER_CHUNK: usize = 128;

const COMPLETED: u64 = 1;
const PROTOCOLS: u64 = 1 << 2;
const CALLBACK: u64 = 1 << 6;
const SYNCHRONOUS: u64 = 1 << 8;
const SEND_TAG: u64 = 1 << 14;
const RECEIVE_TAG: u64 = 1 << 17;

/// The MPI library that uses UCX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum User {
    #[default]
    OpenMpi,
    /// MPICH 4.0.
    Mpich,
    /// MPICH 4.3, whose tags have no bits for errors.
    Mpich4_3,
}

impl User {
    /// A tag of UCX. The library's own messages have negative tags here.
    fn tag(self, communicator: u64, source: i64, tag: i64) -> u64 {
        match self {
            Self::OpenMpi => (tag as u64) << 40 | (source as u64 & 0xf_ffff) << 20 | communicator,
            Self::Mpich | Self::Mpich4_3 => {
                let context = communicator | u64::from(tag < 0);
                context << 48 | (source as u64 & 0xffff) << 32 | tag.unsigned_abs()
            }
        }
    }

    /// What a message has to agree in with a receive.
    fn mask(self, source: bool, tag: bool) -> u64 {
        let (always, of_source, of_tag) = match self {
            Self::OpenMpi => (0x8000_0000_000f_ffff, 0xff_fff0_0000, 0x7f_ffff << 40),
            Self::Mpich => (0xffff_0000_9000_0000, 0xffff << 32, 0xfff_ffff),
            Self::Mpich4_3 => (0xffff_0000_c000_0000, 0xffff << 32, 0x3fff_ffff),
        };
        always | if source { of_source } else { 0 } | if tag { of_tag } else { 0 }
    }
}

/// The state of a worker.
#[derive(Clone, Debug, Default)]
pub struct Ucx {
    pub user: User,
    /// In the order of starting.
    pub requests: Vec<UcxRequest>,
    /// In the order of arrival.
    pub messages: Vec<UcxMessage>,
    /// The interface whose card matches tags.
    pub offload: u64,
}

/// A send, or a receive if it has no destination.
#[derive(Clone, Debug)]
pub struct UcxRequest {
    /// Place of the communicator.
    pub communicator: u64,
    /// World rank of the receiver.
    pub destination: Option<i64>,
    /// Of a receive; None: any.
    pub source: Option<i64>,
    /// None: any.
    pub tag: Option<i64>,
    pub length: u64,
    pub buffer: u64,
    pub complete: bool,
    /// Source, tag and length of the message that a receive has matched.
    pub message: Option<(i64, i64, u64)>,
    pub synchronous: bool,
    /// In the stack of a blocking call.
    pub on_stack: bool,
}

impl UcxRequest {
    pub fn receive(communicator: u64, source: Option<i64>, tag: Option<i64>) -> Self {
        Self {
            communicator,
            destination: None,
            source,
            tag,
            length: 40,
            buffer: 0x1234_5678,
            complete: false,
            message: None,
            synchronous: false,
            on_stack: false,
        }
    }

    pub fn send(communicator: u64, destination: i64, tag: i64) -> Self {
        let destination = Some(destination);
        Self { destination, ..Self::receive(communicator, None, Some(tag)) }
    }

    /// What a dump shows of it; ranks of the communicator are those of the world.
    pub fn shown(&self) -> Op {
        // UCX does not always keep what a receive asked for that is complete.
        if let (None, true, Some((source, tag, length))) =
            (self.destination, self.complete, self.message)
        {
            let call = Self {
                source: Some(source),
                tag: Some(tag),
                length,
                buffer: 0,
                message: None,
                complete: false,
                ..self.clone()
            };
            return Op {
                status: mqs_st_complete,
                actual_local_rank: source,
                actual_global_rank: source,
                actual_tag: tag,
                actual_length: length as i64,
                extra_text: vec!["the matched message; the receive's arguments are lost".into()],
                ..call.shown()
            };
        }
        let (peer, status) = match (self.destination, self.complete, self.message) {
            (Some(rank), complete, _) => (rank, if complete { 2 } else { 0 }),
            (None, true, _) => (self.source.unwrap_or(-1), mqs_st_complete),
            (None, false, Some(_)) => (self.source.unwrap_or(-1), mqs_st_matched),
            (None, false, None) => (self.source.unwrap_or(-1), mqs_st_pending),
        };
        let (source, tag, length) = match (self.destination, self.message) {
            (Some(rank), _) => (rank, self.tag.unwrap_or(0), self.length),
            (None, Some(message)) => message,
            (None, None) => (-1, 0, 0),
        };
        let synchronous = self.synchronous.then(|| "send mode: synchronous".to_owned());
        Op {
            status,
            desired_local_rank: peer,
            desired_global_rank: peer,
            tag_wild: self.tag.is_none().into(),
            desired_tag: self.tag.unwrap_or(0),
            desired_length: self.length as i64,
            system_buffer: 0,
            buffer: self.buffer,
            actual_local_rank: source,
            actual_global_rank: source,
            actual_tag: tag,
            actual_length: length as i64,
            extra_text: synchronous.into_iter().collect(),
        }
    }
}

/// An unexpected message.
#[derive(Clone, Debug)]
pub struct UcxMessage {
    pub communicator: u64,
    pub source: i64,
    pub tag: i64,
    pub length: u64,
    /// `eager`, `synchronous`, `fragments` or `rendezvous`.
    pub protocol: &'static str,
}

impl UcxMessage {
    /// What a dump shows of it, but for the buffer.
    pub fn shown(&self, buffer: u64) -> Op {
        let lines: &[&str] = match self.protocol {
            "rendezvous" => &["protocol: rendezvous"],
            "synchronous" => &["send mode: synchronous", "protocol: eager"],
            "fragments" => &["protocol: eager", "in several fragments"],
            _ => &["protocol: eager"],
        };
        let extra_text = lines.iter().map(|line| (*line).to_owned()).collect();
        Op {
            status: mqs_st_pending,
            desired_local_rank: self.source,
            desired_global_rank: self.source,
            tag_wild: 0,
            desired_tag: self.tag,
            desired_length: self.length as i64,
            system_buffer: 1,
            buffer,
            actual_local_rank: self.source,
            actual_global_rank: self.source,
            actual_tag: self.tag,
            actual_length: self.length as i64,
            extra_text,
        }
    }
}

impl Ucx {
    /// Writes the worker into a process of its user, whose layouts get those of UCX.
    pub fn write(&self, process: &mut SyntheticProcess, layouts: &Layouts) {
        process.layouts.extend(layouts.clone());
        let memory = vec![0; 16];
        let stack = vec![0x55; STACK_BYTES];
        let user = self.user;
        let mut writer = Writer { process, user, memory, stack, endpoints: Vec::new() };
        writer.all(self);
        let Writer { process, memory, stack, .. } = writer;
        process.regions.push(Region { start: BASE, bytes: memory });
        process.regions.push(Region { start: STACK_TOP - STACK_BYTES as u64, bytes: stack });
    }
}

struct Writer<'a> {
    process: &'a mut SyntheticProcess,
    user: User,
    memory: Vec<u8>,
    stack: Vec<u8>,
    /// World ranks and their endpoints.
    endpoints: Vec<(i64, u64)>,
}

impl Writer<'_> {
    fn room(&mut self, size: usize) -> u64 {
        let start = self.memory.len().next_multiple_of(16);
        self.memory.resize(start + size, 0);
        BASE + start as u64
    }

    fn object(&mut self, ty: &str) -> u64 {
        // Of a worker, only the beginning matters.
        let address = self.room(self.process.layouts[ty].size.min(4096));
        self.process.objects.push((ty.to_owned(), address));
        address
    }

    fn text(&mut self, text: &str) -> u64 {
        let address = self.room(text.len() + 1);
        self.put_bytes(address, text.as_bytes());
        address
    }

    fn offset(&self, ty: &str, field: &str) -> (u64, usize) {
        let (offset, kind) = self.process.layouts[ty].offsets[field];
        let Kind::Chars(size) = kind else { panic!("{ty}.{field}") };
        (offset as u64, size)
    }

    fn has(&self, ty: &str, field: &str) -> bool {
        self.process.layouts[ty].offsets.contains_key(field)
    }

    fn put_bytes(&mut self, address: u64, bytes: &[u8]) {
        let (memory, base) = if address >= STACK_TOP - STACK_BYTES as u64 {
            (&mut self.stack, STACK_TOP - STACK_BYTES as u64)
        } else {
            (&mut self.memory, BASE)
        };
        let start = (address - base) as usize;
        memory[start..start + bytes.len()].copy_from_slice(bytes);
    }

    fn word(&mut self, address: u64, value: u64) {
        self.put_bytes(address, &value.to_le_bytes());
    }

    fn put(&mut self, object: u64, ty: &str, field: &str, value: u64) {
        let (offset, size) = self.offset(ty, field);
        self.put_bytes(object + offset, &value.to_le_bytes()[..size]);
    }

    fn all(&mut self, ucx: &Ucx) {
        let (worker, context) = (self.object("ucp_worker_t"), self.object("ucp_context_t"));
        self.put(worker, "ucp_worker_t", "context", context);
        self.put(worker, "ucp_worker_t", "tm.offload.iface", ucx.offload);
        let user = match self.user {
            User::OpenMpi => self.process.layouts["ompi_request_t"].size as u64,
            User::Mpich | User::Mpich4_3 => 8,
        };
        self.put(context, "ucp_context_t", "config.request.size", user);
        if self.has("ucp_worker_t", "ep_alloc.elem_size") {
            let endpoint = self.process.layouts["ucp_ep_t"].size as u64;
            self.put(worker, "ucp_worker_t", "ep_alloc.elem_size", endpoint);
        }
        match self.user {
            User::OpenMpi => {
                self.module(context, worker);
                self.endpoints(worker);
            }
            User::Mpich | User::Mpich4_3 => self.variables(context, worker),
        }
        self.requests(ucx, worker, user);
        self.messages(ucx, worker);
        let top = self.room(8);
        self.word(top, STACK_TOP - 64);
        self.process.symbols.insert("__libc_stack_end".to_owned(), top);
    }

    /// The PML's module: context and worker side by side, then the list of persistent requests.
    fn module(&mut self, context: u64, worker: u64) {
        let module = self.room(1504);
        self.word(module + 184, context);
        self.word(module + 192, worker);
        let class = self.object("opal_class_t");
        let name = self.text("mca_pml_ucx_persistent_request_t");
        let bytes = self.process.layouts["ompi_request_t"].size as u64 + 80;
        self.put(class, "opal_class_t", "cls_name", name);
        self.put(class, "opal_class_t", "cls_sizeof", bytes);
        let list = module + 608;
        let ty = "opal_free_list_t";
        for (field, value) in
            [("fl_frag_size", bytes), ("fl_frag_alignment", 8), ("fl_frag_class", class)]
        {
            self.put(list, ty, field, value);
        }
        let (slabs, _) = self.offset(ty, "fl_allocations");
        let (sentinel, _) = self.offset("opal_list_t", "opal_list_sentinel");
        let sentinel = list + slabs + sentinel;
        self.put(sentinel, "opal_list_item_t", "opal_list_next", sentinel);
        self.process.symbols.insert("ompi_pml_ucx".to_owned(), module);
    }

    /// MPICH's variables: context and worker side by side, and a table of the addresses of 4
    /// processes.
    fn variables(&mut self, context: u64, worker: u64) {
        let entry = self.process.layouts["MPIDI_av_entry_t"].size as u64;
        let (entries, _) = self.offset("MPIDI_av_table_t", "table");
        let table = self.room((entries + 4 * entry) as usize);
        self.put(table, "MPIDI_av_table_t", "size", 4);
        for rank in 0..4 {
            let endpoint = self.object("ucp_ep_t");
            self.put(endpoint, "ucp_ep_t", "worker", worker);
            self.endpoints.push((rank, endpoint));
            let place = table + entries + rank as u64 * entry;
            self.put(place, "MPIDI_av_entry_t", "netmod.ucx.dest", endpoint);
        }
        for (name, value) in [("context", context), ("worker", worker), ("av_table0", table)] {
            let place = self.process.object(name, 0);
            self.process.bytes_mut(place, 8).copy_from_slice(&value.to_le_bytes());
        }
    }

    /// An endpoint for each process that Open MPI has an object of.
    fn endpoints(&mut self, worker: u64) {
        let processes: Vec<u64> = self
            .process
            .objects
            .iter()
            .filter(|(ty, _)| ty == "opal_proc_t")
            .map(|(_, address)| *address)
            .collect();
        let (name, _) = self.offset("opal_proc_t", "proc_name");
        let (rank, _) = self.offset("opal_process_name_t", "vpid");
        let size = self.process.layouts["opal_proc_t"].size as u64;
        for process in processes {
            let endpoint = self.object("ucp_ep_t");
            self.put(endpoint, "ucp_ep_t", "worker", worker);
            let bytes = self.process.read(process + name + rank, 4).expect("it is there");
            let rank = u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
            self.endpoints.push((rank.into(), endpoint));
            let place = process + size + 24;
            self.process.bytes_mut(place, 8).copy_from_slice(&endpoint.to_le_bytes());
        }
    }

    fn requests(&mut self, ucx: &Ucx, worker: u64, user: u64) {
        let size = self.process.layouts["ucp_request_t"].size as u64;
        let element = 8 + size + user;
        let (pool_at, _) = self.offset("ucp_worker_t", "req_mp");
        let pool = worker + pool_at;
        let data = self.object("ucs_mpool_data_t");
        let name = self.text("ucp_requests");
        self.put(pool, "ucs_mpool_t", "data", data);
        for (field, value) in [("elem_size", element), ("alignment", 16), ("name", name)] {
            self.put(data, "ucs_mpool_data_t", field, value);
        }
        let stride = element.next_multiple_of(16);
        let in_pool = ucx.requests.iter().filter(|request| !request.on_stack).count();
        let (mut chunk, mut free) = (0, Vec::new());
        for _ in 0..in_pool / PER_CHUNK + 1 {
            let next = self.object("ucs_mpool_chunk_t");
            // Elements lie so that what follows their header is aligned.
            let elements = self.room(PER_CHUNK * stride as usize + 8) + 8;
            self.put(next, "ucs_mpool_chunk_t", "next", chunk);
            self.put(next, "ucs_mpool_chunk_t", "elems", elements);
            self.put(next, "ucs_mpool_chunk_t", "num_elems", PER_CHUNK as u64);
            free.extend((0..PER_CHUNK as u64).map(|index| elements + index * stride));
            chunk = next;
        }
        self.put(data, "ucs_mpool_data_t", "chunks", chunk);
        let mut queues: Vec<Vec<u64>> = vec![Vec::new(); QUEUES + 1];
        let mut stack = STACK_TOP - 4096;
        for (number, request) in ucx.requests.iter().enumerate() {
            let address = if request.on_stack {
                stack -= 1024;
                self.process.objects.push(("ucp_request_t".to_owned(), stack));
                stack
            } else {
                let element = free.pop().expect("there is room");
                self.word(element, pool);
                self.process.objects.push(("ucp_request_t".to_owned(), element + 8));
                element + 8
            };
            self.request(address, request, worker, number as u64);
            if request.destination.is_none() && !request.complete && request.message.is_none() {
                let wild = request.tag.is_none() || request.source.is_none();
                let place = if wild { QUEUES } else { (number * 7 + 3) % QUEUES };
                let (queue, _) = self.offset("ucp_request_t", "recv.queue");
                queues[place].push(address + queue);
            }
        }
        // The others are free: a link, or nothing.
        for pair in free.windows(2) {
            self.word(pair[0], pair[1]);
        }
        self.queues(worker, &queues);
    }

    fn request(&mut self, address: u64, request: &UcxRequest, worker: u64, number: u64) {
        let ty = "ucp_request_t";
        let modern = !self.has(ty, "recv.length");
        let complete = if request.complete { COMPLETED } else { 0 };
        // The data are in one piece.
        for class in ["send.state.dt_iter.dt_class", "recv.dt_iter.dt_class"] {
            if self.has(ty, class) {
                self.put(address, ty, class, 0);
            }
        }
        let tag = request.tag.unwrap_or(0);
        let Some(to) = request.destination else {
            let source = request.source.unwrap_or(-1);
            let mask = self.user.mask(request.source.is_some(), request.tag.is_some());
            let (sender, rank, length) =
                request.message.map_or((0, 0, 0), |(from, tag, length)| {
                    (self.user.tag(request.communicator, from, tag), from, length)
                });
            assert!(rank >= 0);
            let (buffer_field, length_field) = if modern {
                ("recv.dt_iter.type.contig.buffer", "recv.dt_iter.length")
            } else {
                ("recv.buffer", "recv.length")
            };
            for (field, value) in [
                ("flags", RECEIVE_TAG | complete),
                ("recv.worker", worker),
                ("recv.tag.tag", self.user.tag(request.communicator, source, tag)),
                ("recv.tag.tag_mask", mask),
                ("recv.tag.sn", number),
                ("recv.tag.info.sender_tag", sender),
                ("recv.tag.info.length", length),
                (buffer_field, request.buffer),
                (length_field, request.length),
            ] {
                self.put(address, ty, field, value);
            }
            return;
        };
        let endpoint = self.endpoints.iter().find(|(rank, _)| *rank == to).expect("a process").1;
        let synchronous = if request.synchronous { SYNCHRONOUS } else { 0 };
        let flags = if modern { PROTOCOLS | CALLBACK } else { SEND_TAG | synchronous };
        // What the protocol was chosen for: a send, or a synchronous one.
        let config = self.object("ucp_proto_config_t");
        let (select, _) = self.offset("ucp_proto_config_t", "select_param");
        self.put_bytes(config + select, &[request.synchronous.into(), 0]);
        self.put(address, ty, "send.proto_config", config);
        let (buffer_field, length_field) = if modern {
            ("send.state.dt_iter.type.contig.buffer", "send.state.dt_iter.length")
        } else {
            ("send.buffer", "send.length")
        };
        for (field, value) in [
            ("flags", flags | complete),
            ("id", if request.complete { 0 } else { address }),
            ("send.ep", endpoint),
            // Sends carry the sender's own rank, which is 1 in these tests.
            ("send.msg_proto.tag", self.user.tag(request.communicator, 1, tag)),
            (buffer_field, request.buffer),
            (length_field, request.length),
        ] {
            self.put(address, ty, field, value);
        }
    }

    fn queues(&mut self, worker: u64, queues: &[Vec<u64>]) {
        let size = self.process.layouts["ucp_request_queue_t"].size;
        let hash = self.room(QUEUES * size);
        self.put(worker, "ucp_worker_t", "tm.expected.hash", hash);
        let (wildcard, _) = self.offset("ucp_worker_t", "tm.expected.wildcard.queue");
        for (index, elements) in queues.iter().enumerate() {
            let queue =
                if index == QUEUES { worker + wildcard } else { hash + (index * size) as u64 };
            let mut link = queue;
            for element in elements {
                self.word(link, *element);
                link = *element;
            }
            // The last link leads nowhere in particular.
            if link != queue {
                self.word(link, 0x6b6b_6b60);
            }
            self.put(queue, "ucs_queue_head_t", "ptail", link);
        }
    }

    fn messages(&mut self, ucx: &Ucx, worker: u64) {
        let (list, _) = self.offset("ucp_worker_t", "tm.unexpected.all");
        let list = worker + list;
        let size = self.process.layouts["ucp_recv_desc_t"].size as u64;
        let mut before = list;
        for message in &ucx.messages {
            // The data come right behind; of a long one only a part is here.
            let descriptor = self.object("ucp_recv_desc_t");
            self.room(128);
            let (flags, header, here) = match message.protocol {
                "eager" => (2 | 4, 8, message.length.min(64)),
                "synchronous" => (2 | 4 | 8, 24, message.length.min(64)),
                "fragments" => (2, 24, 64),
                _ => (64, 41, 0),
            };
            let wire = descriptor + size;
            self.word(wire, self.user.tag(message.communicator, message.source, message.tag));
            match message.protocol {
                "fragments" => self.put(wire, "ucp_eager_first_hdr_t", "total_len", message.length),
                "rendezvous" => self.put(wire, "ucp_rndv_rts_hdr_t", "size", message.length),
                _ => {}
            }
            for (field, value) in
                [("flags", flags), ("length", header + here), ("payload_offset", header)]
            {
                self.put(descriptor, "ucp_recv_desc_t", field, value);
            }
            // The second of its two links.
            let link = descriptor + 16;
            self.put(before, "ucs_list_link_t", "next", link);
            self.put(link, "ucs_list_link_t", "prev", before);
            before = link;
        }
        self.put(before, "ucs_list_link_t", "next", list);
        self.put(list, "ucs_list_link_t", "prev", before);
    }
}
