//! Verdicts on random small jobs, compared with what trying all schedules tells.

use mqd_report::check::{self, Certainty, FindingKind, Verdict};
use mqd_report::{Lines, Process, Report};

use crate::model::{Job, Program, Random, program};

const SEEDS: u64 = 6000;
/// More states than most jobs have.
const STATES: usize = 3000;

/// A job that has gone on for a while.
fn begin(random: &mut Random, program: &Program, steps: usize) -> Job {
    let mut job = Job::new(program);
    go_on(random, program, &mut job, steps);
    job
}

fn go_on(random: &mut Random, program: &Program, job: &mut Job, steps: usize) {
    for _ in 0..steps {
        let possible = job.steps(program);
        if possible.is_empty() {
            return;
        }
        let step = possible[random.below(possible.len())];
        job.take(program, step);
    }
}

/// Reads the ranks one after the other, in any order, while the job goes on.
fn look(
    random: &mut Random,
    program: &Program,
    job: &mut Job,
    pace: usize,
) -> (Report, Vec<(usize, bool)>) {
    let mut order: Vec<usize> = (0..program.len()).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last + 1));
    }
    let mut read: Vec<(usize, Process, (usize, bool))> = Vec::new();
    for rank in order {
        read.push((rank, job.process(program, rank), job.place(rank)));
        let steps = random.below(pace + 1);
        go_on(random, program, job, steps);
    }
    read.sort_by_key(|(rank, ..)| *rank);
    let places = read.iter().map(|(.., place)| *place).collect();
    (Report::new(read.into_iter().map(|(_, process, _)| process).collect()), places)
}

/// Takes away what a debug DLL may not know.
fn forget(random: &mut Random, report: &mut Report) {
    for process in &mut report.processes {
        if random.percent(30) {
            process.activity = process.activity.take().map(|mut activity| {
                activity.needed = None;
                // As call stacks tell.
                activity.begun = random.percent(50).then_some(true);
                activity.concurrent.take_if(|_| random.percent(10));
                activity
            });
        }
        if random.percent(10) {
            process.activity = None;
        }
        let (traffic, collectives, awaited, text) =
            (random.percent(20), random.percent(20), random.percent(20), random.percent(20));
        for part in &mut process.communicators {
            part.traffic.take_if(|_| traffic);
            part.collectives.take_if(|_| collectives);
            for operation in part
                .pending_sends
                .iter_mut()
                .chain(&mut part.pending_receives)
                .chain(&mut part.unexpected_messages)
            {
                operation.awaited.take_if(|_| awaited);
                if text {
                    operation.extra_text = Lines::default();
                }
            }
        }
    }
    if random.percent(15) {
        let lost = random.below(report.processes.len());
        report.processes.remove(lost);
    }
}

/// A rank that is called stuck has not moved since it was read, and never will on any path of the
/// job.
fn assert_sound(
    seed: u64,
    program: &Program,
    job: &Job,
    places: &[(usize, bool)],
    report: &Report,
) -> Option<Verdict> {
    let diagnosis = check::check(report);
    if diagnosis.verdict != Verdict::Deadlocked {
        return Some(diagnosis.verdict);
    }
    let goes_on = job.can_go_on(program, STATES)?;
    for rank in diagnosis.stuck.iter() {
        let rank = rank as usize;
        let moved = job.place(rank) != places[rank];
        assert!(
            !moved && !goes_on[rank],
            "seed {seed}: rank {rank} can go on\n{program:#?}\n{diagnosis:#?}"
        );
    }
    // Whether a message to another rank was meant for this one is not known.
    let mut findings = diagnosis.findings.iter().filter(|one| one.kind != FindingKind::NearMiss);
    assert!(findings.all(|finding| finding.certainty == Certainty::Certain));
    Some(Verdict::Deadlocked)
}

