//! How the processes of a file do something together. No process hangs because another one has
//! failed, and arguments that have to be the same are compared.

use super::object::File;
use crate::abi::*;
use crate::collectives::{Collective, UnderWay, enter};
use crate::communicator::agreement::{code_of, failed_elsewhere};
use crate::communicator::team::Team;
use crate::error::{Error, Result};

/// Begins a collective operation: debuggers see it until the result is dropped.
pub(super) fn begin(file: &File, operation: Collective) -> UnderWay {
    file.communicator.begin_other();
    enter(operation, file.communicator)
}

/// All processes meet. Each contributes the result of its part, and the values that have to be the
/// same everywhere.
///
/// # Errors
/// This process's own error; otherwise the class of another process's error; otherwise
/// `MPI_ERR_NOT_SAME` if the values differ.
pub(super) fn settle<T>(team: &Team, own: Result<T>, same: [i64; 2]) -> Result<T> {
    let all = team.tell(&own, same);
    let own = own?;
    match all?.iter().position(|theirs| *theirs != same) {
        None => Ok(own),
        Some(rank) => Err(Error::new(
            MPI_ERR_NOT_SAME,
            format!("an argument that has to be the same is another one on rank {rank}"),
        )),
    }
}

/// The leader does something for all and tells them the result. All return the same class of error.
pub(super) fn by_leader(team: &Team, work: impl FnOnce() -> Result) -> Result {
    let own = if team.rank() == 0 { work() } else { Ok(()) };
    let code = code_of(&own);
    let mut told = [code];
    team.broadcast(0, &mut told)?;
    own?;
    match told {
        [MPI_SUCCESS] => Ok(()),
        [code] => Err(failed_elsewhere(code, "the process with rank 0 of the file")),
    }
}
