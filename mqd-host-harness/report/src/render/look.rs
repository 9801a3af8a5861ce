//! One of several looks at a job, as text for a terminal: the verdict, what has moved, what is
//! pending and for how long.

use crate::changes::{Changes, Look, age_text};
use crate::check::{Diagnosis, Verdict};
use crate::escape::printable;
use crate::model::{Problem, Process, Queue, Report, Status};
use crate::words::{count, describe, doing, duration_text, short_title, time_text, total};

/// At most so many ranks that have moved, and so many operations of a kind of each.
const MOVED: (usize, usize) = (50, 5);
/// At most so many operations.
const OPERATIONS: usize = 1000;

/// The look in lines, the first of which says what it is.
pub fn look(number: usize, look: &Look, changes: &Changes, diagnosis: &Diagnosis) -> Vec<String> {
    let mut lines = vec![head(number, look, changes), verdict(diagnosis)];
    moves(&mut lines, look, changes);
    pending(&mut lines, &look.report, changes);
    for process in look.report.processes.iter().filter(|process| !process.errors.is_empty()) {
        lines.push(format!(
            "{}: {}",
            short_title(process),
            printable(&Problem::one_line(&process.errors))
        ));
    }
    lines
}

fn head(number: usize, look: &Look, changes: &Changes) -> String {
    let mut words = vec![format!("look {number}")];
    words.extend(look.at.map(time_text));
    words.extend(changes.since.map(|since| format!("{} later", duration_text(since))));
    let totals = Queue::ALL.map(|queue| total(&look.report.processes, queue));
    let processes = count(look.report.processes.len(), "process", "processes");
    format!("{}: {processes}, {}", words.join(", "), totals.join(", "))
}

fn verdict(diagnosis: &Diagnosis) -> String {
    let verdict = match diagnosis.verdict {
        Verdict::Deadlocked => "deadlocked",
        Verdict::NotDeadlocked => "not deadlocked",
        Verdict::Insufficient => "no verdict",
    };
    let finding = diagnosis
        .findings
        .first()
        .map_or_else(String::new, |finding| format!("; {}", printable(&finding.text)));
    format!("{verdict}: {}{finding}", printable(&diagnosis.reason))
}

fn moves(lines: &mut Vec<String>, look: &Look, changes: &Changes) {
    if changes.first {
        return;
    }
    if changes.processes.is_empty() {
        lines.push("nothing has moved".to_owned());
        return;
    }
    let still = look.report.processes.len() - changes.processes.len();
    lines.push(format!(
        "moved: {}, {still} not",
        count(changes.processes.len(), "process", "processes")
    ));
    let (ranks, each) = MOVED;
    for moved in changes.processes.iter().take(ranks) {
        lines.push(format!("  {}", short_title(&look.report.processes[moved.process])));
        lines.extend(moved.lines(each).into_iter().map(|line| format!("    {line}")));
    }
    if changes.processes.len() > ranks {
        lines.push(format!("  and {} more processes", changes.processes.len() - ranks));
    }
}

fn pending(lines: &mut Vec<String>, report: &Report, changes: &Changes) {
    let mut ages = changes.ages.iter();
    let (mut room, mut left_out) = (OPERATIONS, 0);
    for process in &report.processes {
        let mut own: Vec<(String, usize)> = Vec::new();
        for communicator in &process.communicators {
            for queue in Queue::ALL {
                for operation in communicator.queue(queue) {
                    let age =
                        ages.next().map_or_else(String::new, |age| format!(": {}", age_text(age)));
                    if room == 0 {
                        left_out += 1;
                        continue;
                    }
                    let status = match operation.status {
                        Status::Pending => String::new(),
                        status => format!(", {status}"),
                    };
                    let line = format!("{}{status}{age}", describe(communicator, queue, operation));
                    match own.last_mut() {
                        Some((last, times)) if *last == line => *times += 1,
                        _ => {
                            own.push((line, 1));
                            room -= 1;
                        }
                    }
                }
            }
        }
        if !own.is_empty() {
            lines.push(title(process));
        }
        lines.extend(own.into_iter().map(|(line, times)| match times {
            1 => format!("  {line}"),
            times => format!("  {times} x {line}"),
        }));
    }
    if left_out > 0 {
        lines.push(format!("and {left_out} more operations: `mqd dump` has all of them"));
    }
    idle(lines, report);
}

/// The processes without operations: those that wait in a call all the same, and the others.
fn idle(lines: &mut Vec<String>, report: &Report) {
    let idle = report.processes.iter().filter(|process| {
        process
            .communicators
            .iter()
            .all(|communicator| communicator.operations() == 0 && communicator.not_known.is_empty())
    });
    let mut in_calls: Vec<(String, usize)> = Vec::new();
    let mut others = 0;
    for process in idle.filter(|process| process.errors.is_empty()) {
        let function = process.activity.as_ref().and_then(|activity| activity.function.as_deref());
        let Some(function) = function else {
            others += 1;
            continue;
        };
        match in_calls.iter_mut().find(|(known, _)| known == function) {
            Some((_, processes)) => *processes += 1,
            None => in_calls.push((function.to_owned(), 1)),
        }
    }
    for (function, processes) in in_calls {
        lines.push(format!(
            "{} in {}, with nothing of the program pending",
            count(processes, "process", "processes"),
            printable(&function)
        ));
    }
    if others > 0 {
        lines.push(format!("nothing pending in {}", count(others, "process", "processes")));
    }
}

fn title(process: &Process) -> String {
    match &process.activity {
        Some(activity) => format!("{}, {}", short_title(process), doing(activity)),
        None => short_title(process),
    }
}
