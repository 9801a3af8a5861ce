//! `cargo xtask bench mpi_t`: what the tool information interface costs, in-process, with Open
//! MPI's in the same run.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use testkit::packages;
use testkit::prefix::Prefix;
use testkit::workspace::{self, Profile, root, target};

/// A line of the program: what was measured, with how many handles, nanoseconds.
type Figure = (String, u32, f64);

/// A variable of each kind that is read without looking anything up, and one whose value is
/// computed.
const OURS: [&str; 4] =
    ["messages_sent", "comm_unexpected_messages", "matching_time", "mean_search_length"];

/// A level that is bound to a communicator, as is one of ours.
const OPEN_MPI: [&str; 1] = ["pml_ob1_unexpected_msgq_length"];

/// Nanoseconds for a read, and for a message while variables that it updates have 0, 1 and 100
/// handles.
///
/// # Errors
///
/// When building, a compiler or a launcher fails.
pub(crate) fn run() -> Result<()> {
    packages::ensure(&["openmpi-bin", "libopenmpi-dev"]);
    let prefix = Prefix::lay_out(Profile::Release, &target().join("dist"))?;
    let work = tempfile::tempdir()?;
    let program = |name: &str, mpicc: PathBuf| -> Result<PathBuf> {
        let program = work.path().join(name);
        let source = root().join("fixtures/mpi_t_cost.c");
        workspace::output(
            workspace::command(mpicc).args(["-O2"]).arg(source).arg("-o").arg(&program),
        )?;
        Ok(program)
    };
    let ours = program("ours", prefix.program("mpicc"))?;
    let theirs = program("openmpi", "mpicc.openmpi".into())?;
    let mut ours = workspace::command(ours);
    let mut theirs = workspace::command(theirs);
    let ours = figures(ours.arg("MQDRT_CVAR_EAGER_LIMIT").args(OURS))?;
    let theirs = figures(theirs.arg("mpi_param_check").args(OPEN_MPI))?;

    println!("nanoseconds, the best of 15 rounds\n");
    println!("{:<44} {:>8} {:>8}", "a read of", "handles", "ns");
    for (library, figures) in [("ours", &ours), ("openmpi", &theirs)] {
        for (what, handles, time) in figures.iter().filter_map(|figure| of("read", figure)) {
            println!("{:<44} {handles:>8} {time:>8.1}", format!("{library}: {what}"));
        }
    }
    let level = |figures: &[Figure], name: &str| {
        let found =
            figures.iter().filter_map(|figure| of("read", figure)).find(|(what, ..)| *what == name);
        found.map(|(.., time)| time).with_context(|| format!("no figure of {name}"))
    };
    let ratio = level(&ours, OURS[1])? / level(&theirs, OPEN_MPI[0])?;
    println!("\nour level of a communicator to Open MPI's: {ratio:.2} (< 1: faster)");
    println!(
        "\n{:<44} {:>8} {:>8} {:>8}",
        "a message to oneself, started handles of a", "0", "1", "100"
    );
    for kind in ["counter", "watermark", "timer"] {
        let times: Vec<f64> = ours
            .iter()
            .filter_map(|figure| of("update", figure))
            .filter(|(what, ..)| *what == kind)
            .map(|(.., time)| time)
            .collect();
        ensure!(times.len() == 3, "the program gave {} figures for {kind}", times.len());
        println!("{kind:<44} {:>8.1} {:>8.1} {:>8.1}", times[0], times[1], times[2]);
    }
    Ok(())
}

fn of<'a>(kind: &str, (what, handles, time): &'a Figure) -> Option<(&'a str, u32, f64)> {
    what.strip_prefix(kind).map(|what| (what.trim_start(), *handles, *time))
}

fn figures(program: &mut Command) -> Result<Vec<Figure>> {
    program
        .stdin(Stdio::null())
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let text = workspace::output(program)?;
    let line = |line: &str| -> Option<Figure> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [kind, what, handles, time] = words[..] else { return None };
        Some((format!("{kind} {what}"), handles.parse().ok()?, time.parse().ok()?))
    };
    text.lines().map(|text| line(text).with_context(|| format!("no figure in: {text}"))).collect()
}
