//! How control variables and categories are described beside the code that uses them.
//! `codegen/cvars.rs` lists the fields, and gathers the descriptions.

/// Describes a control variable for `codegen/cvars.rs`, which lists the fields, and brings the
/// variable into scope.
macro_rules! cvar {
    (name: $name:ident $($fields:tt)*) => {
        pub(crate) use $crate::variables::values::$name;
    };
}
pub(crate) use cvar;

/// Describes a category for `codegen/cvars.rs`.
macro_rules! category {
    ($($fields:tt)*) => {};
}
pub(crate) use category;
