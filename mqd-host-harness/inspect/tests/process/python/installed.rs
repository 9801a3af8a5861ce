//! The releases of Python that are installed here. The tests of gdb use this file, too.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Debian's Python, and every other release that is installed here and can be read.
pub(crate) fn pythons() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places: Vec<_> = std::env::split_paths(&path).collect();
    let others = (9..=14)
        .flat_map(|minor| places.iter().map(move |place| place.join(format!("python3.{minor}"))));
    let runs = |python: &PathBuf| {
        let mut command = Command::new(python);
        command.args(["-c", "pass"]).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    std::iter::once(PathBuf::from("/usr/bin/python3")).chain(others.filter(runs)).collect()
}
