//! `gdb/mqd.py` in a real gdb, on real jobs: it shows what `mqd` shows, byte for byte, and gdb
//! still works after any error.

#[path = "gdb/python.rs"]
mod python;
#[path = "gdb/scripts.rs"]
mod scripts;
#[path = "gdb/trust.rs"]
mod trust;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mqd_tests::scenario::Scenario;
use mqd_tests::{command, compile, prefix, run, text, wait_for};

fn script() -> String {
    format!("source {}", prefix().directory.join("share/mqd/gdb/mqd.py").display())
}

/// What gdb prints to its standard output and error when it is given these commands, one after the
/// other, whether they fail or not.
fn gdb(commands: &[&str]) -> (String, String) {
    run_gdb(
        command("gdb").args([
            "-nx",
            "-batch",
            "-iex",
            "set debuginfod enabled off",
            "-ex",
            &script(),
        ]),
        commands,
    )
}

fn run_gdb(gdb: &mut Command, commands: &[&str]) -> (String, String) {
    gdb.args(commands.iter().flat_map(|command| ["-ex", command])).stdin(Stdio::null());
    let (_, stdout, stderr) = run(gdb);
    assert!(
        !stderr.contains("Traceback") && !stderr.contains("Python Exception"),
        "{stdout}{stderr}"
    );
    assert!(!stderr.contains("please report this"), "{stdout}{stderr}");
    (stdout, stderr)
}

/// What `mqd` writes about the same targets.
fn mqd(arguments: &[&str]) -> String {
    let mut mqd = prefix().command("mqd");
    let (code, stdout, stderr) = run(mqd.arg("dump").args(arguments).stdin(Stdio::null()));
    assert_eq!(code, 0, "{stdout}{stderr}");
    stdout
}

/// A report without the hosts and jobs of its processes, which gdb does not know through gdbserver.
fn without_job(report: &str) -> String {
    let mut lines = String::new();
    let mut in_job = false;
    for line in report.split_inclusive('\n') {
        in_job |= line == "      \"job\": {\n";
        if !in_job && !line.starts_with("      \"host\": ") {
            lines.push_str(line);
        }
        in_job &= line != "      },\n";
    }
    lines
}

fn pids(live: &serde_json::Value) -> Vec<String> {
    let processes = live["processes"].as_array().expect("processes");
    processes.iter().map(|process| process["pid"].as_u64().expect("a pid").to_string()).collect()
}

/// The report that gdb writes after these commands.
fn report_after(commands: &[&str]) -> String {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let file = directory.path().join("report of gdb.json");
    let dump = format!("mqd dump -json '{}'", file.display());
    let mut commands = commands.to_vec();
    commands.push(&dump);
    let (stdout, stderr) = gdb(&commands);
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"))
}

fn attach(scenario: &Scenario) -> String {
    format!("mqd attach-job {}", scenario.pid())
}

/// The live job, in all inferiors of one gdb.
///
/// A waiting rank of Open MPI runs a loop. It is rarely stopped between two iterations, where
/// `begun` is not known. Only a difference that occurs each time is one of the readers.
fn same_live(scenario: &Scenario) {
    const ATTEMPTS: usize = 4;
    scenario.live();
    let look = || mqd(&["--job", &scenario.pid().to_string(), "--format", "json"]);
    for _ in 1..ATTEMPTS {
        if report_after(&[&attach(scenario)]) == look() {
            return;
        }
    }
    assert_eq!(report_after(&[&attach(scenario)]), look());
}

/// The job's core files, in all inferiors of one gdb; and one process through gdbserver, of which
/// gdb sees only what the server provides.
fn same_elsewhere(scenario: &Scenario, program: &Path) {
    let live = scenario.live();
    let cores = scenario.gdb_cores(&live);
    let mut commands = Vec::new();
    for (at, core) in cores.iter().enumerate() {
        if at > 0 {
            commands.push("add-inferior -no-connection".to_owned());
            commands.push(format!("inferior {}", at + 1));
        }
        commands.push(format!("file {}", program.display()));
        commands.push(format!("core-file {}", core.display()));
    }
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let mut arguments = vec!["--format", "json", "--core"];
    arguments.extend(cores.iter().map(|core| text(core)));
    assert_eq!(report_after(&commands), mqd(&arguments), "core files");

    let pid = &pids(&live)[1];
    let expected = without_job(&mqd(&["--pid", pid, "--format", "json"]));
    let connect = format!("target remote | gdbserver --once --attach - {pid}");
    assert_eq!(report_after(&[&connect]), expected, "gdbserver");
    assert_eq!(
        report_after(&["set sysroot /", &connect]),
        expected,
        "gdbserver, files of this machine"
    );
}

