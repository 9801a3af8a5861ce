//! A synthetic debugger with a synthetic process.

pub mod activity;
pub mod contract;
pub mod damage;
pub mod debugger;
pub mod dll;
pub mod expected;
pub mod heap;
pub mod libfabric;
pub mod machine;
pub mod model;
pub mod mpich;
pub mod open_mpi;
pub mod process;
pub mod random;
pub mod session;
pub mod tables;
pub mod ucx;
