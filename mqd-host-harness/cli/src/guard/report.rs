//! The report about a job that hangs.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::super::capture;
use super::super::destination::Destination;
use super::super::read::Reading;
use super::job::Hung;
use mqd_host::capture::Keep;
use mqd_host::request::Workers;
use mqd_report::changes::Look;
use mqd_report::check::Diagnosis;
use mqd_report::graph::{self, GraphOptions};
use mqd_report::render;

/// The diagnosis for standard error.
pub(super) fn text(diagnosis: &Diagnosis) -> String {
    render::check(diagnosis, false)
}

/// Creates a directory and writes the report into it. Without `recorded` there is no snapshot in
/// it.
///
/// # Errors
/// A file cannot be written.
pub(super) fn write(
    directory: &Path,
    hung: &Hung,
    recorded: Option<(Reading, Option<Workers>)>,
) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let diagnosis = &hung.diagnosis;
    let look = Look { at: Some(hung.at), report: hung.report.clone() };
    let html = graph::html(&[look], Some(diagnosis), &GraphOptions::default());
    for (name, content) in [
        ("check.txt", text(diagnosis)),
        ("check.json", render::json(diagnosis)),
        ("report.html", html),
    ] {
        let destination = Destination::open(&directory.join(name))?;
        destination.file().write_all(content.as_bytes())?;
        destination.keep()?;
    }
    let Some((reading, workers)) = recorded else { return Ok(()) };
    let destination = Destination::open(&directory.join("job.mqd"))?;
    capture::write(Keep::default(), workers, &destination, reading)?;
    destination.keep().map(drop)
}
