//! The looks at a live job that its diagnosis needs: one, or a second some time later, or more if
//! something has disturbed that.

use std::thread;
use std::time::{Duration, Instant};

use super::exit::Exit;
use super::motion::{AllMotion, is_live_here};
use super::read::Source;
use super::watched::{Watched, see_receivers_leave, see_who_finds_nothing};
use mqd_host::shared_memory::{Contents, SharedMemory};
use mqd_report::check::{self, Comparison, Diagnosis, Ranks, Verdict};
use mqd_report::{Process, Report};

/// The time from the end of the first look to the second, if one is not sufficient.
const RECHECK: Duration = Duration::from_secs(1);
/// The least time between two looks, whatever the user says. In less time, a rank may be doing
/// something that is over in a moment.
const LEAST: Duration = Duration::from_millis(200);
/// The time between two looks if calls or memory are watched. What is copied in one piece takes
/// less.
const WATCHED: Duration = Duration::from_secs(2);
/// The most looks. There are more than two only if something disturbed the second one.
const MOST_LOOKS: i64 = 4;

/// A live job, and what was found.
pub(super) struct Examined {
    /// What was seen; after two looks, the first.
    pub(super) report: Report,
    /// What is wrong.
    pub(super) diagnosis: Diagnosis,
}

/// The diagnosis of a live job after a first look. If that is not sufficient there is a second
/// look. With `recheck`, the time between the two, there is always one.
///
/// # Errors
/// The second look failed.
pub(super) fn examine(
    source: &mut Source<'_>,
    first: Report,
    recheck: Option<Duration>,
) -> Result<Examined, Exit> {
    let mut report = first;
    let diagnosis = check::check(&report);
    let is_insufficient = diagnosis.verdict == Verdict::Insufficient;
    let is_open = is_insufficient || !diagnosis.unknown.is_empty();
    let watched = if is_open { Watched::begin(&report) } else { Watched::default() };
    let seems_stuck = is_insufficient && !diagnosis.stuck.is_empty();
    let may_tell = is_open && (was_cut(&report) || check::another_look_may_tell(&report));
    let doubtful = seems_stuck || may_tell;
    if !doubtful && recheck.is_none() && watched.is_empty() {
        return Ok(Examined { report, diagnosis });
    }
    let mut pause = recheck.unwrap_or(RECHECK).max(LEAST);
    if !watched.is_empty() {
        // A rank may have left its call before it was watched.
        report = source.read()?.report();
        pause = pause.max(WATCHED);
    }
    // The job may end before the second look.
    let mut proved = (diagnosis.verdict == Verdict::Deadlocked).then_some(diagnosis);
    let mut best: Option<Examined> = None;
    let motion = AllMotion::now(&report, &source.motion());
    let mut last = Look { report, motion, begin: Instant::now() };
    let mut looks = 1;
    loop {
        looks += 1;
        let Next { look, seconds, fell_apart } = next_look(source, &watched, &mut last, pause)?;
        let Comparison { diagnosis, moved } = check::compare(&last.report, &look.report, seconds);
        let diagnosis = Diagnosis { looks, ..diagnosis };
        // On a busy machine the next look may read all.
        let is_cut = was_cut(&last.report) || was_cut(&look.report);
        let is_open = match diagnosis.verdict {
            Verdict::Insufficient => is_cut || !diagnosis.stuck.is_empty(),
            Verdict::Deadlocked => !diagnosis.unknown.is_empty(),
            Verdict::NotDeadlocked => false,
        };
        let is_disturbed = look.motion.is_disturbed_since(&last.motion) || fell_apart || is_cut;
        let report = std::mem::replace(&mut last, look).report;
        let diagnosis = match proved.take() {
            Some(proved) if !replaces(&diagnosis, &proved, &moved) => proved,
            _ => diagnosis,
        };
        if best.as_ref().is_none_or(|best| replaces(&diagnosis, &best.diagnosis, &moved)) {
            best = Some(Examined { report, diagnosis });
        }
        if let Some(best) = best.take_if(|_| !is_open || looks == MOST_LOOKS || !is_disturbed) {
            return Ok(best);
        }
    }
}

/// A look at a job, and what the kernel had counted by then.
struct Look {
    report: Report,
    motion: AllMotion,
    /// When its time begins: the next look is so much later.
    begin: Instant,
}

