//! Live processes: they are stopped, read, and run on unharmed.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{
    Built, Running, build_library, build_plugin, eventually, image_index, number, read, run,
    shared_files, thread_states,
};
use mqd_inspect::process::{LiveOptions, Target, TargetError, Unreadable};

#[test]
fn every_kind_of_executable() {
    for flags in [
        &["-g", "-pie", "-fPIE"][..],
        &["-g", "-no-pie"],
        &["-g", "-static"],
        &["-g", "-static-pie"],
    ] {
        let is_static = flags.iter().any(|flag| flag.starts_with("-static"));
        let built =
            if is_static { Built::whole("gcc", flags) } else { Built::shared("gcc", flags) };
        let running = Running::start(&built.program, "wait");
        let target = running.attach();
        running.report.check_memory(&target);
        running.report.check_symbols(&target, true);
        assert_eq!(target.warnings(), [""; 0], "{flags:?}");
        assert_eq!(target.pid(), Some(running.pid()));
        assert_eq!(target.core_path(), None);
        assert_eq!(target.executable(), Some(built.program.as_path()));
        assert_eq!(target.images()[0].path(), built.program);
        assert_eq!(
            target.images()[0].bias() == 0,
            flags.contains(&"-no-pie") || flags.contains(&"-static")
        );
        assert_eq!(target.images().len() == 1, is_static, "{:?}", target.images());
        assert_eq!(target.images()[0].dynamic().is_none(), flags.contains(&"-static"));
        assert_eq!(target.cmdline(), [built.program.as_os_str(), "wait".as_ref()]);
        assert!(target.environment().iter().any(|(name, _)| name == "PATH"));
        drop(target);
        running.finish();
    }
}

#[test]
fn images_are_those_of_the_link_map() {
    let built = Built::shared("gcc", &["-g"]);
    let running = Running::start(&built.program, "wait");
    let target = running.attach();
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", running.pid())).unwrap();
    let mut mapped: Vec<_> = maps
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5).filter(|path| path.starts_with('/')))
        .filter(|path| std::fs::read(path).unwrap().starts_with(b"\x7fELF"))
        .collect();
    mapped.sort_unstable();
    mapped.dedup();
    let mut images: Vec<_> =
        target.images().iter().map(|image| image.path().to_str().unwrap()).collect();
    assert!(images.len() >= 4, "program, library, libc, dynamic linker: {images:?}");
    images.sort_unstable();
    assert_eq!(images, mapped);
    for image in target.images() {
        let notes =
            String::from_utf8(run(Command::new("readelf").arg("-nW").arg(image.path())).stdout)
                .unwrap();
        let id: String =
            image.build_id().unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(notes.contains(&id), "{}: {id}", image.path().display());
    }
    drop(target);
    running.finish();
}

#[test]
fn a_library_loaded_later() {
    let dir = tempfile::TempDir::new().unwrap();
    let plugin = dir.path().join("plugin.so");
    build_plugin(&["-g"], &plugin);
    let define = format!("-DPLUGIN=\"{}\"", plugin.display());
    let built = Built::shared("gcc", &["-g", &define]);
    let running = Running::start(&built.program, "wait");
    assert!(running.report.data.iter().any(|(name, ..)| name == "plugin_data"));
    let target = running.attach();
    running.report.check(&target);
    assert_eq!(target.find_symbol("plugin_data").unwrap().image, image_index(&target, "plugin"));
    drop(target);
    running.finish();
}

#[test]
fn a_library_in_a_namespace_of_its_own() {
    let dir = tempfile::TempDir::new().unwrap();
    let plugin = dir.path().join("plugin.so");
    build_plugin(&["-g"], &plugin);
    let define = format!("-DPLUGIN=\"{}\"", plugin.display());
    let built = Built::shared("gcc", &["-g", &define, "-DNAMESPACE"]);
    let running = Running::start(&built.program, "wait");
    assert!(running.report.data.iter().any(|(name, ..)| name == "plugin_data"));
    let target = running.attach();
    running.report.check(&target);
    let named = |word: &str| {
        target.images().iter().filter(|image| image.path().to_string_lossy().contains(word)).count()
    };
    assert_eq!(
        (named("plugin.so"), named("libc.so"), named("ld-linux")),
        (1, 2, 1),
        "{:?}",
        target.images()
    );
    drop(target);
    running.finish();
}

