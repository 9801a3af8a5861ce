//! Reads one process, live or in a core file, from a request to an outcome.

mod open;
mod replay;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::thread;
use std::time::{Duration, Instant};

use mqd_inspect::process::{self, Calls, Hold, Progress, Recording, Target};
use mqd_report::{Communicator, Extent, Problem, ProblemKind, check};

pub(crate) use self::open::open;
pub use self::replay::INTERNAL_WHERE_KEPT;

use self::open::Opened;
use crate::callbacks::Session;
use crate::calls::{FOUND_NOTHING, SLEEP_OF_THREADS, entry_function};
use crate::dll::{self, Candidate, Dll};
use crate::outcome::Outcome;
use crate::request::{Options, Request, Workers};
use crate::walk::{Marks, StackHints, Walk, Walker};
use crate::worker::{Answer, Supervised, Task, What, supervise};
use crate::{job, part, problems, stacks, tables, worker};

/// How many times at most a live process is looked at until its stack shows that it waits, if that
/// would prove something. A waiting loop is outside the progress function for a few instructions of
/// each round.
pub(crate) const LOOKS: usize = 8;

/// The time between such looks.
const TURN: Duration = Duration::from_millis(5);

/// How many times at most a live process is stopped if the time was too short. The first process
/// with a library takes longest: its files are known afterwards. A busy machine can interrupt the
/// reader.
const TRIES: usize = 3;

/// The images that debuginfod servers are asked for: MPI libraries, their components, and the
/// transport libraries of these. A process has dozens of others, whose types are not needed, and it
/// is stopped meanwhile.
const ASKED_FOR: [&str; 10] = [
    "libmpi",
    "libpmpi",
    "libopen-pal",
    "libopen-rte",
    "libopal",
    "libompi",
    "mca_",
    "libuc",
    "libfabric",
    "libmca_",
];

/// Reads processes one after the other, and keeps the debug DLLs loaded in between.
#[derive(Debug, Default)]
pub struct Dumper {
    options: Options,
    /// The debug DLL for all processes, if it is given.
    given: Option<Candidate>,
    dlls: HashMap<Candidate, Result<Rc<Dll>, Problem>>,
}

/// Did several processes stand still until the last one was read?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    All,
    /// One of them had to be let go before, because the time limit had passed.
    NotForLong,
    /// One of them could not be stopped.
    NotAll,
}

impl Dumper {
    /// A dumper with these options.
    pub fn new(options: Options) -> Dumper {
        options.live.files.ask_servers_for(&ASKED_FOR);
        options.core.files.ask_servers_for(&ASKED_FOR);
        let given = options.dll.as_deref().map(Candidate::of_user);
        Dumper { options, given, dlls: HashMap::new() }
    }

    /// Reads a process. It is stopped for as long as that takes, and runs on afterwards. Every
    /// failure ends in the outcome.
    ///
    /// `progress` counts operations as they are read.
    pub fn dump(&mut self, request: &Request, progress: &AtomicU64) -> Outcome {
        self.dump_by(request, None, progress)
    }

    /// Reads live processes of this host while all of them stand still. Those that cannot be
    /// stopped are read as ever, and then none has the mark that they stood still.
    ///
    /// Only our own DLL can be used: others read in processes of their own. The limit on how long a
    /// process is stopped counts once for each process that is read meanwhile. If it passes before
    /// the last one is read, all are stopped and read again, up to twice.
    pub fn dump_together(&mut self, requests: &[Request], progress: &AtomicU64) -> Vec<Outcome> {
        let mut options = self.options.clone();
        let times = u32::try_from(requests.len()).unwrap_or(u32::MAX);
        options.live.stop_limit = options.live.stop_limit.map(|limit| limit.saturating_mul(times));
        let (mut outcomes, mut held) = self.look_together(requests, &options, progress);
        for _ in 1..TRIES {
            if held != Held::NotForLong {
                break;
            }
            (outcomes, held) = self.look_together(requests, &options, progress);
        }
        for outcome in &mut outcomes {
            outcome.process.held = held == Held::All;
            say_if_cut(outcome, options.live.stop_limit);
        }
        outcomes
    }

