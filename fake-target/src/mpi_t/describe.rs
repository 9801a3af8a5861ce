//! How control variables and categories are described next to their use. `codegen/cvars.rs` lists
//! the fields, and gathers the descriptions.

/// Describes a control variable for `codegen/cvars.rs`, which lists the fields, and brings the
/// variable into scope.
macro_rules! cvar {
    (name: $name:ident $($fields:tt)*) => {
        pub(crate) use $crate::mpi_t::cvar::values::$name;
    };
}
pub(crate) use cvar;

/// Describes a category for `codegen/cvars.rs`.
macro_rules! category {
    ($($fields:tt)*) => {};
}
pub(crate) use category;
