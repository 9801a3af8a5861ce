//! Finds out what kind of target each one of a command line is.

use std::path::PathBuf;

use super::args::{Named, SlurmStep, Targets};
use super::crashes::{self, Crash};
use super::report_file::is_report;
use super::stdin;
use mqd_host::job;
use mqd_host::request::Request;
use mqd_host::snapshot::{is_snapshot, only_snapshots};

/// The targets of a command line.
#[derive(Default)]
pub(super) struct Wanted {
    /// The launchers of the jobs.
    pub(super) jobs: Vec<u32>,
    /// The Slurm job.
    pub(super) slurm: Option<SlurmStep>,
    /// The processes and core files.
    pub(super) requests: Vec<Request>,
    /// The snapshots.
    pub(super) snapshots: Vec<PathBuf>,
    /// The reports.
    pub(super) reports: Vec<PathBuf>,
    /// Remarks about them.
    pub(super) remarks: Vec<String>,
    /// Why some could not be found.
    pub(super) failed: Vec<String>,
}

impl Targets {
    /// Each snapshot or report alone, if there are several and no other targets.
    pub(super) fn looks(&self) -> Option<Vec<Targets>> {
        let Wanted { jobs, slurm, requests, snapshots, reports, .. } = self.wanted();
        if !jobs.is_empty()
            || slurm.is_some()
            || !requests.is_empty()
            || snapshots.len() + reports.len() < 2
        {
            return None;
        }
        let files = snapshots.into_iter().chain(reports);
        Some(
            files
                .map(|file| Targets { targets: vec![Named::File(file)], ..Targets::default() })
                .collect(),
        )
    }

    /// The targets, sorted by kind.
    pub(super) fn wanted(&self) -> Wanted {
        let mut wanted = Wanted {
            jobs: self.jobs.clone(),
            slurm: self.slurm.clone(),
            requests: Vec::new(),
            snapshots: self.snapshots.clone(),
            reports: Vec::new(),
            remarks: Vec::new(),
            failed: Vec::new(),
        };
        for target in &self.targets {
            match target {
                Named::Process(pid) if job::members(*pid).is_ok() => wanted.jobs.push(*pid),
                Named::Process(pid) => wanted.requests.push(Request::Pid(*pid)),
                Named::File(path) => wanted.file(path.clone()),
                Named::StandardInput => match stdin::path() {
                    Ok(path) => wanted.input(path),
                    Err(error) => {
                        wanted.failed.push(format!("cannot read standard input: {error}"));
                    }
                },
            }
        }
        wanted.requests.extend(self.pids.iter().map(|pid| Request::Pid(*pid)));
        wanted.requests.extend(self.cores.iter().map(|core| Request::Core(core.clone())));
        wanted
    }
}

impl Wanted {
    /// Can another look show something else of each target?
    pub(super) fn is_live(&self) -> bool {
        let has_processes =
            !self.jobs.is_empty() || self.slurm.is_some() || !self.requests.is_empty();
        has_processes && !self.has_files()
    }

    /// Are there files among them? What a file shows is the same each time, as if its process had
    /// not moved.
    pub(super) fn has_files(&self) -> bool {
        let has_core = self.requests.iter().any(|request| matches!(request, Request::Core(_)));
        has_core || !self.snapshots.is_empty() || !self.reports.is_empty()
    }

    /// Adds a file. Its first bytes show its kind.
    ///
    /// A directory stands for the snapshots in it, in the order of their names, or for the core
    /// files of the last crash that systemd-coredump has kept there.
    fn file(&mut self, path: PathBuf) {
        if path.is_dir() {
            let files = std::fs::read_dir(&path).into_iter().flatten().flatten();
            let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
            if let Some(crash) = crashes::last(&files) {
                return self.crash(crash);
            }
            files.sort();
            let files = only_snapshots(files);
            if files.is_empty() {
                self.failed.push(format!(
                    "{} has no snapshot (*.mqd) and no core file of systemd-coredump: give the \
                     files themselves",
                    path.display()
                ));
            }
            self.snapshots.extend(files);
        } else if is_snapshot(&path) {
            self.snapshots.push(path);
        } else if is_report(&path) {
            self.reports.push(path);
        } else {
            self.requests.push(Request::Core(path));
        }
    }

    /// Adds the core files of a crash.
    fn crash(&mut self, crash: Crash) {
        let Crash { program, files, others } = crash;
        let others = match others {
            0 => String::new(),
            others => {
                format!("; {others} of other crashes are not read: give the files themselves")
            }
        };
        self.remarks.push(format!(
            "reading the {} core files of the last crash, of {program}{others}",
            files.len()
        ));
        self.requests.extend(files.into_iter().map(Request::Core));
    }

    /// Adds standard input, which cannot be a core file.
    fn input(&mut self, path: PathBuf) {
        if is_snapshot(&path) {
            self.snapshots.push(path);
        } else {
            self.reports.push(path);
        }
    }
}
