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
//!
//! The process that has refused a call waits for such an answer when it makes the next one of its
//! kind, whose number depends on it.

use std::ffi::c_int;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::object::Communicator;
use super::team::tag;
use crate::engine::context::{Context, KINDS};
use crate::engine::notice::Notice;
use crate::engine::refusal::Refusal;
use crate::engine::wait::{self, Awaited};
use crate::engine::{self, Engine};
use crate::error::Error;

/// Forms of operations whose calls are counted separately.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// The call does the operation.
    Blocking,
    /// The call starts it. Also those that are made of such a form.
    Nonblocking,
    /// The call makes a request for it. The processes may start these in any order.
    Persistent,
}

const FORMS: [Form; 3] = [Form::Blocking, Form::Nonblocking, Form::Persistent];

/// There are fewer operations than this.
const OPERATIONS: usize = 32;

/// The number of the nonblocking duplication of a communicator.
pub(crate) const DUPLICATION: usize = OPERATIONS - 1;

/// The number of all that makes communicators and the like.
const OTHER: usize = OPERATIONS - 2;

impl Form {
    /// The first tag of the form, the tags of a call, and the calls that have tags of their own.
    /// After these, tags are used again.
    fn tags(self) -> (c_int, c_int, u32) {
        match self {
            Form::Blocking => (0, KINDS, 1 << 18),
            Form::Nonblocking => (tag::SCHEDULE, 1, 1 << 22),
            Form::Persistent => (tag::SCHEDULE + (1 << 27), 1, 1 << 22),
        }
    }
}

/// A call of a collective operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Call {
    form: Form,
    operation: usize,
    number: u32,
}

impl Call {
    /// The tags of its messages. A blocking call has one for each kind of message.
    fn tags(&self) -> Range<c_int> {
        let (first, width, _) = self.form.tags();
        let first = first
            + (self.number * OPERATIONS as u32) as c_int * width
            + self.operation as c_int * width;
        first..first + width
    }

    /// The tag of its messages, if they have one.
    pub(crate) fn tag(&self) -> c_int {
        self.tags().start
    }

    /// The call whose first tag this is.
    fn of_tag(tag: c_int) -> Option<Call> {
        let call = |form: Form| {
            let (first, width, calls) = form.tags();
            let place = tag.checked_sub(first).filter(|place| *place >= 0)? / width;
            let (number, operation) =
                (place as u32 / OPERATIONS as u32, place as usize % OPERATIONS);
            let call = Call { form, operation, number };
            (number < calls && call.tag() == tag).then_some(call)
        };
        FORMS.into_iter().find_map(call)
    }

    /// Whether the other one is one of the same operation and form.
    fn is_like(&self, other: &Call) -> bool {
        (self.form, self.operation) == (other.form, other.operation)
    }
}

/// The calls of a communicator so far.
#[derive(Default)]
pub(super) struct Calls {
    /// Those of each form and operation.
    numbers: [[AtomicU32; OPERATIONS]; FORMS.len()],
    /// When the last one of each has begun: how many calls had begun then.
    begun: [[AtomicU64; OPERATIONS]; FORMS.len()],
    /// All calls.
    all: AtomicU64,
    /// Whether there is anything in `refused`.
    is_disturbed: AtomicBool,
    refused: Mutex<Refused>,
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

/// Wrong calls that this process has refused. It has told the others of the first one.
struct Announced {
    wrong: Wrong,
    /// What it has begun instead.
    next: Call,
    /// The number of the notice.
    number: u64,
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
    /// The next call.
    fn next(&self, form: Form, operation: usize) -> Call {
        let (_, _, calls) = form.tags();
        let last = self.numbers[form as usize][operation].load(Ordering::Relaxed);
        Call { form, operation, number: (last + 1) % calls }
    }

    /// Whether it is the next one of its kind.
    fn is_next(&self, call: &Call) -> bool {
        self.next(call.form, call.operation) == *call
    }

