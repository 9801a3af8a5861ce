//! The environment variables that the runtime uses, as they were in `MPI_Init` (PERUSE 2.0, section
//! 5.2.5).

use std::env;
use std::ffi::{CString, c_char};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::OnceLock;

/// What the names of the runtime's variables begin with.
const PREFIXES: [&str; 2] = ["MQDRT_", "QMPI_"];

struct Variables(Vec<*mut c_char>);

// SAFETY: the pointers are those of texts that nobody changes or frees.
unsafe impl Send for Variables {}
// SAFETY: as above.
unsafe impl Sync for Variables {}

static VARIABLES: OnceLock<Variables> = OnceLock::new();

/// Notes the variables as they are now.
pub(crate) fn note() {
    VARIABLES.get_or_init(|| {
        let own = env::vars_os().filter(|(name, _)| {
            PREFIXES.iter().any(|prefix| name.as_bytes().starts_with(prefix.as_bytes()))
        });
        let texts = own.filter_map(|(name, value)| {
            let text = [name.as_bytes(), b"=", &value.into_vec()].concat();
            CString::new(text).ok().map(CString::into_raw)
        });
        Variables(texts.collect())
    });
}

/// The variables that are set, each as `NAME=VALUE`.
pub(super) fn variables() -> &'static [*mut c_char] {
    VARIABLES.get().map_or(&[], |variables| &variables.0)
}
