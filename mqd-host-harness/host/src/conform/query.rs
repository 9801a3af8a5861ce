//! Section 5.10: the iterations.

use mqd_report::Queue;
use mqs_abi::{mqs_end_of_list, mqs_ok};

use super::bench::{Bench, Subject};
use super::compare::{compared, of_scenario, refused};
use super::reading::Reading;
use super::{Judge, Judgement, Rule};
use crate::dll::Bound;
use crate::walk::class;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "iteration-state",
        section: "5.10",
        sentence: "The debug DLL should save the iteration state in the mqs_process_info: \
                   processes can be read in turns",
        judge: Judge::Once(iteration_state),
    },
    Rule {
        id: "update-communicator-list",
        section: "5.10.1",
        sentence: "mqs_update_communicator_list refreshes the list of active communicators, and \
                   returns mqs_ok if it succeeds",
        judge: Judge::Each(|bench, subject| {
            succeeds(bench, subject, "mqs_update_communicator_list")
        }),
    },
    Rule {
        id: "update-again",
        section: "5.10.1",
        sentence: "Refreshed again, the list of a process that stands still is the same",
        judge: Judge::Each(update_again),
    },
    Rule {
        id: "setup-communicator-iterator",
        section: "5.10.2",
        sentence: "mqs_setup_communicator_iterator prepares the iterator, and returns mqs_ok if \
                   it succeeds",
        judge: Judge::Each(|bench, subject| {
            succeeds(bench, subject, "mqs_setup_communicator_iterator")
        }),
    },
    Rule {
        id: "active-communicators",
        section: "5.10.2",
        sentence: "The iterator goes over the active communicators, each of them once",
        judge: Judge::Each(active_communicators),
    },
    Rule {
        id: "communicators-restart",
        section: "5.10.2",
        sentence: "Prepared again, the iterator begins with the first communicator",
        judge: Judge::Each(communicators_restart),
    },
    Rule {
        id: "get-communicator",
        section: "5.10.3",
        sentence: "mqs_get_communicator extracts information about the current communicator, and \
                   does not step",
        judge: Judge::Each(get_communicator),
    },
    Rule {
        id: "get-comm-group",
        section: "5.10.4",
        sentence: "The element at index i contains the MPI_COMM_WORLD rank of the i-th rank in \
                   the current communicator",
        judge: Judge::Each(get_comm_group),
    },
    Rule {
        id: "communicators-end",
        section: "5.10.5",
        sentence: "mqs_next_communicator returns mqs_end_of_list if there are no more \
                   communicators (4.2)",
        judge: Judge::Each(|bench, subject| ends(bench, subject, "mqs_next_communicator")),
    },
    Rule {
        id: "setup-operation-iterator",
        section: "5.10.6",
        sentence: "mqs_setup_operation_iterator returns mqs_ok for each of the three queues",
        judge: Judge::Each(|bench, subject| {
            succeeds(bench, subject, "mqs_setup_operation_iterator")
        }),
    },
    Rule {
        id: "operations-restart",
        section: "5.10.6",
        sentence: "Prepared again, the operation iterator begins with the first operation",
        judge: Judge::Each(operations_restart),
    },
    Rule {
        id: "operations-end",
        section: "5.10.7",
        sentence: "mqs_next_operation returns mqs_end_of_list when there are no more operations, \
                   and goes on to do so",
        judge: Judge::Each(operations_end),
    },
];

/// No call of the function fails.
fn succeeds(bench: &Bench, subject: &Subject, function: &str) -> Judgement {
    let reading = bench.read(subject);
    if !reading.accepted {
        return refused(&reading);
    }
    let failed = reading.failures.iter().filter(|failure| failure.function == function);
    let mut reasons: Vec<String> = failed.map(|failure| failure.described()).collect();
    reasons.dedup();
    Judgement::of(&reasons)
}

/// Every list that the function goes over ends as the text says.
fn ends(bench: &Bench, subject: &Subject, function: &str) -> Judgement {
    let reading = bench.read(subject);
    if !reading.accepted {
        return refused(&reading);
    }
    if reading.endless {
        return Judgement::failed("a list does not end");
    }
    let codes = reading.ends.iter().filter(|(of, _)| *of == function);
    let mut wrong: Vec<String> = codes
        .clone()
        .filter(|(_, code)| *code != mqs_end_of_list)
        .map(|(_, code)| format!("a list has ended with {code}"))
        .collect();
    wrong.dedup();
    compared(codes.count(), &wrong)
}

