//! `mqd conform`: our own debug DLL passes every check, and DLLs with one mistake each fail those
//! that the mistake is about, and no others.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mqd_tests::{Running, command, mpi, prefix, run, text};
use serde_json::Value;
use tempfile::TempDir;
use testkit::cores::gcore;
use testkit::mpi::Mpi;
use testkit::workspace::root;

/// The scenario, running.
struct Scenario {
    job: Running,
    directory: TempDir,
}

impl Scenario {
    /// Compiles what `mqd conform --scenario` prints, as its readers are told to, and starts it.
    fn start(mpi: &Mpi) -> Scenario {
        let directory = tempfile::tempdir().expect("there is room for temporary files");
        let (code, source, _) = run(prefix().command("mqd").args(["conform", "--scenario"]));
        assert_eq!(code, 0);
        let file = directory.path().join("scenario.c");
        std::fs::write(&file, source).expect("the directory is writable");
        let program = mpi.compile_file(&file, directory.path()).expect("the scenario compiles");
        let job = Running::start(&mut mpi.launch(3, &program, &[], directory.path()));
        job.wait_for_lines(&["ready"]);
        Scenario { job, directory }
    }

    fn pid(&self) -> String {
        self.job.child.id().to_string()
    }

    /// Core files of its ranks.
    fn cores(&self) -> Vec<PathBuf> {
        let (_, ranks, _) =
            run(prefix().command("mqd").args(["ranks", "--format", "json", &self.pid()]));
        let ranks: Value = serde_json::from_str(&ranks).expect("mqd writes JSON");
        let pids = ranks["processes"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|rank| rank["pid"].as_u64());
        pids.map(|pid| gcore(self.directory.path(), pid).expect("gcore works")).collect()
    }
}

/// What a run of `mqd conform` says.
struct Report {
    code: i32,
    checks: Value,
}

impl Report {
    fn of(dll: &Path, faulty: Option<&str>, arguments: &[&str]) -> Report {
        let mut mqd = prefix().command("mqd");
        mqd.args(["conform", text(dll), "--format", "json"]).args(arguments);
        if let Some(mistake) = faulty {
            mqd.env("FAULTY", mistake).env("FAULTY_REAL", ours());
        }
        let (code, stdout, stderr) = run(&mut mqd);
        let report: Value = serde_json::from_str(&stdout)
            .unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
        assert_eq!(stderr, "", "{stderr}");
        assert_eq!(report["schema_version"], "1.0");
        Report { code, checks: report["checks"].clone() }
    }

    /// The names of the checks with this verdict.
    fn with(&self, verdict: &str) -> BTreeSet<&str> {
        let checks = self.checks.as_array().into_iter().flatten();
        let checks = checks.filter(|check| check["verdict"] == verdict);
        checks.map(|check| check["id"].as_str().expect("a name")).collect()
    }

    /// The checks that fail, for people.
    fn failures(&self) -> String {
        let checks = self.checks.as_array().into_iter().flatten();
        checks
            .filter(|check| check["verdict"] == "fail")
            .map(|check| format!("{check:#}\n"))
            .collect()
    }

    /// All reasons of a check.
    fn reasons(&self, id: &str) -> String {
        let checks = self.checks.as_array().into_iter().flatten();
        let check = checks.filter(|check| check["id"] == id);
        check.map(|check| check["findings"].to_string()).collect()
    }
}

fn ours() -> PathBuf {
    prefix().directory.join("lib/libmqd.so")
}

/// Nothing fails, and all that can be judged is judged.
fn passes(report: &Report, not_applicable: &[&str]) {
    assert_eq!(report.with("fail"), BTreeSet::new(), "{}", report.failures());
    assert_eq!(report.code, 0);
    assert_eq!(report.with("not_applicable"), not_applicable.iter().copied().collect());
    assert!(report.with("pass").len() > 50, "{}", report.with("pass").len());
}

#[test]
fn ours_passes_on_the_companion_runtime() {
    let scenario = Scenario::start(&mpi("companion"));
    let live = Report::of(&ours(), None, &["--job", &scenario.pid()]);
    passes(&live, &["no-function", "no-rank"]);
    let cores = scenario.cores();
    let mut arguments = vec!["--core"];
    arguments.extend(cores.iter().map(|core| text(core)));
    passes(&Report::of(&ours(), None, &arguments), &["no-function", "no-rank"]);
}

#[test]
fn ours_passes_on_debian_open_mpi() {
    let scenario = Scenario::start(&mpi("openmpi"));
    let live = Report::of(&ours(), None, &["--job", &scenario.pid()]);
    passes(&live, &["no-field", "no-function", "no-rank"]);
    let cores = scenario.cores();
    let mut arguments = vec!["--core"];
    arguments.extend(cores.iter().map(|core| text(core)));
    passes(&Report::of(&ours(), None, &arguments), &["no-field", "no-function", "no-rank"]);
}

