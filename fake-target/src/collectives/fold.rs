//! Reductions without a tree: each process combines some elements of the operands of all others.

use std::ffi::c_int;

use super::buffer::{Elements, Near, Operand, Scratch};
use super::exchange::after;
use crate::abi::MPI_Count;
use crate::communicator::team::{SHORT, Team};
use crate::engine::internal::{Transfers, send_to_each};
use crate::error::Result;
use crate::op::Reduction;

/// Operands of at least this many bytes are combined in parts, one by each process.
pub(super) const LONG: usize = 16 << 10;

/// The most processes that all send to each other in a reduction.
pub(super) const MANY: c_int = 64;

/// The elements of a process: the first one and how many.
pub(super) type Part = (MPI_Count, MPI_Count);

/// The part of a member if all parts are about equally large.
pub(super) fn even_part(count: MPI_Count, size: c_int, member: c_int) -> Part {
    let begin = |member: c_int| {
        let (size, member) = (MPI_Count::from(size), MPI_Count::from(member));
        count / size * member + (count % size).min(member)
    };
    (begin(member), begin(member + 1) - begin(member))
}

/// Whether operands may be combined in parts. A function of the program gets all of them at once,
/// since some programs rely on that.
pub(super) fn may_part(op: &Reduction, own: &Elements, size: c_int) -> bool {
    op.is_predefined()
        && own.bytes() >= LONG
        && own.count() >= MPI_Count::from(size)
        && (2..=MANY).contains(&size)
}

/// Whether each process sends its operands to all others, rather than to one that sends the result
/// back.
pub(super) fn is_short(own: &Elements, size: c_int) -> bool {
    const FEW_BYTES: usize = 32 << 10;
    own.bytes() * size as usize <= FEW_BYTES
}

/// `into[i] = left[i] op into[i]`
pub(super) fn combine(op: &Reduction, left: &Elements, into: &Elements) {
    op.apply(into.datatype(), into.handle(), left.address(), into.address(), into.count());
}

/// The other members, beginning with the next one, so that members do not all begin with the same
/// one.
pub(super) fn others(team: &Team) -> impl ExactSizeIterator<Item = c_int> + Clone + use<> {
    let (rank, size) = (team.rank(), team.size());
    (1..size).map(move |step| after(rank, step, size))
}

/// Starts to send each other member its part of some elements.
pub(super) fn send_parts<'a>(
    team: &Team,
    elements: &'a Elements,
    part: impl Fn(c_int) -> Part,
) -> Result<Transfers<'a>> {
    let mut transfers = Transfers::default();
    for member in others(team) {
        let (first, count) = part(member);
        let data = elements.part(first, count)?.payload();
        transfers.add(team.partner(member).isend_data(team.tag(), data));
    }
    Ok(transfers)
}

/// Starts to send each other member all elements.
pub(super) fn send_all<'a>(team: &Team, elements: &'a Elements) -> Transfers<'a> {
    if elements.bytes() > SHORT {
        let partners = others(team).map(|member| team.partner(member));
        return send_to_each(partners, team.tag(), elements.payload());
    }
    let mut transfers = Transfers::default();
    for member in others(team) {
        transfers.add(elements.start_send(team.partner(member), team.tag()));
    }
    transfers
}

/// Combines `own` with what the other members send, in the order of the ranks. `into` is other
/// memory than `own`. An error does not end it, since the others rely on the rest.
pub(super) fn fold(team: &Team, op: &Reduction, own: &Elements, into: &Elements) -> Result {
    let receive = |member, to: &Elements| to.receive_alone(team.partner(member), team.tag());
    let (rank, last) = (team.rank(), team.size() - 1);
    // From the last to the first: each operand goes to the left of what is combined already.
    let mut result = if rank == last { into.copy_from(own) } else { receive(last, into) };
    let mut near = Near::new();
    let operand = match last > 1 || last == 1 && rank == 1 {
        true => Some(Operand::new(&mut near, into)?),
        false => None,
    };
    for member in (0..last).rev() {
        let combined = match &operand {
            Some(operand) if member != rank => {
                let received = receive(member, operand.elements());
                received.map(|()| combine(op, operand.elements(), into))
            }
            _ => {
                combine(op, own, into);
                Ok(())
            }
        };
        result = result.and(combined);
    }
    result
}

/// The same in any order, for operations that commute. `into` may be `own` itself.
fn fold_in_any_order(team: &Team, op: &Reduction, own: &Elements, into: &Elements) -> Result {
    let receive = |member, to: &Elements| to.receive_alone(team.partner(member), team.tag());
    let mut others = others(team);
    let mut result = Ok(());
    if own.address() != into.address() {
        result = match others.next() {
            Some(first) => receive(first, into).map(|()| combine(op, own, into)),
            None => into.copy_from(own),
        };
    }
    let mut operand = None;
    for member in others {
        let operand = match &mut operand {
            Some(operand) => operand,
            none => none.insert(Scratch::like(into)?),
        };
        let received = receive(member, operand.elements());
        let combined = received.map(|()| combine(op, operand.elements(), into));
        result = result.and(combined);
    }
    result
}

/// Combines this member's part of the elements of all. `into` is other memory than the parts of
/// others.
pub(super) fn fold_part(
    team: &Team,
    op: &Reduction,
    own: &Elements,
    into: &Elements,
    part: impl Fn(c_int) -> Part,
) -> Result {
    let transfers = send_parts(team, own, &part)?;
    let (first, count) = part(team.rank());
    let mine = own.part(first, count)?;
    let folded = if op.commutes() && op.is_predefined() {
        fold_in_any_order(team, op, &mine, into)
    } else if mine.address() == into.address() {
        let combined = Scratch::like(into)?;
        let folded = fold(team, op, &mine, combined.elements());
        folded.and_then(|()| into.copy_from(combined.elements()))
    } else {
        fold(team, op, &mine, into)
    };
    folded.and(transfers.wait())
}
