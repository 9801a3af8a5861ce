//! The commands of the project, and what they share with the tests: building, laying out a prefix,
//! running jobs in it.

pub mod bench;
pub mod compare_dll;
pub mod demo;
pub mod dist;
pub mod expectation;
pub mod job;
pub mod layouts;
pub mod mpi;
pub mod open_mpi;
pub mod packages;
pub mod synthetic;
pub mod test;
pub mod truth;
pub mod verdict;
pub mod weak;
pub mod workspace;
