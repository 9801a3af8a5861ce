//! Reports written by hand, and the words that the diagnosis of each must have.

use mqd_report::check::{self, Certainty, Diagnosis, FindingKind, Verdict};
use mqd_report::filter::Filter;
use mqd_report::render;
use mqd_report::{
    Activity, Background, Collective, Frame, Group, Operation, OtherThreads, Problem, ProblemKind,
    Queue, Report, Status, Traffic,
};

use crate::golden;
use crate::model::operation;
use crate::reports::*;

#[test]
fn a_ring() {
    let diagnosis = check("ring", &ring());
    assert_eq!(diagnosis.stuck.to_string(), "0-3");
    let deadlock = find(&diagnosis, FindingKind::Deadlock);
    assert_eq!(
        (deadlock.ranks.to_string(), deadlock.waiting.to_string()),
        ("2-3".to_owned(), "0-1".to_owned())
    );
    let json = render::json(&diagnosis);
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    golden::check("check-ring.json", &json.replace(&version, "\"version\": \"0.0.0\""));
    assert_eq!(serde_json::from_str::<Diagnosis>(&json).unwrap(), diagnosis);
}

/// The first steps of a long cycle are told. The others are counted, or told on demand.
#[test]
fn a_long_cycle() {
    let ranks = 12;
    let mut report = job(12);
    for rank in 0..ranks {
        receive(&mut report, rank, HALO, Some((rank + ranks - 1) % ranks), Some(7));
    }
    let diagnosis = check("long-cycle", &report);
    let [text, each] = [render::check, render::check_each_step].map(|of| of(&diagnosis, false));
    for rank in 0..ranks {
        let step = format!("  rank {rank} waits in");
        let told = [&text, &each].map(|text| text.contains(&step));
        assert_eq!(told, [rank == 0 || rank > 4, true], "{rank}: {each}");
    }
    assert!(text.contains("and 4 more, up to rank 1\n"), "{text}");
}

#[test]
fn the_committed_schema_is_the_one_of_the_code() {
    let committed =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/check.schema.json");
    golden::check_file(&committed, &check::json_schema_text());
}

/// Before `MPI_Init` has returned there are no queues, but the stacks tell where the ranks are.
#[test]
fn a_rank_without_queues_is_somewhere() {
    let mut report = job(3);
    for (process, function) in report.processes.iter_mut().zip(["MPI_Init", "MPI_Bcast"]) {
        (process.communicators, process.activity) = (Vec::new(), None);
        process.errors.push(Problem::new(ProblemKind::Queues, "there are no queues"));
        process.stacks = Some(vec![stack(function)]);
    }
    let diagnosis = check::check(&report);
    assert_eq!(diagnosis.verdict, Verdict::Insufficient);
    let all = diagnosis.missing.join("\n");
    let init = "rank 0 was not read: MPI_Init may wait until all ranks of the job have called it: \
                see where the others are\n";
    assert!(all.starts_with(init), "{all}");
    let other = "rank 1 was not read: the debug DLL could not read all queues";
    assert!(all.contains(other), "{all}");
    let text = render::check(&diagnosis, false);
    let places = "  where: rank 0 in MPI_Init\n  where: rank 1 in MPI_Bcast\n";
    assert!(text.contains(places), "{text}");
    // With a verdict only the findings tell places.
    let mut report = ring();
    report.processes.iter_mut().for_each(|process| process.stacks = Some(vec![stack("MPI_Send")]));
    let diagnosis = check::check(&report);
    assert_eq!((diagnosis.verdict, diagnosis.places), (Verdict::Deadlocked, vec![]));
}

#[test]
fn a_rank_that_is_not_there() {
    let mut report = ring();
    report.processes.remove(3);
    assert_eq!(check("not-there", &report).verdict, Verdict::Insufficient);
    // The deadlock of others does not depend on it.
    let mut report = job(6);
    receive(&mut report, 0, WORLD, Some(1), Some(1));
    receive(&mut report, 1, WORLD, Some(0), Some(2));
    report.processes.remove(3);
    assert_eq!(check("others-not-there", &report).stuck.to_string(), "0-1");
}

