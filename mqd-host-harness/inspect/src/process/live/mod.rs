//! A live process: stopped with ptrace, read with `process_vm_readv`.

mod passes;
mod proc;
mod sys;
mod tracer;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use self::passes::Passes;
use super::auxv::Auxv;
use super::images::{FileFinder, Unusable};
use super::memory::Mapping;
use super::stack::ThreadState;
use super::{Arch, ReadError, TargetError, Unreadable};
use crate::image::{FileCache, OpenFile, under};
use proc::Proc;
use tracer::Tracer;

/// A stopped process.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) memory: LiveMemory,
    pub(super) arch: Arch,
    pub(super) auxv: Auxv,
    pub(super) finder: LiveFiles,
    pub(super) executable: Arc<OpenFile>,
    pub(super) executable_path: PathBuf,
    pub(super) warnings: Vec<String>,
    pub(super) threads: Vec<ThreadState>,
    /// A signal had stopped it before.
    pub(super) was_stopped: bool,
    /// It handles signals other than those of errors, or this is not known.
    pub(super) handles_signals: bool,
}

impl Live {
    /// Stops a process, for at most `limit`, and finds out what it is.
    pub(super) fn attach(
        pid: u32,
        limit: Option<Duration>,
        files: &FileCache,
    ) -> Result<Live, TargetError> {
        let (was_stopped, tracer) = stop(pid, limit)?;
        // Which of its threads are alive is certain only while it is stopped.
        let (proc, executable_path) = Proc::stopped(pid)?;
        let executable = files
            .open(&proc.path("exe"))
            .map_err(|why| TargetError::Damaged { path: executable_path.clone(), why })?;
        let arch = executable.headers().arch();
        let auxv = Auxv::parse(&arch, &proc.read("auxv", "read the auxiliary vector")?);
        let mappings = proc.mappings()?;
        let mut warnings = tracer.warnings().to_vec();
        if was_stopped {
            warnings.push(format!(
                "process {pid} is stopped by a signal (SIGSTOP, or a shell's job control): it does \
                 not go on before it gets SIGCONT"
            ));
        }
        let threads = tracer.threads().to_vec();
        let handles_signals = proc.handles_signals() != Some(false);
        let memory = LiveMemory {
            thread: proc.thread(),
            file: File::open(proc.path("mem")).ok(),
            tracer: Mutex::new(Some(Arc::new(tracer))),
            was_cut: AtomicBool::new(false),
        };
        let finder = LiveFiles::new(proc, mappings, files.clone());
        Ok(Live {
            memory,
            arch,
            auxv,
            finder,
            executable,
            executable_path,
            warnings,
            threads,
            was_stopped,
            handles_signals,
        })
    }
}

/// Stops a process. Also says whether a signal had stopped it before.
///
/// Another process of our program may be reading it, which takes milliseconds. So the attempt is
/// repeated for a while.
fn stop(pid: u32, limit: Option<Duration>) -> Result<(bool, Tracer), TargetError> {
    const PATIENCE: Duration = Duration::from_secs(3);
    const PAUSE: Duration = Duration::from_millis(10);
    let begin = Instant::now();
    let mut refusals = 0;
    loop {
        let stopped = Proc::check(pid).and_then(|()| {
            let was_stopped = Proc::new(pid).is_stopped();
            Tracer::attach(pid, limit).map(|tracer| (was_stopped, tracer))
        });
        let Err(error) = stopped else { return stopped };
        // The other one may have come between the check and the attempt.
        let why = Proc::check(pid).err();
        let tracer = match why.as_ref().unwrap_or(&error) {
            TargetError::AlreadyTraced { tracer, .. } => *tracer,
            // The other one may have come after the check and left before this one.
            _ if why.is_none() && refusals < 3 => {
                refusals += 1;
                std::thread::sleep(PAUSE);
                continue;
            }
            _ => return Err(error),
        };
        if begin.elapsed() > PATIENCE || !proc::runs_our_program(tracer) {
            return Err(why.unwrap_or(error));
        }
        std::thread::sleep(PAUSE);
    }
}

/// The memory of a stopped process.
#[derive(Debug)]
pub(super) struct LiveMemory {
    thread: u32,
    /// `/proc/PID/mem`: reads what `process_vm_readv` cannot, at twice the cost.
    file: Option<File>,
    /// Keeps the process stopped. `None`: the reader has let it go.
    tracer: Mutex<Option<Arc<Tracer>>>,
    /// A read came after the time limit.
    was_cut: AtomicBool,
}

/// Keeps a process stopped, also when its `Target` is gone.
#[derive(Debug)]
pub struct Hold {
    tracer: Arc<Tracer>,
}

impl Hold {
    /// Has the process stood still until now? False: the time limit has passed.
    pub fn lasts(&self) -> bool {
        !self.tracer.is_over()
    }
}

impl LiveMemory {
    /// None: not all threads have stopped.
    pub(super) fn hold(&self) -> Option<Hold> {
        let tracer = self.tracer()?;
        tracer.warnings().is_empty().then_some(Hold { tracer })
    }

