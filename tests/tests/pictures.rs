//! `mqd graph` and `mqd watch` on real jobs: one that is deadlocked, and one whose messages the
//! test controls.

#[path = "../../mqd-host-harness/report/tests/support/browser.rs"]
mod browser;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};

use browser::Page;
use mqd_tests::{PATIENCE, Running, fixture, mpiexec, prefix, run, text, wait_for};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

/// `fixtures/deadlock.c`, hung.
struct Deadlock {
    job: Running,
}

impl Deadlock {
    fn start() -> Deadlock {
        let job = Running::start(&mut mpiexec(&["-n", "4", text(&fixture("deadlock"))]));
        let deadlock = Deadlock { job };
        // Three sends and a receive, and the messages of the sends have come.
        wait_for("all ranks hang", || (deadlock.rows().len() == 7).then_some(()));
        deadlock
    }

    fn pid(&self) -> String {
        self.job.child.id().to_string()
    }

    fn mqd(&self, arguments: &[&str]) -> String {
        let (code, stdout, stderr) =
            run(prefix().command("mqd").args(arguments).args(["--job", &self.pid()]));
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        stdout
    }

    /// The operations as `mqd dump` has them: rank, queue, peer, tag, bytes.
    fn rows(&self) -> Vec<[String; 5]> {
        let (_, stdout, _) =
            run(prefix().command("mqd").args(["dump", "-f", "json", "--job", &self.pid()]));
        let Ok(report) = serde_json::from_str::<Value>(&stdout) else { return Vec::new() };
        let mut rows = Vec::new();
        for process in report["processes"].as_array().expect("processes") {
            for communicator in process["communicators"].as_array().expect("communicators") {
                for (queue, words, way) in [
                    ("pending_sends", "pending send", "to"),
                    ("pending_receives", "pending receive", "from"),
                    ("unexpected_messages", "unexpected message", "from"),
                ] {
                    rows.extend(communicator[queue].as_array().expect("a queue").iter().map(
                        |operation| {
                            let peer = format!("{way} rank {}", operation["desired_global_rank"]);
                            let [rank, tag, bytes] = [
                                &process["rank"],
                                &operation["desired_tag"],
                                &operation["desired_length"],
                            ]
                            .map(Value::to_string);
                            [rank, words.to_owned(), peer, tag, bytes]
                        },
                    ));
                }
            }
        }
        rows
    }
}

#[test]
fn a_deadlock_in_the_browser() {
    let deadlock = Deadlock::start();
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let file = directory.path().join("job.html");
    assert_eq!(deadlock.mqd(&["graph", "-o", text(&file)]), "");

    let mut page = Page::open(&file, "light", "");
    let cells = "[...document.querySelectorAll('#table tbody tr')].map(row => [0, 1, 2, 4, \
                 5].map(index => row.cells[index].textContent))";
    assert_eq!(page.evaluate(cells), json!(deadlock.rows()));
    let verdict = page.evaluate("document.querySelector('.verdict strong').textContent");
    assert_eq!(verdict, "Deadlocked:");
    let marked = page.evaluate(
        "[...document.querySelectorAll('.mqd-graph .node.deadlock .title')].map(title => \
         title.textContent)",
    );
    assert_eq!(marked, json!(["rank 2", "rank 3"]));
    assert_eq!(page.complaints, Vec::<String>::new());
    assert_eq!(page.requests, [format!("file://{}", file.display())]);
}

#[test]
fn a_deadlock_in_the_other_formats() {
    let deadlock = Deadlock::start();
    let csv = deadlock.mqd(&["graph", "-f", "csv"]);
    let field =
        |line: &str, column: usize| line.split(',').nth(column).expect("a column").to_owned();
    let mut rows: Vec<[String; 4]> =
        csv.lines().skip(1).map(|line| [0, 1, 2, 14].map(|column| field(line, column))).collect();
    rows.sort();
    let expected = [
        ["0", "1", "send", "false"],
        ["0", "1", "unexpected", "false"],
        ["1", "2", "send", "false"],
        ["1", "2", "unexpected", "false"],
        ["2", "3", "send", "true"],
        ["2", "3", "unexpected", "false"],
        ["3", "2", "receive", "true"],
    ];
    assert_eq!(rows, expected.map(|row| row.map(str::to_owned)));
    assert!(deadlock.mqd(&["graph", "-f", "dot"]).starts_with("digraph mqd {"));
    let svg = deadlock.mqd(&["graph", "--format", "svg"]);
    assert_eq!(
        (svg.matches("class=\"node deadlock\"").count(), svg.matches("class=\"node\"").count()),
        (2, 2)
    );
}

