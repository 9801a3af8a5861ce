//! The library uses nothing but the callbacks: no system call, no memory but the debugger's.
//!
//! A dump runs in a child process that the kernel ends at the first system call other than the last
//! report. Before that, a small preloaded library counts the calls of the C library's allocator
//! that come from `libmqd.so`.

use crate::support::dll::path;
use crate::support::expected::{expected, random_model};
use crate::support::machine::{Machine, natural};
use crate::support::process::{Placement, SyntheticProcess};
use crate::support::session::Session;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

/// Set in the child: what it is to do in its sandbox.
pub const CHILD: &str = "LIBMQD_QUIET_CHILD";

/// Counts allocations that libmqd.so makes by the C library.
const COUNTER: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

static atomic_long from_libmqd, all;
long counted_from_libmqd(void) { return from_libmqd; }
long counted_in_all(void) { return all; }

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static void count(void *caller)
{
  Dl_info info;
  all++;
  if (dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libmqd.so")) from_libmqd++;
}

void *malloc(size_t n) { count(__builtin_return_address(0)); return __libc_malloc(n); }
void *calloc(size_t n, size_t m) { count(__builtin_return_address(0)); return __libc_calloc(n, m); }
void *realloc(void *p, size_t n)
{ count(__builtin_return_address(0)); return __libc_realloc(p, n); }
"#;

fn run_child(task: &str, counter: &std::path::Path) -> std::process::Output {
    Command::new(std::env::current_exe().expect("tests have a path"))
        .args([
            "--exact",
            "quiet::a_dump_uses_nothing_but_the_callbacks",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(CHILD, task)
        .env("LD_PRELOAD", counter)
        .output()
        .expect("the child runs")
}

#[test]
fn a_dump_uses_nothing_but_the_callbacks() {
    if let Some(task) = std::env::var_os(CHILD) {
        child(task.to_str().expect("ASCII"));
    }
    path();
    let directory = tempfile::tempdir().expect("a directory");
    let (source, counter) =
        (directory.path().join("counter.c"), directory.path().join("counter.so"));
    std::fs::write(&source, COUNTER).expect("can be written");
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&counter, &source])
        .status();
    assert!(status.expect("a C compiler").success());

    let output = run_child("dump", &counter);
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{:?}\n{report}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(report.contains("SAME QUEUES; ALLOCATIONS FROM LIBMQD: 0;"), "{report}");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));

    // Checks that the sandbox ends a process that leaves it, and that the counter counts.
    let output = run_child("open a file", &counter);
    assert_eq!(output.status.signal(), Some(libc::SIGSYS), "{:?}", output.status);
    assert!(!report.contains("IN ALL: 0;"), "{report}");
}

/// The child's part; ends the process.
fn child(task: &str) -> ! {
    let model = random_model(3);
    let machine = Machine::LP64;
    let mut session =
        Session::new(SyntheticProcess::new(&model, machine, natural(&machine), Placement::Slab));
    let expected = expected(&model);
    // Everything that the test itself needs is done once before, so that only the library's work is
    // left: memory that the test's own allocator will hand out again, and symbols bound.
    session.open().expect("there are queues");
    let warm = session.read() == expected;
    session.close();
    let report = Vec::<u8>::with_capacity(4096);
    // SAFETY: the functions of the preloaded library.
    let (from_libmqd, all) = unsafe {
        let counter = |name: &std::ffi::CStr| {
            let symbol = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
            assert!(!symbol.is_null());
            std::mem::transmute::<*mut libc::c_void, extern "C" fn() -> libc::c_long>(symbol)
        };
        (counter(c"counted_from_libmqd"), counter(c"counted_in_all"))
    };
    confine();
    if task != "dump" {
        let _ = std::fs::File::open("/dev/null");
    }
    session.open().expect("there are queues");
    let same = session.read() == expected;
    session.close();
    let verdict = if warm && same { "SAME QUEUES" } else { "OTHER QUEUES" };
    let report = {
        use std::io::Write;
        let mut report = report;
        let counts = (from_libmqd(), all());
        let _ = writeln!(
            report,
            "\n{verdict}; ALLOCATIONS FROM LIBMQD: {}; IN ALL: {};",
            counts.0, counts.1
        );
        report
    };
    // SAFETY: the bytes of the report.
    unsafe {
        libc::write(1, report.as_ptr().cast(), report.len());
        libc::_exit(0)
    }
}

/// From here on, every system call of this thread but `write` and `exit_group` ends the process by
/// SIGSYS.
fn confine() {
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let allow = |number: libc::c_long| libc::sock_filter {
        code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
        jt: 0,
        jf: 1,
        k: number as u32,
    };
    let mut filter = [
        // The number of the system call is at offset 0 of the data that the filter sees.
        statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0),
        allow(libc::SYS_write),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW),
        allow(libc::SYS_exit_group),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_KILL_PROCESS),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the program is valid during the call, which copies it.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program), 0);
    }
}
