//! `mpiexec`: output, input, exit codes, signals, and that nothing is left behind. Most ranks are
//! shell scripts, because the launcher does not need MPI programs.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::process::Stdio;

use mqd_tests::{Running, command, compile, is_running, mpiexec, run, send, state, text, wait_for};
use nix::sys::signal::Signal;

/// Arguments for `n` ranks of a shell script.
fn script<'a>(n: &'a str, text: &'a str) -> [&'a str; 5] {
    ["-n", n, "sh", "-c", text]
}

#[test]
fn lines_of_different_ranks_do_not_mix() {
    // Each line is written in three pieces.
    let program = "i=0; while [ $i -lt 300 ]; do printf 'rank %s ' $MQDRT_RANK; printf 'line %s ' \
                   $i; echo end; i=$((i+1)); done";
    let (code, stdout, stderr) = run(&mut mpiexec(&script("4", program)));
    assert_eq!((code, stderr.as_str()), (0, ""));
    let mut next = BTreeMap::new();
    for line in stdout.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let ["rank", rank, "line", number, "end"] = words[..] else {
            panic!("a mixed line: {line:?}")
        };
        let expected: &mut usize = next.entry(rank.to_owned()).or_default();
        assert_eq!(number, expected.to_string(), "a rank's lines are in order");
        *expected += 1;
    }
    let ranks: Vec<(&str, usize)> =
        next.iter().map(|(rank, lines)| (rank.as_str(), *lines)).collect();
    assert_eq!(ranks, [("0", 300), ("1", 300), ("2", 300), ("3", 300)]);
}

#[test]
fn output_passes_byte_for_byte() {
    let (code, stdout, stderr) = run(&mut mpiexec(&["printf", r"one\n\ntwo"]));
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "one\n\ntwo", ""));
    let (_, stdout, stderr) =
        run(&mut mpiexec(&script("1", "echo out; echo err >&2; printf more >&2")));
    assert_eq!((stdout.as_str(), stderr.as_str()), ("out\n", "err\nmore"));
    // One long line, much more than pipes hold.
    let (code, stdout, _) =
        run(&mut mpiexec(&script("1", "head -c 3000000 /dev/zero | tr '\\0' x")));
    assert_eq!((code, stdout.len()), (0, 3_000_000));
    // Unfinished last lines of several ranks stay apart.
    let (_, stdout, _) = run(&mut mpiexec(&script("3", "printf %s unfinished")));
    assert_eq!(stdout, "unfinished\nunfinished\nunfinished");
}

#[test]
fn lines_are_tagged_when_asked() {
    let (code, stdout, stderr) =
        run(mpiexec(&["-tag-output"]).args(script("2", "echo a; echo b; echo c >&2")));
    let mut lines: Vec<&str> = stdout.lines().collect();
    lines.sort_unstable();
    assert_eq!((code, lines), (0, vec!["[0] a", "[0] b", "[1] a", "[1] b"]));
    assert!(stderr.contains("[0] c\n") && stderr.contains("[1] c\n"), "{stderr}");
}

#[test]
fn input_goes_to_rank_0() {
    let mut command = mpiexec(&script("2", "echo $MQDRT_RANK:$(cat)"));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("mpiexec can be started");
    child.stdin.take().expect("it is piped").write_all(b"what was typed").expect("rank 0 reads");
    let output = child.wait_with_output().expect("mpiexec ends");
    let mut lines: Vec<&str> =
        std::str::from_utf8(&output.stdout).expect("UTF-8").lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["0:what was typed", "1:"]);
}

