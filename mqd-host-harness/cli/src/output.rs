//! Where output goes, and messages on standard error.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use clap::ColorChoice;

use super::exit::Exit;

/// Where a report goes: a file, or standard output.
pub(super) struct Output {
    file: Option<File>,
    /// Whether the text has colours.
    pub(super) color: bool,
}

impl Output {
    /// Called before any process is stopped, so that a wrong path does not cost a dump.
    pub(super) fn open(path: Option<&Path>, color: ColorChoice) -> Result<Output, Exit> {
        let file = match path {
            None => None,
            Some(path) => Some(File::create(path).map_err(|error| {
                complain(&format!("cannot create {}: {error}", path.display()));
                Exit::Usage
            })?),
        };
        let color = match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                // This depends on NO_COLOR and similar variables, TERM, and the terminal.
                let choice = anstream::AutoStream::choice(&io::stdout());
                file.is_none() && choice != anstream::ColorChoice::Never
            }
        };
        Ok(Output { file, color })
    }

    /// Writes the text. The result is `exit`, or the exit code of a failure, which is printed.
    pub(super) fn write(&mut self, text: &str, exit: Exit) -> Exit {
        match self.try_write(text) {
            Ok(()) => exit,
            // A reader that stops early, as in `mqd dump ... | head`, is not an error.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => exit,
            Err(error) => {
                complain(&format!("cannot write the output: {error}"));
                Exit::Output
            }
        }
    }

    fn try_write(&mut self, text: &str) -> io::Result<()> {
        match &mut self.file {
            Some(file) => {
                file.write_all(text.as_bytes())?;
                file.flush()
            }
            None => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(text.as_bytes())?;
                stdout.flush()
            }
        }
    }
}

/// Prints a message of `mqd` on standard error.
pub(super) fn complain(text: &str) {
    write_line(&format!("mqd: {text}"));
}

/// Writes a line to standard error.
pub(super) fn write_line(line: &str) {
    // If standard error is closed, no message can be shown.
    let _ = writeln!(io::stderr(), "{line}");
}
