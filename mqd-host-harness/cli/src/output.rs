//! Where output goes, and messages on standard error.

use std::io::{self, Write};
use std::path::Path;

use clap::ColorChoice;

use super::destination::Destination;
use super::exit::Exit;
use mqd_report::escape::printable;

/// Where a report goes: a file, or standard output.
pub(super) struct Output {
    destination: Option<Destination>,
    /// Whether the text has colours.
    pub(super) color: bool,
}

impl Output {
    /// Opens the output. This comes before any process is stopped, so that a wrong path does not
    /// cost a dump.
    pub(super) fn open(path: Option<&Path>, color: ColorChoice) -> Result<Output, Exit> {
        let open = |path: &Path| {
            Destination::open(path).map_err(|error| {
                complain(&format!("cannot create {}: {error}", path.display()));
                Exit::Usage
            })
        };
        let destination = path.map(open).transpose()?;
        let color = match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                // This depends on NO_COLOR and similar variables, TERM, and the terminal.
                let choice = anstream::AutoStream::choice(&io::stdout());
                destination.is_none() && choice != anstream::ColorChoice::Never
            }
        };
        Ok(Output { destination, color })
    }

    /// Writes the text. The result is `exit`, or the exit code of a failure, which is printed.
    pub(super) fn write(self, text: &str, exit: Exit) -> Exit {
        let written = match self.destination {
            Some(destination) => destination
                .file()
                .write_all(text.as_bytes())
                .and_then(|()| destination.keep().map(drop)),
            None => to_stdout(text),
        };
        written_or(written, exit)
    }
}

/// Writes text to standard output. The result is that of [`Output::write`].
pub(super) fn print(text: &str, exit: Exit) -> Exit {
    written_or(to_stdout(text), exit)
}

fn to_stdout(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

fn written_or(written: io::Result<()>, exit: Exit) -> Exit {
    match written {
        Ok(()) => exit,
        // A reader that stops early, as in `mqd dump ... | head`, is not an error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => exit,
        Err(error) => {
            complain(&format!("cannot write the output: {error}"));
            Exit::Output
        }
    }
}

/// Prints a message of `mqd` on standard error. Names of the job in it cannot change what the
/// terminal shows. A second line, such as one of a debug DLL, is indented.
pub(super) fn complain(text: &str) {
    let lines: Vec<String> = text.lines().map(printable).collect();
    write_line(&format!("mqd: {}", lines.join("\n     ")));
}

/// Writes a line to standard error.
pub(super) fn write_line(line: &str) {
    // If standard error is closed, no message can be shown.
    let _ = writeln!(io::stderr(), "{line}");
}
