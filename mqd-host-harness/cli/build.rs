//! Puts `libmqd.so` into the program, so that a single file is a complete installation.
//!
//! `MQD_LIBMQD` names the file. Without it a release build makes the file itself from the package
//! `libmqd` beside this one. Other builds have no DLL in the program and use the file beside it.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const NAMED: &str = "MQD_LIBMQD";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(carries_libmqd)");
    println!("cargo::rerun-if-env-changed={NAMED}");
    println!("cargo::rerun-if-changed=build.rs");
    let library = match env::var_os(NAMED) {
        Some(named) => (!named.is_empty()).then(|| PathBuf::from(named)),
        None if env::var("PROFILE").is_ok_and(|profile| profile == "release") => build(),
        None => None,
    };
    if let Some(library) = library {
        println!("cargo::rerun-if-changed={}", library.display());
        let packed = pack(&library).unwrap_or_else(|error| {
            panic!("cannot put {} into mqd: {error}", library.display());
        });
        println!("cargo::rustc-env=LIBMQD={}", packed.display());
        println!("cargo::rustc-cfg=carries_libmqd");
    }
}

/// Compresses the DLL to about a third.
fn pack(library: &Path) -> io::Result<PathBuf> {
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    let packed = Path::new(&out).join("libmqd.so.zst");
    let level = *zstd::compression_level_range().end();
    fs::write(&packed, zstd::encode_all(&*fs::read(library)?, level)?)?;
    Ok(packed)
}

/// Builds the DLL with the same compiler for the same machine.
fn build() -> Option<PathBuf> {
    let package = Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("../../mqd-dll");
    let manifest = package.join("libmqd/Cargo.toml");
    if !manifest.is_file() {
        println!(
            "cargo::warning=this mqd has no debug DLL in it, as the sources of libmqd.so are not \
             here: set {NAMED} to the file, or put libmqd.so beside the program"
        );
        return None;
    }
    for folder in [&package, &package.join("../mqd-layout"), &package.join("../mqs-abi")] {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let target = env::var("TARGET").ok()?;
    let directory = Path::new(&env::var_os("OUT_DIR")?).join("libmqd");
    let mut cargo = Command::new(env::var_os("CARGO")?);
    cargo.args(["build", "--release", "--locked", "--target", &target]).arg("--manifest-path");
    cargo.arg(&manifest).arg("--target-dir").arg(&directory);
    // Wrappers and flags of this build are meant for the program, not for a library.
    for variable in ["CARGO_ENCODED_RUSTFLAGS", "RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_TARGET"] {
        cargo.env_remove(variable);
    }
    let built = cargo.status().is_ok_and(|status| status.success());
    assert!(built, "cannot build libmqd.so from {}", manifest.display());
    Some(directory.join(target).join("release/libmqd.so"))
}