/// A module of tests for each MPI, with a test for each scenario.
macro_rules! same_json {
    ($($mpi:ident $name:literal)* => $scenarios:tt) => {
        $(mod $mpi {
            use super::*;
            same_json! { @ $name $scenarios }
        })*
    };
    (@ $mpi:literal { $($scenario:ident $(also $elsewhere:ident)?;)* }) => {
        $(
            #[test]
            fn $scenario() {
                let (mpi, name) = (mqd_tests::mpi($mpi), stringify!($scenario));
                let scenario = Scenario::named(mpi, name);
                same_live(&scenario);
                $(
                    let mpi = mqd_tests::mpi($mpi);
                    $elsewhere(&scenario, &mqd_tests::fixture_for(&mpi, name));
                )?
            }
        )*
    };
}

same_json! {
    companion "companion"
    open_mpi "openmpi"
    => {
        receives also same_elsewhere;
        send_modes;
        buffered;
        persistent;
        blocking;
        probes;
        matched;
        communicators also same_elsewhere;
        intercommunicators;
        names;
        freed;
        datatypes;
        threads also same_elsewhere;
        many;
    }
}

/// A launcher without a table: ranks are found by their environment.
#[test]
fn a_launcher_without_a_table() {
    let scenario =
        Scenario::start_with(mqd_tests::mpi("openmpi-5.0.11"), "receives", 3, &[], |launch| launch);
    let live = scenario.live();
    let (stdout, stderr) = gdb(&[&attach(&scenario)]);
    assert!(
        stdout.contains("found 3 ranks among the processes it has started, by "),
        "{stdout}{stderr}"
    );
    for (rank, pid) in pids(&live).iter().enumerate() {
        assert!(
            stdout.contains(&format!("rank {rank}: inferior {}, process {pid}, ", rank + 1)),
            "{stdout}{stderr}"
        );
    }
    same_live(&scenario);
}

/// What `info mpi-queues` prints is what `mqd` prints, filtered or not.
#[test]
fn queues_for_people() {
    for (fixture, ranks, filters) in [
        (
            "communicators",
            4,
            &[
                ("", ""),
                ("-comm 'even ranks'", "--comm=even ranks"),
                ("-q receives -tag 5-6", "--queue=receives --tag=5-6"),
                ("-rank 1,3", "--rank=1,3"),
            ][..],
        ),
        (
            "matched",
            2,
            &[
                ("", ""),
                ("-queue sends,unexpected", "--queue=sends,unexpected"),
                ("-comm 0x0", "--comm=0x0"),
            ],
        ),
        ("names", 2, &[("", "")]),
    ] {
        let scenario = Scenario::start(fixture, ranks, &[], &[("MQDRT_SINGLE_COPY", "0")]);
        scenario.live();
        let job = scenario.pid().to_string();
        for (ours, theirs) in filters {
            let mut arguments = vec!["--job", &job];
            // An argument with a blank is still one argument.
            if let Some(name) = theirs.strip_prefix("--comm=") {
                arguments.extend(["--comm", name]);
            } else {
                arguments.extend(theirs.split_whitespace());
            }
            let expected = mqd(&arguments);
            let (stdout, stderr) = gdb(&[
                "set width 40",
                "set height 5",
                &attach(&scenario),
                "echo \\n====\\n",
                &format!("info mpi-queues {ours}"),
                "echo ====\\n",
            ]);
            let shown = stdout.split("====\n").nth(1).unwrap_or_else(|| panic!("{stdout}{stderr}"));
            assert_eq!(shown, expected, "{fixture} {ours}: {stderr}");
            assert_eq!(shown.contains("Only what matches -"), !ours.is_empty(), "{shown}");
        }
    }
}

