//! Pictures of reports: what is in them, compared with files that were checked by hand and with
//! what the reports were made of.

mod support;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use mqd_report::changes::{Look, Tracker};
use mqd_report::check::{Certainty, Diagnosis, Verdict, Wait};
use mqd_report::graph::{self, Graph, GraphOptions, NodeKind, Runs};
use mqd_report::render;
use mqd_report::{Communicator, Operation, Problem, ProblemKind, Process, Queue, Report};
use std::time::{Duration, UNIX_EPOCH};
use support::{golden, jobs};

fn sample() -> Report {
    serde_json::from_str(&std::fs::read_to_string(golden::path("report.json")).unwrap()).unwrap()
}

fn ring(size: i64) -> Graph {
    Graph::new(&jobs::ring(size), Some(&jobs::ring_diagnosis(size)), &GraphOptions::default())
}

/// Everything pending, by kind.
fn totals(report: &Report) -> [u64; 3] {
    let communicators = || report.processes.iter().flat_map(|process| &process.communicators);
    Queue::ALL.map(|queue| {
        communicators().map(|communicator| communicator.queue(queue).len() as u64).sum()
    })
}

/// The same of a graph.
fn drawn(graph: &Graph) -> [u64; 3] {
    Queue::ALL.map(|queue| {
        graph
            .arrows
            .iter()
            .filter(|arrow| arrow.what == graph::ArrowKind::Queue(queue))
            .map(|arrow| arrow.count)
            .sum()
    })
}

#[test]
fn the_sample_in_every_format() {
    let graph = Graph::new(&sample(), None, &GraphOptions::default());
    golden::check("graph.dot", &graph::dot(&graph));
    golden::check("graph.svg", &graph::svg(&graph));
    golden::check("graph.csv", &graph::csv(&Graph::new(&sample(), None, &GraphOptions::ALL)));
}

/// The picture of the README.
#[test]
fn the_picture_in_the_documentation() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/deadlock.svg");
    golden::check_file(&file, &graph::svg(&ring(4)));
}

#[test]
fn a_large_job_in_groups() {
    let report = jobs::large(10_000);
    let graph = Graph::new(&report, None, &GraphOptions::default());
    golden::check("graph-large.dot", &graph::dot(&graph));
    assert_eq!(drawn(&graph), totals(&report));
    let titles: Vec<_> =
        graph.nodes.iter().map(|node| (node.kind, node.ranks.to_string())).collect();
    assert_eq!(
        titles,
        [
            (NodeKind::Ranks, "0".into()),
            (NodeKind::Ranks, "1-9999".into()),
            (NodeKind::AnySource, String::new())
        ]
    );
    assert!(
        graph.remarks[0].starts_with("Ranks that behave alike are one node"),
        "{:?}",
        graph.remarks
    );
}

#[test]
fn a_ring_in_groups_keeps_the_deadlock_apart() {
    let graph = ring(1000);
    let nodes: Vec<_> =
        graph.nodes.iter().map(|node| (node.ranks.to_string(), node.deadlock)).collect();
    let expected = [("0", false), ("1-997", false), ("998", true), ("999", true)];
    assert_eq!(nodes, expected.map(|(ranks, deadlock)| (ranks.to_owned(), deadlock)));
    let marked: Vec<_> = graph
        .arrows
        .iter()
        .filter(|arrow| arrow.deadlock)
        .map(|arrow| (arrow.from, arrow.to, arrow.count))
        .collect();
    assert_eq!(marked, [(2, 3, 1), (3, 2, 1)]);
}

#[test]
fn all_that_is_pending_is_in_some_arrow() {
    for report in [sample(), jobs::ring(4), jobs::ring(40), jobs::all_to_all(12), jobs::large(50)] {
        for group_above in [0, 1000] {
            let graph =
                Graph::new(&report, None, &GraphOptions { group_above, ..GraphOptions::ALL });
            assert_eq!(drawn(&graph), totals(&report));
            let mut ranks: Vec<usize> =
                graph.nodes.iter().flat_map(|node| node.processes.clone()).collect();
            ranks.sort_unstable();
            assert!(
                ranks.iter().copied().eq(0..report.processes.len()),
                "each process is in one node"
            );
        }
    }
}

