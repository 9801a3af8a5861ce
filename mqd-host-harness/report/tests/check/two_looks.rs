//! What one look proves, and what takes a second one.

use mqd_report::check::{self, Certainty, FindingKind, Verdict};
use mqd_report::render;
use mqd_report::{
    ActiveRequests, Activity, Address, Background, Collective, Operation, OtherThreads, Problem,
    ProblemKind, Process, Report, Stack, Status, Traffic,
};

use crate::golden;
use crate::model::operation;
use crate::reports::*;

/// Two ranks that wait for each other. No number says for what, and messages pass through queues in
/// shared memory.
fn two_ranks_by_fifos(function: &str, tag: i64, begun: Option<bool>) -> Report {
    let mut report = job(2);
    for rank in 0..2 {
        receive(&mut report, rank, WORLD, Some(1 - rank), Some(tag)).awaited = None;
        enter(&mut report, rank, function, None);
        let process = &mut report.processes[rank];
        process.activity.as_mut().unwrap().begun = begun;
        process.communicators.iter_mut().for_each(|part| part.collectives = None);
        let active = Collective { function: function.into(), calls: None, active: true };
        process.communicators[WORLD].collectives = (tag < 0).then(|| vec![active]);
    }
    by_fifos(report)
}

/// A barrier, of which the call stacks do not tell whether it has begun.
fn a_barrier_by_fifos() -> Report {
    two_ranks_by_fifos("MPI_Barrier", -17, None)
}

/// No queue shows a receive that is matched. A rank that is not seen in its loop may be unpacking.
#[test]
fn a_receive_is_seen_in_its_loop() {
    let waiting = two_ranks_by_fifos("MPI_Recv", 1, Some(true));
    assert_eq!(check::check_again(&waiting, &waiting, 1.0).verdict, Verdict::Deadlocked);
    let perhaps = two_ranks_by_fifos("MPI_Recv", 1, None);
    assert_eq!(check::check_again(&perhaps, &perhaps, 1.0).verdict, Verdict::Insufficient);
}

/// A collective operation over a network: no queue shows a send whose data are being packed. A rank
/// that looks for messages does not pack.
#[test]
fn who_looks_for_messages_is_not_busy() {
    let mut report = two_ranks_by_fifos("MPI_Alltoall", -17, None);
    report.processes.iter_mut().for_each(|process| process.fifos = None);
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
    for process in &mut report.processes {
        process.activity.as_mut().unwrap().looks = Some(true);
        process.quiet = true;
    }
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Deadlocked);
}

/// Rank 1 computes, or polls, or its call is not known. Then it waits for rank 0, as rank 0 for it.
#[test]
fn who_is_stuck_does_not_move() {
    let mut now = job(2);
    for rank in 0..2 {
        receive(&mut now, rank, WORLD, Some(1 - rank), Some(3));
        enter(&mut now, rank, "MPI_Recv", Some(1));
    }
    assert_eq!(check::check(&now).verdict, Verdict::Deadlocked);
    let mut before = now.clone();
    before.processes[1].communicators[WORLD].pending_receives.clear();
    before.processes[1].activity = Some(Activity::NONE);
    let diagnosis = check::check_again(&before, &now, 1.0);
    assert_eq!(diagnosis.stuck.to_string(), "0-1");
    assert!(diagnosis.moving.is_empty(), "{}", diagnosis.moving);
}

/// Between the looks rank 1 has taken the message of rank 0, and got stuck. Its answer lets rank 0
/// go on.
#[test]
fn who_gets_stuck_may_have_let_others_go_on() {
    let mut before = job(3);
    send(&mut before, 0, 1, WORLD, 7);
    receive(&mut before, 2, WORLD, Some(1), Some(3));
    let mut now = before.clone();
    now.processes[1].communicators[WORLD].unexpected_messages.clear();
    receive(&mut now, 1, WORLD, Some(2), Some(3));
    assert_eq!(check::check(&now).stuck.to_string(), "1-2");
    assert_eq!(check::check_again(&before, &now, 1.0).stuck.to_string(), "1-2");
    assert_eq!(check::check_again(&now, &now, 1.0).stuck.to_string(), "0-2");
}

/// A look that does not know the call of a rank, or its counts, does not show that it moves.
#[test]
fn what_one_look_knows_is_no_movement() {
    let report = a_barrier_by_fifos();
    type Forget = fn(&mut Process);
    let forget: [Forget; 3] = [
        |process| process.activity = None,
        |process| process.communicators[HALO].traffic = Some(Vec::new()),
        |process| process.communicators[HALO].collectives = Some(Vec::new()),
    ];
    for forget in forget {
        let mut before = report.clone();
        forget(&mut before.processes[1]);
        let diagnosis = check::check_again(&before, &report, 1.0);
        assert_eq!(diagnosis.verdict, Verdict::Insufficient, "{}", diagnosis.reason);
        assert_eq!(diagnosis.moving.to_string(), "");
    }
}

