//! The output arguments of commands that can write text for people.

use std::path::{Path, PathBuf};

use crate::exit::Exit;
use crate::output::Output;

/// A file or standard output, and its colours.
#[derive(Debug, clap::Args)]
pub(crate) struct TextOutput {
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Colours in human output
    ///
    /// With `auto`, there are colours if standard output is a terminal and the environment variable
    /// NO_COLOR is not set.
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value_t = clap::ColorChoice::Auto,
        help_heading = "Output"
    )]
    color: clap::ColorChoice,
}

impl TextOutput {
    /// What was given for the output.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// Opens it.
    ///
    /// # Errors
    /// The file cannot be created. A message on standard error says so.
    pub(crate) fn open(&self) -> Result<Output, Exit> {
        Output::open(self.output.as_deref(), self.color)
    }
}
