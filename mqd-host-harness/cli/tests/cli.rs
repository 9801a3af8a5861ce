//! The command `mqd`: help, exit codes, where output goes.

mod support;

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use mqd_report::{Queue, SCHEMA_VERSION};
use support::golden;
use support::mqd;
use support::toy::{Running, Workshop};
use support::toy_run::Toy;

/// No process has this id: the kernel's highest is 2^22.
const NOBODY: &str = "4194305";

#[test]
fn help() {
    let width = |mut command: Command| {
        let output = command.env("COLUMNS", "100").output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        // clap writes blanks on empty lines.
        text.lines().map(|line| line.trim_end().to_owned() + "\n").collect::<String>()
    };
    for (name, arguments) in [
        ("help.txt", vec!["--help"]),
        ("help-doctor.txt", vec!["doctor", "--help"]),
        ("help-capture.txt", vec!["capture", "--help"]),
        ("help-check.txt", vec!["check", "--help"]),
        ("help-conform.txt", vec!["conform", "--help"]),
        ("help-dump.txt", vec!["dump", "--help"]),
        ("help-stacks.txt", vec!["stacks", "--help"]),
        ("help-graph.txt", vec!["graph", "--help"]),
        ("help-watch.txt", vec!["watch", "--help"]),
        ("help-ranks.txt", vec!["ranks", "--help"]),
        ("help-install-dll.txt", vec!["install-dll", "--help"]),
        ("help-layout.txt", vec!["layout", "--help"]),
        ("help-layout-extract.txt", vec!["layout", "extract", "--help"]),
        ("help-layout-learn.txt", vec!["layout", "learn", "--help"]),
        ("help-layout-probe.txt", vec!["layout", "probe", "--help"]),
        ("help-layout-verify.txt", vec!["layout", "verify", "--help"]),
        ("help-dump-short.txt", vec!["dump", "-h"]),
    ] {
        let mut command = mqd::command();
        command.args(arguments);
        golden::check(name, &width(command));
    }
}

#[test]
fn wrong_usage_is_exit_2() {
    let cases: [&[&str]; 9] = [
        &["no-such-command"],
        &["dump"],
        &["dump", "--pid", "0"],
        &["dump", "--pid", "abc"],
        &["dump", "--pid", "1", "--rank", "3-1"],
        &["dump", "--pid", "1", "--queue", "all"],
        &["dump", "--pid", "1", "--exe", "/bin/true"],
        &["dump", "--pid", "1", "--format", "xml"],
        &["dump", "--pid", "1", "--output", "/nonexistent/file"],
    ];
    for arguments in cases {
        let run = mqd::run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}: {run:?}");
        assert!(!run.stderr.is_empty(), "{arguments:?}");
    }
}

/// What the doctor did not look at is not called complete.
#[test]
fn the_doctor_looks_at_this_host_alone() {
    let run = mqd::run(&["doctor", "--slurm", "4711"]);
    assert_eq!(run.code, Some(5), "{run:?}");
    assert!(run.stderr.contains("--slurm: mqd doctor looks at this host alone"), "{run:?}");
}

/// The file is the DLL that `mqd` itself uses.
#[test]
fn install_dll() {
    let directory = tempfile::tempdir().unwrap();
    let to = directory.path().to_str().unwrap();
    let run = mqd::run(&["install-dll", to]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let path = directory.path().join("libmqd.so");
    assert_eq!(run.stdout.trim_end(), path.to_str().unwrap());
    // The DLL beside the program, which was built with it.
    let beside = Path::new(env!("CARGO_BIN_EXE_mqd")).with_file_name("libmqd.so");
    assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(beside).unwrap());

    let nowhere = mqd::run(&["install-dll", &format!("{to}/no-such-folder")]);
    assert_eq!((nowhere.code, nowhere.stdout.as_str()), (Some(1), ""));
    assert!(nowhere.stderr.contains("no-such-folder/libmqd.so: No such file"), "{nowhere:?}");
}

