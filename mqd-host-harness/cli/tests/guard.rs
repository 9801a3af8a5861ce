//! `mqd guard` around commands that are not MPI jobs. They run as they would by themselves.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use support::mqd;

/// `mqd guard` around a shell script.
fn guard(script: &str) -> Command {
    let mut command = mqd::command();
    command.args(["guard", "--", "sh", "-c", script]);
    command
}

/// Waits until a guarded command says that it is ready.
fn until_ready(guard: &mut Child) -> BufReader<ChildStdout> {
    let mut output = BufReader::new(guard.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    output
}

fn send(guard: &Child, signal: Signal) {
    kill_process(Pid::from_raw(guard.id().cast_signed()).unwrap(), signal).unwrap();
}

#[test]
fn input_output_and_status_pass_through() {
    let script = "read line; echo \"got $line\"; echo oops >&2; exit 7";
    let mut child = guard(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"a word\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    assert_eq!(output.stdout, b"got a word\n");
    assert_eq!(output.stderr, b"oops\n");
}

#[test]
fn signals_pass_through() {
    let trapped = "trap 'exit 9' USR1; echo ready; while :; do sleep 0.01; done";
    let mut child = guard(trapped).stdout(Stdio::piped()).spawn().unwrap();
    let _output = until_ready(&mut child);
    send(&child, Signal::USR1);
    assert_eq!(child.wait().unwrap().code(), Some(9));
    // A signal that ends the command ends mqd.
    let mut child = guard("echo ready; exec sleep 1000").stdout(Stdio::piped()).spawn().unwrap();
    let _output = until_ready(&mut child);
    send(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().signal(), Some(Signal::TERM.as_raw()));
    let status = guard("kill -KILL $$").status().unwrap();
    assert_eq!(status.signal(), Some(Signal::KILL.as_raw()));
    // What is ignored stays ignored.
    let mut nohup = Command::new("sh");
    nohup.args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_mqd"), "guard", "--"]);
    let output = nohup.args(["sh", "-c", "kill -HUP $$; echo alive"]).output().unwrap();
    assert_eq!(output.stdout, b"alive\n", "{output:?}");
}

#[test]
fn the_terminal_sees_one_group() {
    let group = "cut -d' ' -f5 /proc/$$/stat";
    let child = guard(group).process_group(0).stdout(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{pid}\n"));
}

#[test]
fn commands_that_cannot_be_run() {
    let run = mqd::run(["guard", "--", "/no/such/command"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(127), ""));
    assert!(run.stderr.contains("mqd: guard: cannot run /no/such/command: "), "{run:?}");
    assert_eq!(mqd::run(["guard", "--", "/"]).code, Some(126));
    let run = mqd::run(["guard", "-o", "/dev/null", "--", "true"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("/dev/null is not a directory"), "{run:?}");
    assert_eq!(mqd::run(["guard"]).code, Some(2));
    assert_eq!(mqd::run(["guard", "--after", "soon", "--", "true"]).code, Some(2));
}
