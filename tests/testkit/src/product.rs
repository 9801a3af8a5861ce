//! The types of the crates under test that this crate uses. Everything else here takes them from
//! this module.

pub(crate) use mqd_host_harness::dump::Verdict as Reading;
pub(crate) use mqd_host_harness::report::{
    Activity, Address, Collective, Communicator, Group, Operation, Process, Report, Status, Traffic,
};
pub(crate) use mqd_host_harness::snapshot::{Entry, Head, Writer};
