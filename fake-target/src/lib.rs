//! The companion MPI runtime.

mod debug;
mod transport;