/// A rank that polls with other functions, or is outside MPI in between, has not moved.
#[test]
fn a_rank_that_polls_has_not_moved() {
    let mut report = job(2);
    receive(&mut report, 0, WORLD, Some(1), Some(3));
    enter(&mut report, 0, "MPI_Recv", Some(1));
    receive(&mut report, 1, WORLD, Some(0), Some(3));
    for functions in [["MPI_Iprobe", "MPI_Test"], ["", "MPI_Test"], ["MPI_Test", ""]] {
        let mut looks = functions.map(|function| {
            let mut look = report.clone();
            look.processes[1].activity = Some(Activity {
                function: (!function.is_empty()).then(|| function.into()),
                ..Activity::NONE
            });
            look
        });
        let [before, now] = &mut looks;
        check::note_polling(now, before);
        let diagnosis = check::check_again(before, now, 1.0);
        assert_eq!(diagnosis.verdict, Verdict::Insufficient, "{functions:?}: {}", diagnosis.reason);
    }
}

/// Between two looks a rank has taken something, as its queue or its unexpected messages tell.
#[test]
fn what_ranks_took_between_two_looks() {
    let report = a_barrier_by_fifos();
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Deadlocked);
    let mut before = report.clone();
    before.processes[1].fifos.as_mut().unwrap()[1].elements = 4;
    assert_ne!(check::check_again(&before, &report, 1.0).verdict, Verdict::Deadlocked);
    let mut before = report.clone();
    let message = operation(Some(0), Some(9), &["protocol: eager"]);
    before.processes[1].communicators[WORLD].unexpected_messages.push(message);
    assert_ne!(check::check_again(&before, &report, 1.0).verdict, Verdict::Deadlocked);
}

/// A rank that one of the looks did not read to its end may have stood still.
#[test]
fn what_was_not_read_twice_is_no_movement() {
    let whole = a_barrier_by_fifos();
    assert_eq!(check::check_again(&whole, &whole, 1.0).verdict, Verdict::Deadlocked);
    let cut = |keeps: usize| {
        let mut cut = whole.clone();
        for process in &mut cut.processes {
            process.communicators.truncate(keeps);
            process.errors.push(Problem::new(ProblemKind::Limit, "the process runs on"));
        }
        cut
    };
    for (first, second) in [(&cut(1), &whole), (&whole, &cut(1)), (&cut(0), &whole)] {
        let diagnosis = check::check_again(first, second, 1.0);
        assert_eq!(diagnosis.verdict, Verdict::Insufficient, "{}", diagnosis.reason);
    }
}

/// A send that is not at its receiver moves only if the counts tell that its message is in transit.
/// Otherwise something has taken it, or it may be where no queue shows it.
#[test]
fn a_send_that_nobody_sees_again() {
    let mut report = job(2);
    send(&mut report, 0, 1, HALO, 7);
    receive(&mut report, 1, HALO, Some(0), Some(8));
    report.processes[1].communicators[HALO].unexpected_messages.clear();
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    report.processes[1].communicators[HALO].traffic = Some(Vec::new());
    assert_eq!(check::check(&report).verdict, Verdict::NotDeadlocked);
    for process in &mut report.processes {
        process.communicators.iter_mut().for_each(|part| part.traffic = None);
    }
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
}

#[test]
fn functions_known_from_call_stacks_take_two_looks() {
    let mut report = job(2);
    receive(&mut report, 0, WORLD, Some(1), Some(1)).awaited = None;
    receive(&mut report, 1, WORLD, Some(0), Some(2)).awaited = None;
    report
        .processes
        .iter_mut()
        .for_each(|process| process.activity.as_mut().unwrap().needed = None);
    let once = check("call-stacks", &report);
    assert_eq!(once.verdict, Verdict::Insufficient);
    let twice = check::check_again(&report, &report, 1.5);
    golden::check("check-call-stacks-again.txt", &render::check(&twice, false));
    assert_eq!(twice.verdict, Verdict::Deadlocked);
    assert!(twice.findings.iter().all(|finding| finding.certainty == Certainty::TwoLooks));
    // One has received something in between.
    let mut later = report.clone();
    later.processes[1].communicators[WORLD].pending_receives[0].buffer = Address(0x2000);
    assert_eq!(check::check_again(&report, &later, 1.5).verdict, Verdict::NotDeadlocked);
}

