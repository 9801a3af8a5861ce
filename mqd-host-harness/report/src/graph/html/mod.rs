//! The report as one HTML file: picture, diagnosis, operations with filters, and what moved between
//! looks. It loads nothing and runs without a network.

mod stacks;
mod table;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::table::Table;
use super::parts::{Arrow, ArrowKind, Graph, GraphOptions, Node, NodeKind};
use super::runs::Runs;
use super::svg;
use crate::changes::{Changes, Look, ProcessChanges, Tracker};
use crate::check::{Diagnosis, Finding, Place, Ranks, Severity, Verdict};
use crate::escape::printable;
use crate::model::{Problem, Process, Queue, Report};
use crate::words::{count, counted, duration_text, short_title, time_text, total};

/// Lists longer than this are cut, and say so.
const LONGEST: usize = 100;
/// Where the whole list is.
const IN_CHECK: &str = "`mqd check` has all of them";
/// The same for the operations of one process between two looks.
const MOVED: usize = 10;

/// What the buttons above the picture do, as `page.js` calls it, and their texts.
const VIEWS: [(&str, &str); 4] = [
    ("deadlock", "The deadlock"),
    ("everything", "Everything"),
    ("larger", "Larger"),
    ("smaller", "Smaller"),
];

/// The page of one or several looks at a job, the last one in full; the diagnosis is that of the
/// last look.
///
/// # Panics
/// If there is no look.
pub fn html(looks: &[Look], diagnosis: Option<&Diagnosis>, options: &GraphOptions) -> String {
    let mut tracker = Tracker::default();
    let changes: Vec<Changes> =
        looks.iter().map(|look| tracker.look(look.at, &look.report)).collect();
    let (last, moved) = looks.last().zip(changes.last()).expect("one look at least");
    let report = &last.report;
    let graph = Graph::new(report, diagnosis, options);
    let about = |rank: i64| {
        diagnosis.is_some_and(|diagnosis| {
            diagnosis.findings.iter().any(|finding| finding.ranks.contains(rank))
        })
    };
    let ages = if looks.len() > 1 { moved.ages.as_slice() } else { &[] };
    let table = Table::new(report, &graph, ages, about);
    let title = title(report);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'; \
                             script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
                title { (title) }
                style { (PreEscaped(svg::STYLE)) (PreEscaped(include_str!("page.css"))) }
            }
            body {
                a.skip href="#operations" { "Skip to the operations" }
                header {
                    h1 { (title) }
                    p { (facts(last, table.all)) }
                }
                main {
                    (diagnosis_section(diagnosis, &graph))
                    (picture_section(&graph, &title))
                    (stacks::section(report))
                    @if looks.len() > 1 { (timeline_section(looks, &changes)) }
                    (operations_section(&table, looks.len() > 1))
                    (ranks_section(report, &graph))
                }
                footer {
                    p {
                        "Written by mqd " (env!("CARGO_PKG_VERSION"))
                        ". This file is complete in itself: it loads nothing."
                    }
                }
                script #data type="application/json" { (PreEscaped(table.json())) }
                script { (PreEscaped(include_str!("page.js"))) }
            }
        }
    };
    let mut text = page.into_string();
    text.push('\n');
    text
}

fn title(report: &Report) -> String {
    let executable = report.processes.iter().find_map(|process| process.executable.as_deref());
    let program = executable.map(|path| path.rsplit('/').next().unwrap_or(path));
    program.map_or("What the job is waiting for".to_owned(), |program| {
        format!("What {} is waiting for", printable(program))
    })
}

fn facts(look: &Look, operations: usize) -> String {
    let processes = count(look.report.processes.len(), "process", "processes");
    let operations = count(operations, "operation", "operations");
    match look.at {
        Some(at) => format!("{processes}, {operations}, seen at {}", time_text(at)),
        None => format!("{processes}, {operations}"),
    }
}

