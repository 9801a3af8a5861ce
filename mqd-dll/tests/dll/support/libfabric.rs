//! libfabric below Open MPI: an endpoint with its queues, written into the memory of a process
//! whose PML is cm and whose MTL is ofi.
//!
//! Tags have 32 bits for the tag of MPI, 2 for the protocol, and the number of the communicator.

use super::contract::Kind;
use super::machine::Layouts;
use super::process::{Region, SyntheticProcess};

/// Where libfabric's memory begins.
const BASE: u64 = 0x7f66_0000_0000;
/// Entries of a table by address, and of each of its parts.
const PLACES: u64 = 1024;
/// The address of the process of rank 0.
const FIRST_ADDRESS: u64 = 10;
/// Objects of a pool that are not in use.
const FREE: u64 = 5;
const TAG_BITS: u32 = 32;
const PROTOCOL_BITS: u32 = 2;
const ANY_TAG: u64 = 0x7fff_ffff;

const DOMAIN: u64 = 2;
const ENDPOINT: u64 = 3;
const RECEIVER: u64 = 5;
const SHARED_RECEIVER: u64 = 6;
const SENDER: u64 = 7;

/// A provider, by the form of its queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    Tcp,
    Sockets,
    Shm,
    Efa,
    /// `ofi_rxm` with the queues that `shm` has, too.
    Rxm,
    /// `ofi_rxm` with queues of its own.
    RxmOld,
}

impl Provider {
    /// Those that a table has structures for.
    pub fn of(layouts: &Layouts) -> Vec<Self> {
        let has = |ty: &str, field: &str| {
            layouts.get(ty).is_some_and(|layout| layout.offsets.contains_key(field))
        };
        let all = [
            (Self::Tcp, has("xnet_rdm", "srx")),
            (Self::Sockets, has("sock_ep", "attr")),
            (Self::Shm, has("smr_ep", "srx")),
            (Self::Efa, has("efa_rdm_ep", "peer_srx_ep")),
            (Self::Rxm, has("rxm_ep", "srx")),
            (Self::RxmOld, has("rxm_ep", "trecv_queue")),
        ];
        all.into_iter().filter(|(_, has)| *has).map(|(provider, _)| provider).collect()
    }

    /// Does it keep a list of its sends?
    pub fn lists_sends(self) -> bool {
        matches!(self, Self::Tcp | Self::Sockets)
    }

    /// Is it known if there are no sends?
    pub fn counts_sends(self) -> bool {
        !matches!(self, Self::Shm | Self::Efa)
    }

    /// Its name, and the structure of its endpoints.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Tcp => ("tcp", "xnet_rdm"),
            Self::Sockets => ("sockets", "sock_ep"),
            Self::Shm => ("shm", "smr_ep"),
            Self::Efa => ("efa", "efa_rdm_ep"),
            Self::Rxm | Self::RxmOld => ("ofi_rxm", "rxm_ep"),
        }
    }
}

/// A posted receive of 40 bytes.
#[derive(Clone, Debug)]
pub struct FabricReceive {
    /// Place of the communicator.
    pub communicator: u64,
    /// World rank; None: any.
    pub source: Option<u64>,
    /// None: any.
    pub tag: Option<i64>,
}

/// An unexpected message, or a send that the kernel has not taken.
#[derive(Clone, Debug)]
pub struct FabricMessage {
    pub communicator: u64,
    /// World rank of the other process.
    pub peer: u64,
    pub tag: i64,
    pub length: u64,
}

/// The state of an endpoint.
#[derive(Clone, Debug)]
pub struct Fabric {
    pub provider: Provider,
    /// In the order of posting.
    pub posted: Vec<FabricReceive>,
    /// In the order of arrival.
    pub messages: Vec<FabricMessage>,
    /// Only if the provider keeps a list of them.
    pub sends: Vec<FabricMessage>,
    /// Sends of `ofi_rxm`, with their numbers.
    pub announced: Vec<(u64, FabricMessage)>,
    /// The number of the send that the first message names, with `ofi_rxm`.
    pub named: Option<u64>,
}

impl Fabric {
    /// An endpoint without operations.
    pub fn new(provider: Provider) -> Self {
        let (posted, messages, sends) = (Vec::new(), Vec::new(), Vec::new());
        Self { provider, posted, messages, sends, announced: Vec::new(), named: None }
    }

