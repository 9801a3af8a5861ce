//! Checks what reading queues needs: of this machine, of a job's launcher, of a process, core file
//! or snapshot.

mod installation;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::process::{Resource, geteuid, getrlimit};
use serde::Serialize;

use crate::dll::{self, Candidate, Dll};
use crate::dump::{self, Dumper};
use crate::job::{self, Job};
use crate::outcome::Outcome;
use crate::request::{Options, Request};
use crate::snapshot::Place;
use crate::tables::{self, Shelf};
use mqd_inspect::process::Target;
use mqd_report::{Extent, Problem};

/// Where the kernel says who may trace whom (Yama).
const PTRACE_SCOPE: &str = "/proc/sys/kernel/yama/ptrace_scope";
/// Where the kernel says what happens to core files.
const CORE_PATTERN: &str = "/proc/sys/kernel/core_pattern";

/// Something that reading queues needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked: `this machine`, or a launcher, process, core file or snapshot.
    pub subject: String,
    /// The name of the check.
    pub name: &'static str,
    /// The result.
    pub state: State,
    /// What was found.
    pub found: String,
    /// What to do if it is missing.
    pub fix: Option<String>,
}

/// Whether something is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is.
    Ok,
    /// It is not.
    Missing,
}

/// Collects the checks of one subject.
struct Checks {
    subject: String,
    list: Vec<Check>,
}

impl Checks {
    fn of(subject: impl Into<String>) -> Checks {
        Checks { subject: subject.into(), list: Vec::new() }
    }

    fn ok(&mut self, name: &'static str, found: impl Into<String>) {
        self.add(name, State::Ok, found.into(), None);
    }

    fn missing(&mut self, name: &'static str, found: impl Into<String>, fix: impl Into<String>) {
        self.add(name, State::Missing, found.into(), Some(fix.into()));
    }

    /// Something is wrong. The text of the error says what to do.
    fn failed(&mut self, name: &'static str, error: impl Into<String>) {
        self.add(name, State::Missing, error.into(), None);
    }

    fn add(&mut self, name: &'static str, state: State, found: String, fix: Option<String>) {
        self.list.push(Check { subject: self.subject.clone(), name, state, found, fix });
    }
}

/// What this machine has, whatever the target.
pub fn machine() -> Vec<Check> {
    let mut checks = Checks::of("this machine");
    installation::of_this_program(&mut checks);
    tracing(
        &mut checks,
        fs::read_to_string(PTRACE_SCOPE).ok().as_deref().map(str::trim),
        geteuid().is_root(),
    );
    match dll::own_dll() {
        None => checks.missing(
            "debug DLL",
            "there is no libmqd.so beside mqd, nor in ../lib",
            "install both in one prefix (bin/mqd, lib/libmqd.so), or name a debug DLL with --dll",
        ),
        Some(path) => match Dll::load(&Candidate::own(path.clone())) {
            Ok(dll) => checks.ok("debug DLL", format!("{}: {}", path.display(), dll.version())),
            Err(error) => {
                checks.missing("debug DLL", error.to_string(), "install the libmqd.so of this mqd")
            }
        },
    }
    layout_tables(&mut checks);
    let pattern = fs::read_to_string(CORE_PATTERN).unwrap_or_default();
    core_files(&mut checks, pattern.trim(), getrlimit(Resource::Core).current);
    checks.list
}

/// `scope` is none on a kernel without Yama.
fn tracing(checks: &mut Checks, scope: Option<&str>, root: bool) {
    const NAME: &str = "permission to trace";
    let sysctl = "as root: sysctl kernel.yama.ptrace_scope=0; or run mqd as root";
    match (scope, root) {
        (Some("3"), _) => checks.missing(
            NAME,
            format!("attaching is switched off until the next boot ({PTRACE_SCOPE} is 3)"),
            "read core files instead (gcore cannot attach either; a crash or SIGABRT leaves one)",
        ),
        (_, true) => checks.ok(
            NAME,
            "root may trace every process, unless a container forbids it: mqd doctor --pid PID \
             tries it",
        ),
        (Some("2"), false) => {
            checks.missing(NAME, format!("only root may trace ({PTRACE_SCOPE} is 2)"), sysctl)
        }
        (Some("1"), false) => {
            let found =
                format!("only processes that permit it, and descendants ({PTRACE_SCOPE} is 1)");
            let fix = format!("{sysctl}; mqd guard -- COMMAND can read the job that it starts");
            checks.missing(NAME, found, fix);
        }
        _ => checks.ok(NAME, "this user may trace its own processes"),
    }
}

fn layout_tables(checks: &mut Checks) {
    let Shelf { entries, mut warnings } = Shelf::load();
    warnings.extend(
        entries
            .iter()
            .filter_map(|entry| Some(format!("{}: {}", entry.origin(), entry.table().err()?))),
    );
    if warnings.is_empty() {
        let names: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
        checks.ok("layout tables", names.join(", "));
    } else {
        let fix = format!(
            "correct or remove it in the directory that {} names",
            tables::DIRECTORY_VARIABLE
        );
        checks.missing("layout tables", warnings.join("; "), fix);
    }
}