    /// Stops all of these processes, reads them, and lets them go.
    fn look_together(
        &mut self,
        requests: &[Request],
        options: &Options,
        progress: &AtomicU64,
    ) -> (Vec<Outcome>, Held) {
        let opened: Vec<_> = requests.iter().map(|request| Opened::by(request, options)).collect();
        // A process that has ended stands still.
        let there = requests.iter().zip(&opened).filter(|(request, opened)| {
            let has_ended = matches!(opened, Err(problem) if problem.kind == ProblemKind::Ended);
            !(has_ended && has_no_threads(request))
        });
        let holds: Option<Vec<Hold>> = there
            .map(|(_, opened)| opened.as_ref().ok().and_then(|opened| opened.target.hold()))
            .collect();
        let read = requests.iter().zip(opened).map(|(request, opened)| match opened {
            Ok(opened) => {
                let mut outcome = self.read_target(request, Some(opened), progress);
                part::belongs(&mut outcome.process, request);
                outcome
            }
            Err(error) => request.unreadable(error),
        });
        let outcomes = read.collect();
        let held = match holds {
            None => Held::NotAll,
            Some(holds) if holds.iter().all(Hold::lasts) => Held::All,
            Some(_) => Held::NotForLong,
        };
        (outcomes, held)
    }

    /// [`Dumper::dump`] with a target that [`open`] has opened for the request.
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
        // The time of a worker counts too, and is in the outcome already.
        outcome.cost.cpu_seconds += cpu_time().saturating_sub(cpu_started).as_secs_f64();
        outcome
    }

    fn read(&mut self, request: &Request, opened: Option<Opened>, progress: &AtomicU64) -> Outcome {
        match request {
            Request::Captured(place) => match self.options.snapshots.entry(place) {
                Ok(entry) => self.replay_by(request, entry, opened, progress),
                Err(error) => request.unreadable(problems::of_snapshot(&error)),
            },
            Request::Core(_) => self.read_target(request, opened, progress),
            Request::Pid(_) | Request::Member(_) => {
                let mut outcome = self.read_target(request, opened, progress);
                for _ in 1..TRIES {
                    if !outcome.was_cut {
                        break;
                    }
                    outcome = self.read_target(request, None, progress);
                }
                for _ in 1..LOOKS {
                    if !outcome.between_rounds {
                        break;
                    }
                    // A process that has had no turn is where it was.
                    thread::sleep(TURN);
                    let again = self.read_target(request, None, &AtomicU64::new(0));
                    if again.was_cut {
                        break;
                    }
                    outcome = again;
                }
                say_if_cut(&mut outcome, self.options.live.stop_limit);
                part::belongs(&mut outcome.process, request);
                outcome
            }
        }
    }

    /// Does the work of a worker process: see [`worker`].
    ///
    /// # Errors
    /// This process was not started as a worker.
    pub fn serve() -> std::io::Result<()> {
        let (Task { what, options, dll }, mut client) = worker::begin()?;
        let mut dumper = Dumper { given: Some(dll.clone()), ..Dumper::new(options) };
        let outcome = match what {
            What::Process(request) => dumper.dump(&request, &AtomicU64::new(0)),
            What::Recorded { recording, exact } => dumper.again(&dll, *recording, exact),
        };
        client.tell(&Answer::from(outcome))?;
        client.end()
    }

    /// Reads a recorded process again with a debug DLL. With `exact` the DLL asks for exactly what
    /// it needs.
    pub(crate) fn again(&mut self, dll: &Candidate, recording: Recording, exact: bool) -> Outcome {
        if let Some(workers) = self.workers_for(&dll.path) {
            let what = What::Recorded { recording: Box::new(recording), exact };
            return self.read_in_worker(workers, what, dll);
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
        if let Some(dll) = self.given.clone() {
            return self.read_by(&dll, opened, request, progress);
        }
        let opened = match opened.map_or_else(|| Opened::by(request, &self.options), Ok) {
            Ok(opened) => opened,
            Err(error) => return request.unreadable(error),
        };
        let (candidates, warnings) = dll::candidates(&opened.target);
        let mut nothing = request.outcome();
        nothing.extent = Extent::NoQueues;
        nothing.warnings = warnings;
        let library = part::describe(&mut nothing.process, &opened.target);
        nothing.was_cut = opened.target.was_cut();

        let mut opened = Some(opened);
        for candidate in &candidates {
            let mut outcome = self.read_by(candidate, opened.take(), request, progress);
            // Another debug DLL would be slower still.
            if outcome.extent != Extent::NoQueues || outcome.was_cut {
                // The first DLL failed and another one succeeded. The user should know.
                let errors = nothing.process.errors.into_iter().map(|error| error.to_string());
                outcome.warnings.splice(0..0, nothing.warnings.into_iter().chain(errors));
                return outcome;
            }
            nothing.warnings.append(&mut outcome.warnings);
            nothing.messages.append(&mut outcome.messages);
            nothing.process.errors.append(&mut outcome.process.errors);
            nothing.process.dll_version =
                outcome.process.dll_version.or(nothing.process.dll_version);
            nothing.process.stacks = outcome.process.stacks.or(nothing.process.stacks);
            nothing.cost = outcome.cost;
            nothing.recording = outcome.recording;
            // Another debug DLL would only name a wrong reason.
            if outcome.is_outside_mpi {
                break;
            }
        }
        if nothing.process.stacks.is_none() {
            // No debug DLL has had it open here.
            let opened = opened.map_or_else(|| Opened::by(request, &self.options), Ok);
            nothing.process.stacks = opened.ok().and_then(|opened| {
                stacks::of(&opened.target.stacks(), library, self.options.all_threads)
            });
        }
        let errors = &mut nothing.process.errors;
        if candidates.is_empty() {
            let text = "no debug DLL: the process names none (MPIR_dll_name), and mqd's own \
                        libmqd.so is not beside mqd or in ../lib; name one with --dll";
            errors.push(Problem::new(ProblemKind::NoDll, text));
        }
        // A user who names a DLL may know of an MPI library that we do not know.
        if library.is_none() {
            let text = "no MPI library was found in the process: is it an MPI program?";
            errors.insert(0, Problem::new(ProblemKind::NoMpi, text));
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
        dll: &Candidate,
        opened: Option<Opened>,
        request: &Request,
        progress: &AtomicU64,
    ) -> Outcome {
        if let Some(workers) = self.workers_for(&dll.path) {
            // A process has one tracer: the worker.
            drop(opened);
            return self.read_in_worker(workers, What::Process(request.clone()), dll);
        }
        match opened.map_or_else(|| Opened::by(request, &self.options), Ok) {
            Ok(opened) => self.read_opened(dll, opened, request, progress),
            Err(error) => request.unreadable(error),
        }
    }

    /// Reads a process with a debug DLL in a worker. The outcome says what happened to the worker.
    fn read_in_worker(&self, workers: &Workers, what: What, dll: &Candidate) -> Outcome {
        let request = what.request();
        let Supervised { result, printed } = supervise(workers, what, &self.options, dll);
        let mut outcome = result.unwrap_or_else(|why| {
            let mut outcome = request.unreadable(problems::of_worker(&why, &dll.path));
            outcome.extent = Extent::NoQueues;
            outcome.cost.dll = Some(dll.path.clone());
            outcome
        });
        outcome.messages.extend(printed);
        outcome
    }

    fn read_opened(
        &mut self,
        dll: &Candidate,
        opened: Opened,
        request: &Request,
        progress: &AtomicU64,
    ) -> Outcome {
        let started = Instant::now();
        let Opened { target, seconds } = opened;
        let mut outcome = request.outcome();
        let library = part::describe(&mut outcome.process, &target);
        let mut refused = None;
        // Our DLL has its own tables and chooses among them. A recording has the answers of a
        // table.
        if !dll::is_own(&dll.path) && target.recording().is_none() {
            match tables::supply(&target) {
                Ok(table) => outcome.cost.layout_table = table,
                Err(why) => refused = Some(why),
            }
        }
        let rank = target.recording().map_or(request.rank(), |recording| recording.rank);
        let session = Rc::new(Session::new(target, library, rank));
        match self.walk(dll, &session, library, &mut outcome, progress) {
            Ok((walk, calls)) => part::take(walk, calls, &session, library, &mut outcome),
            Err(error) => {
                outcome.extent = Extent::NoQueues;
                outcome.process.errors.push(error);
            }
        }
        outcome.recording = session.target().take_recording().map(Box::new);
        let stacks = session.target().stacks();
        outcome.was_cut = session.target().was_cut();
        part::take_remarks(&mut outcome, &session, refused.map(|why| why.to_string()));
        part::settle_rank(&mut outcome, request);
        let Outcome { cost, process, .. } = &mut outcome;
        cost.callbacks = session.stats();
        // The process goes on while debug information is read.
        drop(session);
        process.stacks = stacks::of(&stacks, library, self.options.all_threads);
        process.errors.extend(stacks::problem(&stacks));
        cost.communicators = process.communicators.len();
        cost.operations = process.communicators.iter().map(Communicator::operations).sum();
        cost.open_seconds = seconds;
        cost.read_seconds = started.elapsed().as_secs_f64();
        outcome
    }

    /// Has a debug DLL tell what it knows about a process.
    fn walk(
        &mut self,
        candidate: &Candidate,
        session: &Rc<Session>,
        library: Option<usize>,
        outcome: &mut Outcome,
        progress: &AtomicU64,
    ) -> Result<(Walk, Calls), Problem> {
        let dll = self.load(candidate)?;
        outcome.dll = Some(candidate.clone());
        outcome.process.dll_version = Some(dll.version().into());
        outcome.cost.dll = Some(dll.path().to_owned());
        let walker = Walker::new(&dll, session).map_err(|refusal| {
            outcome.is_outside_mpi = dll::says_outside_mpi(dll.path(), refusal.code);
            problems::of_refusal(&refusal, dll.path())
        })?;
        let (mut walk, has_communicators) = walker.look(&self.options.limits);
        let LastSeen { calls, program_state, spins_at } =
            self.let_go(session, dll.path(), library, &walk.hints);
        outcome.process.program_state = program_state;
        outcome.process.finds_nothing_at = library
            .and_then(|library| session.target().beginning_of(library, FOUND_NOTHING))
            .or(spins_at);
        if has_communicators {
            walk = walker.read(walk, &self.options.limits, progress);
        }
        if dll::open_mpi::is_its_dll(dll.path())
            && let Err(why) = dll::open_mpi::check_component(session.target())
        {
            walk.forget_queues(why.to_string());
        }
        Ok((walk, calls))
    }

    /// Takes what else is needed of the process's memory: its call stacks, which function of the
    /// MPI library it is in, the program's state if this accesses a window, and the loop in which
    /// it looks at memory. With our own DLL, which has read everything by now, the process then
    /// runs on.
    fn let_go(
        &self,
        session: &Session,
        dll: &Path,
        library: Option<usize>,
        hints: &StackHints,
    ) -> LastSeen {
        let target = session.target();
        if self.options.record {
            // The release of the MPI library belongs into a recording.
            tables::identify(target);
        }
        let (waits, looks) = (Borrowed::of(&hints.waits), Borrowed::of(&hints.looks));
        let progress = Progress {
            waits: waits.marks(),
            looks: looks.marks(),
            loops_in: if hints.loops { check::waits_in_loop } else { |_: &str| false },
            looks_in: check::waits_in_network,
        };
        let calls = library
            .map_or(Calls::NotKnown, |library| target.calls(library, entry_function, progress));
        let accesses_windows = calls.function().is_some_and(check::accesses_windows);
        let program_state = library
            .filter(|_| accesses_windows)
            .and_then(|library| target.program_state(library, entry_function));
        let is_of_many = calls.function().is_some_and(check::is_of_many_ranks);
        let spins_at = library
            .filter(|_| is_of_many)
            .and_then(|library| target.spins_at(library, entry_function));
        target.stacks();
        if dll::is_own(dll) {
            target.let_go();
        }
        LastSeen { calls, program_state, spins_at }
    }

    fn load(&mut self, dll: &Candidate) -> Result<Rc<Dll>, Problem> {
        let loaded = self.dlls.entry(dll.clone()).or_insert_with(|| {
            Dll::load(dll).map(Rc::new).map_err(|error| problems::of_dll(&error))
        });
        loaded.clone()
    }
}

/// Does nothing of a process run any more? Other threads may go on after the first one has ended.
fn has_no_threads(request: &Request) -> bool {
    let pid = match request {
        Request::Pid(pid) => *pid,
        Request::Member(member) if job::is_this_host(&member.host) => member.pid,
        _ => return false,
    };
    fs::read_dir(format!("/proc/{pid}/task")).map_or(true, |threads| threads.count() <= 1)
}

/// What is taken of the memory of a process before it runs on.
struct LastSeen {
    calls: Calls,
    program_state: Option<u64>,
    spins_at: Option<u64>,
}

/// Marks as call stacks are searched for them.
struct Borrowed<'m> {
    functions: Vec<&'m str>,
    apart: Vec<(&'m str, &'m str)>,
    calls: Vec<(&'m str, &'m str)>,
}

