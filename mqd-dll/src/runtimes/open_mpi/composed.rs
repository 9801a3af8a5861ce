//! Requests that are made of others, and what a loop around the progress function waits for.
//!
//! A function that waits for one request loops until the word `req_complete` of this request
//! changes. If the request is a send or a receive, this one is what it waits for. The requests of
//! nonblocking collective operations and of functions that make communicators are made of others:
//!
//! ```text
//! ompi_comm_request_t ──> schedule ──> first step ──> subreqs
//!                                                      │
//!              ┌───────────────────────────────────────┘
//!              v
//! ompi_coll_libnbc_request_t ──> req_array ──> sends and receives of the current round
//! ```
//!
//! The library begins the next step or round once all requests of the current one are complete. So
//! a call that waits for such a request needs all of these that are not complete yet. If none is
//! left, the library is about to go on by itself, and send messages.

use super::layout::{self, Composed, request};
use super::objects::{ClassCheck, ListWalk, check_class, class_of, read_pointer, read_record};
use super::pass::Pass;
use crate::alloc::push;
use crate::error::{Code, Error, Result};
use crate::layout::{Record, Structure};
use crate::memory::Memory;
use crate::queues::Background;

/// Requests are not nested deeper: communicator, leader's communicator, collective operation, send.
const MAX_DEPTH: usize = 6;
/// The most requests of a round. A process sends to each other one at most a few times.
const MAX_REQUESTS: i64 = 1 << 20;
/// The most requests that are followed. Damaged ones may name each other over and over.
const MAX_FOLLOWED: u32 = 1 << 18;
/// The most operations that a library carries on at once.
const MAX_ACTIVE: u64 = 1 << 16;

/// The sends and receives that the process needs.
#[derive(Default)]
pub(super) struct Needs {
    /// Their addresses, ascending. None: not known.
    requests: Option<Vec<u64>>,
    /// How many of them are shown.
    pub(super) shown: i64,
    /// The nonblocking collective operations that a function waits for which has a counter.
    pub(super) counted: Option<Counted>,
}

/// Nonblocking collective operations that name a counter.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    /// The address of the counter.
    pub(super) counter: u64,
    /// How many name it.
    pub(super) number: i64,
}

impl Needs {
    /// Is a request among them?
    pub(super) fn has(&self, request: u64) -> bool {
        self.requests.as_ref().is_some_and(|all| all.binary_search(&request).is_ok())
    }

    /// Are there any?
    pub(super) fn is_known(&self) -> bool {
        self.requests.is_some()
    }

    /// How many they are, if all of them are shown.
    pub(super) fn tell(&self) -> Option<i64> {
        let needed = self.requests.as_ref().map(|all| all.len() as i64)?;
        (needed > 0 && needed == self.shown).then_some(needed)
    }
}

/// What a request waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// It is complete, or about to go on by itself.
    Ready,
    /// For other requests that are not complete.
    Waits,
    /// It is not known what for.
    NotKnown,
}

/// The requests that can be followed.
#[derive(Clone, Copy)]
struct Classes {
    send: u64,
    receive: u64,
    /// None: the component is not loaded.
    collective: Option<u64>,
    communicator: u64,
}

impl Pass<'_, '_> {
    /// Finds out what the library does by itself, and what the process needs if it waits in a loop
    /// until `word` changes.
    pub(super) fn composed(&mut self, word: Option<u64>) -> Result<()> {
        let Some(fields) = self.layout.composed else { return Ok(()) };
        let classes = self.classes(&fields);
        let Some(classes) = known(classes)? else { return Ok(()) };
        let place = self.layout.request.req_complete.address(0);
        let awaited = word.map(|word| word.wrapping_sub(place));
        let mut needed = Vec::new();
        let (left, communicator) = (MAX_FOLLOWED, None);
        let mut follow = Follow { pass: &mut *self, fields, classes, left, communicator };
        let mut state = match awaited {
            Some(request) => follow.state(request, 0, &mut needed)?,
            None => State::NotKnown,
        };
        let background = follow.background()?;
        if state != State::Waits && background == Background::Waits {
            needed.clear();
            let counted = follow.counted(&mut needed);
            self.needs.counted = known(counted)?.flatten();
            state = if self.needs.counted.is_some() { State::Waits } else { state };
        }
        let others = background == Background::Nothing
            && (self.has_objects(self.library.other_background) || self.has_windows()?);
        self.snapshot.background = (!others).then_some(background);
        if state == State::Waits {
            needed.sort_unstable();
            needed.dedup();
            self.needs.requests = Some(needed);
        }
        Ok(())
    }

