//! The library and its header against the table of the standard ABI.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use object::read::elf::{Dyn, FileHeader};
use object::{Object, ObjectSymbol};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The functions of QMPI itself, in the draft's spelling.
const QMPI_CALLS: [&str; 6] = [
    "MPI_Register_tool_name",
    "MPI_Register_tool_storage",
    "MPI_Register_tool_function",
    "MPI_Get_next_tool_function",
    "MPI_Get_tool_storage",
    "MPI_Get_calling_address",
];

/// The rows of a table in `api/`.
fn table(name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(here().join("api").join(name)).expect("the table");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// The shared library that cargo built for this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    test.parent().expect("the test lies in a directory").join("libmpi_abi.so")
}

/// Compares a committed file with what the tables say. `UPDATE=1 cargo test -p fake-target --test
/// interface` writes it again.
fn assert_committed(path: &str, generated: &str) {
    let path = here().join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, generated).expect("the tree is writable");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "{} is not what api/ says; run: UPDATE=1 cargo test -p fake-target --test interface",
        path.display()
    );
}

#[test]
fn header_is_the_generated_one() {
    assert_committed("include/mpi.h", include_str!(concat!(env!("OUT_DIR"), "/mpi.h")));
}

#[test]
fn headers_of_qmpi_are_the_generated_ones() {
    assert_committed("include/qmpi.h", include_str!(concat!(env!("OUT_DIR"), "/qmpi.h")));
    assert_committed(
        "include/qmpi_functions.h",
        include_str!(concat!(env!("OUT_DIR"), "/qmpi_functions.h")),
    );
}

#[test]
fn exports_are_the_functions_of_the_standard() {
    let data = std::fs::read(library()).expect("cargo built the shared library");
    let file = object::File::parse(&*data).expect("an ELF file");
    let exported: BTreeSet<String> = file
        .dynamic_symbols()
        .filter(|s| s.is_definition() && s.is_global())
        .map(|s| s.name().expect("a name").to_owned())
        .collect();
    let functions = table("functions.tsv");
    assert_eq!(functions.len(), 664, "the functions of the MPI 5.0 standard ABI");
    let names = functions.iter().map(|row| row[0].as_str());
    let mut expected: BTreeSet<String> =
        names.flat_map(|name| ["", "P", "Q"].map(|p| format!("{p}{name}"))).collect();
    assert_eq!(expected.len(), 3 * 664);
    expected
        .extend(QMPI_CALLS.iter().flat_map(|name| ["", "P", "Q"].map(|p| format!("{p}{name}"))));
    expected.extend(["QMPI_Register_function".into(), "QMPI_Get_function".into()]);
    let missing: Vec<_> = expected.difference(&exported).collect();
    assert!(missing.is_empty(), "not exported: {missing:?}");
    let (peruse, more): (BTreeSet<&str>, BTreeSet<&str>) = exported
        .difference(&expected)
        .map(String::as_str)
        .partition(|name| name.starts_with("PERUSE_"));
    let prototypes = mpi_abi::peruse::interface::prototypes();
    assert_eq!(peruse, prototypes.iter().map(|(name, _)| *name).collect());
    // The symbols that debuggers look for, the function that call stacks show where a thread waits,
    // and what the C unit of the tools needs; no others are exported.
    assert_eq!(
        more,
        BTreeSet::from(["MPIR_dll_name", "mqdrt_root", "mqdrt_start_tools", "mqdrt_wait"]),
        "exported beyond the standard"
    );
}

#[test]
fn soname_is_that_of_the_standard() {
    let data = std::fs::read(library()).expect("cargo built the shared library");
    let header =
        object::elf::FileHeader64::<object::Endianness>::parse(&*data).expect("a 64-bit ELF file");
    let endian = header.endian().expect("a byte order");
    let sections = header.sections(endian, &*data).expect("sections");
    let (dynamic, strings) =
        sections.dynamic(endian, &*data).expect("readable").expect("a dynamic section");
    let strings = sections.strings(endian, &*data, strings).expect("its strings");
    let soname =
        dynamic.iter().find(|d| d.tag(endian) == object::elf::DT_SONAME).expect("a soname");
    assert_eq!(soname.string(endian, strings).expect("a string"), b"libmpi_abi.so.1");
}

