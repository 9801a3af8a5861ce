//! Files that `mqd` refuses to open or to run, because another user could have put them in the
//! place that a process or an argument names.

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use support::mqd;
use support::toy::{Running, Workshop};

/// The user `nobody`.
const NOBODY: u32 = 65534;

/// The number of times that a process is read while the file that it names is replaced.
const ROUNDS: usize = 25;

/// A process that names this file as its debug DLL.
fn process_that_names(workshop: &Workshop, dll: &Path) -> Running {
    let macros = [format!("TOY_DLL_ARRAY=\"{}\"", dll.display())];
    Running::start(&workshop.process(&[&macros[0]]), &[])
}

fn pipe(path: PathBuf) -> PathBuf {
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

/// A DLL that leaves a file behind when it is loaded.
fn marking_dll(workshop: &Workshop, mark: &Path) -> PathBuf {
    let macros = [format!("TOY_MARK=\"{}\"", mark.display())];
    workshop.compile("toy_dll.c", "marking.so", &["-shared", "-fPIC"], &[&macros[0]])
}

/// Puts two files in turn in the place of a third, or removes it, until it is stopped.
fn swap(good: &Path, evil: &Path, place: &Path, stop: &AtomicBool) {
    let next = place.with_extension("next");
    while !stop.load(Ordering::Relaxed) {
        for file in [good, evil] {
            fs::hard_link(file, &next).unwrap();
            fs::rename(&next, place).unwrap();
        }
        fs::remove_file(place).unwrap();
    }
}

#[test]
fn a_file_that_is_swapped_for_another_is_not_loaded() {
    let workshop = Workshop::new();
    let mark = workshop.path().join("loaded");
    let evil = marking_dll(&workshop, &mark);
    fs::set_permissions(&evil, fs::Permissions::from_mode(0o666)).unwrap();
    let good = workshop.dll(&[]);
    let place = workshop.path().join("named.so");
    let process = process_that_names(&workshop, &place);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| swap(&good, &evil, &place, &stop));
        for _ in 0..ROUNDS {
            let run = mqd::run(["dump", "--pid", &process.pid().to_string()]);
            assert!(matches!(run.code, Some(0 | 4)), "{run:?}");
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(!mark.exists(), "a file that anybody can write to was loaded");
    // The mark appears if the DLL is loaded.
    let run =
        mqd::run(["dump", "--pid", &process.pid().to_string(), "--dll", evil.to_str().unwrap()]);
    assert_eq!((run.code, mark.exists()), (Some(0), true), "{run:?}");
    process.finish();
}

/// Only root can change the owner of a file. For other users, the tests use only the modes of files
/// and directories.
#[test]
fn files_of_another_user_are_not_loaded() {
    let workshop = Workshop::new();
    let mark = workshop.path().join("loaded");
    let evil = marking_dll(&workshop, &mark);
    let directory = workshop.path().join("theirs");
    fs::create_dir(&directory).unwrap();
    let inside = directory.join("ours.so");
    fs::copy(&evil, &inside).unwrap();
    let given =
        chown(&evil, Some(NOBODY), None).and_then(|()| chown(&directory, Some(NOBODY), None));
    let expected = match given {
        Ok(()) => ["it belongs to another user", "belongs to another user"],
        Err(_) => {
            fs::set_permissions(&evil, fs::Permissions::from_mode(0o666)).unwrap();
            fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).unwrap();
            ["anybody can write to it", "anybody can write to its directory"]
        }
    };
    for (file, expected) in [&evil, &inside].into_iter().zip(expected) {
        let process = process_that_names(&workshop, file);
        let run = mqd::run(["dump", "--pid", &process.pid().to_string()]);
        assert_eq!(run.code, Some(4), "{run:?}");
        assert!(run.stderr.contains(expected), "{run:?}");
        process.finish();
    }
    assert!(!mark.exists());
}

#[test]
fn the_dynamic_linker_does_not_look_for_what_a_process_names() {
    let workshop = Workshop::new();
    let (lax, strict) = (workshop.path().join("lax"), workshop.path().join("strict"));
    for directory in [&lax, &strict] {
        fs::create_dir(directory).unwrap();
        fs::copy(workshop.dll(&[]), directory.join("libnamed.so")).unwrap();
    }
    fs::set_permissions(&lax, fs::Permissions::from_mode(0o777)).unwrap();
    let process = process_that_names(&workshop, Path::new("libnamed.so"));
    let run_with = |directory: &Path| {
        let mut command = mqd::command();
        command.args(["dump", "--pid", &process.pid().to_string()]);
        command.env("LD_LIBRARY_PATH", directory).output().unwrap()
    };
    let refused = run_with(&lax);
    let why = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(4), "{why}");
    assert!(why.contains("anybody can write to its directory"), "{why}");
    assert_eq!(run_with(&strict).status.code(), Some(0));
    let nowhere = run_with(Path::new("/nonexistent"));
    let why = String::from_utf8_lossy(&nowhere.stderr);
    assert!(why.contains("its name is not a full path"), "{why}");
    process.finish();
}

#[test]
fn pipes_are_refused_at_once() {
    let workshop = Workshop::new();
    let pipe = pipe(workshop.path().join("pipe.so"));
    let path = pipe.to_str().unwrap();
    let refusal = "it is a pipe (FIFO), not a regular file";

    let mut process = process_that_names(&workshop, &pipe);
    let pid = process.pid().to_string();
    for (arguments, code) in [
        (["dump", "--pid", &pid].as_slice(), 4),
        (&["dump", "--pid", &pid, "--dll", path], 4),
        (&["dump", "--core", path], 3),
        (&["dump", path], 3),
        (&["layout", "show", path], 3),
        (&["layout", "extract", path], 3),
    ] {
        let run = mqd::run(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?}: {run:?}");
        assert!(run.stderr.contains(refusal), "{arguments:?}: {run:?}");
    }
    process.assert_running();
    process.finish();

    let tables = workshop.path().join("tables");
    fs::create_dir(&tables).unwrap();
    fs::rename(&pipe, tables.join("pipe.layout")).unwrap();
    let listed =
        mqd::command().args(["layout", "list"]).env("MQD_LAYOUT_DIR", &tables).output().unwrap();
    let why = String::from_utf8_lossy(&listed.stderr);
    assert!(why.contains(refusal) && listed.status.code() == Some(5), "{why}");
}

/// mqd looks for the debug file of a program in directories of the command line and beside the
/// program.
#[test]
fn a_pipe_is_no_debug_file() {
    let workshop = Workshop::new();
    let program = workshop.process(&[]);
    let objcopy = |arguments: &[&str]| {
        assert!(Command::new("objcopy").args(arguments).arg(&program).status().unwrap().success());
    };
    let debug = workshop.path().join("toy_process.debug");
    fs::copy(&program, &debug).unwrap();
    objcopy(&["--strip-debug"]);
    objcopy(&[&format!("--add-gnu-debuglink={}", debug.display())]);
    fs::remove_file(&debug).unwrap();
    pipe(debug);
    let process = Running::start(&program, &[]);
    let dll = workshop.dll(&[]);
    let pid = process.pid().to_string();
    let run = mqd::run(["dump", "--pid", &pid, "--dll", dll.to_str().unwrap()]);
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(run.stderr.contains("the toy has no types"), "{run:?}");
    process.finish();
}
