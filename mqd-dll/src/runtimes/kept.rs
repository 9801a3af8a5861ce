//! What a pass over a process keeps: operations with their places, and the first error.

use crate::alloc::push;
use crate::error::{Code, Error, Result};
use crate::queues::Operation;

/// An operation with its place in its queue.
pub(super) struct Placed {
    pub(super) place: (u64, u64),
    pub(super) operation: Operation,
}

/// Puts operations into their queue, in order.
pub(super) fn deliver(from: &mut Vec<Placed>, to: &mut Vec<Operation>) -> Result<()> {
    from.sort_unstable_by_key(|placed| placed.place);
    to.try_reserve_exact(from.len())?;
    from.drain(..).try_for_each(|placed| push(to, placed.operation))
}

/// Remembers the first error and goes on, unless there is nothing left to go on with.
pub(super) fn keep(first: &mut Option<Error>, result: Result<()>) -> Result<()> {
    let Err(error) = result else { return Ok(()) };
    // An error matters more than what can never be seen.
    if first.is_none_or(|first| first.code == Code::NotSeen) {
        *first = Some(error);
    }
    if error.is_final() { Err(first.unwrap_or(error)) } else { Ok(()) }
}
