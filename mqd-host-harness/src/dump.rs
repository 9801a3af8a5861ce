//! One process from its process id or core file to its part of the report.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::callbacks::{Session, Stats};
use crate::dll::{self, Dll};
use crate::job::Member;
use crate::report::{Communicator, Process};
use crate::target::{CoreOptions, LiveOptions, Target};
use crate::walk::{Limits, Walker};

/// A process to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// A live process.
    Pid(u32),
    /// A core file.
    Core(PathBuf),
    /// A process from a launcher's table.
    Member(Member),
}

impl Request {
    /// The rank, if it is known before the process is read.
    pub fn rank(&self) -> Option<i64> {
        match self {
            Request::Member(member) => Some(member.rank),
            Request::Pid(_) | Request::Core(_) => None,
        }
    }
}

/// How to read processes.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The debug DLL, instead of the one that the process names.
    pub dll: Option<PathBuf>,
    /// How to open live processes.
    pub live: LiveOptions,
    /// How to open core files.
    pub core: CoreOptions,
    /// Bounds on what is read.
    pub limits: Limits,
}

/// How it went with a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// All of it was read.
    Complete,
    /// Something was read, and something failed.
    Partial,
    /// Nothing: the process or core file could not be opened.
    Unreadable,
    /// Nothing: there is no debug DLL for it, or the DLL found no queues.
    NoQueues,
}

/// What came of a process: its part of the report, and what is worth telling about how it was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Its part of the report.
    pub process: Process,
    /// How it went.
    pub verdict: Verdict,
    /// What is missing or doubtful without being an error.
    pub warnings: Vec<String>,
    /// What the debug DLL printed.
    pub messages: Vec<String>,
    /// What it cost.
    pub cost: Cost,
}

/// What reading a process cost.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Cost {
    /// The debug DLL that read it.
    pub dll: Option<PathBuf>,
    /// Communicators reported.
    pub communicators: usize,
    /// Operations reported.
    pub operations: usize,
    /// Wall-clock seconds to open the target: attach, find images.
    pub open_seconds: f64,
    /// Wall-clock seconds to read it, the loading of the DLL and of debug information included.
    pub read_seconds: f64,
    /// Processor seconds of both.
    pub cpu_seconds: f64,
    /// Callbacks of the DLL.
    #[serde(flatten)]
    pub callbacks: Stats,
}

/// Reads processes one after the other, and keeps the debug DLLs loaded in between.
#[derive(Debug, Default)]
pub struct Dumper {
    options: Options,
    dlls: HashMap<PathBuf, Result<Rc<Dll>, String>>,
}

impl Dumper {
    /// A dumper with these options.
    pub fn new(options: Options) -> Dumper {
        Dumper { options, dlls: HashMap::new() }
    }

    /// Reads a process. It is stopped for as long as that takes, and runs on afterwards. Every failure ends in the outcome.
    ///
    /// `progress` counts operations as they are read.
    pub fn dump(&mut self, request: &Request, progress: &AtomicU64) -> Outcome {
        let started = Instant::now();
        let cpu_started = cpu_time();
        let mut outcome = Outcome {
            process: process_of(request),
            verdict: Verdict::Unreadable,
            warnings: Vec::new(),
            messages: Vec::new(),
            cost: Cost::default(),
        };
        match self.open(request) {
            Ok(target) => {
                outcome.cost.open_seconds = started.elapsed().as_secs_f64();
                let reading = Instant::now();
                self.read(target, request.rank(), &mut outcome, progress);
                outcome.cost.read_seconds = reading.elapsed().as_secs_f64();
            }
            Err(error) => outcome.process.errors.push(error),
        }
        outcome.cost.cpu_seconds = cpu_time().saturating_sub(cpu_started).as_secs_f64();
        outcome
    }

    fn open(&self, request: &Request) -> Result<Target, String> {
        let opened = match request {
            Request::Core(path) => Target::open_core(path, &self.options.core),
            Request::Pid(pid) => Target::attach_with(*pid, &self.options.live),
            Request::Member(member) if !crate::job::is_this_host(&member.host) => {
                return Err(format!(
                    "it runs on host {}, and mqd reads processes of the machine it runs on: run `mqd dump --pid {}` there",
                    member.host, member.pid
                ));
            }
            Request::Member(member) => Target::attach_with(member.pid, &self.options.live),
        };
        opened.map_err(|error| error.to_string())
    }

