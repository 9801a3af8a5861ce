//! What the rules work with: the DLL, and the processes that it is to read.

use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::rc::Rc;

use mqd_inspect::process::{Recording, Target};
use mqd_report::Problem;

use super::reading::{Failure, Reading};
use super::scenario::{NotTheScenario, Truth};
use crate::callbacks::{Session, heap};
use crate::dll::{self, Bound, Dll};
use crate::dump;
use crate::request::{Options, Request};
use crate::tables;

/// The DLL and its processes.
pub(super) struct Bench {
    pub(super) dll: Dll,
    pub(super) subjects: Vec<Subject>,
    /// Is it counted what the DLL calls besides callbacks?
    pub(super) watched: bool,
    /// Blocks that the DLL keeps for itself.
    kept: Cell<usize>,
    /// What is being done, told to whoever watches.
    pub(super) tell: Box<dyn Fn(String)>,
    /// The codes that functions of the DLL have returned.
    pub(super) codes: RefCell<Vec<c_int>>,
}

/// A process.
pub(super) struct Subject {
    /// For people.
    pub(super) who: String,
    /// What must be in its queues.
    pub(super) truth: Result<Truth, NotTheScenario>,
    target: Rc<Target>,
    library: Option<usize>,
    rank: Option<i64>,
}

impl Subject {
    /// Opens a process. It is stopped as long as this exists.
    pub(super) fn open(
        request: &Request,
        options: &Options,
        own: bool,
    ) -> Result<Subject, Problem> {
        let options = Options { record: true, ..options.clone() };
        let target = dump::open(request, &options)?;
        // As for any other command: see `dump`. A table that does not fit is none.
        if !own {
            let _ = tables::supply(&target);
        }
        let truth = Truth::of(&target);
        let library = dll::library(&target);
        let rank = request.rank().or(truth.as_ref().ok().map(|truth| truth.rank));
        let process = match request {
            Request::Core(path) => path.display().to_string(),
            _ => target.pid().map_or("a process".to_owned(), |pid| format!("pid {pid}")),
        };
        let who = rank.map_or(process.clone(), |rank| format!("rank {rank} ({process})"));
        Ok(Subject { who, truth, target: Rc::new(target), library, rank })
    }

    /// A session on the process: a new image and a new process, as the DLL sees them.
    pub(super) fn session(&self) -> Rc<Session> {
        Rc::new(Session::new(Rc::clone(&self.target), self.library, self.rank))
    }

    /// Takes what the process has been asked since it was opened, or since the last time.
    pub(super) fn take_recording(&self) -> Option<Recording> {
        self.target.take_recording()
    }

    /// A session on what was recorded of the process.
    pub(super) fn replayed(&self, recording: Recording) -> Rc<Session> {
        let target = Target::recorded(recording, false);
        Rc::new(Session::new(target, self.library, self.rank))
    }

    /// The name of the debug DLL that the process tells (5.1).
    pub(super) fn names_dll(&self) -> Option<String> {
        let named = dll::named(&self.target).ok().flatten()?;
        Some(named.display().to_string())
    }
}

impl Bench {
    pub(super) fn new(dll: Dll, subjects: Vec<Subject>, tell: Box<dyn Fn(String)>) -> Bench {
        let watched = dll.watch();
        Bench { dll, subjects, watched, kept: Cell::new(0), tell, codes: RefCell::default() }
    }

    /// The DLL with a session.
    pub(super) fn bound<'a>(&'a self, session: &'a Rc<Session>) -> Bound<'a> {
        Bound::new(&self.dll, session)
    }

    /// A whole session in which nothing fails.
    pub(super) fn read(&self, subject: &Subject) -> Reading {
        self.read_in(&subject.session())
    }

    /// A whole session.
    pub(super) fn read_in(&self, session: &Rc<Session>) -> Reading {
        let reading = Reading::of(&self.bound(session));
        reading.failures.iter().for_each(|failure| self.note_code(failure.code));
        reading
    }

    /// Notes a code that a function has returned: it needs a text.
    pub(super) fn note_code(&self, code: c_int) {
        let mut codes = self.codes.borrow_mut();
        if !codes.contains(&code) {
            codes.push(code);
        }
    }

    /// A function has failed: notes the code, and describes it.
    pub(super) fn failure(&self, function: &'static str, code: c_int) -> String {
        self.note_code(code);
        Failure { function, code, text: self.dll.error_text(code) }.described()
    }

    /// Blocks that the DLL has, besides those that it keeps for itself from one session to the
    /// next.
    pub(super) fn outstanding(&self) -> usize {
        heap::outstanding().saturating_sub(self.kept.get())
    }

    /// What the DLL has now it keeps for itself.
    pub(super) fn keep(&self) -> usize {
        self.kept.set(heap::outstanding());
        self.kept.get()
    }
}
