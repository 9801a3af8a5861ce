//! A DLL that a process names runs with the rights of gdb's user. It is loaded only if nobody else
//! can have written it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use mqd_tests::{command, run, text};
use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
use nix::sys::stat::Mode;
use nix::unistd::{geteuid, mkfifo};
use tempfile::TempDir;
use testkit::workspace::target;

use super::gdb;

/// A user who does not run the tests.
const SOMEBODY: u32 = 65534;

/// A library that leaves a mark when it is loaded.
const LIBRARY: &str = "
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void loaded(void)
{
    close(open(MARK, O_CREAT | O_WRONLY, 0666));
}
";

/// A program that names a debug DLL, as an MPI library does.
const PROGRAM: &str = "
char MPIR_dll_name[4096] = DLL;
int main(void)
{
    return MPIR_dll_name[0] == 0;
}
";

/// A directory with a program, and the directory of the DLL that the program names.
struct Named {
    directory: TempDir,
    program: PathBuf,
    dll: PathBuf,
}

impl Named {
    /// Not below `/tmp`, where gdb as root trusts nothing.
    fn new() -> Named {
        let directory = tempfile::tempdir_in(target()).expect("the target directory is writable");
        let program = directory.path().join("program");
        let dll = directory.path().join("libraries/libnamed.so");
        fs::create_dir(directory.path().join("libraries")).expect("the directory is writable");
        cc(PROGRAM, &program, &["-g", &format!("-DDLL=\"{}\"", dll.display())]);
        Named { directory, program, dll }
    }

    /// Compiles a library, and returns the file that it makes when it is loaded.
    fn library(&self, library: &Path, name: &str) -> PathBuf {
        let mark = self.directory.path().join(name);
        cc(LIBRARY, library, &["-shared", "-fPIC", &format!("-DMARK=\"{}\"", mark.display())]);
        mark
    }

    /// What gdb says when it reads the queues of the program.
    fn read(&self) -> String {
        let file = format!("file {}", self.program.display());
        let (stdout, stderr) = gdb(&[&file, "start", "info mpi-queues", "print 6 * 7"]);
        assert!(stdout.contains(" = 42"), "{stdout}{stderr}");
        // Our own DLL is asked in any case.
        assert!(stderr.contains("libmqd.so: mqs_image_has_queues failed"), "{stdout}{stderr}");
        stderr
    }
}

