//! The agent: the far end of a client, on a node of the job.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Instant, SystemTime};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::answer::write_snapshot;
use super::protocol::{ALIVE, ALIVE_LIMIT, Ask, Done, END, Look, greeting};
use crate::capture::Capture;
use crate::dump::Dumper;
use crate::job;
use crate::motion::Motion;
use crate::request::Workers;
use crate::snapshot::{Entry, Head, Stream, write_done};
use crate::walk::Limits;
use mqd_report::Report;

/// Answers on standard output what is asked on standard input, until the input ends or no sign of
/// life comes. Processes that are being read then run on: the kernel releases them.
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
    for ask in questions {
        let mut done = Done { host: job::this_host(), ..Done::default() };
        match ask {
            Ask::Find(wanted) => done.found = job::find(&wanted),
            Ask::Look(look) => {
                let (head, held, entries) = look_at(*look, &workers);
                done.held = held;
                write_snapshot(&mut out, &head, entries)?;
            }
            Ask::Motion(pids) => done.motion = Motion::of_each(pids),
        }
        write_done(&mut out, &done)?;
        out.write_all(&[END])?;
        out.flush()?;
    }
    Ok(())
}

/// The most bytes of a question. It names each process.
const MOST_ASKED: usize = 64 << 20;

/// Passes questions on until the input ends.
///
/// # Errors
/// The client gives no sign of life, or asks what cannot be understood.
fn listen(asked: &Sender<Ask>) -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut buffer = vec![0; 1 << 16];
    let mut stream = Stream::new(MOST_ASKED);
    loop {
        wait_for_life(&input)?;
        let length = input.read(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        let between = |byte: &&u8| stream.is_empty() && **byte == ALIVE;
        let signs = buffer[..length].iter().take_while(between).count();
        // Signs of life may also follow a question, but not another question: the client waits for
        // the answer.
        if stream.push(&buffer[signs..length]).map_err(io::Error::other)? {
            let ask = std::mem::replace(&mut stream, Stream::new(MOST_ASKED))
                .done()
                .map_err(io::Error::other)?;
            asked.send(ask).map_err(io::Error::other)?;
        }
    }
}

/// Waits until there is input, or its end.
fn wait_for_life(input: &impl AsFd) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        let Some(left) = ALIVE_LIMIT.checked_sub(begun.elapsed()) else {
            let seconds = ALIVE_LIMIT.as_secs();
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("the client gave no sign of life for {seconds} s"),
            ));
        };
        let timeout = Timespec::try_from(left).ok();
        match poll(&mut [PollFd::new(input, PollFlags::IN)], timeout.as_ref()) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Reads processes of this node.
/// The second result is whether all processes stood still together.
fn look_at(look: Look, workers: &Workers) -> (Head, bool, impl ExactSizeIterator<Item = Entry>) {
    let keep = look.keep();
    let mut options = look.options;
    options.workers = Some(Workers { timeout: workers.timeout, ..workers.clone() });
    let together = options.together;
    let mut dumper = Dumper::new(options);
    // All processes are read first. What takes long is done after they run again.
    let progress = AtomicU64::new(0);
    let outcomes: Vec<_> = match together {
        true => dumper.dump_together(&look.requests, &progress),
        false => look.requests.iter().map(|request| dumper.dump(request, &progress)).collect(),
    };
    let held = outcomes.iter().all(|outcome| outcome.process.held);
    let captured =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let head = Head { tool: Report::new(Vec::new()).tool, captured, redacted: keep.redact };
    let mut capture = Capture::new(keep, Limits::default(), Some(workers.clone()));
    (head, held, outcomes.into_iter().map(move |outcome| capture.entry(outcome)))
}
