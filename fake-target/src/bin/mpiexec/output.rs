//! The ranks' output: whole lines go to our own stdout and stderr, so that lines of different ranks
//! never mix.

use std::collections::VecDeque;
use std::io::{IsTerminal, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{ChildStderr, ChildStdout};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};

/// A line longer than this is passed on in parts.
const LONGEST_LINE: usize = 1 << 20;
/// If this much waits to be written, ranks are not read any more. They then wait, as they would for
/// a slow terminal.
const ENOUGH_QUEUED: usize = 1 << 20;
/// A pipe that poll calls writable takes this much without blocking (PIPE_BUF).
const WRITE_AT_ONCE: usize = 4096;

/// One of our own two streams.
pub(crate) struct Sink {
    stream: Stream,
    queue: VecDeque<u8>,
    /// The reader has closed the stream.
    closed: bool,
    terminal: bool,
    /// The source of an unfinished line on the terminal.
    open_line: Option<usize>,
}

enum Stream {
    Stdout(std::io::Stdout),
    Stderr(std::io::Stderr),
}

impl Sink {
    /// Our standard output.
    pub(crate) fn stdout() -> Sink {
        Sink::new(Stream::Stdout(std::io::stdout()))
    }

    /// Our standard error.
    pub(crate) fn stderr() -> Sink {
        Sink::new(Stream::Stderr(std::io::stderr()))
    }

    fn new(stream: Stream) -> Sink {
        let terminal = match &stream {
            Stream::Stdout(stdout) => stdout.is_terminal(),
            Stream::Stderr(stderr) => stderr.is_terminal(),
        };
        Sink { stream, queue: VecDeque::new(), closed: false, terminal, open_line: None }
    }

    /// The descriptor to poll for writing.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        match &self.stream {
            Stream::Stdout(stdout) => stdout.as_fd(),
            Stream::Stderr(stderr) => stderr.as_fd(),
        }
    }

    /// Whether something waits to be written.
    pub(crate) fn has_work(&self) -> bool {
        !self.queue.is_empty()
    }

    /// A message of our own: a line to write.
    pub(crate) fn say(&mut self, line: &str) {
        self.end_open_line();
        self.push(format!("mpiexec: {line}\n").as_bytes());
    }

    /// Writes what can be written without blocking; to be called when poll says so.
    ///
    /// It bypasses the buffers of Rust's streams, which nothing else in this program uses: the
    /// queue is the buffer.
    pub(crate) fn write(&mut self) {
        let (front, _) = self.queue.as_slices();
        let front = &front[..front.len().min(WRITE_AT_ONCE)];
        match nix::unistd::write(self.fd(), front) {
            Ok(written) => drop(self.queue.drain(..written)),
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(_) => {
                self.closed = true;
                self.queue.clear();
            }
        }
    }

    /// Forgets what waits to be written.
    pub(crate) fn discard(&mut self) {
        self.queue.clear();
    }

    fn push(&mut self, bytes: &[u8]) {
        if !self.closed {
            self.queue.extend(bytes);
        }
    }

    fn end_open_line(&mut self) {
        if self.open_line.take().is_some() {
            self.push(b"\n");
        }
    }
}

/// One stream of one rank.
pub(crate) struct OutputSource {
    /// Which of our streams it goes to: 0 stdout, 1 stderr.
    pub(crate) sink: usize,
    /// Unique among the sources.
    number: usize,
    pipe: Option<std::fs::File>,
    tag: String,
    /// The beginning of a line whose end has not come.
    partial: Vec<u8>,
}

impl OutputSource {
    /// The two sources of the rank at a place. With a label, lines begin with it. With `merged`,
    /// both go to stdout.
    pub(crate) fn of_rank(
        rank: usize,
        label: Option<String>,
        merged: bool,
        stdout: ChildStdout,
        stderr: ChildStderr,
    ) -> nix::Result<[OutputSource; 2]> {
        let tag = label.map_or_else(String::new, |label| format!("[{label}] "));
        let new = |stream: usize, pipe: OwnedFd| {
            fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
            Ok(OutputSource {
                sink: if merged { 0 } else { stream },
                number: 2 * rank + stream,
                pipe: Some(pipe.into()),
                tag: tag.clone(),
                partial: Vec::new(),
            })
        };
        Ok([new(0, stdout.into())?, new(1, stderr.into())?])
    }

    /// The descriptor to poll for reading, when there is more to read and room for it.
    pub(crate) fn fd(&self, sink: &Sink) -> Option<BorrowedFd<'_>> {
        (sink.queue.len() < ENOUGH_QUEUED).then(|| self.pipe.as_ref().map(AsFd::as_fd)).flatten()
    }

    /// Whether more may come.
    pub(crate) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Reads what is there. `last`: the writer has ended, so nothing follows what is there now.
    pub(crate) fn read(&mut self, sink: &mut Sink, last: bool) {
        let mut buffer = [0; 1 << 16];
        let Some(pipe) = &mut self.pipe else { return };
        let end = match pipe.read(&mut buffer) {
            Ok(0) => true,
            Ok(length) => {
                self.take(&buffer[..length], sink);
                // A rank that writes to a closed stream gets the same error as without us in
                // between.
                sink.closed
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => false,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => last,
            Err(_) => true,
        };
        if end {
            self.show_partial(sink);
            self.pipe = None;
        }
    }

    /// Shows an unfinished line on a terminal, since it may be a question to the user.
    pub(crate) fn idle(&mut self, sink: &mut Sink) {
        if self.waits_for_terminal(sink) {
            self.show_partial(sink);
        }
    }

    /// Whether [`OutputSource::idle`] would show something.
    pub(crate) fn waits_for_terminal(&self, sink: &Sink) -> bool {
        sink.terminal
            && !self.partial.is_empty()
            && sink.open_line.is_none_or(|open| open == self.number)
    }

    fn take(&mut self, bytes: &[u8], sink: &mut Sink) {
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.partial.extend(line);
            if line.ends_with(b"\n") {
                self.begin_line(sink);
                sink.push(&self.partial);
                sink.open_line = None;
                self.partial.clear();
            } else if self.partial.len() >= LONGEST_LINE {
                self.show_partial(sink);
            }
        }
    }

    fn show_partial(&mut self, sink: &mut Sink) {
        if self.partial.is_empty() {
            return;
        }
        self.begin_line(sink);
        sink.push(&self.partial);
        self.partial.clear();
        // The last line of the output may have no newline, as the program wrote it. What follows
        // begins a new line.
        sink.open_line = Some(self.number);
    }

    fn begin_line(&mut self, sink: &mut Sink) {
        if sink.open_line != Some(self.number) {
            sink.end_open_line();
            sink.push(self.tag.as_bytes());
        }
    }
}
