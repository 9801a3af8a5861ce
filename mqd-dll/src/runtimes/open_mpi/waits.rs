//! What a process waits for.
//!
//! Open MPI's functions that wait for several requests put a counter on their stack, and its
//! address into each request that is not complete. A wait for a single request uses no counter: it
//! loops until a word of the request changes. A debugger that can read the code of the loop tells
//! which word that is, and [`composed`](super::composed) what it belongs to. The name of the
//! function is never known. The call stacks tell it.

use super::composed::Counted;
use super::layout::request;
use super::library::Pml;
use super::objects::read_record;
use super::pass::{Awaited, Pass};
use crate::error::Result;
use crate::layout::{Record, Structure};
use crate::queues::{Call, Name, StackHints, Waits};

/// The function that Open MPI's functions call again and again while they wait for one request.
pub(crate) const LOOP: &str = "opal_progress";

/// The progress functions of a PML. A call that waits for operations that it has started loops
/// around one of them. By then, receives have their request, and so do sends that the network has
/// not taken at once.
const fn progress(pml: Pml) -> &'static str {
    match pml {
        Pml::Ob1 => LOOP,
        // Blocking sends loop around a function of the MTL that has no symbol. It has libfabric
        // look for messages: at its connections, or, with sockets, at the time.
        // Functions of libopen-pal unpack receives within `opal_progress`, after they have left
        // libfabric's queue.
        Pml::Cm => "opal_progress^libopen,libfabric:epoll_wait:poll:clock_gettime",
        // Blocking calls loop around that of UCX.
        Pml::Ucx => "ucp_worker_progress,opal_progress",
    }
}

impl Pass<'_, '_> {
    /// Takes note of a request's `req_complete`: whether some function waits for the request.
    /// `of_program`: the program has made it; `shown`: it is in a queue.
    pub(super) fn note_wait(&mut self, completion: u64, of_program: bool, shown: bool) -> bool {
        let awaited = &mut self.awaited;
        awaited.active |= !of_program;
        match completion {
            request::PENDING => false,
            request::COMPLETED => {
                awaited.complete |= of_program;
                awaited.internal_complete |= !of_program;
                false
            }
            counter => {
                awaited.several |= *awaited.counter.get_or_insert(counter) != counter;
                awaited.hidden |= !shown;
                if of_program {
                    awaited.own += 1;
                } else {
                    awaited.internal += 1;
                }
                true
            }
        }
    }

    /// What helps to understand the call stacks.
    pub(super) fn stack_hints(&mut self, pml: Pml) -> StackHints {
        StackHints {
            several_threads: self.library.several_threads(self.memory),
            // A call may loop around it for a request that no queue shows.
            progress: if self.has_other_requests() { "" } else { progress(pml) },
        }
    }

    /// Has the program made requests that no queue shows?
    pub(super) fn has_other_requests(&mut self) -> bool {
        self.has_objects(self.library.other_requests)
            // If the windows cannot be read, there may be one.
            || self.has_other_windows().unwrap_or(true)
    }

    /// Are there, or were there, objects of one of these classes? A class is initialized with its
    /// first object.
    pub(super) fn has_objects(&mut self, classes: [Option<u64>; 3]) -> bool {
        let fields = self.layout.class;
        classes.into_iter().flatten().any(|class| {
            let bytes = read_record(self.memory, class, fields.bytes());
            let initialized = bytes.and_then(|bytes| {
                Record { bytes: &bytes, target: self.memory.target }.get(fields.cls_initialized)
            });
            // If this cannot be read, there may be one.
            initialized.map_or(true, |initialized| initialized != 0)
        })
    }

    /// What the process waits for. All requests must have been seen. `word`: the word on whose
    /// change the process waits in a loop, if that is known. `windows`: the number of awaited
    /// operations of a window.
    pub(super) fn waits(&mut self, word: Option<u64>, windows: Option<i64>) -> Result<Waits> {
        self.awaited.active |= self.snapshot.stack_hints.progress.is_empty();
        let awaited = &self.awaited;
        let is_single = self.snapshot.stack_hints.several_threads == Some(false);
        if let Some(needed) = windows.filter(|_| is_single) {
            return Ok(Waits::Call(Call { function: Name::default(), needed: Some(needed) }));
        }
        let counted = self.needs.counted;
        let counter = awaited.counter.or(counted.map(|counted| counted.counter));
        if let Some(needed) = self.needs.tell().filter(|_| is_single && counter.is_none()) {
            return Ok(Waits::Call(Call { function: Name::default(), needed: Some(needed) }));
        }
        let Some(counter) = counter.filter(|_| !awaited.several) else {
            return Ok(Waits::NotKnown);
        };
        let Some(fields) = self.layout.wait_sync else { return Ok(Waits::NotKnown) };
        // With several threads, the counter may be on the stack of another one.
        if !is_single && word != Some(fields.count.address(counter)) {
            return Ok(Waits::NotKnown);
        }
        let bytes = match read_record(self.memory, counter, fields.bytes()) {
            Ok(bytes) => bytes,
            Err(error) if error.is_final() => return Err(error),
            Err(_) => return Ok(Waits::NotKnown),
        };
        let count = Record { bytes: &bytes, target: self.memory.target }.get(fields.count)?.max(0);
        if counted.is_none() && self.needs.is_known() {
            // It waits for one request within a wait for several.
            return Ok(Waits::NotKnown);
        }
        if let Some(counted) = counted {
            return Ok(self.with_counted(counter, count, counted));
        }
        let needed = self.awaited.tells(count).then_some(count);
        Ok(Waits::Call(Call { function: Name::default(), needed }))
    }
}

impl Pass<'_, '_> {
    /// The same if nonblocking collective operations are awaited: all that is left of their rounds,
    /// and the other requests that name the counter. Not known if fewer than all of these are
    /// enough.
    fn with_counted(&self, counter: u64, count: i64, counted: Counted) -> Waits {
        let Awaited { own, internal, hidden, .. } = self.awaited;
        let all = counter == counted.counter && count == own + counted.number;
        match self.needs.tell().filter(|_| all && internal == 0 && !hidden) {
            Some(parts) => {
                Waits::Call(Call { function: Name::default(), needed: Some(parts + own) })
            }
            None => Waits::NotKnown,
        }
    }
}

impl Awaited {
    /// Do the requests that name the counter tell what is waited for, if the counter is this?
    fn tells(&self, count: i64) -> bool {
        let Self { own, internal, hidden, active, complete, internal_complete, .. } = *self;
        if hidden || (own != 0 && internal != 0) {
            return false;
        }
        if own == 0 {
            // A collective operation waits only for its own messages, and all of them are seen.
            return count == internal || count < internal && !internal_complete;
        }
        // The function waits for all requests seen, or for one of them. Requests of other kinds,
        // such as those of nonblocking collective operations, cannot be seen. While the library has
        // operations of its own, they may be among those of which one is enough. A request that has
        // just completed is counted until its function runs on.
        let all = count == own && (count != 1 || !active);
        let some = count < own && !active && !complete;
        count == 0 || all || some
    }
}
