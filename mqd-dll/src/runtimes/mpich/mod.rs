//! MPICH with the device ch4 or ch3, without symbols or debug information.
//!
//! Released libraries of MPICH export their functions and nothing else. All objects of MPICH come
//! from pools. The descriptions of the pools are in the library's variables and have a recognisable
//! shape: the kind of object, its size, and the address of the first objects, which carry their own
//! handles ([`pools`]). The sizes tell which layout table is the right one ([`library`]). Then
//! these are read:
//!
//! - communicators with their groups, from the predefined ones and their pool ([`communicators`]);
//! - what the library UCX keeps of messages ([`ucx`]), or libfabric ([`ofi`], [`ofi_tags`]);
//! - messages through shared memory, from the pool of requests ([`active`]);
//! - how much of them is on its way ([`cells`], [`nemesis`]);
//! - the same of Intel MPI, which is made of MPICH ([`intel`], [`rings`]);
//! - messages of a process to itself, from the pool of requests ([`own`]);
//! - all messages of the device ch3, from the pool of requests ([`ch3`]);
//! - how many threads may be in MPI ([`threads`]).

mod active;
mod cells;
mod ch3;
mod collectives;
mod communicators;
mod intel;
mod layout;
mod library;
mod lists;
mod nemesis;
mod ofi;
mod ofi_tags;
mod own;
mod pass;
mod pools;
mod reader;
mod rings;
mod threads;
mod ucx;

pub(crate) use library::{FUNCTION, Library};
pub(crate) use reader::{check, read};