/// What `mqd check` and `mqd graph` make of gdb's report.
#[test]
fn diagnosis_and_picture() {
    let scenario = Scenario::start("blocking", 6, &[], &[]);
    scenario.live();
    let job = scenario.pid().to_string();
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let [ours, theirs] = ["ours.svg", "theirs.svg"].map(|name| directory.path().join(name));
    let (stdout, stderr) = gdb(&[
        "set width 40",
        "set height 5",
        &attach(&scenario),
        "echo \\n====\\n",
        "mqd check",
        "echo ====\\n",
        &format!("mqd graph '{}'", ours.display()),
    ]);
    let (_, expected, _) = run(prefix().command("mqd").args([
        "check",
        "--recheck",
        "0",
        "--color",
        "never",
        "--job",
        &job,
    ]));
    let shown = stdout.split("====\n").nth(1).unwrap_or_else(|| panic!("{stdout}{stderr}"));
    assert!(!expected.is_empty());
    assert_eq!(shown, expected, "{stderr}");
    let (code, _, stderr) =
        run(prefix().command("mqd").args(["graph", "--job", &job, "-o", text(&theirs)]));
    assert_eq!(code, 0, "{stderr}");
    let read = |path: &Path| fs::read_to_string(path).expect("a picture");
    assert_eq!(read(&ours), read(&theirs));
}

/// A script without the command `mqd` beside it: what needs only gdb still works.
#[test]
fn without_the_command() {
    let scenario = Scenario::start("receives", 3, &[], &[]);
    let attach = format!("attach {}", pids(&scenario.live())[0]);
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let share = directory.path().join("share");
    let (code, _, stderr) = run(command("cp")
        .args(["-r", text(&prefix().directory.join("share/mqd/gdb"))])
        .arg(&share));
    assert_eq!(code, 0, "{stderr}");
    let report = directory.path().join("report.json");
    let mut gdb = command("gdb");
    gdb.args(["-nx", "-batch", "-iex", "set debuginfod enabled off"]);
    gdb.env("PATH", "/usr/bin:/bin");
    let dll = prefix().directory.join("lib/libmqd.so");
    let (stdout, stderr) = run_gdb(
        &mut gdb,
        &[
            &format!("source {}", share.join("mqd.py").display()),
            &attach,
            &format!("set mqd dll {}", dll.display()),
            "info mpi-queues",
            "mqd check",
            "info mpi-communicators",
            &format!("mqd dump -json {}", report.display()),
        ],
    );
    assert_eq!(stderr.matches("The command mqd was not found").count(), 2, "{stdout}{stderr}");
    assert!(stdout.contains("MPI_COMM_WORLD"), "{stdout}{stderr}");
    let report = fs::read_to_string(&report).expect("it is written");
    assert!(report.contains("\"pending_receives\": [\n"), "{report}");
}

#[test]
fn communicators_for_people() {
    let scenario = Scenario::start("communicators", 4, &[], &[]);
    scenario.live();
    let (stdout, stderr) = gdb(&[&attach(&scenario), "info mpi-communicators"]);
    let line = |name: &str| {
        let mut line = stdout
            .lines()
            .filter(|line| line.trim_start().starts_with(name))
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        line.next_back().unwrap_or_else(|| panic!("no {name}: {stdout}{stderr}"))
    };
    // Of the last rank. It has made them itself: fixtures/communicators.c.
    assert!(
        line("MPI_COMM_WORLD").starts_with("MPI_COMM_WORLD id 0x0 rank 3 of 4 world ranks 0-3 "),
        "{stdout}"
    );
    assert!(line("odd ranks").contains(" rank 1 of 2 world ranks 1,3 "), "{stdout}");
    assert!(line("all but 0, backwards").contains(" rank 0 of 3 world ranks 3,2,1 "), "{stdout}");
    assert!(
        line("MPI_COMM_SELF").ends_with("rank 0 of 1 world ranks 3 nothing pending"),
        "{stdout}"
    );
}