/// Judges with a process whose communicators are known, at the first of them.
fn at_first(
    bench: &Bench,
    subject: &Subject,
    judge: impl FnOnce(&Bound<'_>) -> Judgement,
) -> Judgement {
    let session = subject.session();
    let bound = bench.bound(&session);
    let mut reading = Reading::default();
    reading.set_up(&bound);
    if !reading.accepted {
        return refused(&reading);
    }
    bound.update_communicator_list();
    if bound.setup_communicator_iterator() != mqs_ok {
        return Judgement::not_applicable("there is no communicator");
    }
    judge(&bound)
}

/// The same lists, twice.
fn same(first: &Reading, second: &Reading) -> Judgement {
    match first.numbers() == second.numbers() && first.failures == second.failures {
        true => Judgement::PASS,
        false => Judgement::failed(format!(
            "it shows something else{}",
            second.trouble().map_or(String::new(), |trouble| format!(": {trouble}"))
        )),
    }
}

fn update_again(bench: &Bench, subject: &Subject) -> Judgement {
    at_first(bench, subject, |bound| {
        let (mut first, mut second) = (Reading::default(), Reading::default());
        first.lists(bound);
        second.lists(bound);
        same(&first, &second)
    })
}

fn active_communicators(bench: &Bench, subject: &Subject) -> Judgement {
    of_scenario(bench, subject, |truth, reading, comparison| {
        let is_listed = |expected: &super::scenario::ExpectedComm| {
            comparison.communicators.iter().any(|(one, _)| one.comm == expected.comm)
        };
        let missing = truth.communicators.iter().filter(|expected| !is_listed(expected));
        let mut reasons: Vec<String> =
            missing.map(|expected| format!("not listed: {}", expected.comm.name())).collect();
        let (expected, shown) = (truth.communicators.len(), reading.communicators.len());
        if reasons.is_empty() && shown != expected {
            let names: Vec<String> =
                reading.communicators.iter().map(|one| one.name().unwrap_or_default()).collect();
            reasons.push(format!(
                "it lists {shown} communicators, not {expected}: {}",
                names.join(", ")
            ));
        }
        compared(expected, &reasons)
    })
}

fn communicators_restart(bench: &Bench, subject: &Subject) -> Judgement {
    at_first(bench, subject, |bound| {
        let all = |bound: &Bound<'_>| {
            let mut ids = Vec::new();
            while ids.len() < 1000 {
                let (code, one) = bound.get_communicator();
                if code != mqs_ok {
                    break;
                }
                ids.push(one.unique_id);
                if bound.next_communicator() != mqs_ok {
                    break;
                }
            }
            ids
        };
        let first = all(bound);
        if bound.setup_communicator_iterator() != mqs_ok {
            return Judgement::failed("the iterator cannot be prepared again");
        }
        let second = all(bound);
        match first == second && !first.is_empty() {
            true => Judgement::PASS,
            false => Judgement::failed(format!(
                "{} communicators at first, {} when it is prepared again",
                first.len(),
                second.len()
            )),
        }
    })
}

fn get_communicator(bench: &Bench, subject: &Subject) -> Judgement {
    at_first(bench, subject, |bound| {
        let described = |bound: &Bound<'_>| {
            let (code, one) = bound.get_communicator();
            (code, one.unique_id, one.local_rank, one.size, one.name)
        };
        let first = described(bound);
        if first.0 != mqs_ok {
            return Judgement::failed(bench.failure("mqs_get_communicator", first.0));
        }
        if described(bound) != first {
            return Judgement::failed("the second call describes another communicator");
        }
        // The operation iterator has nothing to do with it.
        let mut reading = Reading::default();
        for queue in Queue::ALL {
            reading.queue(bound, class(queue));
        }
        match described(bound) == first {
            true => Judgement::PASS,
            false => Judgement::failed(
                "after an iteration over operations another communicator is the current one",
            ),
        }
    })
}

