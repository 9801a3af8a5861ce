//! Where in its source a process is.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::common::{core_options, eventually, number, run, shared_files};
use mqd_inspect::image::Source;
use mqd_inspect::process::{LiveOptions, Target};
use tempfile::TempDir;

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Compiles the program with debug information.
fn build(directory: &Path, flags: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/process/c/lines.cpp");
    let program = directory.join("lines");
    run(Command::new("g++").args(["-O2", "-g"]).args(flags).arg(source).arg("-o").arg(&program));
    program
}

/// Starts the program, and opens it once it has arrived.
fn start(program: &Path) -> (Running, Target) {
    let running = Running(Command::new(program).stdin(Stdio::null()).spawn().unwrap());
    let open = || {
        let options = LiveOptions { files: shared_files(), ..LiveOptions::default() };
        Target::attach_with(running.0.id(), &options).unwrap()
    };
    // It is in the system call of `pause`, which the C library has.
    eventually("the program waits", || {
        let target = open();
        let stacks = target.stacks();
        let innermost = stacks.threads()[0].frames.first();
        innermost.is_some_and(|frame| {
            stacks.symbol(frame).function.as_deref().is_some_and(|name| name.contains("pause"))
        })
    });
    let target = open();
    (running, target)
}

/// The frames of the executable, up to `main`.
fn frames(target: &Target) -> Vec<Source> {
    let stacks = target.stacks();
    let [main] = stacks.threads() else { panic!("it has one thread") };
    assert!(main.complete);
    let own = main.frames.iter().filter(|frame| frame.image == Some(0));
    let mut frames: Vec<Source> = own.flat_map(|frame| stacks.source(frame)).collect();
    assert_eq!(frames.pop().and_then(|frame| frame.symbol).as_deref(), Some("_start"));
    frames
}

/// What the program says of itself.
fn expected(target: &Target) -> [(&'static str, u64, bool); 3] {
    [
        ("halo::Grid<double>::wait", number(target, "inner_line"), true),
        ("halo::Grid<double>::exchange", number(target, "outer_line"), false),
        ("main", number(target, "main_line"), false),
    ]
}

fn check(target: &Target, expected: &[(&str, u64, bool)]) {
    let found = frames(target);
    let told: Vec<_> = found
        .iter()
        .map(|frame| {
            let file = frame.file.as_deref().expect("a file");
            assert!(file.ends_with("/tests/process/c/lines.cpp"), "{file}");
            let line = frame.line.expect("a line").into();
            (frame.function.as_deref().expect("a name"), line, frame.inlined)
        })
        .collect();
    assert_eq!(told, expected);
}

#[test]
fn lines_of_templates_and_inlined_functions() {
    for flags in [&["-gdwarf-5"][..], &["-gdwarf-4"], &["-gz=zlib"]] {
        let directory = TempDir::new().unwrap();
        let (_running, target) = start(&build(directory.path(), flags));
        check(&target, &expected(&target));
    }
}

#[test]
fn lines_from_a_core_file() {
    let directory = TempDir::new().unwrap();
    let (running, target) = start(&build(directory.path(), &[]));
    let expected = expected(&target);
    drop(target);
    let name = directory.path().join("core");
    let pid = running.0.id().to_string();
    run(Command::new("gcore").arg("-o").arg(&name).arg(&pid).stdin(Stdio::null()));
    let core = directory.path().join(format!("core.{pid}"));
    check(&Target::open_core(&core, &core_options()).unwrap(), &expected);
}

/// The debug information may be in a file of its own.
#[test]
fn lines_from_a_debug_file() {
    let directory = TempDir::new().unwrap();
    let program = build(directory.path(), &[]);
    let debug = directory.path().join("lines.debug");
    run(Command::new("objcopy").arg("--only-keep-debug").args([&program, &debug]));
    run(Command::new("strip").args(["--strip-all", "--keep-symbol=inner_line"]).arg(&program));
    run(Command::new("objcopy")
        .arg(format!("--add-gnu-debuglink={}", debug.display()))
        .arg(&program)
        .current_dir(directory.path()));
    let (_running, target) = start(&program);
    check(&target, &expected(&target));
}

/// Without debug information there are functions and offsets; without symbols nothing is made up.
#[test]
fn functions_without_lines() {
    let directory = TempDir::new().unwrap();
    let program = build(directory.path(), &[]);
    run(Command::new("strip").arg("--strip-debug").arg(&program));
    let (running, target) = start(&program);
    let found = frames(&target);
    let names: Vec<_> = found.iter().map(|frame| frame.function.as_deref()).collect();
    assert_eq!(names, [Some("halo::Grid<double>::exchange"), Some("main")]);
    let nm = run(Command::new("nm").arg("-S").arg(&program)).stdout;
    let size = |name: &str| {
        let text = String::from_utf8_lossy(&nm).into_owned();
        let line = text.lines().find(|line| line.ends_with(&format!(" {name}"))).unwrap();
        u64::from_str_radix(line.split_whitespace().nth(1).unwrap(), 16).unwrap()
    };
    for frame in &found {
        assert_eq!((&frame.file, frame.line, frame.inlined), (&None, None, false));
        let size = size(frame.symbol.as_deref().unwrap());
        assert!((1..=size).contains(&frame.offset.unwrap()), "{frame:?} of {size} bytes");
    }
    drop((running, target));

    run(Command::new("strip").arg("--strip-all").arg(&program));
    let running = Running(Command::new(&program).stdin(Stdio::null()).spawn().unwrap());
    eventually("the program waits", || {
        let target = Target::attach(running.0.id()).unwrap();
        let stacks = target.stacks();
        let own = |frame: &&mqd_inspect::process::StackFrame| frame.image == Some(0);
        let frames: Vec<_> = stacks.threads()[0].frames.iter().filter(own).copied().collect();
        frames.len() == 3 && frames.iter().all(|frame| stacks.source(frame) == [Source::default()])
    });
}
