//! A job that runs while it is read.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::prefix::Prefix;
use crate::segments::Segments;
use crate::workspace;

/// How long ranks may take to get ready. They take a second, more on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How long a launcher may take to end its job.
const PATIENCE_AT_THE_END: Duration = Duration::from_secs(20);

/// The file that a logged job writes to.
const LOG: &str = "log";

/// `mpiexec` and its ranks. They are ended when this is dropped.
#[derive(Debug)]
pub struct Job {
    /// The launcher.
    pub mpiexec: Child,
}

impl Job {
    /// Starts a program with this many ranks. `configure` may add arguments, environment and
    /// output.
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

    /// The same, with the output of the job in the file `log` of a directory.
    ///
    /// # Errors
    ///
    /// When it cannot be started, or the file cannot be written.
    pub fn launch_logged(mut command: Command, directory: &Path) -> Result<Job> {
        let log = File::create(directory.join(LOG))?;
        command.stdout(log.try_clone()?).stderr(log);
        Job::launch(command)
    }

    /// Waits until the ranks of a logged job have written something into its directory.
    ///
    /// # Errors
    ///
    /// When the job ends first, or does not get ready in time. The text has what the job wrote.
    pub fn wait_for<T>(
        &mut self,
        directory: &Path,
        patience: Duration,
        written: impl Fn() -> Option<T>,
    ) -> Result<T> {
        let begin = Instant::now();
        let log = || fs::read_to_string(directory.join(LOG)).unwrap_or_default();
        loop {
            if let Some(result) = written() {
                return Ok(result);
            }
            if let Some(status) = self.mpiexec.try_wait()? {
                bail!("the job ended ({status}): {}", log());
            }
            let seconds = patience.as_secs();
            ensure!(
                begin.elapsed() < patience,
                "the job is not ready after {seconds} s: {}",
                log()
            );
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// The launcher's process id, which identifies the job.
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
        let mut _segments = None;
        if self.mpiexec.try_wait()?.is_none() {
            _segments = Some(Segments::of(self.pid()));
            self.signal(Signal::SIGCONT);
            self.signal(Signal::SIGTERM);
        }
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE_AT_THE_END {
            if let Some(status) = self.mpiexec.try_wait()? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(10));
        }
        // Open MPI's launcher can lock itself out while it ends its job.
        self.mpiexec.kill().context("cannot kill mpiexec")?;
        self.mpiexec.wait().context("cannot wait for mpiexec")
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
