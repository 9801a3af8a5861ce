//! `mqd capture`: reads processes and writes a snapshot.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use super::args::Capture as Args;
use super::exit::Exit;
use super::output::{Output, complain};
use super::read::{Reading, read};
use mqd_host::capture::Capture;
use mqd_host::snapshot::{Head, Writer};
use mqd_host::walk::Limits;
use mqd_report::Report;

pub(super) fn run(args: &Args) -> Result<Exit, Exit> {
    if args.internal {
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("MQD_INTERNAL", "1") };
    }
    let cannot_write =
        |error: io::Error| complain(&format!("cannot write {}: {error}", args.output.display()));
    let destination = Destination::open(&args.output).map_err(|error| {
        cannot_write(error);
        Exit::Usage
    })?;
    let reading = read(&args.targets, args.options(), |_| true)?;
    reading.tell(true, false);
    if reading.all_failed() {
        return Err(reading.exit);
    }
    let exit = reading.exit;
    let processes = reading.outcomes.len();
    let written = write(args, &destination, reading).and_then(|()| destination.keep());
    let size = written.map_err(|error| {
        cannot_write(error);
        Exit::Output
    })?;
    let text = match processes {
        1 => format!("{}: 1 process, {size} bytes\n", args.output.display()),
        _ => format!("{}: {processes} processes, {size} bytes\n", args.output.display()),
    };
    Ok(Output::open(None, clap::ColorChoice::Never)?.write(&text, exit))
}

fn write(args: &Args, destination: &Destination, reading: Reading) -> io::Result<()> {
    let keep = args.keep();
    // The processes of a snapshot may have been captured before.
    let captured = reading.outcomes.iter().map(|outcome| outcome.captured).max().unwrap_or(0);
    let head = Head { tool: Report::new(Vec::new()).tool, captured, redacted: keep.redact };
    let total = u32::try_from(reading.outcomes.len()).map_err(io::Error::other)?;
    let mut writer = Writer::new(BufWriter::new(&destination.file), &head, total)?;
    let mut capture = Capture::new(keep, Limits::default(), args.options().workers);
    for outcome in reading.outcomes {
        writer.add(capture.entry(outcome))?;
    }
    writer.finish().map(drop)
}

/// A file that gets its name when it is complete, because it may replace the file that is read.
struct Destination<'a> {
    path: &'a Path,
    /// Its name until then. None for a pipe or a device.
    part: Option<PathBuf>,
    file: File,
}

impl Destination<'_> {
    /// Called before any process is stopped, so that a wrong path does not cost a capture.
    fn open(path: &Path) -> io::Result<Destination<'_>> {
        if path.metadata().is_ok_and(|known| !known.is_file()) {
            return Ok(Destination {
                path,
                part: None,
                file: File::options().write(true).open(path)?,
            });
        }
        let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
        name.push(format!(".{}", std::process::id()));
        let part = path.with_file_name(name);
        Ok(Destination { path, file: File::create_new(&part)?, part: Some(part) })
    }

    /// Gives it its name. The result is its size.
    fn keep(mut self) -> io::Result<u64> {
        if let Some(part) = &self.part {
            fs::rename(part, self.path)?;
            self.part = None;
        }
        Ok(self.file.metadata()?.len())
    }
}

impl Drop for Destination<'_> {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            // A failure cannot be handled here.
            let _ = fs::remove_file(part);
        }
    }
}
