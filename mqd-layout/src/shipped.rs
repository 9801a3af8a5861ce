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
        /// table for each series of a library, since its releases share their structures, and for
        /// each variant of it.
        pub const SHIPPED: &[Shipped] = &[$(Shipped {
            name: $name,
            text: include_str!(concat!("../tables/", $name, ".layout")),
        },)*];
    };
}

shipped! {
    "libfabric-1.17",
    "libfabric-1.20",
    "libfabric-1.22",
    "libfabric-2.1",
    "libfabric-2.5",
    "mpich-3.4",
    "mpich-4.0",
    "mpich-4.0-ch3",
    "mpich-4.1",
    "mpich-4.2",
    "mpich-4.3",
    "mpich-5.0",
    "mpich-2021.16-intel",
    "mpich-2021.19-intel",
    "openmpi-4.1",
    "openmpi-5.0",
    "ucx-1.10",
    "ucx-1.10-assertions",
    "ucx-1.11",
    "ucx-1.12",
    "ucx-1.13",
    "ucx-1.13-assertions",
    "ucx-1.14",
    "ucx-1.15",
    "ucx-1.15-assertions",
    "ucx-1.16",
    "ucx-1.17",
    "ucx-1.17-assertions",
    "ucx-1.18",
    "ucx-1.18-assertions",
    "ucx-1.19",
    "ucx-1.20",
    "ucx-1.20-assertions",
    "ucx-1.21",
    "ucx-1.22",
    "ucx-1.22-assertions",
}
