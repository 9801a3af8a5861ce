//! The communication libraries below MPI libraries that keep queues of their own.
//!
//! A reader here knows nothing of MPI: it gives tags, lengths and endpoints as the library keeps
//! them, and the readers of [`crate::runtimes`] say what these mean.

pub(crate) mod libfabric;
pub(crate) mod ucx;