#[test]
fn who_closes_our_output_stops_the_job() {
    let mut command = mpiexec(&["-n", "2", "yes"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("mpiexec can be started");
    drop(child.stdout.take());
    let status = wait_for("mpiexec ends", || child.try_wait().expect("it is our child"));
    assert_eq!(status.code(), Some(128 + Signal::SIGPIPE as i32), "as without mpiexec in between");
}

#[test]
fn the_exit_code_is_that_of_the_rank_that_fails() {
    assert_eq!(run(&mut mpiexec(&["-n", "3", "true"])), (0, String::new(), String::new()));
    // Rank 1 fails; the others would wait for ever.
    let program = "echo pid $$; [ $MQDRT_RANK = 1 ] && exit 7; exec sleep 1000";
    let (code, stdout, stderr) = run(&mut mpiexec(&script("3", program)));
    assert_eq!(code, 7);
    assert!(
        stderr.starts_with("mpiexec: rank 1 (process ") && stderr.contains("exited with code 7"),
        "{stderr}"
    );
    for pid in stdout.lines().filter_map(|line| line.strip_prefix("pid ")) {
        assert!(!is_running(pid.parse().expect("a number")), "rank {pid} is still there");
    }
    let (code, _, stderr) =
        run(&mut mpiexec(&script("2", "[ $MQDRT_RANK = 0 ] && kill -SEGV $$; exec sleep 1000")));
    assert_eq!(code, 128 + Signal::SIGSEGV as i32);
    assert!(stderr.contains("was killed by signal 11 (SIGSEGV"), "{stderr}");
    // A real-time signal has no name.
    let (code, _, stderr) = run(&mut mpiexec(&script("1", "kill -40 $$")));
    assert_eq!(code, 128 + 40, "{stderr}");
}

/// One rank does something, the others wait for a message that never comes.
fn one_leaves(what: &str) -> (i32, String, String) {
    let directory = tempfile::tempdir().expect("there is room");
    let source = "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
                  int main(int argc, char **argv) { int rank, x; MPI_Init(&argc, &argv); \
                  MPI_Comm_rank(MPI_COMM_WORLD, &rank); printf(\"in MPI\\n\");\nif (rank == 1) { \
                  LEAVE; }\nMPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); \
                  return MPI_Finalize(); }\n";
    let program = compile(directory.path(), &source.replace("LEAVE", what));
    run(&mut mpiexec(&["-n", "3", text(&program)]))
}

#[test]
fn a_rank_that_leaves_mpi_alone_ends_the_job() {
    let (code, stdout, stderr) = one_leaves("return 0");
    assert_eq!(code, 1);
    assert!(stdout.contains("in MPI\n"), "what it has printed is not lost: {stdout:?}");
    assert!(stderr.contains("rank 1 exits without having called MPI_Finalize"), "{stderr}");
    // Without `MPI_Finalize`, and without exit handlers.
    let (code, _, stderr) = one_leaves("_exit(0)");
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("rank 1") && stderr.contains("without MPI_Finalize"), "{stderr}");
    let (code, _, stderr) = one_leaves("MPI_Abort(MPI_COMM_SELF, 42)");
    assert_eq!(code, 42, "{stderr}");
    // An abort is a failure, whatever its code.
    let (code, _, stderr) = one_leaves("MPI_Abort(MPI_COMM_WORLD, 0)");
    assert_eq!(code, 1, "{stderr}");
    let (code, _, stderr) = one_leaves("exit(17)");
    assert_eq!(code, 17, "{stderr}");
}

#[test]
fn options_of_other_launchers_are_understood() {
    let sorted = |arguments: &[&str]| {
        let (code, stdout, stderr) = run(&mut mpiexec(arguments));
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        let mut lines: Vec<String> = stdout.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let print = "echo $A$B $MQDRT_RANK";
    let lines = sorted(&[
        "-l",
        "-ppn",
        "2",
        "--bind-to",
        "core",
        "--map-by",
        "slot",
        "-genv",
        "A",
        "1",
        "-host",
        "localhost:4",
        "--mca",
        "btl",
        "self",
        "-n",
        "2",
        "-env",
        "B",
        "2",
        "--",
        "sh",
        "-c",
        print,
        ":",
        "-n",
        "1",
        "--oversubscribe",
        "sh",
        "-c",
        print,
    ]);
    assert_eq!(lines, ["[0] 12 0", "[1] 12 1", "[2] 1 2"]);
    let directory = tempfile::tempdir().expect("there is room");
    let file = directory.path().join("programs");
    std::fs::write(&file, "# two programs\n-n 2 echo 'one  word'\n\n-n 1 echo two\n")
        .expect("it can be written");
    assert_eq!(sorted(&["-configfile", text(&file)]), ["one  word", "one  word", "two"]);
}

#[test]
fn what_is_not_understood_is_named() {
    for (arguments, word) in [
        (&["-nonsense", "true"][..], "-nonsense"),
        (&["-host", "elsewhere.example", "true"], "elsewhere.example"),
        (&["-configfile", "no-such-file"], "no-such-file"),
        (&["-timeout", "soon", "true"], "soon"),
        (&["-n", "2"], "no program"),
    ] {
        let (code, _, stderr) = run(&mut mpiexec(arguments));
        assert_eq!(code, 2, "{arguments:?}");
        assert!(stderr.contains(word), "{stderr}");
    }
}

#[test]
fn a_job_ends_when_its_time_is_over() {
    let (code, _, stderr) = run(&mut mpiexec(&["-timeout", "0.5", "-n", "2", "sleep", "1000"]));
    assert_eq!(code, 124, "{stderr}");
    assert!(stderr.contains("has not ended within"), "{stderr}");
    let (code, _, stderr) =
        run(mpiexec(&["-n", "1", "sleep", "1000"]).env("MPIEXEC_TIMEOUT", "0.5"));
    assert_eq!(code, 124, "{stderr}");
}

#[test]
fn a_program_that_cannot_be_started_is_named() {
    let (code, stdout, stderr) = run(&mut mpiexec(&["-n", "2", "no-such-program"]));
    assert_eq!((code, stdout.as_str()), (127, ""));
    assert!(stderr.contains("no-such-program") && stderr.contains("PATH"), "{stderr}");
    let (code, _, stderr) = run(&mut mpiexec(&["-n", "2", "/no/such/program"]));
    assert_eq!(code, 127);
    assert!(stderr.contains("there is no file /no/such/program"), "{stderr}");
    let (code, _, stderr) = run(&mut mpiexec(&["/etc/passwd"]));
    assert_eq!(code, 126, "{stderr}");
    let (code, _, stderr) = run(&mut mpiexec(&["-wdir", "/no/such/directory", "true"]));
    assert_eq!(code, 1);
    assert!(stderr.contains("there is no directory /no/such/directory"), "{stderr}");
    for wrong in [
        &["-n", "0", "true"][..],
        &["-n", "two", "true"],
        &["-n"],
        &["-unknown", "true"],
        &[],
        &["true", ":"],
    ] {
        let (code, _, stderr) = run(&mut mpiexec(wrong));
        assert_eq!(code, 2, "{wrong:?}");
        assert!(stderr.starts_with("mpiexec: "), "{stderr}");
    }
}

#[test]
fn several_programs_make_one_job() {
    let directory = tempfile::tempdir().expect("there is room");
    let directory = text(directory.path());
    let (code, stdout, stderr) = run(&mut mpiexec(&[
        "-n",
        "1",
        "-x",
        "GREETING=hello",
        "sh",
        "-c",
        "echo $MQDRT_RANK/$MQDRT_SIZE $GREETING $PWD", //
        ":",
        "-np",
        "2",
        "--wdir",
        directory,
        "-env",
        "GREETING",
        "good day",
        "sh",
        "-c",
        "echo $MQDRT_RANK/$MQDRT_SIZE $GREETING $PWD",
    ]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    let mut lines: Vec<&str> = stdout.lines().collect();
    lines.sort_unstable();
    let here = std::env::current_dir().expect("there is one");
    let expected = [
        format!("0/3 hello {}", here.display()),
        format!("1/3 good day {directory}"),
        format!("2/3 good day {directory}"),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn ranks_share_memory_that_has_no_name() {
    let before = fs::read_dir("/dev/shm").map(Iterator::count).unwrap_or(0);
    let program = "f=/proc/self/fd/$MQDRT_SEGMENT_FD; echo $(readlink $f) $(stat -L -c '%i %s' $f)";
    let (code, stdout, stderr) = run(&mut mpiexec(&script("3", program)));
    assert_eq!((code, stderr.as_str()), (0, ""));
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| *line == lines[0]), "one and the same: {lines:?}");
    assert!(
        lines[0].starts_with("/memfd:") && lines[0].ends_with(" 0"),
        "anonymous, and sized by the ranks: {lines:?}"
    );
    assert_eq!(fs::read_dir("/dev/shm").map(Iterator::count).unwrap_or(0), before);
}

#[test]
fn signals_go_to_every_rank() {
    for (signal, name) in [
        (Signal::SIGINT, "INT"),
        (Signal::SIGTERM, "TERM"),
        (Signal::SIGHUP, "HUP"),
        (Signal::SIGQUIT, "QUIT"),
        (Signal::SIGUSR1, "USR1"),
        (Signal::SIGUSR2, "USR2"),
    ] {
        let program = format!(
            "trap 'echo got {name} $MQDRT_RANK; exit 0' {name}; echo ready $MQDRT_RANK; while :; \
             do sleep 0.02; done"
        );
        let mut job = Running::start(&mut mpiexec(&script("2", &program)));
        job.wait_for_lines(&["ready 0", "ready 1"]);
        job.signal(signal);
        job.wait_for_lines(&[&format!("got {name} 0"), &format!("got {name} 1")]);
        assert_eq!(job.wait(), 0, "they chose to exit with 0");
    }
}

#[test]
fn a_signal_that_ends_the_ranks_is_the_exit_code() {
    let mut job = Running::start(&mut mpiexec(&script("2", "echo pid $$; exec sleep 1000")));
    let ranks = job.wait_for_numbers("pid", 2);
    job.signal(Signal::SIGTERM);
    assert_eq!(job.wait(), 128 + Signal::SIGTERM as i32);
    assert!(!ranks.into_iter().any(is_running));
    assert_eq!(job.stderr(), "", "it is what was asked for");
}

#[test]
fn ranks_that_do_not_listen_are_killed() {
    let deaf = "trap '' TERM INT; echo pid $$; while :; do sleep 0.02; done";
    // After the grace period.
    let mut job = Running::start(mpiexec(&["-grace", "0.2"]).args(script("2", deaf)));
    let ranks = job.wait_for_numbers("pid", 2);
    job.signal(Signal::SIGTERM);
    assert_eq!(job.wait(), 128 + Signal::SIGKILL as i32);
    assert!(!ranks.into_iter().any(is_running));
    // At once when asked again.
    let mut job = Running::start(mpiexec(&["-grace", "1000000"]).args(script("2", deaf)));
    let ranks = job.wait_for_numbers("pid", 2);
    job.signal(Signal::SIGINT);
    job.signal(Signal::SIGTERM);
    assert_eq!(job.wait(), 128 + Signal::SIGKILL as i32);
    assert!(!ranks.into_iter().any(is_running));
    // When another rank fails, also if they are stopped.
    let program = "[ $MQDRT_RANK = 0 ] && { read line; exit 5; }; trap '' TERM; echo pid $$; kill \
                   -STOP $$; while :; do sleep 0.02; done";
    let mut command = mpiexec(&["-grace", "0.2"]);
    let mut job = Running::start(command.args(script("2", program)).stdin(Stdio::piped()));
    let stopped = job.wait_for_numbers("pid", 1)[0];
    wait_for("rank 1 stops", || (state(stopped) == Some('T')).then_some(()));
    drop(job.child.stdin.take());
    assert_eq!(job.wait(), 5);
    assert!(!is_running(stopped));
}

#[test]
fn a_stopped_rank_is_not_dead() {
    let program = "trap 'echo usr1 $MQDRT_RANK' USR1; trap 'exit 0' USR2; echo pid $$; while :; \
                   do sleep 0.02; done";
    let mut job = Running::start(&mut mpiexec(&script("2", program)));
    let ranks = job.wait_for_numbers("pid", 2);
    send(ranks[0], Signal::SIGSTOP);
    wait_for("a rank stops", || (state(ranks[0]) == Some('T')).then_some(()));
    // The launcher has seen it, as it passes on what came later.
    job.signal(Signal::SIGUSR1);
    wait_for("the other rank goes on", || job.stdout().contains("usr1").then_some(()));
    assert_eq!(job.child.try_wait().expect("it is our child"), None);
    assert!(is_running(ranks[1]));
    send(ranks[0], Signal::SIGCONT);
    job.wait_for_lines(&["usr1 0", "usr1 1"]);
    job.signal(Signal::SIGUSR2);
    assert_eq!(job.wait(), 0);
    assert!(!job.stderr().contains("mpiexec:"), "{}", job.stderr());
}

#[test]
fn nothing_outlives_the_launcher() {
    // Killed without a chance to clean up.
    let mut job = Running::start(&mut mpiexec(&script(
        "3",
        "trap '' TERM INT HUP; echo pid $$; exec sleep 1000",
    )));
    let ranks = job.wait_for_numbers("pid", 3);
    job.child.kill().expect("it is our child");
    wait_for("the ranks die with it", || {
        (!ranks.iter().any(|&rank| is_running(rank))).then_some(())
    });
}

#[test]
fn nothing_outlives_its_rank() {
    // What a rank leaves in its process group ends with it, and does not keep mpiexec waiting for
    // its output.
    let (code, stdout, stderr) = run(&mut mpiexec(&script("2", "sleep 1000 & echo pid $!")));
    assert_eq!((code, stderr.as_str()), (0, ""));
    let left: Vec<u32> =
        stdout.lines().filter_map(|line| line.strip_prefix("pid ")?.parse().ok()).collect();
    assert_eq!(left.len(), 2);
    wait_for("what the ranks have started ends", || {
        (!left.iter().any(|&pid| is_running(pid))).then_some(())
    });
}

#[test]
fn what_we_are_started_to_ignore_stays_ignored() {
    let program = "trap '' HUP; exec \"$0\" -n 1 sh -c 'echo ready; trap \"exit 9\" USR1; while \
                   :; do sleep 0.02; done'";
    let launcher = mpiexec(&[]);
    let mut job = Running::start(
        command("sh").args(["-c", program]).arg(launcher.get_program()).stdin(Stdio::null()),
    );
    job.wait_for_lines(&["ready"]);
    job.signal(Signal::SIGHUP);
    job.signal(Signal::SIGUSR1);
    assert_eq!(job.wait(), 9, "SIGHUP ended nothing");
}
