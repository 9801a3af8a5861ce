//! The profiling interface (PMPI; MPI 3.1, section 14.2) of the installed libraries.
//! `docs/profiling.md` lists the test for each sentence.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use mqd_tests::{command, prefix, run, text};
use tempfile::TempDir;
use testkit::workspace::root;

/// A row of the table of functions: name, result, parameters.
fn functions() -> Vec<[String; 3]> {
    let table =
        fs::read_to_string(root().join("fake-target/api/functions.tsv")).expect("the table");
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        let mut columns = line.split('\t').map(str::to_owned);
        std::array::from_fn(|_| columns.next().expect("a column"))
    })
    .collect()
}

fn library(name: &str) -> PathBuf {
    prefix().directory.join("lib").join(name)
}

/// The output of a command that must succeed.
#[track_caller]
fn output(program: &str, arguments: &[&str]) -> String {
    let (code, stdout, stderr) = run(command(program).args(arguments));
    assert_eq!(code, 0, "{program} {arguments:?}: {stderr}");
    stdout
}

/// The types of defined symbols, as `nm` has them: `T` for functions, `W` for weak ones.
fn symbols(arguments: &[&str]) -> BTreeMap<String, char> {
    // nm complains about members without symbols; only its list counts.
    let (_, listing, _) = run(command("nm").args(arguments));
    let symbol = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        [_, kind, name] => Some((name.to_owned(), kind.chars().next()?)),
        _ => None,
    };
    listing.lines().filter_map(symbol).collect()
}

/// Section 14.2.1, item 1: every function under both names; item 2: replacing one causes no clash,
/// as its name is weak.
#[test]
fn section_14_2_1_every_function_has_a_weak_name_and_a_strong_shifted_one() {
    for (name, arguments) in [
        ("shared", &["-D", "--defined-only", text(&library("libmpi_abi.so.1"))][..]),
        ("static", &["--defined-only", text(&library("libmpi_abi.a"))]),
    ] {
        let symbols = symbols(arguments);
        let functions = functions();
        assert_eq!(functions.len(), 664);
        for [function, ..] in &functions {
            for (symbol, kind) in [
                (function.clone(), 'W'),
                (format!("P{function}"), 'T'),
                (format!("Q{function}"), 'T'),
            ] {
                assert_eq!(symbols.get(&symbol), Some(&kind), "{symbol} of the {name} library");
            }
        }
    }
}

/// Section 14.2.7, multiple counting: the library itself refers to no name that a tool can replace.
#[test]
fn section_14_2_7_the_library_refers_to_no_function_of_mpi_by_name() {
    let is_ours =
        |name: &str| ["MPI_", "PMPI_", "QMPI_"].iter().any(|prefix| name.starts_with(prefix));
    let relocations = output("readelf", &["-rW", text(&library("libmpi_abi.so.1"))]);
    let named: Vec<&str> =
        relocations.lines().filter(|line| line.split_whitespace().any(is_ours)).collect();
    assert!(relocations.contains("R_X86_64") || relocations.contains("R_AARCH64"), "{relocations}");
    assert!(named.is_empty(), "{named:?}");
    let (_, undefined, _) =
        run(command("nm").args(["--undefined-only", text(&library("libmpi_abi.a"))]));
    let weak: Vec<&str> = undefined
        .lines()
        .filter(|line| line.split_whitespace().last().is_some_and(|name| name.starts_with("MPI_")))
        .collect();
    assert!(undefined.contains(" U memcpy") && weak.is_empty(), "{weak:?}");
}

/// A directory with a program that was linked in some way.
struct Linked {
    directory: TempDir,
}

impl Linked {
    fn new() -> Self {
        Linked { directory: tempfile::tempdir().expect("there is room") }
    }

    fn at(&self, name: &str) -> String {
        text(&self.directory.path().join(name)).to_owned()
    }

    /// Runs `mpicc`, warnings being errors.
    fn mpicc(&self, arguments: &[&str]) {
        let programs = root().join("fake-target/tests/programs");
        let mut mpicc = prefix().command("mpicc");
        mpicc.args([
            "-std=gnu11",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-I",
            text(&programs),
            "-I",
            &self.at(""),
        ]);
        let (code, _, stderr) = run(mpicc.args(arguments));
        assert_eq!(code, 0, "{stderr}");
    }

    /// Runs the compiler without `-lmpi_abi`.
    fn cc_static(&self, arguments: &[&str]) {
        let programs = root().join("fake-target/tests/programs");
        let mut cc = command("cc");
        cc.args([
            "-std=gnu11",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-I",
            text(&programs),
            "-I",
            &self.at(""),
        ]);
        cc.arg("-I").arg(prefix().directory.join("include")).args(arguments);
        let (code, _, stderr) =
            run(cc.arg(library("libmpi_abi.a")).args(["-lpthread", "-ldl", "-lm"]));
        assert_eq!(code, 0, "{stderr}");
    }

