//! Text for reading in a terminal: what each rank is waiting for, in words.
//!
//! A process without operations is one line. So are all communicators of a process that have none.
//! Colour only repeats what the words say.

use std::collections::HashMap;
use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use super::fold::{self, Group};
use crate::check::Ranks;
use crate::escape::printable;
use crate::filter::Filter;
use crate::model::{Collective, Communicator, Operation, Process, Queue, Report, Status};
use crate::words::{
    bytes, count, counted, doing_where, frame, length_text, name, peer_text, rank_text,
    short_title, spread, tag_text, total,
};

/// How to render for people.
#[derive(Clone, Debug, Default)]
pub struct HumanOptions {
    /// Use ANSI colours.
    pub color: bool,
    /// Show addresses of buffers and identifiers of all communicators. They are of use in a
    /// debugger.
    pub verbose: bool,
    /// Show the frames of the call stacks.
    pub stacks: bool,
    /// Show each process and each operation. If false, similar ones are put together in large jobs
    /// and in long queues.
    pub all: bool,
    /// The filter that was applied to the report: a queue that was left out is not called empty.
    pub filter: Filter,
}

/// The report as text, with a summary in the last lines.
pub fn human(report: &Report, options: &HumanOptions) -> String {
    let several_hosts = are_on_several_hosts(report);
    let styles = Styles::new(options.color);
    let mut page = Page { text: String::new(), styles, options, several_hosts, alike: None };
    let each = options.all || options.verbose || options.stacks;
    if each || report.processes.len() <= fold::PROCESSES {
        report.processes.iter().for_each(|process| page.process(process));
    } else {
        for group in fold::groups(&report.processes) {
            page.group(report, &group);
        }
    }
    page.summary(report);
    page.text
}

/// The styles of the page; without colour all of them are empty.
#[derive(Default)]
struct Styles {
    process: Style,
    communicator: Style,
    quiet: Style,
    error: Style,
    advanced: Style,
}

impl Styles {
    fn new(color: bool) -> Self {
        if !color {
            return Styles::default();
        }
        Styles {
            process: Style::new().bold(),
            communicator: AnsiColor::Cyan.on_default(),
            quiet: Style::new().dimmed(),
            error: AnsiColor::Red.on_default().bold(),
            advanced: AnsiColor::Green.on_default(),
        }
    }
}

struct Page<'a> {
    text: String,
    styles: Styles,
    options: &'a HumanOptions,
    /// Whether processes are of more than one host: process ids alone do not tell them apart.
    several_hosts: bool,
    /// The process that is shown stands for several.
    alike: Option<Alike>,
}

/// What a process stands for.
struct Alike {
    title: String,
    /// Peers are shown as seen from each.
    relative: bool,
}

