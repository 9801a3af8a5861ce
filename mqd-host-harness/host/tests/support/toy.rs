//! The toy: a process with queues, a launcher, and debug DLLs that read them, compiled from
//! `tests/c`.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use tempfile::TempDir;

/// A directory for what a test compiles; it goes away with this value.
pub struct Workshop {
    directory: TempDir,
}

impl Workshop {
    pub fn new() -> Workshop {
        Workshop { directory: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The debug DLL of the toy, with these macros defined.
    pub fn dll(&self, macros: &[&str]) -> PathBuf {
        let name: String =
            macros.concat().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        self.compile("toy_dll.c", &format!("libtoy{name}.so"), &["-shared", "-fPIC"], macros)
    }

    /// The process of the toy.
    pub fn process(&self, macros: &[&str]) -> PathBuf {
        self.compile("toy_process.c", "toy_process", &["-pthread"], macros)
    }

    /// The launcher of the toy.
    pub fn launcher(&self, options: &[&str], macros: &[&str]) -> PathBuf {
        self.compile("toy_launcher.c", "toy_launcher", options, macros)
    }

    pub fn compile(
        &self,
        source: &str,
        output: &str,
        options: &[&str],
        macros: &[&str],
    ) -> PathBuf {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let output = self.path().join(output);
        let mut compiler = Command::new("cc");
        compiler
            .args(["-g", "-O1", "-w", "-I"])
            .arg(package.join("../../mqs-abi/include"))
            .arg("-o")
            .arg(&output);
        compiler.args(options).args(macros.iter().map(|name| format!("-D{name}")));
        let status = compiler
            .arg(package.join("../host/tests/c").join(source))
            .status()
            .expect("a C compiler: install gcc");
        assert!(status.success(), "{source} does not compile");
        output
    }
}

/// A process that says "ready" and stays until its standard input ends.
pub struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Running {
    pub fn start(program: &Path, arguments: &[String]) -> Running {
        let mut command = Command::new(program);
        command.args(arguments);
        Running::start_command(command)
    }

    pub fn start_command(mut command: Command) -> Running {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Running { child, output }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Checks that the process runs: its thread counts on, and it answers.
    pub fn assert_running(&mut self) {
        let first = self.ticks();
        while self.ticks() == first {}
    }

    fn ticks(&mut self) -> u64 {
        self.child.stdin.as_mut().unwrap().write_all(b"?").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim().parse().unwrap()
    }

    /// Lets the process end by itself, which it must still be able to do.
    pub fn finish(mut self) {
        drop(self.child.stdin.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After `finish` both do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