fn cc(source: &str, output: &Path, options: &[&str]) {
    let file = output.with_extension("c");
    fs::write(&file, source).expect("the directory is writable");
    let (code, _, stderr) = run(command("cc").args(options).arg(&file).args(["-o", text(output)]));
    assert_eq!(code, 0, "{stderr}");
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

#[test]
fn what_others_can_have_written_is_not_loaded() {
    let named = Named::new();
    let mark = named.library(&named.dll, "mark");
    let libraries = named.dll.parent().expect("a directory");
    let refused = |why: &str| {
        let stderr = named.read();
        let expected = format!("{}, which is not loaded since {why}", named.dll.display());
        assert!(stderr.contains(&expected), "{expected}: {stderr}");
        assert!(!mark.exists(), "{why}: it was loaded");
    };

    set_mode(&named.dll, 0o757);
    refused("anybody can write to it");
    set_mode(&named.dll, 0o755);
    set_mode(libraries, 0o777);
    refused(&format!("anybody can write to the directory {}", libraries.display()));
    set_mode(libraries, 0o755);

    // Only root can give files to others.
    if geteuid().is_root() {
        chown(&named.dll, Some(SOMEBODY), None).expect("root can");
        refused(&format!("it belongs to another user (uid {SOMEBODY})"));
        chown(&named.dll, Some(0), Some(SOMEBODY)).expect("root can");
        set_mode(&named.dll, 0o775);
        refused(&format!("everybody in group {SOMEBODY} can write to it"));
        chown(&named.dll, Some(0), Some(0)).expect("root can");
        chown(libraries, Some(SOMEBODY), None).expect("root can");
        let directory = libraries.display();
        refused(&format!("the directory {directory} belongs to another user (uid {SOMEBODY})"));
        chown(libraries, Some(0), None).expect("root can");
        // Others cannot replace it there, but gdb as root does not trust such directories.
        set_mode(libraries, 0o1777);
        refused(&format!("anybody can write to the directory {directory}"));
        set_mode(libraries, 0o755);
    }

    // The same file is loaded when nobody else can have written it.
    let stderr = named.read();
    assert!(stderr.contains("libnamed.so is not a debug DLL for message queues"), "{stderr}");
    assert!(mark.exists(), "{stderr}");
}

/// Opening a pipe would wait for a writer.
#[test]
fn what_is_no_file_is_refused() {
    let named = Named::new();
    mkfifo(&named.dll, Mode::S_IRUSR | Mode::S_IWUSR).expect("the directory is writable");
    let stderr = named.read();
    assert!(stderr.contains("which is not loaded since it is not a regular file"), "{stderr}");
    let set = format!("set mqd dll {}", named.dll.display());
    let (_, stderr) =
        gdb(&[&format!("file {}", named.program.display()), "start", &set, "info mpi-queues"]);
    let expected =
        format!("cannot load the debug DLL {}: it is not a regular file", named.dll.display());
    assert!(stderr.contains(&expected), "{stderr}");

    fs::remove_file(&named.dll).expect("it is ours");
    symlink("/dev/zero", &named.dll).expect("the directory is writable");
    let stderr = named.read();
    assert!(stderr.contains("which is not loaded since it is not a regular file"), "{stderr}");

    fs::remove_file(&named.dll).expect("it is ours");
    let stderr = named.read();
    let expected =
        format!("cannot load the debug DLL {}: No such file or directory", named.dll.display());
    assert!(stderr.contains(&expected), "{stderr}");
}

/// Reads the queues again and again, with another name for the same file each time, because the
/// dynamic linker recognises loaded libraries by name.
const ATTEMPTS: &str = r#"
name = gdb.parse_and_eval("&MPIR_dll_name")
directory, _, file = name.dereference().string().rpartition("/")
for attempt in range(300):
    path = directory + "/" + "./" * attempt + file
    gdb.selected_inferior().write_memory(int(name), path.encode() + b"\0")
    try:
        gdb.execute("info mpi-queues")
    except gdb.error as error:
        gdb.write(str(error) + "\n", gdb.STDERR)
"#;

/// Another file may take the place of the DLL at any moment. The file that was checked must be the
/// one that is loaded.
#[test]
fn a_file_that_is_swapped_is_not_loaded() {
    let named = Named::new();
    let good = named.library(&named.dll, "good");
    let other = named.dll.with_file_name("libother.so");
    let evil = named.library(&other, "evil");
    if geteuid().is_root() {
        chown(&other, Some(SOMEBODY), Some(SOMEBODY)).expect("root can");
    } else {
        set_mode(&other, 0o757);
    }
    let attempts = named.directory.path().join("attempts.py");
    fs::write(&attempts, ATTEMPTS).expect("the directory is writable");
    let attempts = format!("source {}", attempts.display());
    let done = AtomicBool::new(false);
    let stderr = std::thread::scope(|scope| {
        let swapping = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let exchange = RenameFlags::RENAME_EXCHANGE;
                renameat2(AT_FDCWD, &named.dll, AT_FDCWD, &other, exchange)
                    .expect("the file system can exchange files");
            }
        });
        let (_, stderr) = gdb(&[&format!("file {}", named.program.display()), "start", &attempts]);
        done.store(true, Ordering::Relaxed);
        swapping.join().expect("the files can be exchanged");
        stderr
    });
    assert!(!evil.exists(), "a file was loaded that another user can have written: {stderr}");
    // Both files were there when gdb looked.
    assert!(good.exists(), "{stderr}");
    assert!(stderr.contains("which is not loaded since "), "{stderr}");
}
