//! The near end of an agent: a client process, and what it says.

use std::io::{self, Read};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::input::{Input, InputError};
use super::protocol::{Ask, END, Greeted, find_greeting};
use super::sent::{READY, Sent};
use super::via::Agent;
use crate::snapshot::{Stream, StreamError, write_done};

/// How many of the last bytes that a client writes to standard error are kept.
const SAID: usize = 2048;

/// The most bytes that may come before the greeting.
const NOISE: usize = 1 << 20;

/// How long a client may take to end by itself, and again after a signal.
const GRACE: Duration = Duration::from_millis(500);

/// A running client. Dropping it ends the client and its agent.
#[derive(Debug)]
pub(super) struct Client {
    child: Child,
    /// The agent ends when this is closed.
    input: Option<Input>,
    stdout: ChildStdout,
    /// `None` once it is closed.
    stderr: Option<ChildStderr>,
    said: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum ClientError {
    /// The client cannot be started.
    #[error("cannot run {program}: {source}")]
    Start { program: String, source: io::Error },
    /// The client has ended.
    #[error("{program} ended ({status}){}", last_words(.said))]
    Ended { program: String, status: String, said: String },
    /// It took too long.
    #[error("{what} within {seconds} s{}", last_words(.said))]
    Late { what: &'static str, seconds: u64, said: String },
    /// Another version of `mqd` is there.
    #[error("the mqd there is of another version, {0}")]
    Version(String),
    /// The agent does not greet.
    #[error("the output of {0} does not begin with the greeting of an agent")]
    NoGreeting(String),
    /// What came is not an answer.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// A pipe cannot be used.
    #[error("cannot talk to {program}: {source}")]
    Pipe { program: String, source: io::Error },
}

/// The last line that a client wrote to standard error, in a form that can follow a sentence.
fn last_words(text: &str) -> String {
    match text.lines().rev().find(|line| !line.trim().is_empty()) {
        Some(line) => format!(": {}", line.trim()),
        None => String::new(),
    }
}

impl ClientError {
    fn pipe(program: &str) -> impl Fn(io::Error) -> ClientError {
        let program = program.to_owned();
        move |source| ClientError::Pipe { program: program.clone(), source }
    }
}

impl Client {
    /// Starts a client, and waits until the agent greets. If the agent has to be sent, it is sent
    /// first.
    pub(super) fn start(
        mut command: Command,
        program: &str,
        agent: &Agent,
        limit: Duration,
    ) -> Result<Client, ClientError> {
        let failed = |source: io::Error| ClientError::Start { program: program.to_owned(), source };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(failed(io::Error::other("it has no pipes")));
        };
        let input = Some(Input::new(stdin).map_err(ClientError::pipe(program))?);
        let mut client = Client { child, input, stdout, stderr: Some(stderr), said: Vec::new() };
        let begun = Instant::now();
        if let Some(sent) = &agent.sent {
            client.send(sent, &agent.arguments, program, begun, limit)?;
        }
        client.greet(program, begun, limit)?;
        if let Some(input) = &client.input {
            input.stay_alive().map_err(ClientError::pipe(program))?;
        }
        Ok(client)
    }

    /// Gives the program to the shell at the far end.
    fn send(
        &mut self,
        sent: &Sent,
        arguments: &[String],
        program: &str,
        begun: Instant,
        limit: Duration,
    ) -> Result<(), ClientError> {
        self.write(sent.script(arguments, limit).as_bytes(), program, begun, limit)?;
        let mut output = Vec::new();
        while !output.split(|byte| *byte == b'\n').any(|line| line == READY.as_bytes()) {
            if output.len() > NOISE {
                return Err(ClientError::NoGreeting(program.to_owned()));
            }
            output.extend_from_slice(&self.read(program, "no shell answered", begun, limit)?);
        }
        self.write(sent.program(), program, begun, limit)
    }

    fn greet(&mut self, program: &str, begun: Instant, limit: Duration) -> Result<(), ClientError> {
        let mut output = Vec::new();
        loop {
            let bytes = self.read(program, "no agent answered", begun, limit)?;
            output.extend_from_slice(&bytes);
            match find_greeting(&output) {
                Greeted::At(_) => return Ok(()),
                Greeted::Other(version) => return Err(ClientError::Version(version)),
                Greeted::NotYet if output.len() > NOISE => {
                    return Err(ClientError::NoGreeting(program.to_owned()));
                }
                Greeted::NotYet => {}
            }
        }
    }

    /// Asks, and waits for the whole answer.
    pub(super) fn ask(
        &mut self,
        ask: &Ask,
        program: &str,
        limit: Duration,
    ) -> Result<Stream, ClientError> {
        let begun = Instant::now();
        let mut question = Vec::new();
        write_done(&mut question, ask).map_err(ClientError::pipe(program))?;
        self.write(&question, program, begun, limit)?;
        let mut answer = Stream::new(ask.most());
        let mut begins = false;
        loop {
            let bytes = self.read(program, "it did not answer", begun, limit)?;
            // The end of the answer before this one may come late.
            let of_last = bytes.iter().take_while(|byte| !begins && **byte == END).count();
            begins |= of_last < bytes.len();
            if answer.push(&bytes[of_last..])? {
                return Ok(answer);
            }
        }
    }

    /// What the client wrote next; never empty.
    fn read(
        &mut self,
        program: &str,
        what: &'static str,
        begun: Instant,
        limit: Duration,
    ) -> Result<Vec<u8>, ClientError> {
        loop {
            let Some(left) = limit.checked_sub(begun.elapsed()) else {
                let (seconds, said) = (limit.as_secs(), self.said());
                return Err(ClientError::Late { what, seconds, said });
            };
            let (output, errors) = self.wait(left).map_err(ClientError::pipe(program))?;
            if errors {
                self.hear();
            }
            if output {
                let mut buffer = vec![0; 1 << 16];
                let length = self.stdout.read(&mut buffer).map_err(ClientError::pipe(program))?;
                if length == 0 {
                    return Err(self.ended(program));
                }
                buffer.truncate(length);
                return Ok(buffer);
            }
        }
    }

    /// Waits until there is something to read from standard output, or from standard error.
    fn wait(&self, left: Duration) -> io::Result<(bool, bool)> {
        let timeout = Timespec::try_from(left).ok();
        let mut files = vec![PollFd::new(&self.stdout, PollFlags::IN)];
        files.extend(self.stderr.as_ref().map(|stderr| PollFd::new(stderr, PollFlags::IN)));
        match poll(&mut files, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ready = |index: usize| files.get(index).is_some_and(|file| !file.revents().is_empty());
        Ok((ready(0), ready(1)))
    }

    /// Keeps what is on standard error.
    fn hear(&mut self) {
        let mut buffer = [0; 4096];
        let length = self.stderr.as_mut().and_then(|stderr| stderr.read(&mut buffer).ok());
        match length {
            None | Some(0) => self.stderr = None,
            Some(length) => {
                self.said.extend_from_slice(&buffer[..length]);
                let too_much = self.said.len().saturating_sub(SAID);
                self.said.drain(..too_much);
            }
        }
    }

    fn said(&self) -> String {
        String::from_utf8_lossy(&self.said).into_owned()
    }

    /// Writes to the client.
    fn write(
        &mut self,
        bytes: &[u8],
        program: &str,
        begun: Instant,
        limit: Duration,
    ) -> Result<(), ClientError> {
        let Some(input) = &self.input else { return Err(self.ended(program)) };
        input.write(bytes, begun, limit).map_err(|error| match error {
            InputError::Closed => self.ended(program),
            InputError::Late => {
                let what = "it did not take the question";
                ClientError::Late { what, seconds: limit.as_secs(), said: self.said() }
            }
            InputError::Pipe(source) => ClientError::pipe(program)(source),
        })
    }

    /// The error of a client that has ended.
    fn ended(&mut self, program: &str) -> ClientError {
        let status = self.status_within(GRACE);
        // The rest of what it wrote.
        while self.stderr.is_some() && self.wait(Duration::ZERO).is_ok_and(|(_, errors)| errors) {
            self.hear();
        }
        let status = status.map_or_else(|| "it closed its output".to_owned(), |s| s.to_string());
        ClientError::Ended { program: program.to_owned(), status, said: self.said() }
    }

    fn status_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let begun = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if begun.elapsed() > limit {
                return None;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The agent ends with its input, and the client with the agent.
        drop(self.input.take());
        if self.status_within(GRACE).is_some() {
            return;
        }
        // srun tells its tasks only if it is asked to end.
        if let Some(pid) = rustix::process::Pid::from_raw(self.child.id().cast_signed()) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
        if self.status_within(GRACE).is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
