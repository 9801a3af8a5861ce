//! The processes that the targets of a command line stand for, and what is known without reading
//! them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use super::args::{Reach, SlurmStep, Targets};
use super::exit::Exit;
use super::hosts::fanout;
use super::output::complain;
use super::report_file;
use super::wanted::Wanted;
use mqd_host::fanout::Fanout;
use mqd_host::job::{self, Job, Member, is_this_host};
use mqd_host::outcome::Outcome;
use mqd_host::request::{Options, Request};
use mqd_host::snapshot::{self, Entry, Place, Snapshot};
use mqd_report::{JobIdentity, Problem, ProblemKind};

/// The most ranks of a job. A larger number is a launcher's mistake.
const MOST_RANKS: i64 = 1 << 24;

/// The targets that were found.
pub(super) struct Found {
    /// The processes, live or in files.
    pub(super) requests: Vec<Request>,
    /// Ranks of jobs that were not found.
    pub(super) missing: Vec<Outcome>,
    /// Not [`Exit::Complete`] if something could not be found.
    pub(super) exit: Exit,
    /// Whether some ranks were left out.
    pub(super) left_out: bool,
    /// The connection to the other hosts, once it is needed.
    pub(super) fanout: Option<Fanout>,
    reach: Reach,
    slurm: Option<String>,
    /// Whether remarks are printed on standard error.
    tells: bool,
}

/// Which ranks are wanted.
pub(super) type Wants<'a> = &'a (dyn Fn(i64) -> bool + Sync);

/// Where else ranks of a job may be, and how to recognize them.
struct Elsewhere {
    wanted: job::Wanted,
    hosts: Vec<String>,
}

impl Found {
    /// The live processes of jobs and of requests.
    pub(super) fn new(targets: &Targets, wanted: &Wanted, wants: Wants<'_>) -> Found {
        let mut found = Found::nothing(&targets.reach, true);
        wanted.failed.iter().for_each(|why| found.failed(why));
        found.slurm = wanted.slurm.as_ref().map(|step| step.job.clone());
        for launcher in &wanted.jobs {
            found.job(*launcher, wants);
        }
        if let Some(step) = &wanted.slurm {
            found.slurm(step, wants);
        }
        found.requests.extend(wanted.requests.iter().cloned());
        found
    }

    /// The processes of the job of a launcher. Nothing is told on standard error: there may be no
    /// job yet.
    pub(super) fn quietly(launcher: u32, reach: &Reach) -> Found {
        let mut found = Found::nothing(reach, false);
        found.job(launcher, &|_| true);
        found
    }

    fn nothing(reach: &Reach, tells: bool) -> Found {
        Found {
            requests: Vec::new(),
            missing: Vec::new(),
            exit: Exit::Complete,
            left_out: false,
            fanout: None,
            reach: reach.clone(),
            slurm: None,
            tells,
        }
    }

    /// Adds the processes of the job of a launcher.
    fn job(&mut self, launcher: u32, wants: Wants<'_>) {
        let Job { mut members, mut remarks, identity, mut size, mut elsewhere, all_here } =
            match job::members(launcher) {
                Ok(job) => job,
                Err(error) => return self.failed(&error.to_string()),
            };
        let here = members.iter().find(|member| is_this_host(&member.host));
        let slurm = here.map(|member| member.pid).and_then(job::slurm_job);
        self.slurm = self.slurm.take().or(slurm).or_else(|| job::slurm_job(launcher));
        let here = members.len();
        if let Some(identity) = identity {
            elsewhere.extend(self.reach.hosts.as_deref().map(job::host_list).unwrap_or_default());
            elsewhere.retain(|host| !is_this_host(host));
            let elsewhere = Elsewhere { wanted: job::Wanted::Job(identity), hosts: elsewhere };
            let found = self.find(&elsewhere);
            if !found.is_empty() {
                let hosts = elsewhere.hosts.join(", ");
                remarks.push(format!("found {} more on other hosts: {hosts}", found.len()));
            }
            size = size.or_else(|| found.iter().find_map(|(_, job)| job.size));
            members.extend(found.into_iter().map(|(member, _)| member));
            members.sort_by_key(|member| member.rank);
        }
        if let Some(size) = size.filter(|size| (members.len() as i64) < *size) {
            let others = match members.len() - here {
                0 => String::new(),
                others => format!(", {others} on other hosts"),
            };
            let or_elsewhere = if all_here { "" } else { ", or are on other machines" };
            remarks.push(format!(
                "the job has {size} ranks, and {here} of them are under process {launcher} on \
                 this machine{others}: the others have ended{or_elsewhere}"
            ));
        }
        remarks.iter().for_each(|remark| self.tell(remark));
        self.add(members, size, wants, if all_here { ended } else { missing });
    }