    fn read(&mut self, target: Target, rank: Option<i64>, outcome: &mut Outcome, progress: &AtomicU64) {
        let display = |path: &Path| path.display().to_string();
        let library = dll::library(&target);
        let process = &mut outcome.process;
        process.pid = target.pid().or(process.pid);
        process.executable = target.executable().map(display).or(process.executable.take());
        process.library = library.and_then(|index| target.images().get(index)).map(|image| display(image.path()));

        let (candidates, warnings) = dll::candidates(self.options.dll.as_deref(), &target);
        outcome.warnings.extend(warnings);
        let session = Rc::new(Session::new(target, library, rank));
        let mut failures = Vec::new();
        let mut read = None;
        for candidate in &candidates {
            let dll = match self.load(&candidate.path) {
                Ok(dll) => dll,
                Err(error) => {
                    failures.push(error);
                    continue;
                }
            };
            process.dll_version = Some(dll.version().to_owned());
            outcome.cost.dll = Some(dll.path().to_owned());
            match Walker::new(&dll, &session) {
                Ok(walker) => {
                    read = Some(walker.read(&self.options.limits, progress));
                    break;
                }
                Err(error) => failures.push(format!("the debug DLL {}: {error}", dll.path().display())),
            }
        }

        outcome.messages = session.take_messages();
        outcome.warnings.extend(session.take_complaints());
        outcome.warnings.extend(session.target().warnings());
        outcome.cost.callbacks = session.stats();
        match read {
            Some(walk) => {
                // Another DLL than the first choice did it; that it had to is worth knowing.
                outcome.warnings.extend(failures);
                outcome.verdict = match (walk.errors.is_empty(), walk.communicators.is_empty()) {
                    (true, _) => Verdict::Complete,
                    (false, false) => Verdict::Partial,
                    (false, true) => Verdict::NoQueues,
                };
                process.errors = walk.errors;
                process.communicators = walk.communicators;
                outcome.cost.communicators = process.communicators.len();
                outcome.cost.operations = process.communicators.iter().map(operations).sum();
            }
            None => {
                outcome.verdict = Verdict::NoQueues;
                process.errors = failures;
                if candidates.is_empty() {
                    process.errors.push(
                        "no debug DLL: the process names none (MPIR_dll_name), and mqd's own libmqd.so is not beside mqd or in \
                         ../lib; name one with --dll"
                            .to_owned(),
                    );
                }
                // Who names a DLL knows of an MPI library that we do not.
                if library.is_none() && self.options.dll.is_none() {
                    process
                        .errors
                        .insert(0, "no MPI library was found in the process: is it an MPI program?".to_owned());
                }
            }
        }
        process.rank = rank.or_else(|| world_rank(&process.communicators));
    }

    fn load(&mut self, path: &Path) -> Result<Rc<Dll>, String> {
        let loaded = self
            .dlls
            .entry(path.to_owned())
            .or_insert_with(|| Dll::load(path).map(Rc::new).map_err(|error| error.to_string()));
        loaded.clone()
    }
}

/// What is known of a process before it is opened.
fn process_of(request: &Request) -> Process {
    match request {
        Request::Pid(pid) => Process { pid: Some(*pid), ..Process::default() },
        Request::Core(path) => Process { core: Some(path.display().to_string()), ..Process::default() },
        Request::Member(Member { rank, executable, pid, .. }) => Process {
            rank: Some(*rank),
            pid: Some(*pid),
            executable: (!executable.is_empty()).then(|| executable.clone()),
            ..Process::default()
        },
    }
}

/// The rank in `MPI_COMM_WORLD` that the communicators tell: of the process in `MPI_COMM_WORLD` itself, or that of the only member of
/// `MPI_COMM_SELF`. Both keep their names unless the program renames them.
fn world_rank(communicators: &[Communicator]) -> Option<i64> {
    let named = |name: &str| communicators.iter().find(|communicator| communicator.name == name);
    let in_world = named("MPI_COMM_WORLD").map(|world| world.local_rank);
    let of_self = || named("MPI_COMM_SELF").and_then(|own| own.group.as_ref()?.first().copied());
    in_world.or_else(of_self).filter(|rank| *rank >= 0)
}

fn operations(communicator: &Communicator) -> usize {
    communicator.pending_sends.len() + communicator.pending_receives.len() + communicator.unexpected_messages.len()
}

/// Processor time of this process: opening a target and indexing its debug information use threads of their own.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