fn get_comm_group(bench: &Bench, subject: &Subject) -> Judgement {
    if bench.dll.functions().get_comm_group.is_none() {
        return Judgement::not_applicable("the DLL does not have the function");
    }
    of_scenario(bench, subject, |_, _, comparison| {
        let wrong = comparison.communicators.iter().filter_map(|(expected, listed)| {
            let name = expected.comm.name();
            match &listed.group {
                None => Some(format!("{name}: no group")),
                Some(group)
                    if group
                        .iter()
                        .map(|rank| i64::from(*rank))
                        .ne(expected.group.iter().copied()) =>
                {
                    Some(format!("{name}: {group:?}, not {:?}", expected.group))
                }
                Some(_) => None,
            }
        });
        compared(comparison.communicators.len(), &wrong.collect::<Vec<_>>())
    })
}

fn operations_restart(bench: &Bench, subject: &Subject) -> Judgement {
    at_first(bench, subject, |bound| {
        let mut number = 0;
        let mut wrong = Vec::new();
        for queue in Queue::ALL {
            let (mut first, mut second) = (Reading::default(), Reading::default());
            let all = first.queue(bound, class(queue));
            // From the middle of an iteration, too.
            if bound.setup_operation_iterator(class(queue)) == mqs_ok {
                bound.next_operation();
            }
            let again = second.queue(bound, class(queue));
            let count = |operations: &Option<Vec<_>>| operations.as_ref().map(Vec::len);
            number += count(&all).unwrap_or(0);
            if count(&all) != count(&again) {
                wrong.push(format!(
                    "{}: {:?} operations at first, then {:?}",
                    queue.field(),
                    count(&all).unwrap_or(0),
                    count(&again).unwrap_or(0)
                ));
            }
        }
        compared(number, &wrong)
    })
}

fn operations_end(bench: &Bench, subject: &Subject) -> Judgement {
    let judgement = ends(bench, subject, "mqs_next_operation");
    if judgement.verdict != super::Verdict::Pass {
        return judgement;
    }
    at_first(bench, subject, |bound| {
        let mut wrong = Vec::new();
        for queue in Queue::ALL {
            let mut reading = Reading::default();
            if reading.queue(bound, class(queue)).is_none() {
                continue;
            }
            let code = bound.next_operation().0;
            if code != mqs_end_of_list {
                wrong.push(format!("{}: after the end it returns {code}", queue.field()));
            }
        }
        Judgement::of(&wrong)
    })
}

/// All processes are set up. Then their lists are read in turns, a communicator of each at a time.
fn iteration_state(bench: &Bench) -> Judgement {
    if bench.subjects.len() < 2 {
        return Judgement::not_applicable("there is only one process");
    }
    let alone: Vec<Reading> = bench.subjects.iter().map(|subject| bench.read(subject)).collect();
    if let Some(reading) = alone.iter().find(|reading| !reading.accepted) {
        return refused(reading);
    }
    let sessions: Vec<_> = bench.subjects.iter().map(Subject::session).collect();
    let bounds: Vec<_> = sessions.iter().map(|session| bench.bound(session)).collect();
    for bound in &bounds {
        let mut reading = Reading::default();
        reading.set_up(bound);
        bound.update_communicator_list();
        bound.setup_communicator_iterator();
    }
    let mut ids: Vec<Vec<u64>> = vec![Vec::new(); bounds.len()];
    let mut receives: Vec<usize> = vec![0; bounds.len()];
    let mut left: Vec<usize> = (0..bounds.len()).collect();
    while !left.is_empty() {
        for one in &left {
            ids[*one].push(bounds[*one].get_communicator().1.unique_id);
            bounds[*one].setup_operation_iterator(mqs_abi::mqs_pending_receives);
        }
        // An operation of each at a time.
        let mut iterating = left.clone();
        while !iterating.is_empty() {
            iterating.retain(|one| {
                let is_one = bounds[*one].next_operation().0 == mqs_ok;
                receives[*one] += usize::from(is_one);
                is_one && receives[*one] < 10_000
            });
        }
        left.retain(|one| bounds[*one].next_communicator() == mqs_ok && ids[*one].len() < 1000);
    }
    let wrong =
        bench.subjects.iter().zip(&alone).enumerate().filter_map(|(at, (subject, alone))| {
            let expected: Vec<u64> =
                alone.communicators.iter().map(|one| one.communicator.unique_id).collect();
            let queues = alone.communicators.iter().filter_map(|one| one.queue(Queue::Receives));
            let is_same =
                ids[at] == expected && receives[at] == queues.map(<[_]>::len).sum::<usize>();
            (!is_same).then(|| format!("{} shows something else beside others", subject.who))
        });
    Judgement::of(&wrong.collect::<Vec<_>>())
}
