//! Reports as targets, from files and from standard input; `mqd ranks`.

mod support;

use std::fs::{self, File};
use std::path::Path;
use std::process::Output;

use mqd_report::check::check;
use mqd_report::graph::{self, Graph, GraphOptions};
use mqd_report::{Report, render};
use support::mqd;
use support::toy::{Running, Workshop};

/// The report that the tests of `mqd-report` use.
fn golden() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../report/tests/golden/report.json")
        .display()
        .to_string()
}

fn report() -> Report {
    Report::from_json(&fs::read(golden()).unwrap()).unwrap()
}

/// Runs `mqd` with a file as its standard input.
fn piped(arguments: &[&str], file: &str) -> Output {
    mqd::command().args(arguments).stdin(File::open(file).unwrap()).output().unwrap()
}

#[test]
fn a_file_and_standard_input_are_the_same() {
    let file = golden();
    for arguments in [
        &["dump"][..],
        &["dump", "--format", "csv"],
        &["dump", "--rank", "0,2", "--queue", "receives"],
        &["check"],
        &["check", "--format", "json"],
        &["graph", "--format", "dot"],
        &["graph", "--format", "html"],
    ] {
        let named = mqd::command().args(arguments).arg(&file).output().unwrap();
        let input = piped(&[arguments, &["-"]].concat(), &file);
        assert!(!named.stdout.is_empty(), "{arguments:?}: {named:?}");
        assert_eq!(named.stdout, input.stdout, "{arguments:?}");
        assert_eq!(named.status.code(), input.status.code(), "{arguments:?}");
    }
}

#[test]
fn commands_show_what_the_library_makes_of_a_report() {
    let file = golden();
    let report = report();
    let run = mqd::run(["dump", "--format", "json", &file]);
    // Not all of its processes were read completely.
    assert_eq!((run.code, run.report().processes), (Some(5), report.processes.clone()));

    let run = mqd::run(["check", "--format", "json", &file]);
    assert_eq!(run.stdout, render::json(&check(&report)));

    let run = mqd::run(["graph", "--format", "svg", &file]);
    let diagnosis = check(&report);
    let picture = Graph::new(&report, Some(&diagnosis), &GraphOptions::default());
    assert_eq!(run.stdout, graph::svg(&picture));
}

#[test]
fn snapshots_come_from_standard_input_too() {
    let directory = tempfile::tempdir().unwrap();
    let snapshot = directory.path().join("job.mqd").display().to_string();
    let run = mqd::run(["capture", &golden(), "-o", &snapshot]);
    assert_eq!(run.code, Some(5), "{run:?}");
    let input = piped(&["dump", "--format", "json", "-"], &snapshot);
    let read: Report = serde_json::from_slice(&input.stdout).unwrap();
    assert_eq!(read.processes, report().processes);
}

#[test]
fn what_is_no_report() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file.json").display().to_string();
    for (content, why) in [
        ("{}", "it is not a report"),
        ("{\"schema_version\": \"9.0\", \"x\": 1}", "it is a report of version 9.0"),
        ("{\"schema_version\": \"2.0\", \"processes\": 7}", "it is not a report"),
    ] {
        fs::write(&file, content).unwrap();
        let run = mqd::run(["dump", &file]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{content}");
        assert!(run.stderr.contains(why) && run.stderr.contains(&file), "{run:?}");
        let input = piped(&["check", "-"], &file);
        assert_eq!(input.status.code(), Some(3), "{content}");
        let said = String::from_utf8(input.stderr).unwrap();
        assert!(said.contains("cannot use standard input: ") && said.contains(why), "{said}");
    }
    fs::write(&file, "").unwrap();
    assert_eq!(piped(&["dump", "-"], &file).status.code(), Some(3));
    let run = mqd::run(["watch", &golden()]);
    assert_eq!(run.code, Some(2), "a report does not change: {run:?}");
}

#[test]
fn ranks_of_a_launcher() {
    let workshop = Workshop::new();
    let table = ["localhost", "4711", "far.away", "4712"].map(str::to_owned);
    let launcher = Running::start(&workshop.launcher(&["-g0"], &[]), &table);
    let pid = launcher.pid().to_string();
    let run = mqd::run(["ranks", &pid, "--format", "json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let expected = serde_json::json!({
        "schema_version": "1.1",
        "launcher": launcher.pid(),
        "processes": [
            { "rank": 0, "host": "localhost", "this_host": true, "pid": 4711,
              "executable": "/toy/program" },
            { "rank": 1, "host": "far.away", "this_host": false, "pid": 4712,
              "executable": "/toy/program" },
        ],
        "remarks": [],
    });
    assert_eq!(serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap(), expected);
    let run = mqd::run(["ranks", &pid]);
    let lines = "rank 0: pid 4711, /toy/program\nrank 1: pid 4712 on far.away, /toy/program\n";
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), lines));
    launcher.finish();
    assert_eq!(mqd::run(["ranks", "4194305"]).code, Some(3));
}
