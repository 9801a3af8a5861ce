//! Reports of jobs of any size, as far as pictures need them.

use mqd_report::check::{
    Certainty, Diagnosis, Finding, FindingKind, SCHEMA_VERSION, Severity, Verdict, Wait,
};
use mqd_report::{
    Activity, Address, Communicator, Lines, Operation, Process, Queue, Report, Status, Tool,
};

/// An operation with this rank of `MPI_COMM_WORLD`.
pub fn operation(peer: i64, tag: i64, length: i64) -> Operation {
    Operation {
        status: Status::Pending,
        desired_local_rank: peer,
        desired_global_rank: Some(peer),
        tag_wild: false,
        desired_tag: Some(tag),
        desired_length: length,
        system_buffer: false,
        buffer: Address(0x7ffd_0000_1000),
        actual_local_rank: None,
        actual_global_rank: None,
        actual_tag: None,
        actual_length: None,
        awaited: None,
        extra_text: Lines::default(),
    }
}

/// A communicator of all ranks, without operations.
pub fn communicator(name: &str, id: u64, rank: i64, size: i64) -> Communicator {
    Communicator {
        unique_id: Address(id),
        name: name.into(),
        size,
        local_rank: rank,
        group: None,
        parent: None,
        remote_group: None,
        pending_sends: Vec::new(),
        pending_receives: Vec::new(),
        unexpected_messages: Vec::new(),
        collectives: None,
        traffic: None,
        not_known: Vec::new(),
    }
}

/// A process that is in an MPI function.
pub fn process(rank: i64, function: &str, communicators: Vec<Communicator>) -> Process {
    Process {
        rank: Some(rank),
        pid: Some(18576 + u32::try_from(rank).unwrap()),
        executable: Some("/home/me/deadlock".into()),
        library: Some("/opt/mqd/lib/libmpi_abi.so.1".into()),
        dll_version: Some("mqd 0.1.0".into()),
        activity: Some(Activity {
            function: Some(function.into()),
            needed: Some(1),
            concurrent: Some(false),
            ..Activity::NONE
        }),
        communicators,
        ..Process::default()
    }
}

/// `fixtures/deadlock.c` with so many ranks: each sends to the next one with tag 7, but the last
/// one waits for tag 8.
pub fn ring(size: i64) -> Report {
    let processes = (0..size).map(|rank| {
        let mut ring = communicator("ring", 2, rank, size);
        let function = if rank == size - 1 {
            ring.pending_receives
                .push(Operation { awaited: Some(true), ..operation(rank - 1, 8, 4) });
            "MPI_Recv"
        } else {
            ring.pending_sends.push(Operation { awaited: Some(true), ..operation(rank + 1, 7, 4) });
            "MPI_Ssend"
        };
        if rank > 0 {
            ring.unexpected_messages.push(operation(rank - 1, 7, 4));
        }
        process(rank, function, vec![communicator("MPI_COMM_WORLD", 0, rank, size), ring])
    });
    Report::new(processes.collect())
}

/// Its diagnosis: the last two ranks wait for each other.
pub fn ring_diagnosis(size: i64) -> Diagnosis {
    let (one, two) = (size - 2, size - 1);
    Diagnosis {
        schema_version: SCHEMA_VERSION.to_owned(),
        tool: Tool { name: "mqd".to_owned(), version: "0.1.0".to_owned() },
        verdict: Verdict::Deadlocked,
        reason: format!("{size} ranks wait for each other and can never go on"),
        looks: 1,
        seconds: None,
        spread_ms: None,
        stuck: (0..size).collect(),
        moving: [].into_iter().collect(),
        unknown: [].into_iter().collect(),
        missing: Vec::new(),
        findings: vec![
            Finding {
                kind: FindingKind::Deadlock,
                severity: Severity::Error,
                certainty: Certainty::Certain,
                ranks: [one, two].into_iter().collect(),
                waiting: (0..one).collect(),
                culprits: [].into_iter().collect(),
                text: format!("ranks {one} and {two} wait for each other"),
                title: format!("ranks {one} and {two} wait for each other"),
                steps: Vec::new(),
                evidence: vec!["no message between them is on its way".to_owned()],
                places: Vec::new(),
                advice: "let one of them receive what the other sends".to_owned(),
                waits: ring_waits(one, two),
                cycle: true,
            },
            Finding {
                kind: FindingKind::NearMiss,
                severity: Severity::Warning,
                certainty: Certainty::Certain,
                ranks: two.into(),
                waiting: [].into_iter().collect(),
                culprits: [].into_iter().collect(),
                text: format!("rank {two} waits for tag 8 on ring; rank {one} sent tag 7"),
                title: format!("rank {two} waits for tag 8 on ring; rank {one} sent tag 7"),
                steps: Vec::new(),
                evidence: vec![format!("the message lies at rank {two}, unexpected")],
                places: Vec::new(),
                advice: "use the same tag".to_owned(),
                waits: Vec::new(),
                cycle: false,
            },
        ],
        places: Vec::new(),
    }
}

/// What the last two ranks of the ring wait for.
fn ring_waits(one: i64, two: i64) -> Vec<Wait> {
    let wait = |rank: i64, on: i64, queue: Queue, function: &str, text: String| Wait {
        rank,
        on: on.into(),
        function: Some(function.to_owned()),
        communicator: Some(Address(2)),
        communicator_name: "ring".to_owned(),
        queue: Some(queue),
        index: Some(0),
        text,
    };
    vec![
        wait(
            one,
            two,
            Queue::Sends,
            "MPI_Ssend",
            format!(
                "rank {one} waits in MPI_Ssend until rank {two} receives its message \
                 with tag 7 on ring"
            ),
        ),
        wait(
            two,
            one,
            Queue::Receives,
            "MPI_Recv",
            format!(
                "rank {two} waits in MPI_Recv for a message with tag 8 from rank \
                 {one} on ring"
            ),
        ),
    ]
}

/// A ring in which every rank sends to the next and receives from the one before, and all send a
/// result to rank 0.
pub fn large(size: i64) -> Report {
    let processes = (0..size).map(|rank| {
        let mut world = communicator("MPI_COMM_WORLD", 0, rank, size);
        for step in 0..4 {
            world.pending_sends.push(operation((rank + 1) % size, 7, 1024 + 8 * (rank % 5)));
            world.pending_receives.push(operation((rank + size - 1) % size, 70 + step, 4096));
        }
        if rank == 0 {
            world
                .pending_receives
                .push(Operation { desired_global_rank: Some(-1), ..operation(-1, 99, 8) });
        } else {
            world.pending_sends.push(operation(0, 9, 8));
        }
        process(rank, if rank == 0 { "MPI_Recv" } else { "MPI_Waitall" }, vec![world])
    });
    Report::new(processes.collect())
}

/// Each rank sends to each other one.
pub fn all_to_all(size: i64) -> Report {
    let processes = (0..size).map(|rank| {
        let mut world = communicator("MPI_COMM_WORLD", 0, rank, size);
        world
            .pending_sends
            .extend((0..size).filter(|peer| *peer != rank).map(|peer| operation(peer, 3, 100)));
        process(rank, "MPI_Waitall", vec![world])
    });
    Report::new(processes.collect())
}