fn diagnosis_section(diagnosis: Option<&Diagnosis>, graph: &Graph) -> Markup {
    html! {
        section aria-labelledby="diagnosis" {
            h2 #diagnosis { "Diagnosis" }
            @match diagnosis {
                None => { p { "There is no diagnosis." } }
                Some(diagnosis) => {
                    @let (class, words) = verdict(diagnosis.verdict);
                    p class={ "verdict " (class) } {
                        strong { (words) } " " (printable(&diagnosis.reason))
                    }
                    @for (index, finding) in diagnosis.findings.iter().take(LONGEST).enumerate() {
                        (finding_article(index, finding, graph))
                    }
                    (cut(diagnosis.findings.len(), LONGEST, "findings", IN_CHECK))
                    @if !diagnosis.missing.is_empty() {
                        h3 { "What the picture lacks" }
                        ul {
                            @for sentence in diagnosis.missing.iter().take(LONGEST) {
                                li { (printable(sentence)) }
                            }
                        }
                        (cut(diagnosis.missing.len(), LONGEST, "remarks", IN_CHECK))
                    }
                    (places(&diagnosis.places))
                }
            }
        }
    }
}

fn places(places: &[Place]) -> Markup {
    html! {
        @if !places.is_empty() {
            ul.places {
                @for place in places {
                    li { (runs_text(&place.ranks)) ": " (printable(&place.text)) }
                }
            }
        }
    }
}

fn verdict(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Deadlocked => ("deadlocked", "Deadlocked:"),
        Verdict::NotDeadlocked => ("moving", "Not deadlocked:"),
        Verdict::Insufficient => ("unclear", "No verdict:"),
    }
}

fn finding_article(index: usize, finding: &Finding, graph: &Graph) -> Markup {
    let severity = match finding.severity {
        Severity::Error => ("error", "Error"),
        Severity::Warning => ("warning", "Warning"),
        Severity::Note => ("note", "Note"),
    };
    let number = index + 1;
    let nodes: Vec<usize> = (0..graph.nodes.len())
        .filter(|node| graph.nodes[*node].ranks.meets(&finding.ranks))
        .collect();
    let arrows = |arrow: &Arrow| {
        if finding.waits.is_empty() {
            nodes.contains(&arrow.owner())
        } else {
            arrow.deadlock && nodes.contains(&arrow.from)
        }
    };
    let arrows = (0..graph.arrows.len())
        .filter(|index| arrows(&graph.arrows[*index]))
        .map(|index| index.to_string());
    let arrows = arrows.collect::<Vec<_>>().join(" ");
    let nodes_text = nodes.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    html! {
        article class={ "finding " (severity.0) } id={ "finding-" (number) }
            aria-labelledby={ "finding-" (number) "-title" } {
            h3 id={ "finding-" (number) "-title" } {
                span.severity { (severity.1) } " " (printable(&finding.title))
            }
            @if !finding.waits.is_empty() {
                ol {
                    @for wait in finding.waits.iter().take(LONGEST) {
                        li { (printable(&wait.text)) }
                    }
                }
                (cut(finding.waits.len(), LONGEST, "waits", IN_CHECK))
            }
            @if !finding.waiting.is_empty() { p { (waiting(&finding.waiting)) } }
            @for sentence in finding.evidence.iter().take(LONGEST) { p { (printable(sentence)) } }
            (cut(finding.evidence.len(), LONGEST, "sentences", IN_CHECK))
            (places(&finding.places))
            @if !finding.advice.is_empty() {
                p { strong { "What to do: " } (printable(&finding.advice)) }
            }
            p.actions {
                @if !nodes.is_empty() {
                    button type="button" aria-pressed="false" data-finding=(number)
                        data-nodes=(nodes_text) data-arrows=(arrows) { "Show in the picture" }
                }
                @let filter = finding.ranks.iter().collect::<Runs>().filter();
                @if let Some(filter) = filter.filter(|filter| !filter.is_empty()) {
                    a href={ "#rank=" (filter) } { "Show the operations of its ranks" }
                }
            }
        }
    }
}

/// `rank 3`, `ranks 0-3,7`; of many runs the first ones.
fn runs_text(ranks: &Ranks) -> String {
    let runs: Runs = ranks.iter().collect();
    format!("{} {}", if ranks.len() == 1 { "rank" } else { "ranks" }, runs.shortened(8))
}

fn waiting(ranks: &Ranks) -> String {
    let runs: Runs = ranks.iter().collect();
    match ranks.len() {
        1 => format!("Rank {runs} waits for them too, directly or through others."),
        _ => format!("Ranks {} wait for them too, directly or through others.", runs.shortened(8)),
    }
}

impl Arrow {
    /// The node whose operation it is.
    fn owner(&self) -> usize {
        if self.what == ArrowKind::Queue(Queue::Unexpected) { self.to } else { self.from }
    }
}

