//! What shows whether a process moved between two looks, besides what the looks show.

use serde::{Deserialize, Serialize};

use crate::sockets::{Kernel, Sockets};
use crate::turns::ProcessTurns;

/// What the kernel has counted of a process up to a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Motion {
    /// The turns of its threads on processors.
    pub turns: ProcessTurns,
    /// None: they are not known, or its messages may go another way.
    pub sockets: Option<Sockets>,
}

impl Motion {
    /// That of each of these processes of this host.
    pub fn of_each(pids: impl IntoIterator<Item = u32>) -> Vec<(u32, Motion)> {
        let mut kernel = Kernel::default();
        let motion =
            |pid| (pid, Motion { turns: ProcessTurns::now(pid), sockets: kernel.sockets_of(pid) });
        pids.into_iter().map(motion).collect()
    }
}
