//! What a debugger finds in the library: the queues' types by gdb, the symbols by an ELF reader,
//! and the name of the debug DLL in a running job.

use object::{Object, ObjectSymbol};
use std::path::PathBuf;
use std::process::Command;

/// The shared library that cargo built for this test.
fn library() -> PathBuf {
    std::env::current_exe().unwrap().with_file_name("libmpi_abi.so")
}

#[test]
fn gdb_finds_the_types_by_their_c_names() {
    for (name, field) in [
        ("struct mqdrt_request", "long long actual_length;"),
        ("struct mqdrt_message", "long long length;"),
        ("struct mqdrt_communicator", "struct mqdrt_request *posted_receives;"),
        ("mqdrt_group", "int *world_ranks;"),
        ("mqdrt_datatype", "char name[128];"),
        ("mqdrt_process", "int layout_version;"),
    ] {
        let output = Command::new("gdb")
            .args(["-nx", "-batch", "-ex", "set language c", "-ex", &format!("ptype {name}")])
            .arg(library())
            .output()
            .expect("gdb is installed");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("type = struct mqdrt_") && text.contains(field), "{name}:\n{text}");
    }
}

/// gdb combines the root, which is the engine's, with its type, which is the C unit's: in the
/// library and in a stopped process.
#[test]
fn gdb_prints_the_root_without_a_cast() {
    let gdb = |arguments: &[&str]| {
        let output = Command::new("gdb")
            .args(["-nx", "-batch"])
            .args(arguments)
            .output()
            .expect("gdb is installed");
        String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr)
    };
    let library = library();
    let text = gdb(&["-ex", "print mqdrt_root", library.to_str().unwrap()]);
    assert!(
        text.contains("{layout_version = 4, phase = 0, world_rank = 0, world_size = 0, "),
        "{text}"
    );

    let directory = tempfile::tempdir().unwrap();
    let (source, program) = (directory.path().join("stop.c"), directory.path().join("stop"));
    let stop = "#include <mpi.h>\nvoid stop(void) {}\nint main(void) { MPI_Init(0, 0); stop(); \
                return MPI_Finalize(); }\n";
    std::fs::write(&source, stop).unwrap();
    std::os::unix::fs::symlink(&library, directory.path().join("libmpi_abi.so.1")).unwrap();
    let rpath = format!("-Wl,-rpath,{}", directory.path().display());
    let compiled = Command::new("cc")
        .args(["-g", "-I", concat!(env!("CARGO_MANIFEST_DIR"), "/include"), "-o"])
        .args([&program, &source, &directory.path().join("libmpi_abi.so.1")])
        .arg(rpath)
        .status();
    assert!(compiled.unwrap().success());
    let text = gdb(&[
        "-iex",
        "set debuginfod enabled off",
        "-ex",
        "set environment LD_LIBRARY_PATH",
        "-ex",
        "break stop",
        "-ex",
        "run",
        "-ex",
        "print mqdrt_root",
        "-ex",
        "print mqdrt_root.communicators->name",
        program.to_str().unwrap(),
    ]);
    assert!(
        text.contains("{layout_version = 4, phase = 1, world_rank = 0, world_size = 1, "),
        "{text}"
    );
    assert!(text.contains("= \"MPI_COMM_WORLD\""), "{text}");
}

#[test]
fn the_symbols_are_exported() {
    let data = std::fs::read(library()).unwrap();
    let file = object::File::parse(&*data).unwrap();
    let size = |name: &str| {
        file.dynamic_symbols().find(|symbol| symbol.name() == Ok(name)).map(|symbol| symbol.size())
    };
    // Eight ints, four pointers, a long long, two pointers, an int and padding; a path.
    assert_eq!(size("mqdrt_root"), Some(8 * 4 + 4 * 8 + 8 + 2 * 8 + 2 * 4));
    assert_eq!(size("MPIR_dll_name"), Some(4096));
}
