//! `cargo xtask bench gdb`: the time of a dump inside gdb, compared with the time that gdb takes to
//! read the memory.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use testkit::job::Job;
use testkit::packages;
use testkit::prefix::Prefix;
use testkit::workspace::{self, Profile, root, target};

/// Runs of each: noise only adds time, so the best counts.
const RUNS: usize = 15;

/// Python for gdb. It notes what the debug DLL reads, and then reads the same pieces in several
/// ways, taking turns with whole dumps.
const MEASURE: &str = r#"
import ctypes, json, os, time
from mqd_gdb.callbacks import Session, mqs_fetch_data
from mqd_gdb.read import read_inferior
from mqd_gdb.target import Target
inferior = gdb.selected_inferior()
read = inferior.read_memory
fetches = []

def noting(address, size):
    fetches.append((int(address), int(size)))
    return read(address, size)

of_target = Target.__init__
def noting_target(self, *arguments):
    of_target(self, *arguments)
    self.read = noting
Target.__init__ = noting_target
report = read_inferior(inferior, stacks=False)
Target.__init__ = of_target
operations = sum(len(queue) for one in report.communicators for queue in one.queues.values())
# Requests and messages lie in the memory that was fetched. Where exactly does not matter for the
# time.
objects = [
    (address + at, 128) for address, size in fetches for at in range(0, size - 127, 128)
][:operations]
# A debug DLL that reads field by field, as Open MPI's own does, needs some ten reads for an
# operation.
fields = [(address + at, 8) for address, _ in objects for at in range(0, 80, 8)]

def again(reads):
    for address, size in reads:
        try:
            read(address, size)
        except gdb.MemoryError:
            pass

session = Session(Target(inferior), None)
rooms = []
for address, size in fetches:
    room = (ctypes.c_char * size)()
    rooms.append((address, size, ctypes.addressof(room), room))

def answer():
    with session:
        for address, size, room, _ in rooms:
            mqs_fetch_data(session.process, address, size, room)

ways = {
    "dump": lambda: gdb.execute("mqd dump -json " + os.environ["REPORT"]),
    "queues": lambda: read_inferior(inferior, stacks=False),
    "callbacks": answer,
    "fetches": lambda: again(fetches),
    "objects": lambda: again(objects),
    "fields": lambda: again(fields),
}
best = {}
for _ in range(int(os.environ["RUNS"])):
    for name, way in ways.items():
        # Not over a file that is there: closing it would wait for the disk.
        if os.path.exists(os.environ["REPORT"]):
            os.remove(os.environ["REPORT"])
        begin = time.perf_counter()
        way()
        took = time.perf_counter() - begin
        best[name] = min(best.get(name, took), took)
best["count"] = len(fetches)
best["bytes"] = sum(size for _, size in fetches)
best["operations"] = operations
print("measured " + json.dumps(best))
"#;

/// Prints the table.
///
/// # Errors
///
/// When building, the job, gdb or `mqd` fails.
pub(crate) fn run(operations: &[u64]) -> Result<()> {
    packages::ensure(&["gdb"]);
    let prefix = Prefix::lay_out(Profile::Release, &target().join("dist"))?;
    let work = tempfile::tempdir()?;
    let program = work.path().join("many");
    let sources = ["many.c", "expect.c"].map(|name| root().join("fixtures").join(name));
    prefix.compile(&sources, &program, &["-O2"])?;
    println!(
        "one process of fixtures/many.c, live; the best of {RUNS} runs that take turns, in ms. \
         Reads are those of gdb's Python, nothing else done\n"
    );
    println!("{:54} | {:^35} | {:^17}", "", "a dump takes, of", "of what it needs");
    println!(
        "{:>10} {:>7} {:>7} {:>9} {:>8} {:>8} {:>8} | {:>7} {:>7} {:>7} {:>8} | {:>7} {:>9}",
        "operations",
        "dump",
        "queues",
        "callbacks",
        "fetches",
        "objects",
        "fields",
        "objects",
        "fetches",
        "fields",
        "mqd",
        "queues",
        "callbacks"
    );
    for operations in operations {
        row(&prefix, &program, *operations)?;
    }
    println!(
        "\ndump: `mqd dump -json` in gdb; queues: without JSON; callbacks: the reads as the \
         debug DLL has them made;\nfetches: the same reads alone, \
         some of them 64 KiB; objects: each operation by a read of its own; fields: each field of \
         each operation;\nmqd: `mqd dump --format json`, process start included. The last two are \
         queues to objects and callbacks to fetches"
    );
    Ok(())
}

fn row(prefix: &Prefix, program: &Path, operations: u64) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let mut job = Job::start(prefix, 2, program, |mpiexec| {
        mpiexec
            .args([operations.to_string(), "1".to_owned()])
            .env("MQD_EXPECT_DIR", directory.path())
            .current_dir(directory.path())
            .stdout(Stdio::null())
    })?;
    let begin = Instant::now();
    let ready =
        || (0..2).all(|rank| directory.path().join(format!("rank-{rank}/expect.json")).exists());
    while !ready() {
        ensure!(begin.elapsed() < Duration::from_secs(300), "the job does not get ready");
        std::thread::sleep(Duration::from_millis(50));
    }

    let pid = job.pid().to_string();
    let mut ours = None;
    let mut rank = None;
    for _ in 0..RUNS {
        let begin = Instant::now();
        let text = workspace::output(
            prefix.command("mqd").args(["dump", "--job", &pid, "--rank", "0", "--format", "json"]),
        )?;
        let took = begin.elapsed();
        ours = Some(ours.map_or(took, |best: Duration| best.min(took)));
        let report: Value = serde_json::from_str(&text)?;
        rank = report["processes"][0]["pid"].as_u64();
    }
    let (ours, rank) = (ours.context("no run")?, rank.context("no pid")?);

    let measure = directory.path().join("measure.py");
    fs::write(&measure, MEASURE)?;
    let mut gdb = workspace::command("gdb");
    gdb.args(["-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex"])
        .arg(format!("source {}", prefix.directory.join("share/mqd/gdb/mqd.py").display()))
        .args(["-ex", &format!("attach {rank}"), "-x"])
        .arg(&measure)
        .env("REPORT", directory.path().join("report.json"))
        .env("RUNS", RUNS.to_string())
        .stdin(Stdio::null());
    let output = workspace::output(&mut gdb)?;
    let line = output
        .lines()
        .find_map(|line| line.strip_prefix("measured "))
        .with_context(|| format!("gdb did not measure: {output}"))?;
    let measured: Value = serde_json::from_str(line)?;
    let milliseconds = |name: &str| {
        measured[name]
            .as_f64()
            .map(|seconds| seconds * 1e3)
            .with_context(|| format!("no {name}: {line}"))
    };
    let (dump, queues, callbacks) =
        (milliseconds("dump")?, milliseconds("queues")?, milliseconds("callbacks")?);
    let (fetches, objects, fields) =
        (milliseconds("fetches")?, milliseconds("objects")?, milliseconds("fields")?);
    println!(
        "{:>10} {dump:>7.1} {queues:>7.1} {callbacks:>9.2} {fetches:>8.2} {objects:>8.1} \
         {fields:>8.1} | {:>7.2} {:>7.1} {:>7.2} {:>8.2} | {:>7.2} {:>9.2}",
        measured["operations"].to_string(),
        dump / objects,
        dump / fetches,
        dump / fields,
        dump / (ours.as_secs_f64() * 1e3),
        queues / objects,
        callbacks / fetches,
    );
    job.end()?;
    Ok(())
}
