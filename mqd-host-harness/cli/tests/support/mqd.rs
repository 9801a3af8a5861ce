//! The command `mqd`.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use mqd_report::Report;

/// What a run of `mqd` left.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// Standard output as a report.
    #[track_caller]
    pub fn report(&self) -> Report {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mqd"));
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
    command
}

/// The same in 1 GiB of address space.
pub fn small_command() -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 1048576; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_mqd")]);
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
    command
}

pub fn run<I: IntoIterator<Item: AsRef<OsStr>>>(arguments: I) -> Run {
    result(command().args(arguments))
}

/// What a command leaves.
pub fn result(command: &mut Command) -> Run {
    let output = command.output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