/// The C compiler's view of the header, against the table: every constant's value and type, every
/// prototype, the layout of `MPI_Status`.
#[test]
fn header_says_what_the_table_says() {
    let mut program = String::from("#include <mpi.h>\n#include <stddef.h>\n");
    let mut assert =
        |condition: String| program.push_str(&format!("_Static_assert({condition}, \"\");\n"));
    assert("sizeof(MPI_Status) == 32 && offsetof(MPI_Status, MPI_SOURCE) == 0".into());
    assert("offsetof(MPI_Status, MPI_TAG) == 4 && offsetof(MPI_Status, MPI_ERROR) == 8".into());
    assert("offsetof(MPI_Status, MPI_internal) == 12 && sizeof(int) == 4".into());
    let constants = table("constants.tsv");
    assert!(constants.len() > 300);
    for row in &constants {
        let [name, value, _, kind] = &row[..] else { panic!("{row:?}") };
        // Members of an enumeration are ints in C.
        let kind = if ["MPI_T_cb_safety", "MPI_T_source_order"].contains(&kind.as_str()) {
            "int"
        } else {
            kind
        };
        // A number cast to a pointer is not a constant expression in C, but the compiler treats it
        // as one.
        assert(format!("__builtin_constant_p((long)({name})) && (long)({name}) == {value}"));
        assert(format!("_Generic({name}, {kind}: 1, default: 0)"));
    }
    for row in table("functions.tsv") {
        let [name, result, prototype, ..] = &row[..] else { panic!("{row:?}") };
        for prefix in ["", "P"] {
            assert(format!("_Generic(&{prefix}{name}, {result} (*)({prototype}): 1, default: 0)"));
        }
    }
    // Values from the text of the standard, in case the table is wrong.
    for (name, value) in [
        ("MPI_COMM_WORLD", 0x101),
        ("MPI_COMM_SELF", 0x102),
        ("MPI_REQUEST_NULL", 0x180),
        ("MPI_INT", 0x209),
        ("MPI_SUM", 0x21),
    ] {
        assert(format!("(long){name} == {value}"));
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let source = directory.path().join("header.c");
    std::fs::write(&source, program).expect("a file");
    let output = std::process::Command::new("cc")
        .args(["-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"])
        .arg("-I")
        .arg(here().join("include"))
        .arg(&source)
        .output()
        .expect("a C compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// `mpi.h` and `qmpi.h` alone, in either order, in strict C and C++; and only the names of the
/// standard if a program asks for that.
#[test]
fn headers_serve_strict_c_and_cpp() {
    let compile = |compiler: &str, arguments: &[&str], text: &str| {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let source = directory.path().join("header");
        std::fs::write(&source, text).expect("a file");
        let output = std::process::Command::new(compiler)
            .args(["-fsyntax-only", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-I"])
            .arg(here().join("include"))
            .args(arguments)
            .arg(&source)
            .output()
            .expect("a compiler");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let use_it = "int (*send)(QMPI_Context, int, const void *, int, MPI_Datatype, int, int, \
                  MPI_Comm) = QMPI_Send;\nenum MPI_Functions_enum which = MPI_SEND_T;\nMPI_Fint \
                  (*c2f)(MPI_Win) = MPI_Win_c2f;\nMPI_File_errhandler_fn *handler;\n";
    for headers in
        ["#include <mpi.h>\n", "#include <qmpi.h>\n", "#include <qmpi.h>\n#include <mpi.h>\n"]
    {
        for (compiler, arguments) in [("cc", ["-std=c99", "-xc"]), ("c++", ["-std=c++11", "-xc++"])]
        {
            let (success, errors) = compile(compiler, &arguments, &format!("{headers}{use_it}"));
            assert!(success, "{compiler} {headers}: {errors}");
        }
    }
    let own = "#include <mpi.h>\nint MPI_SEND_T, QMPI_Send, MPI_Register_tool_name, \
               MPI_Win_c2f, MPI_Status_c2f, MPI_Type_extent;\n";
    assert!(!compile("cc", &["-xc"], own).0, "the names are taken");
    let (success, errors) = compile("cc", &["-xc", "-DMQDRT_STANDARD_NAMES_ONLY"], own);
    assert!(success, "{errors}");
}