    /// Are there windows, as far as is known?
    fn has_windows(&mut self) -> Result<bool> {
        Ok(known(self.windows())?.flatten().is_none_or(|windows| !windows.is_empty()))
    }

    fn classes(&mut self, fields: &Composed) -> Result<Classes> {
        let list = self.layout.free_list.fl_frag_class;
        let send = read_pointer(self.memory, list.address(self.library.sends))?;
        let receive = read_pointer(self.memory, list.address(self.library.receives))?;
        let checked = |memory: &mut Memory<'_>, class, name, bytes| {
            let check = check_class(memory, self.layout, class, name, bytes)?;
            if check == ClassCheck::Fits { Ok(class) } else { Err(Error::on(Code::NoLayout, name)) }
        };
        let collective = match self.library.collective_class {
            Some(class) => {
                let (name, bytes) = (layout::CollectiveRequest::NAME, fields.collective.bytes());
                Some(checked(self.memory, class, name, bytes)?)
            }
            None => None,
        };
        let (name, bytes) = (layout::CommunicatorRequest::NAME, fields.communicator.bytes());
        let class = self.library.communicator_request_class;
        let class = class.ok_or(Error::on(Code::NoSymbol, name))?;
        let communicator = checked(self.memory, class, name, bytes)?;
        Ok(Classes { send, receive, collective, communicator })
    }
}

/// Follows requests to those that they are made of.
struct Follow<'f, 'p, 'm> {
    pass: &'f mut Pass<'p, 'm>,
    fields: Composed,
    classes: Classes,
    /// How many more requests are followed.
    left: u32,
    /// Some request of a function that makes a communicator.
    communicator: Option<u64>,
}