    /// Adds the processes of a Slurm job.
    fn slurm(&mut self, step: &SlurmStep, wants: Wants<'_>) {
        let hosts = match slurm_hosts(&step.job) {
            Ok(hosts) => hosts,
            Err(why) => return self.failed(&why),
        };
        let wanted = job::Wanted::Slurm { job: step.job.clone(), step: step.step.clone() };
        let (here, hosts): (Vec<_>, Vec<_>) =
            hosts.into_iter().partition(|host| is_this_host(host));
        let mut found = if here.is_empty() { Vec::new() } else { job::find(&wanted) };
        found.extend(self.find(&Elsewhere { wanted, hosts }));
        let mut jobs: Vec<JobIdentity> = Vec::new();
        for (_, job) in &found {
            if !jobs.iter().any(|known| known.is_same(job)) {
                jobs.push(job.clone());
            }
        }
        match &jobs[..] {
            [] => self.failed(&format!(
                "no rank of an MPI job was found on the hosts of Slurm job {}",
                step.job
            )),
            [only] => {
                let mut members: Vec<Member> =
                    found.into_iter().map(|(member, _)| member).collect();
                members.sort_by_key(|member| member.rank);
                self.add(members, only.size, wants, missing);
            }
            several => {
                let names: Vec<String> = several.iter().map(JobIdentity::to_string).collect();
                self.failed(&format!(
                    "job {} of Slurm has ranks of several MPI jobs ({}): give one step, as in \
                     --slurm {}.0",
                    step.job,
                    names.join(", "),
                    step.job
                ));
            }
        }
    }

    /// The ranks of a job on other hosts. Hosts that do not answer are reported.
    fn find(&mut self, elsewhere: &Elsewhere) -> Vec<(Member, JobIdentity)> {
        if elsewhere.hosts.is_empty() {
            return Vec::new();
        }
        let Some(fanout) = self.reached() else { return Vec::new() };
        let answers = fanout.find(&elsewhere.hosts, &elsewhere.wanted);
        let mut found = Vec::new();
        for answer in answers {
            match answer {
                Ok(ranks) => found.extend(ranks),
                Err(problem) => self.failed(&problem.to_string()),
            }
        }
        found
    }

    /// The connection to other hosts, if they are to be reached.
    pub(super) fn reached(&mut self) -> Option<&mut Fanout> {
        if self.fanout.is_none() {
            self.fanout = fanout(&self.reach, self.slurm.as_deref());
        }
        self.fanout.as_mut()
    }

    /// Adds the ranks of a job of this size. `not_found` stands for a rank that was not found.
    fn add(
        &mut self,
        members: Vec<Member>,
        size: Option<i64>,
        wants: Wants<'_>,
        not_found: fn(i64, i64) -> Outcome,
    ) {
        let known: std::collections::HashSet<i64> =
            members.iter().map(|member| member.rank).collect();
        let (wanted, others): (Vec<_>, Vec<_>) =
            members.into_iter().partition(|member| wants(member.rank));
        self.left_out |= !others.is_empty();
        self.requests.extend(wanted.into_iter().map(Request::Member));
        let Some(size) = size.filter(|size| *size <= MOST_RANKS) else { return };
        let lost = (0..size).filter(|rank| !known.contains(rank) && wants(*rank));
        self.missing.extend(lost.map(|rank| not_found(rank, size)));
    }