impl Page<'_> {
    /// Processes that read alike.
    fn group(&mut self, report: &Report, group: &Group) {
        let first = &report.processes[group.members[0]];
        let ranks = group.members.iter().map(|member| report.processes[*member].rank);
        let count = group.members.len();
        let which = match ranks.collect::<Option<Ranks>>() {
            Some(ranks) => format!("ranks {ranks}"),
            None => "ranks unknown".to_owned(),
        };
        let executable = first.executable.as_deref().map(printable);
        let executable = executable.map_or_else(String::new, |path| format!(", {path}"));
        let r = if group.relative { "; r is the rank of each" } else { "" };
        let title = format!("{which} ({count} processes that are alike{r}){executable}");
        self.alike = (count > 1).then_some(Alike { title, relative: group.relative });
        self.process(first);
        self.alike = None;
    }

    fn line(&mut self, indent: usize, style: Style, text: &str) {
        let _ = writeln!(self.text, "{:indent$}{style}{text}{style:#}", "");
    }

    fn process(&mut self, process: &Process) {
        let (busy, idle): (Vec<_>, Vec<_>) =
            process.communicators.iter().partition(|communicator| {
                communicator.operations() > 0 || active(communicator).is_some()
            });
        let title = match &self.alike {
            Some(alike) => alike.title.clone(),
            None => title(process, self.several_hosts),
        };
        let all_known = idle.iter().all(|communicator| self.not_known(communicator).is_empty());
        let nothing = busy.is_empty() && all_known && process.errors.is_empty();
        if nothing && self.waits(process).is_none() && !self.options.stacks {
            let nothing = self.nothing_shown();
            let place =
                if idle.is_empty() { "no communicators".to_owned() } else { self.names(&idle) };
            let Styles { process: bold, quiet, .. } = self.styles;
            let doing = doing_where(process);
            let _ = writeln!(
                self.text,
                "{bold}{title}{bold:#}: {quiet}{nothing} ({place}); {doing}{quiet:#}\n"
            );
            return;
        }
        self.line(0, self.styles.process, &title);
        for error in &process.errors {
            let style = self.styles.error;
            let text = error.to_string();
            let mut lines = text.lines();
            let _ = writeln!(
                self.text,
                "  {style}error:{style:#} {}",
                printable(lines.next().unwrap_or_default())
            );
            for line in lines {
                let _ = writeln!(self.text, "         {}", printable(line));
            }
        }
        let unread = process.communicators.is_empty() && process.stacks.is_none();
        if !unread || process.activity.is_some() {
            let doing = self.waits(process).unwrap_or_else(|| doing_where(process));
            self.line(2, Style::new(), &doing);
        }
        if self.options.stacks {
            self.stacks(process);
        }
        for communicator in &busy {
            self.communicator(communicator);
        }
        self.idle(&idle);
        self.text.push('\n');
    }

    /// The call stacks, the innermost frame first.
    fn stacks(&mut self, process: &Process) {
        for stack in process.stacks.iter().flatten() {
            let doing = match stack.in_mpi {
                Some(true) => "",
                Some(false) => ", in no MPI call",
                None => ", not known what it does in MPI",
            };
            self.line(2, Style::new(), &format!("thread {}{doing}:", stack.thread));
            for known in &stack.frames {
                let inlined = if known.inlined { ", inlined" } else { "" };
                self.line(4, Style::new(), &format!("{}{inlined}", frame(known)));
            }
            if !stack.complete {
                self.line(4, self.styles.quiet, "the stack could not be unwound further");
            }
        }
    }

    /// The communicators without operations: those that were read, and those of which queues are
    /// not known.
    fn idle(&mut self, idle: &[&Communicator]) {
        let mut groups: Vec<(Vec<Queue>, Vec<&Communicator>)> = Vec::new();
        for communicator in idle {
            let not_known = self.not_known(communicator);
            match groups.iter_mut().find(|(known, _)| *known == not_known) {
                Some((_, members)) => members.push(communicator),
                None => groups.push((not_known, vec![communicator])),
            }
        }
        for (not_known, members) in groups {
            let names = self.names(&members);
            let queues: Vec<_> = not_known.iter().map(|queue| queue.plural_name()).collect();
            let text = match queues.len() {
                0 => format!("{} in {names}", self.nothing_shown()),
                3 => format!("{} not known in {names}", queues.join(", ")),
                _ => format!("{} not known in {names}; nothing else pending", queues.join(", ")),
            };
            self.line(2, self.styles.quiet, &text);
        }
    }

    /// The queues of a communicator that are not known, of those that the filter shows.
    fn not_known(&self, communicator: &Communicator) -> Vec<Queue> {
        let wanted = |queue: &Queue| self.options.filter.wants_queue(*queue);
        communicator.not_known.iter().copied().filter(wanted).collect()
    }

    /// The call that a process waits in.
    fn waits(&self, process: &Process) -> Option<String> {
        let activity = process.activity.as_ref()?;
        let function = printable(activity.function.as_ref()?);
        let operations = process
            .communicators
            .iter()
            .flat_map(|communicator| Queue::ALL.map(|queue| communicator.queue(queue)));
        let awaited =
            operations.flatten().filter(|operation| operation.awaited == Some(true)).count();
        let Filter { communicators, tags, queues, .. } = &self.options.filter;
        let waits = match activity.needed {
            Some(0) => "is about to return".to_owned(),
            Some(_)
                if awaited > 0
                    && !(communicators.is_empty() && tags.is_empty() && queues.is_empty()) =>
            {
                "waits for the marked operations (*), and perhaps for others".to_owned()
            }
            Some(needed) if awaited > 0 => {
                let operations = count(awaited, "operation", "operations");
                let which = if needed >= awaited as i64 {
                    operations
                } else {
                    format!("{needed} of {operations}")
                };
                format!("waits for {which} (*)")
            }
            _ => return Some(doing_where(process)),
        };
        Some(match process.called_from() {
            [] => format!("in {function}, which {waits}"),
            _ => format!("{}; {waits}", doing_where(process)),
        })
    }

    /// What to say of a place without operations.
    fn nothing_shown(&self) -> &'static str {
        let filter = &self.options.filter;
        if filter.tags.is_empty() && filter.queues.is_empty() {
            "nothing pending"
        } else {
            "nothing that the filter shows"
        }
    }

    fn names(&self, communicators: &[&Communicator]) -> String {
        let names: Vec<_> = communicators
            .iter()
            .map(|communicator| {
                let name = name(communicator);
                let same =
                    communicators.iter().filter(|other| other.name == communicator.name).count();
                let tell_apart = same > 1 || self.options.verbose;
                if tell_apart && !communicator.name.is_empty() {
                    format!("{name} {}", communicator.unique_id)
                } else {
                    name
                }
            })
            .collect();
        names.join(", ")
    }

    fn communicator(&mut self, communicator: &Communicator) {
        let style = self.styles.communicator;
        let Communicator { size, local_rank, unique_id, .. } = communicator;
        let name = if communicator.name.is_empty() {
            "unnamed communicator".to_owned()
        } else {
            name(communicator)
        };
        let place = match &self.alike {
            Some(_) => format!("{size} ranks"),
            None => format!("rank {local_rank} of {size}, id {unique_id}"),
        };
        let _ = writeln!(self.text, "  {style}{name}{style:#}: {place}");
        if let Some(active) = active(communicator) {
            self.line(4, Style::new(), &active);
        }
        let mut empty = Vec::new();
        for queue in Queue::ALL {
            let operations = communicator.queue(queue);
            if !operations.is_empty() {
                self.queue(communicator, queue, operations);
            } else if !communicator.not_known.contains(&queue)
                && self.options.filter.wants_queue(queue)
                && self.options.filter.tags.is_empty()
            {
                empty.push(queue.plural_name());
            }
        }
        if !empty.is_empty() {
            self.line(4, self.styles.quiet, &format!("no {}", empty.join(", no ")));
        }
        let not_known: Vec<_> =
            self.not_known(communicator).into_iter().map(Queue::plural_name).collect();
        if !not_known.is_empty() {
            self.line(4, self.styles.quiet, &format!("not known: {}", not_known.join(", ")));
        }
    }

    fn queue(&mut self, communicator: &Communicator, queue: Queue, operations: &[Operation]) {
        self.line(4, Style::new(), &counted(operations, queue));
        let rows = operations.iter().map(|operation| self.cells(communicator, queue, operation));
        let mut rows = equal(rows);
        for common in [Common::Peer, Common::Status] {
            if rows.len() > ROWS && !self.options.all && !self.options.verbose {
                rows = together(rows, common);
            }
        }
        for row in rows.iter_mut().filter(|row| row.times > 1) {
            row.cells[PEER] = format!("{} x {}", row.times, row.cells[PEER]);
        }
        let mut widths = [0; COLUMNS];
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(&row.cells) {
                *width = (*width).max(cell.width());
            }
        }
        for row in &rows {
            let mut line = String::from(if row.awaited { "    *" } else { "     " });
            for (column, (width, cell)) in widths.iter().zip(&row.cells).enumerate() {
                if *width == 0 {
                    continue;
                }
                let padding = width - cell.width();
                let style = if column == STATUS && row.advanced {
                    self.styles.advanced
                } else {
                    Style::new()
                };
                let separator = if column == 0 { " " } else { "  " };
                let _ = write!(line, "{separator}{style}{cell}{style:#}{:padding$}", "");
            }
            let _ = writeln!(self.text, "{}", line.trim_end());
            if let Some(message) = &row.message {
                self.line(8, Style::new(), &format!("message {message}"));
            }
        }
    }

    /// An operation as a row: peer, tag, length, status, then what the debug DLL has to say.
    fn cells(&self, communicator: &Communicator, queue: Queue, operation: &Operation) -> Row {
        let relative = self.alike.as_ref().filter(|alike| alike.relative);
        let peer = match relative.and_then(|_| fold::peer(communicator, operation)) {
            Some(peer) if queue == Queue::Sends => format!("to rank {peer}"),
            Some(peer) => format!("from rank {peer}"),
            None => peer_text(queue, operation),
        };
        let tag = tag_text(operation);
        let mut details: Vec<String> =
            operation.lines_beside_length().map(|line| printable(line.trim())).collect();
        if self.options.verbose {
            let whose = if operation.system_buffer { "MPI's buffer" } else { "buffer" };
            details.push(format!("{whose} {}", operation.buffer));
        }
        Row {
            cells: [
                peer,
                tag,
                length_text(operation),
                status(queue, operation),
                details.join(", "),
            ],
            message: if queue == Queue::Receives { message(operation) } else { None },
            awaited: operation.awaited == Some(true),
            advanced: operation.status != Status::Pending,
            times: 1,
            tags: operation.desired_tag.map(|tag| (tag, tag)),
            lengths: operation.length().map(|length| (length, length)),
        }
    }

    fn summary(&mut self, report: &Report) {
        let counts: Vec<_> = Queue::ALL
            .into_iter()
            .filter(|queue| self.options.filter.wants_queue(*queue))
            .map(|queue| total(&report.processes, queue))
            .collect();
        let (failed, read): (Vec<_>, Vec<_>) =
            report.processes.iter().partition(|process| !process.errors.is_empty());
        let text = format!(
            "{} read: {}",
            count(read.len() + partial(&failed), "process", "processes"),
            counts.join(", ")
        );
        self.line(0, self.styles.process, &text);
        if let Some(milliseconds) = report.spread_ms {
            self.line(0, Style::new(), &spread(milliseconds));
        }
        if !self.options.filter.is_empty() {
            let text = format!(
                "Only what matches {} is shown.",
                printable(&self.options.filter.to_string())
            );
            self.line(0, Style::new(), &text);
        }
        if !failed.is_empty() {
            let ranks = failed.iter().map(|process| process.rank);
            let names = match ranks.collect::<Option<Ranks>>() {
                Some(ranks) if failed.len() > fold::PROCESSES => format!("ranks {ranks}"),
                _ => {
                    let names: Vec<_> = failed.iter().map(|process| short_title(process)).collect();
                    names.join(", ")
                }
            };
            let text = format!("Not read, or not completely: {names}");
            self.line(0, self.styles.error, &text);
        }
    }
}

