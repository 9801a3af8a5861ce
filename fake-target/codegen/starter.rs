//! The C part of `mpiexec`: the variables and types that a debugger looks for in a starter process.

use std::path::PathBuf;

/// Compiles `mpir.c` into `mpiexec` (and nothing else), debug information included, and keeps its
/// symbols visible in `.dynsym`.
pub(crate) fn compile() {
    let source = PathBuf::from("src/bin/mpiexec/mpir.c");
    println!("cargo::rerun-if-changed={}", source.display());
    let objects = cc::Build::new()
        .file(&source)
        .debug(true)
        .opt_level(1)
        .warnings(true)
        .cargo_metadata(false)
        .compile_intermediates();
    for object in objects {
        println!("cargo::rustc-link-arg-bin=mpiexec={}", object.display());
    }
    println!("cargo::rustc-link-arg-bin=mpiexec=-Wl,--export-dynamic-symbol=MPIR_*");
}
