//! The calls of collective operations on a communicator. All processes make them in the same order,
//! so they agree on their numbers, from which the tags of their messages follow.
//!
//! A call that fails before it has sent anything, since its arguments are wrong, is none: the
//! process may make it again, and the others are waiting for that. If the process begins another
//! operation instead, it tells the others that it refuses the call, and what it has begun.
//!
//! - A process that makes the call, and has not come to that other operation before, fails in it,
//!   and says so. The call counts for all processes then, and what is left of it is dropped.
//! - A process that has come to the other operation without the call, or makes the call after it,
//!   says that too. The wrong call was one of the first process alone. It does not count.
//! - A process that refuses the call itself says so. It waits for answers itself. If all say that,
//!   the call does not count.
//!
//! The process that has refused a call waits for such answers when it makes the next one of its
//! kind, whose number depends on them.

use std::ffi::c_int;
use std::mem;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::call::{Call, FORMS, Form, OPERATIONS, OTHER};
use super::object::Communicator;
use crate::engine::context::Context;
use crate::engine::notice::{Answer, Notice};
use crate::engine::refusal::Refusal;
use crate::engine::wait::{self, Awaited};
use crate::engine::{self, Engine};
use crate::error::Error;
use crate::group::Group;

/// The calls of a communicator so far. Each has few writes: they cost time in short operations.
pub(super) struct Calls {
    /// The number of the last one of each form and operation.
    numbers: [[AtomicU32; OPERATIONS]; FORMS.len()],
    /// The last ones of all, each where the number of collective operations says.
    recent: Box<[AtomicU64; RECENT]>,
    refused: Mutex<Refused>,
}

/// How many calls of all kinds are remembered in their order.
const RECENT: usize = 256;

impl Default for Calls {
    fn default() -> Calls {
        Calls {
            numbers: Default::default(),
            recent: Box::new([const { AtomicU64::new(0) }; RECENT]),
            refused: Mutex::default(),
        }
    }
}

/// Calls that processes do not make.
#[derive(Default)]
struct Refused {
    /// Wrong calls of this process. It may make them again.
    wrong: Vec<Wrong>,
    /// Those that it has refused, as long as nobody has answered.
    announced: Vec<Announced>,
    /// The number of the last notice.
    notices: u64,
    /// Those that others have refused and this process has not made yet.
    pending: Vec<Pending>,
}

/// A wrong call of this process, or several of one kind in a row.
#[derive(Clone, Copy)]
struct Wrong {
    /// The first one.
    call: Call,
    /// The error code of the last one.
    code: c_int,
    /// How many.
    times: u32,
}

impl Wrong {
    /// Whether a call is one of these.
    fn covers(&self, call: &Call) -> bool {
        let place = call.form.calls_between(self.call.number, call.number);
        self.call.is_like(call) && place < self.times
    }
}

/// Wrong calls that this process has refused. It has told the others of the first one.
struct Announced {
    wrong: Wrong,
    /// What it has begun instead.
    next: Call,
    /// The number of the notice.
    number: u64,
    /// How many others have not answered.
    unanswered: usize,
}

/// A call that another process has refused.
#[derive(Clone, Copy)]
struct Pending {
    call: Call,
    code: c_int,
    /// What that process has begun instead.
    next: Call,
    /// The number of its notice, and its world rank.
    number: u64,
    world: usize,
}

impl Calls {
    #[inline]
    fn number(&self, form: Form, operation: u8) -> &AtomicU32 {
        &self.numbers[form as usize][usize::from(operation)]
    }

    /// The next call.
    #[inline]
    fn next(&self, form: Form, operation: u8) -> Call {
        let last = self.number(form, operation).load(Ordering::Relaxed);
        Call { form, operation, number: (last + 1) % form.calls() }
    }

    /// Counts a call. An atomic increment is not needed, since an application makes these calls
    /// one after the other.
    #[inline]
    fn count(&self, call: &Call) {
        self.number(call.form, call.operation).store(call.number, Ordering::Relaxed);
    }

    /// Remembers a call. `operations` is the number of collective operations that have begun.
    #[inline]
    fn remember(&self, call: &Call, operations: u32) {
        self.recent[operations as usize % RECENT].store(call.word(), Ordering::Relaxed);
    }

    /// Forgets the call in whose place the next one would be remembered.
    fn forget_oldest(&self, operations: u32) {
        self.recent[operations as usize % RECENT].store(0, Ordering::Relaxed);
    }

    /// Whether it is the next one of its kind.
    fn is_next(&self, call: &Call) -> bool {
        self.next(call.form, call.operation) == *call
    }

    /// Counts it no more.
    fn uncount(&self, call: &Call) {
        let before = call.form.calls_between(1, call.number);
        self.number(call.form, call.operation).store(before, Ordering::Relaxed);
    }

    /// Whether this process has made it.
    fn has_made(&self, call: &Call) -> bool {
        let last = self.number(call.form, call.operation).load(Ordering::Relaxed);
        call.form.calls_between(call.number, last) < call.form.calls() / 2
    }