    /// The snapshots that can be opened. What is wrong with them is printed.
    pub(super) fn snapshots(&mut self, paths: &[PathBuf], options: &Options) -> Vec<Arc<Snapshot>> {
        let mut snapshots = Vec::new();
        for opened in options.snapshots.open_all(paths) {
            match opened {
                Ok(snapshot) => snapshots.push(snapshot),
                Err(error) => self.failed(&error.to_string()),
            }
        }
        for snapshot in &snapshots {
            for damage in snapshot.damage() {
                complain(&format!(
                    "warning: {} is damaged from byte {} on: {}",
                    snapshot.path().display(),
                    damage.at,
                    damage.what
                ));
            }
        }
        snapshots
    }

    /// Visits the processes of snapshots.
    pub(super) fn captured(
        &mut self,
        snapshots: &[Arc<Snapshot>],
        wants: Wants<'_>,
        mut visit: impl FnMut(Place, Entry),
    ) {
        let wanted = |rank: Option<i64>| rank.is_none_or(wants);
        snapshot::each(snapshots, wanted, |index, process, entry| match entry {
            Some(entry) => {
                let (file, rank) = (snapshots[index].path().to_owned(), entry.process.rank);
                visit(Place { file, process, rank }, entry);
            }
            None => self.left_out = true,
        });
    }

    /// The processes of a report.
    pub(super) fn report(&mut self, path: &Path, wants: Wants<'_>) -> Vec<Outcome> {
        match report_file::outcomes(path) {
            Ok(mut outcomes) => {
                let all = outcomes.len();
                outcomes.retain(|outcome| outcome.process.rank.is_none_or(wants));
                self.left_out |= outcomes.len() < all;
                outcomes
            }
            Err(error) => {
                self.failed(&error.to_string());
                Vec::new()
            }
        }
    }

    fn tell(&self, text: &str) {
        if self.tells {
            complain(text);
        }
    }

    fn failed(&mut self, error: &str) {
        self.tell(error);
        self.exit = Exit::Unreadable;
    }
}

/// Stands for a rank that was not found.
fn missing(rank: i64, size: i64) -> Outcome {
    let text =
        format!("the launcher says that the job has {size} ranks, and this one was not found");
    let problem = Problem::new(ProblemKind::Missing, text)
        .advise("it has ended, or it is on a host that was not searched: see --hosts");
    without_process(rank, problem)
}

/// Stands for a rank that has ended.
fn ended(rank: i64, size: i64) -> Outcome {
    let text = format!(
        "the process of this rank has ended: the launcher started all {size} ranks on this machine"
    );
    without_process(rank, Problem::new(ProblemKind::Ended, text))
}

/// Stands for a rank of which there is no process.
fn without_process(rank: i64, problem: Problem) -> Outcome {
    let (host, executable) = (String::new(), String::new());
    let member = Member { rank, host, executable, pid: 0, spawned: None };
    let mut outcome = Request::Member(member).unreadable(problem);
    outcome.process.pid = None;
    outcome
}

/// The hosts of a Slurm job.
fn slurm_hosts(job: &str) -> Result<Vec<String>, String> {
    let arguments = ["--noheader", "--format=%N"];
    let run = Command::new("squeue").args(arguments).arg(format!("--jobs={job}")).output();
    let output = run.map_err(|error| format!("cannot run squeue: {error}"))?;
    let hosts = job::host_list(String::from_utf8_lossy(&output.stdout).trim());
    if output.status.success() && !hosts.is_empty() {
        return Ok(hosts);
    }
    let why = String::from_utf8_lossy(&output.stderr);
    let why = why.lines().next().unwrap_or("it has no nodes: it waits, or it has ended");
    Err(format!(
        "squeue shows no nodes for Slurm job {job}: {why}. Check the number, or run mqd on a host \
         where squeue works"
    ))
}