    /// Sorted lines of a job.
    #[track_caller]
    fn lines(&self, ranks: &str, program: &str, preload: Option<&str>) -> Vec<String> {
        let mut mpiexec = prefix().command("mpiexec");
        mpiexec.args(["-n", ranks]);
        if let Some(tool) = preload {
            mpiexec.arg("env").arg(format!("LD_PRELOAD={tool}"));
        }
        let (code, stdout, stderr) = run(mpiexec.arg(self.at(program)));
        assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
        let mut lines: Vec<String> = stdout.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    }
}

fn program_source(name: &str) -> String {
    text(&root().join("fake-target/tests/programs").join(name)).to_owned()
}

fn tool_source(name: &str) -> String {
    text(&root().join("fake-target/tests/tools").join(name)).to_owned()
}

/// Sections 14.2.3 and 14.2.5: the example's tool, wherever it is, sees the program's sends;
/// without it nothing changes.
#[test]
fn section_14_2_5_the_example_intercepts() {
    let linked = Linked::new();
    let (talk, tool) = (program_source("talk.c"), tool_source("pmpi_example.c"));
    let (object, archive, shared) =
        (linked.at("tool.o"), linked.at("libtool.a"), linked.at("libtool.so"));
    let directory = format!("-L{}", linked.at(""));
    let path = format!("-Wl,-rpath,{}", linked.at(""));
    let plain = ["passed", "passed"];
    let report = [
        "passed",
        "passed",
        "rank 0 sent 14 bytes in some time",
        "rank 1 sent 0 bytes in some time",
    ];

    linked.mpicc(&[&talk, "-o", &linked.at("plain")]);
    assert_eq!(linked.lines("2", "plain", None), plain);
    linked.mpicc(&["-c", "-fPIC", &tool, "-o", &object]);
    output("ar", &["crs", &archive, &object]);
    linked.mpicc(&["-shared", &object, "-o", &shared]);

    // The shared library: the tool in the program, in a static and in a shared library, preloaded.
    linked.mpicc(&[&talk, &tool, "-o", &linked.at("inside")]);
    linked.mpicc(&[&talk, &archive, "-o", &linked.at("archive")]);
    linked.mpicc(&[&talk, &directory, &path, "-l:libtool.so", "-o", &linked.at("shared")]);
    for program in ["inside", "archive", "shared"] {
        assert_eq!(linked.lines("2", program, None), report, "{program}");
    }
    assert_eq!(linked.lines("2", "plain", Some(&shared)), report);

    // The static library: the tool in the program, and in a library before it.
    linked.cc_static(&[&talk, "-o", &linked.at("plain")]);
    assert_eq!(linked.lines("2", "plain", None), plain);
    linked.cc_static(&[&talk, &tool, "-o", &linked.at("inside")]);
    linked.cc_static(&[&talk, &archive, "-o", &linked.at("archive")]);
    for program in ["inside", "archive"] {
        let (_, libraries, _) = run(command("ldd").arg(linked.at(program)));
        assert!(!libraries.contains("libmpi_abi"), "{libraries}");
        assert_eq!(linked.lines("2", program, None), report, "static, {program}");
    }
}

/// Section 14.2.1, item 2: a program may replace all functions or any of them; section 14.2.7: it
/// sees only its own calls.
#[test]
fn section_14_2_7_no_call_is_counted_twice() {
    let linked = Linked::new();
    let mut wrappers = String::new();
    for [name, result, prototype] in functions() {
        // A variable argument list cannot be passed on; the function does nothing.
        let prototype = prototype.trim_end_matches(", ...");
        let names: Vec<&str> = match prototype {
            "void" => Vec::new(),
            _ => prototype.split(", ").map(name_of).collect(),
        };
        let variable = if name == "MPI_Pcontrol" { ", ..." } else { "" };
        let names = names.join(", ");
        writeln!(
            wrappers,
            "{result} {name}({prototype}{variable})\n{{\n    calls++;\n    return \
             P{name}({names});\n}}"
        )
        .expect("a string");
    }
    fs::write(linked.at("interposed.inc"), wrappers).expect("it can be written");
    let source = program_source("interposed.c");
    linked.mpicc(&[&source, "-o", &linked.at("shared")]);
    linked.cc_static(&[&source, "-o", &linked.at("static")]);
    for program in ["shared", "static"] {
        assert_eq!(linked.lines("2", program, None), ["passed", "passed"], "{program}");
    }
}

/// The name in a parameter's declaration.
fn name_of(parameter: &str) -> &str {
    let declarator = &parameter[..parameter.find('[').unwrap_or(parameter.len())];
    declarator.rsplit([' ', '*']).next().expect("a name")
}

/// Section 14.2.1, item 5, and section 14.2.4.
#[test]
fn section_14_2_4_pcontrol_does_nothing() {
    let linked = Linked::new();
    linked.mpicc(&[&program_source("pcontrol.c"), "-o", &linked.at("pcontrol")]);
    assert_eq!(linked.lines("1", "pcontrol", None), ["passed"]);
    linked.cc_static(&[&program_source("pcontrol.c"), "-o", &linked.at("pcontrol")]);
    assert_eq!(linked.lines("1", "pcontrol", None), ["passed"]);
}

