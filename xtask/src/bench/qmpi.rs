//! What an MPI call costs with no tool, with QMPI tools, and with a PMPI tool, beside the plain
//! call of MPICH and Open MPI.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use testkit::packages;
use testkit::prefix::Prefix;
use testkit::workspace::{self, Profile, root, target};

/// A way of making the call.
struct Case {
    name: &'static str,
    mpiexec: PathBuf,
    program: PathBuf,
    /// QMPI tools.
    tools: usize,
    /// Nanoseconds for a call in each run.
    runs: Vec<f64>,
}

/// Nanoseconds for a call of `MPI_Comm_rank`.
///
/// # Errors
///
/// When a compiler or launcher is missing or fails.
pub(crate) fn run(repetitions: usize) -> Result<()> {
    packages::ensure(&["openmpi-bin", "libopenmpi-dev", "mpich", "libmpich-dev"]);
    let prefix = Prefix::lay_out(Profile::Release, &target().join("dist"))?;
    let work = tempfile::tempdir()?;
    let compile = |mpicc: &Path, name: &str, arguments: &[&str]| -> Result<PathBuf> {
        let program = work.path().join(name);
        let mut mpicc = workspace::command(mpicc);
        mpicc
            .arg("-O2")
            .arg(root().join("fixtures/calls.c"))
            .args(arguments)
            .arg("-o")
            .arg(&program);
        workspace::output(&mut mpicc)?;
        Ok(program)
    };
    let (mpicc, mpiexec) = (prefix.program("mpicc"), prefix.program("mpiexec"));
    let tool = root().join("fixtures/pass.c");
    let tool = tool.to_str().context("the workspace's path is no text")?;
    let plain = compile(&mpicc, "plain", &[])?;
    let tooled = compile(&mpicc, "tooled", &[tool])?;
    let wrapped = compile(&mpicc, "wrapped", &["-DWRAPPER", tool])?;
    let case = |name, mpiexec: &Path, program: &Path, tools| Case {
        name,
        mpiexec: mpiexec.to_owned(),
        program: program.to_owned(),
        tools,
        runs: Vec::new(),
    };
    let mut cases = vec![
        case("no tool", &mpiexec, &plain, 0),
        case("a QMPI tool that is not asked for", &mpiexec, &tooled, 0),
        case("1 QMPI tool", &mpiexec, &tooled, 1),
        case("3 QMPI tools", &mpiexec, &tooled, 3),
        case("5 QMPI tools", &mpiexec, &tooled, 5),
        case("a PMPI tool", &mpiexec, &wrapped, 0),
        case("a PMPI tool above 5 QMPI tools", &mpiexec, &wrapped, 5),
    ];
    for (mpi, name, with_tool) in [
        ("mpich", "MPICH, no tool", "MPICH, a PMPI tool"),
        ("openmpi", "Open MPI, no tool", "Open MPI, a PMPI tool"),
    ] {
        let (mpicc, mpiexec) = (format!("mpicc.{mpi}"), format!("mpiexec.{mpi}"));
        let plain = compile(mpicc.as_ref(), mpi, &[])?;
        let wrapped = compile(mpicc.as_ref(), &format!("{mpi}-wrapped"), &["-DWRAPPER"])?;
        cases.push(case(name, mpiexec.as_ref(), &plain, 0));
        cases.push(case(with_tool, mpiexec.as_ref(), &wrapped, 0));
    }
    for _ in 0..repetitions {
        for case in &mut cases {
            case.runs.push(measure(case)?);
        }
    }
    println!(
        "MPI_Comm_rank, best of {repetitions} runs, taking turns; tools only pass the call on; \
         ratio: to MPICH's plain call (< 1: faster)\n"
    );
    let best = |case: &Case| case.runs.iter().copied().fold(f64::INFINITY, f64::min);
    let peer = cases.iter().find(|case| case.name == "MPICH, no tool").map_or(f64::NAN, best);
    for case in &cases {
        println!("{:<36} {:>6.2} ns {:>6.2}", case.name, best(case), best(case) / peer);
    }
    Ok(())
}

/// One run of the program.
fn measure(case: &Case) -> Result<f64> {
    let mut command: Command = workspace::command(&case.mpiexec);
    command.args(["-n", "1"]).arg(&case.program).stdin(Stdio::null());
    command.env("QMPI_TOOLS", vec!["pass"; case.tools].join(":"));
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let text = workspace::output(&mut command)?;
    let figure = text
        .lines()
        .find_map(|line| line.strip_prefix("ns "))
        .context("the program printed no figure")?;
    Ok(figure.parse()?)
}