    /// Lets the process go, unless a [`Hold`] keeps it.
    pub(super) fn let_go(&self) {
        let tracer = self.tracer.lock().unwrap_or_else(PoisonError::into_inner).take();
        // The tracing thread is joined without the lock.
        drop(tracer);
    }

    /// Was a read refused because the time limit had passed?
    pub(super) fn was_cut(&self) -> bool {
        self.was_cut.load(Ordering::Relaxed)
    }

    fn tracer(&self) -> Option<Arc<Tracer>> {
        self.tracer.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn read(&self, address: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        let runs_on = ReadError { address, why: Unreadable::RunsOn };
        let Some(tracer) = self.tracer() else { return Err(runs_on) };
        if self.was_cut() {
            return Err(runs_on);
        }
        let result = self.read_now(&tracer, address, buf);
        // What was read after the process had been let go may be half changed.
        if tracer.is_over() {
            self.was_cut.store(true, Ordering::Relaxed);
            return Err(runs_on);
        }
        result
    }

    fn read_now(&self, tracer: &Tracer, address: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        let mut done = 0;
        let mut error = None;
        while done < buf.len() {
            let at = address.wrapping_add(done as u64);
            match sys::read_memory(self.thread, at, &mut buf[done..]) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(failure) => {
                    error = Some(failure);
                    break;
                }
            }
        }
        // Of a process that has ended, the kernel does not say that an address is not mapped.
        let lives = error.as_ref().is_some_and(is_not_mapped);
        while let Some(file) = self.file.as_ref().filter(|_| done < buf.len()) {
            match file.read_at(&mut buf[done..], address.wrapping_add(done as u64)) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(failure) => {
                    error = Some(failure);
                    break;
                }
            }
        }
        if done == buf.len() {
            return Ok(());
        }
        let why = match error {
            _ if !lives && tracer.has_ended() => Unreadable::Ended,
            Some(error)
                if !is_not_mapped(&error)
                    && !matches!(error.raw_os_error(), Some(libc::EIO | libc::EINVAL)) =>
            {
                Unreadable::System(error.to_string())
            }
            _ => Unreadable::NotMapped,
        };
        Err(ReadError { address: address.wrapping_add(done as u64), why })
    }
}

fn is_not_mapped(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EFAULT)
}

/// The files of a live process, as it sees them.
#[derive(Debug)]
pub(super) struct LiveFiles {
    proc: Proc,
    mappings: Vec<Mapping>,
    files: FileCache,
    /// The root directory of the process, if it differs from ours (a container).
    sysroot: Option<PathBuf>,
}

impl LiveFiles {
    fn new(proc: Proc, mappings: Vec<Mapping>, files: FileCache) -> LiveFiles {
        let root = proc.path("root");
        let differs = || {
            let (theirs, ours) = (fs::metadata(&root).ok()?, fs::metadata("/").ok()?);
            Some((theirs.dev(), theirs.ino()) != (ours.dev(), ours.ino()))
        };
        let sysroot = (differs() == Some(true)).then_some(root);
        LiveFiles { proc, mappings, files, sysroot }
    }

    /// The root directory of the process, if it differs from ours.
    pub(super) fn sysroot(&self) -> Option<&Path> {
        self.sysroot.as_deref()
    }

    /// The user of the process; `None` if it has several.
    pub(super) fn owner(&self) -> Option<u32> {
        let uids = self.proc.status("Uid")?;
        let mut uids = uids.split_whitespace().map(str::parse::<u32>);
        let first = uids.next()?.ok()?;
        uids.all(|uid| uid == Ok(first)).then_some(first)
    }

    pub(super) fn cmdline(&self) -> Vec<Vec<u8>> {
        self.proc.strings("cmdline")
    }

    pub(super) fn environment(&self) -> Vec<Vec<u8>> {
        self.proc.strings("environ")
    }
}

impl FileFinder for LiveFiles {
    fn mapping(&self, address: u64) -> Option<&Mapping> {
        self.mappings.iter().find(|mapping| mapping.contains(address))
    }

    fn candidates(
        &self,
        path: &Path,
        mapping: Option<&Mapping>,
    ) -> Vec<Result<Arc<OpenFile>, Unusable>> {
        // The kernel's own handle on a mapped file is always the right one, but it needs
        // privileges.
        let handle =
            mapping.map(|mapping| format!("map_files/{:x}-{:x}", mapping.start, mapping.end));
        let by_handle = || handle.map(|handle| self.files.open(&self.proc.path(&handle)));
        if mapping.is_some_and(|mapping| mapping.deleted) {
            return by_handle().into_iter().map(|file| file.map_err(|_| Unusable::Gone)).collect();
        }
        // The kernel names files from the root of their file system tree, which is not always the
        // process's own.
        let in_sysroot = self.sysroot().map(|root| self.files.open(&under(root, path)));
        let mut candidates: Vec<_> =
            in_sysroot.into_iter().chain([self.files.open(path)]).collect();
        if candidates.iter().all(Result::is_err) {
            candidates.extend(by_handle().filter(Result::is_ok));
        }
        candidates.into_iter().map(|file| file.map_err(Unusable::from)).collect()
    }
}
