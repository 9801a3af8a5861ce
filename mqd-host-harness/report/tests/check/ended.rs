//! Ranks that have ended or are in `MPI_Finalize`, and those that wait for them.

use mqd_report::check::{self, FindingKind, Verdict};
use mqd_report::{Problem, ProblemKind, Process, Report, Traffic};

use crate::reports::*;

/// A rank in `MPI_Finalize` whose library has no queues any more sends nothing.
#[test]
fn a_rank_whose_library_is_shut_down() {
    let mut report = job(2);
    receive(&mut report, 0, HALO, Some(1), Some(7)).awaited = None;
    report.processes[0].activity.as_mut().unwrap().needed = None;
    let gone = &mut report.processes[1];
    (gone.communicators, gone.activity) = (Vec::new(), None);
    gone.errors.push(Problem::new(ProblemKind::Queues, "MPI_Finalize has been called"));
    let verdicts = |report: &Report| {
        (check::check(report).verdict, check::check_again(report, report, 1.0).verdict)
    };
    assert_eq!(verdicts(&report), (Verdict::Insufficient, Verdict::Insufficient));
    report.processes[1].stacks = Some(vec![stack("MPI_Send")]);
    assert_eq!(verdicts(&report), (Verdict::Insufficient, Verdict::Insufficient));
    report.processes[1].stacks = Some(vec![stack("MPI_Finalize")]);
    assert_eq!(verdicts(&report), (Verdict::Insufficient, Verdict::Deadlocked));
    let diagnosis = check::check_again(&report, &report, 1.0);
    assert!(diagnosis.findings.iter().all(|finding| finding.kind != FindingKind::Exited));
    let in_vain = find(&diagnosis, FindingKind::NeverMatched);
    assert!(in_vain.text.contains("rank 1 is in MPI_Finalize"), "{}", in_vain.text);
    // A rank that ran on before its queues were read may wait there.
    report.processes[1].errors = vec![Problem::new(ProblemKind::Limit, "the process runs on")];
    assert_eq!(verdicts(&report), (Verdict::Insufficient, Verdict::Insufficient));
}

/// The library does not keep the receiver of a send. All that may be it are in `MPI_Finalize`.
#[test]
fn a_send_whose_receiver_is_not_known() {
    let mut report = job(3);
    send(&mut report, 0, 1, WORLD, 7);
    for process in &mut report.processes {
        process.communicators.iter_mut().for_each(|part| part.traffic = None);
    }
    let sent = &mut report.processes[0].communicators[WORLD].pending_sends[0];
    (sent.desired_local_rank, sent.actual_local_rank) = (-1, None);
    (sent.desired_global_rank, sent.actual_global_rank, sent.desired_tag) = (None, None, None);
    let verdict = |report: &Report| check::check_again(report, report, 1.0).verdict;
    for rank in 1..3 {
        assert_eq!(verdict(&report), Verdict::Insufficient);
        let gone = &mut report.processes[rank];
        (gone.communicators, gone.activity) = (Vec::new(), None);
        gone.errors.push(Problem::new(ProblemKind::Queues, "MPI_Finalize has been called"));
        gone.stacks = Some(vec![stack("MPI_Finalize")]);
    }
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    assert_eq!(verdict(&report), Verdict::Deadlocked);
    let diagnosis = check::check_again(&report, &report, 1.0);
    let text = &find(&diagnosis, FindingKind::NeverMatched).text;
    assert!(text.contains("for an unknown rank to receive its message"), "{text}");
    // It may be a process of another job.
    report.processes[0].communicators[HALO].remote_group = Some([-1, -1].into_iter().collect());
    assert_eq!(verdict(&report), Verdict::Insufficient);
}

