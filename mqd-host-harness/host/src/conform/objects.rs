//! Sections 5.1 and 5.5: the name of the DLL, and the fields of communicators and operations.

#![expect(
    non_upper_case_globals,
    reason = "the constants of the MQD interface keep their names in patterns"
)]

use std::collections::HashSet;

use mqd_report::Queue;
use mqs_abi::{mqs_pending_operation, mqs_st_complete, mqs_st_matched, mqs_st_pending};

use super::bench::{Bench, Subject};
use super::compare::{compared, of_scenario, refused};
use super::reading::fixed_text;
use super::scenario::Expected;
use super::{Judge, Judgement, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "dll-name",
        section: "5.1",
        sentence: "MPIR_dll_name is a null-terminated string that contains the file system path \
                   name of the debug DLL",
        judge: Judge::Each(dll_name),
    },
    Rule {
        id: "unique-id",
        section: "5.5.1",
        sentence: "unique_id uniquely identifies a communicator",
        judge: Judge::Each(unique_id),
    },
    Rule {
        id: "local-rank",
        section: "5.5.1",
        sentence: "local_rank identifies the rank of the current MPI process in this communicator",
        judge: Judge::Each(local_rank),
    },
    Rule {
        id: "size",
        section: "5.5.1",
        sentence: "size holds the size of the communicator",
        judge: Judge::Each(size),
    },
    Rule {
        id: "name",
        section: "5.5.1",
        sentence: "name contains the name of the communicator if it was given one",
        judge: Judge::Each(name),
    },
    Rule {
        id: "status",
        section: "5.5.2",
        sentence: "status is mqs_st_pending, mqs_st_matched or mqs_st_complete, as the operation \
                   is",
        judge: Judge::Each(|bench, subject| field(bench, subject, status)),
    },
    Rule {
        id: "desired-local-rank",
        section: "5.5.2",
        sentence: "desired_local_rank stores the rank of the target or the source in the \
                   communicator; for MPI_ANY_SOURCE, a negative number",
        judge: Judge::Each(|bench, subject| field(bench, subject, desired_local_rank)),
    },
    Rule {
        id: "desired-global-rank",
        section: "5.5.2",
        sentence: "desired_global_rank stores the rank of the target or the source with respect \
                   to MPI_COMM_WORLD",
        judge: Judge::Each(|bench, subject| field(bench, subject, desired_global_rank)),
    },
    Rule {
        id: "tag-wild",
        section: "5.5.2",
        sentence: "If the receive was posted with MPI_ANY_TAG, tag_wild is 1, otherwise 0",
        judge: Judge::Each(|bench, subject| field(bench, subject, tag_wild)),
    },
    Rule {
        id: "desired-tag",
        section: "5.5.2",
        sentence: "desired_tag holds the tag of the message",
        judge: Judge::Each(|bench, subject| field(bench, subject, desired_tag)),
    },
    Rule {
        id: "desired-length",
        section: "5.5.2",
        sentence: "desired_length holds the length of the message buffer in bytes",
        judge: Judge::Each(|bench, subject| field(bench, subject, desired_length)),
    },
    Rule {
        id: "system-buffer",
        section: "5.5.2",
        sentence: "system_buffer is 1 for a system buffer, otherwise 0",
        judge: Judge::Each(|bench, subject| field(bench, subject, system_buffer)),
    },
    Rule {
        id: "buffer",
        section: "5.5.2",
        sentence: "buffer holds the address of the beginning of the message data",
        judge: Judge::Each(|bench, subject| field(bench, subject, buffer)),
    },
    Rule {
        id: "actual-local-rank",
        section: "5.5.2",
        sentence: "actual_local_rank holds the actual local rank, for a send, and after the \
                   message has matched",
        judge: Judge::Each(|bench, subject| field(bench, subject, actual_local_rank)),
    },
    Rule {
        id: "actual-global-rank",
        section: "5.5.2",
        sentence: "actual_global_rank holds the actual rank with respect to MPI_COMM_WORLD",
        judge: Judge::Each(|bench, subject| field(bench, subject, actual_global_rank)),
    },
    Rule {
        id: "actual-tag",
        section: "5.5.2",
        sentence: "actual_tag holds the actual tag of the message",
        judge: Judge::Each(|bench, subject| field(bench, subject, actual_tag)),
    },
    Rule {
        id: "actual-length",
        section: "5.5.2",
        sentence: "actual_length holds the actual length of the message in bytes",
        judge: Judge::Each(|bench, subject| field(bench, subject, actual_length)),
    },
    Rule {
        id: "extra-text",
        section: "5.5.2",
        sentence: "extra_text is null-terminated: each line before an empty one",
        judge: Judge::Each(extra_text),
    },
];