#[test]
fn what_makes_ranks_differ() {
    let base = jobs::large(40);
    let groups = |change: &dyn Fn(&mut Process)| {
        let mut report = base.clone();
        change(&mut report.processes[20]);
        let graph = Graph::new(&report, None, &GraphOptions::default());
        graph
            .nodes
            .iter()
            .filter(|node| node.kind == NodeKind::Ranks)
            .map(|node| node.ranks.to_string())
            .collect::<Vec<_>>()
    };
    let alike = ["0", "1-39"];
    let differ = ["0", "1-19, 21-39", "20"];
    let other_tag = Operation {
        desired_tag: Some(8),
        ..base.processes[20].communicators[0].pending_sends[0].clone()
    };
    assert_eq!(groups(&|_| {}), alike);
    assert_eq!(
        groups(&|process| process.communicators[0].pending_sends[0].desired_length = 1),
        alike
    );
    assert_eq!(groups(&|process| drop(process.communicators[0].pending_sends.remove(0))), alike);
    assert_eq!(groups(&|process| process.activity = None), differ);
    assert_eq!(groups(&|process| process.errors.push(in_part())), differ);
    assert_eq!(groups(&|process| process.communicators[0].name = "other".into()), differ);
    assert_eq!(
        groups(&|process| process.communicators[0].pending_sends.push(other_tag.clone())),
        differ
    );
    let elsewhere = Operation {
        desired_local_rank: 39,
        desired_global_rank: Some(39),
        ..jobs::operation(39, 7, 8)
    };
    assert_eq!(
        groups(&|process| process.communicators[0].pending_sends.push(elsewhere.clone())),
        differ
    );
}

#[test]
fn what_has_no_room_is_told() {
    // Every rank waits for another tag.
    let mut report = jobs::all_to_all(100);
    for (tag, process) in (0..).zip(&mut report.processes) {
        process.communicators[0]
            .pending_sends
            .iter_mut()
            .for_each(|send| send.desired_tag = Some(tag));
    }
    let graph = Graph::new(
        &report,
        None,
        &GraphOptions { nodes: 10, arrows: 30, ..GraphOptions::default() },
    );
    assert_eq!(
        (graph.nodes.len(), graph.nodes.last().unwrap().kind, graph.arrows.len()),
        (10, NodeKind::Rest, 30)
    );
    assert_eq!(graph.nodes.last().unwrap().name, "91 more ranks in 91 groups");
    let remarks = graph.remarks.join("\n");
    assert!(
        remarks.contains("The ranks behave in 100 different ways; 91 of them are in one node here"),
        "{remarks}"
    );
    assert!(
        remarks.contains("--nodes 100")
            && remarks.contains("30 of ")
            && remarks.contains("`mqd graph -f csv` has all of them"),
        "{remarks}"
    );
    let svg = graph::svg(&graph);
    assert!(svg.contains("--nodes 100"), "the picture itself tells");
    // A deadlock is drawn whatever else is left out.
    let waits = |report: &Report, diagnosis: &Diagnosis| {
        Graph::new(report, Some(diagnosis), &GraphOptions { nodes: 3, arrows: 2, group_above: 0 })
    };
    let graph = waits(&jobs::ring(50), &jobs::ring_diagnosis(50));
    assert_eq!(graph.arrows.iter().filter(|arrow| arrow.deadlock).count(), 2);
}

#[test]
fn a_rank_in_a_collective_operation_waits_for_those_that_have_not_called_it() {
    let report = Report::new(
        (0..3)
            .map(|rank| {
                jobs::process(rank, "MPI_Barrier", vec![jobs::communicator("all", 1, rank, 3)])
            })
            .collect(),
    );
    let mut diagnosis = jobs::ring_diagnosis(3);
    let model = diagnosis.findings[0].waits[0].clone();
    let wait = |rank: i64, on: &str| Wait {
        rank,
        on: on.parse().unwrap(),
        function: Some("MPI_Barrier".into()),
        queue: None,
        index: None,
        communicator_name: "all".into(),
        ..model.clone()
    };
    diagnosis.findings[0].waits = vec![wait(0, "1-2"), wait(1, "0")];
    let graph = Graph::new(&report, Some(&diagnosis), &GraphOptions::default());
    let arrows: Vec<_> =
        graph.arrows.iter().map(|arrow| (arrow.from, arrow.to, arrow.deadlock)).collect();
    assert_eq!(arrows, [(0, 1, true), (0, 2, true), (1, 0, true)]);
    assert!(graph::csv(&graph).contains("0,1,collective,MPI_Barrier,all,"));
}

#[test]
fn csv_has_a_row_for_each_arrow_and_counts_all() {
    let report = jobs::large(200);
    let graph = Graph::new(&report, None, &GraphOptions::ALL);
    let text = graph::csv(&graph);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns = reader.headers().unwrap().clone();
    let column = |name: &str| columns.iter().position(|column| column == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), graph.arrows.len());
    let total: u64 = rows.iter().map(|row| row[column("count")].parse::<u64>().unwrap()).sum();
    assert_eq!(total, totals(&report).iter().sum::<u64>());
    let bytes: i64 =
        rows.iter().map(|row| row[column("bytes_total")].parse::<i64>().unwrap()).sum();
    let operations = |communicator: &Communicator| {
        Queue::ALL
            .map(|queue| {
                communicator
                    .queue(queue)
                    .iter()
                    .map(|operation| operation.desired_length)
                    .sum::<i64>()
            })
            .iter()
            .sum::<i64>()
    };
    assert_eq!(
        bytes,
        report
            .processes
            .iter()
            .flat_map(|process| &process.communicators)
            .map(operations)
            .sum::<i64>()
    );
}

