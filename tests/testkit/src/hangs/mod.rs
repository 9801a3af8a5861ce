//! Compares what `mqd check` says about the corpus `fixtures/hangs/` with the truth. The corpus has
//! small programs that hang, as people write them, and some that are only slow.

mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tempfile::TempDir;

pub use self::program::{Fate, Program};
use crate::cores::gcore;
use crate::job::{Job, PATIENCE};
use crate::mpi::Mpi;
use crate::packages;
use crate::prefix::Prefix;
use crate::recorded::ReadFrom;
use crate::verdict::{Answer, Found, Judge, Verdict, Worth};
use crate::workspace::{self, root};

/// How often a job that hangs is checked until the verdict is right. At first, its ranks may not be
/// in their last calls yet.
const ATTEMPTS: u32 = 10;
/// How often a slow job is checked, to find a moment at which it looks deadlocked.
const LOOKS: u32 = 6;
/// The time between two looks at a job.
const PAUSE: Duration = Duration::from_millis(100);

/// All programs of the corpus, by name.
///
/// # Errors
///
/// When one cannot be read.
pub fn corpus() -> Result<Vec<Program>> {
    let directory = root().join("fixtures/hangs");
    let files = fs::read_dir(&directory).with_context(|| directory.display().to_string())?;
    let mut sources: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    let languages = ["c", "cpp", "f90", "py"];
    sources.retain(|source| {
        source.extension().is_some_and(|extension| languages.iter().any(|one| extension == *one))
    });
    sources.sort();
    sources.iter().map(|source| Program::read(source)).collect()
}

/// The result of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramOutcome {
    /// The verdict was right, and so were the ranks.
    Right,
    /// The verdict was undecided, or named only some of the ranks, or no rank could be read; with
    /// the last answer.
    Undecided(String),
    /// A job that hangs elsewhere ended by itself, with what it printed: the MPI library has room
    /// for messages that others have not, or has found the error.
    Ended(String),
    /// An answer was false, or the program could not be run.
    Wrong(String),
}

/// A program and its results.
#[derive(Clone, Debug)]
pub struct Row {
    /// The program.
    pub program: Program,
    /// The result for the live job.
    pub live: ProgramOutcome,
    /// The result for its core files, if they were checked.
    pub cores: Option<ProgramOutcome>,
    /// Did a finding about the live job name the line that is to blame? None if no line is to
    /// blame.
    pub names_line: Option<bool>,
}

impl Row {
    fn outcomes(&self) -> impl Iterator<Item = &ProgramOutcome> {
        [Some(&self.live), self.cores.as_ref()].into_iter().flatten()
    }

    /// Was an answer false?
    pub fn is_wrong(&self) -> bool {
        self.outcomes().any(|outcome| matches!(outcome, ProgramOutcome::Wrong(_)))
    }

    /// Did the job end by itself? Then it says nothing about verdicts.
    pub fn has_ended(&self) -> bool {
        matches!(self.live, ProgramOutcome::Ended(_))
    }

    /// Were all answers right?
    pub fn is_right(&self) -> bool {
        self.outcomes().all(|outcome| *outcome == ProgramOutcome::Right)
    }
}

/// One of this many programs may end by itself, instead of doing what it is for.
const ENDING: usize = 10;

/// Checks that nothing is wrong, that few programs ended by themselves, and that at least this
/// percentage of those that hang is right.
///
/// # Errors
///
/// When this is not so; the text says why.
pub fn require(rows: &[Row], percent: usize) -> Result<()> {
    let wrong: Vec<_> = rows.iter().filter(|row| row.is_wrong()).map(name).collect();
    let ended: Vec<_> = rows.iter().filter(|row| row.has_ended()).map(name).collect();
    if ended.len() * ENDING > rows.len() {
        bail!("{} of {} programs ended by themselves: {ended:?}", ended.len(), rows.len());
    }
    let hangs = |row: &&Row| row.program.truth == Fate::Deadlocked && !row.has_ended();
    let hung = || rows.iter().filter(hangs);
    let undecided: Vec<_> = hung().filter(|row| !row.is_right()).map(name).collect();
    let (all, right) = (hung().count(), hung().count() - undecided.len());
    if !wrong.is_empty() || rows.is_empty() || right * 100 < all * percent {
        bail!(
            "{right} of {all} programs that hang are right, required are {percent} %; wrong: \
             {wrong:?}; not right: {undecided:?}"
        );
    }
    Ok(())
}