#[test]
fn a_probe_that_no_queue_shows_waits_for_any_message() {
    let mut report = job(2);
    enter(&mut report, 0, "MPI_Probe", None);
    receive(&mut report, 1, WORLD, Some(0), Some(2));
    let twice = |report: &Report| check::check_again(report, report, 1.0);
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    let diagnosis = twice(&report);
    assert_eq!(diagnosis.verdict, Verdict::Deadlocked);
    let text = &find(&diagnosis, FindingKind::Deadlock).text;
    let probe = "rank 0 waits in MPI_Probe for a message, on a communicator that no queue shows";
    assert_eq!(text.matches(probe).count(), 1, "{text}");
    // A message that has come may be the one, or one may be on its way.
    let mut arrived = report.clone();
    message(&mut arrived, 1, 0, HALO, 5, false);
    assert_eq!(twice(&arrived).verdict, Verdict::Insufficient);
    let mut uncounted = report.clone();
    for process in &mut uncounted.processes {
        process.communicators.iter_mut().for_each(|part| part.traffic = None);
    }
    assert_eq!(twice(&uncounted).verdict, Verdict::Insufficient);
    // A matched probe takes its message out of the queue.
    enter(&mut report, 0, "MPI_Mprobe", None);
    assert_eq!(twice(&report).verdict, Verdict::Insufficient);
    // No message that is there is the one if the rank has not left its call for a while. One that
    // has just come may be.
    let stays = |report: &Report| {
        let mut report = report.clone();
        enter(&mut report, 0, "MPI_Probe", None);
        report.processes[0].activity.as_mut().unwrap().stayed = true;
        report
    };
    let mut earlier = stays(&arrived);
    earlier.processes[0].communicators[HALO].unexpected_messages.clear();
    let diagnosis = check::check_again(&earlier, &stays(&arrived), 1.0);
    assert_eq!(diagnosis.verdict, Verdict::Insufficient);
    for function in ["MPI_Probe", "MPI_Mprobe"] {
        for report in [&report, &arrived] {
            let mut report = report.clone();
            enter(&mut report, 0, function, None);
            report.processes[0].activity.as_mut().unwrap().stayed = true;
            assert!(check::waits_unseen(&report.processes[0]));
            assert_eq!(twice(&report).verdict, Verdict::Deadlocked, "{function}");
        }
    }
}

#[test]
fn what_they_do_is_not_known() {
    let mut report = ring();
    report.processes.iter_mut().for_each(|process| process.activity = None);
    assert_eq!(check("no-activity", &report).verdict, Verdict::Insufficient);
}

#[test]
fn different_collectives() {
    let mut report = job(5);
    for rank in 0..5 {
        collective(&mut report, rank, "MPI_Allreduce", 3 + i64::from(rank > 2), rank > 2);
        collective(&mut report, rank, "MPI_Barrier", i64::from(rank <= 2), rank <= 2);
    }
    let diagnosis = check("collectives", &report);
    assert_eq!(find(&diagnosis, FindingKind::CollectiveMismatch).ranks.to_string(), "0-4");
}

#[test]
fn a_barrier_that_one_does_not_come_to() {
    let mut report = job(4);
    for rank in 0..3 {
        collective(&mut report, rank, "MPI_Barrier", 2, true);
    }
    collective(&mut report, 3, "MPI_Barrier", 1, false);
    let computes = check("barrier-waits", &report);
    assert_eq!(computes.verdict, Verdict::NotDeadlocked);
    receive(&mut report, 3, HALO, Some(1), Some(4));
    let stuck = check("barrier-stuck", &report);
    assert_eq!(stuck.stuck.to_string(), "0-3");
    // About to end: all are there.
    let mut report = job(2);
    (0..2).for_each(|rank| collective(&mut report, rank, "MPI_Barrier", 2, true));
    assert_eq!(check::check(&report).verdict, Verdict::NotDeadlocked);
}

#[test]
fn any_source_is_a_knot() {
    let mut report = job(4);
    for rank in 0..3 {
        receive(&mut report, rank, HALO, None, Some(5));
    }
    assert_eq!(check::check(&report).verdict, Verdict::NotDeadlocked);
    receive(&mut report, 3, HALO, None, None);
    let diagnosis = check("any-source", &report);
    assert!(!find(&diagnosis, FindingKind::Deadlock).cycle);
}

#[test]
fn waitany_waits_for_one_of_several() {
    let mut report = job(3);
    for rank in 0..2 {
        receive(&mut report, rank, HALO, Some(1 - rank), Some(5));
        receive(&mut report, rank, HALO, Some(2), Some(5));
        enter(&mut report, rank, "MPI_Waitany", Some(1));
    }
    assert_eq!(check::check(&report).verdict, Verdict::NotDeadlocked);
    receive(&mut report, 2, HALO, Some(0), Some(5));
    assert_eq!(check::check(&report).stuck.to_string(), "0-2");
    // All of them: one that does not come is enough.
    let mut report = job(3);
    for rank in 0..2 {
        receive(&mut report, rank, HALO, Some(1 - rank), Some(5));
        receive(&mut report, rank, HALO, Some(2), Some(5));
        enter(&mut report, rank, "MPI_Waitall", Some(2));
    }
    assert_eq!(check("waitall", &report).stuck.to_string(), "0-1");
}

