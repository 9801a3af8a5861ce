//! C programs that check values themselves, compiled against `mpi.h` and the shared library and run by `mpiexec`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A directory with the shared library under its soname, as programs find it.
struct Installation {
    directory: TempDir,
}

/// Where cargo puts the libraries it builds for this test.
fn built() -> PathBuf {
    std::env::current_exe().expect("the test's own path").parent().expect("a directory").to_owned()
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn succeed(command: &mut Command) {
    let output = run(command);
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name)
}

fn compiler() -> Command {
    let mut command = Command::new("cc");
    command.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-O1", "-pthread"]);
    command.arg(concat!("-I", env!("CARGO_MANIFEST_DIR"), "/include"));
    command
}

impl Installation {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for name in ["libmpi_abi.so", "libmpi_abi.so.1"] {
            std::os::unix::fs::symlink(built().join("libmpi_abi.so"), directory.path().join(name)).expect("a link");
        }
        Installation { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Compiles a program and links it with the shared library.
    fn compile(&self, name: &str) -> PathBuf {
        let program = self.path(name);
        let mut command = compiler();
        command.arg(source(&format!("{name}.c"))).arg("-L").arg(self.directory.path());
        succeed(command.args(["-lmpi_abi", "-lm", "-o"]).arg(&program));
        program
    }

    /// Runs a program with so many processes.
    fn mpiexec(&self, ranks: usize, program: &Path) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mpiexec"));
        command.arg("-n").arg(ranks.to_string()).arg(program);
        run(command.env("LD_LIBRARY_PATH", self.directory.path()))
    }
}

/// Runs a program with so many processes; each must say that it came to its end.
fn passes(name: &str, numbers_of_ranks: &[usize]) {
    let installation = Installation::new();
    let program = installation.compile(name);
    for &ranks in numbers_of_ranks {
        let output = installation.mpiexec(ranks, &program);
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{name} with {ranks} ranks: {}\n{stdout}{stderr}", output.status);
        let passed = stdout.lines().filter(|line| *line == "passed").count();
        assert_eq!(passed, ranks, "{name}: all ranks say that they passed\n{stdout}{stderr}");
    }
}

#[test]
fn datatypes() {
    passes("datatypes", &[1]);
}

#[test]
fn environment() {
    passes("environment", &[1]);
}
