//! Debug DLLs that fail. Each runs in a separate process, so that it cannot harm `mqd`.

mod support;

use std::fs;
use std::path::Path;

use support::mqd::{self, Run};
use support::toy::{Running, Workshop};

/// Runs `mqd dump` on a toy process with a DLL compiled with these macros, and checks that the
/// process still runs.
fn dump(macros: &[&str], arguments: &[&str]) -> Run {
    let workshop = Workshop::new();
    let mut process = Running::start(&workshop.process(&[]), &[]);
    let dll = workshop.dll(macros);
    let pid = process.pid().to_string();
    let run =
        mqd::run(["dump", "--dll", dll.to_str().unwrap(), "--pid", &pid].iter().chain(arguments));
    process.assert_running();
    process.finish();
    run
}

#[track_caller]
fn only_error(run: &Run) -> String {
    let report = run.report();
    match report.processes[0].errors.as_slice() {
        [error] => error.text.clone(),
        errors => panic!("expected one error: {errors:#?}"),
    }
}

#[test]
fn a_crash_is_an_error_of_its_process() {
    let run = dump(&["TOY_CRASH"], &["--format", "json"]);
    assert_eq!(run.code, Some(4), "{run:?}");
    let error = only_error(&run);
    assert!(
        error.contains("libtoyTOY_CRASH.so crashed while it read the process (signal 11, SIGSEGV"),
        "{error}"
    );
    assert!(run.stderr.contains("crashed"), "{run:?}");
}

#[test]
fn a_dll_without_end_is_stopped() {
    let run = dump(&["TOY_HANG"], &["--format", "json", "--dll-timeout", "0.5"]);
    assert_eq!(run.code, Some(4), "{run:?}");
    let error = only_error(&run);
    assert!(
        error.contains("did not come to an end within 0.5 seconds")
            && error.contains("--dll-timeout"),
        "{error}"
    );
}

#[test]
fn a_dll_may_not_end_the_program() {
    for code in [0, 3] {
        let run = dump(&[&format!("TOY_EXIT={code}")], &["--format", "json"]);
        assert_eq!(run.code, Some(4), "{run:?}");
        let error = only_error(&run);
        assert!(
            error.contains(&format!("ended the program that ran it (exit code {code})")),
            "{error}"
        );
    }
}

#[test]
fn what_a_dll_prints_is_not_output() {
    // The output is a report and nothing else.
    let run = dump(&["TOY_PRINT"], &["--format", "json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    assert_eq!(run.report().processes[0].communicators.len(), 2);
    // With --verbose, a part of it is shown.
    let run = dump(&["TOY_PRINT"], &["--format", "json", "--verbose"]);
    assert!(
        run.stderr.contains("the debug DLL prints: ") && run.stderr.contains("{ \"printed\": 0 }"),
        "{run:?}"
    );
    assert!(run.stderr.len() < 100_000);
    assert_eq!(run.report().processes[0].communicators.len(), 2);
}

#[test]
fn processes_that_a_dll_leaves_behind_are_not_waited_for() {
    let arguments = ["--format", "json", "--verbose", "--dll-timeout", "100000"];
    let run = dump(&["TOY_FORK"], &arguments);
    end_what_was_left(&run);
    assert_eq!((run.code, run.report().processes[0].communicators.len()), (Some(0), 2), "{run:?}");
    let run = dump(&["TOY_FORK", "TOY_CRASH"], &arguments);
    end_what_was_left(&run);
    assert!(only_error(&run).contains("SIGSEGV"), "{run:?}");
}

/// Kills the process that the DLL has left behind. It must still exist.
fn end_what_was_left(run: &Run) {
    let (_, rest) = run.stderr.split_once("left behind: ").unwrap_or_else(|| panic!("{run:?}"));
    let pid = rest.split_once('.').unwrap().0;
    let killed = std::process::Command::new("kill").args(["-s", "KILL", pid]).status().unwrap();
    assert!(killed.success(), "{run:?}");
}

/// Each rank of the job names its own DLL. Ranks with good DLLs are read despite the bad ones.
#[test]
fn the_rest_of_the_job_is_read() {
    let (workshop, good) = (Workshop::new(), Workshop::new());
    let bad = Running::start(&process_that_names(&workshop, &["TOY_CRASH"]), &[]);
    let fine = Running::start(&process_that_names(&good, &[]), &[]);
    let pids = [bad.pid(), fine.pid(), bad.pid()].map(|pid| pid.to_string());
    let run = mqd::run(["dump", "--format", "json", "--pid", &pids[0], &pids[1], &pids[2]]);
    assert_eq!(run.code, Some(5), "{run:?}");
    let report = run.report();
    let read: Vec<_> = report.processes.iter().map(|process| process.communicators.len()).collect();
    assert_eq!(read, [0, 2, 0]);
    for failed in [&report.processes[0], &report.processes[2]] {
        // The known facts of a failed process are still reported.
        assert!(
            failed.executable.as_deref().is_some_and(|path| path.ends_with("toy_process")),
            "{failed:?}"
        );
        assert!(failed.errors[0].text.contains("crashed"), "{failed:?}");
    }
    bad.finish();
    fine.finish();
}

fn process_that_names(workshop: &Workshop, macros: &[&str]) -> std::path::PathBuf {
    let dll = workshop.dll(macros);
    workshop.process(&[&format!("TOY_DLL_ARRAY=\"{}\"", dll.display())])
}

#[test]
fn a_crash_writes_no_core_file() {
    let workshop = Workshop::new();
    let process = Running::start(&workshop.process(&[]), &[]);
    let (dll, directory) = (workshop.dll(&["TOY_CRASH"]), workshop.path().join("empty"));
    fs::create_dir(&directory).unwrap();
    // As after `ulimit -c unlimited`.
    let mqd = Path::new(env!("CARGO_BIN_EXE_mqd"));
    let script = format!(
        "ulimit -c unlimited; exec {} dump --dll {} --pid {}",
        mqd.display(),
        dll.display(),
        process.pid()
    );
    let status = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(&directory)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(4));
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
    process.finish();
}

#[test]
fn the_subcommand_is_not_for_people() {
    let run = mqd::run(["dll-worker"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    assert!(run.stderr.contains("for mqd itself"), "{run:?}");
}
