//! The function pointer interface for tools (QMPI, section 15.2.2 of the draft) in real jobs.
//! `docs/qmpi.md` lists which test is for which sentence.

mod place;
mod swallow;

use place::{Place, source};

/// What `layered.c` prints without tools.
const PLAIN: [&str; 4] = ["wtime: 0 e9", "aint: 105", "after: 0 e9", "passed"];

/// "These functions will be called in an order specified by the user"; every instance has an ID and
/// storage of its own; the function pointer of the last tool is the library's. `PMPI_X` goes to the
/// tools too, `QMPI_X` bypasses them. Results of all types pass through all of them, and so do
/// variable arguments. Tools see nothing before MPI is initialized, but they do after
/// `MPI_Finalize`.
#[test]
fn tools_are_called_in_the_users_order() {
    let place = Place::new();
    let (a, b) = (place.layer("a"), place.layer("b"));
    let program = place.program("layered", &[]);
    let preload = format!("{}:{}", a.display(), b.display());
    for arguments in [&[][..], &["thread"]] {
        let job =
            place.run(1, &program, arguments, &[("LD_PRELOAD", &preload), ("QMPI_TOOLS", "a:b:a")]);
        let control = "control 3 42 2.5 text 1099511627776 -0.125 11 12 13";
        assert_eq!(
            job.lines(),
            [
                "a 1: initialized",
                "b 2: initialized",
                "a 3: initialized",
                "a 1: rank 1, next 2",
                "b 2: rank 1, next 3",
                "a 3: rank 1, next 0",
                "a 1: rank 2, next 2",
                "b 2: rank 2, next 3",
                "a 3: rank 2, next 0",
                "wtime: 3 e9",
                // The innermost adds 1 last and multiplies first.
                "aint: 108000",
                &format!("a 1: {control}"),
                &format!("b 2: {control}"),
                &format!("a 3: {control}"),
                "a 1: finalize after 1 init and 2 rank",
                "b 2: finalize after 1 init and 2 rank",
                "a 3: finalize after 1 init and 2 rank",
                "after: 3 e9",
                "passed",
            ]
        );
    }
}

/// Tools that are not in the list are not initialized, empty places in the list are ignored, and
/// the number of tools is not limited.
#[test]
fn tools_are_those_that_the_user_asks_for() {
    let place = Place::new();
    let (a, b) = (place.layer("a"), place.layer("b"));
    let program = place.program("layered", &[]);
    let preload = format!("{}:{}", a.display(), b.display());
    let run = |tools: &str| {
        place.run(1, &program, &[], &[("LD_PRELOAD", &preload), ("QMPI_TOOLS", tools)])
    };
    for nothing in ["", ":", "::"] {
        assert_eq!(run(nothing).lines(), PLAIN, "{nothing:?}");
    }
    assert_eq!(place.run(1, &program, &[], &[("LD_PRELOAD", &preload)]).lines(), PLAIN);
    let one = run(":b:");
    assert!(one.lines().contains(&"b 1: rank 2, next 0"), "{}", one.stdout);
    assert!(!one.stdout.contains("a 1"), "{}", one.stdout);
    let ten = run(&["a"; 10].join(":"));
    assert!(ten.lines().contains(&"wtime: 10 e9"), "{}", ten.stdout);
    // MPICH's variable, where ours is not set.
    let variables = [("LD_PRELOAD", preload.as_str()), ("MPIR_CVAR_QMPI_TOOL_LIST", "b:b")];
    let theirs = place.run(1, &program, &[], &variables);
    assert!(theirs.lines().contains(&"wtime: 2 e9"), "{}", theirs.stdout);
    let both = [variables[0], variables[1], ("QMPI_TOOLS", "a")];
    let ours = place.run(1, &program, &[], &both);
    assert!(ours.lines().contains(&"wtime: 1 e9"), "{}", ours.stdout);
}