fn picture_section(graph: &Graph, title: &str) -> Markup {
    html! {
        section aria-labelledby="picture" {
            h2 #picture { "Picture" }
            figure {
                p.view-buttons {
                    @for (what, words) in VIEWS {
                        button type="button" data-view=(what) hidden { (words) }
                    }
                }
                div.view tabindex="0" role="region" aria-label="The picture" {
                    (svg::picture(graph, title, false))
                }
                p.hint {
                    "Drag the picture to move it. Ctrl and the wheel, or + and -, scale it; 0 \
                     shows everything. A node leads to the operations of its ranks."
                }
                @if !graph.remarks.is_empty() {
                    figcaption { @for remark in &graph.remarks { p { (remark) } } }
                }
            }
        }
    }
}

fn timeline_section(looks: &[Look], changes: &[Changes]) -> Markup {
    html! {
        section aria-labelledby="timeline" {
            h2 #timeline { "What moved" }
            div.scroll tabindex="0" role="region" aria-label="Looks at the job" {
                table {
                    caption {
                        "Each look at the job, compared with the one before. Gone: completed by \
                         the program, or for an unexpected message matched by a receive."
                    }
                    (head(&[
                        "Look", "Time", "After", "New", "Gone", "Matched or complete",
                        "Messages sent", "Ranks moved",
                    ]))
                    tbody {
                        @for (number, (look, changes)) in looks.iter().zip(changes).enumerate() {
                            tr {
                                th scope="row" { (number + 1) }
                                td { (look.at.map_or_else(|| "not known".to_owned(), time_text)) }
                                td { (changes.since.map_or_else(String::new, duration_text)) }
                                @if changes.first {
                                    td colspan="5" { "The first look" }
                                } @else {
                                    @let sum = |count: fn(&ProcessChanges) -> usize| {
                                        changes.processes.iter().map(count).sum::<usize>()
                                    };
                                    td { (sum(|process| process.new.len())) }
                                    td { (sum(|process| process.gone.len())) }
                                    td { (sum(|process| process.advanced.len())) }
                                    td { (messages(changes)) }
                                    td { (changes.processes.len()) " of "
                                        (look.report.processes.len()) }
                                }
                            }
                        }
                    }
                }
            }
            @for (number, (look, changes)) in looks.iter().zip(changes).enumerate().skip(1) {
                h3 {
                    "Look " (number + 1)
                    @if let Some(since) = changes.since { ", " (duration_text(since)) " later" }
                }
                @if changes.processes.is_empty() { p { "Nothing moved." } } @else {
                    ul.moves {
                        @for process in changes.processes.iter().take(LONGEST) {
                            li {
                                strong { (short_title(&look.report.processes[process.process])) }
                                ul { @for line in process.lines(MOVED) { li { (line) } } }
                            }
                        }
                    }
                    (cut(changes.processes.len(), LONGEST, "ranks that moved",
                        "`mqd watch` shows them as they move"))
                }
            }
        }
    }
}

/// How many messages were sent, if that is counted.
fn messages(changes: &Changes) -> String {
    let sent: Vec<i64> = changes
        .processes
        .iter()
        .filter_map(|process| process.messages)
        .map(|(sent, _)| sent)
        .collect();
    if sent.is_empty() { "not counted".to_owned() } else { sent.iter().sum::<i64>().to_string() }
}