#[test]
fn the_sender_is_through() {
    let mut report = job(3);
    enter(&mut report, 1, "MPI_Finalize", None);
    receive(&mut report, 0, HALO, Some(1), Some(3));
    receive(&mut report, 2, HALO, Some(0), Some(3));
    message(&mut report, 0, 1, HALO, 9, false);
    let diagnosis = check("through", &report);
    assert_eq!(find(&diagnosis, FindingKind::NeverMatched).ranks.to_string(), "0");
    assert_eq!(find(&diagnosis, FindingKind::Orphan).ranks.to_string(), "1");
}

#[test]
fn near_misses() {
    /// Rank 0 waits for tag 17 from rank 2 on `halo`, which waits for rank 0, so that both are
    /// stuck.
    fn waiting() -> Report {
        let mut report = job(20);
        receive(&mut report, 0, HALO, Some(2), Some(17));
        receive(&mut report, 2, HALO, Some(0), Some(90));
        report
    }
    type Case = (&'static str, fn(&mut Report), &'static str);
    let cases: [Case; 6] = [
        (
            "communicator",
            |report| message(report, 2, 0, WORLD, 17, false),
            "rank 2 has sent it tag 17 on `MPI_COMM_WORLD`",
        ),
        (
            "tag",
            |report| message(report, 2, 0, HALO, 18, false),
            "rank 2 has sent it tag 18 on `halo`",
        ),
        (
            "rank",
            |report| message(report, 3, 0, HALO, 17, false),
            "rank 3 has sent it tag 17 on `halo`",
        ),
        (
            "swapped",
            |report| message(report, 17, 0, HALO, 2, false),
            "rank 17 has sent it tag 2 on `halo`",
        ),
        (
            "receiver",
            |report| message(report, 2, 1, HALO, 17, false),
            "rank 2 has sent tag 17 on `halo` to rank 1",
        ),
        (
            "both",
            |report| message(report, 5, 0, WORLD, 17, false),
            "rank 5 has sent it tag 17 on `MPI_COMM_WORLD`",
        ),
    ];
    for (name, miss, told) in cases {
        let mut report = waiting();
        miss(&mut report);
        let diagnosis = check::check(&report);
        let expected = format!("rank 0 waits for tag 17 from rank 2 on `halo`; {told}");
        assert_eq!(find(&diagnosis, FindingKind::NearMiss).text, expected, "{name}");
    }
    let has_none = |report: &Report| {
        let findings = check::check(report).findings;
        findings.iter().all(|finding| finding.kind != FindingKind::NearMiss)
    };
    assert!(has_none(&waiting()));
    // A message of the library is none.
    let mut report = job(2);
    receive(&mut report, 0, HALO, None, Some(0));
    receive(&mut report, 1, HALO, Some(0), Some(90));
    message(&mut report, 1, 0, HALO, -1, false);
    assert!(has_none(&report));
    message(&mut report, 1, 0, HALO, 1, false);
    assert!(!has_none(&report));
}

#[test]
fn buffers_and_datatypes() {
    let mut report = job(2);
    let matched = |lines: &[&str], length: i64| Operation {
        status: Status::Matched,
        desired_length: 40,
        actual_length: Some(length),
        ..operation(Some(0), Some(3), lines)
    };
    report.processes[1].communicators[HALO]
        .pending_receives
        .push(matched(&["MPI_Irecv", "10 x MPI_INT"], 80));
    let diagnosis = check::check(&report);
    assert_eq!(
        find(&diagnosis, FindingKind::Truncation).text,
        "rank 1 receives a message of 80 bytes with tag 3 from rank 0 on `halo` into a buffer of \
         40 bytes"
    );
    assert_eq!(diagnosis.verdict, Verdict::NotDeadlocked);

    let mut report = job(2);
    report.processes[1].communicators[HALO]
        .pending_receives
        .push(matched(&["MPI_Irecv", "10 x MPI_INT"], 40));
    let send = Operation {
        status: Status::Matched,
        desired_length: 40,
        ..operation(Some(1), Some(3), &["MPI_Isend", "10 x MPI_FLOAT", "protocol: rendezvous"])
    };
    report.processes[0].communicators[HALO].pending_sends.push(send.clone());
    let diagnosis = check::check(&report);
    let text =
        "rank 0 sends MPI_FLOAT, and rank 1 receives MPI_INT: a message with tag 3 on `halo`";
    assert_eq!(find(&diagnosis, FindingKind::DatatypeMismatch).text, text);
    // It is not known which of the two messages it is.
    report.processes[0].communicators[HALO].pending_sends.push(send);
    assert!(check::check(&report).findings.is_empty());
}

