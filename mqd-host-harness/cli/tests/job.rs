//! `mqd dump --job`: the processes of a job, by the launcher's table or under the launcher.

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use mqd_report::ProblemKind;
use support::mqd;
use support::toy::{Running, Workshop};
use support::toy_run::Toy;

/// No process has this id: the kernel's highest is 2^22.
const NOBODY: &str = "4194305";

/// The agent is sent to a shell, reads a rank there, and leaves no file.
#[test]
fn an_agent_that_is_sent() {
    let toy = Toy::start();
    let table = ["localhost", &toy.pid(), "far.away", &toy.pid()].map(str::to_owned);
    let launcher = Running::start(&toy.workshop.launcher(&["-g"], &[]), &table);
    let files = tempfile::tempdir().unwrap();
    let via = format!("env TMPDIR={} HOST={{host}}", files.path().display());
    let job = launcher.pid().to_string();
    let dump = ["dump", "--dll", &toy.dll, "--job", &job, "--format", "json"];
    // Both ranks are one process, which has one tracer at a time.
    let sent = ["--rank", "1", "--send-agent", "--via", &via, "--node-timeout", "60"];
    let run = mqd::run([&dump[..], &sent].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    let report = run.report();
    let far = &report.processes[0];
    assert_eq!((far.rank, far.host.is_some(), &far.errors[..]), (Some(1), true, &[][..]));
    assert_eq!(far.communicators.len(), 2);
    assert_eq!(std::fs::read_dir(files.path()).unwrap().count(), 0);

    // A file that is no program, and a far end without a shell: errors of that host alone.
    for (sent, via) in [("/etc/passwd", via.as_str()), ("/proc/self/exe", "false {host}")] {
        let more = ["--send-agent", "--agent", sent, "--via", via];
        let run = mqd::run([&dump[..], &more].concat());
        assert_eq!(run.code, Some(5), "{run:?}");
        let report = run.report();
        assert_eq!(report.processes[0].errors, []);
        let lost = &report.processes[1].errors[0];
        assert_eq!((lost.kind, lost.host.as_deref()), (ProblemKind::Unreachable, Some("far.away")));
        assert_eq!(std::fs::read_dir(files.path()).unwrap().count(), 0);
    }
    launcher.finish();
}

/// An agent sends at most 300 bytes for each of its ranks if they are alike.
#[test]
fn what_an_agent_sends() {
    const RANKS: usize = 32;
    let workshop = Workshop::new();
    let (program, dll) = (workshop.process(&[]), workshop.dll(&[]).display().to_string());
    let ranks: Vec<Running> = (0..RANKS).map(|_| Running::start(&program, &[])).collect();
    let entry = |rank: &Running| ["far.away".to_owned(), rank.pid().to_string()];
    let table: Vec<String> = ranks.iter().flat_map(entry).collect();
    let launcher = Running::start(&workshop.launcher(&["-g"], &[]), &table);
    let files = tempfile::tempdir().unwrap();
    let (client, sent) = (files.path().join("client"), files.path().join("sent"));
    fs::write(&client, format!("shift\n\"$@\" | tee {}\n", sent.display())).unwrap();
    let via = format!("sh {} {{host}}", client.display());
    let job = launcher.pid().to_string();
    let far = ["--via", &via, "--node-timeout", "60", "--format", "json"];
    let run = mqd::run([&["dump", "--dll", &dll, "--job", &job][..], &far].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    let processes = run.report().processes;
    assert_eq!(processes.len(), RANKS);
    assert!(processes.iter().all(|process| process.communicators.len() == 2));
    let bytes = fs::metadata(&sent).unwrap().len();
    assert!(bytes <= 300 * RANKS as u64, "{bytes} bytes for {RANKS} ranks");
    // Between two looks it also tells, twice, whether the ranks moved.
    let check = ["check", "--recheck", "0.1", "--dll", &dll, "--job", &job];
    let run = mqd::run([&check[..], &far].concat());
    assert!(run.stdout.contains("\"looks\": 2"), "{run:?}");
    let bytes = fs::metadata(&sent).unwrap().len();
    assert!(bytes <= 2 * 300 * RANKS as u64, "{bytes} bytes for {RANKS} ranks");
    launcher.finish();
}

/// An agent that sends frames without end is given up, in 1 GiB of address space.
#[test]
fn an_agent_that_sends_without_end() {
    /// The bytes of a snapshot before its first frame.
    const START: usize = 16;
    let toy = Toy::start();
    let files = tempfile::tempdir().unwrap();
    let [snapshot, begin, frames, client] =
        ["snapshot", "begin", "frames", "client"].map(|name| files.path().join(name));
    let pid = toy.pid();
    let capture = ["capture", "--dll", &toy.dll, "--pid", &pid, "-o", snapshot.to_str().unwrap()];
    assert_eq!(mqd::run(capture).code, Some(0));
    let snapshot = fs::read(snapshot).unwrap();
    let greeting = format!("mqd-agent 7 {}\n", env!("CARGO_PKG_VERSION"));
    fs::write(&begin, [greeting.as_bytes(), &snapshot].concat()).unwrap();
    fs::write(&frames, snapshot[START..].repeat((16 << 20) / snapshot.len())).unwrap();
    let [begin, frames] = [&begin, &frames].map(|file| file.display());
    fs::write(&client, format!("cat {begin}; while cat {frames}; do :; done\n")).unwrap();
    let table = ["localhost", &pid, "far.away", &pid].map(str::to_owned);
    let launcher = Running::start(&toy.workshop.launcher(&["-g"], &[]), &table);
    let (job, via) = (launcher.pid().to_string(), format!("sh {} {{host}}", client.display()));
    let mut mqd = mqd::small_command();
    mqd.args(["dump", "--dll", &toy.dll, "--job", &job, "--format", "json", "--via", &via]);
    let run = mqd::result(mqd.args(["--node-timeout", "600"]));
    assert_eq!(run.code, Some(5), "{run:?}");
    let error = &run.report().processes[1].errors[0];
    assert_eq!(error.kind, ProblemKind::Limit, "{error:?}");
    assert!(error.text.contains("more than the 272 MiB"), "{error:?}");
    launcher.finish();
}

#[test]
fn a_job() {
    let toy = Toy::start();
    let workshop = &toy.workshop;
    // One launcher has no debug information. The other has an unusual order of members, which only
    // debug information gives.
    for (options, macros) in [(["-g0"], vec![]), (["-g"], vec!["TOY_ODD_TABLE"])] {
        let table =
            ["localhost", &toy.pid(), "localhost", NOBODY, "far.away", "4711"].map(str::to_owned);
        let launcher = Running::start(&workshop.launcher(&options, &macros), &table);
        let job = launcher.pid().to_string();
        let dump = ["dump", "--dll", &toy.dll, "--job", &job, "--format", "json"];
        let run = mqd::run([&dump[..], &["--via", "none"]].concat());
        assert_eq!(run.code, Some(5), "{run:?}");
        let report = run.report();
        let ranks: Vec<_> = report.processes.iter().map(|process| process.rank).collect();
        // The index in the table is the rank, even if the queues have another one.
        assert_eq!(ranks, [Some(0), Some(1), Some(2)]);
        assert_eq!(report.processes[0].errors, []);
        assert_eq!(report.processes[0].communicators.len(), 2);
        assert_eq!(report.processes[1].executable.as_deref(), Some("/toy/program"));
        assert!(report.processes[1].errors[0].text.contains("there is no process"), "{report:?}");
        assert!(report.processes[2].errors[0].text.contains("runs on host far.away"), "{report:?}");
        assert_eq!(report.processes[2].pid, Some(4711));
        // A host that cannot be reached costs its own ranks.
        let run = mqd::run([&dump[..], &["--via", "false {host}"]].concat());
        assert_eq!(run.code, Some(5), "{run:?}");
        let report = run.report();
        assert_eq!(report.processes[0].errors, []);
        let lost = &report.processes[2];
        assert_eq!(lost.errors[0].kind, ProblemKind::Unreachable, "{lost:?}");
        assert_eq!(lost.errors[0].host.as_deref(), Some("far.away"));

        // Only the selected ranks are opened.
        let run =
            mqd::run(["dump", "--dll", &toy.dll, "--job", &job, "--rank", "0", "--format", "json"]);
        assert_eq!((run.code, run.report().processes.len()), (Some(0), 1));
        let run = mqd::run(["dump", "--job", &job, "--rank", "7"]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("no such rank"), "{run:?}");
        launcher.finish();
    }
}

#[test]
fn tables_that_cannot_be() {
    let workshop = Workshop::new();
    let twice = ["far.away", "4711", "near", "4711", "far.away", "4711"];
    let cases = [
        (vec![], &twice[..], "process 4711 of far.away is both rank 0 and rank 2"),
        (vec!["TOY_ENDLESS_TABLE"], &twice[..2], "more than 65536 processes are on far.away"),
    ];
    for (macros, table, why) in cases {
        let table: Vec<String> = table.iter().copied().map(str::to_owned).collect();
        let launcher = Running::start(&workshop.launcher(&[], &macros), &table);
        let arguments = ["dump", "--job", &launcher.pid().to_string()];
        let run = mqd::result(mqd::small_command().args(arguments));
        assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{run:?}");
        assert!(run.stderr.contains(why) && run.stderr.contains("--pid"), "{run:?}");
        launcher.finish();
    }
}

#[test]
fn launchers_that_are_none() {
    let toy = Toy::start();
    let run = mqd::run(["dump", "--job", &toy.pid()]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""));
    assert!(
        run.stderr.contains("it has no MPIR_proctable") && run.stderr.contains("--pid"),
        "{run:?}"
    );

    let empty = Running::start(&toy.workshop.launcher(&[], &[]), &[]);
    let run = mqd::run(["dump", "--job", &empty.pid().to_string()]);
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.contains("no processes in its table"), "{run:?}");

    let run = mqd::run(["dump", "--job", NOBODY]);
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.contains("the launcher of the job: there is no process"), "{run:?}");

    // The other targets are still read.
    let run = toy.dump(&["--job", NOBODY]);
    assert_eq!(run.code, Some(5));
    assert!(run.stdout.contains("1 process read"), "{run:?}");
    empty.finish();
}