impl<'m> Borrowed<'m> {
    fn of(marks: &'m Marks) -> Borrowed<'m> {
        let mut functions: Vec<_> = marks.functions.iter().map(String::as_str).collect();
        if !functions.is_empty() || !marks.apart.is_empty() {
            functions.push(SLEEP_OF_THREADS);
        }
        let borrowed = |pairs: &'m [(String, String)]| {
            pairs.iter().map(|(one, other)| (&**one, &**other)).collect()
        };
        Borrowed { functions, apart: borrowed(&marks.apart), calls: borrowed(&marks.calls) }
    }

    fn marks(&self) -> process::Marks<'_> {
        process::Marks { functions: &self.functions, apart: &self.apart, calls: &self.calls }
    }
}

/// Reports that the time was too short to read the process completely. It stood still for `limit`.
fn say_if_cut(outcome: &mut Outcome, limit: Option<Duration>) {
    if let Some(limit) = limit.filter(|_| outcome.was_cut) {
        let text = format!(
            "not everything was read in the {} s for which mqd may stop a process",
            limit.as_secs_f64()
        );
        let problem =
            Problem::new(ProblemKind::Limit, text).advise("--stop-limit SECONDS allows more");
        // What could not be found after that tells nothing.
        let follows =
            |kind| matches!(kind, ProblemKind::Queues | ProblemKind::NoDll | ProblemKind::NoMpi);
        outcome.process.errors.retain(|error| !follows(error.kind));
        if outcome.process.communicators.is_empty() {
            outcome.warnings.clear();
        }
        outcome.process.errors.insert(0, problem);
        if outcome.extent != Extent::Unreadable {
            outcome.extent = Extent::Partial;
        }
        // A worker has said it: the process that it works for does not say it again.
        outcome.was_cut = false;
    }
}

/// Processor time of this process: opening a target and indexing its debug information use threads
/// of their own.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