    /// Counts it. An atomic increment is not needed, since an application makes these calls one
    /// after the other.
    fn count(&self, call: &Call) {
        let (form, operation) = (call.form as usize, call.operation);
        self.numbers[form][operation].store(call.number, Ordering::Relaxed);
        let all = self.all.load(Ordering::Relaxed) + 1;
        self.all.store(all, Ordering::Relaxed);
        self.begun[form][operation].store(all, Ordering::Relaxed);
    }

    /// Counts it no more.
    fn uncount(&self, call: &Call) {
        let (_, _, calls) = call.form.tags();
        let before = (call.number + calls - 1) % calls;
        self.numbers[call.form as usize][call.operation].store(before, Ordering::Relaxed);
    }

    /// Whether this process has made it.
    fn has_made(&self, call: &Call) -> bool {
        let (_, _, calls) = call.form.tags();
        let last = self.numbers[call.form as usize][call.operation].load(Ordering::Relaxed);
        (last + calls - call.number) % calls < calls / 2
    }

    /// Whether this process has made a call before another one. It has made the first one.
    fn is_before(&self, call: &Call, next: &Call) -> bool {
        let begun =
            |call: &Call| self.begun[call.form as usize][call.operation].load(Ordering::Relaxed);
        !self.has_made(next) || begun(call) < begun(next)
    }

    fn refused(&self) -> MutexGuard<'_, Refused> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is anything to do about calls that were refused.
    #[inline]
    fn is_disturbed(&self) -> bool {
        self.is_disturbed.load(Ordering::Relaxed)
    }

    fn note(&self, refused: &Refused) {
        let Refused { wrong, announced, pending, notices: _ } = refused;
        let any = !wrong.is_empty() || !announced.is_empty() || !pending.is_empty();
        self.is_disturbed.store(any, Ordering::Relaxed);
    }
}

impl Communicator {
    /// All processes begin to make communicators of this one, or something like that.
    pub(crate) fn begin_other(&self) {
        let call = self.calls.next(Form::Blocking, OTHER);
        self.calls.count(&call);
        self.go_on(&call);
        self.begin_collective();
    }

    /// A collective operation on data begins, given by its number.
    #[inline]
    pub(crate) fn begin_call(&self, form: Form, operation: usize) -> Call {
        if self.calls.is_disturbed() {
            self.settle(form, operation);
        }
        let call = self.calls.next(form, operation);
        self.calls.count(&call);
        self.begin_collective();
        if form == Form::Blocking {
            self.hidden.begin(call.tag());
            if let Some(within) = &self.within {
                within.begin(call.tag());
            }
        }
        self.forget_refusals(&call);
        call
    }

