//! Which MPI function a process is in, by its stacks.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::common::{core_options, eventually, number, run, shared_files};
use mqd_inspect::process::{Calls, LiveOptions, Marks, Progress, Target};
use tempfile::TempDir;

/// A program with a library that looks like MPI's, and a tool.
struct Built {
    directory: TempDir,
}

impl Built {
    /// `stripped`: the library has only the symbols that programs need.
    fn new(stripped: bool) -> Built {
        let directory = TempDir::new().unwrap();
        let source =
            |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/process/c").join(name);
        let path = |name: &str| directory.path().join(name);
        // Functions without frame pointers, whose last calls are not tail calls.
        let compile = |output: &Path, inputs: &[&Path], shared: bool| {
            let mut command = Command::new("gcc");
            command
                .args(["-O2", "-g", "-fno-optimize-sibling-calls", "-pthread", "-o"])
                .arg(output)
                .args(inputs);
            command.args(if shared { &["-shared", "-fPIC"][..] } else { &[] });
            run(command.arg(format!("-Wl,-rpath,{}", directory.path().display())));
        };
        let (library, tool) = (path("liblooks_like_mpi.so"), path("libtool.so"));
        compile(&library, &[&source("stack_library.c")], true);
        compile(&tool, &[&source("stack_tool.c"), &library], true);
        compile(&path("stack"), &[&source("stack.c"), &tool, &library], false);
        if stripped {
            run(Command::new("strip").arg(&library));
        }
        Built { directory }
    }

    fn start(&self, mode: &str) -> Running {
        let mut command = Command::new(self.directory.path().join("stack"));
        Running(command.arg(mode).stdin(Stdio::null()).spawn().unwrap())
    }

    /// Starts the program and waits until its stacks tell this.
    fn check(&self, mode: &str, expected: &Calls) -> Running {
        let running = self.start(mode);
        eventually(&format!("{mode}: {expected:?}"), || {
            let options = LiveOptions { files: shared_files(), ..LiveOptions::default() };
            calls(&Target::attach_with(running.0.id(), &options).unwrap()) == *expected
        });
        running
    }
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

const PROGRESS: Progress<'_> = Progress {
    waits: Marks { functions: &["library_progress"], apart: &[], calls: &[] },
    looks: Marks { functions: &[], apart: &[], calls: &[] },
    loops_in: |name| name.starts_with("MPI_Loop"),
    looks_in: |_| false,
};

fn calls(target: &Target) -> Calls {
    let is_library = |path: &Path| path.to_string_lossy().contains("looks_like_mpi");
    // Not before the dynamic linker has loaded it.
    let library = target.images().iter().position(|image| is_library(image.path()));
    library.map_or(Calls::NotKnown, |library| target.calls(library, entry, PROGRESS))
}

fn function(name: &str) -> Calls {
    Calls::Function(name.to_owned())
}

fn progress(name: &str) -> Calls {
    Calls::Progress(name.to_owned())
}

#[test]
fn the_outermost_mpi_function_of_the_library() {
    for stripped in [false, true] {
        let built = Built::new(stripped);
        built.check("call", &progress("MPI_Recv"));
        // The tool's own MPI_Send is not the library's.
        built.check("tool", &function("MPI_Barrier"));
        built.check("callback", &progress("MPI_Comm_free"));
        built.check("handler", &function("MPI_Probe"));
    }
}

/// Intel's compiler gives an exported function no code but a jump.
#[cfg(target_arch = "x86_64")]
#[test]
fn code_without_a_symbol_has_that_of_the_jump_to_it() {
    Built::new(true).check("jump", &progress("MPI_Mprobe"));
}

/// A loop around a function without a name.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_loop_that_only_memory_ends() {
    let built = Built::new(true);
    built.check("loop", &progress("MPI_Loop"));
    built.check("loop ends", &function("MPI_Loop_ends"));
    built.check("loop counts", &function("MPI_Loop_counts"));
}