fn operations_section(table: &Table, ages: bool) -> Markup {
    let mut heads = vec!["Rank", "Queue", "Peer", "Communicator", "Tag", "Bytes", "Status"];
    heads.extend(ages.then_some("Seen for"));
    heads.push("Details");
    html! {
        section aria-labelledby="operations" {
            h2 #operations tabindex="-1" { "Operations" }
            form #filters aria-label="Filters" {
                div {
                    label for="filter-rank" { "Ranks" }
                    input #filter-rank name="rank" autocomplete="off" placeholder="0-3,8";
                }
                div {
                    label for="filter-comm" { "Communicator" }
                    select #filter-comm name="comm" {
                        option value="" { "all" }
                        @for name in &table.communicators { option value=(name) { (name) } }
                    }
                }
                div {
                    label for="filter-queue" { "Queue" }
                    select #filter-queue name="queue" {
                        option value="" { "all" }
                        option value="sends" { "pending sends" }
                        option value="receives" { "pending receives" }
                        option value="unexpected" { "unexpected messages" }
                    }
                }
                div {
                    label for="filter-tag" { "Tags" }
                    input #filter-tag name="tag" autocomplete="off" placeholder="7,10-19"
                        aria-describedby="tag-hint";
                }
                div {
                    label for="filter-text" { "Text" }
                    input #filter-text name="text" type="search" autocomplete="off";
                }
                div { button type="reset" { "All operations" } }
            }
            p.hint #tag-hint {
                "A receive with MPI_ANY_TAG can match any tag, and is shown with each. The \
                 address of this page keeps the filters."
            }
            @if table.len() < table.all {
                p.note {
                    (format!("{} of {} operations are in this file: ", table.len(), table.all))
                    "those of the ranks that the diagnosis is about, then of some ranks of each \
                     node of the picture. "
                    code { "mqd dump --format csv" } " has all of them."
                }
            }
            p role="status" #shown {}
            noscript {
                p.note {
                    "The table takes JavaScript. " code { "mqd dump" } " shows the same as text."
                }
            }
            div.scroll tabindex="0" role="region" aria-label="The operations" {
                table #table data-ages=(ages) {
                    caption.hidden {
                        "Pending sends, pending receives and unexpected messages of each rank"
                    }
                    (head(&heads))
                    tbody {}
                }
            }
            p { button #more type="button" hidden { "Show more" } }
        }
    }
}

fn ranks_section(report: &Report, graph: &Graph) -> Markup {
    let own = graph.nodes.iter().filter(|node| {
        matches!(node.kind, NodeKind::Ranks | NodeKind::Unreadable | NodeKind::Rest)
    });
    html! {
        section aria-labelledby="ranks" {
            h2 #ranks { "Ranks" }
            div.scroll tabindex="0" role="region" aria-label="The ranks" {
                table {
                    caption.hidden {
                        "The ranks as the picture has them, and what they have pending"
                    }
                    (head(&["Ranks", "State", "Process", "Pending"]))
                    tbody { @for node in own { (rank_row(report, node)) } }
                }
            }
            @let failed: Vec<&Process> = failed(report);
            @if !failed.is_empty() {
                h3 { "Not read, or not completely" }
                ul {
                    @for process in failed.iter().take(LONGEST) {
                        li {
                            strong { (short_title(process)) } ": "
                            (printable(&Problem::one_line(&process.errors)))
                        }
                    }
                }
                (cut(failed.len(), LONGEST, "processes", "`mqd dump` names all of them"))
            }
        }
    }
}

fn rank_row(report: &Report, node: &Node) -> Markup {
    let processes = || node.processes.iter().map(|process| &report.processes[*process]);
    let pending: Vec<String> = Queue::ALL
        .into_iter()
        .map(|queue| (queue, total(processes(), queue)))
        .filter(|(queue, text)| *text != counted(&[], *queue))
        .map(|(_, text)| text)
        .collect();
    let pending = if pending.is_empty() && node.kind != NodeKind::Unreadable {
        "nothing".to_owned()
    } else {
        pending.join(", ")
    };
    let process = match (node.processes.as_slice(), processes().next()) {
        ([_], Some(Process { core: Some(core), .. })) => format!("core file {}", printable(core)),
        ([_], Some(Process { pid: Some(pid), .. })) => format!("pid {pid}"),
        (several, _) => count(several.len(), "process", "processes"),
    };
    html! {
        tr {
            th scope="row" {
                @if node.ranks.is_empty() { (node.name) } @else { (node.ranks.shortened(20)) }
            }
            td { (node.facts().join(", ")) }
            td { (process) }
            td { (pending) }
        }
    }
}

/// Says that a list has been cut, if it has.
fn cut(all: usize, most: usize, what: &str, where_else: &str) -> Markup {
    html! {
        @if all > most { p.note { (most) " of " (all) " " (what) " are shown; " (where_else) "." } }
    }
}

/// The head of a table.
fn head(columns: &[&str]) -> Markup {
    html! {
        thead {
            tr {
                @for column in columns {
                    th.number[matches!(*column, "Tag" | "Bytes")] scope="col" { (column) }
                }
            }
        }
    }
}

/// The processes that were not read, or not completely.
fn failed(report: &Report) -> Vec<&Process> {
    report.processes.iter().filter(|process| !process.errors.is_empty()).collect()
}
