//! `mqd doctor` on real jobs: what it finds, and how their queues can be read.

use mqd_tests::{mpi, prefix, run, scenario::Scenario, wait_for};
use serde_json::Value;
use testkit::job::Job;

/// The checks of a command line, without those of the machine; and the exit code.
fn doctor(arguments: &[&str]) -> (i32, Vec<Value>) {
    let (code, stdout, stderr) =
        run(prefix().command("mqd").args(["doctor", "--json"]).args(arguments));
    assert_eq!(stderr, "");
    let checks: Vec<Value> = serde_json::from_str(&stdout).expect("an array of checks");
    // The exit code is for all checks; whether core files are enabled depends on the machine.
    let missing = checks.iter().any(|check| check["state"] == "missing");
    assert_eq!(code, if missing { 5 } else { 0 }, "{stdout}");
    (code, checks.into_iter().filter(|check| check["subject"] != "this machine").collect())
}

/// The state and finding of the check with this name.
fn found<'a>(checks: &'a [Value], name: &str) -> &'a str {
    let check = checks.iter().find(|check| check["name"] == name);
    check.unwrap_or_else(|| panic!("no {name} in {checks:?}"))["found"].as_str().expect("a text")
}

fn names(checks: &[Value]) -> Vec<(&str, &str)> {
    checks
        .iter()
        .map(|check| {
            (check["name"].as_str().expect("a name"), check["state"].as_str().expect("a state"))
        })
        .collect()
}

const ALL: [(&str, &str); 7] = [
    ("launcher", "ok"),
    ("process", "ok"),
    ("MPI library", "ok"),
    ("types", "ok"),
    ("other debuggers", "ok"),
    ("transport", "ok"),
    ("queues", "ok"),
];

#[test]
fn companion() {
    let scenario = Scenario::start("receives", 3, &[], &[]);
    let live = scenario.live();
    let (_, checks) = doctor(&["--job", &scenario.pid().to_string()]);
    // Its queues are in no other library.
    let all: Vec<_> = ALL.into_iter().filter(|(name, _)| *name != "transport").collect();
    assert_eq!(names(&checks), all);
    assert!(
        found(&checks, "launcher").starts_with("3 ranks, 3 of them on this machine"),
        "{checks:?}"
    );
    assert_eq!(found(&checks, "types"), "debug information of the library");
    let dll = prefix().directory.join("lib/libmqd.so");
    let loaded = format!("they load {}, ours", dll.display());
    assert_eq!(found(&checks, "other debuggers"), loaded);
    let communicators =
        live["processes"][0]["communicators"].as_array().expect("communicators").len();
    assert!(
        found(&checks, "queues").starts_with(&format!("{communicators} communicators, ")),
        "{checks:?}"
    );

    let core = scenario.gdb_cores(&live).remove(0);
    let (_, checks) = doctor(&["--core", core.to_str().expect("UTF-8")]);
    assert_eq!(
        names(&checks),
        [
            ("core file", "ok"),
            ("MPI library", "ok"),
            ("types", "ok"),
            ("other debuggers", "ok"),
            ("queues", "ok")
        ]
    );
}

#[test]
fn stripped_open_mpi() {
    let scenario = Scenario::start_with(mpi("openmpi"), "receives", 3, &[], |launch| launch);
    scenario.live();
    let (_, checks) = doctor(&["--job", &scenario.pid().to_string()]);
    assert_eq!(names(&checks), ALL);
    assert!(found(&checks, "MPI library").contains(", openmpi 4.1."), "{checks:?}");
    assert!(found(&checks, "types").starts_with("layout table openmpi-4.1"), "{checks:?}");
    assert!(found(&checks, "other debuggers").contains("libompi_dbg_msgq.so"), "{checks:?}");
    let transport = found(&checks, "transport");
    assert_eq!(transport, "Open MPI, PML ob1, layout table openmpi-4.1");
}