#[test]
fn one_look_is_enough_where_call_stacks_show_what_has_begun() {
    let mut report = job(2);
    receive(&mut report, 0, WORLD, Some(1), Some(1)).awaited = None;
    receive(&mut report, 1, WORLD, Some(0), Some(2)).awaited = None;
    for process in &mut report.processes {
        let activity = process.activity.as_mut().unwrap();
        (activity.needed, activity.begun) = (None, Some(true));
    }
    let verdict = |report: &Report| check::check(report).verdict;
    assert_eq!(verdict(&report), Verdict::Deadlocked);
    let changed = |change: fn(&mut Process)| {
        let mut report = report.clone();
        change(&mut report.processes[0]);
        verdict(&report)
    };
    // Another receive is complete: perhaps the one that the function is in.
    let complete = changed(|process| {
        let receives = &mut process.communicators[WORLD].pending_receives;
        receives.push(Operation { status: Status::Complete, ..receives[0].clone() });
    });
    assert_eq!(complete, Verdict::Insufficient);
    // A wait may be for requests that no queue shows.
    let wait =
        changed(|process| process.activity.as_mut().unwrap().function = Some("MPI_Wait".into()));
    assert_eq!(wait, Verdict::Insufficient);
    // Rank 0 stays in its wait, where all that the queues show is complete.
    let mut over = report.clone();
    over.processes[0].activity.as_mut().unwrap().function = Some("MPI_Wait".into());
    over.processes[0].communicators[WORLD].pending_receives[0].status = Status::Complete;
    let twice = check::check_again(&over, &over, 1.5);
    assert_eq!((verdict(&over), twice.verdict), (Verdict::Insufficient, Verdict::Insufficient));
    assert!(twice.missing[0].contains("operations that the queues do not show"), "{twice:?}");
    // It has moved.
    let mut later = over.clone();
    later.processes[0].communicators[WORLD].pending_receives.clear();
    later.processes[0].activity.as_mut().unwrap().function = None;
    assert_eq!(check::check_again(&over, &later, 1.5).verdict, Verdict::NotDeadlocked);
    // Another thread may send, or nobody knows.
    for concurrent in [Some(true), None] {
        let mut report = report.clone();
        report.processes[0].activity.as_mut().unwrap().concurrent = concurrent;
        assert_eq!(verdict(&report), Verdict::Insufficient);
        assert_eq!(check::check_again(&report, &report, 1.5).verdict, Verdict::Insufficient);
    }
}

/// Two ranks that wait for two messages of the other one; there may be other threads.
fn with_threads(others: Option<OtherThreads>) -> Report {
    let mut report = job(2);
    for rank in 0..2 {
        for tag in [7, 8] {
            receive(&mut report, rank, WORLD, Some(1 - rank), Some(tag));
        }
        let activity = report.processes[rank].activity.as_mut().unwrap();
        (activity.concurrent, activity.others) = (Some(true), others);
        activity.needed = None;
        let stack = stack("MPI_Recv");
        report.processes[rank].stacks = Some(vec![stack.clone(), Stack { thread: 2, ..stack }]);
    }
    report
}

#[test]
fn what_other_threads_do_decides() {
    let verdicts = |others| {
        let report = with_threads(others);
        (check::check(&report).verdict, check::check_again(&report, &report, 1.0).verdict)
    };
    assert_eq!(verdicts(None), (Verdict::Insufficient, Verdict::Insufficient));
    // It may be a timer that never calls MPI.
    let running = Some(OtherThreads::Running);
    assert_eq!(verdicts(running), (Verdict::Insufficient, Verdict::Insufficient));
    let in_mpi = Some(OtherThreads::InMpi);
    assert_eq!(verdicts(in_mpi), (Verdict::Insufficient, Verdict::Deadlocked));
    // One more receive may be of neither thread, so that one of these may be about to return.
    let mut report = with_threads(in_mpi);
    let receives = &mut report.processes[0].communicators[WORLD].pending_receives;
    receives.push(operation(Some(1), Some(9), &[]));
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
    // The same holds if no queue shows the receive of a thread.
    let mut report = with_threads(in_mpi);
    report.processes[0].communicators[WORLD].pending_receives.pop();
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
    // A probe may be in no queue. It may look for any message that has not come.
    let stacks = report.processes[0].stacks.as_mut().unwrap();
    stacks[1].frames[0].function = Some("MPI_Probe".into());
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Deadlocked);
    report.processes[1].communicators[WORLD].pending_receives.clear();
    report.processes[1].activity = Some(Activity::NONE);
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::NotDeadlocked);
    // If nothing counts messages, the threads have to stay in their calls.
    let mut report = by_fifos(with_threads(in_mpi));
    assert!(check::waits_unseen(&report.processes[0]));
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
    for process in &mut report.processes {
        process.activity.as_mut().unwrap().stayed = true;
    }
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Deadlocked);
    // One look is enough if each thread has started what it waits for.
    let mut begun = with_threads(in_mpi);
    for process in &mut begun.processes {
        process.activity.as_mut().unwrap().begun = Some(true);
    }
    assert_eq!(check::check(&begun).verdict, Verdict::Deadlocked);
    // A wait may be for requests that no queue shows.
    let stacks = begun.processes[0].stacks.as_mut().unwrap();
    stacks[1].frames[0].function = Some("MPI_Wait".into());
    assert_eq!(check::check(&begun).verdict, Verdict::Insufficient);
    // A thread that asks and returns may do anything next.
    let mut report = with_threads(in_mpi);
    let stacks = report.processes[0].stacks.as_mut().unwrap();
    stacks[1].frames[0].function = Some("MPI_Test".into());
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
}

