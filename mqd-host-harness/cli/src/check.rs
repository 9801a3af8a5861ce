//! `mqd check`: reads processes and writes a diagnosis.

use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

use super::args::{Check, CheckFormat};
use super::exit::Exit;
use super::motion::AllMotion;
use super::read::Source;
use super::requests;
use mqd_host::capture::Keep;
use mqd_host::job::is_this_host;
use mqd_host::request::Request;
use mqd_host::shared_memory::SharedMemory;
use mqd_inspect::process::Passes;
use mqd_report::check::{self, Diagnosis, Severity, Verdict};
use mqd_report::{Process, Report, Stack, render};

/// The time between the first look and the second, if one is not sufficient.
const RECHECK: Duration = Duration::from_secs(1);
/// The time between two looks if calls or memory are watched. What is copied in one piece takes
/// less.
const WATCHED: Duration = Duration::from_secs(2);
/// The most looks. There are more than two only if something disturbed the second one.
const MOST_LOOKS: i64 = 4;

pub(super) fn run(args: &Check) -> Result<Exit, Exit> {
    requests::internal_where_kept();
    let output = args.text.open()?;
    let begin = Instant::now();
    let mut source = Source::new(&args.targets, args.options(), Keep::default(), &|_| true);
    let reading = source.read()?.of_one_job()?;
    reading.tell(true, false);
    if reading.all_failed() && !reading.has_calls() {
        // Standard error has the reason.
        return Err(reading.exit);
    }
    let exit = reading.exit;
    let first = reading.report();
    let may_look_again = is_live(args) && args.recheck.is_none_or(|pause| !pause.is_zero());
    let Examined { mut report, mut diagnosis } = if may_look_again {
        examine(&mut source, first, begin, args.recheck)?
    } else {
        Examined { diagnosis: check::check(&first), report: first }
    };
    if may_look_again && diagnosis.verdict == Verdict::NotDeadlocked && polls(source, &mut report)?
    {
        diagnosis = check::check(&report);
    }
    let exit = exit_code(&diagnosis, exit);
    let text = match args.format {
        CheckFormat::Human if args.all => render::check_each_step(&diagnosis, output.color),
        CheckFormat::Human => render::check(&diagnosis, output.color),
        CheckFormat::Json => render::json(&diagnosis),
    };
    Ok(output.write(&text, exit))
}

/// A live job, and what was found.
pub(super) struct Examined {
    /// What was seen; after two looks, the first.
    pub(super) report: Report,
    /// What is wrong.
    pub(super) diagnosis: Diagnosis,
}

/// The diagnosis of a live job, whose first look was made at `begin`. If that is not sufficient
/// there is a second look. With `recheck`, the time between the two, there is always one.
///
/// # Errors
/// The second look failed.
pub(super) fn examine(
    source: &mut Source<'_>,
    first: Report,
    mut begin: Instant,
    recheck: Option<Duration>,
) -> Result<Examined, Exit> {
    let mut report = first;
    let diagnosis = check::check(&report);
    let mut watched = Watched::default();
    if diagnosis.verdict == Verdict::Insufficient || !diagnosis.unknown.is_empty() {
        watched = Watched::begin(&report);
    }
    let doubtful = diagnosis.verdict == Verdict::Insufficient
        && (!diagnosis.stuck.is_empty() || check::another_look_may_tell(&report));
    if !doubtful && recheck.is_none() && watched.is_empty() {
        return Ok(Examined { report, diagnosis });
    }
    let mut pause = recheck.unwrap_or(RECHECK);
    if !watched.is_empty() {
        // A rank may have left its call before it was watched.
        report = source.read()?.report();
        pause = pause.max(WATCHED);
        begin = Instant::now();
    }
    let mut motion = AllMotion::now(&report, &source.motion());
    let mut looks = 1;
    let mut best: Option<Examined> = None;
    loop {
        let gains = !watched.is_empty() && check::gains_by_watching_memory(&report)
            || motion.some_share_memory() && check::has_uncounted_messages(&report);
        let memory = gains.then(|| shared_memory(&report)).flatten();
        let wanted = if memory.is_some() { pause.max(WATCHED) } else { pause };
        let left = wanted.saturating_sub(begin.elapsed());
        let contents = match &memory {
            Some(memory) => memory.stands_still_for(left),
            None => {
                thread::sleep(left);
                None
            }
        };
        let together = check::gains_by_standing_still(&report) && source.stop_together();
        let mut later = source.read()?.report();
        looks += 1;
        if contents.is_some() {
            see_who_finds_nothing(&mut later);
        }
        // Nobody has written until all ranks were read.
        let still = memory.zip(contents).is_some_and(|(memory, then)| memory.still_has(&then));
        let fell_apart = together && later.processes.iter().any(|process| !process.held);
        watched.note(&report, &mut later);
        later.processes.iter_mut().for_each(|process| process.memory_stands_still = still);
        let motion_now = AllMotion::now(&later, &source.motion());
        motion_now.note_since(&motion, &mut later);
        let seconds = (begin.elapsed().as_secs_f64() * 10.0).round() / 10.0;
        let diagnosis = Diagnosis { looks, ..check::check_again(&report, &later, seconds) };
        let is_open = match diagnosis.verdict {
            Verdict::Insufficient => !diagnosis.stuck.is_empty(),
            Verdict::Deadlocked => !diagnosis.unknown.is_empty(),
            Verdict::NotDeadlocked => false,
        };
        let is_disturbed = motion_now.is_disturbed_since(&motion) || fell_apart;
        let report = std::mem::replace(&mut report, later);
        if best.as_ref().is_none_or(|best| replaces(&diagnosis, &best.diagnosis)) {
            best = Some(Examined { report, diagnosis });
        }
        match best.take_if(|_| !is_open || looks == MOST_LOOKS || !is_disturbed) {
            Some(best) => return Ok(best),
            None => (motion, begin) = (motion_now, Instant::now()),
        }
    }
}

