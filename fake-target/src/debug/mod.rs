//! What a debugger sees of the runtime: the queue structures and the name of the debug DLL.
//!
//! A debugger finds two symbols here: `mqdrt_root`, the root of the queues ([`queues`]), and
//! `MPIR_dll_name`, which names the DLL that reads them ([`dll_name`]).

pub(crate) mod dll_name;
pub(crate) mod queues;
