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
use crate::report::{Activity, Communicator, Process};
use crate::tables;
use crate::target::{Calls, CoreOptions, LiveOptions, Target};
use crate::walk::{Limits, Walker};
use crate::worker::{Workers, supervise};

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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Options {
    /// The debug DLL, instead of the one that the process names.
    pub dll: Option<PathBuf>,
    /// How to open live processes.
    pub live: LiveOptions,
    /// How to open core files.
    pub core: CoreOptions,
    /// Bounds on what is read.
    pub limits: Limits,
    /// Processes to run foreign DLLs in (all but our own). Without them every DLL is loaded into this process.
    #[serde(skip)]
    pub workers: Option<Workers>,
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

impl Outcome {
    /// What is known of a process before it is opened.
    pub(crate) fn of(request: &Request) -> Outcome {
        Outcome {
            process: process_of(request),
            verdict: Verdict::Unreadable,
            warnings: Vec::new(),
            messages: Vec::new(),
            cost: Cost::default(),
        }
    }

    fn unreadable(request: &Request, error: String) -> Outcome {
        let mut outcome = Outcome::of(request);
        outcome.process.errors.push(error);
        outcome
    }
}

/// What reading a process cost.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Cost {
    /// The debug DLL that read it.
    pub dll: Option<PathBuf>,
    /// The layout table that answered questions about types which debug information did not.
    pub layout_table: Option<String>,
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
        let cpu_started = cpu_time();
        let mut outcome = self.read(request, progress);
        // What a worker took counts too: it is known already.
        outcome.cost.cpu_seconds += cpu_time().saturating_sub(cpu_started).as_secs_f64();
        outcome
    }

    fn read(&mut self, request: &Request, progress: &AtomicU64) -> Outcome {
        if let Some(dll) = self.options.dll.as_deref().map(dll::with_slash) {
            return self.read_by(&dll, None, request, progress);
        }
        let opened = match self.open(request) {
            Ok(opened) => opened,
            Err(error) => return Outcome::unreadable(request, error),
        };
        let (candidates, warnings) = dll::candidates(&opened.target);
        let mut nothing = Outcome::of(request);
        nothing.verdict = Verdict::NoQueues;
        nothing.warnings = warnings;
        let library = describe(&mut nothing.process, &opened.target);

        let mut opened = Some(opened);
        for candidate in &candidates {
            let mut outcome = self.read_by(&candidate.path, opened.take(), request, progress);
            if outcome.verdict != Verdict::NoQueues {
                // Another DLL than the first choice did it; that it had to is worth knowing.
                outcome.warnings.splice(0..0, nothing.warnings.into_iter().chain(nothing.process.errors));
                return outcome;
            }
            nothing.warnings.append(&mut outcome.warnings);
            nothing.messages.append(&mut outcome.messages);
            nothing.process.errors.append(&mut outcome.process.errors);
            nothing.process.dll_version = outcome.process.dll_version.or(nothing.process.dll_version);
            nothing.cost = outcome.cost;
        }
        let errors = &mut nothing.process.errors;
        if candidates.is_empty() {
            errors.push(
                "no debug DLL: the process names none (MPIR_dll_name), and mqd's own libmqd.so is not beside mqd or in ../lib; \
                 name one with --dll"
                    .to_owned(),
            );
        }
        // Who names a DLL knows of an MPI library that we do not.
        if library.is_none() {
            errors.insert(0, "no MPI library was found in the process: is it an MPI program?".to_owned());
        }
        nothing
    }

    /// Reads a process with one debug DLL: here with our own, in a worker with others.
    fn read_by(&mut self, dll: &Path, opened: Option<Opened>, request: &Request, progress: &AtomicU64) -> Outcome {
        if let Some(workers) = self.options.workers.as_ref().filter(|_| !dll::is_own(dll)) {
            // A process has one tracer: the worker.
            drop(opened);
            return supervise(workers, request, &self.options, dll);
        }
        match opened.map_or_else(|| self.open(request), Ok) {
            Ok(opened) => self.read_opened(dll, opened, request, progress),
            Err(error) => Outcome::unreadable(request, error),
        }
    }

    fn open(&self, request: &Request) -> Result<Opened, String> {
        let started = Instant::now();
        let target = open(request, &self.options)?;
        Ok(Opened { target, seconds: started.elapsed().as_secs_f64() })
    }

    fn read_opened(&mut self, dll: &Path, opened: Opened, request: &Request, progress: &AtomicU64) -> Outcome {
        let started = Instant::now();
        let Opened { target, seconds } = opened;
        let mut outcome = Outcome::of(request);
        let process = &mut outcome.process;
        let library = describe(process, &target);
        let mut refused = None;
        // Ours has its tables itself, and its own ways to choose among them.
        if !dll::is_own(dll) {
            match tables::supply(&target) {
                Ok(table) => outcome.cost.layout_table = table,
                Err(warning) => refused = Some(warning),
            }
        }
        let session = Rc::new(Session::new(target, library, request.rank()));
        let walk = self.load(dll).and_then(|dll| {
            process.dll_version = Some(dll.version().to_owned());
            outcome.cost.dll = Some(dll.path().to_owned());
            let walker = Walker::new(&dll, &session);
            let walker = walker.map_err(|error| format!("the debug DLL {}: {error}", dll.path().display()))?;
            Ok(walker.read(&self.options.limits, progress))
        });
        match walk {
            Ok(walk) => {
                outcome.verdict = match (walk.errors.is_empty(), walk.communicators.is_empty()) {
                    (true, _) => Verdict::Complete,
                    (false, false) => Verdict::Partial,
                    (false, true) => Verdict::NoQueues,
                };
                process.errors = walk.errors;
                process.communicators = walk.communicators;
                process.activity = activity(walk.activity, || {
                    library.map_or(Calls::NotKnown, |library| session.target().calls(library))
                });
            }
            Err(error) => {
                outcome.verdict = Verdict::NoQueues;
                process.errors.push(error);
            }
        }
        process.rank = request.rank().or_else(|| world_rank(&process.communicators));
        outcome.messages = session.take_messages();
        outcome.warnings = session.take_complaints();
        outcome.warnings.extend(refused);
        outcome.warnings.extend(session.target().warnings());
        let cost = &mut outcome.cost;
        cost.callbacks = session.stats();
        cost.communicators = process.communicators.len();
        cost.operations = process.communicators.iter().map(Communicator::operations).sum();
        cost.open_seconds = seconds;
        cost.read_seconds = started.elapsed().as_secs_f64();
        outcome
    }

    fn load(&mut self, path: &Path) -> Result<Rc<Dll>, String> {
        let loaded = self
            .dlls
            .entry(path.to_owned())
            .or_insert_with(|| Dll::load(path).map(Rc::new).map_err(|error| error.to_string()));
        loaded.clone()
    }
}

