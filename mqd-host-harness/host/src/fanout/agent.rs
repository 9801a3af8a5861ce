//! The agent: the far end of a client, on a node of the job.

use std::io::{self, Read, Write};
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, SystemTime};

use super::answer::write_snapshot;
use super::protocol::{Ask, Done, Look, greeting};
use crate::capture::Capture;
use crate::dump::Dumper;
use crate::job;
use crate::request::Workers;
use crate::snapshot::{Entry, Head, Stream, write_done};
use crate::walk::Limits;
use mqd_report::Report;

/// An agent ends if it is not asked anything for this time: its client may be on a machine that is
/// gone.
const IDLE: Duration = Duration::from_secs(3600);

/// Answers on standard output what is asked on standard input, until the input ends. Processes that
/// are being read then run on: the kernel releases them.
///
/// # Errors
/// What is asked cannot be understood, or answers cannot be written.
pub fn serve(workers: Workers) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(greeting().as_bytes())?;
    out.flush()?;
    let (asked, questions) = channel();
    thread::spawn(move || {
        let code = match listen(&asked) {
            Ok(()) => 0,
            Err(error) => {
                let _ = writeln!(io::stderr(), "mqd agent: {error}");
                2
            }
        };
        // What is being read at this moment is no longer wanted.
        std::process::exit(code);
    });
    while let Ok(ask) = questions.recv_timeout(IDLE) {
        let mut done = Done { host: job::this_host(), found: Vec::new() };
        match ask {
            Ask::Find(wanted) => done.found = job::find(&wanted),
            Ask::Look(look) => {
                let (head, entries) = look_at(*look, &workers);
                write_snapshot(&mut out, &head, entries)?;
            }
        }
        write_done(&mut out, &done)?;
    }
    Ok(())
}

/// The most bytes of a question. It names each process.
const MOST_ASKED: usize = 64 << 20;

/// Passes questions on until the input ends.
fn listen(asked: &Sender<Ask>) -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut buffer = vec![0; 1 << 16];
    let mut stream = Stream::new(MOST_ASKED);
    loop {
        let length = input.read(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        if stream.push(&buffer[..length]).map_err(io::Error::other)? {
            let ask = std::mem::replace(&mut stream, Stream::new(MOST_ASKED))
                .done()
                .map_err(io::Error::other)?;
            asked.send(ask).map_err(io::Error::other)?;
        }
    }
}

/// Reads processes of this node.
fn look_at(look: Look, workers: &Workers) -> (Head, impl ExactSizeIterator<Item = Entry>) {
    let keep = look.keep();
    let mut options = look.options;
    options.workers = Some(Workers { timeout: workers.timeout, ..workers.clone() });
    let mut dumper = Dumper::new(options);
    // All processes are read first. What takes long is done after they run again.
    let outcomes: Vec<_> =
        look.requests.iter().map(|request| dumper.dump(request, &AtomicU64::new(0))).collect();
    let captured =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let head = Head { tool: Report::new(Vec::new()).tool, captured, redacted: keep.redact };
    let mut capture = Capture::new(keep, Limits::default(), Some(workers.clone()));
    (head, outcomes.into_iter().map(move |outcome| capture.entry(outcome)))
}
