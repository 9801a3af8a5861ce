//! A job that runs while we look at it.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::dist::Prefix;
use crate::workspace;

/// `mpiexec` and its ranks. Dropped, they are ended.
#[derive(Debug)]
pub struct Job {
    /// The launcher.
    pub mpiexec: Child,
}

impl Job {
    /// Starts a program with so many ranks; `configure` may add arguments, environment and output.
    ///
    /// # Errors
    ///
    /// When `mpiexec` cannot be started.
    pub fn start(
        prefix: &Prefix,
        ranks: usize,
        program: &Path,
        configure: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Result<Job> {
        let mut command = prefix.command("mpiexec");
        command.args(["-n", &ranks.to_string()]).arg(program).stdin(Stdio::null());
        configure(&mut command);
        Job::launch(command)
    }

    /// Starts a launcher of any MPI.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    pub fn launch(mut command: Command) -> Result<Job> {
        let mpiexec = command
            .spawn()
            .with_context(|| format!("cannot start {}", workspace::line(&command)))?;
        Ok(Job { mpiexec })
    }

    /// The launcher's process number, which stands for the job.
    pub fn pid(&self) -> u32 {
        self.mpiexec.id()
    }

    /// Sends a signal to the launcher.
    pub fn signal(&self, signal: Signal) {
        // It has not been waited for, so the number is still its own.
        let _ = kill(Pid::from_raw(self.mpiexec.id().cast_signed()), signal);
    }

    /// Asks the job to end and waits until it has.
    ///
    /// # Errors
    ///
    /// When the launcher cannot be waited for.
    pub fn end(&mut self) -> Result<ExitStatus> {
        if self.mpiexec.try_wait()?.is_none() {
            self.signal(Signal::SIGCONT);
            self.signal(Signal::SIGTERM);
        }
        self.mpiexec.wait().context("cannot wait for mpiexec")
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
