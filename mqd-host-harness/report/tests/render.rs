//! Reports as text, compared with files that were checked by hand.

mod support;

use mqd_report::changes::{Look, Tracker};
use mqd_report::check::check;
use mqd_report::filter::Filter;
use mqd_report::render::{self, HumanOptions};
use mqd_report::{Queue, Report};
use support::{golden, jobs};

fn sample() -> Report {
    let text = std::fs::read_to_string(golden::path("report.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn filtered(filter: Filter) -> String {
    let mut report = sample();
    filter.apply(&mut report);
    render::human(&report, &HumanOptions { filter, ..HumanOptions::default() })
}

#[test]
fn json_is_what_it_was_read_from() {
    golden::check("report.json", &render::json(&sample()));
}

#[test]
fn human() {
    golden::check("human.txt", &render::human(&sample(), &HumanOptions::default()));
}

#[test]
fn human_verbose() {
    let options = HumanOptions { verbose: true, ..HumanOptions::default() };
    golden::check("human-verbose.txt", &render::human(&sample(), &options));
}

#[test]
fn colours_add_nothing_but_colour() {
    let plain = render::human(&sample(), &HumanOptions::default());
    let coloured =
        render::human(&sample(), &HumanOptions { color: true, ..HumanOptions::default() });
    assert_ne!(plain, coloured);
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
}

#[test]
fn no_control_character_of_the_target_reaches_the_terminal() {
    let plain =
        render::human(&sample(), &HumanOptions { verbose: true, ..HumanOptions::default() });
    let control: Vec<_> =
        plain.chars().filter(|character| character.is_control() && *character != '\n').collect();
    assert_eq!(control, []);
}

#[test]
fn human_with_a_filter_calls_nothing_empty_that_it_left_out() {
    let filter = Filter {
        ranks: vec!["0-1".parse().unwrap()],
        tags: vec!["17".parse().unwrap()],
        queues: vec![Queue::Receives],
        ..Filter::default()
    };
    golden::check("human-filtered.txt", &filtered(filter));
}

#[test]
fn human_without_processes() {
    let text = render::human(&Report::new(Vec::new()), &HumanOptions::default());
    assert_eq!(
        text,
        "0 processes read: 0 pending sends, 0 pending receives, 0 unexpected messages\n"
    );
}

#[test]
fn csv() {
    golden::check("report.csv", &render::csv(&sample()));
}

#[test]
fn csv_has_a_row_for_each_operation() {
    let report = sample();
    let text = render::csv(&report);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let operations = report.processes.iter().flat_map(|process| &process.communicators);
    let operations: usize = operations
        .map(|communicator| {
            Queue::ALL.map(|queue| communicator.queue(queue).len()).iter().sum::<usize>()
        })
        .sum();
    assert_eq!(reader.records().map(Result::unwrap).count(), operations);
    assert_eq!(operations, 14);
}

#[test]
fn the_committed_schema_is_the_one_of_the_code() {
    let committed =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/report.schema.json");
    golden::check_file(&committed, &mqd_report::json_schema_text());
}

/// A queue that was not read is never said to be empty.
#[test]
fn what_is_not_known_is_not_empty() {
    let mut report = sample();
    report.processes.truncate(1);
    let process = &mut report.processes[0];
    process.communicators.truncate(2);
    for communicator in &mut process.communicators {
        for queue in Queue::ALL {
            communicator.queue_mut(queue).clear();
        }
        communicator.collectives = None;
        communicator.not_known = Queue::ALL.to_vec();
    }
    let unread = render::human(&report, &HumanOptions::default());
    assert!(!unread.contains("nothing pending") && !unread.contains("0 pending"), "{unread}");
    let all = "pending sends, pending receives, unexpected messages not known in ";
    assert!(unread.contains(all), "{unread}");
    let summary = "1 process read: pending sends not known, pending receives not known, \
                   unexpected messages not known";
    assert!(unread.contains(summary), "{unread}");

    for communicator in &mut report.processes[0].communicators {
        communicator.not_known = vec![Queue::Unexpected];
    }
    let in_part = render::human(&report, &HumanOptions::default());
    assert!(in_part.contains("unexpected messages not known in "), "{in_part}");
    assert!(in_part.contains("; nothing else pending"), "{in_part}");
    assert!(in_part.contains("0 pending receives, unexpected messages not known"), "{in_part}");
}

#[test]
fn the_committed_schema_of_stacks_is_the_one_of_the_code() {
    let committed =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/stacks.schema.json");
    golden::check_file(&committed, &mqd_report::stacks::json_schema_text());
}

/// A thousand ranks are a screen: those that are alike, and those that are not.
#[test]
fn processes_that_are_alike_are_one() {
    let ring = jobs::ring(1000);
    let text = render::human(&ring, &HumanOptions::default());
    assert!(text.lines().count() < 30, "{text}");
    for line in [
        "rank 0, pid 18576, /home/me/deadlock",
        "ranks 1-998 (998 processes that are alike; r is the rank of each), /home/me/deadlock",
        "rank 999, pid 19575, /home/me/deadlock",
        "  ring: 1000 ranks",
        "    * to rank r+1  tag 7  4 bytes  pending",
        "      from rank r-1  tag 7  4 bytes",
    ] {
        assert!(text.lines().any(|known| known == line), "{line}: {text}");
    }
    let all = render::human(&ring, &HumanOptions { all: true, ..HumanOptions::default() });
    assert_eq!(all.lines().filter(|line| line.starts_with("rank ")).count(), 1000);
    assert!(!all.contains("alike"));
    // Ranks with the same peers are alike too, and small jobs are shown in full.
    let in_call = |size| {
        let world = |rank| jobs::communicator("MPI_COMM_WORLD", 0, rank, size);
        let ranks = (0..size).map(|rank| jobs::process(rank, "MPI_Allreduce", vec![world(rank)]));
        render::human(&Report::new(ranks.collect()), &HumanOptions::default())
    };
    assert!(
        in_call(64).starts_with("ranks 0-63 (64 processes that are alike), "),
        "{}",
        in_call(64)
    );
    assert_eq!(in_call(16).matches("rank ").count(), 16, "{}", in_call(16));
}

/// A flood of messages is a line.
#[test]
fn a_long_queue_is_put_together() {
    let mut world = jobs::communicator("MPI_COMM_WORLD", 0, 0, 100);
    let from = |peer: i64, tags: std::ops::Range<i64>| {
        tags.map(move |tag| jobs::operation(peer, tag, 4 + tag % 5))
    };
    world.unexpected_messages.extend(from(1, 0..49_000).chain(from(2, 7..1007)));
    let report = Report::new(vec![jobs::process(0, "MPI_Recv", vec![world.clone()])]);
    let text = render::human(&report, &HumanOptions::default());
    for line in [
        "    50000 unexpected messages",
        "      49000 x from rank 1  tags 0 to 48999  4 to 8 bytes",
        "      1000 x from rank 2   tags 7 to 1006   4 to 8 bytes",
    ] {
        assert!(text.lines().any(|known| known == line), "{line}: {text}");
    }
    assert!(text.lines().count() < 10, "{text}");
    let all = render::human(&report, &HumanOptions { all: true, ..HumanOptions::default() });
    assert!(all.lines().count() > 50_000);
    // Too many peers share one line.
    world.unexpected_messages = (1..100).flat_map(|peer| from(peer, 3..4)).collect();
    let report = Report::new(vec![jobs::process(0, "MPI_Recv", vec![world])]);
    let text = render::human(&report, &HumanOptions::default());
    assert!(text.contains("      99 x from 99 peers  tag 3  7 bytes\n"), "{text}");
}

/// A rank in a collective operation waits, even where no message of the program is pending.
#[test]
fn a_look_at_ranks_in_a_collective_operation() {
    let world = |rank| jobs::communicator("MPI_COMM_WORLD", 0, rank, 3);
    let ranks = (0..3).map(|rank| jobs::process(rank, "MPI_Allreduce", vec![world(rank)]));
    let mut report = Report::new(ranks.collect());
    report.processes[2].activity = Some(mqd_report::Activity::NONE);
    let changes = Tracker::default().look(None, &report);
    let diagnosis = check(&report);
    let lines = render::look(1, &Look { at: None, report }, &changes, &diagnosis);
    let end = &lines[lines.len() - 2..];
    let waits = "2 processes in MPI_Allreduce, with nothing of the program pending";
    assert_eq!(end, [waits, "nothing pending in 1 process"], "{lines:?}");
}
