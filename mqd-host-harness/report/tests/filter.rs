//! Filters on a report.

mod support;

use mqd_report::filter::{Filter, Numbers};
use mqd_report::{Queue, Report};
use support::golden;

fn sample() -> Report {
    let text = std::fs::read_to_string(golden::path("report.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn apply(filter: Filter) -> Report {
    let mut report = sample();
    filter.apply(&mut report);
    report
}

fn numbers(text: &str) -> Vec<Numbers> {
    text.split(',').map(|part| part.parse().unwrap()).collect()
}

/// Rank, communicator, queue, desired tag, actual tag.
type Found<'a> = (i64, &'a str, Queue, Option<i64>, Option<i64>);

/// Every operation of a report.
fn operations(report: &Report) -> Vec<Found<'_>> {
    let mut all = Vec::new();
    for process in &report.processes {
        for communicator in &process.communicators {
            for queue in Queue::ALL {
                for operation in communicator.queue(queue) {
                    let rank = process.rank.unwrap();
                    all.push((
                        rank,
                        communicator.name.as_str(),
                        queue,
                        operation.desired_tag,
                        operation.actual_tag,
                    ));
                }
            }
        }
    }
    all
}

#[test]
fn an_empty_filter_keeps_everything() {
    assert!(Filter::default().is_empty());
    assert_eq!(apply(Filter::default()), sample());
}

#[test]
fn ranks() {
    let report = apply(Filter { ranks: numbers("0,2-3"), ..Filter::default() });
    let ranks: Vec<_> = report.processes.iter().map(|process| process.rank).collect();
    // The one of unknown rank could not be read: it may be one of those.
    assert_eq!(ranks, [Some(0), Some(2), Some(3), None]);
}

#[test]
fn communicators_by_name_and_id() {
    let filter = Filter {
        communicators: vec!["Zeile ü".into(), "0x55d0c0000400".into()],
        ..Filter::default()
    };
    let report = apply(filter);
    let names: Vec<_> = report.processes[0]
        .communicators
        .iter()
        .map(|communicator| communicator.name.as_str())
        .collect();
    assert_eq!(names, ["Zeile ü", ""]);
    assert!(report.processes[1..].iter().all(|process| process.communicators.is_empty()));
    // The two of one name.
    let report = apply(Filter { communicators: vec!["row".into()], ..Filter::default() });
    assert_eq!(report.processes[1].communicators.len(), 2);
}

#[test]
fn tags_let_wildcards_through() {
    use Queue::{Receives, Sends, Unexpected};
    let tagged =
        |text| apply(Filter { ranks: numbers("0"), tags: numbers(text), ..Filter::default() });
    // A receive with MPI_ANY_TAG can match any tag, as long as nothing has matched it.
    assert_eq!(
        operations(&tagged("7")),
        [
            (0, "MPI_COMM_WORLD", Sends, Some(7), Some(7)),
            (0, "MPI_COMM_WORLD", Receives, None, None)
        ]
    );
    assert_eq!(
        operations(&tagged("12")),
        [
            (0, "MPI_COMM_WORLD", Receives, None, None),
            (0, "MPI_COMM_WORLD", Receives, None, Some(12))
        ]
    );
    assert_eq!(
        operations(&tagged("5-9")),
        [
            (0, "MPI_COMM_WORLD", Sends, Some(7), Some(7)),
            (0, "MPI_COMM_WORLD", Receives, None, None),
            (0, "MPI_COMM_WORLD", Receives, Some(5), Some(5)),
            (0, "MPI_COMM_WORLD", Unexpected, Some(9), Some(9)),
        ]
    );
}

#[test]
fn queues() {
    let report = apply(Filter { queues: vec![Queue::Unexpected], ..Filter::default() });
    let found = operations(&report);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|(_, _, queue, ..)| *queue == Queue::Unexpected));
    let report = apply(Filter { queues: vec![Queue::Sends, Queue::Receives], ..Filter::default() });
    assert_eq!(operations(&report).len(), 12);
}

#[test]
fn ranges() {
    assert_eq!("0-7".parse(), Ok(Numbers(0..=7)));
    assert_eq!("3".parse(), Ok(Numbers(3..=3)));
    for wrong in ["", "-", "-3", "3-", "7-3", "a", "1-2-3", "99999999999"] {
        assert!(wrong.parse::<Numbers>().is_err(), "{wrong}");
    }
}

#[test]
fn a_filter_can_be_read_back() {
    let filter = Filter {
        ranks: numbers("0,2-3"),
        communicators: vec!["row".into()],
        tags: numbers("5"),
        queues: vec![Queue::Sends, Queue::Unexpected],
    };
    assert_eq!(filter.to_string(), "--rank 0,2-3 --comm row --tag 5 --queue sends,unexpected");
}
