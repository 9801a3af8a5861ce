//! The file `libmqd.so`: the crate `mqd-dll` as a shared library.
//!
//! The library has a package of its own because a shared library is named after its crate, and the
//! crate `mqd` is the command.

// This links the entry points, which are exported by their names.
use mqd_dll as _;

/// The debugger's memory, for all collections of the library.
#[global_allocator]
static GLOBAL: mqd_dll::DebuggerMemory = mqd_dll::DebuggerMemory;
