//! `mqd layout learn` with compilers and launchers that are none: what it says, and that nothing is
//! left. The tests of the whole learn tables of real libraries.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use support::mqd;

/// A script in a directory.
fn script(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// `mqd layout learn` with temporary files in a directory.
fn learn(temporary: &Path, mpicc: Option<&Path>, launcher: &Path) -> Command {
    let mut command = mqd::command();
    command.args(["layout", "learn"]).env("TMPDIR", temporary);
    if let Some(mpicc) = mpicc {
        command.arg("--mpicc").arg(mpicc);
    }
    command.arg("--").arg(launcher);
    command
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).unwrap().next().is_none()
}

#[test]
fn errors_say_what_failed() {
    let (scripts, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let script = |name, text| script(scripts.path(), name, text);
    let good = script("cc-good", "exit 0");
    let bad = script("cc-bad", "echo mpi.h: no such file >&2; exit 1");
    let ends = script("mpiexec-ends", "echo no slots; exit 9");
    let missing = scripts.path().join("none");
    let cases: [(Option<&Path>, &Path, &[&str]); 5] = [
        (None, &ends, &["no mpicc beside the launcher", "--mpicc"]),
        (Some(&bad), &ends, &["does not compile", "mpi.h: no such file"]),
        (Some(&missing), &ends, &["cannot run the compiler", "--mpicc"]),
        (Some(&good), &missing, &["cannot run the launcher"]),
        (Some(&good), &ends, &["exit status: 9", "no slots"]),
    ];
    for (mpicc, launcher, words) in cases {
        let output = learn(temporary.path(), mpicc, launcher).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{stderr}");
        assert!(words.iter().all(|word| stderr.contains(word)), "{words:?}: {stderr}");
        assert!(output.stdout.is_empty());
        assert!(is_empty(temporary.path()), "{stderr}");
    }
    // The launcher is not optional.
    assert_eq!(mqd::run(["layout", "learn"]).code, Some(2));
}

/// A signal ends the launcher and then `mqd`, and temporary files are removed.
#[test]
fn a_signal_ends_the_launcher() {
    let (scripts, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let good = script(scripts.path(), "cc", "exit 0");
    let told = scripts.path().join("pid");
    let launcher =
        script(scripts.path(), "waits", &format!("echo $$ > {}; exec sleep 1000", told.display()));
    let mut child = learn(temporary.path(), Some(&good), &launcher).spawn().unwrap();
    let begin = Instant::now();
    let pid = loop {
        let text = fs::read_to_string(&told).unwrap_or_default();
        if let Some(pid) = text.strip_suffix('\n') {
            break Pid::from_raw(pid.parse().unwrap()).unwrap();
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "the launcher was not started");
        thread::sleep(Duration::from_millis(10));
    };
    kill_process(Pid::from_raw(child.id().cast_signed()).unwrap(), Signal::TERM).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(Signal::TERM.as_raw()), "{status}");
    assert!(test_kill_process(pid).is_err(), "the launcher is still there");
    assert!(is_empty(temporary.path()));
}
