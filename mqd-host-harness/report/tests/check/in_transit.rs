//! Messages in transit: what counts, queues in shared memory, processes that stood still together,
//! and quiet sockets prove.

use mqd_report::check::{self, Certainty, Verdict};
use mqd_report::{
    Address, Collective, Fifo, Operation, Problem, ProblemKind, Process, Report, Text, Traffic,
};

use crate::model::operation;
use crate::reports::*;

#[test]
fn a_message_on_its_way() {
    let mut report = ring();
    // Rank 2 has sent one more than has come in.
    report.processes[2].communicators[HALO].traffic.as_mut().unwrap().push(Traffic {
        local_rank: 3,
        sent: 1,
        received: 0,
    });
    let diagnosis = check("on-the-way", &report);
    assert_eq!(diagnosis.verdict, Verdict::NotDeadlocked);
}

#[test]
fn nobody_counts_messages() {
    let mut report = ring();
    for process in &mut report.processes {
        process.communicators.iter_mut().for_each(|part| part.traffic = None);
    }
    let diagnosis = check("no-counts", &report);
    assert_eq!(diagnosis.verdict, Verdict::Insufficient);
    assert_eq!(diagnosis.stuck.to_string(), "0-3");
    // Two looks may catch a job that runs in the same place twice.
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
}

#[test]
fn queues_in_shared_memory_that_are_empty() {
    let report = by_fifos(ring());
    // A sender may have gone on after it was read. Then the message at its receiver is a later one.
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Deadlocked);
    let mut moved = report.clone();
    moved.processes[2].fifos.as_mut().unwrap()[2].elements -= 1;
    // Rank 2 may have taken in what it waits for, or something else.
    assert_eq!(check::check_again(&moved, &report, 1.0).verdict, Verdict::Insufficient);
    let undecided = |change: fn(&mut Report)| {
        let mut report = report.clone();
        change(&mut report);
        assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
        assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
    };
    // All ranks wait for the one before them. Something has gone to rank 3 that it has not taken.
    undecided(|report| report.processes[2].fifos.as_mut().unwrap()[3].elements = 6);
    // Rank 2 has another way to rank 3, or to a queue that rank 3 does not have.
    undecided(|report| {
        report.processes[2].fifos.as_mut().unwrap().remove(3);
    });
    undecided(|report| report.processes[2].fifos.as_mut().unwrap()[3].id = Address(7));
    undecided(|report| report.processes[3].fifos = None);
    // A send of rank 2 is about to go, nobody knows where to.
    undecided(|report| {
        let send = Operation {
            actual_local_rank: None,
            awaited: Some(false),
            ..operation(None, Some(9), &["MPI_Isend"])
        };
        report.processes[2].communicators[HALO].pending_sends.push(send);
    });
    // Nothing has ever gone to rank 3, or it has taken more since rank 2 was read.
    for (id, elements) in [(0, 0), (103, 4)] {
        let mut report = report.clone();
        let way = &mut report.processes[2].fifos.as_mut().unwrap()[3];
        (way.id, way.elements) = (Address(id), elements);
        assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Deadlocked);
    }
}

/// A rank has freed the communicator on which another one waits for it. What it sent there before
/// has arrived, if its queues in shared memory tell so.
#[test]
fn a_freed_communicator_and_queues_in_shared_memory() {
    let mut report = job(3);
    receive(&mut report, 0, HALO, Some(1), Some(7));
    receive(&mut report, 1, WORLD, Some(0), Some(7));
    report.processes[1].communicators.remove(HALO);
    let report = by_fifos(report);
    let verdict_of = |report: &Report| check::check_again(report, report, 1.0).verdict;
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    assert_eq!(verdict_of(&report), Verdict::Deadlocked);
    let mut under_way = report.clone();
    under_way.processes[1].fifos.as_mut().unwrap()[0].elements = 6;
    assert_eq!(verdict_of(&under_way), Verdict::Insufficient);
    let mut not_known = report.clone();
    not_known.processes[0].fifos = None;
    assert_eq!(verdict_of(&not_known), Verdict::Insufficient);
}

