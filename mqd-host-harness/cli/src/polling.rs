//! Ranks that poll: they ask now and then whether something has come, and are outside MPI in
//! between, or they read a window again and again.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use super::exit::Exit;
use super::motion::{elsewhere, is_live_here};
use super::read::Source;
use super::watched::call;
use mqd_host::calls::public_name;
use mqd_inspect::process::Passes;
use mqd_report::check;
use mqd_report::{Process, Report, Stack, Text};

/// How many more looks show whether a rank that is outside MPI polls.
const LOOKS: usize = 3;
/// How many show it at most of a rank that accesses a window.
const MOST_LOOKS: usize = 24;
/// The time between such looks.
const PAUSE: Duration = Duration::from_millis(20);
/// The most ranks that are looked at for that.
const MOST_RANKS: usize = 16;
/// How long calls are counted.
const COUNTED: Duration = Duration::from_millis(300);
/// How long calls of the usual functions are counted: of ranks that compute, and of those that
/// sleep.
const COUNTED_BUSY: Duration = Duration::from_millis(600);
const COUNTED_ASLEEP: Duration = Duration::from_secs(2);
/// The most threads of a process whose calls are counted.
const MOST_THREADS: usize = 32;
/// A processor watches so many addresses for each thread.
const AT_ONCE: usize = 4;
/// The C library's functions in which a thread sleeps between two questions, or waits for another
/// thread of its process.
const SLEEPING: [&str; 14] = [
    "nanosleep",
    "clock_nanosleep",
    "usleep",
    "sleep",
    "sched_yield",
    "poll",
    "ppoll",
    "select",
    "epoll_wait",
    "futex_abstimed_wait_common",
    "pthread_cond_wait",
    "pthread_clockjoin_ex",
    "pthread_timedjoin_ex",
    "pthread_join",
];

/// Looks a few more times at the ranks that are outside MPI or access windows, and marks those that
/// poll in the report. Returns whether there are any.
pub(super) fn polls(source: Source<'_>, report: &mut Report) -> Result<bool, Exit> {
    let processes = || report.processes.iter().filter(|process| may_poll(process));
    let candidates: Vec<i64> = processes().filter_map(|process| process.rank).collect();
    let others = report.processes.iter().any(|process| elsewhere(process).is_some());
    if candidates.is_empty() || candidates.len() > MOST_RANKS || others {
        return Ok(false);
    }
    let outside = |process: &&Process| process.program_state.is_none() && is_live_here(process);
    let asked = asked(processes().filter(outside));
    let is_one = |rank: i64| candidates.contains(&rank);
    let mut source = source.only(&is_one);
    let mut any = false;
    let mut windows = Windows::default();
    windows.note(report);
    for look in 0..MOST_LOOKS {
        if look >= LOOKS && windows.again.len() == windows.seen.len() {
            break;
        }
        thread::sleep(PAUSE);
        let later = source.read()?.report();
        any |= check::note_polling(report, &later) | check::note_asking(report, &later, &asked);
        windows.note(&later);
    }
    Ok(any | windows.mark(report))
}

/// Is a process outside MPI, or does it access a window?
fn may_poll(process: &Process) -> bool {
    check::is_outside(process) || process.program_state.is_some()
}

/// What several looks show of ranks that access windows.
#[derive(Default)]
struct Windows {
    /// The states of the program in which each rank was.
    seen: HashMap<i64, HashSet<u64>>,
    /// The ranks that were seen in the same state twice.
    again: HashMap<i64, Process>,
}

impl Windows {
    /// Notes another look.
    fn note(&mut self, report: &Report) {
        for process in report.processes.iter().filter(|process| is_live_here(process)) {
            let Some((rank, state)) = process.rank.zip(process.program_state) else { continue };
            if !self.seen.entry(rank).or_default().insert(state) {
                self.again.entry(rank).or_insert_with(|| process.clone());
            }
        }
    }

