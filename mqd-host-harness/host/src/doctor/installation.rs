//! Which package installed this program, and which debuggers on this machine find its parts.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::Checks;
use crate::dll;
use crate::programs::in_path;

/// The debuggers that load debug DLLs, and the commands that start them.
const DEBUGGERS: [(&str, &[&str]); 2] =
    [("TotalView", &["totalview", "tv8"]), ("DDT", &["ddt", "forge"])];

/// What dpkg knows of a package's files, and of the packages.
const DPKG_FILES: &str = "/var/lib/dpkg/info/mqd.list";
const DPKG_STATUS: &str = "/var/lib/dpkg/status";

/// Where the script for gdb may be, relative to the directory of the program.
const GDB_SCRIPTS: [&str; 2] = ["../share/mqd/gdb/mqd.py", "../../gdb/mqd.py"];

/// How this program was installed, and which debuggers there are.
pub(super) fn of_this_program(checks: &mut Checks) {
    let program = std::env::current_exe().and_then(|program| program.canonicalize());
    let Ok(program) = program else { return };
    checks.ok("installation", package(&program));
    gdb(checks, &program);
    for (name, commands) in DEBUGGERS {
        if let Some(debugger) = commands.iter().find_map(|command| in_path(command)) {
            let found = format!(
                "{}; it loads the debug DLL that the MPI library names: `mqd doctor --job \
                 LAUNCHER` shows which",
                debugger.display()
            );
            checks.ok(name, found);
        }
    }
}

/// The package that has installed a program, with its version.
fn package(program: &Path) -> String {
    debian(program)
        .or_else(|| wheel(program))
        .or_else(|| cargo(program))
        .or_else(|| prefix(program))
        .unwrap_or_else(|| format!("one file, {}", program.display()))
}

fn debian(program: &Path) -> Option<String> {
    let files = fs::read_to_string(DPKG_FILES).ok()?;
    files.lines().any(|file| Path::new(file) == program).then(|| {
        let status = fs::read_to_string(DPKG_STATUS).unwrap_or_default();
        format!("the Debian package mqd{}", debian_version(&status).unwrap_or_default())
    })
}

/// The version of the package `mqd` in dpkg's status file, with a space before it.
fn debian_version(status: &str) -> Option<String> {
    let package = status.split("\n\n").find(|package| package.starts_with("Package: mqd\n"))?;
    let version = package.lines().find_map(|line| line.strip_prefix("Version: "))?;
    Some(format!(" {version}"))
}

/// `bin/mqd` of a Python environment: its `lib/pythonX.Y/site-packages` has `mqd-V.dist-info`.
fn wheel(program: &Path) -> Option<String> {
    let environment = program.parent()?.parent()?;
    let pythons = fs::read_dir(environment.join("lib")).ok()?.flatten();
    let mut packages = pythons.flat_map(|python| {
        fs::read_dir(python.path().join("site-packages")).into_iter().flatten().flatten()
    });
    packages.find_map(|package| {
        let name = package.file_name().into_string().ok()?;
        let version = name.strip_prefix("mqd-")?.strip_suffix(".dist-info")?;
        Some(format!("the Python package mqd {version}, in {}", environment.display()))
    })
}

/// `cargo install` keeps a list of the programs beside their folder.
fn cargo(program: &Path) -> Option<String> {
    let home = program.parent()?.parent()?;
    let listed = fs::read_to_string(home.join(".crates.toml")).ok()?;
    let line = listed.lines().find_map(|line| line.strip_prefix("\"mqd "))?;
    Some(format!("cargo install, mqd {}", line.split_whitespace().next()?))
}

fn prefix(program: &Path) -> Option<String> {
    let prefix = program.parent()?.parent()?;
    let version = env!("CARGO_PKG_VERSION");
    prefix
        .join("share/mqd")
        .is_dir()
        .then(|| format!("a prefix with mqd {version}, {}", prefix.display()))
}

/// gdb, and the script with our commands for it.
fn gdb(checks: &mut Checks, program: &Path) {
    let Some(gdb) = in_path("gdb") else { return };
    let version = version_of(&gdb).unwrap_or_else(|| gdb.display().to_string());
    let script = program.parent().and_then(|directory| {
        let mut scripts = GDB_SCRIPTS.iter().map(|script| directory.join(script));
        scripts.find_map(|script| script.canonicalize().ok())
    });
    match script {
        Some(script) => {
            checks.ok("gdb", format!("{version}; its commands: source {}", script.display()));
        }
        None => checks.ok(
            "gdb",
            format!(
                "{version}; its commands are not beside this mqd: the tarball, the package \
                     libmqd and the wheel have them"
            ),
        ),
    }
}

/// The first line of `gdb --version`.
fn version_of(gdb: &Path) -> Option<String> {
    let mut command = Command::new(gdb);
    let output = command.arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().map(str::to_owned)
}

/// Which debug DLL other debuggers will load for a target.
pub(super) fn of_other_debuggers(checks: &mut Checks, target: &mqd_inspect::process::Target) {
    const NAME: &str = "other debuggers";
    let own = match dll::own_dll() {
        Some(own) if own.file_name().is_some_and(|name| name == "libmqd.so") => {
            own.display().to_string()
        }
        _ => "the file that `mqd install-dll DIR` writes".to_owned(),
    };
    let found = match dll::named(target) {
        Err(error) => format!("which debug DLL they load is not known: {error}"),
        Ok(None) => {
            format!("the MPI library names no debug DLL; choose {own} in the debugger")
        }
        Ok(Some(path)) if !path.is_file() => format!(
            "the MPI library names {}, which is not there; choose {own} in the debugger",
            path.display()
        ),
        Ok(Some(path)) if dll::is_own(&path) => format!("they load {}, ours", path.display()),
        Ok(Some(path)) => {
            format!(
                "they load {}, which the MPI library names; for ours, choose {own} in the debugger",
                path.display()
            )
        }
    };
    checks.ok(NAME, found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_that_dpkg_has() {
        let status = "Package: mqd-mpi\nVersion: 9\n\nPackage: mqd\nStatus: ok\nVersion: 0.2.0-1\n";
        assert_eq!(debian_version(status).as_deref(), Some(" 0.2.0-1"));
        assert_eq!(debian_version("Package: mqdx\nVersion: 9\n"), None);
    }

    #[test]
    fn packages_by_what_lies_around_the_program() {
        let directory = tempfile::tempdir().unwrap();
        let make = |path: &str, text: Option<&str>| {
            let path = directory.path().join(path);
            match text {
                None => fs::create_dir_all(&path).unwrap(),
                Some(text) => {
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(&path, text).unwrap();
                }
            }
        };
        let told = |prefix: &str| package(&directory.path().join(prefix).join("bin/mqd"));
        make("wheel/lib/python3.9/site-packages/mqd-0.2.0.dist-info", None);
        assert!(
            told("wheel").starts_with("the Python package mqd 0.2.0, in "),
            "{}",
            told("wheel")
        );
        let line = "[v1]\n\"mqd 0.2.0 (path+file:///src)\" = [\"mqd\"]\n";
        make("cargo/.crates.toml", Some(line));
        assert_eq!(told("cargo"), "cargo install, mqd 0.2.0");
        make("prefix/share/mqd", None);
        assert!(told("prefix").starts_with("a prefix with mqd "), "{}", told("prefix"));
        assert!(told("nothing").starts_with("one file, "), "{}", told("nothing"));
    }
}
