//! The communication libraries below MPI libraries that keep queues of their own.
//!
//! A reader here knows nothing of MPI. It provides tags, lengths and endpoints as the library keeps
//! them. The readers of [`crate::runtimes`] interpret them.

pub(crate) mod libfabric;
pub(crate) mod ucx;
