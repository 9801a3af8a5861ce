//! The tables that are part of `mqd`.

/// A table that is part of `mqd`.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// The name of its file, without the ending `.layout`.
    pub name: &'static str,
    /// Its text, which [`Table::parse`](crate::Table::parse) accepts.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal,)*) => {
        /// The tables that are part of `mqd`, in the order in which they are tried. There is one
        /// table for each series of a library, since its releases share their structures.
        pub const SHIPPED: &[Shipped] = &[$(Shipped {
            name: $name,
            text: include_str!(concat!("../tables/", $name, ".layout")),
        },)*];
    };
}

shipped! {
    "openmpi-4.1",
    "openmpi-5.0",
}