fn name(row: &Row) -> &str {
    &row.program.name
}

/// Runs programs with an MPI.
#[derive(Debug)]
pub struct Hangs {
    prefix: Prefix,
    mpi: Mpi,
    directory: TempDir,
}

impl Hangs {
    /// # Errors
    ///
    /// When there is no room for temporary files.
    pub fn new(prefix: &Prefix, mpi: Mpi) -> Result<Hangs> {
        Ok(Hangs { prefix: prefix.clone(), mpi, directory: tempfile::tempdir()? })
    }

    /// Runs the programs that the MPI can run, `at_once` at a time, and calls `report` for each.
    ///
    /// # Panics
    ///
    /// When `report` panics.
    pub fn check_all(
        &self,
        programs: &[Program],
        at_once: usize,
        from: ReadFrom,
        report: impl Fn(&Row) + Sync,
    ) -> Vec<Row> {
        let runs = programs.iter().filter(|program| {
            program.runs_with(&self.mpi.name) && self.mpi.compiles(&program.source)
        });
        let waiting = Mutex::new(runs);
        let rows = Mutex::new(Vec::new());
        let work = || {
            // A statement of its own: the lock is not held while a program runs.
            while let Some(program) = { waiting.lock().expect("nothing panics with it").next() } {
                let row = self.check(program, from);
                report(&row);
                rows.lock().expect("nothing panics with it").push(row);
            }
        };
        thread::scope(|scope| (0..at_once).for_each(|_| drop(scope.spawn(work))));
        let mut rows = rows.into_inner().expect("nothing panics with it");
        rows.sort_by(|one, other| one.program.name.cmp(&other.program.name));
        rows
    }

    /// Runs a program.
    pub fn check(&self, program: &Program, from: ReadFrom) -> Row {
        let row = self.try_check(program, from);
        row.unwrap_or_else(|error| Row {
            program: program.clone(),
            live: ProgramOutcome::Wrong(format!("{error:#}")),
            cores: None,
            names_line: None,
        })
    }

    fn try_check(&self, program: &Program, from: ReadFrom) -> Result<Row> {
        let directory = tempfile::tempdir()?;
        let launch = if program.source.extension().is_some_and(|extension| extension == "py") {
            packages::ensure(&["python3-mpi4py"]);
            let script = program.source.to_str().context("a path in UTF-8")?;
            let python = Path::new("/usr/bin/python3");
            self.mpi.launch(program.ranks, python, &[script], directory.path())
        } else {
            let executable = self.mpi.compile_file(&program.source, self.directory.path())?;
            self.mpi.launch(program.ranks, &executable, &[], directory.path())
        };
        let mut job = Job::launch_logged(launch, directory.path())?;
        let (live, names_line) = self.live(program, &mut job, directory.path())?;
        let cores = match (&live, from) {
            (ProgramOutcome::Right, ReadFrom::LiveAndCores)
                if program.truth == Fate::Deadlocked =>
            {
                Some(self.cores(program, &job, directory.path())?)
            }
            _ => None,
        };
        job.end()?;
        Ok(Row { program: program.clone(), live, cores, names_line })
    }

    /// Checks the live job until the result is known.
    fn live(
        &self,
        program: &Program,
        job: &mut Job,
        directory: &Path,
    ) -> Result<(ProgramOutcome, Option<bool>)> {
        let mut hearing = Hearing::new(program);
        let begin = Instant::now();
        let pid = job.pid().to_string();
        let mut looks = 0;
        let most = match program.truth {
            Fate::NotDeadlocked => LOOKS,
            Fate::Deadlocked | Fate::Polling => ATTEMPTS,
        };
        while looks < most {
            // Until all ranks have initialized MPI there is nothing to read.
            let said = ask(&self.prefix, &["--recheck", "0.2", &pid].map(Path::new));
            if looks == 0 && begin.elapsed() > PATIENCE {
                let why = said.err().map(|error| format!(": {error:#}")).unwrap_or_default();
                let text = format!("no rank can be read after {} s{why}", PATIENCE.as_secs());
                return Ok((ProgramOutcome::Undecided(text), None));
            }
            if let Some(status) = job.mpiexec.try_wait()? {
                let log = fs::read_to_string(directory.join("log")).unwrap_or_default();
                if program.truth != Fate::Deadlocked {
                    // It goes on for ever, unless something has ended it.
                    bail!("the job ended ({status}): {log}");
                }
                return Ok((ProgramOutcome::Ended(format!("{status}: {log}")), None));
            }
            if let Ok(said) = said {
                if let Some(outcome) = hearing.hear(&said)? {
                    return Ok((outcome, program.line.map(|line| names(&said, line))));
                }
                looks += 1;
            }
            thread::sleep(PAUSE);
        }
        Ok((hearing.conclude(), None))
    }