#[test]
fn human_output() {
    let toy = Toy::start();
    let run = toy.dump(&[]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let lines: Vec<_> = run.stdout.lines().collect();
    assert!(lines[0].starts_with(&format!("rank 3, pid {}, /", toy.pid())), "{run:?}");
    // It has no MPI library.
    assert!(lines[1].starts_with("  activity in MPI not known; in "), "{run:?}");
    assert!(lines[1].contains("called from main (toy_process.c:"), "{run:?}");
    assert!(lines[2].starts_with("  MPI_COMM_WORLD: rank 3 of 4, id 0x"), "{run:?}");
    assert_eq!(lines[3], "    1 pending send");
    assert!(lines[4].starts_with("      to rank 1  tag 7  16 bytes  matched  toy, "), "{run:?}");
    assert_eq!(
        lines.last(),
        Some(
            &"1 process read: 1 pending send, 2 pending receives (and 1 complete), 1 unexpected \
              message"
        )
    );
    assert!(!run.stdout.contains('\u{1b}'), "no colours where there is no terminal");
    assert!(toy.dump(&["--color", "always"]).stdout.contains('\u{1b}'));
}

#[test]
fn no_color_is_honoured() {
    let toy = Toy::start();
    let coloured = |no_color: Option<&str>, arguments: &[&str]| {
        let mut command = mqd::command();
        command.args(["dump", "--dll", &toy.dll, "--pid", &toy.pid()]).args(arguments);
        // This has the effect of a terminal.
        command
            .env("CLICOLOR_FORCE", "1")
            .env("TERM", "xterm")
            .envs(no_color.map(|value| ("NO_COLOR", value)));
        let output = command.output().unwrap();
        assert!(output.status.success());
        output.stdout.contains(&0x1b)
    };
    assert!(coloured(None, &[]));
    assert!(coloured(Some("1"), &["--color", "always"]), "an option goes before the environment");
    assert!(!coloured(Some("1"), &["--color", "never"]));
    assert!(!coloured(None, &["--format", "json"]));
    assert!(!coloured(Some("1"), &[]));
}

#[test]
fn json_output() {
    let toy = Toy::start();
    let run = toy.dump(&["--format", "json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let report = run.report();
    assert_eq!(
        (report.schema_version.as_str(), report.tool.name.as_str()),
        (SCHEMA_VERSION, "mqd")
    );
    assert_eq!(report.processes.len(), 1);
    assert_eq!(report.processes[0].pid, Some(toy.process.pid()));
    assert_eq!(report.processes[0].communicators[0].pending_receives.len(), 3);
}

#[test]
fn csv_output() {
    let toy = Toy::start();
    let run = toy.dump(&["-f", "csv"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 6), "{run:?}");
}

#[test]
fn filters_reach_the_report() {
    let toy = Toy::start();
    let run = toy.dump(&[
        "-f",
        "json",
        "--comm",
        "MPI_COMM_WORLD",
        "--queue",
        "receives,unexpected",
        "--tag",
        "17,100-200",
    ]);
    let report = run.report();
    assert_eq!(run.code, Some(0));
    assert_eq!(report.processes[0].communicators.len(), 1);
    let counts = Queue::ALL.map(|queue| report.processes[0].communicators[0].queue(queue).len());
    // The receive with tag 17, and the receive with MPI_ANY_TAG.
    assert_eq!(counts, [0, 2, 0]);
    assert_eq!(toy.dump(&["-f", "json", "--rank", "0-2"]).report().processes, []);
}

#[test]
fn output_goes_to_a_file() {
    let toy = Toy::start();
    let file = toy.workshop.path().join("report.json");
    let run = toy.dump(&["-f", "json", "-o", file.to_str().unwrap()]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    assert_eq!(fs::read_to_string(&file).unwrap(), toy.dump(&["-f", "json"]).stdout);
    let full = toy.dump(&["-o", "/dev/full"]);
    assert_eq!(full.code, Some(1));
    assert!(full.stderr.contains("cannot write the output"), "{full:?}");
}

#[test]
fn nothing_to_read_is_exit_3() {
    let run = mqd::run(["dump", "--pid", NOBODY]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""));
    assert!(
        run.stderr.starts_with(&format!("mqd: pid {NOBODY}: there is no process {NOBODY}")),
        "{run:?}"
    );

    let run = mqd::run(["dump", "--core", "/etc/passwd", "--format", "json"]);
    assert_eq!(run.code, Some(3));
    assert_eq!(run.report().processes[0].errors.len(), 1);
    assert!(run.stderr.contains("/etc/passwd"), "{run:?}");

    let empty = tempfile::tempdir().unwrap();
    let run = mqd::run(["check", empty.path().to_str().unwrap()]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""));
    assert!(run.stderr.contains("has no snapshot (*.mqd) and no core file"), "{run:?}");
}

#[test]
fn no_queues_is_exit_4() {
    let toy = Toy::start();
    let run = mqd::run(["dump", "--dll", "/nonexistent/lib.so", "--pid", &toy.pid()]);
    assert_eq!(run.code, Some(4));
    assert!(run.stderr.contains("cannot load the debug DLL /nonexistent/lib.so"), "{run:?}");
    // Where it is can be told all the same.
    assert!(run.stdout.contains("called from main (toy_process.c:"), "{run:?}");

    // This library is not a debug DLL.
    let run = mqd::run(["dump", "--dll", "libc.so.6", "--pid", &toy.pid()]);
    assert_eq!(run.code, Some(4));
    assert!(run.stderr.contains("no function mqs_setup_basic_callbacks"), "{run:?}");

    let refusing = toy.workshop.dll(&["TOY_REFUSE=\"no\""]);
    let run = mqd::run(["dump", "--dll", refusing.to_str().unwrap(), "--pid", &toy.pid()]);
    assert_eq!(run.code, Some(4));
    assert!(run.stderr.contains("the toy is broken"), "{run:?}");
}

#[test]
fn some_failing_is_exit_5() {
    let toy = Toy::start();
    let run = toy.dump(&["-p", NOBODY]);
    assert_eq!(run.code, Some(5));
    assert!(
        run.stdout.contains(&format!("rank unknown, pid {NOBODY}\n  error: there is no process")),
        "{run:?}"
    );
    assert!(run.stdout.contains("1 process read"), "{run:?}");

    let run = toy.dump(&["-p", NOBODY, "-f", "csv"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(5), 6));
    assert!(run.stderr.starts_with(&format!("mqd: pid {NOBODY}: ")), "{run:?}");

    // The only process is read in part.
    let partial = toy.workshop.dll(&["TOY_ERROR_UPDATE"]);
    let run = mqd::run(["dump", "--dll", partial.to_str().unwrap(), "--pid", &toy.pid()]);
    assert_eq!(run.code, Some(5));
    assert!(run.stdout.contains("error: mqs_update_communicator_list failed"), "{run:?}");

    let run = mqd::run(["dump", "-p", NOBODY, "4194306"]);
    assert_eq!(run.code, Some(3));
}

#[test]
fn stats_are_one_line_of_json_for_each_process() {
    let toy = Toy::start();
    let run = toy.dump(&["--stats", "-p", NOBODY, "-f", "json"]);
    let lines: Vec<serde_json::Value> = run
        .stderr
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["rank"], &lines[0]["verdict"]), (&3.into(), &"complete".into()));
    assert_eq!((&lines[0]["operations"], &lines[0]["mallocs_outstanding"]), (&5.into(), &0.into()));
    assert!(
        lines[0]["fetches"].as_u64().unwrap() > 0
            && lines[0]["read_seconds"].as_f64().unwrap() > 0.0
    );
    assert_eq!((&lines[1]["verdict"], &lines[1]["fetches"]), (&"unreadable".into(), &0.into()));
}