/// If all ranks are in `MPI_Finalize`, no queue shows whether it returns.
#[test]
fn all_ranks_are_in_finalize() {
    let mut report = job(2);
    for process in &mut report.processes {
        (process.communicators, process.activity) = (Vec::new(), None);
        process.errors.push(Problem::new(ProblemKind::Queues, "MPI_Finalize has been called"));
        process.stacks = Some(vec![stack("MPI_Finalize")]);
    }
    assert!(check::another_look_may_tell(&report));
    for diagnosis in [check::check(&report), check::check_again(&report, &report, 1.0)] {
        assert_eq!(diagnosis.verdict, Verdict::Insufficient);
        assert_eq!((diagnosis.unknown.to_string(), diagnosis.missing.len()), ("0-1".to_owned(), 1));
        assert!(diagnosis.missing[0].starts_with("ranks 0-1: in MPI_Finalize, which may wait"));
    }
    let first = report.clone();
    for process in &mut report.processes {
        process.stacks = None;
        process.errors = vec![Problem::new(ProblemKind::Ended, "the process has ended")];
    }
    let diagnosis = check::check_again(&first, &report, 1.0);
    assert_eq!((diagnosis.verdict, diagnosis.findings), (Verdict::NotDeadlocked, Vec::new()));
}

#[test]
fn a_process_has_ended() {
    let mut report = job(2);
    receive(&mut report, 0, HALO, Some(1), Some(3));
    report.processes[1] = Process {
        rank: Some(1),
        pid: Some(4001),
        errors: vec![Problem::new(
            ProblemKind::Ended,
            "process 4001 has ended (it is a zombie): its memory is gone; only a core file could \
             still show its queues",
        )],
        ..Process::default()
    };
    assert_eq!(check("ended", &report).verdict, Verdict::Insufficient);
    assert_eq!(check::check_again(&report, &report, 1.0).stuck.to_string(), "0");
    // What it has sent before it ended is not known, and so not on its way.
    let halo = &mut report.processes[0].communicators[HALO];
    halo.pending_receives.clear();
    halo.traffic = Some(vec![Traffic { local_rank: 1, sent: 0, received: 1 }]);
    receive(&mut report, 0, HALO, None, Some(3));
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    assert_eq!(check::check_again(&report, &report, 1.0).stuck.to_string(), "0");
    // It may have sent this after the receiver was read.
    let mut first = job(2);
    receive(&mut first, 0, HALO, Some(1), Some(3));
    let mut second = first.clone();
    second.processes[1] = report.processes[1].clone();
    assert_eq!(check::check_again(&first, &second, 1.0).verdict, Verdict::Insufficient);
    assert_eq!(check::check_again(&second, &second, 1.0).verdict, Verdict::Deadlocked);
    // A job that is killed has not finished.
    let ended = second.processes[1].errors.clone();
    second.processes[0] = Process { rank: Some(0), errors: ended, ..Process::default() };
    assert_eq!(check::check_again(&first, &second, 1.0).verdict, Verdict::Insufficient);
}

#[test]
fn a_process_has_ended_and_any_rank_may_send() {
    let mut report = job(3);
    receive(&mut report, 0, WORLD, None, Some(3));
    receive(&mut report, 1, WORLD, Some(0), Some(4));
    let ended = Problem::new(ProblemKind::Ended, "process 4002 has ended");
    report.processes[2] = Process { rank: Some(2), errors: vec![ended], ..Process::default() };
    let advice = |report: &Report| {
        let diagnosis = check::check_again(report, report, 1.0);
        assert_eq!(diagnosis.stuck.to_string(), "0-1");
        let finding = diagnosis.findings.iter().find(|one| one.kind == FindingKind::NeverMatched);
        finding.expect("a finding").advice.clone()
    };
    assert!(advice(&report).starts_with("any rank may send this message"));
    // A receive from the rank that has ended is not about the others.
    report.processes[0].communicators[WORLD].pending_receives.clear();
    receive(&mut report, 0, WORLD, Some(2), Some(3));
    assert!(advice(&report).starts_with("find out why that rank finished"));
}
