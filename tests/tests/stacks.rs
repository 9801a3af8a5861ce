//! Where in the program each rank is: what `mqd` shows is what the ranks of `fixtures/where.c` have
//! recorded.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use mqd_tests::{Running, command, fixture_for, mpi, prefix, run, text, wait_for};
use serde_json::{Value, json};

/// How many ranks the program has.
const RANKS: usize = 4;

/// The job, and where its ranks are: functions and lines from the innermost one outwards.
struct Job {
    running: Running,
    directory: tempfile::TempDir,
    said: Vec<Vec<(String, u64)>>,
}

impl Job {
    fn start(name: &str) -> Job {
        let mpi = mpi(name);
        let program = fixture_for(&mpi, "where");
        let directory = tempfile::tempdir().expect("there is room for temporary files");
        let running = Running::start(&mut mpi.launch(RANKS, &program, &[], directory.path()));
        let mut records: Vec<Value> = wait_for("all ranks say where they are", || {
            let lines = running.stdout();
            let records = lines.lines().map(serde_json::from_str).collect::<Result<Vec<_>, _>>();
            records.ok().filter(|records| records.len() == RANKS)
        });
        records.sort_by_key(|record| record["rank"].as_u64());
        let frame = |frame: &Value| {
            let name = frame[0].as_str().expect("a name").to_owned();
            (name, frame[1].as_u64().expect("a line"))
        };
        let said = records
            .iter()
            .map(|record| record["frames"].as_array().into_iter().flatten().map(frame).collect());
        Job { said: said.collect(), running, directory }
    }

    fn pid(&self) -> String {
        self.running.child.id().to_string()
    }

    /// The MPI function that a rank will be in.
    fn function(rank: usize) -> Option<&'static str> {
        [Some("MPI_Recv"), Some("MPI_Recv"), Some("MPI_Barrier"), None][rank]
    }

    /// Whether a report shows what the ranks have recorded.
    fn is_shown(&self, report: &Value) -> bool {
        let processes = report["processes"].as_array().expect("processes");
        assert_eq!(processes.len(), RANKS);
        (0..RANKS).all(|rank| self.is_there(rank, &processes[rank]["stacks"][0]))
    }

    fn is_there(&self, rank: usize, stack: &Value) -> bool {
        let function = Job::function(rank);
        let frames = stack["frames"].as_array().map(Vec::as_slice).unwrap_or_default();
        let (entry, own) = frames.split_at(usize::from(function.is_some()).min(frames.len()));
        let found: Vec<(String, u64)> = own
            .iter()
            .filter_map(|frame| {
                let file = frame["file"].as_str()?;
                assert!(file.ends_with("/fixtures/where.c"), "{frame}");
                Some((frame["function"].as_str()?.to_owned(), frame["line"].as_u64()?))
            })
            .collect();
        stack["in_mpi"] == function.is_some()
            && entry.first().map(|frame| &frame["function"])
                == function.map(|name| json!(name)).as_ref()
            && found == self.said[rank]
            && found.len() == own.len()
    }

    /// Waits until all ranks have arrived; what `mqd dump` shows of them then.
    fn arrived(&self) -> Value {
        wait_for("all ranks are where they said", || {
            let report = mqd_json(&["dump", "--job", &self.pid()]);
            self.is_shown(&report).then_some(report)
        })
    }

    /// `exchange (where.c:32)`: a frame that a rank has named.
    fn place(&self, rank: usize, frame: usize) -> String {
        let (function, line) = &self.said[rank][frame];
        format!("{function} (where.c:{line})")
    }
}

fn mqd(arguments: &[&str]) -> String {
    let mut mqd = prefix().command("mqd");
    let (code, stdout, stderr) = run(mqd.args(arguments).stdin(Stdio::null()));
    assert!(matches!(code, 0 | 5 | 10..=12), "exit code {code}: {stdout}{stderr}");
    stdout
}