/// Receives on two communicators, one more in each round.
const ROUNDS: &str = r#"
#include <mpi.h>
#include <stdio.h>
static int round_done(int round)
{
    return round;
}
int main(int argc, char **argv)
{
    enum { ROUNDS = 8 };
    MPI_Comm halo;
    MPI_Request requests[ROUNDS];
    int values[ROUNDS], sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &halo);
    MPI_Comm_set_name(halo, "the halo");
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Irecv(&values[i], 1, MPI_INT, 0, i, i % 2 ? halo : MPI_COMM_WORLD, &requests[i]);
        sum += round_done(i);
    }
    for (int i = 0; i < ROUNDS; i++)
        MPI_Send(&i, 1, MPI_INT, 0, i, i % 2 ? halo : MPI_COMM_WORLD);
    MPI_Waitall(ROUNDS, requests, MPI_STATUSES_IGNORE);
    printf("sum %d\n", sum);
    return MPI_Finalize();
}
"#;

/// The functions in expressions and in the condition of a breakpoint, and what works before, during
/// and after a run of the program.
#[test]
fn functions_and_the_life_of_a_program() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let program = compile(directory.path(), ROUNDS);
    let (stdout, stderr) = gdb(&[
        &format!("file {}", program.display()),
        "echo before it runs\\n",
        "info mpi-queues",
        "break main",
        "run",
        "echo before MPI_Init\\n",
        "info mpi-communicators",
        "print $_mpi_pending_receives()",
        "break round_done if $_mpi_pending_receives(\"the halo\") == 3",
        "continue",
        "print $_mpi_pending_receives() * 100 + round",
        "print $_mpi_pending_receives(\"the halo\", 3)",
        "print $_mpi_pending_receives(\"\", 3) + $_mpi_pending_receives(\"nothing of that name\")",
        "print $_mpi_pending_sends() + $_mpi_unexpected_messages(\"0x0\")",
        "print $_mpi_pending_sends(1)",
        "frame",
        "delete",
        "continue",
        "info mpi-queues",
        "print $_mpi_pending_sends()",
    ]);
    let values: Vec<&str> = stdout.lines().filter(|line| line.starts_with('$')).collect();
    // In round 5 three of six receives are on the halo: those of the rounds 1, 3 and 5.
    assert_eq!(values, ["$1 = 605", "$2 = 1", "$3 = 1", "$4 = 0"], "{stdout}{stderr}");
    assert!(
        stdout.contains("#0  round_done (round=5)") && stdout.contains("sum 28"),
        "{stdout}{stderr}"
    );
    let errors =
        stderr.lines().filter(|line| !line.starts_with("warning")).collect::<Vec<_>>().join("\n");
    let mut rest = errors.as_str();
    for expected in [
        "There is no process to read. ",
        "MPI is not initialised yet",
        "$_mpi_pending_receives: the debug DLL ",
        "$_mpi_pending_sends: Trying to read string",
        "There is no process to read. ",
        "$_mpi_pending_sends: there is no process to read.",
    ] {
        let at = rest
            .find(expected)
            .unwrap_or_else(|| panic!("no {expected:?} after the others: {errors}"));
        rest = &rest[at + expected.len()..];
    }
}

/// While threads run, nothing is read, and an error says why.
#[test]
fn running_threads() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let program = compile(directory.path(), ROUNDS);
    let (stdout, stderr) = gdb(&[
        &format!("file {}", program.display()),
        "set non-stop on",
        "break round_done if round == 2",
        "run",
        "print $_mpi_pending_receives()",
        "break PMPI_Finalize",
        "python gdb.execute('continue&'); print(gdb.selected_thread().is_running())",
        "info mpi-queues",
        "print $_mpi_pending_receives()",
        "mqd dump -json /nonexistent/directory/report.json",
    ]);
    assert!(stdout.contains("$1 = 3") && stdout.contains("True"), "{stdout}{stderr}");
    let running = stderr.lines().filter(|line| {
        line.contains(
            "is running: what it waits for can be read while all of its threads are stopped",
        )
    });
    assert_eq!(running.count(), 3, "{stdout}{stderr}");
}