    /// The blocking call that has begun sends or receives something, so it is not wrong.
    pub(super) fn call_goes_on(&self) {
        if self.calls.is_disturbed()
            && let Some(call) = Call::of_tag(self.hidden.first_tag())
        {
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
        self.calls.note(&refused);
    }

    /// This process has begun a call that is not wrong. It answers the processes that have refused
    /// it, and those that have begun it instead of another one. It does not make its own wrong
    /// calls again.
    pub(crate) fn go_on(&self, begun: &Call) {
        if !self.calls.is_disturbed() {
            return;
        }
        let engine = engine::enter();
        let mut refused = self.calls.refused();
        let is_decided =
            |pending: &mut Pending| pending.call == *begun || self.calls.has_made(&pending.next);
        for pending in refused.pending.extract_if(.., is_decided) {
            let Pending { call, next, .. } = &pending;
            let made = self.calls.has_made(call) && self.calls.is_before(call, next);
            self.answer(&engine, &pending, made);
        }
        let wrong: Vec<_> =
            refused.wrong.extract_if(.., |wrong| !wrong.call.is_like(begun)).collect();
        if self.size() > 1 || self.remote().is_some() {
            wrong.into_iter().for_each(|wrong| self.announce(&engine, &mut refused, wrong, begun));
        }
        self.calls.note(&refused);
    }

    /// Tells the others that this process does not make the next call of the kind of a wrong one,
    /// and what it has begun instead.
    fn announce(&self, engine: &'static Engine, refused: &mut Refused, wrong: Wrong, next: &Call) {
        let call = self.calls.next(wrong.call.form, wrong.call.operation);
        refused.notices += 1;
        let (number, code) = (refused.notices, wrong.code);
        let notice = Notice::Refused { call: call.tag(), code, next: Some(next.tag()), number };
        self.tell_others(engine, notice);
        refused.announced.push(Announced { wrong: Wrong { call, ..wrong }, next: *next, number });
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
                if self.calls.has_made(&call) {
                    return self.answer(engine, &pending, self.calls.is_before(&call, &next));
                }
                if self.calls.has_made(&next) {
                    return self.answer(engine, &pending, false);
                }
                let mut refused = self.calls.refused();
                refused.pending.push(pending);
                self.calls.note(&refused);
            }
            Notice::Settled { number, made } => {
                let mut refused = self.calls.refused();
                let is_it = |announced: &Announced| announced.number == number;
                // The first answer is that of all.
                let Some(index) = refused.announced.iter().position(is_it) else { return };
                let Announced { wrong, next, .. } = refused.announced.remove(index);
                let Wrong { call, code, times } = wrong;
                let counts = made && self.calls.is_next(&call);
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
                self.calls.note(&refused);
                drop(refused);
                if counts {
                    // The last thing: it may end a communicator that has been freed.
                    engine.note_refusal(self.refusal(&call, code));
                }
            }
        }
    }

    /// Answers a process that has refused a call: whether this one has made it, or makes it now.
    fn answer(&self, engine: &'static Engine, pending: &Pending, made: bool) {
        let Pending { call, code, number, world, .. } = *pending;
        engine.notify(self.program.id(), world, Notice::Settled { number, made });
        if made {
            engine.note_refusal(self.refusal(&call, code));
        }
    }

    /// Before a call whose number is not certain: waits until it is known whether the last one that
    /// this process has refused counts.
    #[cold]
    fn settle(&self, form: Form, operation: usize) {
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
    fn show(&self, operation: usize, more: i64) {
        if let Some(seen) = self.program.collective(operation) {
            seen.calls.set(seen.calls.get() + more);
        }
    }

    fn tell_others(&self, engine: &'static Engine, notice: Notice) {
        let groups = std::iter::once(self.local()).chain(self.remote());
        for world in groups.flat_map(|group| group.world_ranks()) {
            engine.notify(self.program.id(), *world as usize, notice);
        }
    }

    /// Refusals are forgotten half a turn before their tags are used again. Nobody can still need
    /// them then.
    #[inline]
    fn forget_refusals(&self, call: &Call) {
        let (_, _, calls) = call.form.tags();
        let quarter = calls / 4;
        if call.number.is_multiple_of(quarter) {
            let old = (call.number / quarter + 2) % 4;
            let is_old = |tag| {
                Call::of_tag(tag)
                    .is_some_and(|other| other.is_like(call) && other.number / quarter == old)
            };
            engine::enter().forget_refusals(self.program.id(), is_old);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_calls_are_their_own() {
        let mut seen = std::collections::HashSet::new();
        for form in FORMS {
            let (_, _, calls) = form.tags();
            for operation in 0..OTHER + 1 {
                for number in [0, 1, 2, calls / 2, calls - 2, calls - 1] {
                    let call = Call { form, operation, number };
                    assert!(seen.insert(call.tag()));
                    assert_eq!(Call::of_tag(call.tag()), Some(call));
                    let end = call.tags().end - 1;
                    assert!((0..tag::OTHERS).contains(&end) || call.tag() >= tag::SCHEDULE);
                }
            }
        }
        assert_eq!(Call::of_tag(tag::PARTITIONS), None);
        assert_eq!(Call::of_tag(KINDS + 1), None);
    }
}
