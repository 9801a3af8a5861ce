//! CSV: one row for each arrow.

use serde::Serialize;

use super::parts::{Arrow, ArrowKind, Graph, Relation};
use crate::escape;
use crate::model::{Queue, Status};

/// A row; `docs/pictures.md` says what the columns mean.
#[derive(Serialize)]
struct Row {
    from: String,
    to: String,
    kind: &'static str,
    function: String,
    communicator: String,
    communicator_id: String,
    tag: String,
    any_tag: bool,
    status: String,
    count: u64,
    bytes_least: Option<i64>,
    bytes_most: Option<i64>,
    bytes_total: Option<i128>,
    peer: String,
    deadlock: bool,
}

const COLUMNS: [&str; 15] = [
    "from",
    "to",
    "kind",
    "function",
    "communicator",
    "communicator_id",
    "tag",
    "any_tag",
    "status",
    "count",
    "bytes_least",
    "bytes_most",
    "bytes_total",
    "peer",
    "deadlock",
];

/// The arrows of a graph as comma-separated values with a header line. Several things in a field
/// are joined by `" | "`.
pub fn csv(graph: &Graph) -> String {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    let written = (|| -> csv::Result<()> {
        writer.write_record(COLUMNS)?;
        graph.arrows.iter().try_for_each(|arrow| writer.serialize(row(graph, arrow)))
    })();
    written.expect("rows of equal length go into memory");
    let bytes = writer.into_inner().expect("memory needs no flushing");
    String::from_utf8(bytes).expect("every field is UTF-8")
}

fn row(graph: &Graph, arrow: &Arrow) -> Row {
    let place = |node: usize| {
        let node = &graph.nodes[node];
        if node.ranks.is_empty() {
            escape::cell(&node.name).into_owned()
        } else {
            node.ranks.to_string()
        }
    };
    let (kind, function) = match &arrow.what {
        ArrowKind::Queue(Queue::Sends) => ("send", ""),
        ArrowKind::Queue(Queue::Receives) => ("receive", ""),
        ArrowKind::Queue(Queue::Unexpected) => ("unexpected", ""),
        ArrowKind::Collective(function) => ("collective", function.as_str()),
    };
    Row {
        from: place(arrow.from),
        to: place(arrow.to),
        kind,
        function: escape::cell(function).into_owned(),
        communicator: escape::cell(&joined(&arrow.communicators)).into_owned(),
        communicator_id: joined(&arrow.ids),
        tag: arrow.tags().to_string(),
        any_tag: arrow.any_tag,
        status: joined(arrow.statuses.iter().map(Status::to_string)),
        count: arrow.count,
        bytes_least: arrow.bytes.map(|bytes| bytes.0),
        bytes_most: arrow.bytes.map(|bytes| bytes.1),
        bytes_total: arrow.bytes.map(|bytes| bytes.2),
        peer: match arrow.relation {
            Relation::Rank(rank) => rank.to_string(),
            Relation::Offset(distance) => format!("rank{distance:+}"),
            Relation::Local(local) => format!("local {local}"),
            Relation::AnySource => "any source".to_owned(),
            Relation::Several => String::new(),
        },
        deadlock: arrow.deadlock,
    }
}

fn joined<T: ToString>(things: impl IntoIterator<Item = T>) -> String {
    things.into_iter().map(|thing| thing.to_string()).collect::<Vec<_>>().join(" | ")
}
