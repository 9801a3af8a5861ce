//! The messages of a context without a receive. Debuggers see one list, in the order of arrival.
//! Beside it each sender has a list of its own, so that a receive from one sender passes over no
//! messages of others. There may be thousands of these if their senders run ahead.

use super::context::{Context, Ends};
use super::list::List;
use super::matching::{accepts, search};
use super::message::{Message, OfSender};
use crate::abi::MPI_ANY_SOURCE;
use crate::debug::queues::mqdrt_message;
use bytemuck::TransparentWrapper as _;
use std::ffi::c_int;

fn of_sender(Ends { first, last }: &Ends<mqdrt_message>) -> List<'_, OfSender> {
    List { first, last, length: None, weight: None }
}

impl Context {
    /// The messages without a receive.
    pub(crate) fn unexpected(&self) -> Unexpected<'_> {
        Unexpected { context: self }
    }

    /// The first message of one sender.
    #[inline]
    pub(super) fn first_unexpected_from(&self, source: c_int) -> Option<&'static Message> {
        self.messages_of(source).next()
    }

    /// The messages of one sender, from the first to the last.
    #[inline]
    fn messages_of(&self, source: c_int) -> impl Iterator<Item = &'static Message> + use<> {
        let senders = self.senders.borrow();
        let messages = senders.get(source as usize).map(|sender| of_sender(sender).iter());
        messages.into_iter().flatten().map(OfSender::peel_ref)
    }

    /// The message that a receive or probe for `source` and `tag` matches: the first that arrived.
    #[inline]
    pub(crate) fn find_unexpected(&self, source: c_int, tag: c_int) -> Option<&'static Message> {
        let fits = |message: &&Message| {
            accepts(source, tag, message.head.source.get(), message.head.tag.get())
        };
        if source == MPI_ANY_SOURCE {
            return search(self.unexpected().iter(), fits);
        }
        search(self.messages_of(source), fits)
    }
}

/// A view of the messages without a receive.
pub(crate) struct Unexpected<'a> {
    context: &'a Context,
}

impl Unexpected<'_> {
    fn all(&self) -> List<'_, Message> {
        let Context { head, unexpected_last, messages_unexpected, bytes_unexpected, .. } =
            self.context;
        List {
            first: &head.unexpected_messages,
            last: unexpected_last,
            length: Some(messages_unexpected),
            weight: Some(bytes_unexpected),
        }
    }

    /// Adds a message, which must be on no list, at the end.
    pub(super) fn append(&self, message: &'static Message) {
        let source = message.head.source.get() as usize;
        let mut senders = self.context.senders.borrow_mut();
        if senders.len() <= source {
            senders.resize_with(source + 1, Ends::none);
        }
        of_sender(&senders[source]).append(OfSender::wrap_ref(message));
        self.all().append(message);
    }

    /// Takes a message out, as [`List::remove`] does.
    pub(super) fn remove(&self, message: &'static Message) {
        let sender = &self.context.senders.borrow()[message.head.source.get() as usize];
        of_sender(sender).remove(OfSender::wrap_ref(message));
        self.all().remove(message);
    }

    /// The first message.
    pub(super) fn first(&self) -> Option<&'static Message> {
        self.all().first()
    }

    /// All messages, from the first to the last. The one just returned may be removed meanwhile.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static Message> + use<> {
        self.all().iter()
    }
}