const COLUMNS: usize = 5;
const PEER: usize = 0;
const TAG: usize = 1;
const LENGTH: usize = 2;
const STATUS: usize = 3;
const DETAILS: usize = 4;

/// A line of a queue's table.
struct Row {
    cells: [String; COLUMNS],
    /// About the message that matched, on a line of its own.
    message: Option<String>,
    /// The process waits for it.
    awaited: bool,
    /// Matched or complete.
    advanced: bool,
    /// How many operations in a row look like this.
    times: usize,
    /// The lowest and the highest tag; `None` for any tag.
    tags: Option<(i64, i64)>,
    /// The shortest and the longest length; `None` if one is not known.
    lengths: Option<(i64, i64)>,
}

/// In a table of a queue with more rows than this, similar rows are put together.
const ROWS: usize = 30;

/// What the operations of a row have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Common {
    /// Peer and status.
    Peer,
    /// The status.
    Status,
}

/// Makes one row of adjacent rows that look the same, and counts them.
fn equal(rows: impl Iterator<Item = Row>) -> Vec<Row> {
    let mut folded: Vec<Row> = Vec::new();
    for row in rows {
        match folded.last_mut() {
            Some(last)
                if (&last.cells, &last.message, last.awaited)
                    == (&row.cells, &row.message, row.awaited) =>
            {
                last.times += 1
            }
            _ => folded.push(row),
        }
    }
    folded
}