/// A tool that is in the list and not registered ends the job. The error names it and the
/// registered ones.
#[test]
fn a_tool_that_is_not_there_ends_the_job() {
    let place = Place::new();
    let a = place.layer("a");
    let program = place.program("layered", &[]);
    let preload = a.display().to_string();
    for (call, arguments) in [("MPI_Init ", &[][..]), ("MPI_Init_thread ", &["thread"])] {
        let job = place.run(
            1,
            &program,
            arguments,
            &[("LD_PRELOAD", &preload), ("QMPI_TOOLS", "a:nobody:a")],
        );
        assert!(!job.success && job.stdout.is_empty(), "{}", job.stdout);
        for words in
            [call, "MPI_ERR_OTHER", "QMPI_TOOLS", "\"nobody\"", "registered: a", "LD_PRELOAD"]
        {
            assert!(job.stderr.contains(words), "{words:?} in {}", job.stderr);
        }
    }
    let job = place.run(1, &program, &[], &[("QMPI_TOOLS", "nobody")]);
    assert!(!job.success && job.stderr.contains("registered: none"), "{}", job.stderr);
}

/// "The tool needs to be linked with the application's binary": as a library, as a part of the
/// program, or preloaded (above).
#[test]
fn tools_may_be_linked() {
    let place = Place::new();
    let directory = format!("-L{}", place.path("").display());
    place.layer("a");
    let layer = source("tests/tools/layer.c");
    let layer = layer.to_str().expect("UTF-8");
    for flags in [&["-Wl,--no-as-needed", directory.as_str(), "-la"][..], &["-DNAME=\"a\"", layer]]
    {
        let program = place.program("layered", flags);
        let job = place.run(1, &program, &[], &[("QMPI_TOOLS", "a:a")]);
        assert!(
            job.lines().contains(&"a 1: rank 2, next 2")
                && job.stdout.contains("a 2: rank 2, next 0"),
            "{}",
            job.stdout
        );
    }
}

/// Null pointers, invalid IDs and functions, names that are taken, and calls that come too late.
#[test]
fn wrong_uses_give_error_codes() {
    let place = Place::new();
    let program = place.program("qmpi_errors", &[]);
    let job = place.run(1, &program, &[], &[("QMPI_TOOLS", "first:second:first")]);
    assert_eq!(job.lines(), ["passed"], "{}", job.stderr);
    // Each error says what was wrong, and why.
    for words in [
        "MPI_Register_tool_name failed: the argument tool_name is a null pointer",
        "MPI_Register_tool_name failed: the initialization function is a null pointer",
        "MPI_Register_tool_name failed: a user cannot ask for a tool named \"a:b\"",
        "MPI_Register_tool_name failed: a tool named \"first\" is registered already",
        "MPI_Register_tool_name failed: the tool \"fourth\" comes too late",
        "MPI_Register_tool_storage failed: 1 is no tool ID: there are no tools",
        "MPI_Register_tool_storage failed: 4 is no tool ID: tool IDs are 1 to 3",
        "MPI_Register_tool_function failed: 664 is no function: values of MPI_Functions_enum are \
         0 to 663",
        "MPI_Register_tool_function failed: it is too late for the tool \"first\" (ID 1)",
        "MPI_Get_next_tool_function failed: what comes after the tool 2 is known when all tools \
         are initialized",
        "MPI_Get_calling_address failed: the context is a null pointer",
    ] {
        assert!(job.stderr.contains(words), "{words:?} in\n{}", job.stderr);
    }
}

/// `MPI_Get_calling_address`: "the memory location where the application called", whatever tools
/// are between. To a QMPI tool a PMPI tool is a part of the application.
#[test]
fn the_calling_address_is_the_programs() {
    let place = Place::new();
    for flags in [&["-rdynamic", "-ldl"][..], &["-rdynamic", "-ldl", "-DWRAPPER"]] {
        let program = place.program("qmpi_address", flags);
        let job = place.run(1, &program, &[], &[("QMPI_TOOLS", "address:address")]);
        assert_eq!(job.lines(), ["passed"], "{flags:?}: {}", job.stderr);
    }
}

