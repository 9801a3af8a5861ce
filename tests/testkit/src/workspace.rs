//! Paths of the workspace, and running commands.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;

/// The directory of the workspace's `Cargo.toml`.
pub fn root() -> &'static Path {
    // This crate is two folders below.
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("/"))
}

/// Cargo's target directory.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => root().join(directory),
        None => root().join("target"),
    }
}

/// A build of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// `cargo build`
    Dev,
    /// `cargo build --release`
    Release,
}

/// The packages whose programs and libraries get installed.
const INSTALLED: [&str; 3] = ["fake-target", "libmqd", "mqd"];

/// The `cargo` that runs this program, in the workspace.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(arguments);
    command
}

/// A command with the environment of the user, without the target directory that cargo adds to
/// LD_LIBRARY_PATH: programs would load a library from there instead of the one that they were
/// linked with.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_remove("LD_LIBRARY_PATH");
    // Programs are not optimised here, and the machine is busy.
    if std::env::var_os("MQD_STOP_LIMIT").is_none() {
        command.env("MQD_STOP_LIMIT", "30");
    }
    command
}

/// Builds all that gets installed. Returns the directory with the results.
///
/// # Errors
///
/// When cargo fails; it has printed why.
pub fn build(profile: Profile) -> Result<PathBuf> {
    let (arguments, directory) = match profile {
        // The whole workspace, as `cargo test --workspace` builds it. For a part of it, cargo might
        // choose other features and build everything twice.
        Profile::Dev => (&["build", "--quiet", "--workspace"][..], "debug"),
        Profile::Release => (&["build", "--quiet", "--release"][..], "release"),
    };
    let mut cargo = cargo(arguments);
    if profile == Profile::Release {
        cargo.args(INSTALLED.iter().flat_map(|package| ["-p", package]));
        // The DLL is beside the program, so the program need not contain it.
        cargo.env("MQD_LIBMQD", "");
    }
    run(&mut cargo)?;
    Ok(target().join(directory))
}

/// Runs a command that shows its own output.
///
/// # Errors
///
/// When it cannot be started, or fails; the text has its command line.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {}", line(command)))?;
    if !status.success() {
        bail!("failed ({status}): {}", line(command));
    }
    Ok(())
}

/// Runs a command and returns its standard output.
///
/// # Errors
///
/// When it cannot be started, or fails; the text has its command line and what it wrote to standard
/// error.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {}", line(command)))?;
    if !output.status.success() {
        bail!(
            "failed ({}): {}\n{}",
            output.status,
            line(command),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command that writes JSON, whatever its exit code.
///
/// # Errors
///
/// When it cannot be started, or its output is not of the type `T`. The text has what it wrote to
/// standard error.
pub fn json<T: DeserializeOwned>(command: &mut Command) -> Result<T> {
    let output = command.output().with_context(|| format!("cannot run {}", line(command)))?;
    serde_json::from_slice(&output.stdout).with_context(|| {
        let errors = String::from_utf8_lossy(&output.stderr);
        format!("{} ({}): {errors}", line(command), output.status)
    })
}

/// A command line for people.
pub fn line(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| word.to_string_lossy().into_owned()));
    words.join(" ")
}

/// A path for people: relative to the current directory if it is below that.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}
