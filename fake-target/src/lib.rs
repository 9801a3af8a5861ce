//! The companion runtime: a small MPI for one machine that speaks the MPI 5.0 standard ABI.
//!
//! One table of functions (`api/functions.tsv`) is the source of the C header and of the entry
//! points `MPI_`, `PMPI_` and `QMPI_` (`entries`). The entry points call the modules named as the
//! chapters of the standard.

pub mod abi;
mod arguments;
mod attributes;
mod clock;
mod collectives;
mod communicator;
mod copying;
mod datatype;
mod debug;
mod dynamic;
mod engine;
mod entries;
mod environment;
mod errhandler;
mod error;
mod error_codes;
mod failure;
mod file;
mod group;
mod handles;
mod info;
mod init;
mod launcher;
mod lifetime;
mod mpi_t;
mod op;
pub mod peruse;
mod phase;
mod point_to_point;
mod process;
mod qmpi;
mod request;
mod session;
mod text;
mod transport;
mod variables;
mod window;
