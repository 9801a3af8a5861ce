//! Core files of processes of other machines: big-endian ones, those with 32 bits, ARM's. The
//! queues in them are read as the process itself has recorded them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use mqd_tests::prefix;
use serde_json::Value;
use tempfile::TempDir;
use testkit::cores::WITHOUT_KERNEL_CORES;
use testkit::packages;
use testkit::workspace::root;

/// A machine that programs are compiled for.
struct Machine {
    compiler: &'static str,
    /// `None`: its programs run here.
    emulator: Option<&'static str>,
    packages: &'static [&'static str],
}

const AARCH64: Machine = Machine {
    compiler: "aarch64-linux-gnu-gcc",
    emulator: Some("qemu-aarch64-static"),
    packages: &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user-static"],
};
const I386: Machine = Machine {
    compiler: "i686-linux-gnu-gcc",
    emulator: None,
    packages: &["gcc-i686-linux-gnu", "libc6-dev-i386-cross"],
};
const S390X: Machine = Machine {
    compiler: "s390x-linux-gnu-gcc",
    emulator: Some("qemu-s390x-static"),
    packages: &["gcc-s390x-linux-gnu", "libc6-dev-s390x-cross", "qemu-user-static"],
};

/// A program that has made queues and died.
struct Died {
    directory: TempDir,
    core: PathBuf,
    /// What it has recorded: a line for each operation.
    record: String,
}

impl Machine {
    fn run(&self) -> Died {
        packages::ensure(self.packages);
        let directory = tempfile::tempdir().expect("there is room for a program");
        let program = directory.path().join("machines");
        let mut compiler = mqd_tests::command(self.compiler);
        compiler.args(["-std=gnu11", "-g", "-static", "-Wall", "-Wextra", "-Werror", "-I"]);
        compiler.arg(root().join("fake-target/src/debug")).arg("-o").arg(&program);
        let status = compiler.arg(root().join("fixtures/machines.c")).status();
        assert!(status.expect("there is a compiler").success());
        let mut command = mqd_tests::command("sh");
        command.args(["-c", "ulimit -c unlimited && exec \"$@\"", "sh"]).args(self.emulator);
        command.arg(&program).current_dir(directory.path()).stdin(Stdio::null());
        let output = command.output().expect("the program runs");
        let record = String::from_utf8(output.stdout).expect("names in ASCII");
        let core = self.core(directory.path());
        Died { directory, core, record }
    }

    /// The core file of the program. An emulator writes one, and the kernel one of the emulator.
    fn core(&self, directory: &Path) -> PathBuf {
        let begin = if self.emulator.is_some() { "qemu_machines_" } else { "core" };
        let mut files = fs::read_dir(directory).expect("it is there").flatten();
        let core = files.find(|file| file.file_name().to_string_lossy().starts_with(begin));
        core.expect("the program has left a core file").path()
    }
}

impl Died {
    /// What `mqd` shows of the process.
    fn process(&self) -> Value {
        let mut mqd = prefix().command("mqd");
        mqd.args(["dump", "--format", "json", "--core"]).arg(&self.core);
        let output = mqd.output().expect("mqd runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), errors.as_ref()), (Some(0), ""));
        let report: Value = serde_json::from_slice(&output.stdout).expect("mqd writes JSON");
        report["processes"][0].clone()
    }

    /// Every operation is shown as it was recorded, and no other one.
    fn check(&self) -> Value {
        let process = self.process();
        assert_eq!(process["rank"], 1);
        let mut shown = Vec::new();
        for communicator in process["communicators"].as_array().expect("there are communicators") {
            for (what, queue, rank, tag, length) in QUEUES {
                for one in communicator[queue].as_array().expect("there is a queue") {
                    let (name, buffer) = (text(&communicator["name"]), text(&one["buffer"]));
                    let (rank, tag, length) = (&one[rank], &one[tag], &one[length]);
                    shown.push(format!("{what} {name} {rank} {tag} {length} {buffer}"));
                }
            }
        }
        let mut recorded: Vec<_> = self.record.lines().collect();
        shown.sort();
        recorded.sort_unstable();
        assert_eq!(recorded.len(), 90);
        assert_eq!(shown, recorded, "{}", self.directory.path().display());
        process
    }
}

/// The word in the record, the queue, and the fields: rank, tag, length.
const QUEUES: [(&str, &str, &str, &str, &str); 3] = [
    ("receive", "pending_receives", "desired_local_rank", "desired_tag", "desired_length"),
    ("send", "pending_sends", "desired_local_rank", "desired_tag", "desired_length"),
    ("message", "unexpected_messages", "actual_local_rank", "actual_tag", "actual_length"),
];

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

#[test]
fn aarch64() {
    let process = AARCH64.run().check();
    let frames = process["stacks"][0]["frames"].as_array().expect("there is a stack");
    let main = frames.iter().find(|frame| frame["function"] == "main").expect("main has called");
    assert_eq!(main["line"], line_of("abort();"));
    let functions: Vec<_> = frames.iter().map(|frame| frame["function"].as_str()).collect();
    assert!(functions.contains(&Some("abort")), "{functions:?}");
}

/// The kernel writes its core file.
#[test]
fn i386() {
    if std::env::var_os(WITHOUT_KERNEL_CORES).is_some() {
        return;
    }
    I386.run().check();
}

#[test]
fn s390x() {
    S390X.run().check();
}

/// The line of the source that is this.
fn line_of(wanted: &str) -> u64 {
    let source = fs::read_to_string(root().join("fixtures/machines.c")).expect("the source");
    let line = source.lines().position(|line| line.trim() == wanted).expect("there is the line");
    line as u64 + 1
}