    /// Writes the endpoint into a process of Open MPI, whose layouts get those of libfabric.
    pub fn write(&self, process: &mut SyntheticProcess, layouts: &Layouts) {
        process.layouts.extend(layouts.clone());
        process.functions.push("fi_version".to_owned());
        let mut writer = Writer { process, memory: vec![0; 16] };
        writer.all(self);
        let Writer { process, memory } = writer;
        process.regions.push(Region { start: BASE, bytes: memory });
    }
}

fn wire_tag(communicator: u64, tag: i64) -> u64 {
    communicator << (TAG_BITS + PROTOCOL_BITS) | tag as u64 & u64::from(u32::MAX)
}

struct Writer<'a> {
    process: &'a mut SyntheticProcess,
    memory: Vec<u8>,
}

impl Writer<'_> {
    fn room(&mut self, size: usize) -> u64 {
        let start = self.memory.len().next_multiple_of(16);
        self.memory.resize(start + size, 0);
        BASE + start as u64
    }

    fn object(&mut self, ty: &str) -> u64 {
        let address = self.room(self.process.layouts[ty].size);
        self.process.objects.push((ty.to_owned(), address));
        address
    }

    /// An object of a class, which has operations.
    fn of_class(&mut self, ty: &str, class: u64) -> u64 {
        let object = self.object(ty);
        self.put(object, "fid", "fclass", class);
        self.put(object, "fid", "ops", 0x40_2000);
        object
    }

    fn inside(&self, object: u64, ty: &str, field: &str) -> u64 {
        object + self.process.layouts[ty].offsets[field].0 as u64
    }

    fn put_bytes(&mut self, address: u64, bytes: &[u8]) {
        let start = (address - BASE) as usize;
        self.memory[start..start + bytes.len()].copy_from_slice(bytes);
    }

    fn word(&mut self, address: u64, value: u64) {
        self.put_bytes(address, &value.to_le_bytes());
    }

    fn at(&self, address: u64) -> u64 {
        let start = (address - BASE) as usize;
        u64::from_le_bytes(self.memory[start..start + 8].try_into().expect("8 bytes"))
    }

    fn put(&mut self, object: u64, ty: &str, field: &str, value: u64) {
        let (offset, kind) = self.process.layouts[ty].offsets[field];
        let Kind::Chars(size) = kind else { panic!("{ty}.{field}") };
        self.put_bytes(object + offset as u64, &value.to_le_bytes()[..size.min(8)]);
    }

    fn put_all(&mut self, object: u64, ty: &str, values: &[(&str, u64)]) {
        values.iter().for_each(|(field, value)| self.put(object, ty, field, *value));
    }

    /// Adds an element to a list with an end.
    fn append(&mut self, head: u64, element: u64) {
        let before = if self.at(head) == 0 { head } else { self.at(head + 8) };
        self.word(before, element);
        self.word(head + 8, element);
    }

    fn ring(&mut self, head: u64) {
        self.word(head, head);
        self.word(head + 8, head);
    }

    /// Adds a link at the end of a ring.
    fn append_link(&mut self, head: u64, link: u64) {
        let last = self.at(head + 8);
        for (at, value) in [(last, link), (link, head), (link + 8, last), (head + 8, link)] {
            self.word(at, value);
        }
    }

    fn all(&mut self, fabric: &Fabric) {
        let module = self.room(512);
        self.addresses(module);
        let endpoint = self.of_class(fabric.provider.names().1, ENDPOINT);
        let protocol = 1 << TAG_BITS;
        // The endpoint, and the masks of the parts of tags.
        for (place, value) in [
            (19, endpoint),
            (33, u64::from(u32::MAX)),
            (35, protocol),
            (36, protocol << 1),
            (37, protocol * 3),
        ] {
            self.word(module + place * 8, value);
        }
        self.process.symbols.insert("ompi_mtl_ofi".to_owned(), module);
        let domain = match fabric.provider {
            Provider::Sockets => 0,
            provider => self.domain(endpoint, provider),
        };
        match fabric.provider {
            Provider::Tcp => self.tcp(fabric, endpoint, domain),
            Provider::Sockets => self.sockets(fabric, endpoint),
            Provider::Shm | Provider::Efa => self.shared(fabric, endpoint),
            Provider::Rxm => {
                self.shared(fabric, endpoint);
                self.rxm_sends(endpoint);
                self.rxm_announced(endpoint, &fabric.announced);
            }
            Provider::RxmOld => {
                self.rxm_sends(endpoint);
                self.rxm_announced(endpoint, &fabric.announced);
                self.rxm(fabric, endpoint);
            }
        }
    }

    /// Gives each process that Open MPI has an object of its address.
    fn addresses(&mut self, module: u64) {
        let process = &self.process;
        let place = |ty: &str, field: &str| process.layouts[ty].offsets[field].0 as u64;
        let rank = place("opal_proc_t", "proc_name") + place("opal_process_name_t", "vpid");
        let endpoints = process.layouts["opal_proc_t"].size as u64 + 32;
        let of_process = |(ty, address): &(String, u64)| {
            let bytes = (ty == "opal_proc_t").then(|| process.read(address + rank, 4))??;
            let rank = u32::from_le_bytes(bytes.try_into().ok()?);
            Some((address + endpoints, u64::from(rank)))
        };
        let all: Vec<_> = process.objects.iter().filter_map(of_process).collect();
        for (place, rank) in all {
            let endpoint = self.room(64);
            self.word(endpoint + 5 * 8, module);
            self.word(endpoint + 6 * 8, FIRST_ADDRESS + rank);
            self.process.bytes_mut(place, 8).copy_from_slice(&endpoint.to_le_bytes());
        }
    }

    /// The domain of an endpoint, which names its provider.
    fn domain(&mut self, endpoint: u64, provider: Provider) -> u64 {
        let text = self.room(16);
        self.put_bytes(text, provider.names().0.as_bytes());
        let name = self.object("fi_provider");
        self.put(name, "fi_provider", "name", text);
        let domain = match provider {
            Provider::Tcp => self.of_class("xnet_domain", DOMAIN),
            _ => {
                let domain = self.room(256);
                self.process.objects.push(("fid".to_owned(), domain));
                self.put_all(domain, "fid", &[("fclass", DOMAIN), ("ops", 0x40_2000)]);
                domain
            }
        };
        self.word(domain + 64, name);
        match provider {
            Provider::Tcp => self.put(endpoint, "xnet_rdm", "util_ep.domain", domain),
            _ => self.put(endpoint, "util_ep", "domain", domain),
        }
        domain
    }

    /// The request of a receive, as libfabric was given it.
    fn request(&mut self, receive: &FabricReceive) -> u64 {
        let process = &self.process;
        let (number, _) = process.layouts["ompi_communicator_t"].offsets["c_contextid"];
        let is_it = |address: u64| {
            let bytes = process.read(address + number as u64, 4).expect("it is there");
            u64::from(u32::from_le_bytes(bytes.try_into().expect("4 bytes")))
                == receive.communicator
        };
        let communicators = process.objects.iter().filter(|(ty, _)| ty == "ompi_communicator_t");
        let communicator = communicators.map(|(_, address)| *address).find(|at| is_it(*at));
        let request = self.room(28 * 8);
        let tag = wire_tag(receive.communicator, receive.tag.unwrap_or(0));
        let communicator = communicator.expect("there is one");
        for (place, value) in [(2, 1), (18, communicator), (21, 40), (24, tag)] {
            self.word(request + place * 8, value);
        }
        request + 3 * 8
    }

    /// Tag, ignored bits, source and context of a receive.
    fn receive(&mut self, receive: &FabricReceive) -> [u64; 4] {
        [
            wire_tag(receive.communicator, receive.tag.unwrap_or(0)),
            if receive.tag.is_none() { ANY_TAG } else { 0 },
            receive.source.map_or(u64::MAX, |rank| FIRST_ADDRESS + rank),
            self.request(receive),
        ]
    }

    /// The list of receives from a source, of which a receiver has one for all.
    fn list_of(&mut self, from_any: u64, table: u64, source: u64) -> u64 {
        if source == u64::MAX {
            return from_any;
        }
        if self.at(table) == 0 {
            let part = self.room(PLACES as usize * 16);
            self.word(table, part);
        }
        self.at(table) + source * 16
    }

    fn tcp(&mut self, fabric: &Fabric, endpoint: u64, domain: u64) {
        let srx = self.of_class("xnet_srx", SHARED_RECEIVER);
        self.put(endpoint, "xnet_rdm", "srx", srx);
        self.put_all(srx, "xnet_srx", &[("domain", domain), ("rdm", endpoint)]);
        let from_any = self.inside(srx, "xnet_srx", "tag_queue");
        let table = self.inside(srx, "xnet_srx", "src_tag_queues");
        for (number, posted) in (0..).zip(&fabric.posted) {
            let [tag, ignore, source, context] = self.receive(posted);
            let entry = self.tcp_entry(&[
                ("iov_cnt", 1),
                ("tag_seq_no", number),
                ("tag", tag),
                ("ignore", ignore),
                ("src_addr", source),
                ("context", context),
            ]);
            let pieces = self.inside(entry, "xnet_xfer_entry", "iov");
            self.word(pieces + 8, 40);
            let list = self.list_of(from_any, table, source);
            self.append(list, entry);
        }
        let saved = self.inside(domain, "xnet_domain", "progress.saved_tag_list");
        let held = self.inside(domain, "xnet_domain", "progress.unexp_tag_list");
        self.ring(saved);
        self.ring(held);
        for peer in 0..4 {
            self.tcp_peer(fabric, (endpoint, peer), (saved, held));
        }
    }

    /// A connection, with the messages and sends that belong to it. The last message is held there.
    fn tcp_peer(
        &mut self,
        fabric: &Fabric,
        (endpoint, peer): (u64, u64),
        (saved, held): (u64, u64),
    ) {
        let (socket, connection) = (self.object("xnet_ep"), self.object("xnet_conn"));
        let address = self.object("util_peer_addr");
        self.put(address, "util_peer_addr", "fi_addr", FIRST_ADDRESS + peer);
        self.put(socket, "xnet_ep", "peer", address);
        self.put_all(connection, "xnet_conn", &[("ep", socket), ("rdm", endpoint)]);
        let table = self.inside(endpoint, "xnet_rdm", "conn_idx_map");
        if self.at(table) == 0 {
            let part = self.room(PLACES as usize * 8);
            self.word(table, part);
        }
        self.word(self.at(table) + peer * 8, connection);
        let of_peer = |message: &&FabricMessage| message.peer == peer;
        let messages: Vec<_> = fabric.messages.iter().filter(of_peer).collect();
        if let Some((last, others)) = messages.split_last() {
            let list = self.object("xnet_saved_msg");
            let link = self.inside(list, "xnet_saved_msg", "entry");
            self.append_link(saved, link);
            for message in others {
                let entry = self.tcp_entry(&[]);
                let header = self.inside(entry, "xnet_xfer_entry", "hdr");
                self.tcp_header(header, message);
                let queue = self.inside(list, "xnet_saved_msg", "queue");
                self.append(queue, entry);
            }
            let header = self.inside(socket, "xnet_ep", "cur_rx.hdr");
            self.tcp_header(header, last);
            let link = self.inside(socket, "xnet_ep", "unexp_entry");
            self.append_link(held, link);
        }
        for (number, send) in (0..).zip(fabric.sends.iter().filter(of_peer)) {
            let entry = self.tcp_entry(&[("context", number)]);
            let header = self.inside(entry, "xnet_xfer_entry", "hdr");
            self.tcp_header(header, send);
            let queue = self.inside(socket, "xnet_ep", "tx_queue");
            self.append(queue, entry);
        }
    }

    fn tcp_entry(&mut self, values: &[(&str, u64)]) -> u64 {
        let entry = self.object("xnet_xfer_entry");
        self.put_all(entry, "xnet_xfer_entry", values);
        entry
    }

    /// What goes in front of a message: the sender's rank, and the tag.
    fn tcp_header(&mut self, at: u64, message: &FabricMessage) {
        const BYTES: u64 = 32;
        let FabricMessage { communicator, peer, tag, length } = *message;
        self.put_bytes(at, &[0, 1, 1, 0, 0, 0, BYTES as u8, 0]);
        for (place, value) in [(8, BYTES + length), (16, peer), (24, wire_tag(communicator, tag))] {
            self.word(at + place, value);
        }
    }

    fn sockets(&mut self, fabric: &Fabric, endpoint: u64) {
        let attributes = self.object("sock_ep_attr");
        let receiver = self.of_class("sock_rx_ctx", RECEIVER);
        self.put(endpoint, "sock_ep", "attr", attributes);
        self.put(attributes, "sock_ep_attr", "rx_ctx", receiver);
        let posted = self.inside(receiver, "sock_rx_ctx", "rx_entry_list");
        let messages = self.inside(receiver, "sock_rx_ctx", "rx_buffered_list");
        self.ring(posted);
        self.ring(messages);
        for receive in &fabric.posted {
            let [tag, ignore, source, context] = self.receive(receive);
            let values = [("ignore", ignore), ("addr", source), ("context", context)];
            self.sockets_entry(posted, (tag, 40), &values);
        }
        for message in &fabric.messages {
            let tag = wire_tag(message.communicator, message.tag);
            self.sockets_entry(messages, (tag, message.length), &[("data", message.peer)]);
        }
        let sender = self.object("sock_tx_ctx");
        let senders = self.room(2 * 8);
        self.word(senders + 8, sender);
        let values = [("tx_array", senders), ("ep_attr.tx_ctx_cnt", 2)];
        self.put_all(attributes, "sock_ep_attr", &values);
        self.put(receiver, "sock_rx_ctx", "ep_attr", attributes);
        let values = [("fclass", SENDER), ("ep_attr", attributes), ("rb.rcnt", 8), ("rb.wcnt", 8)];
        self.put_all(sender, "sock_tx_ctx", &values);
        let sends = self.inside(sender, "sock_tx_ctx", "pe_entry_list");
        self.ring(sends);
        for (number, send) in (0..).zip(&fabric.sends) {
            self.sockets_send(sends, number, send);
        }
    }

    /// A send with data beside the tag. In front of it are 24 bytes, the tag and the data.
    fn sockets_send(&mut self, list: u64, number: u64, send: &FabricMessage) {
        const HAS_DATA: u64 = 1 << 17;
        let ty = "sock_pe_entry";
        let entry = self.object(ty);
        let values = [
            ("type", 1),
            ("pe.tx.tx_op.op", 1),
            ("flags", HAS_DATA),
            ("total_len", 40 + send.length),
            ("context", number),
            ("addr", FIRST_ADDRESS + send.peer),
            ("tag", wire_tag(send.communicator, send.tag)),
        ];
        self.put_all(entry, ty, &values);
        let link = self.inside(entry, ty, "ctx_entry");
        self.append_link(list, link);
    }

    fn sockets_entry(&mut self, list: u64, (tag, length): (u64, u64), more: &[(&str, u64)]) {
        let ty = "sock_rx_entry";
        let entry = self.object(ty);
        self.put_all(entry, ty, &[("is_tagged", 1), ("tag", tag), ("total_len", length)]);
        self.put_all(entry, ty, more);
        let link = self.inside(entry, ty, "entry");
        self.append_link(list, link);
    }

    /// An endpoint of `ofi_rxm` that may begin as many sends as it has room for.
    fn rxm_sends(&mut self, endpoint: u64) {
        const ROOM: u64 = 128;
        let (information, attributes) = (self.object("fi_info"), self.object("fi_tx_attr"));
        self.put(attributes, "fi_tx_attr", "size", ROOM);
        self.put(information, "fi_info", "tx_attr", attributes);
        let of_endpoint = self.object("fi_ep_attr");
        self.put(information, "fi_info", "ep_attr", of_endpoint);
        self.put_all(endpoint, "rxm_ep", &[("rxm_info", information), ("tx_credit", ROOM)]);
        let deferred = self.inside(endpoint, "rxm_ep", "deferred_queue");
        self.ring(deferred);
    }

    /// Sends of such an endpoint that are announced, by their numbers. The objects in between are
    /// free.
    fn rxm_announced(&mut self, endpoint: u64, sends: &[(u64, FabricMessage)]) {
        const OF_REGION: u64 = 4;
        const WAITS: u64 = 7;
        let size = 16 + self.process.layouts["rxm_tx_buf"].size as u64 + 64;
        let regions = sends.iter().map(|(number, _)| number / OF_REGION + 1).max().unwrap_or(0);
        let pool = self.object("ofi_bufpool");
        let table = self.room(regions as usize * 8);
        let values = [
            ("entry_size", size),
            ("attr.chunk_cnt", OF_REGION),
            ("region_cnt", regions),
            ("region_table", table),
        ];
        self.put_all(pool, "ofi_bufpool", &values);
        for place in 0..regions {
            let region = self.object("ofi_bufpool_region");
            let objects = self.room((OF_REGION * size) as usize);
            let values = [("pool", pool), ("mem_region", objects)];
            self.put_all(region, "ofi_bufpool_region", &values);
            self.word(table + place * 8, region);
            for (number, send) in sends.iter().filter(|(number, _)| number / OF_REGION == place) {
                let object = objects + number % OF_REGION * size;
                self.process.objects.push(("rxm_tx_buf".to_owned(), object));
                self.put(object, "rxm_tx_buf", "hdr.state", WAITS);
                let packet = self.inside(object, "rxm_tx_buf", "pkt");
                self.rxm_header(packet, *number, send);
            }
        }
        self.put(endpoint, "rxm_ep", "tx_pool", pool);
        let left = self.at(self.inside(endpoint, "rxm_ep", "tx_credit")) - sends.len() as u64;
        self.put(endpoint, "rxm_ep", "tx_credit", left);
    }

    /// The header of a message that is announced.
    fn rxm_header(&mut self, packet: u64, number: u64, message: &FabricMessage) {
        const ANNOUNCED: u64 = 2;
        let values = [
            ("ctrl_hdr.type", ANNOUNCED),
            ("ctrl_hdr.msg_id", number),
            ("hdr.op", 1),
            ("hdr.size", message.length),
            ("hdr.tag", wire_tag(message.communicator, message.tag)),
        ];
        self.put_all(packet, "rxm_pkt", &values);
    }

    fn shared(&mut self, fabric: &Fabric, endpoint: u64) {
        let ty = "util_srx_ctx";
        let receiver = self.of_class(ty, SHARED_RECEIVER);
        let pool = self.object("ofi_bufpool");
        let in_use = fabric.posted.len() + fabric.messages.len();
        self.put(receiver, ty, "rx_pool", pool);
        self.put(pool, "ofi_bufpool", "entry_cnt", in_use as u64 + FREE);
        let free = self.inside(pool, "ofi_bufpool", "free_list");
        for _ in 0..FREE {
            let object = self.room(16);
            self.append(free, object);
        }
        let untagged = self.inside(receiver, ty, "unspec_unexp_msg_queue");
        self.ring(untagged);
        let field = if fabric.provider == Provider::Efa { "peer_srx_ep" } else { "srx" };
        self.put(endpoint, fabric.provider.names().1, field, receiver);
        let sender = self.process.layouts["util_unexp_peer"].size as u64;
        self.put(receiver, ty, "src_trecv_queues.item_size", 16);
        self.put(receiver, ty, "src_unexp_peers.item_size", sender);
        let from_any = self.inside(receiver, ty, "tag_queue");
        let table = self.inside(receiver, ty, "src_trecv_queues");
        for (number, posted) in (0..).zip(&fabric.posted) {
            let [tag, ignore, source, context] = self.receive(posted);
            let iov = self.room(16);
            self.word(iov + 8, 40);
            let values = [("addr", source), ("context", context), ("count", 1), ("iov", iov)];
            let entry = self.shared_entry(receiver, tag, &values);
            self.put_all(entry, "util_rx_entry", &[("seq_no", number), ("ignore", ignore)]);
            let list = self.list_of(from_any, table, source);
            self.append(list, entry);
        }
        let (unknown, senders) = (
            self.inside(receiver, ty, "unspec_unexp_tag_queue"),
            self.inside(receiver, ty, "unexp_peers"),
        );
        self.ring(unknown);
        self.ring(senders);
        // Messages of `efa` may have come by `shm`, which has its own object for the receiver.
        let mut named = receiver;
        if fabric.provider == Provider::Efa {
            named = self.room(24);
            self.word(named + 8, receiver);
        }
        for peer in 0..4 {
            let sender = self.object("util_unexp_peer");
            let link = self.inside(sender, "util_unexp_peer", "entry");
            self.append_link(senders, link);
            for message in fabric.messages.iter().filter(|message| message.peer == peer) {
                let tag = wire_tag(message.communicator, message.tag);
                let received = self.received(fabric, message);
                let values =
                    [("msg_size", message.length), ("cq_data", peer), ("peer_context", received)];
                let values = &values[..if received == 0 { 2 } else { 3 }];
                let entry = self.shared_entry(named, tag, values);
                let queue = self.inside(sender, "util_unexp_peer", "tag_queue");
                self.append(queue, entry);
            }
        }
    }

    /// What a message of `ofi_rxm` has come in. 0: the provider is another one.
    fn received(&mut self, fabric: &Fabric, message: &FabricMessage) -> u64 {
        if fabric.provider != Provider::Rxm {
            return 0;
        }
        let received = self.object("rxm_rx_buf");
        let packet = self.inside(received, "rxm_rx_buf", "pkt");
        self.name_send(fabric, packet, message);
        received
    }

    /// Puts the number of its send into the first message, if it has one.
    fn name_send(&mut self, fabric: &Fabric, packet: u64, message: &FabricMessage) {
        let is_first = fabric.messages.first().is_some_and(|first| std::ptr::eq(first, message));
        if let Some(number) = fabric.named.filter(|_| is_first) {
            self.rxm_header(packet, number, message);
        }
    }

    fn shared_entry(&mut self, receiver: u64, tag: u64, values: &[(&str, u64)]) -> u64 {
        let entry = self.object("util_rx_entry");
        let peer = self.inside(entry, "util_rx_entry", "peer_entry");
        self.put_all(peer, "fi_peer_rx_entry", &[("srx", receiver), ("tag", tag)]);
        self.put_all(peer, "fi_peer_rx_entry", values);
        entry
    }

    fn rxm(&mut self, fabric: &Fabric, endpoint: u64) {
        let queue = self.inside(endpoint, "rxm_ep", "trecv_queue");
        let all = fabric.posted.len() as u64 + FREE;
        let size = 8 + self.process.layouts["rxm_recv_entry"].size as u64;
        let stack = self.room((16 + (all + 1) * size) as usize);
        self.put(queue, "rxm_recv_queue", "fs", stack);
        self.word(stack, all);
        let mut top = 0;
        for place in 0..FREE {
            let free = stack + 16 + place * size;
            self.word(free, top);
            top = free;
        }
        self.word(stack + 8, top);
        let posted = self.inside(queue, "rxm_recv_queue", "recv_list");
        let messages = self.inside(queue, "rxm_recv_queue", "unexp_msg_list");
        self.ring(posted);
        self.ring(messages);
        for receive in &fabric.posted {
            let [tag, ignore, source, context] = self.receive(receive);
            let ty = "rxm_recv_entry";
            let entry = self.object(ty);
            let values = [
                ("tag", tag),
                ("ignore", ignore),
                ("addr", source),
                ("context", context),
                ("total_len", 40),
            ];
            self.put_all(entry, ty, &values);
            let link = self.inside(entry, ty, "entry");
            self.append_link(posted, link);
        }
        for message in &fabric.messages {
            let buffer = self.object("rxm_rx_buf");
            let packet = self.inside(buffer, "rxm_rx_buf", "pkt");
            self.name_send(fabric, packet, message);
            let tag = wire_tag(message.communicator, message.tag);
            let values =
                [("hdr.size", message.length), ("hdr.data", message.peer), ("hdr.tag", tag)];
            self.put_all(packet, "rxm_pkt", &values);
            let link = self.inside(buffer, "rxm_rx_buf", "unexp_msg");
            let link = self.inside(link, "rxm_unexp_msg", "entry");
            self.append_link(messages, link);
        }
        // Not the first part of a message.
        let part = self.object("rxm_rx_buf");
        let packet = self.inside(part, "rxm_rx_buf", "pkt");
        self.put_all(packet, "rxm_pkt", &[("ctrl_hdr.type", 1), ("ctrl_hdr.seg_no", 1)]);
        let link = self.inside(part, "rxm_rx_buf", "unexp_msg");
        let link = self.inside(link, "rxm_unexp_msg", "entry");
        self.append_link(messages, link);
    }
}
