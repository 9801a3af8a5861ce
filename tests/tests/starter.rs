//! `mpiexec` as a debugger sees it: the MPIR Process Acquisition Interface, used by gdb.

use std::fs;
use std::process::Stdio;

use mqd_tests::{Running, command, compile, mpiexec, prefix, run, text, wait_for};
use nix::sys::signal::Signal;

/// Runs gdb on `mpiexec` with commands, one a line. Returns what it printed.
fn gdb(commands: &str, arguments: &[&str]) -> String {
    let directory = tempfile::tempdir().expect("there is room");
    let file = directory.path().join("commands");
    fs::write(&file, commands).expect("it can be written");
    let mut gdb = command("gdb");
    gdb.args(["-q", "-nx", "-batch", "-x", text(&file)]).args(arguments).stdin(Stdio::null());
    let (code, stdout, stderr) = run(&mut gdb);
    assert_eq!(code, 0, "{stdout}\n{stderr}");
    stdout
}

#[test]
fn a_debugger_that_starts_the_job_sees_the_ranks_before_they_run() {
    let mpiexec = prefix().program("mpiexec");
    let directory = tempfile::tempdir().expect("there is room");
    let program = compile(
        directory.path(),
        "#include <mpi.h>\n#include <stdio.h>\nint main(int argc, char **argv) { int rank; \
         MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\nprintf(\"released \
         %d\\n\", rank); return MPI_Finalize(); }\n",
    );
    let commands = "\
set language c
set confirm off
break main
run
set var MPIR_being_debugged = 1
break MPIR_Breakpoint
continue
ptype MPIR_proctable
printf \"state %d size %d\\n\", MPIR_debug_state, MPIR_proctable_size
set $rank = 0
while $rank < MPIR_proctable_size
  printf \"rank %d: %s %s\\n\", $rank, MPIR_proctable[$rank].host_name, \
                    MPIR_proctable[$rank].executable_name
  printf \"pid %d\\n\", MPIR_proctable[$rank].pid
  eval \"shell echo alive $(test -d /proc/%d && echo yes)\", MPIR_proctable[$rank].pid
  set $rank = $rank + 1
end
echo now\\n
continue
";
    let stdout = gdb(commands, &["--args", text(&mpiexec), "-n", "3", text(&program)]);
    let (before, after) = stdout.split_once("now\n").expect("gdb gets there");
    for line in [
        "type = struct {",
        "    char *host_name;",
        "    char *executable_name;",
        "    int pid;",
        "state 1 size 3",
    ] {
        assert!(before.lines().any(|other| other == line), "no line {line:?} in:\n{before}");
    }
    let host =
        nix::unistd::gethostname().expect("there is one").into_string().expect("it is ASCII");
    for rank in 0..3 {
        let line = format!("rank {rank}: {host} {}", text(&program));
        assert!(before.lines().any(|other| other == line), "no line {line:?} in:\n{before}");
    }
    assert_eq!(before.matches("alive yes").count(), 3, "{before}");
    assert!(!before.contains("released"), "the ranks were held: {before}");
    for rank in 0..3 {
        assert!(after.contains(&format!("released {rank}\n")), "{after}");
    }
}

#[test]
fn a_debugger_that_comes_later_finds_the_ranks() {
    let mut job =
        Running::start(&mut mpiexec(&["-n", "2", "sh", "-c", "echo pid $$ ; exec sleep 1000"]));
    let mut ranks = job.wait_for_numbers("pid", 2);
    let commands = "\
set language c
printf \"state %d size %d starter %d\\n\", MPIR_debug_state, MPIR_proctable_size, MPIR_i_am_starter
printf \"pid %d\\npid %d\\n\", MPIR_proctable[0].pid, MPIR_proctable[1].pid
detach
";
    // gdb may attach between two signals while the launcher starts.
    let pid = job.child.id().to_string();
    let stdout = wait_for("the table is filled", || {
        Some(gdb(commands, &["-p", &pid]))
            .filter(|stdout| stdout.contains("state 1 size 2 starter 0"))
    });
    let mut table: Vec<u32> =
        stdout.lines().filter_map(|line| line.strip_prefix("pid ")?.parse().ok()).collect();
    ranks.sort_unstable();
    table.sort_unstable();
    assert_eq!(table, ranks);
    job.signal(Signal::SIGTERM);
    assert_eq!(job.wait(), 128 + Signal::SIGTERM as i32);
}

#[test]
fn a_debugger_learns_why_a_job_ends_early() {
    let commands = "\
set language c
set confirm off
break MPIR_Breakpoint
run
continue
printf \"state %d: %s\\n\", MPIR_debug_state, MPIR_abort_string
continue
";
    let mpiexec = prefix().program("mpiexec");
    let stdout = gdb(commands, &["--args", text(&mpiexec), "-n", "2", "sh", "-c", "exit 3"]);
    let line = stdout.lines().find(|line| line.starts_with("state ")).expect("gdb gets there");
    assert!(line.starts_with("state 2: rank ") && line.contains("exited with code 3"), "{line}");
}

#[test]
fn symbols_are_there_without_debug_information() {
    let (code, names, _) =
        run(command("nm").args(["-D", "--defined-only", "-j"]).arg(prefix().program("mpiexec")));
    assert_eq!(code, 0);
    for name in [
        "MPIR_proctable",
        "MPIR_proctable_size",
        "MPIR_debug_state",
        "MPIR_Breakpoint",
        "MPIR_being_debugged",
        "MPIR_i_am_starter",
        "MPIR_abort_string",
    ] {
        assert!(names.lines().any(|line| line == name), "{name} is not in .dynsym");
    }
    // Debuggers recognise ranks by this symbol, and the launcher is not a rank.
    assert!(!names.contains("MPIR_dll_name"));
    let (_, all, _) = run(command("nm").arg("-j").arg(prefix().program("mpiexec")));
    assert!(
        !all.lines().any(|name| name.starts_with("MPI_") || name.starts_with("PMPI_")),
        "no MPI library in the launcher"
    );
}
