//! `mqd graph`: from arguments to a picture.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use clap::ColorChoice;

use super::args::{Graph as Args, Picture};
use super::exit::Exit;
use super::look::{Looker, diagnose, look_of};
use super::output::{Output, complain};
use super::read::{Reading, read};
use mqd_report::changes::Look;
use mqd_report::graph::{self, Graph, GraphOptions};

pub(super) fn run(args: &Args) -> Result<Exit, Exit> {
    let Some(format) = args.format() else {
        complain(
            "give --format dot, svg, html or csv: the name of the output file does not tell the \
             format",
        );
        return Err(Exit::Usage);
    };
    let output = Output::open(args.output.as_deref(), ColorChoice::Never)?;
    let (looks, exit) = looks(args)?;
    let diagnosis = diagnose(looks.iter());
    let (last, room) = (looks.last().ok_or(exit)?, args.room());
    let graph = |options: &GraphOptions| Graph::new(&last.report, Some(&diagnosis), options);
    let text = match format {
        Picture::Dot => graph::dot(&graph(&room)),
        Picture::Svg => graph::svg(&graph(&room)),
        Picture::Csv => {
            graph::csv(&graph(&GraphOptions { group_above: room.group_above, ..GraphOptions::ALL }))
        }
        Picture::Html => graph::html(&looks, Some(&diagnosis), &room),
    };
    Ok(output.write(&text, exit))
}

/// The looks in their order, at least one, and the exit code.
fn looks(args: &Args) -> Result<(Vec<Look>, Exit), Exit> {
    if args.count > 1 {
        return repeated(args);
    }
    if let Some(snapshots) = args.targets.looks() {
        let readings: Vec<Reading> = snapshots
            .iter()
            .map(|targets| usable(read(targets, args.options(), |_| true)?))
            .collect::<Result<_, Exit>>()?;
        let exit = readings.iter().map(|reading| reading.exit).find(|exit| *exit != Exit::Complete);
        return Ok((in_order(readings), exit.unwrap_or(Exit::Complete)));
    }
    let reading = usable(read(&args.targets, args.options(), |_| true)?)?;
    let (exit, at) = (reading.exit, captured(&reading));
    Ok((vec![look_of(reading, at)], exit))
}

/// Looks at live processes several times, or until they end.
fn repeated(args: &Args) -> Result<(Vec<Look>, Exit), Exit> {
    let mut looker = Looker::new(&args.targets, args.options())?;
    let reading = usable(looker.look())?;
    let mut exit = reading.exit;
    let mut looks = vec![look_of(reading, Some(SystemTime::now()))];
    while looks.len() < args.count {
        std::thread::sleep(args.every);
        let reading = looker.look();
        if looker.all_ended() {
            complain(&format!(
                "the job has ended after {} looks: the picture shows the last one",
                looks.len()
            ));
            break;
        }
        exit = reading.exit;
        looks.push(look_of(reading, Some(SystemTime::now())));
    }
    Ok((looks, exit))
}

/// Prints what is missing. Fails if nothing was read.
fn usable(reading: Reading) -> Result<Reading, Exit> {
    reading.tell(true, false);
    if reading.all_failed() { Err(reading.exit) } else { reading.of_one_job() }
}

/// When the processes were read. `None` for core files, which do not have this time.
fn captured(reading: &Reading) -> Option<SystemTime> {
    let outcomes = || reading.outcomes.iter();
    let last = outcomes().map(|outcome| outcome.captured).max().filter(|at| *at > 0)?;
    outcomes()
        .all(|outcome| outcome.process.core.is_none())
        .then(|| SystemTime::UNIX_EPOCH + Duration::from_secs(last))
}

/// Snapshots, sorted by time. Snapshots of different ranks are parts of one look, because a job on
/// several machines has a snapshot from each machine.
fn in_order(readings: Vec<Reading>) -> Vec<Look> {
    let mut looks: Vec<Look> = readings
        .into_iter()
        .map(|reading| {
            let at = captured(&reading);
            look_of(reading, at)
        })
        .collect();
    looks.sort_by_key(|look| look.at);
    let mut together: Vec<Look> = Vec::new();
    for look in looks {
        match together.last_mut() {
            Some(last) if are_disjoint(last, &look) => {
                last.report.processes.extend(look.report.processes);
                last.at = look.at;
            }
            _ => together.push(look),
        }
    }
    together
}

fn are_disjoint(one: &Look, other: &Look) -> bool {
    let ranks: HashSet<Option<i64>> =
        one.report.processes.iter().map(|process| process.rank).collect();
    !ranks.contains(&None)
        && other
            .report
            .processes
            .iter()
            .all(|process| process.rank.is_some() && !ranks.contains(&process.rank))
}
