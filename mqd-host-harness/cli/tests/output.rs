//! What reaches terminals and files. Names of the job are only text, and a file is either complete
//! or not there.

mod support;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use support::mqd;
use support::toy_run::Toy;

/// Sequences that a terminal would obey: a title, a cleared screen, a bell, text from right to
/// left, a second line. A spreadsheet would take the text for a formula.
const HOSTILE: &str = "=1+1\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\u{202e}\r\nmqd: all is well";

/// Fields whose values are not names or texts of the job.
const FIXED: [&str; 7] =
    ["schema_version", "kind", "status", "unique_id", "buffer", "not_known", "rank"];

/// Puts hostile text into every name and text of a report.
fn poison(value: &mut Value) {
    match value {
        Value::String(text) => *text = format!("{HOSTILE} {text}"),
        Value::Array(values) => values.iter_mut().for_each(poison),
        Value::Object(fields) => {
            let texts = fields.iter_mut().filter(|(name, _)| !FIXED.contains(&name.as_str()));
            texts.for_each(|(_, value)| poison(value));
        }
        _ => {}
    }
}

fn hostile_report(directory: &Path) -> String {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../report/tests/golden/report.json");
    let mut report: Value = serde_json::from_slice(&fs::read(golden).unwrap()).unwrap();
    poison(&mut report);
    let text = report.to_string();
    assert!(text.matches("=1+1").count() > 10, "{text}");
    let file = directory.join("hostile.json");
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

/// Without the sequences that set colours and styles.
fn without_styles(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(part.len());
        match part[end..].strip_prefix('m') {
            Some(rest) => plain.push_str(rest),
            None => plain.extend(["\u{1b}[", part]),
        }
    }
    plain
}

#[test]
fn a_terminal_obeys_no_name_of_the_job() {
    let directory = tempfile::tempdir().unwrap();
    let report = hostile_report(directory.path());
    let mqd = env!("CARGO_BIN_EXE_mqd");
    for arguments in ["dump", "stacks", "check", "graph --format dot", "doctor"] {
        // script(1) gives mqd a terminal as standard output and standard error.
        let line = format!("{mqd} {arguments} {report}");
        let output = Command::new("script")
            .args(["--quiet", "--return", "--command", &line, "/dev/null"])
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        if arguments != "doctor" {
            assert!(text.contains("=1+1"), "{arguments}: {text:?}");
        }
        // The terminal turns each end of a line into two characters.
        let plain = without_styles(&text).replace("\r\n", "\n");
        let obeyed = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert_eq!(plain.find(obeyed), None, "{arguments}: {plain:?}");
        assert!(!plain.contains("\nmqd: all is well"), "{arguments}: {plain}");
    }
}

#[test]
fn a_spreadsheet_computes_no_name_of_the_job() {
    let directory = tempfile::tempdir().unwrap();
    let report = hostile_report(directory.path());
    for arguments in [["dump", "--format", "csv"], ["graph", "--format", "csv"]] {
        let run = mqd::run(arguments.into_iter().chain([report.as_str()]));
        let mut cells = 0;
        for record in csv::Reader::from_reader(run.stdout.as_bytes()).records() {
            for cell in &record.unwrap() {
                assert!(!cell.starts_with(['=', '@', '\t', '\r']), "{arguments:?}: {cell:?}");
                cells += usize::from(cell.starts_with("'=1+1"));
            }
        }
        assert!(cells > 0, "{arguments:?}: {run:?}");
    }
}

/// Files in a directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_file_that_cannot_be_written_is_not_left() {
    let directory = tempfile::tempdir().unwrap();
    let report = hostile_report(directory.path());
    let output = tempfile::tempdir().unwrap();
    let mqd = env!("CARGO_BIN_EXE_mqd");
    for (command, file) in [("graph", "job.html"), ("dump", "report.txt"), ("capture", "job.mqd")] {
        // A file may have 512 bytes at most, as if the disk were full. Without the trap the kernel
        // would end mqd by a signal.
        let path = output.path().join(file);
        let line =
            format!("trap '' XFSZ; ulimit -f 1; {mqd} {command} {report} -o {}", path.display());
        let status = Command::new("sh").args(["-c", &line]).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(1), "{command}");
        assert_eq!(names(output.path()), Vec::<String>::new(), "{command}");
        // What was there before stays.
        fs::write(&path, "precious").unwrap();
        Command::new("sh").args(["-c", &line]).stderr(Stdio::null()).status().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious", "{command}");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_signal_leaves_no_file() {
    let mut toy = Toy::start();
    let endless = toy.workshop.dll(&["TOY_ENDLESS_OPERATIONS"]);
    let output = tempfile::tempdir().unwrap();
    for command in ["dump", "capture"] {
        let mut command_line = mqd::command();
        command_line.args([command, "--pid", &toy.pid(), "--dll"]).arg(&endless);
        if command == "dump" {
            command_line.args(["--max-operations", "100000000000"]);
        }
        command_line.arg("-o").arg(output.path().join("file"));
        let mut child = command_line.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let status = format!("/proc/{}/status", toy.pid());
        while fs::read_to_string(&status).unwrap().contains("TracerPid:\t0\n") {
            assert_eq!(child.try_wait().unwrap(), None, "mqd ended too early");
        }
        child.kill().unwrap();
        assert!(child.wait().unwrap().signal().is_some());
        assert_eq!(names(output.path()), Vec::<String>::new(), "{command}");
        toy.process.assert_running();
    }
    toy.process.finish();
}

#[test]
fn files_keep_their_links_and_modes() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let directory = tempfile::tempdir().unwrap();
    let report = hostile_report(directory.path());
    let (file, link) = (directory.path().join("file"), directory.path().join("link"));
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    symlink("file", &link).unwrap();
    let run = mqd::run(["graph", "--format", "dot", &report, "-o", link.to_str().unwrap()]);
    assert_ne!(run.code, Some(1), "{run:?}");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&file).unwrap().starts_with("digraph"));
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
}

/// Several `mqd` at once wait for each other: only one can have a process.
#[test]
fn several_at_once() {
    let toy = Toy::start();
    let start = || {
        let mut command = mqd::command();
        command.args(["dump", "--dll", &toy.dll, "--pid", &toy.pid()]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    for _ in 0..4 {
        let running: Vec<_> = (0..8).map(|_| start()).collect();
        for child in running {
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{output:?}");
        }
    }
}