/// Of receives alone one look is enough: what a sender sends later cannot help it.
#[test]
fn receives_and_queues_in_shared_memory() {
    let mut report = job(3);
    for rank in 0..3 {
        receive(&mut report, rank, HALO, Some((rank + 1) % 3), Some(7));
    }
    assert_eq!(check::check(&by_fifos(report)).verdict, Verdict::Deadlocked);
}

/// Nobody counts messages, but all processes stood still together, and told how many parts of
/// messages from and to them are on their way.
fn standing_still(mut report: Report) -> Report {
    for process in &mut report.processes {
        process.communicators.iter_mut().for_each(|part| part.traffic = None);
        process.fifos = Some(vec![Fifo { id: Address(0), rank: None, elements: 0 }]);
        process.held = true;
    }
    report
}

#[test]
fn processes_that_stood_still_together() {
    let report = standing_still(ring());
    assert!(check::gains_by_standing_still(&report));
    assert!(!check::gains_by_standing_still(&by_fifos(ring())));
    assert_eq!(check::check(&report).verdict, Verdict::Deadlocked);
    let undecided = |change: fn(&mut Process)| {
        let mut report = report.clone();
        change(&mut report.processes[2]);
        assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
        assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
    };
    undecided(|process| process.held = false);
    undecided(|process| process.fifos.as_mut().unwrap()[0].elements = 1);
    undecided(|process| process.fifos = None);
    // A send is about to go, nobody knows where to.
    undecided(|process| {
        let send = Operation {
            actual_local_rank: None,
            awaited: Some(false),
            ..operation(None, Some(9), &["MPI_Isend"])
        };
        process.communicators[HALO].pending_sends.push(send);
    });
    let mut apart = report;
    apart.processes[2].held = false;
    let missing = check::check_again(&apart, &apart, 1.0).missing;
    assert!(missing[0].contains("did not stand still together"), "{missing:?}");
}

/// Nobody counts messages, but the sockets of all processes have carried nothing between two looks.
#[test]
fn sockets_that_are_quiet() {
    let mut report = ring();
    for process in &mut report.processes {
        process.communicators.iter_mut().for_each(|part| part.traffic = None);
        process.quiet = true;
    }
    let diagnosis = check::check_again(&report, &report, 1.0);
    assert_eq!(diagnosis.verdict, Verdict::Deadlocked);
    assert_eq!(diagnosis.findings[0].certainty, Certainty::TwoLooks);
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    let verdict = |change: fn(&mut [Process])| {
        let mut report = report.clone();
        change(&mut report.processes);
        check::check_again(&report, &report, 1.0).verdict
    };
    assert_eq!(verdict(|processes| processes[2].quiet = false), Verdict::Insufficient);
    // Messages within a host may go another way, those between hosts may not.
    let share = |processes: &mut [Process]| {
        processes.iter_mut().for_each(|process| process.shares_memory = true);
    };
    assert_eq!(verdict(share), Verdict::Insufficient);
    // Nobody has written to the memory that they share.
    assert_eq!(
        verdict(|processes| {
            for process in processes {
                (process.shares_memory, process.memory_stands_still) = (true, true);
                process.took_turns = true;
            }
        }),
        Verdict::Deadlocked
    );
    // A rank that is frozen takes nothing out of it. Queues that are read know more.
    let changes = [
        (|process| process.took_turns = false) as fn(&mut Process),
        |process| process.fifos = Some(Vec::new()),
        |process| process.memory_stands_still = false,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut report = report.clone();
        for process in &mut report.processes {
            (process.shares_memory, process.memory_stands_still) = (true, true);
            process.took_turns = true;
        }
        // Rank 3 waits for a message, the others send.
        change(&mut report.processes[3]);
        let verdict = check::check_again(&report, &report, 1.0).verdict;
        assert_eq!(verdict, Verdict::Insufficient, "change {number}");
    }
    assert_eq!(
        verdict(|processes| {
            for (rank, process) in processes.iter_mut().enumerate() {
                process.shares_memory = true;
                process.host = Some(format!("node{rank}").as_str().into());
            }
        }),
        Verdict::Deadlocked
    );
}