#[test]
fn a_window_is_waited_for_only_by_who_stays() {
    let hung = |stayed| {
        let mut report = job(2);
        receive(&mut report, 0, WORLD, Some(1), Some(7));
        enter(&mut report, 1, "MPI_Win_lock", None);
        report.processes[1].activity.as_mut().unwrap().stayed = stayed;
        report
    };
    assert_eq!(check::check_again(&hung(false), &hung(false), 1.0).verdict, Verdict::Insufficient);
    assert_eq!(check::check(&hung(true)).verdict, Verdict::Insufficient);
    let diagnosis = check::check_again(&hung(true), &hung(true), 1.0);
    assert_eq!(
        (diagnosis.verdict, diagnosis.stuck.to_string()),
        (Verdict::Deadlocked, "0-1".into())
    );
    let advice = &find(&diagnosis, FindingKind::Deadlock).advice;
    assert!(advice.starts_with("give up the lock"), "{advice}");
    // Another thread may send what rank 0 waits for.
    for others in [Some(OtherThreads::Running), None] {
        let mut report = hung(true);
        let activity = report.processes[1].activity.as_mut().unwrap();
        (activity.concurrent, activity.others) = (Some(true), others);
        assert_eq!(again(&report).verdict, Verdict::Insufficient);
    }
    // A rank that computes may give up the lock.
    let mut report = hung(true);
    report.processes[0].communicators[WORLD].pending_receives.clear();
    report.processes[0].activity = Some(Activity::NONE);
    let diagnosis = check::check_again(&report, &report, 1.0);
    assert_eq!(diagnosis.verdict, Verdict::NotDeadlocked);
}

/// A window may be waited for in memory first, and then with messages. Those that queues show may
/// be of other operations if nothing counts messages.
#[test]
fn messages_of_a_window_are_waited_for_by_who_stays() {
    let hung = |stayed| {
        let mut report = job(3);
        receive(&mut report, 0, WORLD, Some(1), Some(7));
        receive(&mut report, 1, HALO, Some(0), Some(-27));
        enter(&mut report, 1, "MPI_Win_free", None);
        report.processes[1].activity.as_mut().unwrap().stayed = stayed;
        let parts = report.processes.iter_mut().flat_map(|process| &mut process.communicators);
        parts.for_each(|part| part.collectives = None);
        report
    };
    assert!(check::waits_unseen(&hung(false).processes[1]));
    assert_eq!(again(&hung(false)).verdict, Verdict::Insufficient);
    let told = |report: &Report| {
        let diagnosis = again(report);
        (diagnosis.verdict, diagnosis.stuck.to_string())
    };
    let mut report = hung(true);
    assert_eq!(told(&report), (Verdict::Deadlocked, "0-1".into()));
    // Rank 2 computes, and may do what rank 1 waits for.
    report.processes[1].communicators[WORLD].traffic = None;
    assert_ne!(told(&report).0, Verdict::Deadlocked);
}

/// Rank 0 waits for a message of rank 1. Ranks 1 and 2 are in these functions, of which no queue
/// tells: ranks of one machine meet in shared memory.
fn unseen(functions: [&str; 2], stayed: bool) -> Report {
    let mut report = job(3);
    receive(&mut report, 0, WORLD, Some(1), Some(7));
    for (rank, function) in [1, 2].into_iter().zip(functions) {
        enter(&mut report, rank, function, None);
        report.processes[rank].activity.as_mut().unwrap().stayed = stayed;
    }
    report
}

fn again(report: &Report) -> check::Diagnosis {
    check::check_again(report, report, 1.0)
}

#[test]
fn a_barrier_without_messages_is_waited_for_only_by_who_stays() {
    let hung = |stayed| unseen(["MPI_Barrier"; 2], stayed);
    assert_eq!(again(&hung(false)).verdict, Verdict::Insufficient);
    assert_eq!(check::check(&hung(true)).verdict, Verdict::Insufficient);
    let diagnosis = again(&hung(true));
    let told = (diagnosis.verdict, diagnosis.stuck.to_string());
    assert_eq!(told, (Verdict::Deadlocked, "0-2".into()));
    let texts: Vec<_> = diagnosis.findings.iter().map(|finding| &finding.text).collect();
    assert!(texts[0].contains("rank 1 waits in MPI_Barrier for ranks 0,2 to act"), "{texts:?}");
    // One that is seen to leave its call can go on.
    let mut report = hung(false);
    report.processes[1].activity.as_mut().unwrap().left = true;
    assert_eq!(again(&report).verdict, Verdict::Insufficient);
    report.processes[2].activity.as_mut().unwrap().left = true;
    assert_eq!(again(&report).verdict, Verdict::NotDeadlocked);
    // A rank that computes may call it, too.
    let mut report = hung(true);
    report.processes[0].communicators[WORLD].pending_receives.clear();
    report.processes[0].activity = Some(Activity::NONE);
    assert_eq!(again(&report).verdict, Verdict::NotDeadlocked);
}

/// Two ranks may copy large data to each other, and one may compute or write a file.
#[test]
fn ranks_that_may_be_busy_in_a_collective_operation_are_not_stuck() {
    for functions in [["MPI_Bcast"; 2], ["MPI_Win_fence"; 2], ["MPI_Reduce", "MPI_Barrier"]] {
        let verdict = again(&unseen(functions, true)).verdict;
        assert_eq!(verdict, Verdict::Insufficient, "{functions:?}");
    }
    for functions in [["MPI_Bcast", "MPI_Gather"], ["MPI_Comm_dup", "MPI_Alltoall"]] {
        let verdict = again(&unseen(functions, true)).verdict;
        assert_eq!(verdict, Verdict::Deadlocked, "{functions:?}");
    }
}

