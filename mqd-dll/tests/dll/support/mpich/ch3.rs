//! Messages and groups of the device ch3.

use super::{Communicator, INT, Map, Mpich, Pool, Writer};

/// What a request of the device ch3 is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ch3Kind {
    Posted,
    /// A receive whose data are arriving. Its message has this source and tag.
    Matched(i64, i64),
    /// Bits: 1 eager, 2 rendezvous, 3 to itself; 8 synchronous.
    Message(u64),
    /// 1 standard, 2 ready, 3 synchronous.
    Send(u64),
    /// A packet of this type; part of it may have been sent.
    Packet(u64, bool),
    /// A message that is just being taken in: it is not on the list yet.
    New,
}

/// A request of the device ch3 on `MPI_COMM_WORLD`.
#[derive(Clone, Copy, Debug)]
pub struct Ch3 {
    pub kind: Ch3Kind,
    pub context: u64,
    /// -2: any.
    pub rank: i64,
    /// -1: any.
    pub tag: i64,
    pub count: i64,
    pub datatype: u64,
}

impl Ch3 {
    /// On `MPI_COMM_WORLD`, with integers.
    pub fn new(kind: Ch3Kind, rank: i64, tag: i64, count: i64) -> Self {
        Self { kind, context: 0, rank, tag, count, datatype: INT }
    }

    fn list(&self) -> Option<bool> {
        match self.kind {
            Ch3Kind::Posted => Some(true),
            Ch3Kind::Message(_) => Some(false),
            _ => None,
        }
    }
}

/// The variables that name the first and last elements of the lists.
pub const LISTS: [&str; 4] = ["posted_head", "posted_tail", "unexpected_head", "unexpected_tail"];

/// Where the data of messages are.
pub const USER: u64 = 0x7000;
pub const LIBRARY: u64 = 0x8000;
/// The length of the messages of matched receives.
pub const RECEIVED: i64 = 21;

impl Writer {
    /// The tables of connections of a communicator.
    pub(super) fn connections(&mut self, at: u64, communicator: &Communicator) {
        let ty = "MPIR_Comm";
        let own = self.connection_table(&communicator.map);
        match &communicator.remote {
            None => self.put(at, ty, "dev.vcrt", own),
            Some((_, remote)) => {
                let remote = self.connection_table(remote);
                self.put(at, ty, "dev.vcrt", remote);
                self.put(at, ty, "dev.local_vcrt", own);
            }
        }
        if matches!(communicator.map, Map::NotYet(_)) {
            self.put(at, ty, "mapper_head", 0x9000);
        }
    }

    fn connection_table(&mut self, map: &Map) -> i64 {
        let ranks: Vec<(i64, i64)> = match map {
            Map::All(size) => (0..*size).map(|rank| (0, rank)).collect(),
            Map::From(first, size) => (0..*size).map(|rank| (0, first + rank)).collect(),
            Map::Strided(first, stride, size) => {
                (0..*size).map(|rank| (0, first + rank * stride)).collect()
            }
            Map::Blocks(first, stride, block, size) => {
                (0..*size).map(|rank| (0, rank / block * (stride - block) + rank + first)).collect()
            }
            Map::List(ranks) => ranks.iter().map(|rank| (0, *rank)).collect(),
            Map::Mixed(ranks) => ranks.clone(),
            // That of an earlier communicator.
            Map::NotYet(_) => vec![(7, -7)],
        };
        let ty = "MPIDI_VCRT_t";
        let (first, _) = self.field(ty, "vcr_table");
        let table = self.room(first + ranks.len() as u64 * 8);
        self.process.objects.push((ty.to_owned(), table));
        self.put(table, ty, "size", ranks.len() as i64);
        for (place, (job, rank)) in (0..).zip(ranks) {
            let connection = self.connection(job, rank);
            self.number(table + first + place * 8, connection as i64, 8);
        }
        table as i64
    }

    fn connection(&mut self, job: i64, rank: i64) -> u64 {
        let ty = "MPIDI_VC_t";
        let connection = self.room(self.size(ty));
        self.process.objects.push((ty.to_owned(), connection));
        self.put(connection, ty, "pg", 0x9100 + job * 0x100);
        self.put(connection, ty, "pg_rank", rank);
        connection
    }

