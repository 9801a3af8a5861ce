//! Frames of Python in gdb: those that Python itself knows, and those that `mqd` shows.

#[path = "../../../mqd-host-harness/inspect/tests/process/python/installed.rs"]
mod installed;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use mqd_tests::{Running, mpi, prefix, run, text, wait_for};
use serde_json::Value;
use testkit::packages;
use testkit::workspace::root;

use self::installed::pythons;
use super::{gdb, pids, report_after};

/// A program that says where its threads are: `thread ID`, then `FUNCTION|FILE|LINE` for each frame
/// of Python, the innermost first.
const WHERE: &str = "mqd-host-harness/inspect/tests/process/python/where.py";

/// Says in gdb where the threads are, in the same form.
const SHOW: &str = "
import gdb
from mqd_gdb import stacks, target

gdb.execute('set language c')
for thread in stacks.stacks_of(target.Target(gdb.selected_inferior()), '').threads:
    print('thread', thread.id)
    for frame in thread.frames:
        if frame['file'] and frame['file'].endswith('.py'):
            print('{function}|{file}|{line}'.format(**frame))
";

/// The frames of each thread.
fn by_thread(lines: &str) -> BTreeMap<u32, Vec<String>> {
    let mut threads = BTreeMap::new();
    let mut last = 0;
    for line in lines.lines() {
        if let Some(id) = line.strip_prefix("thread ") {
            last = id.parse().expect("the number of a thread");
        } else if line.matches('|').count() == 2 {
            threads.entry(last).or_insert_with(Vec::new).push(line.to_owned());
        }
    }
    threads
}

/// Each release, live and from a core file of gdb's.
#[test]
fn frames_are_those_that_python_knows() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let show = directory.path().join("show.py");
    fs::write(&show, SHOW).expect("the directory is writable");
    let show = format!("source {}", show.display());
    let core = directory.path().join("core");
    for python in pythons() {
        let mut command = Command::new(&python);
        command.arg("-u").arg(root().join(WHERE)).stdin(Stdio::piped());
        let running = Running::start(&mut command);
        let told = wait_for("both threads say where they are", || {
            let told = by_thread(&running.stdout());
            let has_ended = |frames: &Vec<String>| {
                let last = frames.last().map(String::as_str).unwrap_or_default();
                last.starts_with("<module>") || last.contains("_bootstrap|")
            };
            (told.len() == 2 && told.values().all(has_ended)).then_some(told)
        });
        let attach = format!("attach {}", running.child.id());
        let save = format!("generate-core-file {}", core.display());
        wait_for("gdb shows the same", || {
            let (stdout, _) = gdb(&[&attach, &show, &save]);
            (by_thread(&stdout) == told).then_some(())
        });
        let program = fs::read_link(format!("/proc/{}/exe", running.child.id()));
        let file = format!("file {}", program.expect("it runs").display());
        let (stdout, stderr) = gdb(&[&file, &format!("core-file {}", core.display()), &show]);
        assert_eq!(by_thread(&stdout), told, "{}: {stdout}{stderr}", python.display());
    }
}

/// A job of mpi4py: the stacks are those that `mqd` shows.
#[test]
fn stacks_of_a_job() {
    packages::ensure(&["python3-mpi4py"]);
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let program = root().join("fixtures/hangs/python_recv_recv.py");
    let mut launch = mpi("openmpi").launch(
        2,
        Path::new("/usr/bin/python3"),
        &[text(&program)],
        directory.path(),
    );
    let running = Running::start(&mut launch);
    let job = running.child.id().to_string();
    let expected = wait_for("both ranks receive", || {
        let mut mqd = prefix().command("mqd");
        let (_, stdout, _) = run(mqd.args(["dump", "--format", "json", "--job", &job]));
        let report: Value = serde_json::from_str(&stdout).ok()?;
        let places = places(&report);
        let arrived = |place: &String| place.contains("MPI_") && place.contains("recv.py:15");
        (places.len() == 2 && places.iter().all(arrived)).then_some(places)
    });
    let report = report_after(&[&format!("mqd attach-job {job}")]);
    let report: Value = serde_json::from_str(&report).expect("a report");
    assert_eq!(pids(&report).len(), 2);
    assert_eq!(places(&report), expected);
}

/// The frames of the main threads: functions, files and lines.
fn places(report: &Value) -> Vec<String> {
    let processes = report["processes"].as_array().into_iter().flatten();
    let frames = |process: &Value| {
        let frames = process["stacks"][0]["frames"].as_array().cloned().unwrap_or_default();
        let frame = |frame: &Value| {
            let name = frame["function"].as_str().unwrap_or_default().to_owned();
            format!("{name} {}:{} {}", frame["file"], frame["line"], frame["module"])
        };
        frames.iter().map(frame).collect::<Vec<_>>().join("; ").replace('"', "")
    };
    processes.map(frames).collect()
}