/// A send of the library is shown, and not the collective operation that it belongs to.
#[test]
fn a_collective_operation_that_its_messages_do_not_name() {
    let mut report = unseen(["MPI_Bcast", "MPI_Gather"], true);
    let send = Operation { awaited: None, ..operation(Some(0), Some(-17), &["protocol: eager"]) };
    report.processes[1].communicators[WORLD].pending_sends.push(send);
    for part in report.processes.iter_mut().flat_map(|process| &mut process.communicators) {
        part.collectives = None;
    }
    assert_eq!(again(&report).verdict, Verdict::Deadlocked);
    report.processes[1].activity.as_mut().unwrap().stayed = false;
    assert_eq!(again(&report).verdict, Verdict::Insufficient);
}

/// The ranks stayed in these functions, and nobody has sent anything in between.
fn still(functions: [&str; 2]) -> Report {
    let mut report = unseen(functions, true);
    for process in &mut report.processes {
        (process.quiet, process.memory_stands_still) = (true, true);
    }
    report
}

/// If nothing was sent in between, they seem to be stuck. But one may compute alone.
#[test]
fn ranks_that_send_each_other_nothing_seem_to_be_stuck() {
    let seem_stuck = |functions, change: fn(&mut Process)| {
        let mut report = still(functions);
        change(&mut report.processes[2]);
        let diagnosis = again(&report);
        assert_eq!(diagnosis.verdict, Verdict::Insufficient);
        let is_told = diagnosis.missing[0].contains("no rank sent anything to another one");
        assert_eq!(is_told, diagnosis.stuck.to_string() == "0-2", "{diagnosis:?}");
        is_told
    };
    for functions in [["MPI_Allreduce"; 2], ["MPI_Bcast"; 2]] {
        assert!(seem_stuck(functions, |_| {}));
        assert!(!seem_stuck(functions, |process| process.memory_stands_still = false));
        assert!(!seem_stuck(functions, |process| process.quiet = false));
    }
    assert!(!seem_stuck(["MPI_File_write_all"; 2], |_| {}));
}

/// If each of them was seen to find nothing, none of them computes.
#[test]
fn ranks_that_wait_while_nobody_writes_are_stuck() {
    let verdict = |functions, change: fn(&mut Process)| {
        let mut report = still(functions);
        report.processes.iter_mut().for_each(|process| process.found_nothing = true);
        change(&mut report.processes[2]);
        again(&report).verdict
    };
    for functions in ["MPI_Allreduce", "MPI_Bcast", "MPI_File_write_all"].map(|one| [one; 2]) {
        assert_eq!(verdict(functions, |_| {}), Verdict::Deadlocked);
        for change in [
            (|process| process.found_nothing = false) as fn(&mut Process),
            |process| process.activity.as_mut().unwrap().stayed = false,
            |process| process.memory_stands_still = false,
            |process| process.quiet = false,
            |process| process.starved = true,
        ] {
            assert_eq!(verdict(functions, change), Verdict::Insufficient, "{functions:?}");
        }
    }
}

/// The same of ranks that wait for nonblocking collective operations, which no queue shows.
#[test]
fn waits_for_collective_operations_that_no_queue_shows() {
    let verdict = |change: fn(&mut Process)| {
        let mut report = still(["MPI_Wait", "MPI_Waitall"]);
        for process in &mut report.processes {
            process.found_nothing = true;
            process.activity.as_mut().unwrap().requests = ActiveRequests::OrCollectives;
        }
        change(&mut report.processes[2]);
        again(&report).verdict
    };
    assert_eq!(verdict(|_| {}), Verdict::Deadlocked);
    for change in [
        (|process| process.found_nothing = false) as fn(&mut Process),
        |process| process.activity.as_mut().unwrap().stayed = false,
        |process| process.activity.as_mut().unwrap().requests = ActiveRequests::NotKnown,
        |process| process.memory_stands_still = false,
        |process| process.quiet = false,
        |process| process.starved = true,
    ] {
        assert_eq!(verdict(change), Verdict::Insufficient);
    }
}

/// A rank stays in a wait for requests. All that are not complete are in the queues.
#[test]
fn waits_for_one_of_the_requests_in_the_queues() {
    let verdict = |stayed, requests| {
        let mut report = job(2);
        receive(&mut report, 0, WORLD, Some(1), Some(7));
        receive(&mut report, 1, WORLD, Some(0), Some(7)).awaited = None;
        enter(&mut report, 1, "MPI_Waitall", None);
        let activity = report.processes[1].activity.as_mut().unwrap();
        (activity.stayed, activity.requests) = (stayed, requests);
        assert!(check::check(&report).verdict == Verdict::Insufficient);
        again(&report).verdict
    };
    assert_eq!(verdict(true, ActiveRequests::Listed), Verdict::Deadlocked);
    assert_eq!(verdict(false, ActiveRequests::Listed), Verdict::Insufficient);
    for requests in [ActiveRequests::NotKnown, ActiveRequests::OrCollectives] {
        assert_eq!(verdict(true, requests), Verdict::Insufficient);
    }
}

