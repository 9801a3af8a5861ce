//! An installed prefix works from wherever it is.

use std::fs;
use std::path::Path;

use mqd_tests::{command, prefix, run, text};

const PROGRAM: &str = r#"
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%d of %d, sum %d\n", rank, size, sum);
    return MPI_Finalize();
}
"#;

/// Sorted lines of a job of 3 ranks.
fn lines(prefix: &Path, program: &Path) -> Vec<String> {
    let (code, stdout, stderr) =
        run(command(prefix.join("bin/mpiexec")).args(["-n", "3"]).arg(program));
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    let mut lines: Vec<String> = stdout.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn has_everything_in_its_place() {
    let at = |path: &str| prefix().directory.join(path);
    for file in [
        "bin/mqd",
        "bin/mpicc",
        "bin/mpicxx",
        "bin/mpifort",
        "bin/mpic++",
        "bin/mpiexec",
        "bin/mpirun",
        "bin/mpi_t_list",
        "lib/pkgconfig/mpi.pc",
        "lib/libmqd.so",
        "lib/libmpi_abi.so.1",
        "lib/libmpi_abi.so",
        "lib/libmpi_abi.a",
        "lib/libperuse_profiler.so",
        "include/mpi.h",
        "include/peruse.h",
        "include/mpi_interface.h",
        "share/man/man1/mqd.1",
        "share/man/man1/mqd-dump.1",
        "share/bash-completion/completions/mqd",
        "share/zsh/site-functions/_mqd",
        "share/fish/vendor_completions.d/mqd.fish",
        "share/mqd/LICENSE-MIT",
        "share/mqd/LICENSE-APACHE",
        "share/mqd/ARCHITECTURE.md",
        "share/mqd/fake-target/README.md",
    ] {
        assert!(at(file).is_file(), "there is no {file}");
    }
    assert_eq!(
        fs::read_link(at("lib/libmpi_abi.so")).expect("it is a link"),
        Path::new("libmpi_abi.so.1")
    );
    let (_, dynamic, _) = run(command("readelf").args(["-d", text(&at("lib/libmpi_abi.so.1"))]));
    assert!(dynamic.contains("Library soname: [libmpi_abi.so.1]"), "{dynamic}");
}

#[test]
fn works_after_a_move() {
    let directory = tempfile::tempdir().expect("there is room");
    let moved = directory.path().join("somewhere else");
    let (code, _, stderr) =
        run(command("cp").args(["-a", text(&prefix().directory), text(&moved)]));
    assert_eq!(code, 0, "{stderr}");
    let (source, program) = (directory.path().join("sum.c"), directory.path().join("sum"));
    fs::write(&source, PROGRAM).expect("it can be written");
    let (code, _, stderr) =
        run(command(moved.join("bin/mpicc")).arg(&source).arg("-o").arg(&program));
    assert_eq!(code, 0, "{stderr}");
    let (_, libraries, _) = run(command("ldd").arg(&program));
    assert!(libraries.contains(text(&moved.join("lib/libmpi_abi.so.1"))), "{libraries}");
    assert_eq!(lines(&moved, &program), ["0 of 3, sum 3", "1 of 3, sum 3", "2 of 3, sum 3"]);
    let (_, libraries, _) = run(command("ldd").arg(moved.join("bin/mpi_t_list")));
    let library = fs::canonicalize(moved.join("lib/libmpi_abi.so.1")).expect("the library");
    let found = libraries
        .lines()
        .find_map(|line| line.trim().strip_prefix("libmpi_abi.so.1 => "))
        .expect(&libraries);
    let found = fs::canonicalize(found.split(" (").next().expect("a path")).expect(&libraries);
    assert_eq!(found, library);
}

/// `mpi_t_list` shows the same variables, categories and events of the library as tables and as
/// JSON.
#[test]
fn mpi_t_list_shows_all_there_is() {
    let list = |arguments: &[&str]| {
        let (code, stdout, stderr) =
            run(command(prefix().directory.join("bin/mpi_t_list")).args(arguments));
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        stdout
    };
    let json: serde_json::Value = serde_json::from_str(&list(&["--json"])).expect("JSON");
    let table = list(&[]);
    let of = |kind: &str| json[kind].as_array().unwrap_or_else(|| panic!("no {kind}")).clone();
    let (cvars, pvars) = (of("control_variables"), of("performance_variables"));
    assert!(cvars.len() >= 20 && pvars.len() >= 40 && of("event_types").len() >= 4, "{json}");
    for kind in
        ["control_variables", "performance_variables", "event_types", "event_sources", "categories"]
    {
        for one in of(kind) {
            let name = one["name"].as_str().expect("a name");
            assert!(
                table.contains(&format!("    {name} "))
                    && table.contains(one["description"].as_str().expect("text")),
                "{name}"
            );
        }
    }
    let eager =
        cvars.iter().find(|one| one["name"] == "MQDRT_CVAR_EAGER_LIMIT").expect("the eager limit");
    assert_eq!(
        (eager["value"].as_str(), eager["scope"].as_str(), eager["type"].as_str()),
        (Some("8192"), Some("local"), Some("int"))
    );
    // Each variable is in exactly one category.
    for (kind, all) in [("control_variables", cvars.len()), ("performance_variables", pvars.len())]
    {
        let mut indices: Vec<u64> = of("categories")
            .iter()
            .flat_map(|category| category[kind].as_array().expect("indices").clone())
            .map(|index| index.as_u64().expect("an index"))
            .collect();
        indices.sort_unstable();
        assert_eq!(indices, (0..all as u64).collect::<Vec<_>>(), "{kind}");
    }
    assert!(list(&["--init"]).contains("Performance variables"));
    assert!(!list(&["--no-descriptions"]).contains("Messages up to this size"));
    let (code, _, stderr) = run(command(prefix().directory.join("bin/mpi_t_list")).arg("--what"));
    assert!(code == 2 && stderr.contains("unknown option --what"), "{stderr}");
}

#[test]
fn a_program_may_carry_the_library_and_a_tool_in_itself() {
    let directory = tempfile::tempdir().expect("there is room");
    let (source, program) = (directory.path().join("sum.c"), directory.path().join("sum"));
    // It wraps a function, as profiling tools do.
    let wrapper = r#"
int MPI_Finalize(void)
{
    printf("wrapped\n");
    return PMPI_Finalize();
}
"#;
    fs::write(&source, PROGRAM.to_owned() + wrapper).expect("it can be written");
    let mut cc = command("cc");
    cc.arg("-I").arg(prefix().directory.join("include")).arg(&source).arg("-o").arg(&program);
    let (code, _, stderr) =
        run(cc.arg(prefix().directory.join("lib/libmpi_abi.a")).args(["-lpthread", "-ldl", "-lm"]));
    assert_eq!(code, 0, "{stderr}");
    let expected =
        ["0 of 3, sum 3", "1 of 3, sum 3", "2 of 3, sum 3", "wrapped", "wrapped", "wrapped"];
    assert_eq!(lines(&prefix().directory, &program), expected);
}

/// The PERUSE profiler of a prefix that has been moved: in front of a program, and linked into one.
#[test]
fn the_profiler_works_after_a_move() {
    let directory = tempfile::tempdir().expect("there is room");
    // LD_PRELOAD cannot have blanks in a path.
    let moved = directory.path().join("elsewhere");
    let (code, _, stderr) =
        run(command("cp").args(["-a", text(&prefix().directory), text(&moved)]));
    assert_eq!(code, 0, "{stderr}");
    let source = directory.path().join("sum.c");
    let more = "#include <peruse.h>\nint (*needs)(void) = PERUSE_Init;\n";
    fs::write(&source, more.to_owned() + PROGRAM).expect("it can be written");
    let profiler = moved.join("lib/libperuse_profiler.so");
    for linked in [false, true] {
        let program = directory.path().join("sum");
        let mut mpicc = command(moved.join("bin/mpicc"));
        mpicc.arg(&source).args(linked.then_some("-lperuse_profiler")).arg("-o").arg(&program);
        let (code, _, stderr) = run(&mut mpicc);
        assert_eq!(code, 0, "{stderr}");
        let mut mpiexec = command(moved.join("bin/mpiexec"));
        mpiexec.args([
            "-n",
            "3",
            "-x",
            &format!("LD_PRELOAD={}", if linked { "" } else { text(&profiler) }),
        ]);
        let (code, stdout, stderr) = run(mpiexec.arg(&program));
        assert_eq!((code, stdout.lines().count()), (0, 3), "{stdout}{stderr}");
        assert!(stderr.starts_with("PERUSE profile of 3 ranks"), "linked: {linked}: {stderr}");
    }
}
