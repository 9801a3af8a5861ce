//! Debian packages that commands need.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::workspace;

/// Installs those of `packages` that are missing. Returns those that are still missing; standard
/// error says why.
pub fn ensure(packages: &[&'static str]) -> Vec<&'static str> {
    if !exists("dpkg-query") {
        eprintln!(
            "This is not Debian or Ubuntu. Should something be missing below: it needs what these \
             packages have: {}",
            packages.join(" ")
        );
        return Vec::new();
    }
    let missing = missing(packages);
    if missing.is_empty() {
        return missing;
    }
    eprintln!("Installing {}", missing.join(" "));
    let Some(mut apt) = apt() else {
        eprintln!("Only root can. Please run: sudo apt-get install {}", missing.join(" "));
        return missing;
    };
    apt.args(["install", "--yes", "--no-install-recommends"]).args(&missing);
    if workspace::output(&mut apt).is_err() {
        // The lists of a fresh image are empty or old.
        if let Some(mut update) = self::apt() {
            let _ = workspace::output(update.arg("update"));
        }
        if let Err(error) = workspace::output(&mut apt) {
            eprintln!("{error:#}");
        }
    }
    let missing = self::missing(packages);
    if !missing.is_empty() {
        eprintln!("Could not install {}; what needs it will fail.", missing.join(" "));
    }
    missing
}

/// An MPI library of PyPI in an environment of its own, installed into `directory` on first use.
///
/// # Errors
///
/// When it cannot be installed.
pub fn wheel(package: &str, version: &str, directory: &Path) -> Result<PathBuf> {
    wheels(&[&format!("{package}=={version}")], directory)
}

/// The same from several packages, or with options of `pip install`.
///
/// # Errors
///
/// When they cannot be installed.
pub fn wheels(arguments: &[&str], directory: &Path) -> Result<PathBuf> {
    if !directory.join("bin/mpirun").exists() {
        ensure(&["python3-venv"]);
        let mut make = workspace::command("python3");
        workspace::output(make.args(["-m", "venv"]).arg(directory))
            .context("Python's environments are needed (Debian: apt-get install python3-venv)")?;
        let mut pip = workspace::command(directory.join("bin/pip"));
        workspace::output(pip.args(["install", "--quiet"]).args(arguments))?;
    }
    Ok(directory.to_owned())
}

/// An environment of Python with these packages of PyPI (`name==version`), installed into
/// `directory` on first use. Returns its interpreter.
///
/// # Errors
///
/// When it cannot be installed.
pub fn python(packages: &[&str], directory: &Path) -> Result<PathBuf> {
    let (python, built) = (directory.join("bin/python"), directory.join(".built"));
    let wanted = packages.join(" ");
    if !fs::read_to_string(&built).is_ok_and(|before| before == wanted) {
        ensure(&["python3-venv"]);
        let mut make = workspace::command("python3");
        workspace::output(make.args(["-m", "venv"]).arg(directory))
            .context("Python's environments are needed (Debian: apt-get install python3-venv)")?;
        let mut pip = workspace::command(directory.join("bin/pip"));
        workspace::output(pip.args(["install", "--quiet"]).args(packages))?;
        fs::write(&built, wanted)?;
    }
    Ok(python)
}

fn missing(packages: &[&'static str]) -> Vec<&'static str> {
    let installed = |package: &str| {
        Command::new("dpkg-query")
            .args(["--show", "--showformat=${db:Status-Status}", package])
            .output()
            .is_ok_and(|output| output.stdout.starts_with(b"installed"))
    };
    packages.iter().copied().filter(|package| !installed(package)).collect()
}

/// `apt-get` with the rights to install, if no password is needed for them.
fn apt() -> Option<Command> {
    let mut command;
    if nix::unistd::geteuid().is_root() {
        command = Command::new("apt-get");
    } else {
        Command::new("sudo")
            .args(["-n", "true"])
            .stderr(Stdio::null())
            .status()
            .ok()
            .filter(|status| status.success())?;
        command = Command::new("sudo");
        command.args(["-n", "apt-get"]);
    }
    command.env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
    Some(command)
}

/// Whether there is such a program in `PATH`.
pub fn exists(program: &str) -> bool {
    mqd_host::programs::in_path(program).is_some()
}