/// Ranks over sockets, in this function. Each waits for a message from the one before it. Their
/// call stacks show that they have started all, or do not.
fn waiting_over_sockets(function: &str, tag: i64, begun: Option<bool>) -> Report {
    let mut report = job(3);
    for rank in 0..3 {
        receive(&mut report, rank, WORLD, Some((rank + 2) % 3), Some(tag));
        enter(&mut report, rank, function, None);
        let process = &mut report.processes[rank];
        process.activity.as_mut().unwrap().begun = begun;
        process.communicators.iter_mut().for_each(|part| part.traffic = None);
        process.communicators.iter_mut().for_each(|part| part.collectives = None);
        if tag < 0 {
            let active = Collective { function: function.into(), calls: None, active: true };
            process.communicators[WORLD].collectives = Some(vec![active]);
        }
        process.quiet = true;
    }
    report
}

/// A rank may still be packing what it sends, or unpacking what it has received, and no queue shows
/// that.
#[test]
fn ranks_that_may_be_busy_with_data() {
    let verdict = |report: &Report| check::check_again(report, report, 1.0).verdict;
    for (function, tag) in [("MPI_Sendrecv", 7), ("MPI_Recv", 7), ("MPI_Alltoall", -17)] {
        let report = waiting_over_sockets(function, tag, Some(true));
        assert_eq!(verdict(&report), Verdict::Deadlocked, "{function}");
        let report = waiting_over_sockets(function, tag, None);
        assert_eq!(verdict(&report), Verdict::Insufficient, "{function}");
    }
    // A barrier has no data.
    let report = waiting_over_sockets("MPI_Barrier", -17, None);
    assert_eq!(verdict(&report), Verdict::Deadlocked);
}

/// A rank has sent a message and ended. The receiver may be busy and not have taken it in.
#[test]
fn a_message_of_a_rank_that_has_ended() {
    let ended = Problem::new(ProblemKind::Ended, "process 4002 has ended");
    let mut report = waiting_over_sockets("MPI_Recv", 7, Some(true));
    report.processes[2] = Process { rank: Some(2), errors: vec![ended], ..Process::default() };
    let verdict = |report: &Report| check::check_again(report, report, 1.0).verdict;
    assert_eq!(verdict(&report), Verdict::Deadlocked);
    report.processes[0].quiet = false;
    assert_eq!(verdict(&report), Verdict::Insufficient);
    // It may have been the message of any rank.
    let any = &mut report.processes[0].communicators[WORLD].pending_receives[0];
    (any.desired_local_rank, any.desired_global_rank) = (-1, None);
    assert_eq!(verdict(&report), Verdict::Insufficient);
}

/// Two hosts with two ranks each. Nothing is on its way within either host, and the sockets between
/// them are quiet.
#[test]
fn hosts_that_stood_still_each_for_itself() {
    let mut report = standing_still(ring());
    for (rank, process) in process_numbers(&mut report) {
        process.host = Some(format!("node{}", rank / 2).as_str().into());
        process.fifos = Some(vec![Fifo { id: Address(2), rank: Some(-3), elements: 0 }]);
        (process.quiet, process.shares_memory) = (true, true);
    }
    assert!(check::gains_by_standing_still(&report));
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Deadlocked);
    let undecided = |change: fn(&mut Process)| {
        let mut report = report.clone();
        change(&mut report.processes[2]);
        assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
    };
    undecided(|process| process.held = false);
    undecided(|process| process.fifos.as_mut().unwrap()[0].elements = 1);
    // Others of this host use other cells, and send to it by some other way.
    undecided(|process| process.fifos.as_mut().unwrap()[0].id = Address(3));
    undecided(|process| process.fifos = None);
    // Ranks 2 and 3 are on one host. What waits for them on the other one is not proved.
    report.processes[2].quiet = false;
    let diagnosis = check::check_again(&report, &report, 1.0);
    assert_eq!((diagnosis.verdict, &*diagnosis.stuck.to_string()), (Verdict::Deadlocked, "2-3"));
}