#[test]
fn long_queues_and_polling() {
    let mut report = job(3);
    enter(&mut report, 2, "MPI_Iprobe", None);
    let queue = |count: usize| {
        vec![operation(Some(0), Some(1), &["send mode: standard", "protocol: eager"]); count]
    };
    report.processes[1].communicators[HALO].unexpected_messages = queue(1500);
    check("queues", &report);
    let mut later = report.clone();
    later.processes[1].communicators[HALO].unexpected_messages = queue(1700);
    let diagnosis = check::check_again(&report, &later, 2.0);
    assert_eq!(
        find(&diagnosis, FindingKind::UnexpectedQueue).text,
        "the unexpected messages of rank 1 increase; rank 1 had 1500 and has 1700"
    );
}

#[test]
fn what_looks_the_same_is_told_once() {
    let pairs = 1000;
    let mut report = job(2 * pairs as i64);
    for pair in 0..pairs {
        receive(&mut report, 2 * pair, HALO, Some(2 * pair + 1), Some(1));
        receive(&mut report, 2 * pair + 1, HALO, Some(2 * pair), Some(1));
    }
    let diagnosis = check("pairs", &report);
    assert_eq!(diagnosis.findings.len(), 1);
    assert_eq!(diagnosis.findings[0].waits.len(), 2 * pairs);
}

#[test]
fn two_jobs_are_no_job() {
    let mut report = ring();
    report.processes.extend(ring().processes);
    assert_eq!(check("two-jobs", &report).verdict, Verdict::Insufficient);
}

/// Twice the ranks take twice the steps.
#[test]
fn steps_are_in_proportion() {
    let jobs = |ranks: usize| {
        let mut report = job(ranks as i64);
        for rank in 0..ranks {
            for tag in 0..10 {
                let from = if tag == 9 { None } else { Some((rank + 1) % ranks) };
                receive(&mut report, rank, HALO, from, Some(tag));
            }
            enter(&mut report, rank, "MPI_Waitall", Some(10));
        }
        report.processes[0].activity = Some(Activity::NONE);
        check::steps(&report)
    };
    let (small, large) = (jobs(1000), jobs(2000));
    assert!(large <= 2 * small + 100, "{small} {large}");
    assert!(small > 1000 * 10, "{small}: the job is not one that takes any");
}

#[test]
fn collective_calls_that_do_not_match_and_are_not_counted() {
    let mut report = job(2);
    for (rank, function) in ["MPI_Bcast", "MPI_Reduce"].into_iter().enumerate() {
        receive(&mut report, rank, WORLD, Some(1 - rank), Some(-17));
        enter(&mut report, rank, function, None);
        let activity = report.processes[rank].activity.as_mut().unwrap();
        activity.begun = Some(true);
        let known = Collective { function: function.into(), calls: None, active: true };
        report.processes[rank].communicators[WORLD].collectives = Some(vec![known]);
        report.processes[rank].communicators[HALO].collectives = None;
    }
    let diagnosis = check::check(&report);
    assert_eq!(diagnosis.verdict, Verdict::Deadlocked);
    let mismatch = find(&diagnosis, FindingKind::CollectiveMismatch);
    assert_eq!(
        mismatch.text,
        "on `MPI_COMM_WORLD`, rank 0 is in MPI_Bcast and rank 1 is in MPI_Reduce"
    );
    assert_eq!(mismatch.evidence, [""; 0]);
    // Rank 0 has data for which rank 1 has no room.
    report.processes[0].communicators[WORLD].pending_receives.clear();
    send(&mut report, 0, 1, WORLD, -18);
    enter(&mut report, 0, "MPI_Bcast", None);
    report.processes[0].activity.as_mut().unwrap().begun = Some(true);
    let diagnosis = check::check(&report);
    assert_eq!(diagnosis.verdict, Verdict::Deadlocked);
    assert_eq!(
        find(&diagnosis, FindingKind::CollectiveMismatch).evidence,
        ["rank 0 sends 4 bytes in MPI_Bcast to rank 1, which is in MPI_Reduce and does not take \
          them"]
    );
}

#[test]
fn who_asks_now_and_then_polls() {
    let mut report = job(2);
    receive(&mut report, 0, WORLD, Some(1), Some(7));
    let mut later = report.clone();
    enter(&mut later, 1, "MPI_Iprobe", None);
    assert_eq!(check::check(&report).verdict, Verdict::NotDeadlocked);
    assert!(check::note_polling(&mut report, &later));
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    // A rank that has received something meanwhile does more than that.
    let mut report = job(2);
    receive(&mut report, 0, WORLD, Some(1), Some(7));
    message(&mut later, 0, 1, HALO, 3, false);
    assert!(!check::note_polling(&mut report, &later));
}