#[test]
fn several_snapshots_are_a_timeline() {
    let deadlock = Deadlock::start();
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let at = |name: &str| directory.path().join(name);
    for name in ["a.mqd", "b.mqd"] {
        deadlock.mqd(&["capture", "-o", text(&at(name))]);
    }
    let (code, stdout, stderr) = run(prefix().command("mqd").args([
        "graph",
        text(&at("a.mqd")),
        text(&at("b.mqd")),
        "-o",
        text(&at("job.html")),
    ]));
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "", ""));
    let mut page = Page::open(&at("job.html"), "dark", "");
    let rows = "[...document.querySelector('#timeline').parentElement.querySelectorAll('tbody \
                tr')].map(row => row.cells[row.cells.length - 1].textContent)";
    assert_eq!(page.evaluate(rows), json!(["The first look", "0 of 4"]));

    // The same of live processes.
    deadlock.mqd(&["graph", "--count", "3", "--every", "0.01", "-o", text(&at("live.html"))]);
    assert_eq!(
        Page::open(&at("live.html"), "light", "")
            .evaluate("document.querySelectorAll('#timeline ~ .scroll tbody tr').length"),
        3
    );
    assert_eq!(page.complaints, Vec::<String>::new());
}

#[test]
fn wrong_usage_of_graph_and_watch() {
    let usage = |arguments: &[&str], says: &str| {
        let (code, stdout, stderr) = run(prefix().command("mqd").args(arguments));
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.contains(says), "{arguments:?}: {stderr}");
    };
    usage(&["graph", "1"], "--format");
    usage(&["graph", "1", "-o", "/tmp/x.png"], "the name of the output file does not tell");
    usage(&["graph", "1", "-f", "png"], "possible values: dot, svg, html, csv");
    usage(&["watch", "/dev/null"], "only live processes change");
    usage(&["watch", "1", "--count", "0"], "a positive number");
    let (code, _, stderr) = run(prefix().command("mqd").args(["watch", "--pid", "4194305"]));
    assert_eq!(code, 3, "{stderr}");
}

/// Rank 1 receives messages with the tags 1, 2, 3 one after the other; rank 0 sends each once there
/// is a file `go1`, `go2`, `go3`.
const MOVING: &str = r#"
    #include <mpi.h>
    #include <stdio.h>
    #include <unistd.h>
    int main(int argc, char **argv)
    {
        int rank, value = 0;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        for (int tag = 1; tag <= 3; tag++) {
            char go[4096];
            snprintf(go, sizeof go, "%s/go%d", argv[1], tag);
            if (rank == 0) {
                while (access(go, F_OK) != 0)
                    usleep(1000);
                MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
            } else {
                MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                printf("received %d\n", tag);
                fflush(stdout);
            }
        }
        MPI_Finalize();
        return 0;
    }"#;

struct Moving {
    job: Running,
    directory: tempfile::TempDir,
}

impl Moving {
    fn start() -> Moving {
        let directory = tempfile::tempdir().expect("there is room for temporary files");
        let program = mqd_tests::compile(directory.path(), MOVING);
        let job =
            Running::start(&mut mpiexec(&["-n", "2", text(&program), text(directory.path())]));
        let pid = job.child.id().to_string();
        wait_for("rank 1 waits for its first message", || {
            let (_, stdout, _) =
                run(prefix().command("mqd").args(["dump", "--job", &pid, "--rank", "1"]));
            stdout.contains("from rank 0  tag 1  4 bytes").then_some(())
        });
        Moving { job, directory }
    }

    fn go(&self, tag: usize) {
        File::create(self.directory.path().join(format!("go{tag}")))
            .expect("the directory is writable");
    }

    fn pid(&self) -> String {
        self.job.child.id().to_string()
    }
}

/// The output of a process, line by line. The process is ended when this is dropped.
struct Lines {
    child: Child,
    lines: Receiver<String>,
}