/// The same with rings of which each rank knows how many elements were put in.
#[test]
fn rings_within_hosts() {
    let mut report = ring();
    for (rank, process) in process_numbers(&mut report) {
        process.communicators.iter_mut().for_each(|part| part.traffic = None);
        process.host = Some(format!("node{}", rank / 2).as_str().into());
        let ring = |place: u64, rank| Fifo { id: Address(place), rank, elements: 5 };
        process.fifos = Some(vec![ring(rank % 2 + 1, None), ring(1, Some(-2)), ring(2, Some(-2))]);
        (process.quiet, process.shares_memory) = (true, true);
    }
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Deadlocked);
    let undecided = |change: fn(&mut Process)| {
        let mut report = report.clone();
        change(&mut report.processes[2]);
        assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
    };
    // All ranks wait for the one before them: rank 3 has not taken what rank 2 has put in.
    undecided(|process| process.fifos.as_mut().unwrap()[2].elements = 6);
    undecided(|process| process.fifos.as_mut().unwrap()[2].id = Address(7));
}

fn process_numbers(report: &mut Report) -> impl Iterator<Item = (u64, &mut Process)> {
    (0..).zip(&mut report.processes)
}

/// A send whose message is nowhere, although the sockets are quiet: MPI_Mprobe has taken it.
#[test]
fn a_matched_probe_and_quiet_sockets() {
    let mut report = job(2);
    receive(&mut report, 0, HALO, Some(1), Some(7));
    send(&mut report, 1, 0, HALO, 7);
    report.processes[0].communicators[HALO].unexpected_messages.clear();
    for process in &mut report.processes {
        process.communicators.iter_mut().for_each(|part| part.traffic = None);
    }
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
    report.processes.iter_mut().for_each(|process| process.quiet = true);
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Deadlocked);
}

/// Nobody counts messages. Of processes that stood still together it is known which unexpected
/// message belongs to which synchronous send, even if the lengths of sends are not kept.
#[test]
fn synchronous_sends_of_processes_that_stood_still_together() {
    let mut report = job(2);
    send(&mut report, 0, 1, HALO, 7);
    send(&mut report, 1, 0, HALO, 7);
    for process in &mut report.processes {
        process.communicators.iter_mut().for_each(|part| part.traffic = None);
        for send in &mut process.communicators[HALO].pending_sends {
            send.extra_text = ["send mode: synchronous", "length not kept"].into_iter().collect();
            (send.desired_length, send.actual_length) = (0, Some(0));
        }
    }
    assert!(check::gains_by_standing_still(&report));
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    report.processes.iter_mut().for_each(|process| process.held = true);
    assert_eq!(check::check(&report).verdict, Verdict::Deadlocked);
    let undecided = |change: fn(&mut Process)| {
        let mut report = report.clone();
        change(&mut report.processes[1]);
        assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    };
    undecided(|process| process.held = false);
    // The message of one of its sends is not at the receiver.
    undecided(|process| {
        let sends = &mut process.communicators[HALO].pending_sends;
        sends.push(sends[0].clone());
    });
}

/// A library keeps neither tag nor receiver of a send; its message at the receiver names it.
#[test]
fn sends_that_their_messages_name() {
    let mut report = standing_still(ring());
    let whole = report.clone();
    for (rank, process) in report.processes.iter_mut().enumerate() {
        let request = format!("request {:#x}", 0x1000 + rank);
        for send in &mut process.communicators[HALO].pending_sends {
            send.extra_text = ["tag and receiver not kept", &request].into_iter().collect();
            (send.desired_local_rank, send.actual_local_rank) = (-1, None);
            (send.desired_global_rank, send.actual_global_rank) = (None, None);
            (send.tag_wild, send.desired_tag, send.actual_tag) = (true, None, None);
        }
        let sender = rank.wrapping_sub(1);
        for message in &mut process.communicators[HALO].unexpected_messages {
            let names_it = Text::from(format!("sender's request {:#x}", 0x1000 + sender));
            let lines = message.extra_text.iter().cloned();
            message.extra_text = lines.chain([names_it]).collect();
        }
    }
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    let mut completed = report.clone();
    completed.complete_sends();
    assert_eq!(check::check(&completed).verdict, Verdict::Deadlocked);
    for (one, other) in completed.processes.iter().zip(&whole.processes) {
        let sends = |process: &Process| -> Vec<_> {
            let sends = process.communicators[HALO].pending_sends.iter();
            sends.map(|send| (send.desired_local_rank, send.desired_tag, send.tag_wild)).collect()
        };
        assert_eq!(sends(one), sends(other));
    }
    // Two messages name one request: one of them is older than it.
    let message = report.processes[1].communicators[HALO].unexpected_messages[0].clone();
    report.processes[1].communicators[HALO].unexpected_messages.push(message);
    report.complete_sends();
    assert!(report.processes[0].communicators[HALO].pending_sends[0].tag_wild);
}

