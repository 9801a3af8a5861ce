//! `cargo xtask layouts`: compares the layout tables that come with `mqd` with builds of Open MPI
//! with debug information.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use testkit::job::{Job, PATIENCE};
use testkit::mpi::Mpi;
use testkit::open_mpi::{WITH_DEBUG_INFORMATION, with_debug_information};
use testkit::prefix::Prefix;
use testkit::record::records;
use testkit::recorded::ReadFrom;
use testkit::truth::Truth;
use testkit::workspace::{self, Profile, target};

/// Seeds of the random programs that each build is checked with, read with its own types.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=20;

/// Builds what is missing, extracts a table from each build, compares the shipped table with its
/// types and with a running process, and reads random programs by the types.
///
/// # Errors
///
/// When a build or a comparison fails.
pub(crate) fn run() -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Release, &target().join("dist"))?;
    for release in WITH_DEBUG_INFORMATION {
        let directory = with_debug_information(release)?;
        // Components are files of their own in 4.1, a part of the library in 5.0.
        let files =
            ["lib/libmpi.so", "lib/openmpi/mca_pml_ob1.so"].map(|file| directory.join(file));
        let files: Vec<PathBuf> = files.into_iter().filter(|file| file.exists()).collect();
        println!("== Open MPI {release}: a table made from its debug information");
        let made = target().join("open-mpi").join(format!("openmpi-{release}.layout"));
        workspace::run(
            prefix.command("mqd").args(["layout", "extract", "--output"]).arg(&made).args(&files),
        )?;
        println!("{}", made.display());

        let (series, _) = release.rsplit_once('.').context("a release has a series")?;
        let table = format!("openmpi-{series}");
        println!(
            "== Open MPI {release}: the table {table}, which comes with mqd, against the types"
        );
        workspace::run(
            prefix.command("mqd").args(["layout", "verify", "--table", &table]).args(&files),
        )?;

        let mpi = Mpi::named(&format!("openmpi-{release}-debug"), &prefix)?;
        println!("== Open MPI {release}: both tables against a process");
        against_process(&prefix, &mpi, &[&table, &made.display().to_string()])?;

        println!("== Open MPI {release}: random programs, read by the types");
        let truth = Truth::new(&prefix, mpi)?;
        for seed in SEEDS {
            let from = if seed % 5 == 0 { ReadFrom::LiveAndCores } else { ReadFrom::Live };
            let wrong = truth.check(seed, from)?;
            ensure!(wrong.is_empty(), "seed {seed}: {}", wrong.lines().join("\n"));
        }
        println!("{} seeds, no mismatch", SEEDS.count());
    }
    Ok(())
}

fn against_process(prefix: &Prefix, mpi: &Mpi, tables: &[&str]) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let program = mpi.compile("receives", directory.path())?;
    let launch = mpi.launch(2, &program, &[], directory.path());
    let mut job = Job::launch_logged(launch, directory.path())?;
    job.wait_for(directory.path(), PATIENCE, || records(directory.path(), 2))?;
    let mut dump = prefix.command("mqd");
    dump.args(["dump", "--format", "json", "--stats", "--job", &job.pid().to_string()])
        .stdin(Stdio::null());
    let output = dump.output()?;
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let stats = errors.lines().find_map(|line| serde_json::from_str::<Value>(line).ok());
    let fields = stats.as_ref().and_then(|stats| stats["field_lookups"].as_u64()).unwrap_or(0);
    ensure!(fields > 0, "the DLL asked for no field: it did not read by the types. {errors}");
    println!("read by the types: {fields} fields looked up");
    let pid = report["processes"][0]["pid"].to_string();
    for table in tables {
        workspace::run(
            prefix.command("mqd").args(["layout", "verify", "--table", table, "--pid", &pid]),
        )?;
    }
    job.end()?;
    Ok(())
}