impl Lines {
    fn of(arguments: &[&str]) -> Lines {
        let mut command = prefix().command("mqd");
        let mut child = command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("mqd can be started");
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok())
        });
        Lines { child, lines }
    }

    /// The lines up to and including this one.
    #[track_caller]
    fn until(&self, wanted: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => seen.push(line),
                Err(error) => panic!("no {wanted:?} ({error}) after {seen:#?}"),
            }
            if seen.last().is_some_and(|line| line.contains(wanted)) {
                return seen;
            }
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn watch_sees_messages_move() {
    let mut moving = Moving::start();
    let mut watch = Lines::of(&["watch", "--every", "0.02", "--job", &moving.pid()]);
    let first = watch.until("receive from rank 0, MPI_COMM_WORLD, tag 1, 4 bytes: at least 0.0 s");
    assert!(
        first[0].starts_with("look 1, ")
            && first[0].ends_with(
                ": 2 processes, 0 pending sends, 1 pending receive, 0 unexpected messages"
            ),
        "{first:?}"
    );
    watch.until("nothing has moved");
    for tag in 1..3 {
        moving.go(tag);
        watch.until("  rank 1");
        // What rank 1 has received, and what it waits for now: in this order at one look, or the
        // receive is not posted yet and comes with a later one.
        watch.until(&format!("gone: receive from rank 0, MPI_COMM_WORLD, tag {tag}, 4 bytes"));
        let now = format!("  receive from rank 0, MPI_COMM_WORLD, tag {}, 4 bytes: ", tag + 1);
        let line = watch.until(&now).pop().expect("the line itself");
        assert!(!line.contains("at least"), "it was not there at the first look: {line}");
        moving.job.wait_for_lines(&[&format!("received {tag}")]);
    }
    moving.go(3);
    watch.until("the job has ended");
    assert_eq!(watch.child.wait().expect("it is our child").code(), Some(0));
    assert_eq!(moving.job.wait(), 0);
}

#[test]
fn watch_ends_after_its_looks_and_leaves_the_job_running() {
    let moving = Moving::start();
    let (code, stdout, stderr) = run(prefix().command("mqd").args([
        "watch",
        "--count",
        "3",
        "--every",
        "0.01",
        &moving.pid(),
    ]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    let heads: Vec<_> = stdout
        .lines()
        .filter(|line| line.starts_with("look "))
        .map(|line| line.split(',').next().expect("a word"))
        .collect();
    assert_eq!(heads, ["look 1", "look 2", "look 3"]);
    let pids = fs::read_to_string(format!("/proc/{0}/task/{0}/children", moving.pid()))
        .expect("the launcher runs");
    for pid in pids.split_whitespace() {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the rank runs");
        assert!(status.contains("TracerPid:\t0\n") && !status.contains("(stopped)"), "{status}");
    }
}

/// On a terminal (that of `script`), the screen is restored however the command ends.
#[test]
fn watch_gives_the_terminal_back() {
    let moving = Moving::start();
    let mqd = prefix().command("mqd");
    let mqd = text(Path::new(mqd.get_program())).to_owned();
    for end in ["key", "signal"] {
        let mut script = mqd_tests::command("script");
        script.args([
            "-qefc",
            &format!(
                "stty rows 30 cols 100; echo $$; exec {mqd} watch --every 0.05 {}",
                moving.pid()
            ),
            "/dev/null",
        ]);
        let mut child = script
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script, a part of util-linux or bsdutils");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut pid = String::new();
        output.read_line(&mut pid).expect("script writes");
        let mut seen = Vec::new();
        // Until the second look is shown.
        while !String::from_utf8_lossy(&seen).contains("look 2, ") {
            assert!(
                output.read_until(b'h', &mut seen).expect("script writes") > 0,
                "{}",
                String::from_utf8_lossy(&seen)
            );
        }
        match end {
            "key" => {
                child.stdin.as_mut().expect("a pipe").write_all(b"\x03").expect("script reads")
            }
            _ => mqd_tests::send(
                pid.trim().parse().expect("the number of a process"),
                Signal::SIGTERM,
            ),
        }
        while output.read_until(b'h', &mut seen).expect("script writes") > 0 {}
        let seen = String::from_utf8_lossy(&seen);
        let (begin, finish) = (seen.find("\u{1b}[?1049h"), seen.rfind("\u{1b}[?1049l"));
        assert!(
            begin.is_some()
                && begin < finish
                && seen.rfind("\u{1b}[?25h") > seen.rfind("\u{1b}[?25l"),
            "{end}: {seen}"
        );
        assert_eq!(child.wait().expect("it is our child").code(), Some(0), "{end}");
    }
}