/// A `Target` can be handed to another thread, and shared.
#[test]
fn targets_are_not_tied_to_a_thread() {
    let built = Built::shared("gcc", &["-g"]);
    let mut running = Running::start(&built.program, "wait");
    let target = running.attach();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| running.report.check(&target));
        }
    });
    std::thread::spawn(move || drop(target)).join().unwrap();
    running.alive();
    running.finish();
}

#[test]
fn all_threads_stand_still_and_go_on() {
    let built = Built::shared("gcc", &["-g"]);
    for mode in ["threads", "leaderless"] {
        let running = Running::start(&built.program, mode);
        let counters = |target: &Target| {
            let symbol = target.find_symbol("counters").unwrap();
            let bytes = read(target, symbol.address, symbol.size as usize).unwrap();
            bytes.chunks(8).map(|bytes| target.arch().unsigned(bytes)).collect::<Vec<_>>()
        };
        let mut last = vec![0; 8];
        for _ in 0..20 {
            // All counting threads, and the one that starts others, get on between two looks.
            let mut now = Vec::new();
            eventually("progress of all threads", || {
                let target = running.attach();
                let states = thread_states(running.pid());
                assert!(states.len() >= 8, "{states:?}");
                assert!(states.values().all(|state| matches!(state, 't' | 'Z')), "{states:?}");
                now = counters(&target);
                assert_eq!(counters(&target), now, "something runs");
                assert_eq!(target.warnings(), [""; 0]);
                [0, 1, 2, 3, 4, 5, 7].iter().all(|index| now[*index] > last[*index])
            });
            last = now;
        }
        eventually("the threads run", || {
            thread_states(running.pid()).values().any(|state| *state == 'R')
        });
        assert!(!thread_states(running.pid()).values().any(|state| *state == 't'));
    }
}

#[test]
fn a_stopped_process_stays_stopped() {
    let built = Built::shared("gcc", &["-g"]);
    let mut running = Running::start(&built.program, "wait");
    signal(running.pid(), "STOP");
    let stopped = |pid| thread_states(pid).values().all(|state| *state == 'T');
    eventually("the stop", || stopped(running.pid()));
    for _ in 0..10 {
        let target = running.attach();
        running.report.check_memory(&target);
        drop(target);
        eventually("the stop again", || stopped(running.pid()));
    }
    signal(running.pid(), "CONT");
    running.alive();
    running.finish();
}

#[test]
fn a_stop_that_arrives_meanwhile_is_kept() {
    let built = Built::shared("gcc", &["-g"]);
    let mut running = Running::start(&built.program, "wait");
    let target = running.attach();
    signal(running.pid(), "STOP");
    drop(target);
    eventually("the stop", || thread_states(running.pid()).values().all(|state| *state == 'T'));
    signal(running.pid(), "CONT");
    running.alive();
    running.finish();
}

fn signal(pid: u32, name: &str) {
    run(Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()));
}

#[test]
fn no_signal_is_lost() {
    let built = Built::shared("gcc", &["-g"]);
    let mut running = Running::start(&built.program, "wait");
    let mut sent = 0;
    // While it is held.
    for _ in 0..5 {
        let target = running.attach();
        for _ in 0..10 {
            signal(running.pid(), "RTMIN+3");
            sent += 1;
        }
        let before = number(&target, "arrived_signals");
        assert!(before <= sent - 10);
    }
    // While it is being stopped and let go.
    let pid = running.pid();
    let sender = std::thread::spawn(move || {
        for _ in 0..300 {
            signal(pid, "RTMIN+3");
        }
        300
    });
    while !sender.is_finished() {
        drop(running.attach());
    }
    sent += sender.join().unwrap();
    eventually("all signals", || u64::from(running.alive()) == sent);
    running.finish();
}