impl Follow<'_, '_, '_> {
    /// What a request waits for. Adds the sends and receives to `needed`.
    fn state(&mut self, address: u64, depth: usize, needed: &mut Vec<u64>) -> Result<State> {
        let state = self.try_state(address, depth, needed);
        Ok(known(state)?.unwrap_or(State::NotKnown))
    }

    fn try_state(&mut self, address: u64, depth: usize, needed: &mut Vec<u64>) -> Result<State> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(State::NotKnown) };
        self.left = left;
        let layout = self.pass.layout;
        let class = class_of(self.pass.memory, layout, address)?;
        let is_communicator = class == self.classes.communicator;
        if is_communicator {
            self.communicator.get_or_insert(address);
        }
        let completion = layout.request.req_complete.address(address);
        match read_pointer(self.pass.memory, completion)? {
            request::COMPLETED => return Ok(State::Ready),
            // A function that waits for several requests names its counter in them.
            _ if depth < MAX_DEPTH => {}
            _ => return Ok(State::NotKnown),
        }
        if class == self.classes.send || class == self.classes.receive {
            push(needed, address)?;
            Ok(State::Waits)
        } else if is_communicator {
            self.step_of(address, depth, needed)
        } else if Some(class) == self.classes.collective {
            self.round_of(address, depth, needed)
        } else {
            Ok(State::NotKnown)
        }
    }

    /// The current step of a function that makes a communicator.
    fn step_of(&mut self, address: u64, depth: usize, needed: &mut Vec<u64>) -> Result<State> {
        let (layout, fields) = (self.pass.layout, self.fields);
        let bytes = read_record(self.pass.memory, address, fields.communicator.bytes())?;
        let record = Record { bytes: &bytes, target: self.pass.memory.target };
        let schedule = record.inner(fields.communicator.schedule)?;
        let at = fields.communicator.schedule.address(address);
        let Some(step) = ListWalk::new(layout, schedule, at)?.element()? else {
            return Ok(State::Ready);
        };
        let bytes = read_record(self.pass.memory, step, fields.step.bytes())?;
        let record = Record { bytes: &bytes, target: self.pass.memory.target };
        let count = record.get(fields.step.subreq_count)?;
        self.all_of(fields.step.subreqs.address(step), count, depth, needed)
    }

    /// The current round of a nonblocking collective operation.
    fn round_of(&mut self, address: u64, depth: usize, needed: &mut Vec<u64>) -> Result<State> {
        let fields = self.fields.collective;
        let bytes = read_record(self.pass.memory, address, fields.bytes())?;
        let record = Record { bytes: &bytes, target: self.pass.memory.target };
        let (array, count) = (record.get(fields.req_array)?, record.get(fields.req_count)?);
        self.all_of(array, count, depth, needed)
    }

    /// What the requests of an array wait for. They are needed together.
    fn all_of(
        &mut self,
        array: u64,
        count: i64,
        depth: usize,
        needed: &mut Vec<u64>,
    ) -> Result<State> {
        if count > MAX_REQUESTS {
            return Ok(State::NotKnown);
        }
        let pointer = self.pass.memory.target.pointer as u64;
        let mut all = State::Ready;
        for index in 0..count.max(0) as u64 {
            let place = array.wrapping_add(index * pointer);
            let request = read_pointer(self.pass.memory, place)?;
            match self.state(request, depth + 1, needed)? {
                State::Ready => {}
                State::Waits => all = State::Waits,
                State::NotKnown => return Ok(State::NotKnown),
            }
        }
        Ok(all)
    }

    /// What the library does by itself.
    fn background(&mut self) -> Result<Background> {
        let collectives = self.collectives();
        let collectives = known(collectives)?.unwrap_or(Background::Acts);
        let communicators = self.communicators();
        Ok(collectives.max(known(communicators)?.unwrap_or(Background::Acts)))
    }

    /// The nonblocking collective operations.
    fn collectives(&mut self) -> Result<Background> {
        let Some(component) = self.pass.library.collective_component else {
            return Ok(Background::Nothing);
        };
        let (layout, fields) = (self.pass.layout, self.fields.component);
        let bytes = read_record(self.pass.memory, component, fields.bytes())?;
        let record = Record { bytes: &bytes, target: self.pass.memory.target };
        let active = record.inner(fields.active_requests)?;
        if active.get(layout.list.opal_list_length)? == 0 {
            return Ok(Background::Nothing);
        }
        let mut walk = ListWalk::new(layout, active, fields.active_requests.address(component))?;
        let mut all = Background::Nothing;
        for _ in 0..MAX_ACTIVE {
            let Some(request) = walk.element()? else { return Ok(all) };
            all = all.max(self.goes_on(request)?);
            let next = layout.list_item.opal_list_next.address(request);
            walk.advance(read_pointer(self.pass.memory, next)?);
        }
        Ok(Background::Acts)
    }

    /// The nonblocking collective operations that name a counter. What is left of their rounds is
    /// added to `needed`. None: no operation names one, or they name different counters.
    fn counted(&mut self, needed: &mut Vec<u64>) -> Result<Option<Counted>> {
        let Some(component) = self.pass.library.collective_component else { return Ok(None) };
        let (layout, fields) = (self.pass.layout, self.fields.component);
        let bytes = read_record(self.pass.memory, component, fields.bytes())?;
        let record = Record { bytes: &bytes, target: self.pass.memory.target };
        let active = record.inner(fields.active_requests)?;
        let mut walk = ListWalk::new(layout, active, fields.active_requests.address(component))?;
        let mut counted: Option<Counted> = None;
        for _ in 0..MAX_ACTIVE {
            let Some(request) = walk.element()? else { break };
            let completion = layout.request.req_complete.address(request);
            let counter = read_pointer(self.pass.memory, completion)?;
            if !matches!(counter, request::PENDING | request::COMPLETED) {
                let others = counted.get_or_insert(Counted { counter, number: 0 });
                if others.counter != counter {
                    return Ok(None);
                }
                others.number += 1;
                self.state(request, 0, needed)?;
            }
            let next = layout.list_item.opal_list_next.address(request);
            walk.advance(read_pointer(self.pass.memory, next)?);
        }
        Ok(counted)
    }

    /// The functions that make communicators. Their list has no symbol. It is a ring, so each of
    /// its elements leads to all others.
    fn communicators(&mut self) -> Result<Background> {
        let mut active = [1];
        if let Some(variable) = self.pass.library.makes_communicators {
            self.pass.memory.read(variable, &mut active)?;
        }
        if active == [0] {
            return Ok(Background::Nothing);
        }
        let Some(first) = self.communicator else { return Ok(Background::Acts) };
        let layout = self.pass.layout;
        let (mut element, mut all, mut others) = (first, Background::Nothing, 0);
        for _ in 0..MAX_ACTIVE {
            // The list itself is an element of the ring.
            match class_of(self.pass.memory, layout, element)? == self.classes.communicator {
                true => all = all.max(self.goes_on(element)?),
                false => others += 1,
            }
            let next = layout.list_item.opal_list_next.address(element);
            element = read_pointer(self.pass.memory, next)?;
            if element == first {
                return Ok(if others == 1 { all } else { Background::Acts });
            }
        }
        Ok(Background::Acts)
    }

    /// Does an operation that the library carries on wait?
    fn goes_on(&mut self, request: u64) -> Result<Background> {
        Ok(match self.state(request, 0, &mut Vec::new())? {
            State::Waits => Background::Waits,
            State::Ready | State::NotKnown => Background::Acts,
        })
    }
}

/// A result without the errors that only mean that something is not known.
pub(super) fn known<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_final() => Err(error),
        Err(_) => Ok(None),
    }
}
