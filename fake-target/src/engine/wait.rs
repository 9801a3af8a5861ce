//! How a call waits: it makes progress, and yields the processor if there is nothing to do.

use super::entrance::{Guard, enter, is_wanted};
use super::observe::{Event, Subject, report};
use super::request::Request;
use super::state::Engine;
use super::variables::ROOM_SLEEP_TIME;
use crate::clock::nanoseconds;
use crate::debug::queues::{OperationState, mqdrt_process, publish};
use crate::transport::backoff::{Backoff, WaitStep};
use crate::transport::variables::SLEEP_TIME;
use crate::variables::counters;
use crate::{phase, process};
use std::ffi::{c_char, c_int, c_longlong};
use std::os::fd::{AsRawFd, RawFd};
use std::ptr;
use std::thread;
use std::time::{Duration, Instant};

/// What a call waits for.
#[derive(Clone, Copy)]
pub(crate) enum Awaited<'a> {
    /// This operation.
    One(&'static Request),
    /// All of these operations; null and inactive ones do not count.
    All(&'a [Option<&'static Request>]),
    /// One of them.
    Any(&'a [Option<&'static Request>]),
    /// Something other than operations of the program.
    Other,
    /// Memory that other ranks change. They wake this one ([`Engine::wake`]), and send nothing.
    Memory,
}

impl Awaited<'_> {
    /// Marks the operations that are not done as awaited by the wait with this number. Returns how
    /// many they are, how many of them have to complete, and how many collective operations have
    /// to. The second is -1 if no number can say it: if one of several is enough and an operation
    /// has two parts, or is a collective one; or if a send is being cancelled, which its receiver
    /// decides. Operations that are not shown anywhere, and those that are shown among the
    /// runtime's own, count among those that have to complete, so more may be needed than are
    /// marked.
    fn mark(&self, wait: i64) -> (c_int, c_int, c_int) {
        let (entries, any) = match self {
            Awaited::One(request) => (&[Some(*request)][..], false),
            Awaited::All(entries) => (*entries, false),
            Awaited::Any(entries) => (*entries, true),
            Awaited::Other | Awaited::Memory => return (0, -1, 0),
        };
        let active = || {
            entries.iter().flatten().filter(|request| request.state() != OperationState::Inactive)
        };
        let any = any && active().count() > 1;
        // Another thread may complete a generalised request, though the program has promised not to
        // call MPI there.
        let unsure =
            active().any(|one| one.is_listed_as_own()) && process::has_several_threads_now();
        let is_hidden = |one: &Request| one.is_hidden() || unsure && one.is_listed_as_own();
        let hidden = active().filter(|one| !one.is_done() && is_hidden(one)).count();
        if any && hidden > 0 {
            return (0, 1, 0);
        }
        let (mut marked, mut own, mut operations, mut counts) = (0, 0, 0, true);
        for request in active() {
            if request.is_listed_as_own() {
                if !unsure && !request.is_done() {
                    request.head.wait.set(wait);
                    own += 1;
                }
                continue;
            }
            if request.has_task() && !request.is_listed() {
                if !request.is_hidden() && !request.is_done() {
                    request.head.wait.set(wait);
                    operations += 1;
                    counts &= !any;
                }
                continue;
            }
            let parts = match request.parts.get() {
                [None, _] => [Some(*request), None],
                parts => parts,
            };
            let mut undone = 0;
            for part in parts.iter().flatten().filter(|part| !part.is_done()) {
                part.head.wait.set(wait);
                undone += 1;
                counts &= !part.cancelling.get();
            }
            marked += undone;
            counts &= !any || undone <= 1;
        }
        let needed = if any { (marked + own).min(1) } else { marked + own + hidden as i32 };
        (marked, if counts { needed } else { -1 }, operations)
    }
}

/// The wait of a process, as debuggers see it.
#[derive(Clone, Copy)]
struct Shown {
    call: *const c_char,
    awaited: c_int,
    needed: c_int,
    operations: c_int,
    wait: c_longlong,
}

impl mqdrt_process {
    fn shown(&self) -> Shown {
        Shown {
            call: self.call.get(),
            awaited: self.awaited.get(),
            needed: self.needed.get(),
            operations: self.operations.get(),
            wait: self.wait.get(),
        }
    }

    /// Shows debuggers what the process waits in. At any instant that is one wait or none.
    fn show(&self, Shown { call, awaited, needed, operations, wait }: Shown) {
        self.call.set(ptr::null());
        publish();
        self.awaited.set(awaited);
        self.needed.set(needed);
        self.operations.set(operations);
        self.wait.set(wait);
        publish();
        self.call.set(call);
    }

    /// Shows them that a nonblocking operation is over. If a wait around this one needs it, that
    /// one does not know, and debuggers then do not find as many operations as it says.
    pub(super) fn note_over(&self, operation: &Request) {
        let is_needed = !self.call.get().is_null() && operation.head.wait.get() == self.wait.get();
        if is_needed && !operation.is_listed() {
            self.operations.set(self.operations.get() - 1);
        }
    }
}

/// A thread that waits, as debuggers and the tool information interface see it.
struct Waiting {
    root: &'static mqdrt_process,
    /// What the process waited in before, if this wait is shown. A callback may wait while a call
    /// waits.
    before: Option<Shown>,
    begin: u64,
}