#[test]
fn a_stopped_process() {
    let mut report = job(2);
    receive(&mut report, 0, WORLD, Some(1), Some(7));
    report.processes[1].stopped = true;
    let diagnosis = check::check(&report);
    assert_eq!(diagnosis.verdict, Verdict::NotDeadlocked);
    assert!(diagnosis.reason.ends_with("only SIGCONT lets it go on"), "{}", diagnosis.reason);
    assert_eq!(find(&diagnosis, FindingKind::Stopped).culprits.to_string(), "1");
    // It may be about to return from its call, in two looks as in one.
    let mut report = job(2);
    receive(&mut report, 0, WORLD, Some(1), Some(7));
    receive(&mut report, 1, WORLD, Some(0), Some(7));
    report.processes[1].activity.as_mut().unwrap().needed = None;
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Deadlocked);
    report.processes[1].stopped = true;
    let diagnosis = check::check_again(&report, &report, 1.0);
    assert_eq!(diagnosis.verdict, Verdict::Insufficient);
    let text = diagnosis.missing.join("\n");
    assert!(text.contains("a signal has stopped rank 1"), "{text}");
}

#[test]
fn what_the_library_does_by_itself_decides() {
    // Rank 0 makes a communicator, and rank 1 has started to do so before it receives.
    let mut report = job(2);
    receive(&mut report, 0, WORLD, Some(1), Some(-27));
    receive(&mut report, 1, WORLD, Some(0), Some(-27)).awaited = Some(false);
    receive(&mut report, 1, WORLD, Some(0), Some(7));
    enter(&mut report, 0, "MPI_Comm_dup", Some(1));
    let with = |background| {
        let mut report = report.clone();
        report.processes[1].activity.as_mut().unwrap().background = background;
        report
    };
    for background in [None, Some(Background::Idle), Some(Background::Waiting)] {
        let diagnosis = check::check(&with(background));
        assert_eq!(diagnosis.verdict, Verdict::Deadlocked, "{background:?}");
        assert_eq!(find(&diagnosis, FindingKind::Deadlock).certainty, Certainty::Certain);
    }
    // It may be about to send what rank 0 waits for.
    let working = with(Some(Background::Working));
    assert_eq!(check::check(&working).verdict, Verdict::Insufficient);
    assert!(check::another_look_may_tell(&working));
    let diagnosis = check::check_again(&working, &working, 1.0);
    assert_eq!(diagnosis.verdict, Verdict::Deadlocked);
    assert_eq!(find(&diagnosis, FindingKind::Deadlock).certainty, Certainty::TwoLooks);
    // What is complete is of a step that goes on by itself, unless there are no such steps.
    let complete = |background| {
        let mut report = with(background);
        let receives = &mut report.processes[1].communicators[WORLD].pending_receives;
        (receives[0].status, receives[0].actual_local_rank) = (Status::Complete, Some(0));
        check::check(&report).verdict
    };
    assert_eq!(complete(None), Verdict::Insufficient);
    assert_eq!(complete(Some(Background::Idle)), Verdict::Deadlocked);
    // Or unless all of them wait for something else.
    assert_eq!(complete(Some(Background::Waiting)), Verdict::Deadlocked);
}

/// A rank may be combining what has come, with the receive for the next part posted already.
#[test]
fn a_long_reduction_may_be_computing() {
    let with = |length, begun| {
        let mut report = job(2);
        for (rank, other) in [(0, 1), (1, 0)] {
            receive(&mut report, rank, WORLD, Some(other), Some(-27)).desired_length = length;
            enter(&mut report, rank, "MPI_Allreduce", None);
            report.processes[rank].activity.as_mut().unwrap().begun = begun;
            let communicators = &mut report.processes[rank].communicators;
            communicators.iter_mut().for_each(|communicator| communicator.collectives = None);
            report.processes[rank].communicators[WORLD].collectives = Some(vec![Collective {
                function: "MPI_Allreduce".into(),
                calls: None,
                active: true,
            }]);
        }
        check::check_again(&report, &report, 1.0).verdict
    };
    assert_eq!(with(8, None), Verdict::Deadlocked);
    assert_eq!(with(1 << 30, None), Verdict::Insufficient);
    assert_eq!(with(1 << 30, Some(true)), Verdict::Deadlocked);
}

/// A buffered send is local, so its rank goes on, whatever else it has pending.
#[test]
fn a_buffered_send_returns() {
    let mut report = job(2);
    receive(&mut report, 0, WORLD, Some(1), Some(7));
    send(&mut report, 1, WORLD, 0, 8);
    enter(&mut report, 1, "MPI_Bsend", None);
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::NotDeadlocked);
}

