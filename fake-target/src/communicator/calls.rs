//! The calls of collective operations on a communicator. All processes make them in the same order,
//! so they agree on their numbers, from which the tags of their messages follow.
//!
//! A call that fails before it has sent anything, since its arguments are wrong, is none: the
//! process may make it again, and the others are waiting for that. If the process begins another
//! operation instead, it tells the others that it refuses the call. In those that have made it,
//! the call fails. Those that have not, since it was a call of this process alone, leave out its
//! number.

use std::ffi::c_int;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::object::Communicator;
use super::team::tag;
use crate::engine;
use crate::engine::context::{Context, KINDS};
use crate::engine::refusal::Refusal;
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
    /// All, and those that make communicators and the like.
    total: AtomicU64,
    /// Calls of this process that were wrong, and their error codes. It may make them again.
    wrong: Mutex<Vec<(Call, c_int)>>,
    /// The length of this list.
    wrongs: AtomicU32,
}

impl Calls {
    fn number(&self, form: Form, operation: usize) -> &AtomicU32 {
        &self.numbers[form as usize][operation]
    }

    /// The next call.
    fn next(&self, form: Form, operation: usize) -> Call {
        let (_, _, calls) = form.tags();
        let last = self.number(form, operation).load(Ordering::Relaxed);
        Call { form, operation, number: (last + 1) % calls }
    }

    /// Counts it.
    fn count(&self, call: &Call) {
        self.number(call.form, call.operation).store(call.number, Ordering::Relaxed);
        self.total.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts it no more.
    fn uncount(&self, call: &Call) {
        let (_, _, calls) = call.form.tags();
        let before = (call.number + calls - 1) % calls;
        self.number(call.form, call.operation).store(before, Ordering::Relaxed);
        self.total.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Communicator {
    /// All processes begin to make communicators of this one, or something like that.
    pub(crate) fn begin_other(&self) {
        engine::enter().hear_refusals();
        self.go_on(None);
        self.calls.total.fetch_add(1, Ordering::Relaxed);
        self.begin_collective();
    }

    /// A collective operation on data begins, given by its number.
    #[inline]
    pub(crate) fn begin_call(&self, form: Form, operation: usize) -> Call {
        engine::enter().hear_refusals();
        let mut call = self.calls.next(form, operation);
        if self.calls.wrongs.load(Ordering::Relaxed) > 0 || self.hidden.has_refusals() {
            self.go_on(Some(&call));
            call = self.calls.next(form, operation);
        }
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

    /// A call has failed. If nothing has been sent for it, it was none. Otherwise the others need
    /// not wait for more, unless another process has told all of the error.
    #[cold]
    pub(crate) fn end_wrong(&self, call: &Call, error: &Error) {
        if error.is_told_to_all() {
            return;
        }
        let has_begun = |context: &Context| context.has_begun();
        let within = self.within.as_deref();
        if call.form == Form::Blocking && (has_begun(&self.hidden) || within.is_some_and(has_begun))
        {
            let before = self.calls.total.load(Ordering::Relaxed) - 1;
            return self.refuse(call, error.code(), before);
        }
        self.calls.uncount(call);
        if call.form == Form::Blocking {
            self.show(call.operation, -1);
        }
        let mut wrong = self.calls.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        wrong.retain(|(other, _)| !other.is_like(call));
        wrong.push((*call, error.code()));
        self.calls.wrongs.store(wrong.len() as u32, Ordering::Relaxed);
    }

    /// This process begins that call, or something that has no number. It tells the others which
    /// calls it does not make again, and leaves out those that others alone have begun.
    pub(super) fn go_on(&self, next: Option<&Call>) {
        let mut wrong = self.calls.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        let is_next = |call: &Call| next.is_some_and(|next| next.is_like(call));
        for (call, code) in wrong.extract_if(.., |(call, _)| !is_next(call)) {
            let call = self.calls.next(call.form, call.operation);
            let before = self.calls.total.load(Ordering::Relaxed);
            self.leave_out(&call);
            self.refuse(&call, code, before);
        }
        self.calls.wrongs.store(wrong.len() as u32, Ordering::Relaxed);
        drop(wrong);
        if !self.hidden.has_refusals() {
            return;
        }
        for (tag, before) in engine::enter().refusals_of(self.program.id()) {
            let Some(call) = Call::of_tag(tag) else { continue };
            let total = self.calls.total.load(Ordering::Relaxed);
            let is_passed = total > before || total == before && !is_next(&call);
            if is_passed && self.calls.next(call.form, call.operation) == call {
                self.leave_out(&call);
            }
        }
    }

    /// Counts a call that this process does not make.
    fn leave_out(&self, call: &Call) {
        self.calls.count(call);
        if call.form != Form::Persistent {
            self.show(call.operation, 1);
        }
    }

    /// Shows debuggers so many calls more.
    fn show(&self, operation: usize, more: i64) {
        let _engine = engine::enter();
        if let Some(seen) = self.program.collective(operation) {
            seen.calls.set(seen.calls.get() + more);
        }
    }

    /// Tells the others that this process does not take part in a call any more. `before` is the
    /// number of calls before it.
    fn refuse(&self, call: &Call, code: c_int, before: u64) {
        let (communicator, tags) = (self.program.id(), call.tags());
        let groups = std::iter::once(self.local()).chain(self.remote());
        let worlds = groups.flat_map(|group| group.world_ranks()).map(|world| *world as usize);
        engine::enter().refuse(Refusal { communicator, tags, code, before }, worlds);
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
            for operation in 0..OPERATIONS - 1 {
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