#[test]
fn the_process_names_its_dll() {
    let workshop = Workshop::new();
    let dll = workshop.dll(&[]);
    for kind in ["ARRAY", "POINTER"] {
        // The path, and the name of a file beside the library. Here the program is the library.
        for name in [dll.to_str().unwrap(), dll.file_name().unwrap().to_str().unwrap()] {
            let process =
                Running::start(&workshop.process(&[&format!("TOY_DLL_{kind}=\"{name}\"")]), &[]);
            let run = mqd::run(["dump", "--format", "json", "--pid", &process.pid().to_string()]);
            assert_eq!(run.code, Some(0), "{kind} {name}: {run:?}");
            let process = &run.report().processes[0];
            assert_eq!(process.dll_version.as_deref(), Some("toy 1"));
            // It defines MPIR_dll_name.
            assert_eq!(process.library, process.executable);
        }
    }
}

#[test]
fn a_dll_that_anybody_could_have_written_is_not_loaded() {
    use std::os::unix::fs::PermissionsExt;
    let workshop = Workshop::new();
    let dll = workshop.dll(&[]);
    fs::set_permissions(&dll, fs::Permissions::from_mode(0o777)).unwrap();
    let process =
        Running::start(&workshop.process(&[&format!("TOY_DLL_ARRAY=\"{}\"", dll.display())]), &[]);
    let pid = process.pid().to_string();
    let run = mqd::run(["dump", "--pid", &pid]);
    assert_eq!(run.code, Some(4));
    assert!(run.stderr.contains("anybody can write to it"), "{run:?}");
    let run = mqd::run(["dump", "--pid", &pid, "--dll", dll.to_str().unwrap()]);
    assert_eq!(run.code, Some(0));
}