/// What is selected, the language and the settings stay as they are, whether a command works or
/// fails.
#[test]
fn the_state_of_gdb_is_kept() {
    let scenario = Scenario::start("blocking", 6, &[], &[]);
    scenario.live();
    let show = "python t = gdb.selected_thread(); print('state', t.ptid, \
                gdb.selected_frame().level(), gdb.parameter('language'), gdb.parameter('height'), \
                gdb.parameter('confirm'))";
    let mut commands: Vec<String> =
        [&attach(&scenario), "inferior 4", "frame 1", "set language fortran", "set height 7", show]
            .map(str::to_owned)
            .into();
    for command in [
        "info mpi-queues",
        "info mpi-queues -queue nonsense",
        "info mpi-communicators",
        "mqd dump -json /nonexistent/directory/report.json",
        "set mqd dll /nonexistent.so",
        "info mpi-queues",
        "set mqd dll",
        "print $_mpi_pending_receives()",
        "mqd attach-job 999999999",
        "complete info mpi-queues -comm ",
    ] {
        commands.extend([command.to_owned(), show.to_owned()]);
    }
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let (stdout, stderr) = gdb(&commands);
    let states: Vec<&str> = stdout.lines().filter(|line| line.starts_with("state")).collect();
    assert_eq!(states.len(), 11, "{stdout}{stderr}");
    assert!(
        states.iter().all(|state| *state == states[0]) && states[0].ends_with(" 1 fortran 7 True"),
        "{states:#?}"
    );
    // In Fortran too.
    assert!(stdout.contains("6 processes read: ") && stdout.contains("$1 = "), "{stdout}{stderr}");
}

/// Each mistake is a gdb error with a text, and gdb goes on.
#[test]
fn errors() {
    let scenario = Scenario::start("receives", 3, &[], &[]);
    let live = scenario.live();
    let pid = &pids(&live)[0];
    let attach = format!("attach {pid}");
    let libc =
        "python import ctypes.util; gdb.execute('set mqd dll ' + ctypes.util.find_library('c'))";
    let cases: &[(&[&str], &str)] = &[
        (&["mqd dump -json /dev/null"], "There is no process to read."),
        (&["mqd dump"], "Usage: mqd dump -json FILE"),
        (&["mqd dump -json"], "mqd dump: -json takes a value."),
        (&["mqd dump -json a b"], "mqd dump: 'b' is one argument too many."),
        (&["mqd nonsense"], "mqd has no command 'nonsense'."),
        (&["mqd check now"], "mqd check: 'now' is one argument too many."),
        (&["mqd graph"], "Usage: mqd graph FILE"),
        (&["mqd attach-job 999999999"], "process 999999999"),
        (&["mqd attach-job"], "Usage: mqd attach-job LAUNCHER_PID"),
        (&["mqd attach-job mpiexec"], "Usage: mqd attach-job LAUNCHER_PID"),
        (
            &["print $_mpi_unexpected_messages()"],
            "$_mpi_unexpected_messages: there is no process to read.",
        ),
        (
            &[&attach, "info mpi-queues -queue posted"],
            "invalid value 'posted' for '--queue <QUEUE>'",
        ),
        (&["info mpi-queues -tag 7-3"], "the range ends before it begins"),
        (&["info mpi-queues -tag any"], "invalid value 'any' for '--tag <TAGS>'"),
        (&["info mpi-queues -comm"], "info mpi-queues: -comm takes a value."),
        (&["info mpi-queues -pid 3"], "info mpi-queues has no option -pid."),
        (
            &["info mpi-queues -comm hola"],
            "No process has a communicator hola: `info mpi-communicators` lists them.",
        ),
        (&["info mpi-communicators x"], "info mpi-communicators: 'x' is one argument too many."),
        (
            &["mqd dump -json /nonexistent/x.json"],
            "Cannot write /nonexistent/x.json: No such file or directory",
        ),
        (&["mqd graph /nonexistent/x.svg"], "/nonexistent/x.svg"),
        (&["mqd graph /nonexistent/x.gif"], "give --format dot, svg, html or csv"),
        (
            &["set mqd dll /nonexistent.so", "info mpi-queues"],
            "cannot load the debug DLL /nonexistent.so",
        ),
        (
            &[libc, "info mpi-queues"],
            "is not a debug DLL for message queues: it has no function mqs_setup_basic_callbacks",
        ),
        (&[libc, "print $_mpi_pending_sends()"], "is not a debug DLL for message queues"),
    ];
    // All of them in one gdb: none may affect the next.
    let mut script = Vec::new();
    for (commands, _) in cases {
        script.extend(commands.iter().copied());
        script.extend(["print 6 * 7", "python gdb.write('====\\n', gdb.STDERR); print('====')"]);
    }
    let (stdout, stderr) = gdb(&script);
    let said = stderr.split("====\n").zip(stdout.split("====\n"));
    for ((commands, expected), (stderr, stdout)) in cases.iter().zip(said) {
        assert!(stderr.contains(expected), "{commands:?}: {stdout}{stderr}");
        assert!(stdout.contains(" = 42"), "{commands:?}: {stdout}{stderr}");
    }
}