/// A library does not even keep the communicator of a send.
#[test]
fn sends_whose_communicator_their_messages_tell() {
    let mut report = standing_still(ring());
    let last = report.processes.len() - 1;
    for (rank, process) in report.processes.iter_mut().enumerate() {
        let request = format!("request {:#x}", 0x1000 + rank);
        let mut sends = std::mem::take(&mut process.communicators[HALO].pending_sends);
        for send in &mut sends {
            let lines = ["tag and receiver not kept", "communicator not kept", &request];
            send.extra_text = lines.into_iter().collect();
            (send.desired_local_rank, send.actual_local_rank) = (-1, None);
            (send.desired_global_rank, send.actual_global_rank) = (None, None);
            (send.tag_wild, send.desired_tag, send.actual_tag) = (true, None, None);
        }
        process.communicators[0].pending_sends.extend(sends);
        let sender = rank.checked_sub(1).unwrap_or(last);
        for message in &mut process.communicators[HALO].unexpected_messages {
            let names_it = Text::from(format!("sender's request {:#x}", 0x1000 + sender));
            let lines = message.extra_text.iter().cloned();
            message.extra_text = lines.chain([names_it]).collect();
        }
    }
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    let before = report.clone();
    report.complete_sends();
    assert_eq!(check::check(&report).verdict, Verdict::Deadlocked);
    for (process, before) in report.processes.iter().zip(&before.processes) {
        let number =
            |process: &Process, part: usize| process.communicators[part].pending_sends.len();
        assert_eq!((number(process, 0), number(process, HALO)), (0, number(before, 0)));
    }
}

/// The message of a pending send that is not at its receiver may be what the receiver waits for.
#[test]
fn a_send_that_may_serve_a_receive() {
    let mut report = job(2);
    send(&mut report, 0, 1, HALO, 7);
    report.processes[1].communicators[HALO].unexpected_messages.clear();
    receive(&mut report, 0, HALO, Some(1), Some(8));
    receive(&mut report, 1, HALO, Some(0), Some(7));
    let report = by_fifos(report);
    assert_eq!(check::check(&report).verdict, Verdict::Insufficient);
    assert_eq!(check::check_again(&report, &report, 1.0).verdict, Verdict::Insufficient);
}

/// Negative numbers are marks. Two ranks that show the same one have seen the same. Of others
/// nothing is known: not that a message is on its way, either.
#[test]
fn marks_are_compared_and_not_counted() {
    let verdict = |sent: i64, received: i64| {
        let mut report = job(2);
        for (rank, local_rank) in [(0, 1), (1, 0)] {
            receive(&mut report, rank, WORLD, Some(1 - rank), Some(-2)).awaited = Some(true);
            enter(&mut report, rank, "MPI_Win_start", Some(1));
            let entry = Traffic { local_rank, sent, received };
            report.processes[rank].communicators[WORLD].traffic = Some(vec![entry]);
        }
        check::check(&report).verdict
    };
    assert_eq!(verdict(-5, -5), Verdict::Deadlocked);
    for (sent, received) in [(-5, -6), (-6, -5), (0, -5), (-5, 0), (5, -5)] {
        assert_eq!(verdict(sent, received), Verdict::Insufficient, "{sent} {received}");
    }
    assert_eq!(verdict(6, 5), Verdict::NotDeadlocked);
}