/// Graphviz takes what is meant for it, and has the same nodes and arrows.
#[test]
fn graphviz_draws_the_dot_file() {
    let mut hostile = jobs::ring(3);
    hostile.processes[0].communicators[1].name = "a \"quoted\\ name\" <b> \\".into();
    let graphs = [
        Graph::new(&sample(), None, &GraphOptions::default()),
        ring(4),
        Graph::new(&jobs::large(10_000), None, &GraphOptions::default()),
        Graph::new(&hostile, None, &GraphOptions::default()),
    ];
    for graph in graphs {
        let mut dot = Command::new("dot")
            .arg("-Tsvg")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("Graphviz: install graphviz");
        dot.stdin.take().unwrap().write_all(graph::dot(&graph).as_bytes()).unwrap();
        let output = dot.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        let svg = String::from_utf8(output.stdout).unwrap();
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let document = roxmltree::Document::parse_with_options(&svg, options).unwrap();
        let of_class = |class: &str| {
            document
                .descendants()
                .filter(|node| {
                    node.attribute("class").is_some_and(|all| all.split(' ').next() == Some(class))
                })
                .count()
        };
        assert_eq!((of_class("node"), of_class("edge")), (graph.nodes.len(), graph.arrows.len()));
    }
}

#[test]
fn svg_is_well_formed_and_has_every_node_and_arrow() {
    for graph in [
        Graph::new(&sample(), None, &GraphOptions::default()),
        ring(4),
        ring(64),
        Graph::new(
            &jobs::all_to_all(30),
            None,
            &GraphOptions { group_above: 100, ..GraphOptions::default() },
        ),
    ] {
        let svg = graph::svg(&graph);
        let document = roxmltree::Document::parse(&svg).unwrap();
        let root = document.root_element();
        assert_eq!(
            (root.tag_name().name(), root.tag_name().namespace()),
            ("svg", Some("http://www.w3.org/2000/svg"))
        );
        let with = |attribute: &str| {
            document.descendants().filter(|node| node.attribute(attribute).is_some()).count()
        };
        // An arrow and its label.
        assert_eq!(
            (with("data-node"), with("data-arrow")),
            (graph.nodes.len(), 2 * graph.arrows.len())
        );
        assert!(
            !svg.contains("http://") || svg.matches("http://").count() == 1,
            "nothing is loaded"
        );
        assert_eq!(graph::svg(&graph), svg, "the same graph is the same picture");
    }
}

/// What a hundred thousand ranks cost: files that stay small.
#[test]
fn files_of_a_hundred_thousand_ranks() {
    let report = jobs::large(100_000);
    let graph = Graph::new(&report, None, &GraphOptions::default());
    assert!(graph::svg(&graph).len() < 20_000 && graph::dot(&graph).len() < 10_000);
    assert!(graph::csv(&Graph::new(&report, None, &GraphOptions::ALL)).len() < 10_000);
}

#[test]
fn looks_in_words() {
    let at = |seconds: u64| Some(UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds));
    let mut second = jobs::ring(4);
    // The message with tag 8 comes, and matches; rank 0 sends twice more.
    second.processes[3].communicators[1].pending_receives[0].status = mqd_report::Status::Matched;
    let again = second.processes[0].communicators[1].pending_sends[0].clone();
    second.processes[0].communicators[1].pending_sends.extend([again.clone(), again]);
    second.processes[1].communicators[1].unexpected_messages.clear();
    second.processes[2].errors.push(in_part());
    let mut moving = jobs::ring_diagnosis(4);
    (moving.verdict, moving.reason, moving.findings) =
        (Verdict::NotDeadlocked, "all ranks can go on".to_owned(), Vec::new());
    let mut suspected = jobs::ring_diagnosis(4);
    suspected.verdict = Verdict::Insufficient;
    suspected.findings[0].certainty = Certainty::Suspected;
    let mut tracker = Tracker::default();
    let mut text = String::new();
    for (number, (seconds, report, diagnosis)) in (1..).zip([
        (0, jobs::ring(4), suspected),
        (5, second.clone(), moving),
        (5, second, jobs::ring_diagnosis(4)),
    ]) {
        let look = Look { at: at(seconds * number), report };
        let changes = tracker.look(look.at, &look.report);
        text += &(render::look(usize::try_from(number).unwrap(), &look, &changes, &diagnosis)
            .join("\n")
            + "\n\n");
    }
    golden::check("looks.txt", &text);
}

#[test]
fn runs_of_the_filter_and_of_the_label() {
    let ranks: Runs = (0..10).step_by(3).collect();
    assert_eq!(
        (ranks.to_string().as_str(), ranks.filter().as_deref()),
        ("0-9 step 3", Some("0-9:3"))
    );
}

fn in_part() -> Problem {
    Problem::new(ProblemKind::Queues, "in part")
}
