//! False reports.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use testkit::expectation::{Coverage, Difference, Tally, differences, tally};
use testkit::record::{self, Record};

use crate::recorded::{Recorded, recording};

const LIBRARIES: [(&str, Coverage); 2] =
    [("companion", Coverage::COMPANION), ("openmpi", Coverage::OPEN_MPI)];

const QUEUES: [&str; 3] = ["pending_sends", "pending_receives", "unexpected_messages"];

/// Fields that ranks cannot know. They are not compared.
const NOT_COMPARED: [&str; 8] =
    ["pid", "core", "executable", "library", "dll_version", "unique_id", "begun", "concurrent"];

/// A recorded job and its library.
struct Job {
    name: &'static str,
    coverage: Coverage,
    /// As they were written.
    texts: Vec<Value>,
    records: Vec<Record>,
    report: Value,
}

impl Job {
    fn all() -> Vec<Job> {
        let jobs = LIBRARIES.into_iter().flat_map(|(name, coverage)| {
            let recorded = recording(name).truth.into_iter();
            recorded.map(move |Recorded { records, report }| Job {
                name,
                coverage,
                records: records.iter().map(|value| record::parse(&value.to_string())).collect(),
                texts: records,
                report,
            })
        });
        jobs.collect()
    }

    fn judge(&self, report: &Value) -> Vec<Difference> {
        differences(self.coverage, &self.records, report)
    }

    /// Changes a copy of the report, which must then be rejected.
    fn must_reject(&self, what: &str, change: impl FnOnce(&mut Value)) {
        let mut report = self.report.clone();
        change(&mut report);
        assert_ne!(report, self.report, "{}: {what} changes nothing", self.name);
        assert!(!self.judge(&report).is_empty(), "{}: {what} is not noticed", self.name);
    }

    /// Can the ranks of the companion runtime know this field?
    fn can_know(&self, pointer: &str) -> bool {
        let names: Vec<&str> = pointer.split('/').skip(1).collect();
        let is_name = |name: &&&str| name.parse::<usize>().is_err();
        let name = names.iter().rfind(is_name).copied().unwrap_or_default();
        let record = &self.texts[names[1].parse::<usize>().expect("the number of a process")];
        let is_message = names.contains(&"unexpected_messages");
        let (of, _) = pointer.rsplit_once('/').expect("a field is of something");
        match name {
            // A rank may not say which call it stays in.
            "function" | "needed" if names.contains(&"activity") => !record["stays"].is_null(),
            "awaited" => !is_message && !record["stays"].is_null(),
            // Ranks cannot know where the library keeps a message.
            "buffer" => !is_message && self.report.pointer(of).unwrap()["system_buffer"] == false,
            // Protocols and modes are recorded only where they are certain.
            "extra_text" => {
                let text = self.report.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
                !is_message && !text.starts_with("protocol: ") && !text.is_empty()
            }
            _ if name.starts_with("actual_") => !self.is_cancelled(of),
            _ => !NOT_COMPARED.contains(&name),
        }
    }

    /// Has the rank cancelled this receive? Its message then belongs to no receive.
    fn is_cancelled(&self, operation: &str) -> bool {
        let process: usize = operation.split('/').nth(2).unwrap().parse().unwrap();
        let buffer = &self.report.pointer(operation).expect("it is there")["buffer"];
        let communicators = elements(&self.texts[process], "/communicators").iter();
        let mut receives = communicators.flat_map(|it| elements(it, "/receives"));
        receives.any(|it| it["cancelled"] == true && it["buffer"] == *buffer)
    }

    /// Pointers (RFC 6901) to the queues with elements.
    fn queues(&self) -> Vec<String> {
        let queues = self
            .communicators()
            .into_iter()
            .flat_map(|communicator| QUEUES.map(|queue| format!("{communicator}/{queue}")));
        queues.filter(|queue| !elements(&self.report, queue).is_empty()).collect()
    }

    /// Pointers to the communicators.
    fn communicators(&self) -> Vec<String> {
        let processes = 0..elements(&self.report, "/processes").len();
        let of = |process: usize| {
            let all = format!("/processes/{process}/communicators");
            let count = elements(&self.report, &all).len();
            (0..count).map(move |number| format!("{all}/{number}"))
        };
        processes.flat_map(of).collect()
    }
}

fn elements<'a>(report: &'a Value, pointer: &str) -> &'a [Value] {
    report.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn array<'a>(report: &'a mut Value, pointer: &str) -> &'a mut Vec<Value> {
    report.pointer_mut(pointer).and_then(Value::as_array_mut).expect("it is an array")
}