    /// The result for core files of the job.
    fn cores(&self, program: &Program, job: &Job, directory: &Path) -> Result<ProgramOutcome> {
        let mut dump = self.prefix.command("mqd");
        dump.args(["dump", "--format", "json", "--job", &job.pid().to_string()]);
        let report: Value = workspace::json(dump.stdin(Stdio::null()))?;
        let processes = report["processes"].as_array().context("a report has processes")?;
        let pid = |process: &Value| process["pid"].as_u64().context("a live process has a number");
        let cores = processes.iter().map(|process| gcore(directory, pid(process)?));
        let cores = cores.collect::<Result<Vec<_>>>()?;
        let mut arguments = vec![Path::new("--core")];
        arguments.extend(cores.iter().map(PathBuf::as_path));
        let mut hearing = Hearing::new(program);
        Ok(match hearing.hear(&ask(&self.prefix, &arguments)?)? {
            Some(outcome) => outcome,
            None => hearing.conclude(),
        })
    }
}

/// What `mqd check` says, as JSON.
pub(crate) fn ask(prefix: &Prefix, arguments: &[&Path]) -> Result<Value> {
    let mut mqd = prefix.command("mqd");
    // The machine may be busy. Verdicts are compared here, not times.
    mqd.args(["check", "--format", "json", "--stop-limit", "10"]).args(arguments);
    workspace::json(mqd.stdin(Stdio::null()))
}

/// The answers about a program so far.
struct Hearing {
    truth: Fate,
    judge: Judge,
    said: String,
}

impl Hearing {
    fn new(program: &Program) -> Hearing {
        Hearing {
            truth: program.truth,
            judge: Judge::new(program.stuck.clone()).perhaps(program.perhaps.clone()),
            said: String::new(),
        }
    }

    /// Hears an answer. Returns the outcome if no further answer changes it.
    fn hear(&mut self, said: &Value) -> Result<Option<ProgramOutcome>> {
        let answer: Answer = serde_json::from_value(said.clone())?;
        let missing = said["missing"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let missing: Vec<&str> = missing.collect();
        let reason = said["reason"].as_str().unwrap_or_default();
        self.said = format!("{reason}; missing: {}", missing.join("; "));
        if answer.verdict == Verdict::Insufficient && missing.is_empty() {
            return Ok(Some(ProgramOutcome::Wrong(format!(
                "undecided without a reason: {said:#}"
            ))));
        }
        Ok(match (self.truth, self.judge.hear(&answer)) {
            (_, Err(wrong)) => Some(ProgramOutcome::Wrong(format!("{wrong}: {said:#}"))),
            (Fate::Deadlocked, Ok(Worth::Right)) => Some(ProgramOutcome::Right),
            (Fate::Polling, Ok(Worth::Undecided)) if polls(said) => Some(ProgramOutcome::Right),
            _ => None,
        })
    }

    /// The outcome when there are no further answers.
    fn conclude(self) -> ProgramOutcome {
        match (self.truth, self.judge.conclude()) {
            (_, Err(wrong)) => ProgramOutcome::Wrong(format!("{wrong}: {}", self.said)),
            (Fate::NotDeadlocked | Fate::Deadlocked, Ok(Found::Right)) => ProgramOutcome::Right,
            _ => ProgramOutcome::Undecided(self.said),
        }
    }
}

/// Does a finding name this line of the program?
fn names(said: &Value, line: usize) -> bool {
    let findings = said["findings"].as_array().into_iter().flatten();
    let mut places = findings.flat_map(|finding| finding["places"].as_array()).flatten();
    places.any(|place| place["frame"]["line"].as_u64() == Some(line as u64))
}

/// Are ranks said to poll?
fn polls(said: &Value) -> bool {
    let findings = said["findings"].as_array();
    findings.into_iter().flatten().any(|finding| finding["kind"] == "polling")
}
