//! What moves between looks, and ages: which operation of a look is which of the next.

mod support;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mqd_report::changes::{Age, Changes, ProcessChanges, Tracker};
use mqd_report::{
    Address, Collective, Communicator, Operation, Problem, ProblemKind, Process, Report, Status,
    Traffic,
};
use support::jobs;

fn at(seconds: u64) -> Option<SystemTime> {
    Some(UNIX_EPOCH + Duration::from_secs(seconds))
}

fn seconds(number: u64) -> Duration {
    Duration::from_secs(number)
}

/// A process with these pending receives, and as many messages received from rank 1.
fn report(receives: &[Operation], received: Option<i64>) -> Report {
    let mut world = jobs::communicator("world", 1, 0, 2);
    world.pending_receives = receives.to_vec();
    world.traffic = received.map(|received| vec![Traffic { local_rank: 1, sent: 0, received }]);
    Report::new(vec![jobs::process(0, "MPI_Recv", vec![world])])
}

/// Looks a second apart; what the last one shows.
fn last(looks: &[Report]) -> Changes {
    let mut tracker = Tracker::default();
    let mut changes = Changes::default();
    for (second, report) in (0..).zip(looks) {
        changes = tracker.look(at(second), report);
    }
    changes
}

#[test]
fn nothing_moves_at_the_first_look_and_in_an_idle_job() {
    let idle = report(&[jobs::operation(1, 7, 4)], None);
    let first = last(std::slice::from_ref(&idle));
    assert!(first.first && first.processes.is_empty() && first.since.is_none());
    assert_eq!(first.ages, [Age::AtLeast(seconds(0))]);
    let third = last(&[idle.clone(), idle.clone(), idle]);
    assert!(!third.first && third.processes.is_empty());
    assert_eq!(
        (third.since, third.ages.as_slice()),
        (Some(seconds(1)), &[Age::AtLeast(seconds(2))][..])
    );
}

#[test]
fn each_part_of_its_identity_tells_an_operation_from_others() {
    let one = jobs::operation(1, 7, 4);
    let others = [
        Operation { buffer: Address(1), ..one.clone() },
        Operation { desired_local_rank: -1, ..one.clone() },
        Operation { desired_tag: None, tag_wild: true, ..one.clone() },
        Operation { desired_tag: Some(8), ..one.clone() },
        Operation { desired_length: 5, ..one.clone() },
    ];
    for other in others {
        let changes = last(&[
            report(std::slice::from_ref(&one), None),
            report(std::slice::from_ref(&other), None),
        ]);
        let [moved] = changes.processes.as_slice() else { panic!("{other:?}") };
        assert_eq!((moved.new.len(), moved.gone.len()), (1, 1), "{other:?}");
        assert_eq!(changes.ages, [Age::Since(seconds(0))]);
    }
}

#[test]
fn of_equal_ones_the_oldest_goes_first() {
    let one = jobs::operation(1, 7, 4);
    // One at the first look, a second one at the second; then one is gone.
    let looks = [1, 2, 1].map(|count| report(&vec![one.clone(); count], None));
    assert_eq!(last(&looks[..2]).ages, [Age::AtLeast(seconds(1)), Age::Since(seconds(0))]);
    let changes = last(&looks);
    assert_eq!(
        changes.ages,
        [Age::Since(seconds(1))],
        "the one that was there at the first look has gone"
    );
    assert_eq!(changes.processes[0].gone, ["receive from rank 1, world, tag 7, 4 bytes"]);
}

#[test]
fn an_equal_one_may_have_taken_its_place() {
    let one = jobs::operation(1, 7, 4);
    let look = |received| report(std::slice::from_ref(&one), Some(received));
    assert_eq!(last(&[look(5), look(5)]).ages, [Age::AtLeast(seconds(1))]);
    assert_eq!(last(&[look(5), look(6)]).ages, [Age::NotKnown]);
    assert_eq!(last(&[report(&[], Some(5)), look(5), look(6)]).ages, [Age::AtMost(seconds(1))]);
    let moved = last(&[look(5), look(8)]).processes.remove(0);
    assert_eq!(moved, ProcessChanges { messages: Some((0, 3)), ..ProcessChanges::default() });
    // From any source: whoever has sent.
    let any = Operation { desired_local_rank: -1, ..one.clone() };
    let look = |received| report(std::slice::from_ref(&any), Some(received));
    assert_eq!(last(&[look(5), look(6)]).ages, [Age::NotKnown]);
}

#[test]
fn matched_and_complete() {
    let statuses = [Status::Pending, Status::Matched, Status::Complete];
    let looks =
        statuses.map(|status| report(&[Operation { status, ..jobs::operation(1, 7, 4) }], None));
    assert_eq!(
        last(&looks[..2]).processes[0].advanced,
        ["receive from rank 1, world, tag 7, 4 bytes: matched, was pending"]
    );
    assert_eq!(
        last(&looks).processes[0].advanced,
        ["receive from rank 1, world, tag 7, 4 bytes: complete, was matched"]
    );
}

#[test]
fn functions_and_collective_operations() {
    let with = |function: &str, calls| {
        let mut report = report(&[], None);
        report.processes[0] =
            jobs::process(0, function, std::mem::take(&mut report.processes[0].communicators));
        let collective =
            Collective { function: "MPI_Barrier".into(), calls: Some(calls), active: false };
        report.processes[0].communicators[0].collectives = Some(vec![collective]);
        report
    };
    let moved = last(&[with("MPI_Recv", 3), with("MPI_Send", 5)]).processes.remove(0);
    assert_eq!(moved.activity, Some(("in MPI_Recv".into(), "in MPI_Send".into())));
    assert_eq!(moved.collectives, [("MPI_Barrier".into(), 2)]);
    assert_eq!(moved.lines(9), ["in MPI_Send, was in MPI_Recv", "called MPI_Barrier 2 times"]);
}

#[test]
fn what_cannot_be_read_for_a_while_has_not_gone() {
    let there = report(&[jobs::operation(1, 7, 4)], None);
    let mut lost = there.clone();
    lost.processes[0] = Process {
        rank: Some(0),
        errors: vec![Problem::new(ProblemKind::System, "it could not be stopped")],
        ..Process::default()
    };
    let changes = last(&[there.clone(), lost.clone(), there.clone()]);
    assert!(changes.processes.is_empty());
    assert_eq!(changes.ages, [Age::AtLeast(seconds(2))]);
    let changes = last(&[lost, there]);
    assert!(changes.processes[0].appeared);
}

#[test]
fn communicators_are_told_by_their_ids() {
    let with = |id| {
        let mut report = report(&[jobs::operation(1, 7, 4)], None);
        let Communicator { unique_id, .. } = &mut report.processes[0].communicators[0];
        *unique_id = Address(id);
        report
    };
    assert_eq!(last(&[with(1), with(2)]).processes[0].new.len(), 1);
}
