//! Process sets (MPI 5.0, section 11.3.2): all processes of the job, and this one alone.

use std::ffi::c_int;

use crate::process;

/// A process set.
#[derive(Clone, Copy)]
pub(crate) enum Pset {
    World,
    Own,
}

/// The sets by their names, in the order of their numbers.
pub(crate) const PSETS: [(&str, Pset); 2] =
    [("mpi://WORLD", Pset::World), ("mpi://SELF", Pset::Own)];

impl Pset {
    /// The set with that name. Upper and lower case are the same.
    pub(crate) fn named(name: &[u8]) -> Option<Pset> {
        let named = |(own, _): &&(&str, Pset)| own.as_bytes().eq_ignore_ascii_case(name);
        PSETS.iter().find(named).map(|(_, pset)| *pset)
    }

    /// The ranks of its processes in the job.
    pub(crate) fn ranks(self) -> Vec<c_int> {
        match self {
            Pset::World => (0..process::ranks() as c_int).collect(),
            Pset::Own => vec![process::rank()],
        }
    }
}