/// Mistakes, and the checks that they are about.
const MISTAKES: [(&str, &[&str]); 19] = [
    ("none", &[]),
    ("global-rank", &["desired-global-rank"]),
    ("any-source", &["desired-local-rank"]),
    ("tag", &["desired-tag"]),
    ("length", &["desired-length"]),
    ("status", &["status"]),
    ("buffer", &["buffer"]),
    ("system-buffer", &["system-buffer"]),
    ("actual-length", &["actual-length"]),
    ("size", &["get-comm-group", "size"]),
    ("local-rank", &["local-rank"]),
    ("group", &["get-comm-group"]),
    // It keeps the queue that it has turned round for all processes.
    ("reversed", &["iteration-state", "order-of-receives"]),
    ("message", &["image-message"]),
    ("no-text", &["error-strings"]),
    ("allocates", &["allocation"]),
    ("overrun", &["blocks"]),
    ("foreign-free", &["blocks"]),
    ("no-unexpected", &["setup-operation-iterator", "unexpected-messages"]),
];

/// Mistakes that cause others.
const WORSE: [(&str, &[&str]); 9] = [
    ("name", &["name", "active-communicators"]),
    ("lost-receive", &["receives"]),
    ("twice", &["nothing-else"]),
    ("end", &["operations-end"]),
    ("endless", &["operations-end", "nothing-else"]),
    ("first-only", &["operations-restart"]),
    ("leak", &["memory-given-back"]),
    ("silent", &["no-data"]),
    ("global-state", &["iteration-state"]),
];

#[test]
fn each_mistake_is_found() {
    let scenario = Scenario::start(&mpi("companion"));
    let dll = scenario.directory.path().join("libfaulty.so");
    let (code, _, stderr) = run(command("cc")
        .args(["-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"])
        .arg("-I")
        .arg(root().join("mqs-abi/include"))
        .arg(root().join("fixtures/faulty_dll.c"))
        .arg("-o")
        .arg(&dll)
        .arg("-ldl"));
    assert_eq!(code, 0, "{stderr}");
    let job = ["--job", &scenario.pid()];
    for (mistake, checks) in MISTAKES {
        let report = Report::of(&dll, Some(mistake), &job);
        let expected: BTreeSet<&str> = checks.iter().copied().collect();
        assert_eq!(report.with("fail"), expected, "{mistake}: {}", report.failures());
        assert_eq!(report.code, if checks.is_empty() { 0 } else { 5 }, "{mistake}");
    }
    for (mistake, checks) in WORSE {
        let report = Report::of(&dll, Some(mistake), &job);
        for check in checks {
            assert!(report.with("fail").contains(check), "{mistake}: {}", report.failures());
        }
        assert!(report.with("pass").contains("version-string"), "{mistake}");
        assert_eq!(report.code, 5, "{mistake}");
    }
    let report = Report::of(&dll, Some("crash"), &job);
    let reasons = report.reasons("update-communicator-list");
    assert!(reasons.contains("crashed while it read the process (signal 11"), "{reasons}");
    assert!(
        report.with("fail").contains("sends") && report.with("pass").contains("version-string")
    );
    let report = Report::of(&dll, Some("crash-no-memory"), &job);
    assert_eq!(report.with("fail"), BTreeSet::from(["no-memory"]));
    let reasons = report.reasons("no-memory");
    assert!(reasons.contains("signal 11") && reasons.contains(": call 1 of "), "{reasons}");
    let report = Report::of(&dll, Some("exit"), &job);
    let reasons = report.reasons("destroy-image");
    assert!(reasons.contains("ended the program that ran it (exit code 3)"), "{reasons}");
    let arguments = ["--job", &scenario.pid(), "--dll-timeout", "0.5"];
    let report = Report::of(&dll, Some("hangs"), &arguments);
    let reasons = report.reasons("sends");
    assert!(reasons.contains("did not come to an end within 0.5 seconds"), "{reasons}");
    assert!(report.reasons("operations-end").contains("not tried"), "{:#}", report.checks);
}

#[test]
fn other_processes_and_dlls() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    // It is no debug DLL.
    let mut sleep = command("sleep").arg("1000").spawn().expect("sleep is there");
    let pid = sleep.id().to_string();
    let libm = directory.path().join("libnothing.so");
    let (code, _, stderr) =
        run(command("cc").args(["-shared", "-x", "c", "/dev/null", "-o"]).arg(&libm));
    assert_eq!(code, 0, "{stderr}");
    let report = Report::of(&libm, None, &["--pid", &pid]);
    assert_eq!((report.code, report.with("fail")), (4, BTreeSet::from(["loads"])));
    assert!(report.reasons("loads").contains("is not a debug DLL"), "{:#}", report.checks);
    // It is no MPI program.
    let report = Report::of(&ours(), None, &["--pid", &pid]);
    assert_eq!(report.code, 5);
    assert_eq!(report.with("fail"), BTreeSet::from(["image-has-queues"]), "{:#}", report.checks);
    assert!(report.with("pass").contains("version-string"));
    sleep.kill().expect("it is ours");
    sleep.wait().expect("it is ours");
}
