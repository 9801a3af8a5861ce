//! Tables that `mqd layout learn` makes of real libraries.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use mqd_tests::{mpi, prefix, run, text};
use testkit::workspace::target;

/// The lines of a table, by structure. The line of a structure is the first of its lines.
fn structures(table: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut name = None;
    for line in table.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        if let Some(rest) = line.strip_prefix("struct ") {
            name = rest.split_once(' ').map(|(name, _)| name.to_owned());
        }
        if let Some(name) = &name {
            found.entry(name.clone()).or_default().push(line.to_owned());
        }
    }
    found
}

/// Starts `mqd layout learn` with the launcher of a release of MPICH from PyPI.
fn learn(release: &str, like: &str, output: &Path, temporary: &Path) -> Command {
    let _ = mpi(&format!("mpich-{release}"));
    let mut mqd = prefix().command("mqd");
    mqd.args(["layout", "learn", "--like", like, "-o", text(output), "--"]);
    mqd.arg(target().join("mpich").join(release).join("bin/mpiexec"));
    mqd.env("TMPDIR", temporary);
    mqd
}

/// Fields at the same place may be in any order. How UCX's receives are unpacked is not learned.
fn sorted(lines: &[String]) -> Vec<&String> {
    let mut lines: Vec<_> = lines.iter().filter(|line| !line.contains(".ucx.s.")).collect();
    lines.sort();
    lines
}

fn shipped(name: &str) -> BTreeMap<String, Vec<String>> {
    let mut mqd = prefix().command("mqd");
    let (code, table, stderr) = run(mqd.args(["layout", "show", name]));
    assert_eq!(code, 0, "{stderr}");
    structures(&table)
}

/// The table of 4.3 came from the sources and from a look at the objects by hand. The one of 4.2,
/// to begin with, has other pools, sizes and offsets, and another form of the envelope.
#[test]
fn a_release_from_the_table_of_another_one() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let output = directory.path().join("learned.layout");
    let (code, _, stderr) = run(&mut learn("4.3.2", "mpich-4.2", &output, temporary.path()));
    assert_eq!(code, 0, "{stderr}");
    assert!(fs::read_dir(temporary.path()).expect("it is there").next().is_none());
    let learned = fs::read_to_string(&output).expect("the table is written");
    assert!(!learned.contains(".ucx.s."), "{learned}");
    let learned = structures(&learned);
    let (right, before) = (shipped("mpich-4.3"), shipped("mpich-4.2"));
    for name in ["MPIR_Object_alloc_t", "MPIR_Comm", "MPIR_Request", "MPIDIG_req_ext_t"] {
        assert_eq!(sorted(&learned[name]), sorted(&right[name]), "{name}");
        assert_ne!(before[name], right[name], "{name} shows nothing");
    }
    // With the cells of 4.2 the second run cannot be counted, so those of other tables are tried.
    let cells = "MPIDU_genqi_shmem_pool_s";
    assert_eq!(learned[cells], right[cells]);
    assert_ne!(before[cells], right[cells]);
}

/// A field that no value tells is as far from its neighbour as in the table to begin with. If that
/// is wrong there, the second run shows it, and no table is written.
#[test]
fn a_wrong_table_is_refused() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let mut mqd = prefix().command("mqd");
    let (_, table, _) = run(mqd.args(["layout", "show", "mpich-4.3"]));
    let wrong = table.replace("  dev.type 248 4\n", "  dev.type 252 4\n");
    assert_ne!(table, wrong);
    let like = directory.path().join("like.layout");
    fs::write(&like, wrong).expect("the directory is writable");
    let output = directory.path().join("learned.layout");
    let (code, _, stderr) = run(&mut learn("4.3.2", text(&like), &output, temporary.path()));
    assert_eq!(code, 4, "{stderr}");
    assert!(stderr.contains("a second run shows that it is wrong: rank 0"), "{stderr}");
    assert!(!output.exists());
    assert!(fs::read_dir(temporary.path()).expect("it is there").next().is_none());
}

/// A library that is not made of MPICH.
#[test]
fn another_library_is_refused() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let output = directory.path().join("learned.layout");
    let mut mqd = prefix().command("mqd");
    mqd.args(["layout", "learn", "-o", text(&output), "--"]).arg(prefix().program("mpiexec"));
    let (code, _, stderr) = run(mqd.env("TMPDIR", directory.path()));
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("is not of MPICH's family"), "{stderr}");
    assert!(fs::read_dir(directory.path()).expect("it is there").next().is_none());
}