fn dll_name(_: &Bench, subject: &Subject) -> Judgement {
    match subject.names_dll() {
        Some(name) => Judgement::passed(format!("it names {name}")),
        None => Judgement::not_applicable("the process names no debug DLL"),
    }
}

fn unique_id(bench: &Bench, subject: &Subject) -> Judgement {
    let reading = bench.read(subject);
    if !reading.accepted {
        return refused(&reading);
    }
    let mut ids = HashSet::new();
    let twice = reading.communicators.iter().find(|one| !ids.insert(one.communicator.unique_id));
    match twice {
        Some(one) => Judgement::failed(format!(
            "{} has the number {:#x}, and so has another communicator",
            one.name().unwrap_or_default(),
            one.communicator.unique_id
        )),
        None => compared(reading.communicators.len(), &[]),
    }
}

fn local_rank(bench: &Bench, subject: &Subject) -> Judgement {
    communicators(bench, subject, |expected, shown| (expected.local_rank, shown.local_rank))
}

fn size(bench: &Bench, subject: &Subject) -> Judgement {
    communicators(bench, subject, |expected, shown| (expected.group.len() as i64, shown.size))
}

/// Compares a number of each communicator.
fn communicators(
    bench: &Bench,
    subject: &Subject,
    number: fn(&super::scenario::ExpectedComm, &mqs_abi::mqs_communicator) -> (i64, i64),
) -> Judgement {
    of_scenario(bench, subject, |_, _, comparison| {
        let wrong = comparison.communicators.iter().filter_map(|(expected, listed)| {
            let (expected_number, shown) = number(expected, &listed.communicator);
            (expected_number != shown)
                .then(|| format!("{}: {shown}, not {expected_number}", expected.comm.name()))
        });
        compared(comparison.communicators.len(), &wrong.collect::<Vec<_>>())
    })
}

fn name(bench: &Bench, subject: &Subject) -> Judgement {
    of_scenario(bench, subject, |truth, reading, _| {
        let names: Vec<Option<String>> =
            reading.communicators.iter().map(super::reading::Listed::name).collect();
        if names.contains(&None) {
            return Judgement::failed("a name has no terminating zero");
        }
        let missing = truth.communicators.iter().filter_map(|expected| {
            let name = expected.comm.name();
            (!names.iter().flatten().any(|shown| shown == name))
                .then(|| format!("no communicator has the name \"{name}\""))
        });
        compared(truth.communicators.len(), &missing.collect::<Vec<_>>())
    })
}

/// What a field has to be, and what it is. None: the field means nothing here.
type Field = fn(&Expected, &mqs_pending_operation) -> Option<(String, String)>;

/// Compares a field of each operation that is listed.
fn field(bench: &Bench, subject: &Subject, field: Field) -> Judgement {
    of_scenario(bench, subject, |_, _, comparison| {
        let both: Vec<_> = comparison
            .pairs
            .iter()
            .filter_map(|pair| Some((pair.expected, field(pair.expected, pair.shown)?)))
            .collect();
        let wrong = both.iter().filter(|(_, (expected, shown))| expected != shown);
        let wrong = wrong.map(|(one, (expected, shown))| {
            format!("{}: {shown}, not {expected}", one.described())
        });
        compared(both.len(), &wrong.collect::<Vec<_>>())
    })
}

