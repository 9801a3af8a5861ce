//! Recordings of real jobs: what the ranks wrote down, and what `mqd` showed. With `UPDATE=1` in
//! the environment they are recorded again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use testkit::mpi::Mpi;
use testkit::prefix::Prefix;
use testkit::truth::Truth;
use testkit::verdict::{Answer, Judge, Verdicts, Worth};
use testkit::workspace::{Profile, target};

/// Seeds of `fixtures/truth.c`: with operations that are matched and not complete, and without.
const TRUTH: [u64; 2] = [5, 6];
/// Seeds of `fixtures/verdict.c`: a deadlock in which not all ranks are stuck, and a slow job.
const DEADLOCK: u64 = 4;
const SLOW: u64 = 1;

/// What was recorded of an MPI.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Recording {
    pub(crate) truth: Vec<Recorded>,
    pub(crate) deadlock: Checked,
    pub(crate) slow: Checked,
}

/// A job of `fixtures/truth.c`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Recorded {
    /// What each rank wrote down.
    pub(crate) records: Vec<Value>,
    /// What `mqd dump` showed.
    pub(crate) report: Value,
}

/// A job of `fixtures/verdict.c`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Checked {
    /// The ranks that recorded that they get stuck.
    pub(crate) stuck: Vec<i64>,
    /// What `mqd check` said in the end.
    pub(crate) answer: Value,
}

/// The recording of an MPI.
pub(crate) fn recording(name: &str) -> Recording {
    static RECORDS: Mutex<()> = Mutex::new(());
    let path = path(name);
    let _lock = RECORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if std::env::var_os("UPDATE").is_some() && is_older_than_this_test(&path) {
        let recording = record(name).expect("jobs can be run and read");
        let text = serde_json::to_string(&recording).expect("it can be written as JSON");
        fs::write(&path, text + "\n").expect("the folder is writable");
    }
    let text = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; UPDATE=1 makes it", path.display()));
    serde_json::from_str(&text).expect("it is as written")
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/recorded/{name}.json"))
}

/// Several tests use a recording. Only the first of them makes it.
fn is_older_than_this_test(path: &Path) -> bool {
    let program = fs::metadata("/proc/self").and_then(|process| process.modified());
    let file = fs::metadata(path).and_then(|file| file.modified());
    file.is_err() || file.ok() < program.ok()
}

fn record(name: &str) -> anyhow::Result<Recording> {
    let prefix = Prefix::lay_out(Profile::Dev, &target().join("test-prefix"))?;
    let mpi = Mpi::named(name, &prefix)?;
    let truth = Truth::new(&prefix, mpi.clone())?;
    let recorded = |seed| -> anyhow::Result<Recorded> {
        let (records, report) = truth.recording(seed)?;
        let records = records.iter().map(|text| serde_json::from_str(text));
        Ok(Recorded { records: records.collect::<Result<_, _>>()?, report: portable(report) })
    };
    let verdicts = Verdicts::new(&prefix, mpi)?;
    Ok(Recording {
        truth: TRUTH.into_iter().map(recorded).collect::<anyhow::Result<_>>()?,
        deadlock: checked(&verdicts, DEADLOCK)?,
        slow: checked(&verdicts, SLOW)?,
    })
}

/// A report without what is specific to this machine, which the judges do not compare.
fn portable(mut report: Value) -> Value {
    for (number, process) in report["processes"].as_array_mut().into_iter().flatten().enumerate() {
        process["pid"] = json!(1000 + number);
        process["executable"] = json!("/program");
        process["library"] = json!("/library");
    }
    report
}

fn checked(verdicts: &Verdicts, seed: u64) -> anyhow::Result<Checked> {
    let directory = tempfile::tempdir()?;
    let (mut job, stuck) = verdicts.start(seed, directory.path())?;
    let mut judge = Judge::new(stuck.clone());
    let pid = job.pid().to_string();
    for _ in 0..30 {
        let answer = verdicts.ask(&["--recheck", "0.2", &pid].map(Path::new))?;
        if judge.hear(&serde_json::from_value::<Answer>(answer.clone())?)? == Worth::Right {
            job.end()?;
            return Ok(Checked { stuck: stuck.into_iter().collect(), answer });
        }
    }
    anyhow::bail!("seed {seed} is not decided")
}