#[test]
fn the_main_thread_comes_first() {
    let built = Built::new(false);
    built.check("thread", &progress("MPI_Recv"));
    built.check("both", &function("MPI_Barrier"));
    built.check("none", &Calls::Nothing);
}

#[test]
fn what_cannot_be_told_is_not_known() {
    let built = Built::new(false);
    for mode in ["inside", "bare"] {
        let running = built.start(mode);
        eventually(&format!("{mode}: not known"), || {
            let target = Target::attach(running.0.id()).unwrap();
            let arrived =
                target.find_symbol("arrived").is_some() && number(&target, "arrived") == 1;
            arrived && calls(&target) == Calls::NotKnown
        });
    }
}

#[test]
fn core_files_tell_the_same() {
    let built = Built::new(false);
    for (mode, expected) in [
        ("call", progress("MPI_Recv")),
        ("thread", progress("MPI_Recv")),
        ("both", function("MPI_Barrier")),
        ("handler", function("MPI_Probe")),
        ("none", Calls::Nothing),
    ] {
        let running = built.check(mode, &expected);
        let name = built.directory.path().join(mode);
        run(Command::new("gcore")
            .arg("-o")
            .arg(&name)
            .arg(running.0.id().to_string())
            .stdin(Stdio::null()));
        let core = built.directory.path().join(format!("{mode}.{}", running.0.id()));
        let target = Target::open_core(&core, &core_options()).unwrap();
        assert_eq!(calls(&target), expected, "{mode}");
    }
}

/// A thread may be stopped anywhere: before a function has set up its frame, and in the procedure
/// linkage table, which is no function. Once it has nothing left to do before it enters the
/// progress function, it counts as in it.
#[test]
fn at_every_instruction() {
    let built = Built::new(false);
    let core = |step: usize| built.directory.path().join(format!("step.{step}"));
    let mut gdb = Command::new("gdb");
    gdb.args([
        "-nx",
        "-batch",
        "-iex",
        "set debuginfod enabled off",
        "-ex",
        "set startup-with-shell off",
    ]);
    gdb.args([
        "-ex",
        "break main",
        "-ex",
        "run call",
        "-ex",
        "break *PMPI_Recv",
        "-ex",
        "continue",
    ]);
    gdb.env("LD_BIND_NOW", "1");
    for step in 0..STEPS {
        gdb.args([
            "-ex",
            "x/i $pc",
            "-ex",
            &format!("generate-core-file {}", core(step).display()),
        ]);
        // Not into the system call, which does not return.
        gdb.args(if step + 1 < STEPS { &["-ex", "stepi"][..] } else { &[] });
    }
    let output = gdb
        .args(["-ex", "kill"])
        .arg(built.directory.path().join("stack"))
        .stdin(Stdio::null())
        .output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("pause@plt"),
        "it comes through the linkage table: {said}"
    );
    let mut expected = function("MPI_Recv");
    let at: Vec<&str> = said.lines().filter(|line| line.starts_with("=>")).collect();
    assert_eq!(at.len(), STEPS, "{said}");
    for (step, at) in at.into_iter().enumerate() {
        // => ADDRESS <PLACE>: INSTRUCTION. The one that writes to `begun` is not executed yet.
        let target = Target::open_core(&core(step), &core_options()).unwrap();
        assert_eq!(calls(&target), expected, "after {step} instructions: {at}");
        if at.contains("<begun>") {
            expected = progress("MPI_Recv");
        }
    }
    assert_eq!(expected, progress("MPI_Recv"), "it has begun: {said}");
}

/// From the entry of `MPI_Recv` into the C library.
const STEPS: usize = 9;

/// The entry functions of the test's library have the names of MPI functions.
fn entry(symbol: &str) -> Option<&str> {
    let name = symbol.split(['.', '@']).next()?;
    let name = name.strip_prefix('P').unwrap_or(name);
    name.starts_with("MPI_").then_some(name)
}
