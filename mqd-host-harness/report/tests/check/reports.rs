//! Reports written by hand, and the words of their diagnosis.

use mqd_report::check::{self, Diagnosis, Finding, FindingKind};
use mqd_report::render;
use mqd_report::{
    Activity, Address, Collective, Communicator, Fifo, Frame, Operation, Process, Report, Stack,
    Traffic,
};

use crate::golden;
use crate::model::operation;

/// A job whose ranks all have `MPI_COMM_WORLD` and `halo`, and compute.
pub(crate) fn job(ranks: i64) -> Report {
    let part = |name: &str, id: u64, rank: i64| Communicator {
        unique_id: Address(id),
        name: name.into(),
        size: ranks,
        local_rank: rank,
        group: Some((0..ranks).collect()),
        parent: None,
        remote_group: None,
        pending_sends: Vec::new(),
        pending_receives: Vec::new(),
        unexpected_messages: Vec::new(),
        collectives: Some(Vec::new()),
        traffic: Some(Vec::new()),
        not_known: Vec::new(),
    };
    let process = |rank: i64| Process {
        rank: Some(rank),
        pid: Some(4000 + rank as u32),
        activity: Some(Activity::NONE),
        communicators: vec![part("MPI_COMM_WORLD", 0, rank), part("halo", 2, rank)],
        ..Process::default()
    };
    Report::new((0..ranks).map(process).collect())
}

pub(crate) const WORLD: usize = 0;

pub(crate) const HALO: usize = 1;

pub(crate) fn enter(report: &mut Report, rank: usize, function: &str, needed: Option<i64>) {
    report.processes[rank].activity = Some(Activity {
        function: Some(function.into()),
        needed,
        concurrent: Some(false),
        ..Activity::NONE
    });
}

pub(crate) fn receive(
    report: &mut Report,
    rank: usize,
    comm: usize,
    from: Option<usize>,
    tag: Option<i64>,
) -> &mut Operation {
    enter(report, rank, "MPI_Recv", Some(1));
    let receives = &mut report.processes[rank].communicators[comm].pending_receives;
    receives.push(Operation {
        actual_local_rank: None,
        actual_global_rank: None,
        actual_tag: None,
        actual_length: None,
        awaited: Some(true),
        ..operation(from, tag, &["MPI_Recv", "1 x MPI_INT"])
    });
    receives.last_mut().unwrap()
}

/// A rank has sent a message that its receiver has not asked for.
pub(crate) fn message(
    report: &mut Report,
    from: usize,
    to: usize,
    comm: usize,
    tag: i64,
    synchronous: bool,
) {
    let mode = if synchronous { "send mode: synchronous" } else { "send mode: standard" };
    let unexpected = operation(Some(from), Some(tag), &[mode, "protocol: eager"]);
    report.processes[to].communicators[comm].unexpected_messages.push(unexpected);
    let count =
        |peer: usize, sent: i64, received: i64| Traffic { local_rank: peer as i64, sent, received };
    report.processes[from].communicators[comm].traffic.as_mut().unwrap().push(count(to, 1, 0));
    report.processes[to].communicators[comm].traffic.as_mut().unwrap().push(count(from, 0, 1));
}

/// A rank waits for its message to be received.
pub(crate) fn send(report: &mut Report, rank: usize, to: usize, comm: usize, tag: i64) {
    enter(report, rank, "MPI_Ssend", Some(1));
    let send = Operation {
        awaited: Some(true),
        ..operation(Some(to), Some(tag), &["MPI_Ssend", "1 x MPI_INT", "protocol: eager"])
    };
    report.processes[rank].communicators[comm].pending_sends.push(send);
    message(report, rank, to, comm, tag, true);
}

pub(crate) fn collective(
    report: &mut Report,
    rank: usize,
    function: &str,
    calls: i64,
    active: bool,
) {
    if active {
        enter(report, rank, function, None);
    }
    let collective = Collective { function: function.into(), calls: Some(calls), active };
    report.processes[rank].communicators[HALO].collectives.as_mut().unwrap().push(collective);
}

/// The demo: a ring of four, in which rank 3 waits for another tag than rank 2 sends.
pub(crate) fn ring() -> Report {
    let mut report = job(4);
    for rank in 0..3 {
        send(&mut report, rank, rank + 1, HALO, 7);
    }
    receive(&mut report, 3, HALO, Some(2), Some(8));
    report
}

pub(crate) fn check(name: &str, report: &Report) -> Diagnosis {
    let diagnosis = check::check(report);
    golden::check(&format!("check-{name}.txt"), &render::check(&diagnosis, false));
    let coloured = render::check(&diagnosis, true);
    assert_eq!(
        anstream::adapter::strip_str(&coloured).to_string(),
        render::check(&diagnosis, false)
    );
    diagnosis
}

pub(crate) fn find(diagnosis: &Diagnosis, kind: FindingKind) -> &Finding {
    diagnosis
        .findings
        .iter()
        .find(|finding| finding.kind == kind)
        .unwrap_or_else(|| panic!("no {kind:?}: {diagnosis:#?}"))
}

/// Nobody counts messages, but each rank has a queue in shared memory, of which 5 elements have
/// been put in and taken out.
pub(crate) fn by_fifos(mut report: Report) -> Report {
    let ranks = report.processes.len() as i64;
    for (own, process) in (0..).zip(&mut report.processes) {
        process.communicators.iter_mut().for_each(|part| part.traffic = None);
        let fifo = |rank: i64| Fifo {
            id: Address(100 + rank as u64),
            rank: Some(rank).filter(|rank| *rank != own),
            elements: 5,
        };
        process.fifos = Some((0..ranks).map(fifo).collect());
    }
    report
}

/// The call stack of a thread that is in this function.
pub(crate) fn stack(function: &str) -> Stack {
    let function = Frame { function: Some(function.into()), ..Frame::default() };
    Stack {
        thread: 1,
        in_mpi: Some(true),
        complete: true,
        frames: vec![function],
        returns_to: None,
    }
}
