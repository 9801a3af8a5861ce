//! Point-to-point communication (MPI 5.0, chapter 3): the calls' arguments are checked here, the
//! engine does the rest.
//!
//! - [`call`]: what a call is about. [`send`]: sends in their four modes, [`receive`]: receives,
//!   [`combined`]: both in one call.
//! - [`persistent`]: requests that are started again and again.
//! - [`buffers`]: the program's buffers for buffered sends.
//! - [`probe`]: probes and the receives of what they matched.
//! - [`packing`]: data packed by the program. [`partitioned`]: partitioned communication.

pub(crate) mod buffers;
mod call;
pub(crate) mod combined;
pub(crate) mod packing;
pub(crate) mod partitioned;
pub(crate) mod persistent;
pub(crate) mod probe;
pub(crate) mod receive;
pub(crate) mod send;
mod variables;