/// Callbacks arrive, run, and their calls of MPI pass the tools.
#[test]
fn callbacks_go_through_the_tracer() {
    let place = Place::new();
    let program = place.program("qmpi_callbacks", &[]);
    let tracer = place.compile(
        &source("tools/qmpi_trace.c"),
        "libqmpi_trace.so",
        &["-shared", "-fPIC", "-O0"],
    );
    assert_eq!(place.run(1, &program, &[], &[]).lines(), ["passed"]);
    let preload = tracer.display().to_string();
    let job =
        place.run(1, &program, &[], &[("LD_PRELOAD", &preload), ("QMPI_TOOLS", "trace:trace")]);
    assert_eq!(job.lines(), ["passed"], "{}", job.stderr);
    // Tool ID and call of each line; the inner tool returns first.
    let lines: Vec<(&str, &str)> = job
        .stderr
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.splitn(5, ' ').collect();
            assert_eq!(fields[0], "0", "the rank: {line}");
            let duration: f64 = fields[3].parse().expect("microseconds");
            assert!(duration >= 0.0 && fields[2].parse::<f64>().is_ok(), "{line}");
            (fields[1], fields[4])
        })
        .collect();
    let call = |name: &str| -> Vec<(&str, &str)> {
        lines
            .iter()
            .copied()
            .filter(|(_, call)| call.trim_start().starts_with(&format!("{name}(")))
            .collect()
    };
    for name in [
        "MPI_Init",
        "MPI_Comm_dup",
        "MPI_Op_create",
        "MPI_Reduce_local",
        "MPI_Comm_delete_attr",
        "MPI_Finalize",
    ] {
        let ids: Vec<&str> = call(name).iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, ["2", "1"], "{name}\n{}", job.stderr);
    }
    // In the callback of MPI_Comm_dup, which is two levels deep.
    let inner = call("MPI_Comm_rank");
    assert!(
        inner
            .iter()
            .any(|(id, call)| *id == "1"
                && call.starts_with("    MPI_Comm_rank(comm=MPI_COMM_WORLD")),
        "{inner:?}"
    );
    let send = call("MPI_Send");
    assert!(send[0].1.starts_with("  MPI_Send(buf=0x"), "indented: {send:?}");
    assert!(
        send[1].1.contains(", count=1, datatype=0x209, dest=4711, tag=0, comm=MPI_COMM_WORLD) = 6"),
        "{send:?}"
    );
}

/// With `QMPI_TRACE` each rank has a file, which begins with `MPI_Init`.
#[test]
fn the_tracer_writes_a_file_for_each_rank() {
    let place = Place::new();
    let program = place.program("wrapper", &[]);
    let tracer = place.compile(
        &source("tools/qmpi_trace.c"),
        "libqmpi_trace.so",
        &["-shared", "-fPIC", "-O0"],
    );
    let (preload, prefix) =
        (tracer.display().to_string(), place.path("trace").display().to_string());
    let environment =
        [("LD_PRELOAD", preload.as_str()), ("QMPI_TOOLS", "trace"), ("QMPI_TRACE", &prefix)];
    let job = place.run(2, &program, &[], &environment);
    assert_eq!((job.lines(), job.stderr.as_str()), (vec!["passed"; 2], ""));
    for (rank, talk) in [(0, "MPI_Send"), (1, "MPI_Recv")] {
        let text = std::fs::read_to_string(format!("{prefix}.{rank}")).expect("the rank's file");
        let calls: Vec<&str> = text
            .lines()
            .map(|line| {
                assert!(line.starts_with(&format!("{rank} 1 ")), "{line}");
                let call = line.splitn(5, ' ').nth(4).expect("a call");
                &call[..call.find('(').expect("arguments")]
            })
            .collect();
        assert_eq!(
            calls,
            ["MPI_Init", "MPI_Comm_rank", talk, "MPI_Type_size", "MPI_Finalize"],
            "{text}"
        );
        assert!(text.ends_with("MPI_Finalize() = 0\n"), "{text}");
    }
}