fn mqd_json(arguments: &[&str]) -> Value {
    let text = mqd(&[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The stacks of a report.
fn stacks(report: &Value) -> Vec<Value> {
    let processes = report["processes"].as_array().into_iter().flatten();
    processes.map(|process| process["stacks"].clone()).collect()
}

fn everywhere(name: &str) {
    let job = Job::start(name);
    let report = job.arrived();
    let launcher = job.pid();

    let dump = mqd(&["dump", "--job", &launcher]);
    for expected in [
        format!("in MPI_Recv, called from {}", job.place(0, 0)),
        format!("in MPI_Barrier, called from {}", job.place(2, 0)),
        format!("in no MPI call: in {}", job.place(3, 0)),
    ] {
        assert!(dump.contains(&expected), "{expected}: {dump}");
    }

    let diagnosis = mqd_json(&["check", "--job", &launcher]);
    let findings = diagnosis["findings"].as_array().expect("findings");
    assert!(!findings.is_empty(), "{diagnosis}");
    for finding in findings {
        let places = finding["places"].as_array().expect("places");
        assert!(!places.is_empty(), "{finding}");
    }
    let check = mqd(&["check", "--job", &launcher]);
    assert!(check.contains(&format!("in MPI_Recv, called from {}", job.place(0, 0))), "{check}");

    let page = job.directory.path().join("job.html");
    mqd(&["graph", "--job", &launcher, "-o", text(&page)]);
    let page = fs::read_to_string(page).expect("a page");
    for rank in 0..RANKS {
        assert!(page.contains(&job.place(rank, 1)), "rank {rank}");
        assert!(page.contains(&format!("at where.c:{}", job.said[rank][0].1)), "rank {rank}");
    }

    merged(&job);
    kept(&job, &report);
}

/// `mqd stacks`: in all formats, and who moves.
fn merged(job: &Job) {
    let launcher = job.pid();
    let merged = mqd_json(&["stacks", "--job", &launcher, "--samples", "3"]);
    assert_eq!(
        (&merged["samples"], &merged["processes"], &merged["moved"]),
        (&json!(3), &json!(RANKS), &json!(""))
    );
    let groups = merged["groups"].as_array().expect("groups");
    let ranks: Vec<&Value> = groups.iter().map(|group| &group["ranks"]).collect();
    assert_eq!(ranks.last(), Some(&&json!("0-1")), "{merged}");
    assert!(ranks[..ranks.len() - 1].iter().all(|ranks| [json!("2"), json!("3")].contains(ranks)));
    let alone = groups.iter().find(|group| group["ranks"] == "3").expect("rank 3 is alone");
    assert_eq!(alone["doing"], format!("in no MPI call: in {}", job.place(3, 0)));
    let tree = merged["tree"].as_array().expect("a tree");
    let leaf = tree.iter().find(|branch| branch["frame"] == job.place(3, 0)).expect("it is there");
    assert_eq!(
        (&leaf["ranks"], &leaf["stacks"], &leaf["end"]),
        (&json!("3"), &json!(3), &json!(3))
    );
    let mut at = leaf;
    let mut path = vec![at["frame"].clone()];
    while let Some(parent) = at["parent"].as_u64() {
        at = &tree[usize::try_from(parent).expect("an index")];
        path.push(at["frame"].clone());
    }
    assert_eq!(path, [0, 1, 2].map(|frame| json!(job.place(3, frame))));

    let folded = mqd(&["stacks", "--job", &launcher, "--format", "folded"]);
    let line = |rank: usize, last: &str, count: usize| {
        let frames = [2, 1, 0].map(|frame| job.place(rank, frame));
        format!("{}{last} {count}", frames.join(";"))
    };
    let mut lines: Vec<&str> = folded.lines().collect();
    lines.sort_unstable();
    let mut expected = [line(0, ";MPI_Recv", 2), line(2, ";MPI_Barrier", 1), line(3, "", 1)];
    expected.sort_unstable();
    assert_eq!(lines, expected);

    let text = mqd(&["stacks", "--job", &launcher]);
    assert!(
        text.contains(&format!("rank 3 alone is in no MPI call: in {}", job.place(3, 0))),
        "{text}"
    );
    assert!(text.contains(&format!("[0-1] {}", job.place(0, 2))), "{text}");
}

/// Core files and snapshots have the same stacks; a redacted snapshot has no file names.
fn kept(job: &Job, live: &Value) {
    let directory = job.directory.path();
    let snapshot = directory.join("job.mqd");
    mqd(&["capture", "--job", &job.pid(), "-o", text(&snapshot)]);
    assert!(job.is_shown(&mqd_json(&["dump", text(&snapshot)])));
    let redacted = directory.join("public.mqd");
    mqd(&["capture", text(&snapshot), "-o", text(&redacted), "--redact"]);
    let report = mqd_json(&["dump", text(&redacted)]);
    assert!(!report.to_string().contains("where"), "{report}");
    let functions = |report: &Value| -> Vec<Value> {
        let stacks = stacks(report);
        let frames =
            stacks.iter().flat_map(|stacks| stacks[0]["frames"].as_array().into_iter().flatten());
        frames.map(|frame| frame["function"].clone()).collect()
    };
    assert_eq!(functions(&report), functions(live));

    let cores: Vec<PathBuf> = live["processes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|process| {
            let pid = process["pid"].to_string();
            let name = directory.join("core");
            let (code, stdout, stderr) =
                run(command("gcore").arg("-o").arg(&name).arg(&pid).stdin(Stdio::null()));
            assert_eq!(code, 0, "{stdout}{stderr}");
            directory.join(format!("core.{pid}"))
        })
        .collect();
    let arguments: Vec<&str> =
        ["dump", "--core"].into_iter().chain(cores.iter().map(|core| text(core))).collect();
    assert!(job.is_shown(&mqd_json(&arguments)));
}

#[test]
fn companion() {
    everywhere("companion");
}

#[test]
fn debian_open_mpi() {
    everywhere("openmpi");
}

#[test]
fn open_mpi_5() {
    everywhere("openmpi-5.0.11");
}

/// gdb finds the same frames, with files, lines and addresses.
#[test]
fn in_gdb() {
    for name in ["companion", "openmpi"] {
        let job = Job::start(name);
        let expected = stacks(&job.arrived());
        let file = job.directory.path().join("report.json");
        let script = prefix().directory.join("share/mqd/gdb/mqd.py");
        let (_, stdout, stderr) = run(Command::new("gdb")
            .args(["-nx", "-batch", "-iex", "set debuginfod enabled off"])
            .args(["-ex", &format!("source {}", script.display())])
            .args(["-ex", &format!("mqd attach-job {}", job.pid())])
            .args(["-ex", &format!("mqd dump -json '{}'", file.display())])
            .stdin(Stdio::null()));
        let report =
            fs::read_to_string(file).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
        let mut found = stacks(&serde_json::from_str(&report).expect("a report"));
        let mut expected = expected;
        // A rank that computes is stopped at another instruction of its line each time.
        for stacks in [&mut found, &mut expected] {
            stacks[3][0]["frames"][0]["address"].take();
        }
        assert_eq!(found, expected, "{name}");
    }
}

/// A process without MPI, or before MPI_Init: its queues cannot be read, its stack can.
#[test]
fn without_queues() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let program = mqd_tests::compile(
        directory.path(),
        "#include <mpi.h>\n#include <unistd.h>\nstatic void prepare(void)\n{\n    pause();\n}\n\
         int main(int argc, char **argv)\n{\n    prepare();\n    \
         return MPI_Init(&argc, &argv);\n}\n",
    );
    let running = Running::start(&mut Command::new(program));
    let pid = running.child.id().to_string();
    let expected = "in no MPI call: in pause+";
    let place = "called from prepare (program.c:5)";
    wait_for("the stack before MPI_Init", || {
        let (_, stdout, _) =
            run(prefix().command("mqd").args(["dump", "--pid", &pid]).stdin(Stdio::null()));
        (stdout.contains(expected) && stdout.contains(place)).then_some(())
    });
}

/// Ranks before MPI_Init, and in it: the reason is named, and no other one. Open MPI's own debug
/// DLL would blame a component.
#[test]
fn before_the_end_of_mpi_init() {
    let mpi = mpi("openmpi");
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let source = directory.path().join("early.c");
    let text = "#include <mpi.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
                int main(int argc, char **argv)\n{\n    \
                if (atoi(getenv(\"OMPI_COMM_WORLD_RANK\")) == 0)\n        pause();\n    \
                return MPI_Init(&argc, &argv);\n}\n";
    fs::write(&source, text).expect("the directory is writable");
    let program = mpi.compile_file(&source, directory.path()).expect("the program compiles");
    let running = Running::start(&mut mpi.launch(2, &program, &[], directory.path()));
    let pid = running.child.id().to_string();
    let (report, complaints) = wait_for("one rank pauses, and one is in MPI_Init", || {
        let mqd = ["dump", "--job", &pid];
        let (_, stdout, stderr) = run(prefix().command("mqd").args(mqd).stdin(Stdio::null()));
        let places = ["in no MPI call: in pause+", "in MPI_Init, called from main"];
        places.iter().all(|place| stdout.contains(place)).then_some((stdout, stderr))
    });
    assert_eq!(report.matches("MPI is not initialised yet").count(), 2, "{report}");
    for text in [report, complaints] {
        assert!(!text.contains("ob1"), "{text}");
    }
}
