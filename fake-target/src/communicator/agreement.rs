//! How processes do something together although it may fail at some of them: each tells the others
//! whether it has failed. If one has, all fail, and no process waits for it.

use std::ffi::c_int;

use super::object::Communicator;
use super::team::{Team, tag};
use crate::abi::{MPI_ERR_NOT_SAME, MPI_SUCCESS};
use crate::error::{Error, Result};

/// The code of an outcome.
pub(crate) fn code_of<T>(outcome: &Result<T>) -> c_int {
    outcome.as_ref().map_or_else(Error::code, |_| MPI_SUCCESS)
}

/// What a process returns because another one has failed with that code.
pub(crate) fn failed_elsewhere(code: c_int, which: &str) -> Error {
    Error::new(code, format!("{which} has failed"))
}

/// What a process tells: the code of its outcome, then its numbers.
fn words<T>(own: &Result<T>, numbers: &[i64]) -> Vec<i64> {
    [&[code_of(own).into()], numbers].concat()
}

/// The numbers that all have told; the first error of one of them.
fn numbers_of<const N: usize>(all: &[i64], whose: &str) -> Result<Vec<[i64; N]>> {
    let of = |(rank, words): (usize, &[i64])| match words[0] as c_int {
        MPI_SUCCESS => Ok(words[1..].try_into().expect("as many numbers as this process tells")),
        code => Err(failed_elsewhere(code, &format!("rank {rank}{whose}"))),
    };
    all.chunks_exact(1 + N).enumerate().map(of).collect()
}

impl Team {
    /// Every member tells the outcome of its part so far, and some numbers. The result is the
    /// numbers of all members, in the order of the ranks, or the first error of a member.
    pub(crate) fn tell<T, const N: usize>(
        &self,
        own: &Result<T>,
        numbers: [i64; N],
    ) -> Result<Vec<[i64; N]>> {
        numbers_of(&self.allgather(&words(own, &numbers))?, "")
    }

    /// Goes on if all members have succeeded. A member's own error is returned as it is.
    pub(crate) fn together<T>(&self, own: Result<T>) -> Result<T> {
        let all = self.tell(&own, []);
        let own = own?;
        all.map(|_: Vec<[i64; 0]>| own)
    }
}

/// What processes have told that name a leader: its rank, and the outcome of all. There is a leader
/// if some have failed, since it has to tell that to the other group. There is none if all have
/// failed: then the call is wrong, and nobody waits for the other group.
pub(super) fn with_leader<T>(own: Result<T>, all: &[[c_int; 2]]) -> (Option<c_int>, Result<T>) {
    let named = all.iter().find(|[code, _]| *code == MPI_SUCCESS);
    let leader = named.map(|[_, leader]| *leader);
    let outcome = own.and_then(|own| {
        let failed = all.iter().position(|[code, _]| *code != MPI_SUCCESS);
        if let Some(rank) = failed {
            return Err(failed_elsewhere(all[rank][0], &format!("rank {rank}")));
        }
        match all.iter().all(|[_, theirs]| Some(*theirs) == leader) {
            true => Ok(own),
            false => Err(Error::new(MPI_ERR_NOT_SAME, "the processes name different leaders")),
        }
    });
    (leader, outcome)
}

/// The numbers of the processes of this process's group, and of those of the other one.
pub(super) type OfBoth<const N: usize> = (Vec<[i64; N]>, Vec<[i64; N]>);

/// The same as [`Team::tell`] for all processes of a communicator, between groups those of both.
pub(super) fn tell_both<T, const N: usize>(
    communicator: &'static Communicator,
    own: &Result<T>,
    numbers: [i64; N],
) -> Result<OfBoth<N>> {
    let team = Team::local(communicator, tag::CREATE);
    let local = team.allgather(&words(own, &numbers))?;
    let mut remote = Vec::new();
    if let Some(group) = communicator.remote() {
        remote.resize((1 + N) * group.size() as usize, 0);
        if team.rank() == 0 {
            let leader = communicator.partner(0);
            let sent = leader.isend(tag::CREATE, bytemuck::cast_slice(&local));
            leader.recv(tag::CREATE, bytemuck::cast_slice_mut(&mut remote))?;
            sent.wait()?;
        }
        team.broadcast(0, &mut remote)?;
    }
    Ok((numbers_of(&local, "")?, numbers_of(&remote, " of the other group")?))
}

/// Goes on if all processes of a communicator have succeeded, and if all have the same argument.
pub(crate) fn together<T>(
    communicator: &'static Communicator,
    own: Result<T>,
    argument: c_int,
) -> Result<T> {
    let all = tell_both(communicator, &own, [argument.into()]);
    let own = own?;
    let (local, remote) = all?;
    match local.iter().chain(&remote).all(|[theirs]| *theirs == argument.into()) {
        true => Ok(own),
        false => Err(Error::new(
            MPI_ERR_NOT_SAME,
            "an argument that has to be the same is another one at another process",
        )),
    }
}
