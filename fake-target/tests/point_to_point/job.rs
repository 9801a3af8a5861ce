//! Runs C programs as real jobs, with the library and the launcher that cargo has built for this
//! test.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A compiled C program of `tests/programs`.
pub(crate) struct Program {
    path: PathBuf,
    _directory: TempDir,
}

impl Program {
    /// Compiles `tests/programs/NAME.c`; warnings are errors.
    pub(crate) fn compile(name: &str) -> Program {
        Self::compile_with(name, &[])
    }

    /// The same with more sources.
    pub(crate) fn compile_with(name: &str, sources: &[&Path]) -> Program {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        // Programs ask for the library by its soname.
        let own = std::env::current_exe().unwrap();
        for link in ["libmpi_abi.so", "libmpi_abi.so.1"] {
            symlink(own.with_file_name("libmpi_abi.so"), directory.path().join(link)).unwrap();
        }
        let flag = |flag: &str, path: &Path| format!("{flag}{}", path.display());
        let output = Command::new("cc")
            .args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"])
            .arg(&path)
            .arg(here.join("tests/programs").join(format!("{name}.c")))
            .args(sources)
            .args([flag("-I", &here.join("include")), flag("-I", &here.join("src/debug"))])
            .args([
                flag("-L", directory.path()),
                flag("-Wl,-rpath,", directory.path()),
                "-lmpi_abi".into(),
            ])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Program { path, _directory: directory }
    }

    /// Runs it as a job of `ranks` processes.
    pub(crate) fn run(&self, ranks: usize, environment: &[(&str, &str)]) -> Output {
        self.run_with(ranks, &[], environment)
    }

    /// The same with arguments.
    pub(crate) fn run_with(
        &self,
        ranks: usize,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Output {
        Command::new(env!("CARGO_BIN_EXE_mpiexec"))
            .args(["-n", &ranks.to_string()])
            .arg(&self.path)
            .args(arguments)
            // Cargo's value would find another build's library first.
            .env_remove("LD_LIBRARY_PATH")
            .envs(environment.iter().copied())
            .output()
            .unwrap()
    }

    /// Runs it without a launcher.
    pub(crate) fn run_alone(&self) -> Output {
        Command::new(&self.path).env_remove("LD_LIBRARY_PATH").output().unwrap()
    }

    /// Runs it and expects the output of a program that finds no mistake.
    pub(crate) fn passes(&self, ranks: usize, environment: &[(&str, &str)]) {
        let output = self.run(ranks, environment);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, errors) = (text(&output.stdout), text(&output.stderr));
        assert!(
            output.status.success() && out == "ok\n",
            "{} ranks, {environment:?}: {}\n{out}{errors}",
            ranks,
            output.status
        );
    }
}