/// The launcher of `sh/tree.sh` under a shell of its own, with these variables set for it.
fn tree(toy: &Toy, variable: &str, environment: &[(&str, &str)]) -> Running {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sh/tree.sh");
    let program = toy.workshop.path().join("toy_process");
    let mut command = Command::new("sh");
    command
        .arg(script)
        .arg(program)
        .arg(toy.workshop.path())
        .arg(variable)
        .envs(environment.iter().copied());
    Running::start_command(command)
}

/// The process id that a rank has printed.
fn said(toy: &Toy, rank: u32) -> u32 {
    let text = fs::read_to_string(toy.workshop.path().join(format!("pid.{rank}"))).unwrap();
    text.trim().parse().unwrap()
}

#[test]
fn a_launcher_without_a_table() {
    let toy = Toy::start();
    for variable in ["MQDRT_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"] {
        // The variables of the launcher do not count, even if it is a rank itself.
        let launcher =
            tree(&toy, variable, &[("SLURM_PROCID", "7"), ("OMPI_COMM_WORLD_SIZE", "5")]);
        let job = launcher.pid().to_string();
        let run = mqd::run(["dump", "--dll", &toy.dll, "--job", &job, "--format", "json"]);
        let tells_size = variable.starts_with("OMPI");
        assert_eq!(run.code, Some(if tells_size { 5 } else { 0 }), "{run:?}");
        let found: Vec<_> =
            run.report().processes.iter().map(|process| (process.rank, process.pid)).collect();
        let (found, missing) = found.split_at(3);
        // The launcher says that there are five.
        let lost = [(Some(3), None), (Some(4), None)];
        assert_eq!(missing, if tells_size { &lost[..] } else { &[] }, "{run:?}");
        // Rank 0 is under a shell, rank 2 has a child with its environment, and what is called
        // prted is none.
        assert_eq!(
            found,
            [0, 1, 2].map(|rank| (Some(rank.into()), Some(said(&toy, rank)))),
            "{run:?}"
        );
        assert!(
            run.stderr.contains("keeps no table of processes (MPIR_proctable): found 3 ranks"),
            "{run:?}"
        );
        assert!(run.stderr.contains(&format!("by {variable} in their environment")), "{run:?}");
        assert_eq!(
            run.stderr.contains("the job has 5 ranks, and 3 of them are under"),
            tells_size,
            "{run:?}"
        );

        let run =
            mqd::run(["dump", "--dll", &toy.dll, "--job", &job, "--rank", "1", "--format", "json"]);
        assert_eq!((run.code, run.report().processes.len()), (Some(0), 1));
        launcher.finish();
    }
}