/// A tool with MPICH's names and prototypes, in C++: `qmpi.h` and `mpi.h` serve both languages.
#[test]
fn a_tool_may_use_mpichs_spelling_and_be_cpp() {
    let place = Place::new();
    let tool = place.compile_cpp(
        &source("tests/tools/spelling.cc"),
        "libspelling.so",
        &["-shared", "-fPIC"],
    );
    let program = place.program("layered", &[]);
    let preload = tool.display().to_string();
    let job = place.run(
        1,
        &program,
        &[],
        &[("LD_PRELOAD", &preload), ("QMPI_TOOLS", "spelling:spelling")],
    );
    let [init, ..] = &job.lines()[..] else { panic!("no output") };
    assert_eq!(*init, "spelling 1: 664 functions, storage ok");
    for line in ["spelling 1: rank, next 2", "spelling 2: rank, next 0"] {
        assert_eq!(job.lines().iter().filter(|other| **other == line).count(), 2, "{}", job.stdout);
    }
}

/// Tools of different kinds in one stack; the tracer passes on exactly what it gets, including
/// variable arguments.
#[test]
fn the_tracer_works_between_other_tools() {
    let place = Place::new();
    let a = place.layer("a");
    let program = place.program("layered", &[]);
    let tracer = place.compile(
        &source("tools/qmpi_trace.c"),
        "libqmpi_trace.so",
        &["-shared", "-fPIC", "-O0"],
    );
    let preload = format!("{}:{}", a.display(), tracer.display());
    let job = place.run(1, &program, &[], &[("LD_PRELOAD", &preload), ("QMPI_TOOLS", "a:trace:a")]);
    let lines = job.lines();
    for line in
        ["a 1: rank 1, next 2", "a 3: rank 2, next 0", "wtime: 2 e9", "after: 2 e9", "passed"]
    {
        assert!(lines.contains(&line), "{line}\n{}", job.stdout);
    }
    let control = "control 3 42 2.5 text 1099511627776 -0.125 11 12 13";
    assert!(lines.contains(&format!("a 3: {control}").as_str()), "{}", job.stdout);
    assert!(job.stderr.contains(" MPI_Pcontrol(level=3, ...) = 0\n"), "{}", job.stderr);
}

/// Programs that check all sorts of functions find nothing wrong with two tools between them and
/// MPI, threads included.
#[test]
fn programs_do_not_notice_tools() {
    let place = Place::new();
    let tracer = place.compile(
        &source("tools/qmpi_trace.c"),
        "libqmpi_trace.so",
        &["-shared", "-fPIC", "-O0"],
    );
    let (preload, prefix) =
        (tracer.display().to_string(), place.path("trace").display().to_string());
    let environment =
        [("LD_PRELOAD", preload.as_str()), ("QMPI_TOOLS", "trace:trace"), ("QMPI_TRACE", &prefix)];
    for (name, ranks) in [
        ("arguments", 2),
        ("cartesian", 6),
        ("collectives", 3),
        ("communicators", 5),
        ("datatypes", 1),
        ("environment", 1),
        ("intercommunicators", 5),
        ("operations", 1),
        ("threads", 3),
    ] {
        let program = place.program(name, &["-lm"]);
        let job = place.run(ranks, &program, &[], &environment);
        let passed = job.lines().iter().filter(|line| **line == "passed").count();
        assert_eq!(passed, ranks, "{name}\n{}{}", job.stdout, job.stderr);
        let trace = std::fs::read(format!("{prefix}.{}", ranks - 1)).expect("the last rank's file");
        // Texts of the program are there as it has given them, in any encoding.
        let trace = String::from_utf8_lossy(&trace);
        assert!(
            trace.lines().count() > 10 && trace.contains(" MPI_Finalize() = 0\n"),
            "{name}: {trace}"
        );
    }
}