/// This test runs twice: once as the debugger that is killed.
#[test]
fn a_killed_debugger_lets_the_process_go() {
    const HOLD: &str = "MQD_TEST_HOLD";
    if let Ok(pid) = std::env::var(HOLD) {
        let _target = Target::attach(pid.parse().unwrap()).unwrap();
        println!("\nheld");
        std::io::stdout().flush().unwrap();
        loop {
            std::thread::park();
        }
    }
    let built = Built::shared("gcc", &["-g"]);
    let mut running = Running::start(&built.program, "threads");
    let mut debugger = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "live::a_killed_debugger_lets_the_process_go", "--nocapture"])
        .env(HOLD, running.pid().to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(debugger.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "held"));
    assert!(thread_states(running.pid()).values().all(|state| *state == 't'));
    // A second debugger is told who has the process.
    match Target::attach(running.pid()) {
        Err(TargetError::AlreadyTraced { tracer, .. }) => assert!(tracer >= debugger.id()),
        other => panic!("{other:?}"),
    }
    debugger.kill().unwrap();
    debugger.wait().unwrap();
    running.alive();
    assert!(!thread_states(running.pid()).values().any(|state| *state == 't'));
}

#[test]
fn a_process_runs_on_after_its_time() {
    let built = Built::shared("gcc", &["-g"]);
    let running = Running::start(&built.program, "threads");
    let address = running.report.address("program_data");
    let options = LiveOptions {
        files: shared_files(),
        stop_limit: Some(Duration::from_secs(1)),
        ..LiveOptions::default()
    };
    let target = Target::attach_with(running.pid(), &options).unwrap();
    let hold = target.hold().unwrap();
    // Nobody lets it go.
    eventually("the threads run", || {
        !thread_states(running.pid()).values().any(|state| *state == 't')
    });
    assert_eq!(read(&target, address, 8).unwrap_err().why, Unreadable::RunsOn);
    assert!(target.was_cut());
    assert!(!hold.lasts());
}

#[test]
fn a_process_that_is_let_go() {
    let built = Built::shared("gcc", &["-g"]);
    let running = Running::start(&built.program, "threads");
    let address = running.report.address("program_data");
    let is_stopped = || thread_states(running.pid()).values().all(|state| *state == 't');
    let target = running.attach();
    let hold = target.hold().unwrap();
    target.let_go();
    assert_eq!(read(&target, address, 8).unwrap_err().why, Unreadable::RunsOn);
    // It was not the time.
    assert!(!target.was_cut());
    assert!(hold.lasts());
    assert!(is_stopped());
    drop(hold);
    assert!(!is_stopped());
}

#[test]
fn a_process_that_is_killed_while_it_is_read() {
    let built = Built::shared("gcc", &["-g"]);
    let running = Running::start(&built.program, "threads");
    let target = running.attach();
    signal(running.pid(), "KILL");
    let address = running.report.address("program_data");
    eventually("the end", || match read(&target, address, 8) {
        Ok(_) => false,
        Err(error) => error.why == Unreadable::Ended,
    });
    drop(target);
    let (_, status) = running.end();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
}

#[test]
fn unmapped_memory() {
    let built = Built::shared("gcc", &["-g"]);
    let running = Running::start(&built.program, "wait");
    let target = running.attach();
    let error = read(&target, 8, 4).unwrap_err();
    assert_eq!((error.address, error.why), (8, Unreadable::NotMapped));
    assert_eq!(read(&target, u64::MAX - 3, 8).unwrap_err().why, Unreadable::NotMapped);
    // The first address that cannot be read, when the beginning can.
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", running.pid())).unwrap();
    let end = maps.lines().find(|line| line.contains("[stack]")).unwrap();
    let end = u64::from_str_radix(end.split([' ', '-']).nth(1).unwrap(), 16).unwrap();
    assert_eq!(read(&target, end - 8, 8).unwrap().len(), 8);
    let error = read(&target, end - 8, 16).unwrap_err();
    assert_eq!((error.address, &error.why), (end, &Unreadable::NotMapped));
    assert_eq!(
        error.to_string(),
        format!("cannot read the target's memory at {end:#x}: not mapped in the target")
    );
    drop(target);
    running.finish();
}

#[test]
fn a_library_that_has_been_replaced() {
    let built = Built::shared("gcc", &["-g"]);
    let running = Running::start(&built.program, "wait");
    std::fs::remove_file(&built.library).unwrap();
    build_library("gcc", &["-g", "-O2", "-DOTHER"], &built.library);
    let target = running.attach();
    // The kernel still has the library that was loaded; who may open it sees everything, others are
    // told.
    if target.warnings().is_empty() {
        running.report.check(&target);
    } else {
        assert!(target.warnings()[0].contains("libfixture.so"), "{:?}", target.warnings());
        assert_eq!(target.find_symbol("library_counter"), None);
    }
    running.report.check_memory(&target);
    drop(target);
    running.finish();
}

