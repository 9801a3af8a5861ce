//! The companion MPI runtime.
