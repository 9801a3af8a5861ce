//! An MPI process as a test thinks of it, to be written into memory by [`super::process`].

use super::contract::constant;

pub const ANY_SOURCE: i64 = -1;
pub const ANY_TAG: i64 = -2;
pub const PROC_NULL: i64 = -3;
pub const UNDEFINED: i64 = -32766;

#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub layout_version: i64,
    pub phase: i64,
    pub world_rank: i64,
    pub world_size: i64,
    pub communicators: Vec<Communicator>,
    /// Requests with the index of their communicator.
    pub sends: Vec<(usize, Request)>,
    pub probes: Vec<(usize, Request)>,
    pub datatypes: Vec<(Vec<u8>, i64)>,
    pub wait: Wait,
}

/// What the process waits in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wait {
    pub call: Option<&'static str>,
    pub threads: i64,
    pub awaited: i64,
    pub needed: i64,
    pub number: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub rank: i64,
    pub world_ranks: Vec<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Communicator {
    pub context_id: i64,
    pub freed: i64,
    pub name: Vec<u8>,
    pub local: Group,
    pub remote: Option<Group>,
    pub posted: Vec<Request>,
    pub matched: Vec<Request>,
    pub unexpected: Vec<Message>,
    /// Calls, and whether one is active, of each collective operation. None: NULL.
    pub collectives: Option<Vec<(i64, i64)>>,
    /// Messages sent to and received from each peer. None: NULL.
    pub traffic: Option<Vec<(i64, i64)>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub kind: i64,
    pub state: i64,
    pub peer: i64,
    pub tag: i64,
    pub buffer: i64,
    pub count: i64,
    /// None: NULL.
    pub datatype: Option<usize>,
    pub length: i64,
    pub system_buffer: i64,
    pub protocol: i64,
    pub actual_source: i64,
    pub actual_tag: i64,
    pub actual_length: i64,
    pub call: &'static str,
    pub wait: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub source: i64,
    pub tag: i64,
    pub length: i64,
    pub buffer: i64,
    pub protocol: i64,
    pub mode: i64,
}

impl Model {
    /// Rank `rank` of a world of `size`, with MPI_COMM_WORLD and nothing pending. Datatype 0 is
    /// MPI_INT, 1 is MPI_DOUBLE.
    pub fn world(rank: i64, size: i64) -> Self {
        Self {
            layout_version: constant("LAYOUT_VERSION"),
            phase: constant("RUNNING"),
            world_rank: rank,
            world_size: size,
            communicators: vec![Communicator::new(1, "MPI_COMM_WORLD", rank, (0..size).collect())],
            sends: Vec::new(),
            probes: Vec::new(),
            datatypes: vec![(b"MPI_INT".to_vec(), 4), (b"MPI_DOUBLE".to_vec(), 8)],
            wait: Wait::default(),
        }
    }

    /// `receives` posted receives on each of `communicators` communicators.
    pub fn busy(communicators: usize, receives: usize) -> Self {
        let mut model = Self::world(1, 4);
        for index in 1..communicators {
            model.communicators.push(Communicator::new(1 + index as i64, "", 1, vec![0, 1, 2, 3]));
        }
        for communicator in &mut model.communicators {
            communicator.posted =
                (0..receives).map(|i| Request::receive(i as i64 % 4, i as i64)).collect();
        }
        model
    }
}

impl Communicator {
    pub fn new(context_id: i64, name: &str, rank: i64, world_ranks: Vec<i64>) -> Self {
        Self {
            collectives: Some(vec![(0, 0); constant("COLLECTIVES") as usize]),
            traffic: Some(vec![(0, 0); world_ranks.len()]),
            context_id,
            freed: 0,
            name: name.as_bytes().to_vec(),
            local: Group { rank, world_ranks },
            remote: None,
            posted: Vec::new(),
            matched: Vec::new(),
            unexpected: Vec::new(),
        }
    }
}

impl Request {
    /// A posted `MPI_Irecv` of 10 MPI_INT.
    pub fn receive(source: i64, tag: i64) -> Self {
        Self {
            kind: constant("RECEIVE"),
            state: constant("PENDING"),
            peer: source,
            tag,
            buffer: 0x1234_5678,
            count: 10,
            datatype: Some(0),
            length: 40,
            system_buffer: 0,
            protocol: constant("PROTOCOL_NONE"),
            actual_source: 0,
            actual_tag: 0,
            actual_length: 0,
            call: "MPI_Irecv",
            wait: 0,
        }
    }

    /// A receive that a message of 24 bytes has matched.
    pub fn matched(source: i64, tag: i64, actual_source: i64, actual_tag: i64) -> Self {
        Self {
            state: constant("MATCHED"),
            protocol: constant("RENDEZVOUS"),
            actual_source,
            actual_tag,
            actual_length: 24,
            ..Self::receive(source, tag)
        }
    }

    /// A pending `MPI_Isend` of 3 MPI_DOUBLE.
    pub fn send(destination: i64, tag: i64) -> Self {
        Self {
            kind: constant("SEND_STANDARD"),
            count: 3,
            datatype: Some(1),
            length: 24,
            protocol: constant("RENDEZVOUS"),
            call: "MPI_Isend",
            ..Self::receive(destination, tag)
        }
    }

    /// A waiting `MPI_Probe`.
    pub fn probe(source: i64, tag: i64) -> Self {
        Self {
            kind: constant("PROBE"),
            buffer: 0,
            count: 0,
            datatype: None,
            length: 0,
            call: "MPI_Probe",
            ..Self::receive(source, tag)
        }
    }
}

impl Message {
    /// An eager message of 16 bytes.
    pub fn eager(source: i64, tag: i64) -> Self {
        Self {
            source,
            tag,
            length: 16,
            buffer: 0x7654_3210,
            protocol: constant("EAGER"),
            mode: constant("SEND_STANDARD"),
        }
    }
}