/// Makes one row of all rows that have something in common, in the order of the first ones.
fn together(rows: Vec<Row>, common: Common) -> Vec<Row> {
    let mut made: Vec<(Row, usize)> = Vec::new();
    let mut known = HashMap::new();
    for row in rows {
        let peer = (common == Common::Peer).then(|| row.cells[PEER].clone());
        let key = (peer, row.cells[STATUS].clone(), row.awaited, row.tags.is_none());
        match known.get(&key) {
            None => {
                known.insert(key, made.len());
                made.push((row, 1));
            }
            Some(index) => {
                let (into, rows): &mut (Row, usize) = &mut made[*index];
                into.take(row);
                *rows += 1;
            }
        }
    }
    let several = made.into_iter().map(|(mut row, rows)| {
        if common == Common::Status && rows > 1 {
            let word = row.cells[PEER].split(' ').next().unwrap_or_default();
            row.cells[PEER] = format!("{word} {rows} peers");
        }
        row
    });
    several.collect()
}

impl Row {
    /// Takes another row in.
    fn take(&mut self, other: Row) {
        self.times += other.times;
        self.tags = self.tags.zip(other.tags).map(|(own, other)| join(own, other));
        self.lengths = self.lengths.zip(other.lengths).map(|(own, other)| join(own, other));
        self.message = None;
        if let Some((lowest, highest)) = self.tags.filter(|(lowest, highest)| lowest < highest) {
            self.cells[TAG] = format!("tags {lowest} to {highest}");
        }
        match self.lengths {
            Some((least, most)) if least < most => {
                self.cells[LENGTH] = format!("{least} to {}", bytes(most));
            }
            None if self.cells[LENGTH] != other.cells[LENGTH] => {
                self.cells[LENGTH] = "not all lengths known".to_owned();
            }
            _ => {}
        }
        if self.cells[DETAILS] != other.cells[DETAILS] {
            self.cells[DETAILS].clear();
        }
    }
}