#[test]
fn a_rank_that_the_launcher_has_itself_is_not_from_it() {
    let toy = Toy::start();
    // All processes have inherited rank 1. The launcher has assigned no ranks.
    let launcher = tree(&toy, "NOTHING", &[("PMI_RANK", "1")]);
    let run = mqd::run(["dump", "--dll", &toy.dll, "--job", &launcher.pid().to_string()]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stderr.contains("none of the processes that it has started has a rank"), "{run:?}");
    launcher.finish();
}

/// Debian's Open MPI 4 keeps its table in a shared library.
#[test]
fn the_table_of_open_mpi() {
    let workshop = Workshop::new();
    let fifo = workshop.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    // A rank that has said its number has opened the pipe.
    let writer = fs::File::options().read(true).write(true).open(&fifo).unwrap();
    let mut command = Command::new("mpirun.openmpi");
    command
        .args([
            "--allow-run-as-root",
            "--oversubscribe",
            "-n",
            "3",
            "sh",
            "-c",
            "exec <\"$0\"; echo $$; exec cat",
        ])
        .arg(&fifo);
    command.env("TMPDIR", workshop.path());
    let launcher = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut launcher = launcher.expect("mpirun.openmpi: install openmpi-bin");
    let output = BufReader::new(launcher.stdout.take().unwrap());
    let mut started: Vec<u32> =
        output.lines().take(3).map(|line| line.unwrap().trim().parse().unwrap()).collect();
    let run = mqd::run(["dump", "--job", &launcher.id().to_string(), "--format", "json"]);
    // They end when the last writer closes the pipe.
    drop(writer);
    launcher.wait().unwrap();

    // `sh` and `cat` have no queues.
    assert_eq!(run.code, Some(4), "{run:?}");
    let report = run.report();
    let ranks: Vec<_> = report.processes.iter().map(|process| process.rank).collect();
    assert_eq!(ranks, [Some(0), Some(1), Some(2)]);
    let mut found: Vec<_> = report.processes.iter().filter_map(|process| process.pid).collect();
    found.sort();
    started.sort();
    assert_eq!(found, started);
    assert!(!run.stderr.contains("no table"), "{run:?}");
}
/// The table of a launcher in a container has process ids of the container.
#[test]
fn a_launcher_in_a_container() {
    let toy = Toy::start();
    let program = toy.workshop.path().join("toy_process");
    let launcher = toy.workshop.launcher(&[], &[]);
    // The shell is process 1 of the new namespace. It prints the id that the rank has there.
    let script = format!(
        "hostname box; OMPI_COMM_WORLD_RANK=0 PMIX_NAMESPACE=7 {} <\"$1\" >/dev/null & \
         exec {} box $!",
        program.display(),
        launcher.display()
    );
    let input = toy.workshop.path().join("input");
    assert!(Command::new("mkfifo").arg(&input).status().unwrap().success());
    let _open = fs::File::options().read(true).write(true).open(&input).unwrap();
    let mut container = Command::new("unshare");
    container.args(["--user", "--map-root-user", "--pid", "--uts", "--fork"]);
    container.args(["--kill-child", "sh", "-c"]);
    container.arg(script).arg("sh").arg(&input);
    let container = Running::start_command(container);
    let inside = fs::read_to_string(format!("/proc/{0}/task/{0}/children", container.pid()));
    let job = inside.unwrap().trim().to_owned();

    let run = mqd::run(["dump", "--dll", &toy.dll, "--job", &job, "--format", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("runs in a PID namespace of its own"), "{run:?}");
    let report = run.report();
    let pid = report.processes[0].pid.unwrap();
    let parent = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    assert!(parent.contains(&format!("PPid:\t{job}\n")), "{parent}");
    assert_eq!(report.processes[0].communicators.len(), 2);
    container.finish();
}
