//! Generates the interface from the tables in `api/`, and builds the C units: the dispatch of calls
//! to tools, the queues' types for debuggers, and arithmetic with `long double`.

#[path = "codegen/mod.rs"]
mod codegen;
#[path = "codegen/starter.rs"]
mod starter;

use std::path::PathBuf;

use codegen::wrap::wrapped;

fn main() {
    interface();
    control_variables();
    queue_types();
    long_double();
    starter::compile();
}

fn interface() {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    println!("cargo::rerun-if-changed=api");
    println!("cargo::rerun-if-changed=codegen");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmpi_abi.so.1");
    // The library's calls of its own functions are bound to itself: tools replace only what
    // programs call.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");

    let tables = codegen::table::Tables::read(&here.join("api"));
    let write = |name: &str, text: String| {
        std::fs::write(out.join(name), text).expect("OUT_DIR is writable")
    };
    write("constants.rs", codegen::constants::generate(&tables));
    write("functions.rs", codegen::entries::functions(&tables));
    write("exports.rs", codegen::entries::exports(&tables));
    write("mpi.h", wrapped(&codegen::header::generate(&tables)));
    write("qmpi.h", wrapped(&codegen::qmpi::header(&tables)));
    write("qmpi_functions.h", wrapped(&codegen::qmpi::list(&tables)));
    write("qmpi_tools.c", codegen::qmpi::tools(&tables));
    // Optimised in every profile: each call that a tool intercepts goes through it.
    cc::Build::new()
        .file(out.join("qmpi_tools.c"))
        .include(&out)
        .opt_level(2)
        .flag_if_supported("-fvisibility=hidden")
        .compile("mqdrt_qmpi_tools");
}

/// Gathers the descriptions of control variables from the source. A mistake in one of them fails
/// the build.
fn control_variables() {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    println!("cargo::rerun-if-changed=src");
    match codegen::cvars::generate(&sources(&here.join("src"), "src")) {
        Ok(generated) => {
            let write = |name: &str, text: String| {
                std::fs::write(out.join(name), text).expect("OUT_DIR is writable")
            };
            write("control_variables.rs", generated.variables);
            write("categories.rs", generated.categories);
            write("cvars.rs", generated.table);
        }
        Err(what) => println!("cargo::error={what}"),
    }
}

/// The Rust files below a directory in a fixed order: path and text.
fn sources(directory: &std::path::Path, shown: &str) -> Vec<(String, String)> {
    let mut entries: Vec<_> = std::fs::read_dir(directory)
        .expect("the sources")
        .map(|entry| entry.expect("readable").path())
        .collect();
    entries.sort();
    let mut files = Vec::new();
    for path in entries {
        let name = format!("{shown}/{}", path.file_name().expect("a name").to_string_lossy());
        if path.is_dir() {
            files.extend(sources(&path, &name));
        } else if name.ends_with(".rs") {
            files.push((name, std::fs::read_to_string(&path).expect("readable")));
        }
    }
    files
}

fn queue_types() {
    println!("cargo::rerun-if-changed=src/debug/queues.c");
    println!("cargo::rerun-if-changed=src/debug/queues.h");
    // Debug information in every profile: the unit exists only for it. All current debuggers read
    // DWARF 4.
    cc::Build::new()
        .file("src/debug/queues.c")
        .include("src/debug")
        .debug(true)
        .flag_if_supported("-gdwarf-4")
        .compile("mqdrt_queues");
}

/// Rust has no `long double` and no IEEE numbers of 16 bytes: their reductions are C.
fn long_double() {
    println!("cargo::rerun-if-changed=src/op/long_double.c");
    cc::Build::new().file("src/op/long_double.c").opt_level(2).compile("mqdrt_long_double");
}
