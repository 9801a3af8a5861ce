//! C programs that check values themselves, compiled against `mpi.h` and the shared library and run
//! by `mpiexec`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A directory with the shared library under its soname, as programs find it.
struct Installation {
    directory: TempDir,
}

/// Where cargo puts the libraries it builds for this test.
fn built() -> PathBuf {
    std::env::current_exe().expect("the test's own path").parent().expect("a directory").to_owned()
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn succeed(command: &mut Command) {
    let output = run(command);
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name)
}

fn compiler() -> Command {
    let mut command = Command::new("cc");
    command.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-O1", "-pthread"]);
    command.arg(concat!("-I", env!("CARGO_MANIFEST_DIR"), "/include"));
    command
}

impl Installation {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for name in ["libmpi_abi.so", "libmpi_abi.so.1"] {
            std::os::unix::fs::symlink(built().join("libmpi_abi.so"), directory.path().join(name))
                .expect("a link");
        }
        Installation { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Compiles a program and links it with the shared library.
    fn compile(&self, name: &str) -> PathBuf {
        let program = self.path(name);
        let mut command = compiler();
        command.arg(source(&format!("{name}.c"))).arg("-L").arg(self.directory.path());
        succeed(command.args(["-lmpi_abi", "-lm", "-o"]).arg(&program));
        program
    }

    /// Runs a program with this many processes, and passes it their number.
    fn mpiexec(&self, ranks: usize, program: &Path) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mpiexec"));
        command.arg("-n").arg(ranks.to_string()).arg(program).arg(ranks.to_string());
        command.current_dir(self.directory.path());
        run(command.env("LD_LIBRARY_PATH", self.directory.path()))
    }
}

/// Runs a program with each of these numbers of processes. Each process must report that it has
/// ended.
fn passes(name: &str, numbers_of_ranks: &[usize]) {
    let installation = Installation::new();
    let program = installation.compile(name);
    runs(&installation, &program, numbers_of_ranks);
}

fn runs(installation: &Installation, program: &Path, numbers_of_ranks: &[usize]) {
    let name = program.display();
    for &ranks in numbers_of_ranks {
        let output = installation.mpiexec(ranks, program);
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(
            output.status.success(),
            "{name} with {ranks} ranks: {}\n{stdout}{stderr}",
            output.status
        );
        let passed = stdout.lines().filter(|line| *line == "passed").count();
        assert_eq!(passed, ranks, "{name}: all ranks say that they passed\n{stdout}{stderr}");
    }
}

#[test]
fn datatypes() {
    passes("datatypes", &[1]);
}

#[test]
fn environment() {
    passes("environment", &[1]);
}

#[test]
fn operations() {
    passes("operations", &[1]);
}

#[test]
fn an_error_that_one_rank_alone_sees_makes_nobody_wait() {
    passes("one_rank_fails", &[5]);
}

#[test]
fn an_operation_on_data_that_one_rank_refuses_makes_nobody_wait() {
    // Nine ranks use trees.
    passes("one_rank_refuses", &[2, 5, 9]);
}

#[test]
fn collectives() {
    passes("collectives", &[1, 2, 3, 5, 8]);
}

#[test]
fn long_reductions() {
    passes("long_reductions", &[1, 2, 3, 5, 9]);
}

#[test]
fn spawned_processes() {
    passes("dynamic_spawn", &[1, 2, 3]);
}

#[test]
fn three_generations_become_one_group() {
    passes("dynamic_chain", &[1, 2, 3]);
}

#[test]
fn a_spawned_process_that_fails_ends_its_parents() {
    let installation = Installation::new();
    let program = installation.compile("dynamic_chain");
    let mut job = Command::new(env!("CARGO_BIN_EXE_mpiexec"));
    job.args(["-n", "2"]).arg(&program).arg("fail").current_dir(installation.directory.path());
    let output = run(job.env("LD_LIBRARY_PATH", installation.directory.path()));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(7), "{said}");
    assert!(said.contains("mpiexec: rank 1:0 (process "), "{said}");
    assert!(said.contains("; ending the other 2"), "{said}");
}

