//! What a debugger finds in the library: the queues' types by gdb, the symbols by an ELF reader, and the name of the debug DLL in a running job.

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

#[test]
fn the_symbols_are_exported() {
    let data = std::fs::read(library()).unwrap();
    let file = object::File::parse(&*data).unwrap();
    let size = |name: &str| file.dynamic_symbols().find(|symbol| symbol.name() == Ok(name)).map(|symbol| symbol.size());
    // Four ints and three pointers; a path.
    assert_eq!(size("mqdrt_root"), Some(4 * 4 + 3 * 8));
    assert_eq!(size("MPIR_dll_name"), Some(4096));
}