/// Rank 1 has sent a message synchronously. Both counts tell that it has arrived, and it is not
/// unexpected.
fn taken() -> Report {
    let mut report = job(2);
    receive(&mut report, 0, WORLD, Some(1), Some(3));
    enter(&mut report, 1, "MPI_Ssend", Some(1));
    let count = |sent: i64, received: i64| Traffic { local_rank: 0, sent, received };
    let sender = &mut report.processes[1].communicators[WORLD];
    sender.pending_sends.push(Operation {
        actual_local_rank: None,
        actual_global_rank: None,
        actual_tag: None,
        actual_length: None,
        awaited: Some(true),
        ..operation(Some(0), Some(3), &["MPI_Ssend", "1 x MPI_INT"])
    });
    sender.traffic = Some(vec![count(1, 0)]);
    let receiver = &mut report.processes[0].communicators[WORLD];
    receiver.traffic = Some(vec![Traffic { local_rank: 1, ..count(0, 1) }]);
    report
}

/// A matched probe has taken the message: no receive gets it.
#[test]
fn a_message_that_a_probe_has_taken_serves_no_receive() {
    let report = taken();
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    let diagnosis = check::check_again(&report, &report, 1.0);
    assert_eq!(diagnosis.verdict, Verdict::Deadlocked);
    assert_eq!(diagnosis.stuck.to_string(), "0-1");
}

/// If only empty queues in shared memory tell that the message has arrived, it may not have left
/// yet: a receive may get it.
#[test]
fn a_message_that_a_probe_has_taken_out_of_shared_memory() {
    let verdict = |tag| {
        let mut report = taken();
        let receives = &mut report.processes[0].communicators[WORLD].pending_receives;
        receives[0].desired_tag = Some(tag);
        let report = by_fifos(report);
        assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
        check::check_again(&report, &report, 1.0).verdict
    };
    assert_eq!(verdict(4), Verdict::Deadlocked);
    assert_eq!(verdict(3), Verdict::Insufficient);
}

/// A rank stays in an exchange with its neighbours. The library's own messages, which do not tell
/// of which operation they are, are in the queues.
#[test]
fn exchanges_with_neighbours_that_no_number_tells() {
    let verdict = |stayed| {
        let mut report = job(2);
        receive(&mut report, 0, WORLD, Some(1), Some(7));
        receive(&mut report, 1, WORLD, Some(0), Some(-288)).awaited = None;
        enter(&mut report, 1, "MPI_Neighbor_allgather", None);
        report.processes[1].activity.as_mut().unwrap().stayed = stayed;
        assert!(check::waits_unseen(&report.processes[1]));
        assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
        again(&report).verdict
    };
    assert_eq!(verdict(true), Verdict::Deadlocked);
    assert_eq!(verdict(false), Verdict::Insufficient);
}

/// What a rank waits for in a window is shown only if the word was found that its loop waits for.
/// A rank of which one of two looks shows it has not moved for that.
#[test]
fn operations_of_windows_that_one_look_shows() {
    let mut report = job(2);
    receive(&mut report, 1, WORLD, Some(0), Some(7));
    let mut untold = report.clone();
    receive(&mut report, 0, HALO, Some(1), Some(-2));
    for (report, needed) in [(&mut report, Some(1)), (&mut untold, None)] {
        enter(report, 0, "MPI_Win_wait", needed);
        let mark = Traffic { local_rank: 1, sent: -5, received: 0 };
        report.processes[0].communicators[HALO].traffic = Some(vec![mark]);
    }
    for (before, now) in [(&report, &untold), (&untold, &report)] {
        let diagnosis = check::check_again(before, now, 1.0);
        assert_ne!(diagnosis.verdict, Verdict::NotDeadlocked);
        assert_eq!(diagnosis.moving.to_string(), "");
    }
}

/// A receive that is under way has taken it, and will be complete.
#[test]
fn a_message_that_a_receive_takes_moves_on() {
    let mut report = taken();
    let receives = &mut report.processes[0].communicators[WORLD].pending_receives;
    let other = Operation { status: Status::Matched, awaited: Some(false), ..receives[0].clone() };
    receives.push(other);
    let diagnosis = check::check_again(&report, &report, 1.0);
    assert_ne!(diagnosis.verdict, Verdict::Deadlocked);
}

