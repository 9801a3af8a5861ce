//! The operations of a report as data for the page: strings once, numbers for the rest.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use crate::changes::Age;
use crate::changes::age_text;
use crate::escape::printable;
use crate::graph::parts::Graph;
use crate::model::{Communicator, Operation, Queue, Report};
use crate::words::{name, peer_text, short_title};

/// At most so many operations are in a page: a browser has to keep them all.
const MOST: usize = 20_000;

/// What the page's table is made of.
#[derive(Serialize)]
pub(super) struct Table {
    /// Names, peers, details and ages; rows name them by their places.
    texts: Vec<String>,
    rows: Vec<Row>,
    #[serde(skip)]
    pub(super) all: usize,
    #[serde(skip)]
    pub(super) communicators: BTreeSet<String>,
}

/// rank (or what a process without one is called), queue, peer, communicator, tag, bytes, status,
/// details, age
#[derive(Serialize)]
struct Row(Who, Queue, usize, usize, Option<i64>, Option<i64>, usize, usize, usize);

#[derive(Serialize)]
#[serde(untagged)]
enum Who {
    Rank(i64),
    Other(String),
}

impl Table {
    /// A table of all operations, or of as many as there is room for: first those of the ranks that
    /// a diagnosis is about, then those of some ranks of each node.
    pub(super) fn new(
        report: &Report,
        graph: &Graph,
        ages: &[Age],
        about: impl Fn(i64) -> bool,
    ) -> Table {
        let counts: Vec<usize> = report
            .processes
            .iter()
            .map(|process| process.communicators.iter().map(Communicator::operations).sum())
            .collect();
        let begins: Vec<usize> = counts
            .iter()
            .scan(0, |sum, count| Some(std::mem::replace(sum, *sum + count)))
            .collect();
        let mut table = Table {
            texts: Vec::new(),
            rows: Vec::new(),
            all: counts.iter().sum(),
            communicators: BTreeSet::new(),
        };
        let mut texts = Texts::default();
        for process in chosen(report, graph, &counts, about) {
            let of = &report.processes[process];
            let mut ages = ages.get(begins[process]..).unwrap_or_default().iter();
            for communicator in &of.communicators {
                for queue in Queue::ALL {
                    for operation in communicator.queue(queue) {
                        let who = of.rank.map_or_else(|| Who::Other(short_title(of)), Who::Rank);
                        table.rows.push(row(
                            who,
                            communicator,
                            queue,
                            operation,
                            ages.next(),
                            &mut texts,
                        ));
                    }
                }
            }
        }
        // There may be room for only a part of the last process.
        table.rows.truncate(MOST);
        table.communicators = texts.communicators;
        table.texts = texts.all;
        table
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// As the content of a `script` element: nothing in it can end the element.
    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).expect("numbers and strings").replace('<', "\\u003c")
    }
}

/// The processes whose operations are in the table, in the order of the report.
fn chosen(
    report: &Report,
    graph: &Graph,
    counts: &[usize],
    about: impl Fn(i64) -> bool,
) -> Vec<usize> {
    if counts.iter().sum::<usize>() <= MOST {
        return (0..counts.len()).collect();
    }
    let mut place = vec![(0, 0); counts.len()];
    for node in &graph.nodes {
        node.processes
            .iter()
            .enumerate()
            .for_each(|(nth, process)| place[*process] = (nth, *process));
    }
    let mut order: Vec<usize> = (0..counts.len()).filter(|process| counts[*process] > 0).collect();
    // The first of each node, then the second of each, and so on.
    order.sort_by_key(|process| {
        (!report.processes[*process].rank.is_some_and(&about), place[*process])
    });
    let mut room = MOST;
    let mut chosen: Vec<usize> = order
        .into_iter()
        .take_while(|process| {
            let fits = room > 0;
            room = room.saturating_sub(counts[*process]);
            fits
        })
        .collect();
    chosen.sort_unstable();
    chosen
}

fn row(
    who: Who,
    communicator: &Communicator,
    queue: Queue,
    operation: &Operation,
    age: Option<&Age>,
    texts: &mut Texts,
) -> Row {
    let details: Vec<String> =
        operation.lines_beside_length().map(|line| printable(line.trim())).collect();
    let peer = peer_text(queue, operation);
    let status = if operation.awaited == Some(true) {
        format!("{}, waited for", operation.status)
    } else {
        operation.status.to_string()
    };
    let shown = name(communicator);
    texts.communicators.insert(shown.clone());
    Row(
        who,
        queue,
        texts.place(peer),
        texts.place(shown),
        operation.desired_tag,
        operation.length(),
        texts.place(status),
        texts.place(details.join(", ")),
        texts.place(age.map_or_else(String::new, age_text)),
    )
}

/// Each text once.
#[derive(Default)]
struct Texts {
    all: Vec<String>,
    index: HashMap<String, usize>,
    communicators: BTreeSet<String>,
}

impl Texts {
    fn place(&mut self, text: String) -> usize {
        *self.index.entry(text).or_insert_with_key(|text| {
            self.all.push(text.clone());
            self.all.len() - 1
        })
    }
}