/// `limit`: bytes of a core file, none without a limit.
fn core_files(checks: &mut Checks, pattern: &str, limit: Option<u64>) {
    const NAME: &str = "core files";
    match (pattern.strip_prefix('|'), limit) {
        (Some(program), _) => {
            let program = program.split_whitespace().next().unwrap_or(program);
            let mut found = format!("the kernel gives them to {program}");
            if Path::new(program).file_name().is_some_and(|name| name == "systemd-coredump") {
                found.push_str("; `coredumpctl dump PID -o FILE` gets one back");
            }
            checks.ok(NAME, found);
        }
        (None, Some(0)) => checks.missing(
            NAME,
            "processes that crash leave none: their size is limited to 0 here",
            "ulimit -c unlimited, before mpiexec; gcore PID makes one of a process that hangs",
        ),
        (None, _) if pattern.is_empty() => checks.missing(
            NAME,
            format!("processes that crash leave none: {CORE_PATTERN} is empty"),
            format!("as root: echo core.%p > {CORE_PATTERN}"),
        ),
        (None, limit) => {
            let mut found = match pattern.starts_with('/') {
                true => format!("at {pattern}"),
                false => format!("in the working directory of the process, as {pattern}"),
            };
            if let Some(limit) = limit {
                let _ = write!(found, ", cut at {limit} bytes");
            }
            checks.ok(NAME, found);
        }
    }
}

/// The launcher of a job, and one of its processes on this machine.
pub fn launcher(pid: u32, options: &Options) -> Vec<Check> {
    const NAME: &str = "launcher";
    let mut checks = Checks::of(format!("launcher {pid}"));
    match job::members(pid) {
        Err(error) => checks.failed(NAME, error.to_string()),
        Ok(Job { members, remarks, .. }) => {
            let here: Vec<_> =
                members.iter().filter(|member| job::is_this_host(&member.host)).collect();
            let how = if remarks.is_empty() {
                "by MPIR_proctable".to_owned()
            } else {
                remarks.join("; ")
            };
            let found =
                format!("{} ranks, {} of them on this machine; {how}", members.len(), here.len());
            match here.first() {
                Some(member) => {
                    checks.ok(NAME, found);
                    checks.list.extend(process(&Request::Member((*member).clone()), options));
                }
                None => checks.missing(NAME, found, "run mqd on the machines of the ranks"),
            }
        }
    }
    checks.list
}

/// A snapshot, and its first process that can be read again.
pub fn snapshot(path: &Path, options: &Options) -> Vec<Check> {
    const NAME: &str = "snapshot";
    let mut checks = Checks::of(path.display().to_string());
    let snapshot = match options.snapshots.open(path) {
        Ok(snapshot) => snapshot,
        Err(error) => {
            checks.failed(NAME, error.to_string());
            return checks.list;
        }
    };
    let processes = snapshot.processes();
    let captured = snapshot.head().map_or("at an unknown time".to_owned(), |head| {
        let time = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(head.captured));
        // The library knows years of four digits.
        let time =
            time.filter(|_| head.captured < 253_402_300_800).map(humantime::format_rfc3339_seconds);
        let redacted = if head.redacted { ", redacted" } else { "" };
        format!(
            "{}{redacted}",
            time.map_or("at an unknown time".to_owned(), |time| time.to_string())
        )
    });
    let entries = snapshot.entries();
    let again = entries.iter().filter(|(_, entry)| entry.can_be_read()).count();
    let found = match processes {
        1 => format!("1 process, captured {captured}"),
        _ => format!("{processes} processes, captured {captured}"),
    };
    let found = match processes - again {
        0 => found,
        1 => format!("{found}; 1 has only a report"),
        others => format!("{found}; {others} of them have only a report"),
    };
    match snapshot
        .damage()
        .first()
        .map(|damage| format!("damaged from byte {} on: {}", damage.at, damage.what))
    {
        None => checks.ok(NAME, found),
        Some(damage) => checks.missing(
            NAME,
            format!("{found}; {damage}"),
            "copy it again from where it was captured",
        ),
    }
    if let Some((process, entry)) = entries.iter().find(|(_, entry)| entry.can_be_read()) {
        let place = Place { file: path.to_owned(), process: *process, rank: entry.process.rank };
        checks.list.extend(self::process(&Request::Captured(place), options));
    }
    checks.list
}

/// A process or core file. A live process is stopped meanwhile, as for a dump, and runs on.
pub fn process(request: &Request, options: &Options) -> Vec<Check> {
    let mut checks = Checks::of(match request {
        Request::Pid(pid) => format!("process {pid}"),
        Request::Core(path) => path.display().to_string(),
        Request::Member(member) => format!("rank {} (process {})", member.rank, member.pid),
        Request::Captured(place) => format!("{}, process {}", place.file.display(), place.process),
    });
    let what = if matches!(request, Request::Core(_)) { "core file" } else { "process" };
    let target = match dump::open(request, options) {
        Ok(target) => target,
        Err(error) => {
            checks.failed(what, error.to_string());
            return checks.list;
        }
    };
    checks.ok(what, format!("opened, with {} files", target.images().len()));
    let known = library(&mut checks, &target);
    if known && target.recording().is_none() {
        installation::of_other_debuggers(&mut checks, &target);
    }
    // A user who names a DLL may know of an MPI library that we do not know.
    if known || options.dll.is_some() {
        queues(&mut checks, &Dumper::new(options.clone()).dump_opened(request, target));
    }
    checks.list
}