/// The library of a job, and what carries its messages, when its queues are read whole.
fn library_and_transport(name: &str) -> (String, String) {
    let scenario = Scenario::start_with(mpi(name), "receives", 3, &[], |launch| launch);
    let pid = scenario.pid().to_string();
    // At first, ranks may not be in their last calls yet.
    let checks = wait_for(&format!("what the doctor says of {name}"), || {
        let (_, checks) = doctor(&["--job", &pid]);
        let queues = checks.iter().find(|check| check["name"] == "queues")?;
        (queues["state"] == "ok").then_some(checks)
    });
    (found(&checks, "MPI library").to_owned(), found(&checks, "transport").to_owned())
}

/// Library, device, provider and tables are named.
#[test]
fn networks() {
    for (name, of_library, of_transport) in [
        (
            "mpich",
            ", mpich 4.0.2",
            "MPICH, ch4:ucx, layout table mpich-4.0; UCX 1.13.1, layout table \
             ucx-1.13-assertions; UCX transports: ",
        ),
        (
            "mpich-5.0.2",
            ", mpich",
            "MPICH, ch4, shared memory, ucx or ofi, layout table mpich-5.0; UCX 1.20.1, layout \
             table ucx-1.20; UCX transports: ",
        ),
        (
            "openmpi-ucx",
            ", openmpi 4.1.4",
            "Open MPI, PML ucx, layout table openmpi-4.1; UCX 1.13.1, layout table \
             ucx-1.13-assertions; UCX transports: ",
        ),
        (
            "openmpi-sockets",
            ", openmpi 4.1.4",
            "Open MPI, PML cm, layout table openmpi-4.1; libfabric 1.17, provider sockets, layout \
             table libfabric-1.17",
        ),
        (
            "intel-2021.19.0",
            ", mpich",
            "Intel MPI, shared memory, layout table mpich-2021.19-intel",
        ),
        (
            "intel-2021.19.0-ofi",
            ", mpich",
            "Intel MPI, shared memory, ofi, layout table mpich-2021.19-intel; libfabric 2.5, \
             provider tcp, layout table libfabric-2.5",
        ),
    ] {
        let (library, transport) = library_and_transport(name);
        assert!(library.ends_with(of_library), "{name}: {library}");
        assert!(transport.starts_with(of_transport), "{name}: {transport}");
    }
}

#[test]
fn the_installation_and_the_debuggers() {
    let (_, stdout, _) = run(prefix().command("mqd").args(["doctor", "--json"]));
    let checks: Vec<Value> = serde_json::from_str(&stdout).expect("an array of checks");
    let prefix = prefix().directory.display().to_string();
    assert!(found(&checks, "installation").ends_with(&prefix), "{checks:?}");
    let script = format!("; its commands: source {prefix}/share/mqd/gdb/mqd.py");
    assert!(found(&checks, "gdb").starts_with("GNU gdb "), "{checks:?}");
    assert!(found(&checks, "gdb").ends_with(&script), "{checks:?}");
}

#[test]
fn what_is_missing_has_a_fix() {
    let mut sleep = mqd_tests::command("sleep");
    let mut job = Job::launch({
        sleep.arg("1000");
        sleep
    })
    .expect("sleep can be started");
    let pid = job.pid().to_string();
    let (code, checks) = doctor(&["--pid", &pid]);
    assert_eq!((code, names(&checks)), (5, vec![("process", "ok"), ("MPI library", "missing")]));
    assert!(
        checks[1]["fix"].as_str().expect("a fix").contains("process id of a rank"),
        "{checks:?}"
    );

    let (code, checks) = doctor(&["--job", &pid]);
    assert_eq!((code, names(&checks)), (5, vec![("launcher", "missing")]));
    assert!(found(&checks, "launcher").contains("is not the launcher of an MPI job"), "{checks:?}");
    job.end().expect("it ends");

    let (code, checks) = doctor(&["--core", "/dev/null"]);
    assert_eq!((code, names(&checks)), (5, vec![("core file", "missing")]));
}
