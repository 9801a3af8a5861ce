//! Ranks that poll: outside MPI, they ask now and then whether something has come.

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use super::exit::Exit;
use super::motion::elsewhere;
use super::read::Source;
use mqd_host::calls::public_name;
use mqd_inspect::process::Passes;
use mqd_report::check;
use mqd_report::{Process, Report};

/// How many more looks show whether a rank that is outside MPI polls.
const LOOKS: usize = 3;
/// The time between such looks.
const PAUSE: Duration = Duration::from_millis(20);
/// The most ranks outside MPI that are looked at for that.
const MOST_RANKS: usize = 16;
/// How long calls are counted of a rank that sleeps outside MPI.
const COUNTED: Duration = Duration::from_millis(300);
/// A processor watches so many addresses for each thread.
const AT_ONCE: usize = 4;
/// The C library's functions in which a thread sleeps between two questions.
const SLEEPING: [&str; 9] = [
    "nanosleep",
    "clock_nanosleep",
    "usleep",
    "sleep",
    "sched_yield",
    "poll",
    "ppoll",
    "select",
    "epoll_wait",
];

/// Looks a few more times at the ranks that are outside MPI, and marks those that poll in the
/// report. Returns whether there are any.
pub(super) fn polls(source: Source<'_>, report: &mut Report) -> Result<bool, Exit> {
    let processes = || report.processes.iter().filter(|process| check::is_outside(process));
    let outside: Vec<i64> = processes().filter_map(|process| process.rank).collect();
    let others = report.processes.iter().any(|process| elsewhere(process).is_some());
    if outside.is_empty() || outside.len() > MOST_RANKS || others {
        return Ok(false);
    }
    let asked = asked(processes());
    let is_one = |rank: i64| outside.contains(&rank);
    let mut source = source.only(&is_one);
    let mut any = false;
    for _ in 0..LOOKS {
        thread::sleep(PAUSE);
        let later = source.read()?.report();
        any |= check::note_polling(report, &later) | check::note_asking(report, &later, &asked);
    }
    Ok(any)
}

/// The ranks that sleep outside MPI and ask in between: the function that each calls.
fn asked<'p>(outside: impl Iterator<Item = &'p Process>) -> HashMap<i64, &'static str> {
    let mut asleep: Vec<_> =
        outside.filter_map(|process| Some((process.rank?, process, sleeping(process)?))).collect();
    let mut asked = HashMap::new();
    let most = asleep.iter().map(|(_, process, _)| process.asks_at.len()).max().unwrap_or(0);
    for first in (0..most).step_by(AT_ONCE) {
        let counts = asleep.iter().flat_map(|(rank, process, thread)| {
            let functions = process.asks_at.iter().skip(first).take(AT_ONCE);
            functions.filter_map(|(name, address)| {
                Some((*rank, *name, Passes::count(*thread, *address).ok()?))
            })
        });
        let counts: Vec<_> = counts.collect();
        thread::sleep(COUNTED);
        for (rank, name, passes) in counts {
            if passes.so_far().is_ok_and(|count| count > 0) {
                asked.entry(rank).or_insert(name);
            }
        }
        asleep.retain(|(rank, ..)| !asked.contains_key(rank));
        if asleep.is_empty() {
            break;
        }
    }
    asked
}

/// The thread of a process, if it has but one and that sleeps.
fn sleeping(process: &Process) -> Option<u32> {
    let mut threads = process.stacks.iter().flatten();
    let thread = threads.next().filter(|_| threads.next().is_none())?;
    let function = thread.frames.first()?.function.as_deref()?;
    SLEEPING.contains(&public_name(function)).then_some(thread.thread)
}