    /// Two lists, and sends on none. The variables name the ends of the lists.
    pub(super) fn ch3(&mut self, model: &Mpich, requests: &Pool, communicator: u64) {
        let at = |index: usize| requests.nth(model.own.len() + index);
        for (list, names) in [(true, &LISTS[..2]), (false, &LISTS[2..])] {
            let mut elements =
                (0..model.ch3.len()).filter(|index| model.ch3[*index].list() == Some(list));
            let first = elements.next();
            let ends = [first, elements.next_back().or(first)];
            for (name, end) in names.iter().zip(ends) {
                let variable = self.variable(name, 8);
                self.number(variable, end.map_or(0, |index| at(index) as i64), 8);
            }
        }
        for (index, one) in model.ch3.iter().enumerate() {
            // What has left its list still names the next one.
            let list = one.list().or(matches!(one.kind, Ch3Kind::Matched(..)).then_some(true));
            let mut rest = index + 1..model.ch3.len();
            let next = rest.find(|next| list.is_some() && model.ch3[*next].list() == list);
            self.ch3_request(at(index), one, next.map_or(0, at), communicator);
        }
    }

    fn ch3_request(&mut self, at: u64, one: &Ch3, next: u64, communicator: u64) {
        let ty = "MPIR_Request";
        self.process.objects.push((ty.to_owned(), at));
        self.number(at + 4, 1, 4);
        let is_send = matches!(one.kind, Ch3Kind::Send(_) | Ch3Kind::Packet(..));
        let is_receive = matches!(one.kind, Ch3Kind::Posted | Ch3Kind::Matched(..));
        let has_communicator = is_receive || matches!(one.kind, Ch3Kind::Send(_));
        let state = match one.kind {
            Ch3Kind::Matched(..) => 1,
            Ch3Kind::Message(way) => way,
            Ch3Kind::Send(mode) => mode << 4,
            _ => 0,
        };
        let is_complete = matches!(one.kind, Ch3Kind::Message(way) if way & 3 == 1);
        let (source, tag) = match one.kind {
            Ch3Kind::Matched(source, tag) => (source, tag),
            _ => (one.rank, one.tag),
        };
        let bytes = one.count * 4;
        let length = if matches!(one.kind, Ch3Kind::Matched(..)) { RECEIVED } else { bytes };
        for (field, value) in [
            ("kind", if is_send { 1 } else { 2 }),
            ("cc", if is_complete { 0 } else { 1 }),
            ("comm", if has_communicator { communicator as i64 } else { 0 }),
            ("next", next as i64),
            ("status.MPI_SOURCE", source),
            ("status.MPI_TAG", tag),
            ("dev.match.parts.rank", one.rank),
            ("dev.match.parts.tag", one.tag),
            ("dev.match.parts.context_id", one.context as i64),
            ("dev.user_buf", USER as i64),
            ("dev.user_count", one.count),
            ("dev.datatype", one.datatype as i64),
            ("dev.tmpbuf", LIBRARY as i64),
            ("dev.recv_data_sz", length),
            ("dev.state", state as i64),
            // A message to itself has no data of its own.
            ("dev.partner_request", at as i64),
        ] {
            self.put(at, ty, field, value);
        }
        if let Ch3Kind::Packet(packet, is_whole) = one.kind {
            self.packet(at, one, packet, is_whole);
        }
    }

    /// The receiver of a packet is known by its connection alone.
    fn packet(&mut self, at: u64, one: &Ch3, packet: u64, is_whole: bool) {
        let (ty, parts) = ("MPIR_Request", self.field("MPIR_Request", "dev.iov").0);
        let (place, _) = self.field(ty, "dev.pending_pkt");
        let connection = self.connection(0, one.rank);
        self.put(at, ty, "ch.vc", connection as i64);
        let first = if is_whole { at + place } else { USER };
        self.number(at + parts, first as i64, 8);
        self.number(at + parts + 16, USER as i64, 8);
        for field in ["dev.match.parts.rank", "dev.match.parts.tag", "dev.user_count"] {
            self.put(at, ty, field, 0);
        }
        let packet_ty = "MPIDI_CH3_Pkt_send_t";
        for (field, value) in [
            ("type", packet as i64),
            ("match.parts.tag", one.tag),
            ("match.parts.rank", 1),
            ("match.parts.context_id", one.context as i64),
        ] {
            self.put(at + place, packet_ty, field, value);
        }
        let length_of = if packet == 1 { "MPIDI_CH3_Pkt_eagershort_send_t" } else { packet_ty };
        self.put(at + place, length_of, "data_sz", one.count * 4);
    }
}
