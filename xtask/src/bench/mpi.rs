//! The times of the companion runtime, Open MPI and MPICH in the same run, and the cost of PERUSE.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Result, bail, ensure};

use testkit::packages;
use testkit::prefix::Prefix;
use testkit::workspace::{self, Profile, root, target};

/// A figure of a run: the case, its bytes, and its time in microseconds.
type Figure = (String, usize, f64);

/// An MPI that takes part.
struct Contestant {
    name: &'static str,
    mpiexec: PathBuf,
    arguments: &'static [&'static str],
    program: PathBuf,
    /// The arguments of the program.
    how: Vec<PathBuf>,
    runs: Vec<Vec<Figure>>,
}

/// Messages of this size and up are shown by their bandwidth, in bytes.
const LARGE: usize = 64 << 10;

/// Measures latency and bandwidth between two ranks, then collective operations, windows and files
/// among each number of ranks. The companion runtime, Open MPI and MPICH take turns.
///
/// # Errors
///
/// When a compiler or launcher is missing or fails.
pub(crate) fn run(repetitions: usize, ranks: &[usize]) -> Result<()> {
    packages::ensure(&["openmpi-bin", "libopenmpi-dev", "mpich", "libmpich-dev"]);
    let prefix = Prefix::lay_out(Profile::Release, &target().join("dist"))?;
    println!(
        "the best of {repetitions} runs, taking turns; ratio: our time to that of the better of \
         the other two (< 1: faster), of the best runs and of the medians. Runs differ in how the \
         system places the ranks"
    );
    compare(&prefix, "pingpong", repetitions, 2)?;
    ranks.iter().try_for_each(|&ranks| compare(&prefix, "speed", repetitions, ranks))
}

/// Runs a program of `fixtures/` with each MPI, and shows its figures.
fn compare(prefix: &Prefix, name: &str, repetitions: usize, ranks: usize) -> Result<()> {
    let work = tempfile::tempdir()?;
    let contestant = |mpi, mpicc: PathBuf, mpiexec: PathBuf, arguments| -> Result<Contestant> {
        let program = work.path().join(format!("{name}-{mpi}"));
        let source = root().join("fixtures").join(name).with_extension("c");
        workspace::output(
            workspace::command(mpicc).args(["-O2"]).arg(source).arg("-o").arg(&program),
        )?;
        let how = vec![work.path().join("file")];
        Ok(Contestant { name: mpi, mpiexec, arguments, program, how, runs: Vec::new() })
    };
    let mut contestants = [
        contestant("ours", prefix.program("mpicc"), prefix.program("mpiexec"), &[])?,
        contestant(
            "openmpi",
            "mpicc.openmpi".into(),
            "mpiexec.openmpi".into(),
            &["--oversubscribe"],
        )?,
        contestant("mpich", "mpicc.mpich".into(), "mpiexec.mpich".into(), &[])?,
    ];
    for _ in 0..repetitions {
        for contestant in &mut contestants {
            let run = measure(contestant, ranks)?;
            contestant.runs.push(run);
        }
    }
    let [ours, openmpi, mpich] = &contestants;
    println!(
        "\n{:>16} {:>8} {:>15} {:>15} {:>15} {:>6} {:>7}",
        format!("{ranks} ranks"),
        "bytes",
        ours.name,
        openmpi.name,
        mpich.name,
        "ratio",
        "median"
    );
    for (row, (what, bytes, _)) in ours.runs.first().into_iter().flatten().enumerate() {
        let ratio = |[ours, openmpi, mpich]: [f64; 3]| ours / openmpi.min(mpich);
        let all = [ours, openmpi, mpich];
        let medians = ratio(all.map(|contestant| median(&contestant.runs, row)));
        let times = all.map(|contestant| best(&contestant.runs, row));
        let ratio = ratio(times);
        let [ours, openmpi, mpich] = times.map(|microseconds| match *bytes {
            LARGE.. => format!("{:.2} GB/s", *bytes as f64 / microseconds / 1e3),
            _ => format!("{microseconds:.3} us"),
        });
        println!(
            "{what:>16} {bytes:>8} {ours:>15} {openmpi:>15} {mpich:>15} {ratio:>6.2} {medians:>7.2}"
        );
    }
    Ok(())
}

/// One run of the program: the best time of each case.
fn measure(contestant: &Contestant, ranks: usize) -> Result<Vec<Figure>> {
    let mut command = workspace::command(&contestant.mpiexec);
    command
        .args(contestant.arguments)
        .args(["-n", &ranks.to_string()])
        .arg(&contestant.program)
        .args(&contestant.how)
        .stdin(Stdio::null());
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let text = workspace::output(&mut command)?;
    let lines = text.lines().filter(|line| line.contains(" best "));
    let figures: Vec<Figure> = lines
        .map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
            [what, bytes, "best", best, ..] => Ok((what.to_owned(), bytes.parse()?, best.parse()?)),
            _ => bail!("no figure in: {line}"),
        })
        .collect::<Result<_>>()?;
    ensure!(!figures.is_empty(), "{} printed no figures: {text}", contestant.name);
    Ok(figures)
}

/// One case's times in all runs.
fn times(runs: &[Vec<Figure>], row: usize) -> impl Iterator<Item = f64> {
    runs.iter().filter_map(move |run| run.get(row)).map(|&(_, _, time)| time)
}

/// The best over the runs of one case's times.
fn best(runs: &[Vec<Figure>], row: usize) -> f64 {
    times(runs, row).fold(f64::NAN, f64::min)
}

/// The median over the runs of one case's times.
fn median(runs: &[Vec<Figure>], row: usize) -> f64 {
    let mut values: Vec<f64> = times(runs, row).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What PERUSE costs: ping-pong without it, initialised, with handles that are not active, with
/// active ones; they take turns.
///
/// # Errors
///
/// When building or a run fails.
pub(crate) fn peruse(repetitions: usize) -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Release, &target().join("dist"))?;
    let work = tempfile::tempdir()?;
    let program = work.path().join("pingpong");
    prefix.compile(&[root().join("fixtures/peruse_pingpong.c")], &program, &["-O2"])?;
    let mut contestants = ["none", "init", "inactive", "one", "all"].map(|name| Contestant {
        name,
        mpiexec: prefix.program("mpiexec"),
        arguments: &[],
        program: program.clone(),
        how: vec![name.into()],
        runs: Vec::new(),
    });
    for _ in 0..repetitions {
        for contestant in &mut contestants {
            let run = measure(contestant, 2)?;
            contestant.runs.push(run);
        }
    }

    println!(
        "one way, the best of a run, median of {repetitions} runs that take turns; ratio: to the \
         time without PERUSE\n"
    );
    println!("{:>10} {:>12} {:>12} {:>7}", "bytes", "PERUSE", "time", "ratio");
    for (row, (_, bytes, _)) in contestants[0].runs.first().into_iter().flatten().enumerate() {
        let without = median(&contestants[0].runs, row);
        for contestant in &contestants {
            let time = median(&contestant.runs, row);
            println!("{bytes:>10} {:>12} {time:>9.4} us {:>7.3}", contestant.name, time / without);
        }
    }
    println!(
        "\nnone: not touched; init: PERUSE_Init; inactive: a handle for each of the 16 events; \
         one, all: so many of them activated"
    );
    Ok(())
}
