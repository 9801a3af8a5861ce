//! `mqd capture`: reads processes and writes a snapshot.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use super::args::Capture as Args;
use super::destination::Destination;
use super::exit::Exit;
use super::output::{complain, print};
use super::read::{Reading, Source};
use super::requests;
use mqd_host::capture::{Capture, Keep};
use mqd_host::job::this_host;
use mqd_host::request::Workers;
use mqd_host::snapshot::{Head, Writer};
use mqd_host::walk::Limits;
use mqd_report::Report;

pub(super) fn run(args: &Args) -> Result<Exit, Exit> {
    // Somebody who reads the snapshot again may ask for the library's own operations, as `mqd
    // check` does.
    if args.internal || !args.report_only {
        match args.internal {
            true => requests::internal(),
            false => requests::internal_where_kept(),
        }
    }
    // `mqd doctor` asks for them, of a snapshot too.
    requests::transports();
    let cannot_write =
        |error: io::Error| complain(&format!("cannot write {}: {error}", args.output.display()));
    let path = named(&args.output);
    let destination = Destination::open(&path).map_err(|error| {
        cannot_write(error);
        Exit::Usage
    })?;
    let reading = Source::new(&args.targets, args.options(), args.keep(), &|_| true).read()?;
    reading.tell(true, false);
    if reading.all_failed() {
        return Err(reading.exit);
    }
    let exit = reading.exit;
    let processes = reading.outcomes.len();
    let workers = args.options().workers;
    let written = write(args.keep(), workers, &destination, reading);
    let written = written.and_then(|()| destination.keep());
    let size = written.map_err(|error| {
        cannot_write(error);
        Exit::Output
    })?;
    // Nothing may follow a snapshot on standard output.
    let Some(size) = size else { return Ok(exit) };
    let text = match processes {
        1 => format!("{}: 1 process, {size} bytes\n", path.display()),
        _ => format!("{}: {processes} processes, {size} bytes\n", path.display()),
    };
    Ok(print(&text, exit))
}

/// The file of the snapshot. In a directory, its name is one that no other process of a job uses.
fn named(output: &Path) -> PathBuf {
    if output.is_dir() {
        output.join(format!("{}-{}.mqd", this_host(), std::process::id()))
    } else {
        output.to_owned()
    }
}

/// Writes a snapshot of what was read.
///
/// # Errors
/// It cannot be written.
pub(super) fn write(
    keep: Keep,
    workers: Option<Workers>,
    destination: &Destination,
    reading: Reading,
) -> io::Result<()> {
    // The processes of a snapshot may have been captured before.
    let captured = reading.outcomes.iter().map(|outcome| outcome.captured).max().unwrap_or(0);
    let head = Head { tool: Report::new(Vec::new()).tool, captured, redacted: keep.redact };
    let total = u32::try_from(reading.outcomes.len()).map_err(io::Error::other)?;
    let mut writer = Writer::new(BufWriter::new(destination.file()), &head, total)?;
    let mut capture = Capture::new(keep, Limits::default(), workers);
    for outcome in reading.outcomes {
        writer.add(capture.entry(outcome))?;
    }
    writer.finish().map(drop)
}
