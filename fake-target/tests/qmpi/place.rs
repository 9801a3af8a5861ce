//! A directory with the library, programs and tools, and jobs that run there.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A directory with the shared library under its names, as programs find it.
pub(crate) struct Place {
    directory: TempDir,
}

/// A file of the runtime's sources.
pub(crate) fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

impl Place {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let library =
            std::env::current_exe().expect("the test's own path").with_file_name("libmpi_abi.so");
        for name in ["libmpi_abi.so", "libmpi_abi.so.1"] {
            symlink(&library, directory.path().join(name)).expect("a link");
        }
        Place { directory }
    }

    /// The path of something in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Compiles a C source to `result` and links it with the library; warnings are errors. `flags`
    /// come after the source.
    pub(crate) fn compile(&self, from: &Path, result: &str, flags: &[&str]) -> PathBuf {
        self.compile_with(&["cc", "-std=gnu11"], from, result, flags)
    }

    /// The same for C++.
    pub(crate) fn compile_cpp(&self, from: &Path, result: &str, flags: &[&str]) -> PathBuf {
        self.compile_with(&["c++", "-std=gnu++17"], from, result, flags)
    }

    fn compile_with(
        &self,
        compiler: &[&str],
        from: &Path,
        result: &str,
        flags: &[&str],
    ) -> PathBuf {
        let path = self.path(result);
        let output = Command::new(compiler[0])
            .args(&compiler[1..])
            .args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"])
            .arg(&path)
            .arg(from)
            .args(flags)
            .args([
                "-I".into(),
                source("include"),
                "-I".into(),
                source("tests/programs"),
                "-I".into(),
                self.path(""),
            ])
            .args([self.flag("-L"), self.flag("-Wl,-rpath,"), "-lmpi_abi".into()])
            .output()
            .expect("a compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        path
    }

    fn flag(&self, flag: &str) -> String {
        format!("{flag}{}", self.directory.path().display())
    }

    /// A program of `tests/programs`.
    pub(crate) fn program(&self, name: &str, flags: &[&str]) -> PathBuf {
        self.compile(&source(&format!("tests/programs/{name}.c")), name, flags)
    }

    /// A tool as a shared library `libNAME.so`, of `tests/tools/layer.c`.
    pub(crate) fn layer(&self, name: &str) -> PathBuf {
        let define = format!("-DNAME=\"{name}\"");
        self.compile(
            &source("tests/tools/layer.c"),
            &format!("lib{name}.so"),
            &["-shared", "-fPIC", &define],
        )
    }

    /// Runs a job with tools.
    pub(crate) fn run(
        &self,
        ranks: usize,
        program: &Path,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Job {
        let output = Command::new(env!("CARGO_BIN_EXE_mpiexec"))
            .args(["-n", &ranks.to_string()])
            .arg(program)
            .args(arguments)
            // Cargo's value would find another build's library first.
            .env_remove("LD_LIBRARY_PATH")
            .env_remove("QMPI_TOOLS")
            .envs(environment.iter().copied())
            .output()
            .expect("mpiexec");
        Job::new(&output)
    }
}

/// The output of a job.
pub(crate) struct Job {
    pub(crate) success: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Job {
    fn new(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Job {
            success: output.status.success(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// The lines of its output; it must have succeeded.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<&str> {
        assert!(self.success, "{}{}", self.stdout, self.stderr);
        self.stdout.lines().collect()
    }
}