/// Runs a program without a launcher.
fn passes_alone(name: &str) {
    let installation = Installation::new();
    let program = installation.compile(name);
    let mpiexec = installation.path("mpiexec");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_mpiexec"), &mpiexec).expect("a link");
    // The launcher is found beside the library's own file.
    let library = installation.path("libmpi_abi.so.1");
    std::fs::remove_file(&library).expect("a link to remove");
    std::fs::copy(built().join("libmpi_abi.so"), &library).expect("a copy");
    let mut command = Command::new(&program);
    let output = run(command
        .current_dir(installation.directory.path())
        .env("LD_LIBRARY_PATH", installation.directory.path()));
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "passed\n");
}

#[test]
fn a_process_without_a_launcher_spawns_others() {
    passes_alone("dynamic_spawn");
}

#[test]
fn several_threads_spawn_processes() {
    passes("dynamic_threads", &[1, 2]);
    passes_alone("dynamic_threads");
}

#[test]
fn ports_and_names() {
    passes("dynamic_ports", &[1, 2, 3]);
}

#[test]
fn two_jobs_meet_at_a_published_name() {
    let installation = Installation::new();
    let program = installation.compile("dynamic_ports");
    let name = format!("mqd-test-{}", std::process::id());
    let job = |ranks: &str, role: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mpiexec"));
        command.args(["-n", ranks]).arg(&program).args([role, &name]);
        command.env("LD_LIBRARY_PATH", installation.directory.path());
        command.stdout(std::process::Stdio::piped()).spawn().expect("mpiexec starts")
    };
    let jobs = [job("2", "serve"), job("3", "visit")];
    let passed = jobs.map(|job| {
        let output = job.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).lines().filter(|line| *line == "passed").count()
    });
    assert_eq!(passed, [2, 3]);
}

#[test]
fn two_processes_join_over_a_socket() {
    let installation = Installation::new();
    let program = installation.compile("dynamic_join");
    let output = run(Command::new(&program).env("LD_LIBRARY_PATH", installation.directory.path()));
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "passed\n");
}

#[test]
fn stderr_goes_to_stdout_when_asked() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mpiexec"));
    let output = run(command
        .args(["--merge-stderr-to-stdout", "-n", "2", "sh", "-c"])
        .arg("echo out; echo err >&2"));
    let said = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<&str> = said.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["err", "err", "out", "out"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

/// The launcher has several files for each rank. It takes what the system allows, and ranks get the
/// limit of the user.
#[test]
fn a_low_limit_of_open_files_allows_many_ranks() {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -Sn 50; exec \"$0\" -n 40 sh -c 'ulimit -Sn'"]);
    let output = run(command.arg(env!("CARGO_BIN_EXE_mpiexec")));
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "50\n".repeat(40));
}

#[test]
fn nonblocking() {
    passes("nonblocking", &[1, 2, 3, 4, 5]);
}

#[test]
fn persistent_collectives() {
    passes("persistent_collectives", &[1, 2, 3, 4, 5]);
}

#[test]
fn representations() {
    passes("representations", &[1]);
}

#[test]
fn graphs() {
    passes("graphs", &[1, 2, 3, 4, 5, 8]);
}

#[test]
fn idup() {
    passes("idup", &[1, 2, 3, 5]);
}

#[test]
fn partitioned() {
    passes("partitioned", &[1, 2, 3, 5]);
}

#[test]
fn generalized() {
    passes("generalized", &[1]);
}

#[test]
fn communicators() {
    passes("communicators", &[5]);
}

#[test]
fn intercommunicators() {
    passes("intercommunicators", &[5]);
}

#[test]
fn cartesian() {
    passes("cartesian", &[6]);
}

#[test]
fn arguments() {
    passes("arguments", &[2]);
}

#[test]
fn misuse_is_an_error_of_the_right_class() {
    passes("misuse", &[2]);
}