/// Another value of the same type, or of any type for null.
fn other(value: &Value) -> Value {
    match value {
        Value::Null => json!(1),
        Value::Bool(value) => json!(!value),
        Value::Number(value) => json!(value.as_i64().expect("a whole number") + 1),
        Value::String(value) if value == "pending" => json!("matched"),
        Value::String(value) if value.starts_with("0x") => json!("0x7"),
        Value::String(value) => json!(format!("{value}x")),
        Value::Array(_) | Value::Object(_) => Value::Null,
    }
}

/// Pointers to all values below one that have no others below them.
fn leaves(value: &Value, pointer: &str) -> Vec<String> {
    match value {
        Value::Array(values) if !values.is_empty() => {
            let each = values.iter().enumerate();
            each.flat_map(|(at, value)| leaves(value, &format!("{pointer}/{at}"))).collect()
        }
        Value::Object(fields) => {
            let each = fields.iter();
            each.flat_map(|(name, value)| leaves(value, &format!("{pointer}/{name}"))).collect()
        }
        _ => vec![pointer.to_owned()],
    }
}

#[test]
fn what_mqd_showed_is_right() {
    let jobs = Job::all();
    for job in &jobs {
        assert_eq!(job.judge(&job.report), [], "{}", job.name);
    }
    // Each queue has elements somewhere; otherwise the tests below would not cover it.
    for name in ["companion", "openmpi"] {
        let of_library = || jobs.iter().filter(|job| job.name == name);
        for queue in QUEUES {
            let mut all = of_library().flat_map(Job::queues);
            assert!(all.any(|pointer| pointer.ends_with(queue)), "{name}: no {queue}");
        }
        let report = |job: &Job| job.report.to_string();
        assert!(of_library().any(|job| report(job).contains("\"matched\"")), "{name}");
    }
}

/// Each field of each process, one after the other, has another value. With the companion runtime
/// all but [`NOT_COMPARED`] and a few of its texts are known.
#[test]
fn every_wrong_field_is_noticed() {
    for job in Job::all().iter().filter(|job| job.coverage == Coverage::COMPANION) {
        let mut unnoticed = Vec::new();
        let mut noticed = 0;
        for pointer in leaves(&job.report["processes"], "/processes") {
            let mut report = job.report.clone();
            let value = report.pointer_mut(&pointer).expect("it is there");
            *value = other(value);
            match (job.judge(&report).is_empty(), job.can_know(&pointer)) {
                (true, true) => unnoticed.push(pointer),
                (true, false) => {}
                (false, _) => noticed += 1,
            }
        }
        assert!(unnoticed.is_empty(), "{}: {unnoticed:#?}", job.name);
        assert!(noticed > 100, "{}: only {noticed} fields are compared", job.name);
    }
}

#[test]
fn a_missing_operation_is_noticed() {
    for job in Job::all() {
        for queue in job.queues() {
            for at in 0..elements(&job.report, &queue).len() {
                job.must_reject(&format!("{queue} without {at}"), |report| {
                    array(report, &queue).remove(at);
                });
            }
        }
    }
}

#[test]
fn an_extra_operation_is_noticed() {
    for job in Job::all() {
        for queue in job.queues() {
            for at in 0..elements(&job.report, &queue).len() {
                job.must_reject(&format!("{queue} with {at} twice"), |report| {
                    let queue = array(report, &queue);
                    queue.insert(at, queue[at].clone());
                });
            }
        }
    }
}

/// The order counts among posted receives, and among messages of one sender.
#[test]
fn a_wrong_order_is_noticed() {
    let mut swaps = BTreeMap::from([("pending_receives", 0), ("unexpected_messages", 0)]);
    for job in Job::all() {
        for (queue, same) in [
            ("pending_receives", ["status", "status"]),
            ("unexpected_messages", ["status", "actual_global_rank"]),
        ] {
            let queues = job.queues().into_iter().filter(|pointer| pointer.ends_with(queue));
            for pointer in queues {
                let all = elements(&job.report, &pointer);
                let comparable = |a: &Value, b: &Value| {
                    a["status"] == "pending" && same.iter().all(|field| a[field] == b[field])
                };
                for at in 1..all.len() {
                    let (one, two) = (&all[at - 1], &all[at]);
                    // Messages that differ only in their place are the same to a rank.
                    let alike = ["actual_tag", "actual_length", "desired_tag", "desired_length"]
                        .iter()
                        .all(|field| one[field] == two[field]);
                    if comparable(one, two) && !(alike && queue == "unexpected_messages") {
                        job.must_reject(&format!("{pointer}: {at} before the one before"), |it| {
                            array(it, &pointer).swap(at - 1, at);
                        });
                        *swaps.entry(queue).or_default() += 1;
                    }
                }
            }
        }
    }
    assert!(swaps.values().all(|count| *count > 0), "{swaps:?}");
}

