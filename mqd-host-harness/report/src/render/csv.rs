//! CSV: one row for each operation.

use std::borrow::Cow;

use serde::Serialize;

use crate::escape;
use crate::model::{Address, Operation, Queue, Report, Status, Text};

/// A row. Names and meanings of the operation's fields are those of the JSON contract; null is an
/// empty field.
#[derive(Serialize)]
struct Row<'a> {
    rank: Option<i64>,
    pid: Option<u32>,
    communicator: Cow<'a, str>,
    communicator_id: Address,
    queue: &'static str,
    status: Status,
    desired_local_rank: i64,
    desired_global_rank: Option<i64>,
    tag_wild: bool,
    desired_tag: Option<i64>,
    desired_length: i64,
    system_buffer: bool,
    buffer: Address,
    actual_local_rank: Option<i64>,
    actual_global_rank: Option<i64>,
    actual_tag: Option<i64>,
    actual_length: Option<i64>,
    awaited: Option<bool>,
    extra_text: String,
}

const COLUMNS: [&str; 19] = [
    "rank",
    "pid",
    "communicator",
    "communicator_id",
    "queue",
    "status",
    "desired_local_rank",
    "desired_global_rank",
    "tag_wild",
    "desired_tag",
    "desired_length",
    "system_buffer",
    "buffer",
    "actual_local_rank",
    "actual_global_rank",
    "actual_tag",
    "actual_length",
    "awaited",
    "extra_text",
];

/// The operations of the report as comma-separated values with a header line. The lines of
/// `extra_text` are joined by `" | "`.
///
/// The table has no column for errors. The caller shows them elsewhere.
pub fn csv(report: &Report) -> String {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    let written = (|| -> csv::Result<()> {
        writer.write_record(COLUMNS)?;
        for process in &report.processes {
            for (communicator, queue, operation) in process.operations() {
                writer.serialize(Row {
                    rank: process.rank,
                    pid: process.pid,
                    communicator: escape::cell(&communicator.name),
                    communicator_id: communicator.unique_id,
                    ..row(queue, operation)
                })?;
            }
        }
        Ok(())
    })();
    written.expect("rows of equal length go into memory");
    let bytes = writer.into_inner().expect("memory needs no flushing");
    String::from_utf8(bytes).expect("every field is UTF-8")
}

fn row(queue: Queue, operation: &Operation) -> Row<'static> {
    let lines: Vec<&str> = operation.extra_text.iter().map(Text::as_str).collect();
    Row {
        rank: None,
        pid: None,
        communicator: "".into(),
        communicator_id: Address(0),
        queue: queue.field(),
        status: operation.status,
        desired_local_rank: operation.desired_local_rank,
        desired_global_rank: operation.desired_global_rank,
        tag_wild: operation.tag_wild,
        desired_tag: operation.desired_tag,
        desired_length: operation.desired_length,
        system_buffer: operation.system_buffer,
        buffer: operation.buffer,
        actual_local_rank: operation.actual_local_rank,
        actual_global_rank: operation.actual_global_rank,
        actual_tag: operation.actual_tag,
        actual_length: operation.actual_length,
        awaited: operation.awaited,
        extra_text: escape::cell(&lines.join(" | ")).into_owned(),
    }
}
