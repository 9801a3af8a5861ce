//! What the tests and the project's commands share.
//!
//! - [`workspace`], [`packages`], [`prefix`], [`weak`]: building, and laying out an installed
//!   prefix.
//! - [`mpi`], [`open_mpi`], [`job`], [`cores`]: MPI libraries, and jobs that run while they are
//!   read.
//! - [`process`]: what the kernel says about a process.
//! - [`cluster`]: nodes made of namespaces, with sshd and Slurm.
//! - [`record`], [`expectation`], [`recorded`], [`scenarios`], [`truth`]: what ranks recorded,
//!   compared with what `mqd` shows.
//! - [`verdict`], [`hangs`]: which ranks are deadlocked, compared with what `mqd check` says.
//! - [`c_host`]: a debugger in C that drives our debug DLL, and lets everything go wrong.
//! - [`side_by_side`]: our debug DLL and Open MPI's own on the same process.
//! - [`mpi4py`], [`rsmpi`]: mpi4py's own test suite, and the examples of the crate `mpi`.
//! - [`synthetic`]: snapshots of jobs that never ran.
//!
//! [`expectation`] and [`verdict`] are judges. `tests/judges.rs` of this crate judges them: it
//! falsifies real reports and verdicts, and each falsification must be noticed.

pub mod c_host;
pub mod cluster;
pub mod cores;
pub mod expectation;
pub mod hangs;
pub mod intel_mpi;
pub mod job;
pub mod mpi;
pub mod mpi4py;
pub mod open_mpi;
pub mod packages;
pub mod pairs;
pub mod prefix;
pub mod process;
pub mod record;
pub mod recorded;
pub mod rsmpi;
pub mod scenarios;
pub mod segments;
pub mod side_by_side;
pub mod soak;
pub mod synthetic;
pub mod truth;
pub mod verdict;
pub mod weak;
pub mod workspace;