/// The smallest range that has both.
fn join(one: (i64, i64), other: (i64, i64)) -> (i64, i64) {
    (one.0.min(other.0), one.1.max(other.1))
}

/// The status of an operation; empty for a pending unexpected message.
fn status(queue: Queue, operation: &Operation) -> String {
    if queue == Queue::Unexpected && operation.status == Status::Pending {
        return String::new();
    }
    operation.status.to_string()
}

/// What is known of the message that matched a receive beyond the call's arguments.
fn message(operation: &Operation) -> Option<String> {
    let mut facts = Vec::new();
    // A cancelled receive has a message from nobody.
    if let Some(rank) = operation
        .actual_local_rank
        .filter(|rank| *rank >= 0 && *rank != operation.desired_local_rank)
    {
        facts.push(format!("from {}", rank_text(rank, operation.actual_global_rank)));
    }
    if let Some(tag) = operation.actual_tag.filter(|tag| Some(*tag) != operation.desired_tag) {
        facts.push(format!("tag {tag}"));
    }
    if let Some(length) =
        operation.actual_length.filter(|length| *length != operation.desired_length)
    {
        let too_long =
            if length > operation.desired_length { ", more than the buffer holds" } else { "" };
        facts.push(format!("of {}{too_long}", bytes(length)));
    }
    (!facts.is_empty()).then(|| facts.join(", "))
}

fn are_on_several_hosts(report: &Report) -> bool {
    let mut hosts = report.processes.iter().filter_map(|process| process.host.as_deref());
    let first = hosts.next();
    hosts.any(|host| Some(host) != first)
}

fn title(process: &Process, with_host: bool) -> String {
    let mut parts =
        vec![process.rank.map_or("rank unknown".to_owned(), |rank| format!("rank {rank}"))];
    let host = process.host.as_deref().filter(|_| with_host);
    let on = host.map_or_else(String::new, |host| format!(" on {}", printable(host)));
    parts.extend(process.pid.map(|pid| format!("pid {pid}{on}")));
    parts.extend(process.executable.as_deref().map(printable));
    parts.extend(process.core.as_deref().map(|core| format!("core file {}", printable(core))));
    parts.join(", ")
}

/// The collective operations that a process is in.
fn active(communicator: &Communicator) -> Option<String> {
    let active = communicator.collectives.iter().flatten().filter(|collective| collective.active);
    let described = active.map(|Collective { function, calls, .. }| match calls {
        Some(calls) => format!("{} (call {calls})", printable(function)),
        None => printable(function),
    });
    let described: Vec<_> = described.collect();
    (!described.is_empty()).then(|| format!("in {}", described.join(", ")))
}

/// How many of the processes with errors were read in part.
fn partial(failed: &[&Process]) -> usize {
    failed.iter().filter(|process| !process.communicators.is_empty()).count()
}