/// Two ranks gather, each to itself. Both have called the function, which says nothing.
#[test]
fn messages_tell_more_than_numbers_of_calls() {
    let mut report = job(2);
    for (rank, other) in [(0, 1), (1, 0)] {
        receive(&mut report, rank, WORLD, Some(other), Some(-27));
        enter(&mut report, rank, "MPI_Wait", None);
        report.processes[rank].communicators[WORLD].collectives =
            Some(vec![Collective { function: "MPI_Gather".into(), calls: Some(1), active: true }]);
    }
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    let diagnosis = check::check_again(&report, &report, 1.0);
    assert_eq!(diagnosis.verdict, Verdict::Deadlocked);
    assert_eq!(diagnosis.stuck.to_string(), "0-1");
}

/// Rank 0 waits for rank 2 in a function of windows. Rank 1 has not called a nonblocking barrier
/// that rank 0 has begun, and waits for rank 0.
#[test]
fn who_waits_in_a_collective_operation_may_have_others_under_way() {
    let calls = |function: &str, calls, active| Collective {
        function: function.into(),
        calls: Some(calls),
        active,
    };
    let mut report = job(3);
    receive(&mut report, 0, WORLD, Some(1), Some(-27));
    receive(&mut report, 1, WORLD, Some(0), Some(7));
    enter(&mut report, 0, "MPI_Win_fence", None);
    report.processes[0].activity.as_mut().unwrap().begun = Some(true);
    report.processes[0].communicators[WORLD].collectives =
        Some(vec![calls("MPI_Barrier", 1, true)]);
    for (rank, number) in [2, 2, 1].into_iter().enumerate() {
        report.processes[rank].communicators[HALO].collectives =
            Some(vec![calls("MPI_Win_fence", number, rank == 0)]);
    }
    assert_eq!(check::check(&report).verdict, Verdict::NotDeadlocked);
    receive(&mut report, 2, WORLD, Some(0), Some(7));
    let diagnosis = check::check(&report);
    assert_eq!(
        (diagnosis.verdict, diagnosis.stuck.to_string()),
        (Verdict::Deadlocked, "0-2".into())
    );
}

/// Some releases of MPICH have messages between the leaders of groups that no queue shows.
#[test]
fn leaders_of_groups_may_wait_for_more_than_queues_show() {
    let mut report = job(3);
    receive(&mut report, 0, WORLD, Some(1), Some(-27));
    receive(&mut report, 1, WORLD, Some(0), Some(7));
    enter(&mut report, 0, "MPI_Intercomm_create", None);
    report.processes[0].activity.as_mut().unwrap().begun = Some(true);
    let parts = report.processes.iter_mut().flat_map(|process| &mut process.communicators);
    parts.for_each(|part| part.collectives = None);
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Deadlocked);
    report.processes[0].communicators[HALO].traffic = None;
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
    receive(&mut report, 2, WORLD, Some(0), Some(7));
    let diagnosis = check::check_again(&report, &report, 1.0);
    assert_eq!(
        (diagnosis.verdict, diagnosis.stuck.to_string()),
        (Verdict::Deadlocked, "0-2".into())
    );
}

/// Messages of the library tell what a rank waits for only if the library makes the communicator
/// by messages. Elsewhere ranks may meet in a server of the launcher.
#[test]
fn communicators_made_of_groups_alone() {
    for function in ["MPI_Comm_create_from_group", "MPI_Intercomm_create_from_groups"] {
        let mut report = job(2);
        receive(&mut report, 0, WORLD, Some(1), Some(-27));
        enter(&mut report, 0, function, None);
        receive(&mut report, 1, WORLD, Some(0), Some(7));
        let diagnosis = check::check(&report);
        assert_eq!(diagnosis.verdict, Verdict::Deadlocked);
        assert_eq!(diagnosis.stuck.to_string(), "0-1");
        let parts = report.processes.iter_mut().flat_map(|process| &mut process.communicators);
        parts.for_each(|part| part.collectives = None);
        report.processes[0].activity.as_mut().unwrap().stayed = true;
        assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
        assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
    }
}

/// A peer without a rank in `MPI_COMM_WORLD` is of another job.
#[test]
fn ranks_that_wait_for_another_job() {
    let mut report = job(2);
    for rank in 0..2 {
        receive(&mut report, rank, HALO, Some(1), Some(7)).desired_global_rank = None;
    }
    let diagnosis = check::check(&report);
    assert_eq!(diagnosis.verdict, Verdict::Insufficient);
    let across = "ranks 0-1 may wait for processes of another job. Nothing is proved across";
    assert!(diagnosis.missing.iter().any(|text| text.starts_with(across)));
}