/// Rank 1 has given up the communicator and is in `MPI_Finalize`: what it sent before has arrived
/// by the second look, where messages are counted.
#[test]
fn who_has_left_a_communicator_sends_nothing_there() {
    for source in [Some(1), None] {
        let mut report = job(2);
        receive(&mut report, 0, HALO, source, Some(3));
        enter(&mut report, 1, "MPI_Finalize", None);
        report.processes[1].communicators.remove(HALO);
        // The group of the other one would be the same.
        report.processes[1].communicators[WORLD].group = Some((0..2).collect());
        assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
        let diagnosis = check::check_again(&report, &report, 1.0);
        assert_eq!(diagnosis.verdict, Verdict::Deadlocked);
        assert_eq!(diagnosis.stuck.to_string(), "0");
        report.processes[0].communicators[HALO].traffic = None;
        let diagnosis = check::check_again(&report, &report, 1.0);
        assert_eq!(diagnosis.verdict, Verdict::Insufficient);
    }
}

/// Rank 1 has left the barrier's communicator: perhaps after the same barrier.
#[test]
fn who_has_left_a_communicator_may_have_called_the_barrier() {
    let mut report = job(2);
    enter(&mut report, 0, "MPI_Barrier", None);
    report.processes[0].communicators[HALO].collectives =
        Some(vec![Collective { function: "MPI_Barrier".into(), calls: Some(1), active: true }]);
    enter(&mut report, 1, "MPI_Finalize", None);
    report.processes[1].communicators.remove(HALO);
    let diagnosis = check::check(&report);
    assert_eq!(diagnosis.verdict, Verdict::Insufficient);
    assert!(diagnosis.findings.iter().all(|finding| !finding.text.contains("not called yet")));
    let diagnosis = check::check_again(&report, &report, 1.0);
    assert_eq!(diagnosis.verdict, Verdict::Deadlocked);
}

/// A process that had no turn on a processor may not have seen what has come.
#[test]
fn who_hardly_ran_may_have_moved() {
    let first = taken();
    let mut second = first.clone();
    second.processes[0].starved = true;
    let diagnosis = check::check_again(&first, &second, 1.0);
    assert_eq!(diagnosis.verdict, Verdict::Insufficient);
    assert!(
        diagnosis.missing[0].contains("rank 0 may not have had a turn on a processor"),
        "{diagnosis:?}"
    );
}

#[test]
fn what_one_look_alone_tells_is_no_movement() {
    let mut first = job(2);
    receive(&mut first, 0, WORLD, Some(1), Some(7));
    receive(&mut first, 1, WORLD, Some(0), Some(7));
    let mut second = first.clone();
    for rank in 0..2 {
        enter(&mut first, rank, "MPI_Wait", None);
        enter(&mut second, rank, "MPI_Wait", None);
        for report in [&mut first, &mut second] {
            report.processes[rank].activity.as_mut().unwrap().begun = Some(true);
            let world = &mut report.processes[rank].communicators[WORLD];
            world.pending_receives[0].awaited = None;
        }
    }
    enter(&mut second, 0, "MPI_Wait", Some(1));
    second.processes[0].communicators[WORLD].pending_receives[0].awaited = Some(true);
    assert_eq!(check::check(&second).verdict, Verdict::Insufficient);
    let diagnosis = check::check_again(&first, &second, 1.0);
    assert_eq!(diagnosis.verdict, Verdict::Deadlocked, "{}", diagnosis.reason);
}

/// Rank 1 waits for a partitioned receive, for which rank 0 has not declared all partitions ready.
/// The library of rank 1 waits for their messages.
fn partitioned() -> Report {
    let mut report = job(2);
    enter(&mut report, 0, "MPI_Wait", Some(1));
    let pending = |peer: usize, tag: i64, lines: &[&str]| Operation {
        actual_local_rank: None,
        actual_global_rank: None,
        actual_tag: None,
        actual_length: None,
        awaited: Some(tag >= 0),
        ..operation(Some(peer), Some(tag), lines)
    };
    let send = pending(1, 7, &["MPI_Psend_init", "1 x MPI_INT"]);
    report.processes[0].communicators[HALO].pending_sends.push(send);
    enter(&mut report, 1, "MPI_Wait", Some(1));
    let receives = &mut report.processes[1].communicators[HALO].pending_receives;
    receives.extend([pending(0, 7, &["MPI_Precv_init", "1 x MPI_INT"]), pending(0, -9, &[])]);
    report
}

#[test]
fn partitions_are_not_on_their_way() {
    let report = partitioned();
    let diagnosis = check::check(&report);
    assert_eq!(
        (diagnosis.verdict, diagnosis.stuck.to_string()),
        (Verdict::Deadlocked, "0-1".into())
    );
    // Rank 0 has sent all, and waits for something else of rank 1. What of it is on its way?
    let all_sent = |change: fn(&mut Report)| {
        let mut report = partitioned();
        report.processes[0].communicators[HALO].pending_sends.clear();
        receive(&mut report, 0, WORLD, Some(1), Some(3));
        change(&mut report);
        check::check(&report).verdict
    };
    assert_eq!(all_sent(|_| {}), Verdict::Deadlocked);
    // Not all that was sent has come.
    let sent = all_sent(|report| {
        report.processes[0].communicators[HALO].traffic =
            Some(vec![Traffic { local_rank: 1, sent: 1, received: 0 }]);
    });
    assert_ne!(sent, Verdict::Deadlocked);
    // A message of the library has come, and nothing has taken it.
    let come = all_sent(|report| {
        let message = operation(Some(0), Some(-9), &["protocol: eager"]);
        report.processes[1].communicators[HALO].unexpected_messages.push(message);
    });
    assert_ne!(come, Verdict::Deadlocked);
    // A partition is being received.
    let matched = all_sent(|report| {
        report.processes[1].communicators[HALO].pending_receives[1].status = Status::Matched;
    });
    assert_ne!(matched, Verdict::Deadlocked);
    // The library may be about to go on.
    let working = all_sent(|report| {
        let activity = report.processes[1].activity.as_mut().unwrap();
        activity.background = Some(Background::Working);
    });
    assert_ne!(working, Verdict::Deadlocked);
    // Messages of the library were not read.
    let not_read = all_sent(|report| {
        report.processes[1].communicators[HALO].pending_receives.truncate(1);
    });
    assert_ne!(not_read, Verdict::Deadlocked);
}

