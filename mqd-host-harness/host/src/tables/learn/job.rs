//! The known program: compiled with the user's compiler, run under the user's launcher, and ended
//! with everything that it leaves.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use mqd_inspect::files;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::known::{RANKS, SOURCE};
use super::{Launch, LearnError};
use crate::job::is_this_host;
use crate::programs::in_path;

/// How long the program may take until everything is in its place.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long the launcher may take to end its job.
const GRACE: Duration = Duration::from_secs(15);
const TICK: Duration = Duration::from_millis(20);

/// Where segments of shared memory have names.
const SEGMENTS: &str = "/dev/shm";

/// Signals and errors end the program, too.
pub(super) struct Program {
    directory: TempDir,
    executable: PathBuf,
}

impl Program {
    /// Compiles the program.
    pub(super) fn compile(what: &Launch) -> Result<Program, LearnError> {
        let directory = tempfile::tempdir().map_err(LearnError::Temporary)?;
        let place = |name| directory.path().join(name);
        let (source, executable) = (place("known.c"), place("known"));
        fs::write(&source, SOURCE).map_err(LearnError::Temporary)?;
        let compiler = compiler(what)?;
        let mut command = Command::new(&compiler);
        command.arg("-g").arg(&source).arg("-o").arg(&executable).stdin(Stdio::null());
        let done = command
            .output()
            .map_err(|why| LearnError::Compiler { compiler: compiler.clone(), why })?;
        if !done.status.success() {
            let said = [done.stdout, done.stderr].concat();
            let said = String::from_utf8_lossy(&said).trim_end().to_owned();
            return Err(LearnError::Compile { compiler, said });
        }
        Ok(Program { directory, executable })
    }

    /// A file for a table, in a directory of its own.
    pub(super) fn table(&self) -> Result<PathBuf, LearnError> {
        let directory = self.directory.path().join("tables");
        fs::create_dir_all(&directory).map_err(LearnError::Temporary)?;
        Ok(directory.join("mpich.layout"))
    }
}

/// The compiler beside the launcher: `mpicc` for `mpiexec`, `mpicc.mpich` for `mpiexec.mpich`.
fn compiler(what: &Launch) -> Result<PathBuf, LearnError> {
    if let Some(compiler) = &what.mpicc {
        return Ok(compiler.clone());
    }
    let launcher = what.command.first().map_or(Path::new("mpiexec"), Path::new);
    let path = match launcher.components().count() {
        1 => in_path(&launcher.to_string_lossy()),
        _ => Some(launcher.to_owned()),
    };
    let missing = || LearnError::NoCompiler { launcher: launcher.display().to_string() };
    let path = path.ok_or_else(missing)?;
    let suffix = path.extension().and_then(OsStr::to_str).map(|suffix| format!("mpicc.{suffix}"));
    let names = suffix.into_iter().chain(["mpicc".to_owned()]);
    names.map(|name| path.with_file_name(name)).find(|path| path.is_file()).ok_or_else(missing)
}

/// A run of the program. It is ended when this is dropped.
pub(super) struct Job<'p> {
    program: &'p Program,
    child: Child,
    /// The segments that were there before.
    before: BTreeSet<PathBuf>,
    /// The process ids, by rank.
    pub(super) pids: Vec<u32>,
}

