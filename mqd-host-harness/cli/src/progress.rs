//! A line on standard error that shows progress. It appears only on a terminal, and only if the
//! work takes longer than half a second.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use mqd_host::fanout::Tally;
use mqd_report::escape::printable;

/// Shorter work shows no progress.
const QUIET: Duration = Duration::from_millis(500);

/// The time between two updates of the line.
const REFRESH: Duration = Duration::from_millis(100);

/// The progress of reading. Dropping it removes the line.
pub(super) struct Progress {
    state: Arc<State>,
    reporter: Option<(Sender<()>, JoinHandle<()>)>,
}

#[derive(Default)]
struct State {
    total: usize,
    done: AtomicUsize,
    operations: AtomicU64,
    current: Mutex<String>,
    /// Other hosts that are read at the same time.
    hosts: OnceLock<Arc<Tally>>,
}

impl Progress {
    pub(super) fn new(total: usize) -> Progress {
        let state = Arc::new(State { total, ..State::default() });
        let reporter = std::io::stderr().is_terminal().then(|| {
            let (stop, stopped) = channel::<()>();
            let shown = Arc::clone(&state);
            let thread = std::thread::spawn(move || {
                if stopped.recv_timeout(QUIET) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                let bar = ProgressBar::new_spinner();
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                    bar.set_style(style);
                }
                loop {
                    bar.set_message(shown.text());
                    bar.tick();
                    if stopped.recv_timeout(REFRESH) != Err(RecvTimeoutError::Timeout) {
                        bar.finish_and_clear();
                        return;
                    }
                }
            });
            (stop, thread)
        });
        Progress { state, reporter }
    }

    /// Shows nothing.
    pub(super) fn hidden() -> Progress {
        Progress { state: Arc::default(), reporter: None }
    }

    /// The next process begins.
    pub(super) fn begin(&self, what: String) {
        *self.state.current.lock().unwrap_or_else(PoisonError::into_inner) = what;
    }

    /// Other hosts are read at the same time.
    pub(super) fn hosts(&self, tally: Arc<Tally>) {
        self.state.hosts.get_or_init(|| tally);
    }

    /// A process is done.
    pub(super) fn end(&self) {
        self.state.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts the operations read so far.
    pub(super) fn operations(&self) -> &AtomicU64 {
        &self.state.operations
    }
}

impl State {
    fn text(&self) -> String {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let done = self.done.load(Ordering::Relaxed);
        let total = self.total;
        let operations = self.operations.load(Ordering::Relaxed);
        let processes = if total > 1 { format!("{done} of {total} done, ") } else { String::new() };
        let current = printable(&current);
        let hosts = self.hosts.get().map_or_else(String::new, |tally| format!("; {tally}"));
        format!("reading {current} ({processes}{operations} operations so far{hosts})")
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.reporter.take() {
            drop(stop);
            // The thread only draws, so its failure changes nothing else.
            let _ = thread.join();
        }
    }
}