/// The MPI library and its types. Returns whether there is one.
fn library(checks: &mut Checks, target: &Target) -> bool {
    const NAME: &str = "MPI library";
    let image = dll::library(target).and_then(|index| target.images().get(index));
    let Some(image) = image else {
        let fix = "give the process id of a rank, not of a shell or launcher; for a core file its \
                   program, with --exe";
        checks.missing(NAME, "there is none in the process: no symbol of one was found", fix);
        return false;
    };
    let known = match tables::identify(target) {
        Some((name, Some(version))) => format!(", {name} {version}"),
        Some((name, None)) => format!(", {name}"),
        None => String::new(),
    };
    checks.ok(NAME, format!("{}{known}", image.path().display()));

    if let Some(recording) = target.recording() {
        let known = recording.types.values().flatten().count();
        checks.ok("types", format!("those that were asked for when it was captured: {known}"));
        return true;
    }
    let shelf = Shelf::load();
    if image.has_types() {
        checks.ok("types", "debug information of the library");
    } else if let Some(choice) = tables::choose(&shelf, target) {
        checks.ok("types", format!("layout table {}: {}", choice.entry.name, choice.reason));
    } else if let Some(names) = tables::of_unknown_release(&shelf, target) {
        let found = "the library does not tell its release; the debug DLL takes the one that fits";
        checks.ok("types", format!("layout tables {names}: {found}"));
    } else {
        checks.missing(
            "types",
            "there is no debug information of the library, and no layout table for it",
            "install its debug symbols, name their directory with --debug-dir, set \
             DEBUGINFOD_URLS, or make a table (mqd layout extract)",
        );
    }
    true
}

/// The result of a dump.
fn queues(checks: &mut Checks, outcome: &Outcome) {
    const NAME: &str = "queues";
    let Outcome { process, extent, warnings, cost, .. } = outcome;
    if !cost.sources.is_empty() {
        checks.ok("transport", cost.sources.join("; "));
    }
    let dll = cost.dll.as_ref().map(|path| format!(", by {}", path.display())).unwrap_or_default();
    let found =
        format!("{} communicators, {} operations{dll}", cost.communicators, cost.operations);
    match extent {
        Extent::Complete => checks.ok(NAME, found),
        Extent::Partial => {
            checks.failed(NAME, format!("{found}, in part: {}", Problem::one_line(&process.errors)))
        }
        Extent::Unreadable | Extent::NoQueues => {
            checks.failed(NAME, Problem::one_line(&process.errors))
        }
    }
    if !warnings.is_empty() {
        checks.failed("files", warnings.join("; "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(check: impl FnOnce(&mut Checks)) -> (State, String) {
        let mut checks = Checks::of("test");
        check(&mut checks);
        let [Check { state, found, fix, .. }] = &checks.list[..] else {
            panic!("{:?}", checks.list)
        };
        assert_eq!(*state == State::Missing, fix.is_some(), "what is missing has a fix: {found}");
        (*state, found.clone())
    }

    #[test]
    fn permission_by_scope_and_user() {
        let cases = [
            (None, false, State::Ok),
            (Some("0"), false, State::Ok),
            (Some("1"), false, State::Missing),
            (Some("1"), true, State::Ok),
            (Some("2"), false, State::Missing),
            (Some("2"), true, State::Ok),
            (Some("3"), true, State::Missing),
        ];
        for (scope, root, expected) in cases {
            assert_eq!(
                one(|checks| tracing(checks, scope, root)).0,
                expected,
                "{scope:?}, root: {root}"
            );
        }
    }

    #[test]
    fn core_files_by_pattern_and_limit() {
        let cases = [
            ("core", None, State::Ok, "in the working directory of the process, as core"),
            (
                "core.%p",
                Some(4096),
                State::Ok,
                "in the working directory of the process, as core.%p, cut at 4096 bytes",
            ),
            ("/var/cores/%p", None, State::Ok, "at /var/cores/%p"),
            (
                "core",
                Some(0),
                State::Missing,
                "processes that crash leave none: their size is limited to 0 here",
            ),
            (
                "",
                None,
                State::Missing,
                "processes that crash leave none: /proc/sys/kernel/core_pattern is empty",
            ),
            (
                "|/lib/systemd/systemd-coredump %P %u",
                Some(0),
                State::Ok,
                "the kernel gives them to /lib/systemd/systemd-coredump; `coredumpctl dump PID -o \
                 FILE` gets one back",
            ),
        ];
        for (pattern, limit, state, found) in cases {
            assert_eq!(one(|checks| core_files(checks, pattern, limit)), (state, found.to_owned()));
        }
    }
}