/// All threads of rank 1 wait for each other, outside MPI.
#[test]
fn a_rank_whose_threads_wait_for_each_other() {
    let mut report = job(2);
    receive(&mut report, 0, WORLD, Some(1), Some(7));
    report.processes[1].activity =
        Some(Activity { others: Some(OtherThreads::Blocked), ..Activity::NONE });
    let diagnosis = check::check_again(&report, &report, 1.0);
    assert_eq!(diagnosis.verdict, Verdict::Insufficient);
    assert!(diagnosis.missing.iter().any(|text| text.contains("outside MPI")));
    // No signal lets them go on.
    report.processes[1].activity.as_mut().unwrap().nothing_helps = true;
    let diagnosis = check::check(&report);
    assert_eq!(diagnosis.stuck.to_string(), "0-1", "{}", diagnosis.reason);
    assert!(diagnosis.findings[0].text.contains("rank 1 waits outside MPI"));
    assert_eq!(diagnosis.findings[0].culprits.to_string(), "1");
    report.processes[1].activity = Some(Activity::NONE);
    assert_eq!(check::check(&report).verdict, Verdict::NotDeadlocked);
}

/// Only one side of an intercommunicator has operations. What the other side has sent is counted
/// all the same.
#[test]
fn one_side_of_an_intercommunicator_has_operations() {
    for from in [Some(1), None] {
        let mut report = job(4);
        for (rank, process) in (0..).zip(&mut report.processes) {
            let inter = &mut process.communicators[HALO];
            (inter.name, inter.size, inter.local_rank) = ("inter".into(), 2, rank % 2);
            inter.group = Some((rank - rank % 2..rank - rank % 2 + 2).collect());
        }
        receive(&mut report, 0, HALO, from, Some(3)).desired_global_rank = from.map(|_| 3);
        (1..4).for_each(|rank| enter(&mut report, rank, "MPI_Finalize", None));
        let global = Some(3);
        let message = Operation {
            desired_global_rank: global,
            actual_global_rank: global,
            ..operation(Some(1), Some(4), &["send mode: standard", "protocol: eager"])
        };
        let mut inter = |rank: usize, local_rank, sent, received| {
            let inter = &mut report.processes[rank].communicators[HALO];
            inter.traffic = Some(vec![Traffic { local_rank, sent, received }]);
        };
        inter(3, 0, 1, 0);
        inter(0, 1, 0, 1);
        report.processes[0].communicators[HALO].unexpected_messages.push(message);
        let diagnosis = check::check(&report);
        assert_eq!(diagnosis.stuck.to_string(), "0", "{}", diagnosis.reason);
        assert_eq!(diagnosis.verdict, Verdict::Deadlocked);
        // Another message is on its way.
        report.processes[3].communicators[HALO].traffic.as_mut().unwrap()[0].sent = 2;
        assert_eq!(check::check(&report).verdict, Verdict::NotDeadlocked);
    }
}

/// Only one rank still has the intercommunicator. Without its other group it is not known who may
/// send there.
#[test]
fn the_other_group_of_an_intercommunicator_is_told() {
    let verdict = |remote_group: Option<Vec<i64>>, senders_end: bool| {
        let mut report = job(4);
        receive(&mut report, 0, HALO, None, Some(3));
        let inter = &mut report.processes[0].communicators[HALO];
        (inter.size, inter.group) = (2, Some((0..2).collect()));
        inter.remote_group = remote_group.map(|ranks| ranks.into_iter().collect());
        for rank in 1..4 {
            report.processes[rank].communicators.remove(HALO);
            if rank == 1 || senders_end {
                enter(&mut report, rank, "MPI_Finalize", None);
            }
        }
        let report = by_fifos(report);
        check::check_again(&report, &report, 1.0).verdict
    };
    assert_eq!(verdict(Some(vec![2, 3]), true), Verdict::Deadlocked);
    assert_eq!(verdict(Some(vec![2, 3]), false), Verdict::NotDeadlocked);
    // Processes of another job.
    assert_eq!(verdict(Some(vec![-1, -1]), true), Verdict::Insufficient);
}

/// Communicators without a common member may have the same id. Then it is known that they are no
/// intercommunicator only if that is told.
#[test]
fn two_intracommunicators_with_one_id() {
    let stuck = |is_told: bool| {
        let mut report = job(4);
        for (rank, process) in (0..).zip(&mut report.processes) {
            let half = &mut process.communicators[HALO];
            (half.size, half.local_rank) = (2, rank % 2);
            half.group = Some((rank - rank % 2..rank - rank % 2 + 2).collect());
            half.remote_group = is_told.then(Group::default);
        }
        receive(&mut report, 0, HALO, None, Some(3));
        enter(&mut report, 1, "MPI_Finalize", None);
        check::check(&report).stuck.to_string()
    };
    assert_eq!(stuck(true), "0");
    assert_eq!(stuck(false), "");
}

