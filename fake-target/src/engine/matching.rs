//! Matching: the queues of a context, and which receive a message matches (MPI 5.0, section 3.5).

use super::context::Context;
use super::list::List;
use super::request::{Queue, Request};
use crate::abi::{MPI_ANY_SOURCE, MPI_ANY_TAG};
use crate::variables::counters;
use std::ffi::c_int;

impl Context {
    /// The receives without a message.
    pub(crate) fn posted(&self) -> List<'_, Request> {
        let (first, last) = (&self.head.posted_receives, &self.posted_last);
        List { first, last, length: Some(&self.receives_posted), weight: None }
    }

    /// The receives with a message.
    pub(crate) fn matched(&self) -> List<'_, Request> {
        let (first, last) = (&self.head.matched_receives, &self.matched_last);
        List { first, last, length: Some(&self.receives_matched), weight: None }
    }

    /// The receive that a message from `source` with `tag` matches: the first that was posted.
    #[inline]
    pub(crate) fn find_posted(&self, source: c_int, tag: c_int) -> Option<&'static Request> {
        search(self.posted().iter(), |receive| {
            accepts(receive.head.peer.get(), receive.head.tag.get(), source, tag)
        })
    }

    /// Moves a receive to the list of matched ones. Its message has been noted already.
    #[inline]
    pub(crate) fn match_receive(&self, receive: &'static Request) {
        if receive.queue.get() == Some(Queue::Posted) {
            self.posted().remove(receive);
        }
        receive.queue.set(Some(Queue::Matched));
        self.matched().append(receive);
    }
}

/// The first object that fits. Searches and comparisons are counted, and timed if a tool wants it.
#[inline]
pub(super) fn search<T>(
    mut objects: impl Iterator<Item = T>,
    fits: impl Fn(&T) -> bool,
) -> Option<T> {
    let begin = counters::MATCHING_TIME.begin();
    let mut compared = 0;
    let found = objects.find(|object| {
        compared += 1;
        fits(object)
    });
    counters::SEARCHES.add(1);
    counters::MATCH_ATTEMPTS.add(compared);
    counters::MATCHING_TIME.end(begin);
    found
}

/// Whether what was asked for, wildcards included, covers a message.
#[inline]
pub(super) fn accepts(wanted_source: c_int, wanted_tag: c_int, source: c_int, tag: c_int) -> bool {
    (wanted_source == source || wanted_source == MPI_ANY_SOURCE)
        && (wanted_tag == tag || wanted_tag == MPI_ANY_TAG)
}