#[test]
fn error_handlers_may_throw() {
    let installation = Installation::new();
    let program = installation.path("exceptions");
    let mut command = Command::new("c++");
    command.args(["-std=c++14", "-Wall", "-Wextra", "-Werror", "-g", "-O1"]);
    command.arg(concat!("-I", env!("CARGO_MANIFEST_DIR"), "/include"));
    command.arg(source("exceptions.cc")).arg("-L").arg(installation.directory.path());
    succeed(command.args(["-lmpi_abi", "-o"]).arg(&program));
    runs(&installation, &program, &[1, 2]);
}

/// The default handler ends the job with a message that says what failed, where and why.
#[test]
fn errors_are_fatal_by_default() {
    let installation = Installation::new();
    let program = installation.compile("fatal");
    for (how, ranks, words) in [
        ("send", 2, &["rank 0", "MPI_Send", "MPI_COMM_WORLD", "MPI_ERR_RANK", "4711"][..]),
        ("return", 2, &["MPI_Bcast", "MPI_COMM_SELF", "MPI_ERR_ROOT", "99"]),
        ("group", 2, &["MPI_Group_incl", "MPI_ERR_RANK", "the rank 7 is not between 0 and 1"]),
        ("early", 1, &["MPI_Comm_rank", "before MPI_Init"]),
        ("late", 1, &["MPI_Barrier", "after MPI_Finalize"]),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mpiexec"));
        command.arg("-n").arg(ranks.to_string()).arg(&program).arg(how);
        let output = run(command.env("LD_LIBRARY_PATH", installation.directory.path()));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{how}: {stderr}");
        assert!(output.stdout.is_empty(), "{how}: nobody comes back");
        let line = stderr
            .lines()
            .find(|line| line.starts_with("mpi: "))
            .unwrap_or_else(|| panic!("{how}: {stderr}"));
        for word in words {
            assert!(line.contains(word), "{how}: {word:?} in {line:?}");
        }
    }
}

/// A program that needs every function, with all symbols bound when it starts.
#[test]
fn every_function_is_there() {
    let installation = Installation::new();
    let table = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/api/functions.tsv"))
        .expect("the table");
    let names = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| &line[4..line.find('\t').expect("a tab")]);
    let list: String = names.map(|name| format!("FUNCTION({name})\n")).collect();
    std::fs::write(installation.path("all_functions.inc"), list).expect("a file");
    let program = installation.path("all_functions");
    let mut command = compiler();
    command.arg("-I").arg(installation.directory.path()).arg(source("all_functions.c"));
    command
        .arg("-L")
        .arg(installation.directory.path())
        .args(["-lmpi_abi", "-Wl,-z,now", "-o"])
        .arg(&program);
    succeed(&mut command);
    let output = installation.mpiexec(1, &program);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout, b"passed\n");
}

#[test]
fn windows() {
    for program in ["window_active", "window_passive", "window_accumulate", "window_objects"] {
        passes(program, &[1, 2, 3, 4]);
    }
}

#[test]
fn threads() {
    passes("threads", &[3]);
}

#[test]
fn a_session_of_another_thread() {
    passes("funneled", &[1, 2, 3]);
}

#[test]
fn an_old_exit_handler_may_finalize() {
    passes("exit_handler", &[1, 3]);
}

#[test]
fn sessions() {
    passes("sessions", &[1, 2, 3, 4]);
}

#[test]
fn files_are_opened_and_described() {
    passes("file_basics", &[1, 2, 3, 4]);
}

#[test]
fn files_are_read_and_written_in_every_way() {
    passes("file_access", &[1, 2, 3, 4]);
}

#[test]
fn ranks_that_write_at_once_lose_nothing() {
    passes("file_together", &[1, 2, 3, 4]);
}

#[test]
fn small_pieces_of_all_are_written_together() {
    passes("file_buffered", &[1, 2, 3, 4]);
}

#[test]
fn files_have_data_in_other_representations() {
    passes("file_represented", &[1, 2, 3]);
}
