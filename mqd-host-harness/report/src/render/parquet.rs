//! Parquet: the report as tables for engines that query large jobs, or many reports at once.
//! `docs/parquet.md` describes the columns.

use std::io::Write;

use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::record::RecordWriter;
use parquet::schema::types::TypePtr;
use parquet_derive::ParquetRecordWriter;

use crate::model::{Communicator, Frame, Operation, Process, Queue, Stack, Text};

/// The most rows of a row group.
pub const ROWS: usize = 1 << 17;

/// One of the tables that a report becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// A row for each process.
    Processes,
    /// A row for each communicator of each process.
    Communicators,
    /// A row for each operation of each queue.
    Operations,
    /// A row for each frame of each call stack.
    Stacks,
}

/// A table could not be written.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct TableError(#[from] ParquetError);

impl Table {
    /// All of them.
    pub const ALL: [Table; 4] =
        [Table::Processes, Table::Communicators, Table::Operations, Table::Stacks];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Table::Processes => "processes",
            Table::Communicators => "communicators",
            Table::Operations => "operations",
            Table::Stacks => "stacks",
        }
    }
}

/// A table that is written part by part. It takes the memory of a row group.
pub struct TableWriter<W: Write + Send> {
    table: Table,
    out: SerializedFileWriter<W>,
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a table.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(table: Table, out: W) -> Result<TableWriter<W>, TableError> {
        let schema = match table {
            Table::Processes => schema::<ProcessRow<'_>>(),
            Table::Communicators => schema::<CommunicatorRow<'_>>(),
            Table::Operations => schema::<OperationRow<'_>>(),
            Table::Stacks => schema::<FrameRow<'_>>(),
        };
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(parquet::basic::ZstdLevel::default()))
            .set_created_by(concat!("mqd ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        Ok(TableWriter { table, out: SerializedFileWriter::new(out, schema?, properties.into())? })
    }

    /// Writes the rows of some processes, as row groups of their own.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn write(&mut self, processes: &[Process]) -> Result<(), TableError> {
        let processes = processes.iter();
        match self.table {
            Table::Processes => self.rows(processes.map(process)),
            Table::Communicators => self.rows(processes.flat_map(communicators)),
            Table::Operations => self.rows(processes.flat_map(operations)),
            Table::Stacks => self.rows(processes.flat_map(stacks)),
        }
    }

    fn rows<T>(&mut self, mut rows: impl Iterator<Item = T>) -> Result<(), TableError>
    where
        for<'a> &'a [T]: RecordWriter<T>,
    {
        loop {
            let group: Vec<T> = rows.by_ref().take(ROWS).collect();
            if group.is_empty() {
                return Ok(());
            }
            let mut columns = self.out.next_row_group()?;
            group.as_slice().write_to_row_group(&mut columns)?;
            columns.close()?;
        }
    }

    /// Ends the table.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> Result<(), TableError> {
        self.out.close()?;
        Ok(())
    }
}

fn schema<T>() -> Result<TypePtr, ParquetError>
where
    for<'a> &'a [T]: RecordWriter<T>,
{
    let none: &[T] = &[];
    none.schema()
}

#[derive(ParquetRecordWriter)]
struct ProcessRow<'a> {
    rank: Option<i64>,
    pid: Option<u32>,
    host: Option<&'a str>,
    launcher: Option<&'a str>,
    job: Option<&'a str>,
    core: Option<&'a str>,
    executable: Option<&'a str>,
    library: Option<&'a str>,
    dll_version: Option<&'a str>,
    function: Option<&'a str>,
    needed: Option<i64>,
    concurrent: Option<bool>,
    stopped: bool,
    known: bool,
    source_file: Option<&'a str>,
    source_line: Option<u32>,
    errors: String,
}

fn process(process: &Process) -> ProcessRow<'_> {
    let activity = process.activity.as_ref();
    let line = process.line();
    let errors: Vec<String> = process.errors.iter().map(ToString::to_string).collect();
    ProcessRow {
        rank: process.rank,
        pid: process.pid,
        host: process.host.as_deref(),
        launcher: process.job.as_ref().map(|job| &*job.launcher),
        job: process.job.as_ref().map(|job| &*job.name),
        core: process.core.as_deref(),
        executable: process.executable.as_deref(),
        library: process.library.as_deref(),
        dll_version: process.dll_version.as_deref(),
        function: activity.and_then(|activity| activity.function.as_deref()),
        needed: activity.and_then(|activity| activity.needed),
        concurrent: activity.and_then(|activity| activity.concurrent),
        stopped: process.stopped,
        known: activity.is_some(),
        source_file: line.and_then(|frame| frame.file.as_deref()),
        source_line: line.and_then(|frame| frame.line),
        errors: errors.join("\n"),
    }
}