/// The leaders of two groups wait for each other in calls of which the DLL knows that they wait.
#[test]
fn leaders_that_do_not_meet() {
    let mut report = job(2);
    receive(&mut report, 0, WORLD, Some(1), Some(-27));
    receive(&mut report, 1, WORLD, Some(0), Some(-28));
    for rank in 0..2 {
        enter(&mut report, rank, "MPI_Intercomm_create", None);
        let receives = &mut report.processes[rank].communicators[WORLD].pending_receives;
        receives[0].awaited = None;
    }
    assert_eq!(check::check(&report).verdict, Verdict::Deadlocked);
    // Where calls are not counted, only the call stacks tell the function.
    for part in report.processes.iter_mut().flat_map(|process| &mut process.communicators) {
        part.collectives = None;
    }
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Deadlocked);
}

/// Ranks that have moved in calls of which nothing else is known can go on. They have not finished.
#[test]
fn who_moves_somewhere_has_not_finished() {
    let mut before = job(2);
    enter(&mut before, 0, "MPI_Neighbor_alltoallw", None);
    enter(&mut before, 1, "MPI_Neighbor_alltoallw", None);
    let mut now = before.clone();
    for rank in 0..2 {
        receive(&mut now, rank, WORLD, Some(1 - rank), Some(1)).awaited = None;
        enter(&mut now, rank, "MPI_Neighbor_alltoallw", None);
    }
    assert_eq!(check::check(&now).verdict, Verdict::Insufficient);
    let diagnosis = check::check_again(&before, &now, 1.0);
    assert_eq!(diagnosis.verdict, Verdict::NotDeadlocked, "{}", diagnosis.reason);
    assert_eq!(diagnosis.reason, "ranks 0-1 can go on");
    assert!(diagnosis.unknown.is_empty());
}

/// The answer to a message that was taken may be on its way between hosts, unless the sockets of
/// both were quiet.
#[test]
fn answers_between_hosts() {
    let verdict = |quiet| {
        let mut report = taken();
        for (rank, process) in report.processes.iter_mut().enumerate() {
            process.host = Some(format!("node{rank}").as_str().into());
            process.quiet = quiet;
        }
        assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
        again(&report).verdict
    };
    assert_eq!(verdict(true), Verdict::Deadlocked);
    assert_eq!(verdict(false), Verdict::Insufficient);
}

/// A receive that has matched a message waits for its sender, if that cannot send the data.
#[test]
fn data_that_a_sender_cannot_send_any_more() {
    let mut report = job(2);
    receive(&mut report, 0, WORLD, Some(1), Some(3)).status = Status::Matched;
    enter(&mut report, 1, "MPI_Barrier", None);
    assert_eq!(again(&report).moving.to_string(), "0");
    let problem = Problem::new(ProblemKind::Ended, "it has ended");
    report.processes[1] = Process { rank: Some(1), errors: vec![problem], ..Process::default() };
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    assert_eq!(again(&report).stuck.to_string(), "0");
    // All threads of the sender wait for each other, outside MPI.
    report.processes[1] = job(2).processes[1].clone();
    let activity = Activity { others: Some(OtherThreads::Blocked), ..Activity::NONE };
    report.processes[1].activity = Some(activity);
    assert_eq!(again(&report).moving.to_string(), "");
}

#[test]
fn who_has_moved() {
    let mut first = job(4);
    for rank in 0..4 {
        receive(&mut first, rank, HALO, Some(1), Some(3));
    }
    let mut second = first.clone();
    assert!(check::compare(&first, &second, 1.0).moved.is_empty());
    // Where rank 1 is now, nobody knows whether it waits.
    second.processes[1].communicators[HALO].pending_receives.clear();
    enter(&mut second, 1, "MPI_Comm_size", None);
    // Rank 2 has come to its end, and rank 3 is where it was.
    let gone = &mut second.processes[2];
    (gone.communicators, gone.activity) = (Vec::new(), None);
    gone.errors.push(Problem::new(ProblemKind::Queues, "MPI_Finalize has been called"));
    gone.stacks = Some(vec![stack("MPI_Finalize")]);
    assert_eq!(check::compare(&first, &second, 1.0).moved.to_string(), "1-2");
}