/// A rank that was caught between two rounds of its waiting loop is not proved to be stuck. The
/// text names it, and says what helps.
#[test]
fn ranks_that_may_be_stuck_too_are_named() {
    let mut report = job(3);
    for (rank, from) in [(0, 1), (1, 0), (2, 0)] {
        receive(&mut report, rank, WORLD, Some(from), Some(1)).awaited = None;
        let activity = report.processes[rank].activity.as_mut().unwrap();
        (activity.needed, activity.begun) = (None, (rank < 2).then_some(true));
    }
    let diagnosis = check::check(&report);
    let ranks = (diagnosis.stuck.to_string(), diagnosis.unknown.to_string());
    assert_eq!((diagnosis.verdict, ranks), (Verdict::Deadlocked, ("0-1".into(), "2".into())));
    let text = render::check(&diagnosis, false);
    let named = "not known: rank 2 may be stuck, too: look again (--recheck), or capture the job";
    assert!(text.contains(named), "{text}");
    assert!(check::another_look_may_tell(&report));
    let again = check::check_again(&report, &report, 1.0);
    assert_eq!((again.verdict, again.stuck.to_string()), (Verdict::Deadlocked, "0-2".into()));
    // All that can be told of the two others is told.
    report.processes.pop();
    assert!(!check::another_look_may_tell(&report));
}

/// What a filter has left out, and a queue that was not read, may have what ranks wait for.
#[test]
fn what_a_report_lacks() {
    let report = ring();
    assert_eq!(check::check(&report).verdict, Verdict::Deadlocked);
    let mut filtered = report.clone();
    let filter = Filter { tags: vec!["7".parse().unwrap()], ..Filter::default() };
    filter.apply(&mut filtered);
    let diagnosis = check::check(&filtered);
    assert_eq!(diagnosis.verdict, Verdict::Insufficient);
    assert!(diagnosis.missing[0].contains("--tag 7"), "{:?}", diagnosis.missing);
    let mut unread = report.clone();
    unread.processes[0].communicators[WORLD].not_known = vec![Queue::Unexpected];
    assert_eq!(check::check(&unread).unknown.to_string(), "0");
    // A debug DLL need not tell the groups of communicators.
    let mut few = report;
    few.processes.truncate(2);
    for process in &mut few.processes {
        process.communicators.iter_mut().for_each(|communicator| communicator.group = None);
    }
    assert_eq!(check::check(&few).verdict, Verdict::Insufficient);
}

/// Receives are posted before the sends, with another tag than the messages have.
#[test]
fn posted_receives_that_miss_the_messages() {
    let mut report = job(2);
    for (rank, other) in [(0, 1), (1, 0)] {
        receive(&mut report, rank, WORLD, Some(other), Some(3)).awaited = Some(false);
        send(&mut report, rank, other, WORLD, 4);
    }
    let diagnosis = check::check_again(&report, &report, 1.0);
    assert_eq!(diagnosis.stuck.to_string(), "0-1");
    let miss = find(&diagnosis, FindingKind::NearMiss);
    assert!(miss.text.contains("has posted a receive of tag 3"), "{}", miss.text);
    let deadlock = find(&diagnosis, FindingKind::Deadlock);
    assert!(deadlock.advice.contains("may name another tag"), "{}", deadlock.advice);
}

/// A tool that replaces functions of MPI has lines of its own. The program's line is told.
#[test]
fn the_line_of_the_program_and_not_of_a_tool() {
    let mut report = job(2);
    for rank in 0..2 {
        receive(&mut report, rank, WORLD, Some(1 - rank), Some(3));
        let frame = |function: &str, file: &str, line: u32| Frame {
            function: Some(function.into()),
            file: Some(file.into()),
            line: Some(line),
            ..Frame::default()
        };
        let mut stack = stack("MPI_Recv");
        stack.frames.extend([frame("MPI_Recv", "tool.c", 3), frame("main", "solver.c", 9)]);
        report.processes[rank].stacks = Some(vec![stack]);
    }
    let diagnosis = check::check(&report);
    let place = &find(&diagnosis, FindingKind::Deadlock).places[0];
    assert_eq!(place.text, "in MPI_Recv, called from main (solver.c:9)");
    assert_eq!(place.frame.as_ref().and_then(|frame| frame.line), Some(9));
}
