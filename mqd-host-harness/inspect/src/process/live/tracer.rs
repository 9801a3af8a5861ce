//! Keeps a process stopped.
//!
//! The kernel ties tracing to a thread, so each stopped process has a thread of ours that attached
//! to it and waits to let it go. When that thread ends, in whatever way, the kernel lets the
//! process go. Nothing that we do can leave it stopped. With `PTRACE_SEIZE` no signal is sent to
//! the process, and a stop of the job (`SIGSTOP`) stays in force after we leave.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::super::TargetError;
use super::super::stack::ThreadState;
use super::proc::Proc;
use super::sys::{self, Event};

/// How long to wait for threads to stop. A thread inside the kernel, such as one that waits for a
/// file system, stops only when it comes back. Memory can be read all the same.
const PATIENCE: Duration = Duration::from_secs(3);

/// Threads are let go before the time limit, by this part of it. They then wait for a processor,
/// and so does the thread that lets them go.
const MARGIN: u32 = 20;

/// Keeps a process stopped until it is dropped, or until a time limit.
#[derive(Debug)]
pub(super) struct Tracer {
    proc: Proc,
    /// The time limit has passed. Set before the process is let go.
    is_over: Arc<AtomicBool>,
    warnings: Vec<String>,
    threads: Vec<ThreadState>,
    /// Closed to let the process go.
    hold: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Tracer {
    /// Stops all threads of a process. Lets them go so that they run again after `limit`, counted
    /// from the moment when all have stopped, whatever the reader does.
    pub(super) fn attach(pid: u32, limit: Option<Duration>) -> Result<Tracer, TargetError> {
        let proc = Proc::new(pid);
        let is_over = Arc::new(AtomicBool::new(false));
        let (hold, held) = channel();
        let (report, reported) = channel();
        let thread = {
            let (proc, is_over) = (proc.clone(), Arc::clone(&is_over));
            let run = move || {
                let (threads, result) = stop_all(pid, &proc);
                if report.send(result).is_ok() && !wait(&held, limit) {
                    is_over.store(true, Ordering::SeqCst);
                }
                threads.release();
            };
            let failed = |source| TargetError::Process {
                pid,
                action: "start a thread that holds the threads",
                source,
            };
            thread::Builder::new().name(format!("tracer {pid}")).spawn(run).map_err(failed)?
        };
        let ended = || Err(io::Error::other("the tracing thread ended"));
        // A failure drops it too: when we return, the thread has let go what it had seized.
        let mut tracer = Tracer {
            proc,
            is_over,
            warnings: Vec::new(),
            threads: Vec::new(),
            hold: Some(hold),
            thread: Some(thread),
        };
        match reported.recv().unwrap_or_else(|_| ended()) {
            Ok(Stopped { warnings, threads }) => {
                (tracer.warnings, tracer.threads) = (warnings, threads);
                Ok(tracer)
            }
            Err(source) => Err(tracer.proc.error("stop the threads", source)),
        }
    }

    pub(super) fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Its threads, as they were stopped.
    pub(super) fn threads(&self) -> &[ThreadState] {
        &self.threads
    }

    /// Whether the time limit has passed. If not, what was read before this question is of a
    /// process that stood still.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    /// Whether the process has ended although it was stopped (somebody killed it).
    pub(super) fn has_ended(&self) -> bool {
        self.proc.threads().iter().all(|thread| self.proc.thread_has_ended(*thread))
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        self.hold = None;
        if let Some(thread) = self.thread.take() {
            // The thread does not panic. Even if it did, the kernel has let the process go.
            let _ = thread.join();
        }
    }
}

/// Waits until the other end is closed. False: the time limit came first.
fn wait(held: &Receiver<()>, limit: Option<Duration>) -> bool {
    match limit {
        Some(limit) => {
            let hold = limit - limit / MARGIN;
            held.recv_timeout(hold) != Err(RecvTimeoutError::Timeout)
        }
        // Nothing is ever sent.
        None => held.recv().is_err(),
    }
}

/// A process whose threads are stopped.
struct Stopped {
    warnings: Vec<String>,
    threads: Vec<ThreadState>,
}

/// The threads that we trace. True: the thread is stopped.
#[derive(Default)]
struct Threads(HashMap<u32, bool>);

impl Threads {
    /// Lets all threads go. Those that have not stopped yet are let go when the calling thread
    /// ends.
    fn release(&self) {
        for thread in self.0.keys() {
            let _ = sys::detach(*thread);
        }
    }
}

/// Stops all threads, including those that start meanwhile. Returns the threads that we trace, also
/// after a failure; after a success, warnings and the threads' registers as well.
fn stop_all(pid: u32, proc: &Proc) -> (Threads, io::Result<Stopped>) {
    let mut threads = Threads::default();
    let result = seize_and_stop(pid, proc, &mut threads.0);
    if result.is_err() {
        // Only a stopped thread can be let go. The kernel lets the others go when this thread ends,
        // but that can be after somebody has joined it.
        let _ = await_stops(&mut threads.0, Instant::now() + PATIENCE);
    }
    // The kernel gives them to this thread alone.
    let state = |(id, stopped): (&u32, &bool)| ThreadState {
        id: *id,
        registers: if *stopped { sys::registers(*id).ok() } else { None },
    };
    let states = threads.0.iter().map(state).collect();
    (threads, result.map(|warnings| Stopped { warnings, threads: states }))
}

fn seize_and_stop(
    pid: u32,
    proc: &Proc,
    threads: &mut HashMap<u32, bool>,
) -> io::Result<Vec<String>> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mut found = false;
        let mut refused = None;
        for thread in proc.threads() {
            if threads.contains_key(&thread) {
                continue;
            }
            match sys::seize(thread).and_then(|()| sys::interrupt(thread)) {
                Ok(()) => {
                    threads.insert(thread, false);
                    found = true;
                }
                // It has ended since it was listed, or it is the main thread, which waits for the
                // others to end.
                Err(_) if proc.thread_has_ended(thread) => {}
                Err(error) => refused = Some(error),
            }
        }
        if let Some(error) = refused {
            return Err(error);
        }
        if !found {
            break;
        }
        // A thread that runs may start another: look again when all are stopped.
        await_stops(threads, deadline)?;
    }
    if threads.is_empty() {
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    }
    let mut running: Vec<_> =
        threads.iter().filter(|(_, stopped)| !**stopped).map(|(thread, _)| *thread).collect();
    running.sort_unstable();
    let warn = |thread| {
        format!(
            "thread {thread} of process {pid} did not stop (it waits in the kernel): data that it \
             is changing may be read in a half-changed state"
        )
    };
    Ok(running.into_iter().map(warn).collect())
}

/// Waits until all threads are stopped or gone, or the time is up.
fn await_stops(threads: &mut HashMap<u32, bool>, deadline: Instant) -> io::Result<()> {
    let mut pause = Duration::from_micros(20);
    loop {
        let mut waiting = false;
        let mut ended = Vec::new();
        for (thread, stopped) in threads.iter_mut().filter(|(_, stopped)| !**stopped) {
            match sys::poll(*thread) {
                Ok(Event::Stopped) => *stopped = true,
                Ok(Event::None) => waiting = true,
                Ok(Event::Signal(signal)) => {
                    // Deliver it, so that it is not lost whatever becomes of us, and stop the
                    // thread again before it gets far.
                    waiting = true;
                    let again = sys::interrupt(*thread).and_then(|()| sys::resume(*thread, signal));
                    again.or_else(ignore_ended)?;
                }
                Ok(Event::Ended) => ended.push(*thread),
                Err(_) => ended.push(*thread),
            }
        }
        for thread in ended {
            threads.remove(&thread);
        }
        if !waiting || Instant::now() >= deadline {
            return Ok(());
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

fn ignore_ended(error: io::Error) -> io::Result<()> {
    if error.raw_os_error() == Some(libc::ESRCH) { Ok(()) } else { Err(error) }
}
