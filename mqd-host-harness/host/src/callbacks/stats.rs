//! What a DLL asked of the host.

use serde::{Deserialize, Serialize};

/// Counts of the callbacks that a debug DLL made while one process was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Calls of `mqs_fetch_data`.
    pub fetches: u64,
    /// Of these, the ones that failed.
    pub failed_fetches: u64,
    /// Bytes that they asked for.
    pub bytes_fetched: u64,
    /// Calls of `mqs_target_to_host`.
    pub conversions: u64,
    /// Calls of `mqs_find_symbol`.
    pub symbol_lookups: u64,
    /// Calls of `mqs_find_function`.
    pub function_lookups: u64,
    /// Calls of `mqs_find_type`.
    pub type_lookups: u64,
    /// Calls of `mqs_field_offset`.
    pub field_lookups: u64,
    /// Calls of `mqs_sizeof`.
    pub size_lookups: u64,
    /// Successful calls of `mqs_malloc`.
    pub mallocs: u64,
    /// Blocks that the DLL has allocated and not freed; negative if it freed more than it
    /// allocated for this process.
    pub mallocs_outstanding: i64,
}