#[test]
fn not_an_mpi_program() {
    let mut sleep = command("sleep").arg("1000").spawn().expect("sleep can be started");
    let pid = sleep.id();
    wait_for("sleep runs", || {
        fs::read_link(format!("/proc/{pid}/exe")).ok().filter(|path| path.ends_with("sleep"))
    });
    let attach = format!("attach {pid}");
    let (stdout, stderr) = gdb(&[
        &attach,
        "info mpi-queues",
        "print $_mpi_pending_sends()",
        "detach",
        &format!("mqd attach-job {pid}"),
        "print 6 * 7",
    ]);
    let report = report_after(&[&attach]);
    let (code, expected, _) =
        run(prefix().command("mqd").args(["dump", "--format", "json", "--pid", &pid.to_string()]));
    sleep.kill().and_then(|()| sleep.wait()).expect("it is our child");
    assert_eq!((code, report), (4, expected));
    assert!(
        stderr.contains("no MPI library was found in the process: is it an MPI program?"),
        "{stdout}{stderr}"
    );
    assert!(stderr.contains("is not the launcher of an MPI job"), "{stdout}{stderr}");
    assert!(stdout.contains(" = 42"), "{stdout}{stderr}");
}

/// Debug DLLs with every fault that `mqd` is tested with give the same report with the same errors.
/// Those that crash or hang are left out, because gdb would crash or hang with them.
#[test]
fn faulty_dlls() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let c = testkit::workspace::root().join("mqd-host-harness/host/tests/c");
    let cc = |source: &str, output: &str, options: &[&str]| -> PathBuf {
        let output = directory.path().join(output);
        let mut cc = command("cc");
        cc.args(["-g", "-O1", "-w", "-I"])
            .arg(testkit::workspace::root().join("mqs-abi/include"))
            .arg(c.join(source))
            .arg("-o")
            .arg(&output);
        let (code, _, stderr) = run(cc.args(options));
        assert_eq!(code, 0, "{stderr}");
        output
    };
    let toy = cc("toy_process.c", "toy_process", &["-pthread"]);
    let mut process = command(&toy)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it can be started");
    let mut ready = String::new();
    let stdout = process.stdout.take().expect("a pipe");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut ready)
        .expect("it writes");
    assert_eq!(ready, "ready\n");
    let (pid, attach) = (process.id().to_string(), format!("attach {}", process.id()));

    let faults = [
        "WELL_BEHAVED",
        "TOY_OLD",
        "TOY_NO_NEXT",
        "TOY_COMPATIBILITY=1",
        "TOY_WIDTH=4",
        "TOY_REFUSE=\"the image %s has no queues\"",
        "TOY_REFUSE_PROCESS",
        "TOY_ERROR_OPERATION",
        "TOY_ERROR_UPDATE",
        "TOY_ERROR_COMMUNICATOR",
        "TOY_NO_UNEXPECTED",
        "TOY_BAD_STATUS",
        "TOY_SIZE=-3",
        "TOY_PROBE",
        "TOY_LEAK",
        "TOY_WILD_POINTER",
        "TOY_PRINT",
        "TOY_END=mqs_no_information",
    ];
    for (number, fault) in faults.into_iter().enumerate() {
        let dll = cc(
            "toy_dll.c",
            &format!("libtoy{number}.so"),
            &["-shared", "-fPIC", &format!("-D{fault}")],
        );
        let (_, expected, stderr) = run(prefix().command("mqd").args([
            "dump",
            "--format",
            "json",
            "--pid",
            &pid,
            "--dll",
            text(&dll),
        ]));
        let report = report_after(&[&attach, &format!("set mqd dll {}", dll.display())]);
        assert_eq!(report, expected, "{fault}: {stderr}");
        let (stdout, stderr) = gdb(&[
            &attach,
            &format!("set mqd dll {}", dll.display()),
            "info mpi-queues",
            "set mqd dll",
            "print 6 * 7",
        ]);
        assert!(stdout.contains(" = 42"), "{fault}: {stdout}{stderr}");
    }
    drop(process.stdin.take());
    process.wait().expect("it is our child");
}