/// Does a later diagnosis replace an earlier one? It does not if it only shows less of a deadlock.
fn replaces(later: &Diagnosis, before: &Diagnosis) -> bool {
    let is_refuted = later.verdict == Verdict::NotDeadlocked
        || before.stuck.iter().any(|rank| later.moving.contains(rank));
    before.verdict != Verdict::Deadlocked
        || is_refuted
        || later.verdict == Verdict::Deadlocked && later.stuck.len() >= before.stuck.len()
}

/// The time for which calls are counted at a time, and how often.
const COUNTING: Duration = Duration::from_millis(20);
const MOST_COUNTS: usize = 25;
/// After one round that found nothing, the next one might still begin a step of an operation in the
/// background. After so many there is none.
const ROUNDS: u64 = 16;

/// Marks the ranks in functions of many ranks that call what loops call which have found nothing.
/// A rank that does this is not busy.
fn see_who_finds_nothing(report: &mut Report) {
    let waiting = report.processes.iter_mut().filter_map(|process| {
        let [(thread, _)] = returns_to(process)?[..] else { return None };
        let passes = Passes::count(thread, process.finds_nothing_at?).ok()?;
        Some((process, passes))
    });
    let mut waiting: Vec<_> = waiting.collect();
    for _ in 0..MOST_COUNTS {
        if waiting.iter().all(|(process, _)| process.found_nothing) {
            break;
        }
        thread::sleep(COUNTING);
        for (process, passes) in &mut waiting {
            process.found_nothing = passes.so_far().is_ok_and(|count| count >= ROUNDS);
        }
    }
}

/// The memory that the processes of a job share, if all of them are live and on this host.
fn shared_memory(report: &Report) -> Option<SharedMemory> {
    let pid = |process: &Process| process.pid.filter(|_| is_live_here(process));
    SharedMemory::of(report.processes.iter().map(pid).collect::<Option<Vec<_>>>()?)
}

/// How many more looks show whether a rank that is outside MPI polls.
const POLLING_LOOKS: usize = 3;
/// The time between such looks.
const POLLING_PAUSE: Duration = Duration::from_millis(20);
/// The most ranks outside MPI that are looked at for that.
const POLLING_RANKS: usize = 16;

