//! One process from its process id or core file to its part of the report.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::callbacks::{Session, Stats};
use crate::check;
use crate::dll::{self, Dll};
use crate::job::Member;
use crate::report::{Activity, Communicator, Process};
use crate::snapshot::{Entry, Place, Snapshots};
use crate::tables;
use crate::target::{Calls, CoreOptions, LiveOptions, Recording, Target};
use crate::walk::{Limits, Walker};
use crate::worker::{What, Workers, supervise};

/// So often a live process is looked at until its stack shows that it waits, where that proves
/// something. Waiting loops are elsewhere for a few instructions of each round.
const LOOKS: usize = 4;

/// A process to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// A live process.
    Pid(u32),
    /// A core file.
    Core(PathBuf),
    /// A process from a launcher's table.
    Member(Member),
    /// A process of a snapshot.
    Captured(Place),
}

impl Request {
    /// The rank, if it is known before the process is read.
    pub fn rank(&self) -> Option<i64> {
        match self {
            Request::Member(member) => Some(member.rank),
            Request::Captured(place) => place.rank,
            Request::Pid(_) | Request::Core(_) => None,
        }
    }

    /// What stands for a recorded process that is in no file.
    pub(crate) fn recorded(recording: &Recording) -> Request {
        Request::Captured(Place { file: PathBuf::new(), process: 0, rank: recording.rank })
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
    /// Notes what is asked of the processes: [`Outcome::recording`].
    #[serde(default)]
    pub record: bool,
    /// The snapshots that are open.
    #[serde(skip)]
    pub snapshots: Snapshots,
    /// Processes to run foreign DLLs in (all but our own). Without them every DLL is loaded into
    /// this process.
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
    /// When the process was read, or captured: seconds since 1970-01-01 00:00 UTC.
    pub captured: u64,
    /// What the process was asked, if that was to be noted.
    #[serde(default)]
    pub recording: Option<Box<Recording>>,
    /// Its stack shows that it is in an MPI function that sends or receives, and not that it waits
    /// there: perhaps it is between two rounds of a loop.
    #[serde(skip)]
    pub(crate) between_rounds: bool,
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
            captured: now(),
            recording: None,
            between_rounds: false,
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

    /// Reads a process. It is stopped for as long as that takes, and runs on afterwards. Every
    /// failure ends in the outcome.
    ///
    /// `progress` counts operations as they are read.
    pub fn dump(&mut self, request: &Request, progress: &AtomicU64) -> Outcome {
        self.dump_by(request, None, progress)
    }

    /// The same with a target that [`open`] has given for the request.
    pub(crate) fn dump_opened(&mut self, request: &Request, target: Target) -> Outcome {
        self.dump_by(request, Some(Opened { target, seconds: 0.0 }), &AtomicU64::new(0))
    }

    fn dump_by(
        &mut self,
        request: &Request,
        opened: Option<Opened>,
        progress: &AtomicU64,
    ) -> Outcome {
        let cpu_started = cpu_time();
        let mut outcome = self.read(request, opened, progress);
        // What a worker took counts too: it is known already.
        outcome.cost.cpu_seconds += cpu_time().saturating_sub(cpu_started).as_secs_f64();
        outcome
    }

    fn read(&mut self, request: &Request, opened: Option<Opened>, progress: &AtomicU64) -> Outcome {
        match request {
            Request::Captured(place) => match self.options.snapshots.entry(place) {
                Ok(entry) => self.replay_by(request, entry, opened, progress),
                Err(error) => Outcome::unreadable(request, error),
            },
            Request::Core(_) => self.read_target(request, opened, progress),
            Request::Pid(_) | Request::Member(_) => {
                let mut outcome = self.read_target(request, opened, progress);
                for _ in 1..LOOKS {
                    if !outcome.between_rounds {
                        break;
                    }
                    outcome = self.read_target(request, None, &AtomicU64::new(0));
                }
                outcome
            }
        }
    }

    /// Reads a process of a snapshot, whose entry is this.
    pub(crate) fn replay(
        &mut self,
        request: &Request,
        entry: Entry,
        progress: &AtomicU64,
    ) -> Outcome {
        self.replay_by(request, entry, None, progress)
    }

    fn replay_by(
        &mut self,
        request: &Request,
        entry: Entry,
        opened: Option<Opened>,
        progress: &AtomicU64,
    ) -> Outcome {
        if !entry.can_be_read() {
            let mut outcome = entry.into_outcome();
            if (self.options.dll.is_some() || wants_internal())
                && outcome.verdict != Verdict::Unreadable
            {
                let only = "shown as it was captured: the snapshot has only that, nothing that \
                            --dll or --internal could change";
                outcome.warnings.push(only.to_owned());
            }
            return outcome;
        }
        let mut outcome = self.read_target(request, opened, progress);
        let failed = matches!(outcome.verdict, Verdict::Unreadable | Verdict::NoQueues);
        if failed
            && self.options.dll.is_none()
            && matches!(entry.verdict, Verdict::Complete | Verdict::Partial)
        {
            let why = outcome.process.errors.join("; ");
            outcome = entry.into_outcome();
            outcome.warnings.push(format!(
                "shown as it was captured, since it cannot be read again here: {why}"
            ));
            return outcome;
        }
        outcome.captured = entry.captured;
        let Outcome { process, .. } = &mut outcome;
        let known = entry.process;
        (process.rank, process.pid, process.core) =
            (known.rank.or(process.rank), known.pid, known.core);
        (process.executable, process.library) = (known.executable, known.library);
        outcome
    }

    /// Reads a recorded process again with a debug DLL. `exact`: so that this asks for just what it
    /// needs.
    pub(crate) fn again(&mut self, dll: &Path, recording: Recording, exact: bool) -> Outcome {
        if let Some(workers) = self.workers_for(dll) {
            let what =
                What::Recorded { dll: dll.to_owned(), recording: Box::new(recording), exact };
            return supervise(workers, what, &self.options, dll);
        }
        let request = Request::recorded(&recording);
        let mut target = Target::recorded(recording, exact);
        target.record(request.rank());
        self.read_opened(dll, Opened { target, seconds: 0.0 }, &request, &AtomicU64::new(0))
    }

    fn read_target(
        &mut self,
        request: &Request,
        opened: Option<Opened>,
        progress: &AtomicU64,
    ) -> Outcome {
        if let Some(dll) = self.options.dll.as_deref().map(dll::with_slash) {
            return self.read_by(&dll, opened, request, progress);
        }
        let opened = match opened.map_or_else(|| self.open(request), Ok) {
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
                outcome
                    .warnings
                    .splice(0..0, nothing.warnings.into_iter().chain(nothing.process.errors));
                return outcome;
            }
            nothing.warnings.append(&mut outcome.warnings);
            nothing.messages.append(&mut outcome.messages);
            nothing.process.errors.append(&mut outcome.process.errors);
            nothing.process.dll_version =
                outcome.process.dll_version.or(nothing.process.dll_version);
            nothing.cost = outcome.cost;
            nothing.recording = outcome.recording;
        }
        let errors = &mut nothing.process.errors;
        if candidates.is_empty() {
            errors.push(
                "no debug DLL: the process names none (MPIR_dll_name), and mqd's own libmqd.so is \
                 not beside mqd or in ../lib; name one with --dll"
                    .to_owned(),
            );
        }
        // Who names a DLL knows of an MPI library that we do not.
        if library.is_none() {
            errors.insert(
                0,
                "no MPI library was found in the process: is it an MPI program?".to_owned(),
            );
        }
        nothing
    }

