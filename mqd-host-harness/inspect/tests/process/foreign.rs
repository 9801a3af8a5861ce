//! Targets of other word sizes and byte orders.

use std::process::Command;

use mqd_inspect::arch::Endian;
use mqd_inspect::process::{CoreOptions, Target};

use crate::common::{Built, Report, Running, core_options, dump_core, number, run};

const I386: &str = "i686-linux-gnu-gcc";
const S390X: &str = "s390x-linux-gnu-gcc";

fn check_i386(target: &Target) {
    let arch = target.arch();
    assert_eq!(
        (arch.endian, arch.pointer_size, arch.long_size, arch.long_long_size),
        (Endian::Little, 4, 4, 8)
    );
}

/// The cross compiler's own libraries serve to run the program, too.
const I386_SHARED: [&str; 3] = [
    "-gdwarf-5",
    "-Wl,--dynamic-linker=/usr/i686-linux-gnu/lib/ld-linux.so.2",
    "-Wl,-rpath,/usr/i686-linux-gnu/lib",
];

#[test]
fn live_i386() {
    let built = Built::shared(I386, &I386_SHARED);
    let running = Running::start(&built.program, "wait");
    let target = running.attach();
    check_i386(&target);
    running.report.check(&target);
    assert!(target.images().len() >= 4, "{:?}", target.images());
    assert_eq!(target.warnings(), [""; 0]);
    drop(target);
    running.finish();
}

#[test]
fn core_i386() {
    for flags in [&["-gdwarf-4", "-static"][..], &["-gdwarf-5", "-static", "-fdebug-types-section"]]
    {
        let built = Built::whole(I386, flags);
        let (mut report, core) =
            dump_core(Command::new(&built.program).arg("abort"), built.dir.path());
        let target = Target::open_core(&core, &core_options()).unwrap();
        check_i386(&target);
        report.without_twice();
        report.check(&target);
        assert_eq!(target.executable(), Some(built.program.as_path()));
        assert_eq!(target.warnings(), [""; 0]);
    }
}

#[test]
fn core_i386_with_libraries() {
    let built = Built::shared(I386, &I386_SHARED);
    let (report, core) = dump_core(Command::new(&built.program).arg("abort"), built.dir.path());
    let target = Target::open_core(&core, &core_options()).unwrap();
    check_i386(&target);
    report.check(&target);
    assert!(target.images().len() >= 4, "{:?}", target.images());
    assert_eq!(target.warnings(), [""; 0]);
    assert_eq!(target.cmdline(), [built.program.as_os_str(), "abort".as_ref()]);
}

/// What the emulator's core of a program says.
fn check_s390x(target: &Target, report: &Report) {
    let arch = target.arch();
    assert_eq!(
        (arch.endian, arch.pointer_size, arch.long_size, arch.machine),
        (Endian::Big, 8, 8, 22)
    );
    report.check(target);
    assert_eq!(number(target, "program_color"), 70000);
    assert_eq!(target.warnings(), [""; 0]);
    assert_eq!(target.cmdline().last().unwrap(), "abort");
}

/// Big-endian, and without a list of mapped files (NT_FILE): the emulator writes cores of its own.
#[test]
fn core_s390x() {
    for flags in [["-gdwarf-5", "-static"], ["-gdwarf-4", "-static"]] {
        let built = Built::whole(S390X, &flags);
        let mut command = Command::new("qemu-s390x-static");
        let (mut report, core) =
            dump_core(command.arg(&built.program).arg("abort"), built.dir.path());
        report.without_twice();
        let notes =
            String::from_utf8(run(Command::new("readelf").arg("-n").arg(&core)).stdout).unwrap();
        assert!(!notes.contains("NT_FILE") && notes.contains("NT_AUXV"), "{notes}");
        let target = Target::open_core(&core, &core_options()).unwrap();
        check_s390x(&target, &report);
        assert_eq!(target.images().len(), 1);
        let options = CoreOptions { executable: Some(built.program.clone()), ..core_options() };
        check_s390x(&Target::open_core(&core, &options).unwrap(), &report);
    }
}

/// A position-independent executable with shared libraries, of which some are in a directory with
/// the foreign machine's files.
#[test]
fn core_s390x_with_libraries() {
    let built = Built::shared(S390X, &["-gdwarf-5", "-pie", "-fPIE"]);
    let mut command = Command::new("qemu-s390x-static");
    command.args(["-L", "/usr/s390x-linux-gnu"]).arg(&built.program).arg("abort");
    let (report, core) = dump_core(&mut command, built.dir.path());
    let options = CoreOptions { sysroot: Some("/usr/s390x-linux-gnu".into()), ..core_options() };
    let target = Target::open_core(&core, &options).unwrap();
    check_s390x(&target, &report);
    assert_ne!(target.images()[0].bias(), 0);
    assert_eq!(target.images().len(), 4, "{:?}", target.images());
}

#[test]
fn the_wrong_executable_of_a_foreign_core() {
    let (built, other) =
        (Built::whole(S390X, &["-static"]), Built::whole(S390X, &["-static", "-O2"]));
    let mut command = Command::new("qemu-s390x-static");
    let (_, core) = dump_core(command.arg(&built.program).arg("abort"), built.dir.path());
    for executable in [other.program.as_path(), "/bin/sh".as_ref()] {
        let options = CoreOptions { executable: Some(executable.to_owned()), ..core_options() };
        let error = Target::open_core(&core, &options).unwrap_err().to_string();
        assert!(error.contains("is not the executable of"), "{error}");
    }
}