#[test]
fn a_missing_communicator_or_process_is_noticed() {
    for job in Job::all() {
        for process in 0..elements(&job.report, "/processes").len() {
            job.must_reject(&format!("no process {process}"), |report| {
                array(report, "/processes").remove(process);
            });
            let communicators = format!("/processes/{process}/communicators");
            for at in 0..elements(&job.report, &communicators).len() {
                job.must_reject(&format!("{communicators} without {at}"), |report| {
                    array(report, &communicators).remove(at);
                });
                job.must_reject(&format!("{communicators} with {at} twice"), |report| {
                    let all = array(report, &communicators);
                    all.push(all[at].clone());
                });
            }
        }
        job.must_reject("a process twice", |report| {
            let all = array(report, "/processes");
            all.push(all[0].clone());
        });
    }
}

#[test]
fn an_error_and_a_queue_that_is_not_known_are_noticed() {
    for job in Job::all() {
        job.must_reject("an error", |report| {
            report["processes"][0]["errors"] = json!([{ "kind": "other", "text": "it failed" }]);
        });
        for communicator in job.communicators() {
            job.must_reject(&format!("{communicator}: a queue is not known"), |report| {
                let communicator = report.pointer_mut(&communicator).expect("it is there");
                communicator["not_known"] = json!(["unexpected_messages"]);
            });
        }
    }
}

/// Less is known about Open MPI, but no rank, tag or length may be wrong.
#[test]
fn every_wrong_envelope_of_open_mpi_is_noticed() {
    let fields = [
        "status",
        "desired_local_rank",
        "desired_global_rank",
        "tag_wild",
        "desired_tag",
        "system_buffer",
        "actual_local_rank",
        "actual_global_rank",
        "actual_tag",
        "actual_length",
    ];
    for job in Job::all().iter().filter(|job| job.coverage == Coverage::OPEN_MPI) {
        for queue in job.queues() {
            for at in 0..elements(&job.report, &queue).len() {
                let is_cancelled = job.is_cancelled(&format!("{queue}/{at}"));
                for field in fields {
                    if is_cancelled && field.starts_with("actual_") {
                        continue;
                    }
                    job.must_reject(&format!("{queue}/{at}/{field}"), |report| {
                        let value = &mut array(report, &queue)[at][field];
                        *value = other(value);
                    });
                }
            }
        }
    }
}

/// The tally counts what is wrong.
#[test]
fn the_tally_counts_what_is_wrong() {
    for job in Job::all() {
        let count = |report: &Value| {
            let ranks = 0..job.records.len() as i64;
            let tallies = ranks.map(|rank| tally(job.coverage, &job.records, rank, report));
            tallies.fold(Tally::default(), |sum, it| Tally {
                expected: sum.expected + it.expected,
                missing: sum.missing + it.missing,
                extra: sum.extra + it.extra,
                wrong_fields: sum.wrong_fields + it.wrong_fields,
            })
        };
        let right = count(&job.report);
        assert!(right.expected > 0, "{right:?}");
        assert_eq!((right.missing, right.extra), (0, 0), "{}: {right:?}", job.name);
        for queue in job.queues() {
            let mut report = job.report.clone();
            array(&mut report, &queue).pop();
            assert_eq!(count(&report).missing, right.missing + 1, "{}: {queue}", job.name);
            let mut report = job.report.clone();
            let more = array(&mut report, &queue);
            more.push(more[0].clone());
            assert_eq!(count(&report).extra, right.extra + 1, "{}: {queue}", job.name);
            // Messages are compared in the order of their arrival, which the ranks cannot know.
            if queue.ends_with("unexpected_messages") {
                continue;
            }
            let mut report = job.report.clone();
            let tag = &mut array(&mut report, &queue)[0]["desired_tag"];
            *tag = json!(123_456);
            let wrong = count(&report).wrong_fields;
            assert_eq!(wrong, right.wrong_fields + 1, "{}: {queue}", job.name);
        }
    }
}
