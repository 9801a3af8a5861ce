//! What a pass over a process keeps: operations with their places, and the first error.

use crate::alloc::push;
use crate::error::{Code, Error, Result};
use crate::queues::{Collective, Lacking, Operation, Snapshot};

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

/// Notes the collective operation with this number, of which a message is not finished.
pub(super) fn note_collective(known: &mut Vec<Collective>, number: usize) -> Result<()> {
    if known.iter().any(|known| known.number == number) {
        return Ok(());
    }
    push(known, Collective { number, calls: None, active: true })
}

/// Remembers the first error and goes on, unless there is nothing left to go on with. After an
/// error some queue may lack something, so none is known to be empty. For what can never be seen,
/// [`Snapshot::lacking`] is set where that is noticed.
pub(super) fn keep(
    snapshot: &mut Snapshot,
    first: &mut Option<Error>,
    result: Result<()>,
) -> Result<()> {
    if result.is_err_and(|error| error.code != Code::NotSeen) {
        snapshot.lacking = Lacking::ALL;
    }
    optional(first, result).map(drop)
}

/// Makes a result optional for what can be shown without it: None if it cannot be read. The error
/// is remembered.
pub(super) fn optional<T>(first: &mut Option<Error>, result: Result<T>) -> Result<Option<T>> {
    let error = match result {
        Ok(value) => return Ok(Some(value)),
        Err(error) => error,
    };
    // An error matters more than what can never be seen.
    if first.is_none_or(|first| first.code == Code::NotSeen) {
        *first = Some(error);
    }
    if error.is_final() { Err(first.unwrap_or(error)) } else { Ok(None) }
}
