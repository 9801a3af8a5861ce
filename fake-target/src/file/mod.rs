//! Files (MPI 5.0, chapter 14).

pub(crate) mod errors;