impl Waiting {
    fn begin(engine: &Engine, awaited: Awaited<'_>) -> Waiting {
        counters::WAITS.add(1);
        counters::THREADS_WAITING.change_by(1);
        let root = engine.root;
        let mut before = None;
        // With several threads nothing is shown, since it is not known what the other threads will
        // do.
        if !process::has_threads() {
            let wait = engine.waits.get() + 1;
            engine.waits.set(wait);
            let (awaited, needed, operations) = awaited.mark(wait);
            let call = phase::current_call();
            before = Some(root.shown());
            root.show(Shown { call, awaited, needed, operations, wait });
        }
        Waiting { root, before, begin: counters::WAITING_TIME.begin() }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            self.root.show(before);
        }
        counters::THREADS_WAITING.change_by(-1);
        counters::WAITING_TIME.end(self.begin);
    }
}

/// Waits until `ready` gives a result. The engine is free for other threads between two looks.
#[inline]
pub(crate) fn wait_for<R>(
    awaited: Awaited<'_>,
    mut ready: impl FnMut(&'static Engine) -> Option<R>,
) -> R {
    let mut engine = enter();
    if let Some(result) = ready(&engine) {
        return result;
    }
    let _waiting = Waiting::begin(&engine, awaited);
    let Engine { crowded, experience, .. } = *engine;
    let mut backoff = Backoff::new(*crowded, experience);
    let always = process::has_threads() || matches!(awaited, Awaited::Memory);
    loop {
        let happened = match process::has_threads() {
            true => progress_of_threads(&engine),
            false => engine.progress(),
        };
        if happened {
            backoff.reset();
            if let Some(result) = ready(&engine) {
                return result;
            }
        } else if let Some(result) = always.then(|| ready(&engine)).flatten() {
            return result;
        }
        match backoff.step() {
            WaitStep::Spin if !process::has_threads() => continue,
            WaitStep::Spin => {
                drop(engine);
                if is_wanted() {
                    thread::yield_now();
                }
            }
            WaitStep::Yield => {
                counters::YIELDS.add(1);
                drop(engine);
                mqdrt_wait(&mut thread::yield_now);
            }
            WaitStep::Sleep => {
                if let Some(result) = sleep(engine, &mut ready) {
                    return result;
                }
            }
        }
        engine = enter();
    }
}

/// Where a thread is while it waits, and before it looks whether what it waits for is complete.
/// Debuggers find it in call stacks. A call gets here only after it has started what it waits for.
#[unsafe(no_mangle)]
#[inline(never)]
fn mqdrt_wait(work: &mut dyn FnMut()) {
    work();
}

/// Progress, where debuggers see it.
#[cold]
fn progress_of_threads(engine: &'static Engine) -> bool {
    let mut happened = false;
    mqdrt_wait(&mut || happened = engine.progress());
    happened
}

/// Waits until one of these files can be read (or, where it says so, written) or has failed;
/// meanwhile communication goes on. Events of files do not ring the doorbell, so this polls often.
pub(crate) fn wait_for_files(files: &[(RawFd, bool)]) {
    wait_for_files_until(files, None);
}

/// The same, but not beyond this moment. Returns whether a file is ready.
pub(crate) fn wait_for_files_until(files: &[(RawFd, bool)], end: Option<Instant>) -> bool {
    const LONGEST: c_int = 5;
    let events = |writing: bool| if writing { libc::POLLOUT } else { libc::POLLIN };
    let mut polled: Vec<libc::pollfd> = files
        .iter()
        .map(|&(fd, writing)| libc::pollfd { fd, events: events(writing), revents: 0 })
        .collect();
    let _waiting = Waiting::begin(&enter(), Awaited::Other);
    let mut pause = 0;
    loop {
        // SAFETY: an array of so many entries; the call writes into them alone.
        let ready = unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, pause) };
        if ready > 0 || end.is_some_and(|end| Instant::now() >= end) {
            return ready > 0;
        }
        pause = if enter().progress() { 0 } else { LONGEST.min(pause + 1) };
    }
}

/// Whether the other end of a connection has closed it.
pub(crate) fn has_ended(connection: &impl AsRawFd) -> bool {
    let events = libc::POLLRDHUP;
    let mut polled = libc::pollfd { fd: connection.as_raw_fd(), events, revents: 0 };
    // SAFETY: one entry; the call writes into it alone.
    let ready = unsafe { libc::poll(&mut polled, 1, 0) };
    ready > 0 && polled.revents & (libc::POLLRDHUP | libc::POLLHUP) != 0
}

/// Whether a file can be read, or has failed.
pub(crate) fn is_ready(file: &impl AsRawFd) -> bool {
    let mut polled = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry; the call writes into it alone.
    unsafe { libc::poll(&mut polled, 1, 0) > 0 }
}

/// Sleeps until something may have happened, unless it has happened just before.
#[cold]
fn sleep<R>(engine: Guard, ready: &mut impl FnMut(&'static Engine) -> Option<R>) -> Option<R> {
    counters::SLEEPS.add(1);
    let state: &'static Engine = &engine;
    let needs_room = !state.busy.borrow().is_empty();
    let sleeper = state.segment.prepare_to_sleep(needs_room);
    // Messages that came before the mark have not rung the doorbell.
    let happened = state.progress();
    if let Some(result) = ready(state) {
        return Some(result);
    }
    drop(engine);
    if !happened {
        let begin = nanoseconds();
        counters::THREADS_SLEEPING.change_by(1);
        let longest = match needs_room {
            true => Duration::from_micros(ROOM_SLEEP_TIME.size() as u64),
            false => Duration::from_millis(SLEEP_TIME.size() as u64),
        };
        let mut sleeper = Some(sleeper);
        mqdrt_wait(&mut || {
            sleeper.take().into_iter().for_each(|sleeper| sleeper.sleep(longest));
        });
        counters::THREADS_SLEEPING.change_by(-1);
        let slept = nanoseconds() - begin;
        counters::SLEEPING_TIME.add_watched(slept);
        report(Event::Slept, || Subject::Sleeper(slept));
    }
    None
}
