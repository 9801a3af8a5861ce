//! The life of a job after its start: one thread, one poll loop over signals, output and input.

use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ChildStdin;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, pthread_sigmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::getppid;

use crate::hosts;
use crate::input::Input;
use crate::job::{End, Job, Streams, World};
use crate::mpir;
use crate::options::{Options, Program};
use crate::output::{OutputSource, Sink};
use crate::request::{self, Answer, SpawnRequest};
use crate::requests::Requests;

/// How long an unfinished line may wait for its end before it is shown on a terminal.
const IDLE: Duration = Duration::from_millis(100);
/// The time between two checks whether we are in the foreground again.
const BACKGROUND: Duration = Duration::from_secs(1);
/// The exit code of a job that was ended because its time was over, as that of timeout(1).
const TIMED_OUT: i32 = 124;

/// Signals passed on to the ranks.
const FORWARDED: [Signal; 8] = [
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGTSTP,
    Signal::SIGCONT,
];

/// The signals this process takes, as events instead of interruptions.
pub(crate) struct Signals {
    fd: SignalFd,
    /// The mask before, for the ranks.
    pub(crate) original_mask: SigSet,
}

impl Signals {
    /// From here on signals wait to be read. One that we were started to ignore (nohup, a
    /// background job of a script) stays ignored.
    pub(crate) fn take() -> nix::Result<Signals> {
        let mut taken = SigSet::empty();
        taken.add(Signal::SIGCHLD);
        for signal in FORWARDED.into_iter().filter(|&signal| !ignored(signal)) {
            taken.add(signal);
        }
        let mut original_mask = SigSet::empty();
        let mut blocked = taken;
        // Blocked and never read: see Input::read.
        blocked.add(Signal::SIGTTIN);
        pthread_sigmask(SigmaskHow::SIG_BLOCK, Some(&blocked), Some(&mut original_mask))?;
        let fd = SignalFd::with_flags(&taken, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        Ok(Signals { fd, original_mask })
    }

    fn next(&mut self) -> Option<Signal> {
        loop {
            match self.fd.read_signal() {
                Ok(Some(info)) => match Signal::try_from(info.ssi_signo.cast_signed()) {
                    Ok(signal) => return Some(signal),
                    Err(_) => continue,
                },
                Ok(None) => return None,
                Err(Errno::EINTR) => continue,
                Err(_) => return None,
            }
        }
    }
}

fn ignored(signal: Signal) -> bool {
    // SAFETY: sigaction is plain data, for which zeroes are valid; with a null new action the call
    // only fills it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal as i32, std::ptr::null(), &mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

/// What happens on the way to the job's end.
pub(crate) struct Supervisor {
    job: Job,
    signals: Signals,
    /// None while it is in use.
    requests: Option<Requests>,
    sinks: [Sink; 2],
    sources: Vec<OutputSource>,
    input: Input,
    tag_output: bool,
    merges_stderr: bool,
    grace: Duration,
    /// How long the job may run, and until when.
    limit: Option<(Duration, Instant)>,
    /// The end of the first rank that failed.
    failure: Option<End>,
    /// The ranks have been asked to end, or killed.
    ending: Ending,
    /// The signal by which the user has asked.
    asked: Option<Signal>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    No,
    /// Processes that still run at this time are killed.
    Asked(Instant),
    Killed,
}

impl Supervisor {
    /// Looks after a job that has just started.
    pub(crate) fn new(
        job: Job,
        signals: Signals,
        requests: Requests,
        stdin: Option<ChildStdin>,
        options: &Options,
    ) -> Supervisor {
        let sinks = [Sink::stdout(), Sink::stderr()];
        Supervisor {
            job,
            signals,
            requests: Some(requests),
            sinks,
            sources: Vec::new(),
            input: Input::new(stdin),
            tag_output: options.tag_output,
            merges_stderr: options.merges_stderr,
            grace: options.grace,
            limit: options
                .timeout
                .and_then(|limit| Some((limit, Instant::now().checked_add(limit)?))),
            failure: None,
            ending: Ending::No,
            asked: None,
        }
    }

    /// Takes charge of the output of the ranks that were started last.
    pub(crate) fn take_streams(&mut self, streams: Vec<Streams>) -> nix::Result<()> {
        let first = self.job.ranks.len() - streams.len();
        for (streams, place) in streams.into_iter().zip(first..) {
            let label = self.tag_output.then(|| self.job.ranks[place].label());
            self.sources.extend(OutputSource::of_rank(
                place,
                label,
                self.merges_stderr,
                streams.stdout,
                streams.stderr,
            )?);
        }
        Ok(())
    }

    /// Shows debuggers the ranks from that one on, and lets go those that were held for that.
    pub(crate) fn publish(&mut self, first: usize) {
        let ranks = &self.job.ranks[first..];
        mpir::spawned(ranks.iter().map(|rank| (rank.executable.as_path(), rank.pid)));
        self.job.release();
    }

    /// Starts the processes that a rank has asked for.
    fn start(&mut self, request: SpawnRequest) -> Answer {
        if self.ending != Ending::No {
            return Answer::Refused("the job is ending".into());
        }
        let programs = match programs_of(&request) {
            Ok(programs) => programs,
            Err(text) => return Answer::Refused(text),
        };
        let (number, first) = (self.job.next_world(), self.job.ranks.len());
        let parent_port = OsStr::from_bytes(&request.port);
        let world = World { programs: &programs, parent_port, stdin_pipe: false, stdin: false };
        let streams = match self.job.start(&world) {
            Ok(streams) => streams,
            Err(error) => return Answer::Refused(error.text),
        };
        if let Err(error) = self.take_streams(streams) {
            self.sinks[1].say(&format!("the output of spawned ranks is lost: {error}"));
        }
        self.publish(first);
        Answer::Started(number)
    }

    /// Until every rank has ended and all output is written. Returns the exit code.
    pub(crate) fn run(mut self) -> i32 {
        while !self.finished() {
            self.wait();
            while let Some(signal) = self.signals.next() {
                self.on_signal(signal);
            }
            let mut requests = self.requests.take();
            if let Some(requests) = &mut requests {
                requests.look(|request| self.start(request));
            }
            self.requests = requests;
            self.look_at_the_clock();
            if let Ending::Asked(deadline) = self.ending
                && Instant::now() >= deadline
                && !self.job.over()
            {
                self.kill("they did not end in time");
            }
            while let Some(rank) = self.job.reap() {
                self.on_end(rank);
            }
        }
        self.failure.map_or(0, End::code)
    }

    /// Ends a job whose time is over.
    fn look_at_the_clock(&mut self) {
        let Some((limit, until)) = self.limit.filter(|_| !self.job.over()) else { return };
        if self.ending != Ending::No || Instant::now() < until {
            return;
        }
        let message = format!("the job has not ended within {limit:?}; ending it");
        self.sinks[1].say(&message);
        mpir::aborting(&message);
        self.failure.get_or_insert(End::Exit(TIMED_OUT));
        self.job.terminate();
        self.ending = Ending::Asked(Instant::now() + self.grace);
    }

    fn finished(&self) -> bool {
        self.job.over()
            && !self.requests.as_ref().is_some_and(Requests::are_served)
            && !self.sources.iter().any(OutputSource::is_open)
            && !self.sinks.iter().any(Sink::has_work)
    }

    /// Waits for something to happen and moves input and output.
    fn wait(&mut self) {
        let mut polled = vec![PollFd::new(self.signals.fd.as_fd(), PollFlags::POLLIN)];
        let mut events = vec![Event::Signal];
        let mut watch = |fd, flags, event| {
            polled.push(PollFd::new(fd, flags));
            events.push(event);
        };
        for (number, source) in self.sources.iter().enumerate() {
            if let Some(fd) = source.fd(&self.sinks[source.sink]) {
                watch(fd, PollFlags::POLLIN, Event::Output(number));
            }
        }
        for (number, sink) in self.sinks.iter().enumerate().filter(|(_, sink)| sink.has_work()) {
            watch(sink.fd(), PollFlags::POLLOUT, Event::Write(number));
        }
        for (fd, flags) in self.requests.iter().flat_map(Requests::files) {
            watch(fd, flags, Event::Request);
        }
        if let Some(fd) = self.input.readable() {
            watch(fd, PollFlags::POLLIN, Event::Typed);
        }
        if let Some(fd) = self.input.writable() {
            watch(fd, PollFlags::POLLOUT, Event::Input);
        }
        let happened = poll(&mut polled, self.timeout()).unwrap_or(0);
        let ready: Vec<Event> = polled
            .iter()
            .zip(events)
            .filter(|(fd, _)| fd.any().unwrap_or(true))
            .map(|(_, event)| event)
            .filter(|_| happened > 0)
            .collect();
        if ready.is_empty() {
            for source in &mut self.sources {
                source.idle(&mut self.sinks[source.sink]);
            }
        }
        for event in ready {
            match event {
                Event::Signal | Event::Request => {}
                Event::Output(number) => {
                    let source = &mut self.sources[number];
                    source.read(&mut self.sinks[source.sink], false);
                }
                Event::Write(number) => self.sinks[number].write(),
                Event::Typed => self.input.read(),
                Event::Input => self.input.write(),
            }
        }
        if self.job.over() {
            for source in &mut self.sources {
                source.read(&mut self.sinks[source.sink], true);
            }
        }
    }

    fn timeout(&self) -> PollTimeout {
        let idle = self
            .sources
            .iter()
            .any(|source| source.waits_for_terminal(&self.sinks[source.sink]))
            .then_some(IDLE);
        let background = self.input.in_background().then_some(BACKGROUND);
        let deadline = match self.ending {
            Ending::Asked(deadline) if !self.job.over() => Some(deadline),
            Ending::No if !self.job.over() => self.limit.map(|(_, until)| until),
            _ => None,
        };
        let deadline = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        // What remains after the ranks have ended is read without waiting.
        let rest = (self.job.over() && self.sources.iter().any(OutputSource::is_open))
            .then_some(Duration::ZERO);
        // Rounded up, or the loop would spin through the last millisecond.
        let up = |wait: Duration| wait + Duration::from_micros(999);
        match [idle, background, deadline, rest].into_iter().flatten().min() {
            Some(wait) => PollTimeout::try_from(up(wait).as_millis()).unwrap_or(PollTimeout::MAX),
            None => PollTimeout::NONE,
        }
    }

    fn on_signal(&mut self, signal: Signal) {
        match signal {
            // Reaping finds out which processes have ended.
            Signal::SIGCHLD => {}
            Signal::SIGTSTP => {
                self.job.signal(signal);
                let _ = nix::sys::signal::raise(Signal::SIGSTOP);
            }
            Signal::SIGINT | Signal::SIGTERM | Signal::SIGHUP => {
                if self.ending == Ending::No {
                    self.job.signal(signal);
                    self.asked = Some(signal);
                    self.ending = Ending::Asked(Instant::now() + self.grace);
                } else {
                    self.kill("asked a second time");
                }
                if self.job.over() {
                    // Only output is left, and the user wants to end.
                    self.drop_output();
                }
            }
            signal => self.job.signal(signal),
        }
    }

    fn on_end(&mut self, rank: usize) {
        let process = &self.job.ranks[rank];
        let Some(end) = process.end else { return };
        if let Some(requests) = &mut self.requests {
            requests.tell_end(process.world);
        }
        // The others would wait for ever for a rank that has exited without MPI_Finalize.
        let deserted = end == End::Exit(0) && self.job.is_in_mpi(process);
        if end == End::Exit(0) && !deserted {
            if process.world > 0 {
                mpir::ended(self.job.place_of(rank));
            }
            return;
        }
        if self.failure.is_some() {
            return;
        }
        self.failure = Some(if deserted { End::Exit(1) } else { end });
        let mut message = format!(
            "rank {} (process {}, {}) {end}",
            process.label(),
            process.pid,
            process.executable.display()
        );
        if deserted {
            message += " while it was in MPI: without MPI_Finalize or MPI_Session_finalize";
        }
        let others = self.job.ranks.iter().filter(|rank| rank.end.is_none()).count();
        if others > 0 && self.ending == Ending::No {
            message += &format!("; ending the other {others}");
        }
        // The user who has sent a signal need not be told its effect.
        let by_request = |signal: i32| self.asked.is_some_and(|asked| asked as i32 == signal);
        if !matches!(end, End::Signal(signal, _) if by_request(signal)) {
            self.sinks[1].say(&message);
        }
        mpir::aborting(&message);
        if self.ending == Ending::No {
            self.job.terminate();
            self.ending = Ending::Asked(Instant::now() + self.grace);
        }
        // The processes that the process we serve has spawned belong to its job, so it ends with
        // them.
        if let Some(pid) = self.job.singleton.filter(|pid| *pid == getppid()) {
            let _ = nix::sys::signal::kill(pid, Signal::SIGTERM);
        }
    }

    fn kill(&mut self, why: &str) {
        let left = self.job.ranks.iter().filter(|rank| rank.end.is_none()).count();
        if left > 0 && self.ending != Ending::Killed {
            self.sinks[1].say(&format!("killing {left} of {} ranks: {why}", self.job.ranks.len()));
        }
        self.job.signal(Signal::SIGKILL);
        self.ending = Ending::Killed;
    }

    fn drop_output(&mut self) {
        self.sources.clear();
        self.sinks.iter_mut().for_each(Sink::discard);
    }
}

/// The programs of a request, as those of a command line. The error is a sentence.
fn programs_of(request: &SpawnRequest) -> Result<Vec<Program>, String> {
    let text = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
    let base = Path::new(OsStr::from_bytes(&request.directory));
    let program = |program: &request::SpawnProgram| {
        hosts::check_list(&text(&program.hosts))?;
        Ok(Program {
            ranks: program.processes,
            command: program.command.iter().map(|word| text(word)).collect(),
            directory: Some(base.join(text(&program.directory))),
            path: text(&program.path),
            environment: Vec::new(),
        })
    };
    request.programs.iter().map(program).collect()
}

/// What poll can report.
enum Event {
    Signal,
    Request,
    Output(usize),
    Write(usize),
    Typed,
    Input,
}
