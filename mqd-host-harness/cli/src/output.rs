//! Where output goes, and what is said on standard error.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use clap::ColorChoice;

use super::exit::Exit;

/// Where a report goes: a file, or standard output.
pub(super) struct Output {
    file: Option<File>,
    /// Is it for a reader who sees colours?
    pub(super) color: bool,
}

impl Output {
    /// Opened before any process is stopped: a typing error must not cost a dump.
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
                // Asks NO_COLOR and its relatives, TERM, and whether it is a terminal.
                let choice = anstream::AutoStream::choice(&io::stdout());
                file.is_none() && choice != anstream::ColorChoice::Never
            }
        };
        Ok(Output { file, color })
    }

    /// Writes all of it, and says what went wrong; `exit` is the exit code if nothing does.
    pub(super) fn write(&mut self, text: &str, exit: Exit) -> Exit {
        match self.try_write(text) {
            Ok(()) => exit,
            // The reader has had enough (`mqd dump ... | head`): that is not an error.
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

/// Says what is wrong, on standard error.
pub(super) fn complain(text: &str) {
    write_line(&format!("mqd: {text}"));
}

/// Writes a line to standard error.
pub(super) fn write_line(line: &str) {
    // Standard error may be closed; there is nowhere left to say so.
    let _ = writeln!(io::stderr(), "{line}");
}