    /// Whether this process has made a call before another one. It has made the first one.
    /// `operations` is the number of collective operations that have begun. What is not
    /// remembered was earlier.
    fn is_before(&self, call: &Call, next: &Call, operations: u32) -> bool {
        let age = |call: &Call| {
            let at = |age: &usize| (operations as usize).wrapping_sub(*age) % RECENT;
            let word = |age: &usize| self.recent[at(age)].load(Ordering::Relaxed);
            (0..RECENT).find(|age| word(age) == call.word()).unwrap_or(RECENT)
        };
        !self.has_made(next) || age(call) == RECENT || age(call) > age(next)
    }

    fn refused(&self) -> MutexGuard<'_, Refused> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Communicator {
    /// All processes begin to make communicators of this one, or something like that.
    pub(crate) fn begin_other(&self) {
        let call = self.calls.next(Form::Blocking, OTHER);
        self.count(&call);
        self.go_on(&call);
    }

    /// Some processes begin to make a communicator. The others do not count this.
    pub(super) fn begin_among_some(&self) {
        self.begin_collective();
        self.calls.forget_oldest(self.hidden.collectives.load(Ordering::Relaxed));
    }

    /// A collective operation on data begins, given by its number.
    #[inline]
    pub(crate) fn begin_call(&self, form: Form, operation: u8) -> Call {
        if self.hidden.is_disturbed() {
            self.settle(form, operation);
        }
        let call = self.calls.next(form, operation);
        self.count(&call);
        if form == Form::Blocking {
            self.hidden.begin(call.tag());
            if let Some(within) = &self.within {
                within.begin(call.tag());
            }
        }
        if call.number.is_multiple_of(form.calls() / 4) {
            self.forget_refusals(&call);
        }
        call
    }

    /// Counts a call that begins.
    #[inline]
    fn count(&self, call: &Call) {
        self.begin_collective();
        self.calls.count(call);
        self.calls.remember(call, self.hidden.collectives.load(Ordering::Relaxed));
    }

    /// Whether there is anything to do about calls that were refused.
    fn note(&self, refused: &Refused) {
        let Refused { wrong, announced, pending, notices: _ } = refused;
        let any = !wrong.is_empty() || !announced.is_empty() || !pending.is_empty();
        self.hidden.disturb(any);
        if let Some(within) = &self.within {
            within.disturb(any);
        }
    }

    /// The blocking call that has begun sends or receives something, so it is not wrong.
    pub(super) fn call_goes_on(&self) {
        if let Some(call) = Call::of_tag(self.hidden.first_tag()) {
            self.go_on(&call);
        }
    }

    /// A call has failed. If nothing has been sent for it, it was none. Otherwise the others need
    /// not wait for more, unless another process has told all of the error.
    #[cold]
    pub(crate) fn end_wrong(&self, call: &Call, error: &Error) {
        if error.is_told_to_all() {
            return;
        }
        let engine = engine::enter();
        let within = self.within.as_deref();
        let has_begun = self.hidden.has_begun() || within.is_some_and(Context::has_begun);
        if call.form == Form::Blocking && has_begun {
            let (tag, code) = (call.tag(), error.code());
            let notice = Notice::Refused { call: tag, code, next: None, number: 0 };
            self.tell_others(&engine, notice);
            return engine.note_refusal(self.refusal(call, code));
        }
        self.calls.uncount(call);
        if call.form == Form::Blocking {
            self.show(call.operation, -1);
        }
        let mut refused = self.calls.refused();
        match refused.wrong.iter_mut().find(|wrong| wrong.call.is_like(call)) {
            Some(wrong) => *wrong = Wrong { code: error.code(), times: wrong.times + 1, ..*wrong },
            None => refused.wrong.push(Wrong { call: *call, code: error.code(), times: 1 }),
        }
        self.note(&refused);
    }

    /// This process has begun a call that is not wrong. It answers the processes that have refused
    /// it, and those that have begun it instead of another one. It does not make its own wrong
    /// calls again.
    pub(crate) fn go_on(&self, begun: &Call) {
        if !self.hidden.is_disturbed() {
            return;
        }
        let engine = engine::enter();
        let mut refused = self.calls.refused();
        for pending in mem::take(&mut refused.pending) {
            match self.answer_to(&pending, &refused) {
                Some(answer) => self.answer(&engine, &pending, answer),
                None => refused.pending.push(pending),
            }
        }
        let wrong: Vec<_> =
            refused.wrong.extract_if(.., |wrong| !wrong.call.is_like(begun)).collect();
        if self.size() > 1 || self.remote().is_some() {
            wrong.into_iter().for_each(|wrong| self.announce(&engine, &mut refused, wrong, begun));
        }
        self.note(&refused);
    }

    /// Tells the others that this process does not make the next call of the kind of a wrong one,
    /// and what it has begun instead.
    fn announce(&self, engine: &'static Engine, refused: &mut Refused, wrong: Wrong, next: &Call) {
        let call = self.calls.next(wrong.call.form, wrong.call.operation);
        refused.notices += 1;
        let (number, code) = (refused.notices, wrong.code);
        let notice = Notice::Refused { call: call.tag(), code, next: Some(next.tag()), number };
        self.tell_others(engine, notice);
        let unanswered = self.groups().map(|group| group.size()).sum::<c_int>() as usize - 1;
        let wrong = Wrong { call, ..wrong };
        refused.announced.push(Announced { wrong, next: *next, number, unanswered });
    }