/// DLLs that lack our extensions of the interface: operations are asked for one by one.
#[test]
fn a_dll_without_extensions() {
    let scenario = Scenario::start("many", 2, &["1500", "1"], &[]);
    let pid = pids(&scenario.live())[0].clone();
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let whole = fs::read(prefix().directory.join("lib/libmqd.so")).expect("it is installed");
    for lacking in [&["mqd_next_operations"][..], &["mqd_next_operations", "mqd_is_awaited"]] {
        let mut bytes = whole.clone();
        for name in lacking {
            // Changes the name in the file's string table, so that nobody finds the function.
            let name: Vec<u8> = [b"\0", name.as_bytes(), b"\0"].concat();
            let places: Vec<usize> = bytes
                .windows(name.len())
                .enumerate()
                .filter(|(_, here)| *here == name)
                .map(|(at, _)| at)
                .collect();
            assert!(!places.is_empty(), "{lacking:?}");
            places.iter().for_each(|at| bytes[at + 1] = b'x');
        }
        let dll = directory.path().join(format!("lib{}.so", lacking.len()));
        fs::write(&dll, bytes).expect("the directory is writable");
        let expected = mqd(&["--pid", &pid, "--format", "json", "--dll", text(&dll)]);
        let known = expected.matches("\"awaited\": false").count();
        assert_eq!(known > 1000, lacking.len() == 1, "{known}");
        assert_eq!(
            report_after(&[&format!("attach {pid}"), &format!("set mqd dll {}", dll.display())]),
            expected
        );
    }
}

#[test]
fn completion() {
    let scenario = Scenario::start("communicators", 4, &[], &[]);
    scenario.live();
    let attach = attach(&scenario);
    let cases: &[(&str, &[&str])] = &[
        ("info mpi", &["info mpi-communicators", "info mpi-queues"]),
        (
            "info mpi-queues ",
            &[
                "info mpi-queues -comm",
                "info mpi-queues -queue",
                "info mpi-queues -rank",
                "info mpi-queues -tag",
            ],
        ),
        ("info mpi-queues -q", &["info mpi-queues -queue"]),
        (
            "info mpi-queues -queue ",
            &[
                "info mpi-queues -queue receives",
                "info mpi-queues -queue sends",
                "info mpi-queues -queue unexpected",
            ],
        ),
        ("info mpi-queues -tag 3 -queue u", &["info mpi-queues -tag 3 -queue unexpected"]),
        (
            "info mpi-queues -comm MPI_COMM_",
            &["info mpi-queues -comm MPI_COMM_SELF", "info mpi-queues -comm MPI_COMM_WORLD"],
        ),
        ("info mpi-queues -comm \"odd", &["info mpi-queues -comm \"odd ranks\""]),
        ("mqd ", &["mqd attach-job", "mqd check", "mqd dump", "mqd graph"]),
        ("mqd dump ", &["mqd dump -json"]),
        ("show mqd ", &["show mqd dll"]),
        (
            "help function _mpi_",
            &[
                "help function _mpi_pending_receives",
                "help function _mpi_pending_sends",
                "help function _mpi_unexpected_messages",
            ],
        ),
    ];
    let mut script = vec![attach];
    for (line, _) in cases {
        script.extend(["echo ====\\n".to_owned(), format!("complete {line}")]);
    }
    let script: Vec<&str> = script.iter().map(String::as_str).collect();
    let (stdout, stderr) = gdb(&script);
    for ((line, expected), offered) in cases.iter().zip(stdout.split("====\n").skip(1)) {
        let mut offered: Vec<&str> =
            offered.lines().take_while(|line| !line.starts_with('[')).collect();
        offered.sort_unstable();
        assert_eq!(offered, *expected, "{line:?}: {stderr}");
    }
    // Without a process there are no names, and no error either.
    let (stdout, stderr) = gdb(&["complete info mpi-queues -comm M"]);
    assert_eq!((stdout.as_str(), stderr.as_str()), ("", ""));
}