    /// How to run a debug DLL that is not to be loaded into this process.
    fn workers_for(&self, dll: &Path) -> Option<&Workers> {
        self.options.workers.as_ref().filter(|_| !dll::is_own(dll))
    }

    /// Reads a process with one debug DLL: here with our own, in a worker with others.
    fn read_by(
        &mut self,
        dll: &Path,
        opened: Option<Opened>,
        request: &Request,
        progress: &AtomicU64,
    ) -> Outcome {
        if let Some(workers) = self.workers_for(dll) {
            // A process has one tracer: the worker.
            drop(opened);
            return supervise(workers, What::Process(request.clone()), &self.options, dll);
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

    fn read_opened(
        &mut self,
        dll: &Path,
        opened: Opened,
        request: &Request,
        progress: &AtomicU64,
    ) -> Outcome {
        let started = Instant::now();
        let Opened { target, seconds } = opened;
        let mut outcome = Outcome::of(request);
        let process = &mut outcome.process;
        let library = describe(process, &target);
        let mut refused = None;
        // Ours has its tables itself, and its own ways to choose among them. What a table had
        // answered is in a recording.
        if !dll::is_own(dll) && target.recording().is_none() {
            match tables::supply(&target) {
                Ok(table) => outcome.cost.layout_table = table,
                Err(warning) => refused = Some(warning),
            }
        }
        let rank = target.recording().map_or(request.rank(), |recording| recording.rank);
        let session = Rc::new(Session::new(target, library, rank));
        let walk = self.load(dll).and_then(|dll| {
            process.dll_version = Some(dll.version().to_owned());
            outcome.cost.dll = Some(dll.path().to_owned());
            let walker = Walker::new(&dll, &session);
            let walker = walker
                .map_err(|error| format!("the debug DLL {}: {error}", dll.path().display()))?;
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
                let may_show = walk.activity.is_none() && walk.hints.progress.is_some();
                process.activity = activity(walk.activity, walk.hints.several_threads, || {
                    let progress = walk.hints.progress.as_deref();
                    library.map_or(Calls::NotKnown, |library| {
                        session.target().calls(library, progress)
                    })
                });
                outcome.between_rounds =
                    may_show && process.activity.as_ref().is_some_and(check::would_be_proved);
            }
            Err(error) => {
                outcome.verdict = Verdict::NoQueues;
                process.errors.push(error);
            }
        }
        if self.options.record {
            // What tells people which MPI it is belongs to what is worth keeping.
            tables::identify(session.target());
        }
        outcome.recording = session.target().take_recording().map(Box::new);
        let lacking = session.take_lacking();
        process.rank = request.rank().or_else(|| world_rank(&process.communicators));
        outcome.messages = session.take_messages();
        outcome.warnings = session.take_complaints();
        outcome.warnings.extend(refused);
        if !lacking.is_empty() {
            outcome.warnings.push(format!(
                "the snapshot lacks what the debug DLL asks for now and nobody asked for when it \
                 was captured: {}; what is shown may lack something too",
                lacking.join(", ")
            ));
        }
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

/// How the error of a process on another machine begins; the machine's name follows.
pub(crate) const ON_HOST: &str = "it runs on host ";

/// Opens a process or core file; a live process is stopped until the target is dropped.
pub(crate) fn open(request: &Request, options: &Options) -> Result<Target, String> {
    let opened = match request {
        Request::Captured(place) => return options.snapshots.target(place, options.record),
        Request::Core(path) => Target::open_core(path, &options.core),
        Request::Pid(pid) => Target::attach_with(*pid, &options.live),
        Request::Member(member) if !crate::job::is_this_host(&member.host) => {
            return Err(format!(
                "{ON_HOST}{}, and mqd reads processes of the machine it runs on: run `mqd dump \
                 --pid {}` there",
                member.host, member.pid
            ));
        }
        Request::Member(member) => Target::attach_with(member.pid, &options.live),
    };
    let mut target = opened.map_err(|error| error.to_string())?;
    if options.record {
        target.record(request.rank());
    }
    Ok(target)
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
    process.library =
        library.and_then(|index| target.images().get(index)).map(|image| display(image.path()));
    library
}

/// What a process is doing: as the debug DLL says, and where that does not know the function, as
/// the call stacks tell.
fn activity(
    said: Option<Activity>,
    concurrent: Option<bool>,
    calls: impl FnOnce() -> Calls,
) -> Option<Activity> {
    if said.as_ref().is_some_and(|said| said.function.as_deref() != Some("")) {
        return said;
    }
    match (said, calls()) {
        (Some(said), Calls::Function(function) | Calls::Progress(function)) => {
            Some(Activity { function: Some(function), ..said })
        }
        // The one says that it waits, the other that it does not.
        (Some(_), Calls::Nothing) | (_, Calls::NotKnown) => None,
        (None, Calls::Function(function)) => {
            Some(Activity { function: Some(function), needed: None, begun: None, concurrent })
        }
        (None, Calls::Progress(function)) => {
            Some(Activity { function: Some(function), needed: None, begun: Some(true), concurrent })
        }
        (None, Calls::Nothing) => Some(Activity::NONE),
    }
}

/// What is known of a process before it is opened.
fn process_of(request: &Request) -> Process {
    match request {
        Request::Pid(pid) => Process { pid: Some(*pid), ..Process::default() },
        Request::Captured(place) => Process { rank: place.rank, ..Process::default() },
        Request::Core(path) => {
            Process { core: Some(path.display().to_string()), ..Process::default() }
        }
        Request::Member(Member { rank, executable, pid, .. }) => Process {
            rank: Some(*rank),
            pid: Some(*pid),
            executable: (!executable.is_empty()).then(|| executable.clone()),
            ..Process::default()
        },
    }
}

/// The rank in `MPI_COMM_WORLD` that the communicators tell: of the process in `MPI_COMM_WORLD`
/// itself, or that of the only member of `MPI_COMM_SELF`. Both keep their names unless the program
/// renames them.
fn world_rank(communicators: &[Communicator]) -> Option<i64> {
    let named = |name: &str| communicators.iter().find(|communicator| communicator.name == name);
    let in_world = named("MPI_COMM_WORLD").map(|world| world.local_rank);
    let of_self = || named("MPI_COMM_SELF").and_then(|own| own.group.as_ref()?.global(0));
    in_world.or_else(of_self).filter(|rank| *rank >= 0)
}

/// Is the MPI library's own traffic asked for? It is the debug DLL that heeds this.
fn wants_internal() -> bool {
    std::env::var_os("MQD_INTERNAL").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Seconds since 1970-01-01 00:00 UTC.
fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Processor time of this process: opening a target and indexing its debug information use threads
/// of their own.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