/// A process that sees another root directory than we do, as in a container: by chroot, and by a
/// mount namespace of its own.
#[test]
fn a_root_directory_of_its_own() {
    let built = Built::shared("gcc", &["-g", "-Wl,-rpath,/app"]);
    let root = built.path("root");
    std::fs::create_dir_all(root.join("app")).unwrap();
    for file in [&built.program, &built.library] {
        std::fs::copy(file, root.join("app").join(file.file_name().unwrap())).unwrap();
    }
    // The library is linked by its path, which is to be found in there, too.
    let libraries = String::from_utf8(run(Command::new("ldd").arg(&built.program)).stdout).unwrap();
    for library in libraries.split_whitespace().filter(|word| word.starts_with('/')) {
        let copy = root.join(library.trim_start_matches('/'));
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::copy(library, copy).unwrap();
    }
    std::fs::create_dir_all(root.join("old")).unwrap();
    // What the host has under these names is something else.
    build_library("gcc", &["-g", "-O2", "-DOTHER"], &built.library);
    let pivot = "mount --bind $0 $0 && cd $0 && pivot_root . old && exec /app/program wait";
    for arguments in [
        &["--root", root.to_str().unwrap(), "/app/program", "wait"][..],
        &["--mount", "sh", "-c", pivot, root.to_str().unwrap()],
    ] {
        let mut unshare = Command::new("unshare");
        let running = Running::start_command(unshare.arg("--map-root-user").args(arguments));
        let target = running.attach();
        assert_eq!(target.warnings(), [""; 0]);
        running.report.check(&target);
        drop(target);
        running.finish();
    }
}

#[test]
fn processes_that_cannot_be_attached_to() {
    // None with this id: the highest that the kernel gives is lower.
    let error = Target::attach(4_194_305).unwrap_err();
    assert!(matches!(error, TargetError::NoSuchProcess { pid: 4_194_305 }), "{error}");

    let error = Target::attach(std::process::id()).unwrap_err();
    assert!(error.to_string().contains("this very process"), "{error}");

    let mut child = Command::new("true").spawn().unwrap();
    eventually("a zombie", || thread_states(child.id()).values().all(|state| *state == 'Z'));
    let error = Target::attach(child.id()).unwrap_err();
    assert!(matches!(error, TargetError::Zombie { .. }), "{error}");
    child.wait().unwrap();

    let built = Built::shared("gcc", &["-g"]);
    let running = Running::start(&built.program, "wait");
    let held = running.attach();
    let error = Target::attach(running.pid()).unwrap_err();
    assert!(matches!(error, TargetError::AlreadyTraced { .. }), "{error}");
    drop(held);
    running.finish();
}

/// This test runs twice when it runs as root: the second time as a user who has no right to the
/// process.
#[test]
fn permission_denied() {
    const FOREIGN: &str = "MQD_TEST_FOREIGN";
    let is_root = std::fs::metadata("/proc/self")
        .map(|data| std::os::unix::fs::MetadataExt::uid(&data))
        .unwrap()
        == 0;
    if !is_root {
        let pid = std::env::var(FOREIGN).map_or(1, |pid| pid.parse().unwrap());
        let error = Target::attach(pid).unwrap_err();
        assert!(matches!(error, TargetError::Permission { .. }), "{error}");
        assert!(error.to_string().contains("it belongs to user 0"), "{error}");
        return;
    }
    let built = Built::shared("gcc", &["-g"]);
    let running = Running::start(&built.program, "wait");
    // A place where the other user can reach the program.
    let dir = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .tempdir()
        .unwrap();
    let copy = dir.path().join("test");
    // By another process: a file that this one has open for writing, a child that another test
    // starts has open too, and such a file cannot be run.
    run(Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&copy));
    run(Command::new(&copy)
        .args(["--exact", "live::permission_denied"])
        .env(FOREIGN, running.pid().to_string())
        .current_dir("/")
        .uid(65534)
        .gid(65534));
    running.finish();
}