#[test]
fn help_texts() {
    let cases = [
        (
            "info mpi-queues",
            "Usage: info mpi-queues [-comm NAME] [-queue sends|receives|unexpected] [-rank N] \
             [-tag N]",
        ),
        ("info mpi-communicators", "Usage: info mpi-communicators"),
        ("mqd", "mqd attach-job -- Debug all ranks of an MPI job."),
        ("mqd check", "Usage: mqd check"),
        ("mqd dump", "Usage: mqd dump -json FILE"),
        ("mqd graph", "Usage: mqd graph FILE"),
        ("mqd attach-job", "Usage: mqd attach-job LAUNCHER_PID"),
        ("set mqd dll", "A DLL runs inside gdb"),
        ("show mqd dll", "Show the debug DLL"),
        (
            "function _mpi_pending_receives",
            "how many pending receives there are in the selected process.",
        ),
        ("function _mpi_pending_sends", "how many pending sends there are"),
        ("function _mpi_unexpected_messages", "how many unexpected messages there are"),
    ];
    let script: Vec<String> = cases
        .iter()
        .flat_map(|(name, _)| ["echo ====\\n".to_owned(), format!("help {name}")])
        .collect();
    let script: Vec<&str> = script.iter().map(String::as_str).collect();
    let (stdout, stderr) = gdb(&script);
    for ((name, expected), shown) in cases.iter().zip(stdout.split("====\n").skip(1)) {
        assert!(shown.contains(expected), "{name}: {shown}{stderr}");
    }
}

/// The second time everything is loaded again, and still works.
#[test]
fn sourced_twice() {
    let scenario = Scenario::start("receives", 3, &[], &[]);
    scenario.live();
    let attach = attach(&scenario);
    let (stdout, stderr) =
        gdb(&[&attach, "info mpi-communicators", &script(), "info mpi-queues", &attach]);
    assert!(stdout.contains("3 processes read: "), "{stdout}{stderr}");
    // Nothing of the script is among the user's variables.
    let (stdout, stderr) = gdb(&["python print(sorted(set(globals()) & {'os', 'mqd_gdb', \
                                  '_load_mqd', 'register'}))"]);
    assert_eq!(stdout, "[]\n", "{stderr}");
}

/// gdb loads the commands with the runtime's library, from directories that it trusts; each file
/// once, however many processes there are.
#[test]
fn loaded_by_gdb_itself() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let program = compile(directory.path(), ROUNDS);
    let trust = format!("add-auto-load-safe-path {}", prefix().directory.display());
    let commands = [
        "break round_done",
        "run",
        "show mqd dll",
        "info mpi-queues",
        "info auto-load python-scripts",
    ];
    let by_itself = |trust: &str| {
        let mut gdb = command("gdb");
        gdb.args(["-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", trust])
            .arg(&program);
        run_gdb(&mut gdb, &commands)
    };
    let (stdout, stderr) = by_itself(&trust);
    assert!(
        stdout.contains(&format!(
            "mqd's own, {}",
            prefix().directory.join("lib/libmqd.so").display()
        )),
        "{stdout}{stderr}"
    );
    assert!(
        stdout
            .contains("1 process read: 0 pending sends, 1 pending receive, 0 unexpected messages"),
        "{stdout}{stderr}"
    );
    assert!(stdout.contains("lib/libmpi_abi.so.1-gdb.py"), "{stdout}{stderr}");
    let (_, stderr) = by_itself("set auto-load safe-path /nonexistent");
    assert!(stderr.contains("auto-loading has been declined"), "{stderr}");
}