impl<'p> Job<'p> {
    /// Starts the program and waits until all is in its place.
    pub(super) fn start(
        program: &'p Program,
        command: &[OsString],
        pattern: u32,
        stop: &AtomicBool,
    ) -> Result<Job<'p>, LearnError> {
        let directory = program.directory.path().join(pattern.to_string());
        fs::create_dir(&directory).map_err(LearnError::Temporary)?;
        let output = directory.join("output");
        let file = File::create(&output).map_err(LearnError::Temporary)?;
        let errors = file.try_clone().map_err(LearnError::Temporary)?;
        let (launcher, arguments) =
            command.split_first().unwrap_or_else(|| unreachable!("clap wants a command"));
        let before = segments();
        let child = Command::new(launcher)
            .args(arguments)
            .args(["-n", &RANKS.to_string()])
            .arg(&program.executable)
            .arg(pattern.to_string())
            .arg(&directory)
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(errors)
            .spawn()
            .map_err(|why| LearnError::Launcher {
                launcher: launcher.display().to_string(),
                why,
            })?;
        let mut job = Job { program, child, before, pids: Vec::new() };
        job.wait(&directory, &output, stop)?;
        Ok(job)
    }

    fn wait(
        &mut self,
        directory: &Path,
        output: &Path,
        stop: &AtomicBool,
    ) -> Result<(), LearnError> {
        let begin = Instant::now();
        let said = || {
            let said = files::read_to_string(output).unwrap_or_default();
            said.trim_end().to_owned()
        };
        loop {
            let told: Option<Vec<String>> = (0..RANKS)
                .map(|rank| fs::read_to_string(directory.join(rank.to_string())).ok())
                .collect();
            if let Some(told) = told {
                for told in told {
                    let (pid, host) = told.trim().split_once(' ').unwrap_or_default();
                    if !is_this_host(host) {
                        return Err(LearnError::Elsewhere { host: host.to_owned() });
                    }
                    self.pids.push(pid.parse().unwrap_or(0));
                }
                return Ok(());
            }
            if stop.load(Ordering::Relaxed) {
                return Err(LearnError::Stopped);
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                let how = status.to_string();
                return Err(LearnError::Ended { how, said: said() });
            }
            if begin.elapsed() > PATIENCE {
                let seconds = PATIENCE.as_secs();
                return Err(LearnError::TimeLimit { seconds, said: said() });
            }
            thread::sleep(TICK);
        }
    }

    /// The processes of this machine that run the program.
    fn ranks(&self) -> Vec<u32> {
        let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
        let pids = processes.flatten().filter_map(|one| one.file_name().to_str()?.parse().ok());
        let runs = |pid: &u32| {
            fs::read_link(format!("/proc/{pid}/exe"))
                .is_ok_and(|exe| exe == self.program.executable)
        };
        pids.filter(runs).collect()
    }

    fn ends_within(&mut self, time: Duration) -> bool {
        let begin = Instant::now();
        loop {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return true;
            }
            if begin.elapsed() > time {
                return false;
            }
            thread::sleep(TICK);
        }
    }
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        let ranks = self.ranks();
        // Ranks that a signal ends leave their segments.
        let left: BTreeSet<PathBuf> = ranks
            .iter()
            .flat_map(|pid| mapped(*pid))
            .filter(|it| !self.before.contains(it))
            .collect();
        send(self.child.id(), Signal::TERM);
        if !self.ends_within(GRACE) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        let begin = Instant::now();
        loop {
            let ranks = self.ranks();
            ranks.iter().for_each(|pid| send(*pid, Signal::KILL));
            if ranks.is_empty() || begin.elapsed() > GRACE {
                break;
            }
            thread::sleep(TICK);
        }
        for segment in left {
            let _ = fs::remove_file(segment);
        }
    }
}

/// Sends a signal to a process. It may have ended.
fn send(pid: u32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid.cast_signed()) {
        let _ = kill_process(pid, signal);
    }
}

/// The segments of shared memory on this machine.
fn segments() -> BTreeSet<PathBuf> {
    let Ok(files) = fs::read_dir(SEGMENTS) else { return BTreeSet::new() };
    files.flatten().map(|file| file.path()).collect()
}

/// Those that a process has mapped.
fn mapped(pid: u32) -> Vec<PathBuf> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let files = maps.lines().filter_map(|line| line.split_ascii_whitespace().nth(5));
    files.map(PathBuf::from).filter(|file| file.starts_with(SEGMENTS)).collect()
}
