//! What the kernel says about a process (proc(5)).

pub use mqd_host::job::state;
