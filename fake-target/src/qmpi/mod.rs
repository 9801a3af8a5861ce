//! The function pointer interface for tools (QMPI, section 15.2.2 of the draft for MPI 4.1): any
//! number of tools between the program and MPI.
//!
//! A tool's life has three stages, and so has this module: *registration* of names ([`registry`]),
//! *initialization* of the tools that the user asks for, in which they name their functions, and
//! *interception* ([`stack`]). The call that starts MPI leads from the first to the last.
//!
//! In the last stage nothing changes any more. A function that no tool intercepts keeps its entry
//! in the table of entry points, and costs the same as without tools. The entries of the others
//! lead to the generated C unit `qmpi_tools.c`, which adds the context and the tool ID.
//!
//! Decisions where the draft is silent:
//! - Tools are asked for with `QMPI_TOOLS=a:b:a`. A name that is not registered ends the job, since
//!   without the tool the user would measure something else.
//! - IDs are 1, 2, 3, … from left to right; 0 is the library, which is the next of the last tool.
//! - `MPI_X` and `PMPI_X` both lead to the tools, so that a PMPI tool works above them. `QMPI_X`
//!   bypasses them.
//! - Before `MPI_Init` no tool sees a call; after `MPI_Finalize` they see what may be called then.
//! - The functions of this interface return a code, call no error handler, and say on standard
//!   error what was wrong.
//! - Storage may be registered again later. Functions may be registered only by the tool that is
//!   being initialized, since the next function must not change.

mod calls;
mod registry;
mod stack;
mod types;