    /// Marks in a report the ranks that call from the same state again and again, and that write to
    /// no window. Returns whether there are any.
    ///
    /// A counter delays a thread at its address, where looks would then find it. So calls are
    /// counted after the last look.
    fn mark(self, report: &mut Report) -> bool {
        let calling = |process: &Process| Some(vec![call(in_mpi(process)?)?.1]);
        let writing = |process: &Process| {
            let begins: Vec<u64> = process.asks_at.iter().map(|(_, begin)| *begin).collect();
            Some(begins).filter(|begins| !begins.is_empty())
        };
        let calling = ranks_that_come(&self.again, calling, |count| count > 1);
        let reading = ranks_that_come(&self.again, writing, |count| count == 0);
        let mut any = false;
        for process in &mut report.processes {
            let both = |rank: &i64| calling.contains(rank) && reading.contains(rank);
            let Some(rank) = process.rank.filter(both) else { continue };
            let again = &self.again[&rank];
            (process.activity, process.stacks) = (again.activity.clone(), again.stacks.clone());
            if let Some(activity) = &mut process.activity {
                (activity.finds_nothing_new, any) = (true, true);
                // The companion runtime names only functions that wait.
                let of_stack = || in_mpi(again)?.function().map(Into::into);
                activity.function = activity.function.take().or_else(of_stack);
            }
        }
        any
    }
}

/// The ranks for which `is_right` accepts how often their thread in MPI comes to each address in a
/// while. A rank with an unknown count is left out.
fn ranks_that_come(
    ranks: &HashMap<i64, Process>,
    addresses: impl Fn(&Process) -> Option<Vec<u64>>,
    is_right: impl Fn(u64) -> bool,
) -> HashSet<i64> {
    let known = |(rank, process): (&i64, &Process)| {
        Some((*rank, in_mpi(process)?.thread, addresses(process)?))
    };
    let mut known: Vec<(i64, u32, Vec<u64>)> = ranks.iter().filter_map(known).collect();
    let most = known.iter().map(|(.., addresses)| addresses.len()).max().unwrap_or(0);
    for first in (0..most).step_by(AT_ONCE) {
        let counters = known.iter().map(|(_, thread, addresses)| {
            let some = addresses.iter().skip(first).take(AT_ONCE);
            some.map(|address| Passes::count(*thread, *address)).collect::<Result<Vec<_>, _>>()
        });
        let counters: Vec<_> = counters.collect();
        thread::sleep(COUNTED);
        let mut counters = counters.into_iter();
        known.retain(|_| {
            let counters = counters.next().and_then(Result::ok);
            counters.is_some_and(|counters| {
                counters.iter().all(|counter| counter.so_far().is_ok_and(&is_right))
            })
        });
    }
    known.into_iter().map(|(rank, ..)| rank).collect()
}

/// The call stack of the thread of a process that is in MPI.
fn in_mpi(process: &Process) -> Option<&Stack> {
    process.stacks.iter().flatten().find(|stack| stack.in_mpi == Some(true))
}

/// The ranks outside MPI that ask now and then: the function that each calls.
fn asked<'p>(outside: impl Iterator<Item = &'p Process>) -> HashMap<i64, Text> {
    let mut silent: Vec<_> = outside
        .filter_map(|process| Some((process.rank?, process, threads(process.pid?))))
        .collect();
    let mut asked = HashMap::new();
    let most = silent.iter().map(|(_, process, _)| process.asks_at.len()).max().unwrap_or(0);
    for first in (0..most).step_by(AT_ONCE) {
        let counts = silent.iter().flat_map(|(rank, process, threads)| {
            let functions = process.asks_at.iter().skip(first).take(AT_ONCE);
            let all = functions.flat_map(|one| threads.iter().map(move |thread| (one, thread)));
            all.filter_map(|((name, address), thread)| {
                Some((*rank, name, Passes::count(*thread, *address).ok()?))
            })
        });
        let counts: Vec<_> = counts.collect();
        let begun = Instant::now();
        let time = match first {
            0 if silent.iter().any(|(_, process, _)| sleeps(process)) => COUNTED_ASLEEP,
            0 => COUNTED_BUSY,
            _ => COUNTED,
        };
        while !silent.is_empty() && begun.elapsed() < time {
            thread::sleep(PAUSE);
            for (rank, name, passes) in &counts {
                if passes.so_far().is_ok_and(|count| count > 0) {
                    asked.entry(*rank).or_insert_with(|| (*name).clone());
                }
            }
            silent.retain(|(rank, ..)| !asked.contains_key(rank));
        }
    }
    asked
}

/// Does the main thread of a process sleep, or wait for another one that may ask?
fn sleeps(process: &Process) -> bool {
    let main = process.stacks.iter().flatten().next();
    let function = main.and_then(|stack| stack.frames.first()?.function.as_deref());
    function.is_some_and(|function| SLEEPING.contains(&public_name(function)))
}

/// The threads of a process, or the first ones if there are very many.
fn threads(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    tasks.filter_map(|task| task.file_name().to_str()?.parse().ok()).take(MOST_THREADS).collect()
}