#[derive(ParquetRecordWriter)]
struct CommunicatorRow<'a> {
    rank: Option<i64>,
    pid: Option<u32>,
    host: Option<&'a str>,
    communicator: &'a str,
    communicator_id: u64,
    size: i64,
    local_rank: i64,
    pending_sends: Option<i64>,
    pending_receives: Option<i64>,
    unexpected_messages: Option<i64>,
}

fn communicators(process: &Process) -> impl Iterator<Item = CommunicatorRow<'_>> {
    process.communicators.iter().map(|communicator| CommunicatorRow {
        rank: process.rank,
        pid: process.pid,
        host: process.host.as_deref(),
        communicator: &communicator.name,
        communicator_id: communicator.unique_id.0,
        size: communicator.size,
        local_rank: communicator.local_rank,
        pending_sends: length(communicator, Queue::Sends),
        pending_receives: length(communicator, Queue::Receives),
        unexpected_messages: length(communicator, Queue::Unexpected),
    })
}

/// How long a queue is; none if that is not known.
fn length(communicator: &Communicator, queue: Queue) -> Option<i64> {
    let known = !communicator.not_known.contains(&queue);
    known.then(|| i64::try_from(communicator.queue(queue).len()).unwrap_or(i64::MAX))
}

#[derive(ParquetRecordWriter)]
struct OperationRow<'a> {
    rank: Option<i64>,
    pid: Option<u32>,
    host: Option<&'a str>,
    communicator: &'a str,
    communicator_id: u64,
    queue: &'a str,
    status: String,
    call: Option<&'a str>,
    datatype: Option<&'a str>,
    desired_local_rank: i64,
    desired_global_rank: Option<i64>,
    tag_wild: bool,
    desired_tag: Option<i64>,
    desired_length: i64,
    system_buffer: bool,
    buffer: u64,
    actual_local_rank: Option<i64>,
    actual_global_rank: Option<i64>,
    actual_tag: Option<i64>,
    actual_length: Option<i64>,
    awaited: Option<bool>,
    extra_text: String,
}

fn operations(process: &Process) -> impl Iterator<Item = OperationRow<'_>> {
    process.operations().map(|(communicator, queue, operation)| {
        operation_row(process, communicator, queue, operation)
    })
}

fn operation_row<'a>(
    process: &'a Process,
    communicator: &'a Communicator,
    queue: Queue,
    operation: &'a Operation,
) -> OperationRow<'a> {
    let lines: Vec<&str> = operation.extra_text.iter().map(Text::as_str).collect();
    OperationRow {
        rank: process.rank,
        pid: process.pid,
        host: process.host.as_deref(),
        communicator: &communicator.name,
        communicator_id: communicator.unique_id.0,
        queue: queue.field(),
        status: operation.status.to_string(),
        call: operation.call(),
        datatype: operation.datatype(),
        desired_local_rank: operation.desired_local_rank,
        desired_global_rank: operation.desired_global_rank,
        tag_wild: operation.tag_wild,
        desired_tag: operation.desired_tag,
        desired_length: operation.desired_length,
        system_buffer: operation.system_buffer,
        buffer: operation.buffer.0,
        actual_local_rank: operation.actual_local_rank,
        actual_global_rank: operation.actual_global_rank,
        actual_tag: operation.actual_tag,
        actual_length: operation.actual_length,
        awaited: operation.awaited,
        extra_text: lines.join("\n"),
    }
}

#[derive(ParquetRecordWriter)]
struct FrameRow<'a> {
    rank: Option<i64>,
    pid: Option<u32>,
    host: Option<&'a str>,
    thread: u32,
    in_mpi: Option<bool>,
    complete: bool,
    depth: i64,
    function: Option<&'a str>,
    file: Option<&'a str>,
    line: Option<u32>,
    inlined: bool,
    module: Option<&'a str>,
    offset: Option<u64>,
    address: u64,
}

fn stacks(process: &Process) -> impl Iterator<Item = FrameRow<'_>> {
    process.stacks.iter().flatten().flat_map(move |stack| {
        (0..).zip(&stack.frames).map(move |(depth, frame)| frame_row(process, stack, depth, frame))
    })
}

fn frame_row<'a>(
    process: &'a Process,
    stack: &'a Stack,
    depth: i64,
    frame: &'a Frame,
) -> FrameRow<'a> {
    FrameRow {
        rank: process.rank,
        pid: process.pid,
        host: process.host.as_deref(),
        thread: stack.thread,
        in_mpi: stack.in_mpi,
        complete: stack.complete,
        depth,
        function: frame.function.as_deref(),
        file: frame.file.as_deref(),
        line: frame.line,
        inlined: frame.inlined,
        module: frame.module.as_deref(),
        offset: frame.offset,
        address: frame.address.0,
    }
}