#[test]
fn nobody_who_can_go_on_is_called_stuck() {
    let mut verdicts = [0; 4];
    for seed in 0..SEEDS {
        let mut random = Random(seed);
        let program = program(&mut random);
        let steps = random.below(40);
        let mut job = begin(&mut random, &program, steps);
        let pace = [0, 1, 4, 12][random.below(4)];
        let (mut report, places) = look(&mut random, &program, &mut job, pace);
        if random.percent(40) {
            forget(&mut random, &mut report);
        }
        let verdict = assert_sound(seed, &program, &job, &places, &report);
        verdicts[verdict.map_or(3, |verdict| verdict as usize)] += 1;
    }
    let [deadlocked, not, insufficient, too_large] = verdicts;
    assert!(
        deadlocked > 500 && not > 500 && insufficient > 500,
        "{verdicts:?}: too few of a kind to tell anything"
    );
    assert!(too_large < SEEDS as usize / 50, "{too_large} jobs have too many states to be tried");
}

/// With less knowledge the diagnosis says less, and nothing different.
#[test]
fn what_is_not_known_does_not_turn_a_verdict_round() {
    let mut kept = [0; 2];
    for seed in 0..SEEDS {
        let mut random = Random(seed);
        let program = program(&mut random);
        let steps = random.below(40);
        let mut job = begin(&mut random, &program, steps);
        let (report, _) = look(&mut random, &program, &mut job, 0);
        let whole = check::check(&report);
        let mut less = report.clone();
        forget(&mut random, &mut less);
        let part = check::check(&less);
        let told = |what: &str| {
            format!("seed {seed}: {what}\n{program:#?}\n{whole:#?}\n{part:#?}\n{less:#?}")
        };
        for rank in part.stuck.iter().filter(|_| part.verdict == Verdict::Deadlocked) {
            assert!(whole.stuck.iter().any(|other| other == rank), "{}", told("more are stuck"));
        }
        for rank in part.moving.iter() {
            assert!(whole.moving.iter().any(|other| other == rank), "{}", told("more can go on"));
        }
        if part.verdict == whole.verdict && part.verdict != Verdict::Insufficient {
            kept[part.verdict as usize] += 1;
        }
    }
    assert!(kept.iter().all(|kept| *kept > 100), "{kept:?}: too few of a kind to tell anything");
}

/// Where nothing can happen any more, exactly the ranks that have not come to their end are stuck,
/// each is in a cycle or knot or waits on one, and the cycles are cycles.
#[test]
fn all_of_a_job_that_stands_still_is_found() {
    let mut stuck_jobs = 0;
    for seed in 0..SEEDS {
        let mut random = Random(seed);
        let program = program(&mut random);
        let mut job = Job::new(&program);
        go_on(&mut random, &program, &mut job, usize::MAX);
        let (report, _) = look(&mut random, &program, &mut job, 0);
        let diagnosis = check::check(&report);
        let expected: Vec<i64> = (0..program.len())
            .filter(|rank| !job.has_ended(&program, *rank))
            .map(|rank| rank as i64)
            .collect();
        assert!(
            diagnosis.stuck.iter().eq(expected.iter().copied()),
            "seed {seed}: {expected:?}\n{program:#?}\n{diagnosis:#?}"
        );
        // No queue shows whether MPI_Finalize returns.
        let verdict = if expected.is_empty() { Verdict::Insufficient } else { Verdict::Deadlocked };
        assert_eq!(diagnosis.verdict, verdict, "seed {seed}: {diagnosis:#?}");
        stuck_jobs += usize::from(!expected.is_empty());
        let waits = diagnosis.findings.iter().filter(|finding| !finding.waits.is_empty());
        let told: Vec<i64> = waits
            .clone()
            .flat_map(|finding| finding.ranks.iter().chain(finding.waiting.iter()))
            .collect();
        assert!(
            expected.iter().all(|rank| told.contains(rank)),
            "seed {seed}: {expected:?} {told:?}\n{program:#?}\n{diagnosis:#?}"
        );
        for finding in waits.filter(|finding| finding.cycle) {
            let mut start = 0;
            for (place, wait) in finding.waits.iter().enumerate() {
                let next = finding.waits.get(place + 1);
                if next.is_none_or(|next| wait.on != check::Ranks::from(next.rank)) {
                    assert_eq!(
                        wait.on,
                        check::Ranks::from(finding.waits[start].rank),
                        "seed {seed}: {finding:#?}"
                    );
                    start = place + 1;
                }
            }
        }
    }
    assert!(stuck_jobs > 1000, "{stuck_jobs}");
}