#[test]
fn core_files() {
    let toy = Toy::start();
    let prefix = toy.workshop.path().join("core");
    let made = Command::new("gcore")
        .arg("-o")
        .arg(&prefix)
        .arg(toy.pid())
        .output()
        .expect("gcore: install gdb");
    assert!(made.status.success(), "{made:?}");
    let core = format!("{}.{}", prefix.display(), toy.pid());

    let live = toy.dump(&["-f", "json"]).report();
    let run = mqd::run(["dump", "--dll", &toy.dll, "--core", &core, "-f", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let dead = &run.report().processes[0];
    assert_eq!(dead.core.as_deref(), Some(core.as_str()));
    assert_eq!(dead.communicators, live.processes[0].communicators);
    assert_eq!(
        (dead.pid, &dead.executable),
        (live.processes[0].pid, &live.processes[0].executable)
    );

    let run = mqd::run(["dump", "--dll", &toy.dll, "--core", &core, "--exe", "/bin/true"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stderr.contains("/bin/true is not the executable of"), "{run:?}");
}

#[test]
fn a_reader_that_has_had_enough_is_no_error() {
    let toy = Toy::start();
    let mut command = mqd::command();
    command.args(["dump", "--dll", &toy.dll, "--pid", &toy.pid()]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Close the pipe before mqd can write to it.
    drop(child.stdout.take());
    let mut complaints = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
    let status = child.wait().unwrap();
    assert_eq!((status.code(), status.signal(), complaints.as_str()), (Some(0), None, ""));
}

/// A signal ends `mqd` while a DLL reads an endless list. The process that was read continues. The
/// test does not use SIGINT, because a script ignores it for all processes in its background.
#[test]
fn a_signal_to_mqd_sets_the_process_free() {
    let mut toy = Toy::start();
    for signal in ["TERM", "KILL"] {
        let endless = toy.workshop.dll(&["TOY_ENDLESS_OPERATIONS"]);
        let mut command = mqd::command();
        command
            .args(["dump", "--max-operations", "100000000000", "--pid", &toy.pid(), "--dll"])
            .arg(endless);
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        // Wait until mqd traces the process.
        let status = format!("/proc/{}/status", toy.pid());
        while fs::read_to_string(&status).unwrap().contains("TracerPid:\t0\n") {
            assert_eq!(child.try_wait().unwrap(), None, "mqd ended too early");
        }
        let killed =
            Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert!(child.wait().unwrap().signal().is_some());
        toy.process.assert_running();
    }
    toy.process.finish();
}
