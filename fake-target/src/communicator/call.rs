//! A call of a collective operation: its form, its operation and its number, from which the tags of
//! its messages follow.

use std::ffi::c_int;
use std::ops::Range;

use super::team::tag;
use crate::engine::context::KINDS;

/// Forms of operations whose calls are counted separately.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Form {
    /// The call does the operation.
    Blocking,
    /// The call starts it. Also those that are made of such a form.
    Nonblocking,
    /// The call makes a request for it. The processes may start these in any order.
    Persistent,
}

pub(super) const FORMS: [Form; 3] = [Form::Blocking, Form::Nonblocking, Form::Persistent];

/// There are fewer operations than this.
pub(super) const OPERATIONS: usize = 32;

/// The number of the nonblocking duplication of a communicator.
pub(crate) const DUPLICATION: u8 = OPERATIONS as u8 - 1;

/// The number of all that makes communicators and the like.
pub(super) const OTHER: u8 = OPERATIONS as u8 - 2;

impl Form {
    /// The first tag of the form, and how many tags a call has.
    fn tags(self) -> (c_int, c_int) {
        match self {
            Form::Blocking => (0, KINDS),
            Form::Nonblocking => (tag::SCHEDULE, 1),
            Form::Persistent => (tag::SCHEDULE + (1 << 27), 1),
        }
    }

    /// How many calls have tags of their own. After these, numbers and tags are used again.
    pub(super) fn calls(self) -> u32 {
        match self {
            Form::Blocking => 1 << 18,
            Form::Nonblocking | Form::Persistent => 1 << 22,
        }
    }

    /// How many calls come after the number `first` up to the number `last`.
    pub(super) fn calls_between(self, first: u32, last: u32) -> u32 {
        (last + self.calls() - first) % self.calls()
    }
}

/// A call of a collective operation. It fits a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Call {
    pub(super) form: Form,
    pub(super) operation: u8,
    pub(super) number: u32,
}

impl Call {
    /// The tags of its messages. A blocking call has one for each kind of message.
    pub(super) fn tags(&self) -> Range<c_int> {
        let (first, width) = self.form.tags();
        let first = first
            + (self.number * OPERATIONS as u32) as c_int * width
            + c_int::from(self.operation) * width;
        first..first + width
    }

    /// The call as one word.
    pub(super) fn word(&self) -> u64 {
        u64::from(self.number) << 16 | u64::from(self.operation) << 8 | self.form as u64
    }

    /// The tag of its messages, if they have one.
    pub(crate) fn tag(&self) -> c_int {
        self.tags().start
    }

    /// The call whose first tag this is.
    pub(super) fn of_tag(tag: c_int) -> Option<Call> {
        let call = |form: Form| {
            let (first, width) = form.tags();
            let place = tag.checked_sub(first).filter(|place| *place >= 0)? / width;
            let (number, operation) =
                (place as u32 / OPERATIONS as u32, (place as usize % OPERATIONS) as u8);
            let call = Call { form, operation, number };
            (number < form.calls() && call.tag() == tag).then_some(call)
        };
        FORMS.into_iter().find_map(call)
    }

    /// Whether the other one is one of the same operation and form.
    pub(super) fn is_like(&self, other: &Call) -> bool {
        (self.form, self.operation) == (other.form, other.operation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_calls_are_their_own() {
        let mut seen = std::collections::HashSet::new();
        for form in FORMS {
            let calls = form.calls();
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
