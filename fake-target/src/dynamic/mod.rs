//! Processes of other jobs (MPI 5.0, sections 11.8 to 11.10): started by this one, or met.
//!
//! Every job has a segment of its own; two processes of different jobs share two rings
//! ([`crate::engine`], strangers). For that they have to know each other's address.
//!
//! - [`meeting`]: two groups tell each other their addresses over a socket, and have an
//!   intercommunicator. Everything below ends there.
//! - [`port`]: a name at which a group can be met: a socket. [`names`]: names for ports.
//! - [`connection`]: `MPI_Comm_accept`, `MPI_Comm_connect`, `MPI_Comm_join`.
//! - [`spawn`]: processes are started by the launcher ([`launcher`], [`request`]), and connect to a
//!   port of their parents when they start MPI.

pub(crate) mod connection;
mod launcher;
mod meeting;
pub(crate) mod names;
pub(crate) mod port;
#[allow(dead_code, reason = "the launcher has the other half")]
mod request;
pub(crate) mod spawn;