fn both(
    expected: impl std::fmt::Display,
    shown: impl std::fmt::Display,
) -> Option<(String, String)> {
    Some((expected.to_string(), shown.to_string()))
}

fn status(one: &Expected, shown: &mqs_pending_operation) -> Option<(String, String)> {
    let word = |status| match status {
        mqs_st_pending => "pending".to_owned(),
        mqs_st_matched => "matched".to_owned(),
        mqs_st_complete => "complete".to_owned(),
        other => format!("the unknown status {other}"),
    };
    let shown = word(shown.status);
    match one.queue {
        // The text does not say which of the three a message has that waits for a receive.
        Queue::Unexpected if !shown.starts_with("the unknown") => None,
        _ => both(if one.complete { "complete" } else { "pending" }, shown),
    }
}

/// A rank, or any number that is no rank.
fn rank(expected: Option<i64>, shown: i64) -> Option<(String, String)> {
    match expected {
        Some(rank) => both(rank, shown),
        None if shown < 0 => both("no rank", "no rank"),
        None => both("a negative number", shown),
    }
}

fn desired_local_rank(one: &Expected, shown: &mqs_pending_operation) -> Option<(String, String)> {
    rank(one.peer, shown.desired_local_rank)
}

fn desired_global_rank(one: &Expected, shown: &mqs_pending_operation) -> Option<(String, String)> {
    rank(one.global_peer, shown.desired_global_rank)
}

fn tag_wild(one: &Expected, shown: &mqs_pending_operation) -> Option<(String, String)> {
    both(i32::from(one.tag.is_none()), shown.tag_wild)
}

/// The text says that the field is ignored if `tag_wild` is not set, and means the opposite.
fn desired_tag(one: &Expected, shown: &mqs_pending_operation) -> Option<(String, String)> {
    both(one.tag?, shown.desired_tag)
}

fn desired_length(one: &Expected, shown: &mqs_pending_operation) -> Option<(String, String)> {
    both(one.length, shown.desired_length)
}

fn system_buffer(one: &Expected, shown: &mqs_pending_operation) -> Option<(String, String)> {
    both(i32::from(one.queue == Queue::Unexpected), shown.system_buffer)
}

fn buffer(one: &Expected, shown: &mqs_pending_operation) -> Option<(String, String)> {
    Some((format!("{:#x}", one.buffer?), format!("{:#x}", shown.buffer)))
}

/// Do the actual fields mean something?
fn has_actual(one: &Expected) -> Option<()> {
    (one.queue == Queue::Sends || one.actual.is_some()).then_some(())
}

fn actual_local_rank(one: &Expected, shown: &mqs_pending_operation) -> Option<(String, String)> {
    has_actual(one)?;
    rank(one.peer, shown.actual_local_rank)
}

fn actual_global_rank(one: &Expected, shown: &mqs_pending_operation) -> Option<(String, String)> {
    has_actual(one)?;
    rank(one.global_peer, shown.actual_global_rank)
}

fn actual_tag(one: &Expected, shown: &mqs_pending_operation) -> Option<(String, String)> {
    has_actual(one)?;
    both(one.actual.map(|(tag, _)| tag).or(one.tag)?, shown.actual_tag)
}

fn actual_length(one: &Expected, shown: &mqs_pending_operation) -> Option<(String, String)> {
    has_actual(one)?;
    both(one.actual.map_or(one.length, |(_, length)| length), shown.actual_length)
}

fn extra_text(bench: &Bench, subject: &Subject) -> Judgement {
    let reading = bench.read(subject);
    if !reading.accepted {
        return refused(&reading);
    }
    let operations = reading.communicators.iter().flat_map(|one| one.queues.iter().flatten());
    let (mut number, mut wrong) = (0, Vec::new());
    for operation in operations.flatten() {
        number += 1;
        let mut lines = operation.extra_text.iter().map(|line| fixed_text(line));
        if lines.by_ref().take_while(|line| line.as_deref() != Some("")).any(|line| line.is_none())
        {
            wrong.push("a line has no terminating zero".to_owned());
        }
    }
    compared(number, &wrong)
}