/// Section 14.2.8, by QMPI: a PMPI tool above several QMPI tools, with the static library too.
#[test]
fn section_14_2_8_a_pmpi_tool_works_above_qmpi_tools() {
    let linked = Linked::new();
    let (talk, pmpi, layer) =
        (program_source("talk.c"), tool_source("pmpi_example.c"), tool_source("layer.c"));
    let sources = [talk.as_str(), &pmpi, &layer, "-DNAME=\"a\""];
    let program = linked.at("stacked");
    let report = [
        "a 1: finalize after 1 init and 2 rank",
        "a 1: initialized",
        "a 1: rank 1, next 2",
        // The PMPI tool's own call of MPI_Comm_rank reaches the QMPI tools.
        "a 1: rank 2, next 2",
        "a 2: finalize after 1 init and 2 rank",
        "a 2: initialized",
        "a 2: rank 1, next 0",
        "a 2: rank 2, next 0",
        "passed",
        "rank 0 sent 14 bytes in some time",
    ];
    let arguments: Vec<&str> = sources.iter().copied().chain(["-o", &program]).collect();
    for compile in [Linked::mpicc, Linked::cc_static] {
        compile(&linked, &arguments);
        let mut mpiexec = prefix().command("mpiexec");
        mpiexec.args(["-n", "2"]).arg(&program).env("QMPI_TOOLS", "a:a");
        let (code, stdout, stderr) = run(&mut mpiexec);
        assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
        for line in report {
            let times = stdout.lines().filter(|other| *other == line).count();
            assert_eq!(times, if line.starts_with("rank 0") { 1 } else { 2 }, "{line}\n{stdout}");
        }
    }
}

/// The message matrix as installed, preloaded and linked. Its figures are those that the program
/// itself counts.
#[test]
fn the_message_matrix_counts_what_the_program_sends() {
    let linked = Linked::new();
    linked.mpicc(&[&program_source("matrix.c"), "-o", &linked.at("matrix")]);
    let tool = prefix().directory.join("lib/libmessage_matrix.so");
    let ranks = 4;
    let mut mpiexec = prefix().command("mpiexec");
    mpiexec
        .args(["-n", &ranks.to_string()])
        .args(["env", &format!("LD_PRELOAD={}", tool.display())]);
    let (code, stdout, stderr) = run(mpiexec.arg(linked.at("matrix")).env("MESSAGE_MATRIX", "csv"));
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    // The program's own record, one line for each pair, and the tool's. Lines of different ranks
    // come in any order.
    let mut expected: Vec<&str> =
        stdout.lines().filter_map(|line| line.strip_prefix("sent ")).collect();
    expected.sort_unstable();
    assert!(stdout.lines().any(|line| line == "sender,receiver,messages,bytes"), "{stdout}");
    let mut counted: Vec<&str> = stdout
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()))
        .collect();
    counted.sort_unstable();
    assert!(expected.len() >= 2 * ranks, "{stdout}");
    assert_eq!(counted, expected, "{stdout}");

    // As a table, linked with the program.
    let directory = prefix().directory.join("lib");
    let flags =
        [format!("-L{}", directory.display()), format!("-Wl,-rpath,{}", directory.display())];
    linked.mpicc(&[
        &program_source("talk.c"),
        &flags[0],
        &flags[1],
        "-lmessage_matrix",
        "-o",
        &linked.at("talk"),
    ]);
    let (code, stdout, stderr) =
        run(prefix().command("mpiexec").args(["-n", "2"]).arg(linked.at("talk")));
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    let words: Vec<Vec<&str>> =
        stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    for row in [&["0", "0", "2"][..], &["0", "0", "14"]] {
        assert!(words.iter().any(|line| line == row), "{row:?} in\n{stdout}");
    }
    assert_eq!(words.iter().filter(|line| ***line == ["1", "0", "0"]).count(), 2, "{stdout}");
}

/// The tools are installed with their sources, and the sources compile as users would compile them.
#[test]
fn the_tools_are_installed() {
    for tool in testkit::prefix::TOOLS {
        for file in [format!("share/mqd/tools/{tool}.c"), format!("lib/lib{tool}.so")] {
            assert!(prefix().directory.join(&file).is_file(), "there is no {file}");
        }
        let (_, libraries, _) =
            run(command("ldd").arg(prefix().directory.join(format!("lib/lib{tool}.so"))));
        assert!(
            libraries.contains("libmpi_abi.so.1") && !libraries.contains("not found"),
            "{libraries}"
        );
    }
    for header in ["qmpi.h", "qmpi_functions.h"] {
        assert!(
            Path::new(&prefix().directory.join("include").join(header)).is_file(),
            "there is no {header}"
        );
    }
}
