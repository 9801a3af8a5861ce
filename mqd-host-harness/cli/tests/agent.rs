//! `mqd agent`: how long it stays.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread;
use std::time::Duration;

use support::mqd;

/// An agent that has greeted.
struct Agent {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Agent {
    fn start() -> Agent {
        let mut command = mqd::command();
        command.arg("agent");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("mqd can be started");
        let input = process.stdin.take().expect("a pipe");
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut greeting = String::new();
        output.read_line(&mut greeting).expect("a line");
        assert!(greeting.starts_with("mqd-agent "), "{greeting}");
        Agent { process, input, output }
    }

    fn has_ended(&mut self) -> bool {
        self.process.try_wait().expect("it is our child").is_some()
    }

    /// Waits for its end: exit code, and what it wrote after the greeting and to standard error.
    fn ended(mut self) -> (Option<i32>, String, String) {
        drop(self.input);
        let (mut output, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut output).expect("text");
        let mut stderr = self.process.stderr.take().expect("a pipe");
        stderr.read_to_string(&mut errors).expect("text");
        (self.process.wait().expect("it is our child").code(), output, errors)
    }
}

/// An agent whose input stays open ends by itself if its client gives no sign of life, and stays if
/// it does.
#[test]
fn an_agent_needs_a_sign_of_life() {
    let (mut silent, mut alive) = (Agent::start(), Agent::start());
    while !silent.has_ended() {
        alive.input.write_all(b"\n").expect("it reads");
        thread::sleep(Duration::from_millis(500));
    }
    assert!(!alive.has_ended());
    let words = "mqd agent: the client gave no sign of life for 15 s\n";
    assert_eq!(silent.ended(), (Some(2), String::new(), words.to_owned()));
    assert_eq!(alive.ended(), (Some(0), String::new(), String::new()));
}