/// Opens a process or core file; a live process is stopped until the target is dropped.
pub(crate) fn open(request: &Request, options: &Options) -> Result<Target, String> {
    let opened = match request {
        Request::Core(path) => Target::open_core(path, &options.core),
        Request::Pid(pid) => Target::attach_with(*pid, &options.live),
        Request::Member(member) if !crate::job::is_this_host(&member.host) => {
            return Err(format!(
                "it runs on host {}, and mqd reads processes of the machine it runs on: run `mqd dump --pid {}` there",
                member.host, member.pid
            ));
        }
        Request::Member(member) => Target::attach_with(member.pid, &options.live),
    };
    opened.map_err(|error| error.to_string())
}

/// An opened target, and the wall-clock seconds that it took.
struct Opened {
    target: Target,
    seconds: f64,
}

/// Notes what an opened target tells; the result is the index of the MPI library among its images.
fn describe(process: &mut Process, target: &Target) -> Option<usize> {
    let display = |path: &Path| path.display().to_string();
    let library = dll::library(target);
    process.pid = target.pid().or(process.pid);
    process.executable = target.executable().map(display).or(process.executable.take());
    process.library = library.and_then(|index| target.images().get(index)).map(|image| display(image.path()));
    library
}

/// What a process is doing: as the debug DLL says, and where that does not know the function, as the call stacks tell.
fn activity(said: Option<Activity>, calls: impl FnOnce() -> Calls) -> Option<Activity> {
    match said {
        Some(Activity { function: Some(function), needed }) if function.is_empty() => match calls() {
            Calls::Function(function) => Some(Activity { function: Some(function), needed }),
            // The one says that it waits, the other that it does not.
            Calls::Nothing | Calls::NotKnown => None,
        },
        Some(activity) => Some(activity),
        None => match calls() {
            Calls::Function(function) => Some(Activity { function: Some(function), needed: None }),
            Calls::Nothing => Some(Activity { function: None, needed: None }),
            Calls::NotKnown => None,
        },
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
    let of_self = || named("MPI_COMM_SELF").and_then(|own| own.group.as_ref()?.global(0));
    in_world.or_else(of_self).filter(|rank| *rank >= 0)
}

/// Processor time of this process: opening a target and indexing its debug information use threads of their own.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