/// Looks a few more times at the ranks that are outside MPI, and marks those that poll in the
/// report. Returns whether there are any.
fn polls(source: Source<'_>, report: &mut Report) -> Result<bool, Exit> {
    let outside: Vec<i64> = report
        .processes
        .iter()
        .filter(|process| {
            process.activity.as_ref().is_some_and(|activity| activity.function.is_none())
        })
        .filter_map(|process| process.rank)
        .collect();
    let elsewhere = report.processes.iter().any(|process| !is_here(process));
    if outside.is_empty() || outside.len() > POLLING_RANKS || elsewhere {
        return Ok(false);
    }
    let is_outside = |rank: i64| outside.contains(&rank);
    let mut source = source.only(&is_outside);
    let mut any = false;
    for _ in 0..POLLING_LOOKS {
        thread::sleep(POLLING_PAUSE);
        any |= check::note_polling(report, &source.read()?.report());
    }
    Ok(any)
}

/// Watches ranks in calls that prove their waiting only by never being left.
#[derive(Default)]
struct Watched {
    /// The calls of each rank, and the counts of how often they have returned.
    ranks: HashMap<i64, (Vec<Call>, Vec<Passes>)>,
}

impl Watched {
    /// Begins to watch them, as far as the kernel allows it.
    fn begin(report: &Report) -> Watched {
        let ranks = report.processes.iter().filter_map(|process| {
            let calls = returns_to(process)?;
            let count = |(thread, address): &Call| Passes::count(*thread, *address);
            let passes = calls.iter().map(count).collect::<Result<_, _>>().ok()?;
            Some((process.rank?, (calls, passes)))
        });
        Watched { ranks: ranks.collect() }
    }

    fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// Marks the ranks in the second of two reports that have not left their calls since the first.
    fn note(&self, first: &Report, second: &mut Report) {
        for process in &mut second.processes {
            let watched = process.rank.and_then(|rank| self.ranks.get(&rank));
            let Some((calls, passes)) = watched else { continue };
            let before = first.processes.iter().find(|before| before.pid == process.pid);
            let same = |process: &Process| returns_to(process).as_ref() == Some(calls);
            // What a wait for requests is for may have come, and the call be about to return. Then
            // it is no longer in the queues.
            let is_unchanged = |before: &Process| {
                let function = process.activity.as_ref().and_then(|one| one.function.as_deref());
                !function.is_some_and(check::waits_for_requests)
                    || before.communicators == process.communicators
            };
            let stayed = before.is_some_and(|before| same(before) && is_unchanged(before))
                && same(process)
                && passes.iter().all(|passes| matches!(passes.so_far(), Ok(0)));
            if let Some(activity) = process.activity.as_mut().filter(|_| stayed) {
                activity.stayed = true;
            }
        }
    }
}

/// Does a process run on this host?
fn is_here(process: &Process) -> bool {
    process.host.as_deref().is_none_or(is_this_host)
}

/// Is it a live process of this host?
fn is_live_here(process: &Process) -> bool {
    process.core.is_none() && is_here(process)
}

/// A thread in a call, and the address to which the call returns.
type Call = (u32, u64);

/// The calls of a live process that wait for something that no queue shows: that of the thread in
/// MPI, or those of all threads in MPI. None: there is no such call, or it cannot be watched.
fn returns_to(process: &Process) -> Option<Vec<Call>> {
    (is_live_here(process) && check::waits_unseen(process)).then_some(())?;
    let in_mpi = process.stacks.iter().flatten().filter(|stack| stack.in_mpi == Some(true));
    let most = if check::several_in_mpi(process) { usize::MAX } else { 1 };
    let call = |stack: &Stack| Some((stack.thread, stack.program().first()?.address.0));
    in_mpi.take(most).map(call).collect::<Option<Vec<_>>>().filter(|calls| !calls.is_empty())
}

/// Whether another look at the targets can show something else.
fn is_live(args: &Check) -> bool {
    let wanted = args.targets.wanted();
    !wanted.jobs.is_empty()
        || wanted.slurm.is_some()
        || wanted.requests.iter().any(|request| !matches!(request, Request::Core(_)))
}

/// `read`: the exit code of reading.
fn exit_code(diagnosis: &Diagnosis, read: Exit) -> Exit {
    match diagnosis.verdict {
        Verdict::Deadlocked => Exit::Deadlocked,
        Verdict::Insufficient if read != Exit::Complete => Exit::Some,
        Verdict::Insufficient => Exit::Insufficient,
        Verdict::NotDeadlocked
            if diagnosis.findings.iter().any(|finding| finding.severity != Severity::Note) =>
        {
            Exit::Wrong
        }
        Verdict::NotDeadlocked => Exit::Complete,
    }
}