/// The look after another one.
struct Next {
    look: Look,
    /// The time between both.
    seconds: f64,
    /// Processes that were to stand still together did not.
    fell_apart: bool,
}

/// Waits for `pause` after the last look, and looks again. Notes in the new look what has happened
/// in between.
fn next_look(
    source: &mut Source<'_>,
    watched: &Watched,
    last: &mut Look,
    pause: Duration,
) -> Result<Next, Exit> {
    let gains = !watched.is_empty() && check::gains_by_watching_memory(&last.report)
        || last.motion.some_share_memory() && check::has_uncounted_messages(&last.report);
    let memory = gains.then(|| shared_memory(&last.report)).flatten();
    if memory.is_some() {
        // What a process did before its memory was found does not count.
        last.motion = AllMotion::now(&last.report, &source.motion());
        last.begin = Instant::now();
    }
    let unwritten = wait(memory, pause, last.begin);
    let seconds = (last.begin.elapsed().as_secs_f64() * 10.0).round() / 10.0;
    let together = check::gains_by_standing_still(&last.report) && source.stop_together();
    let mut report = source.read()?.report();
    let motion = AllMotion::now(&report, &source.motion());
    if unwritten.is_some() {
        see_who_finds_nothing(&mut report);
    }
    // Nobody has written until all ranks were read.
    let still = unwritten.is_some_and(|(memory, contents)| memory.still_has(&contents));
    let fell_apart = together && report.processes.iter().any(|process| !process.held);
    watched.note(&last.report, &mut report);
    watched.see_who_leaves(&mut report);
    see_receivers_leave(&last.report, &mut report);
    report.processes.iter_mut().for_each(|process| process.memory_stands_still = still);
    motion.note_since(&last.motion, &mut report);
    check::note_polling(&mut report, &last.report);
    let look = Look { report, motion, begin: Instant::now() };
    Ok(Next { look, seconds, fell_apart })
}

/// Waits until `pause` after `begin`, or longer with memory to watch. The result is the memory and
/// its contents, if nobody has written to it meanwhile.
fn wait(
    memory: Option<SharedMemory>,
    pause: Duration,
    begin: Instant,
) -> Option<(SharedMemory, Contents)> {
    let left = |pause: Duration| pause.saturating_sub(begin.elapsed());
    let Some(memory) = memory else {
        thread::sleep(left(pause));
        return None;
    };
    let contents = memory.stands_still_for(left(pause.max(WATCHED)));
    // The readings end as soon as somebody has written. The looks are still this far apart.
    thread::sleep(left(pause));
    Some((memory, contents?))
}

/// Does a later diagnosis replace an earlier one? It does not if it only shows less of a deadlock.
/// `moved`: the ranks that have moved between the two.
fn replaces(later: &Diagnosis, before: &Diagnosis, moved: &Ranks) -> bool {
    let can_go_on = |rank: i64| later.moving.contains(rank) || moved.contains(rank);
    let is_refuted = later.verdict == Verdict::NotDeadlocked || before.stuck.iter().any(can_go_on);
    before.verdict != Verdict::Deadlocked
        || is_refuted
        || later.verdict == Verdict::Deadlocked && later.stuck.len() >= before.stuck.len()
}

/// Did a process run on before everything was read?
fn was_cut(report: &Report) -> bool {
    report.processes.iter().any(|process| process.cut().is_some())
}

/// The memory that the processes of a job share, if all of them are live and on this host.
fn shared_memory(report: &Report) -> Option<SharedMemory> {
    let pid = |process: &Process| process.pid.filter(|_| is_live_here(process));
    SharedMemory::of(report.processes.iter().map(pid).collect::<Option<Vec<_>>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    /// Writes to shared memory again and again.
    const WRITER: &str = "import mmap, time
memory = mmap.mmap(-1, 1 << 12)
memory[0] = 1
print(flush=True)
while True:
    memory[0] = memory[0] + 1 & 255
    time.sleep(0.001)";

    #[test]
    fn the_pause_lasts_although_memory_is_written_to() {
        let mut child =
            Command::new("python3").args(["-c", WRITER]).stdout(Stdio::piped()).spawn().unwrap();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
        let memory = SharedMemory::of([child.id()]).unwrap();
        let (pause, begin) = (Duration::from_millis(300), Instant::now());
        assert!(wait(Some(memory), pause, begin).is_none());
        assert!(begin.elapsed() >= pause);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