    /// Another process, given by its world rank, tells something. The engine is entered.
    pub(super) fn hear_notice(&self, notice: Notice, world: usize) {
        let engine = engine::entered();
        match notice {
            Notice::Refused { call, code, next, number } => {
                let Some(call) = Call::of_tag(call) else { return };
                let Some(next) = next.and_then(Call::of_tag) else {
                    return engine.note_refusal(self.refusal(&call, code));
                };
                let pending = Pending { call, code, next, number, world };
                let mut refused = self.calls.refused();
                match self.answer_to(&pending, &refused) {
                    Some(answer) => {
                        drop(refused);
                        self.answer(engine, &pending, answer);
                    }
                    None => {
                        refused.pending.push(pending);
                        self.note(&refused);
                    }
                }
            }
            Notice::Settled { number, answer } => {
                let mut refused = self.calls.refused();
                let is_it = |announced: &Announced| announced.number == number;
                let Some(index) = refused.announced.iter().position(is_it) else { return };
                let announced = &mut refused.announced[index];
                announced.unanswered -= 1;
                if answer == Answer::RefusedToo && announced.unanswered > 0 {
                    return;
                }
                // The first other answer is that of all.
                let Announced { wrong, next, .. } = refused.announced.remove(index);
                let Wrong { call, code, times } = wrong;
                let counts = answer == Answer::Made && self.calls.is_next(&call);
                if counts {
                    self.calls.count(&call);
                    if call.form != Form::Persistent {
                        self.show(call.operation, 1);
                    }
                    // The others make the next one as well.
                    if times > 1 {
                        let rest = Wrong { times: times - 1, ..wrong };
                        self.announce(engine, &mut refused, rest, &next);
                    }
                }
                self.note(&refused);
                drop(refused);
                if counts {
                    // The last thing: it may end a communicator that has been freed.
                    engine.note_refusal(self.refusal(&call, code));
                }
            }
        }
    }

    /// The answer to a process that has refused a call. None: it is not known yet.
    fn answer_to(&self, pending: &Pending, refused: &Refused) -> Option<Answer> {
        let Pending { call, next, .. } = pending;
        if self.calls.has_made(call) {
            let operations = self.hidden.collectives.load(Ordering::Relaxed);
            let is_before = self.calls.is_before(call, next, operations);
            return Some(if is_before { Answer::Made } else { Answer::NotMade });
        }
        if !self.calls.has_made(next) {
            return None;
        }
        let wrong = refused.wrong.iter();
        let mut wrong = wrong.chain(refused.announced.iter().map(|announced| &announced.wrong));
        let is_refused = wrong.any(|wrong| wrong.covers(call));
        Some(if is_refused { Answer::RefusedToo } else { Answer::NotMade })
    }

    /// Answers a process that has refused a call.
    fn answer(&self, engine: &'static Engine, pending: &Pending, answer: Answer) {
        let Pending { call, code, number, world, .. } = *pending;
        engine.notify(self.program.id(), world, Notice::Settled { number, answer });
        if answer == Answer::Made {
            engine.note_refusal(self.refusal(&call, code));
        }
    }

    /// Before a call whose number is not certain: waits until it is known whether the last one that
    /// this process has refused counts.
    #[cold]
    fn settle(&self, form: Form, operation: u8) {
        let is_awaited = || {
            let refused = self.calls.refused();
            let mut calls = refused.announced.iter().map(|announced| announced.wrong.call);
            calls.any(|call| (call.form, call.operation) == (form, operation))
        };
        if is_awaited() {
            wait::wait_for(Awaited::Other, |_| (!is_awaited()).then_some(()));
        }
    }

    fn refusal(&self, call: &Call, code: c_int) -> Refusal {
        Refusal { communicator: self.program.id(), tags: call.tags(), code }
    }

    /// Shows debuggers so many calls more. The engine is entered.
    fn show(&self, operation: u8, more: i64) {
        if let Some(seen) = self.program.collective(usize::from(operation)) {
            seen.calls.set(seen.calls.get() + more);
        }
    }

    fn tell_others(&self, engine: &'static Engine, notice: Notice) {
        for world in self.groups().flat_map(|group| group.world_ranks()) {
            engine.notify(self.program.id(), *world as usize, notice);
        }
    }

    fn groups(&self) -> impl Iterator<Item = &Group> {
        std::iter::once(self.local()).chain(self.remote()).map(|group| &**group)
    }

    /// Refusals are forgotten half a turn before their tags are used again. Nobody can still need
    /// them then.
    #[cold]
    fn forget_refusals(&self, call: &Call) {
        let quarter = call.form.calls() / 4;
        let old = (call.number / quarter + 2) % 4;
        let is_old = |tag| {
            Call::of_tag(tag)
                .is_some_and(|other| other.is_like(call) && other.number / quarter == old)
        };
        engine::enter().forget_refusals(self.program.id(), is_old);
    }
}
