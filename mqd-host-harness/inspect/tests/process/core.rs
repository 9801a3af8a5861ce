//! Core files: those of the kernel and of gcore, whole and damaged.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mqd_inspect::process::{CoreOptions, ReadError, Target, TargetError, Unreadable};

use crate::common::{
    Built, Noise, Report, Running, build_library, build_plugin, core_options, dump_core,
    image_index, number, read, run,
};

fn open(core: &Path) -> Target {
    Target::open_core(core, &core_options()).unwrap_or_else(|error| panic!("{error}"))
}

/// A program that has left a core file.
fn crashed(built: &Built) -> (Report, PathBuf) {
    dump_core(
        Command::new(&built.program).arg("abort").env("MQD_TEST_VARIABLE", "a=b c"),
        built.dir.path(),
    )
}

/// Everything that can be known of a core whose files are all there.
fn check_whole(built: &Built, report: &Report, core: &Path) -> Target {
    let target = open(core);
    report.check(&target);
    assert_eq!(target.warnings(), [""; 0]);
    assert_eq!(target.core_path(), Some(core));
    assert_eq!(target.executable(), Some(built.program.as_path()));
    assert_eq!(target.images()[0].path(), built.program);
    target
}

#[test]
fn kernel_cores_of_every_kind_of_executable() {
    for flags in [&["-g", "-pie", "-fPIE"][..], &["-g", "-no-pie"]] {
        let built = Built::shared("gcc", flags);
        let (report, core) = crashed(&built);
        let target = check_whole(&built, &report, &core);
        assert!(
            target.images().len() >= 4,
            "program, library, libc, dynamic linker: {:?}",
            target.images()
        );
        assert_eq!(target.images()[image_index(&target, "library")].path(), built.library);
        assert_eq!(target.cmdline(), [built.program.as_os_str(), "abort".as_ref()]);
        assert!(target.environment().contains(&("MQD_TEST_VARIABLE".into(), "a=b c".into())));
        assert!(target.pid().is_some());
        // What the kernel leaves out because a file has it: the program's code.
        let code = target.find_function("report").unwrap();
        let file = fs::read(&built.program).unwrap();
        let code = read(&target, code.address, 64).unwrap();
        assert!(file.windows(64).any(|window| window == code));
        // Memory that was never touched is zero because the program says so. Memory that was left
        // out on purpose is not known.
        assert_eq!(
            read(&target, target.find_symbol("untouched").unwrap().address, 64 * 1024).unwrap(),
            [0; 64 * 1024]
        );
        assert_eq!(
            read(&target, target.find_symbol("library_untouched").unwrap().address, 32768).unwrap(),
            [0; 32768]
        );
        let not_dumped = number(&target, "not_dumped");
        assert_eq!(
            read(&target, not_dumped + 5, 1),
            Err(ReadError { address: not_dumped + 5, why: Unreadable::NotDumped })
        );
        assert_eq!(read(&target, 16, 4).unwrap_err().why, Unreadable::NotMapped);
        assert_eq!(read(&target, u64::MAX - 1, 4).unwrap_err().why, Unreadable::NotMapped);
    }
    for flags in [&["-g", "-static"][..], &["-g", "-static-pie"]] {
        let built = Built::whole("gcc", flags);
        let (report, core) = crashed(&built);
        let target = open(&core);
        report.check_memory(&target);
        report.check_symbols(&target, true);
        assert_eq!(target.images().len(), 1);
        assert_eq!(target.warnings(), [""; 0]);
    }
}

#[test]
fn cores_of_gcore() {
    let dir = tempfile::TempDir::new().unwrap();
    let plugin = dir.path().join("plugin.so");
    build_plugin(&["-g"], &plugin);
    let define = format!("-DPLUGIN=\"{}\"", plugin.display());
    let built = Built::shared("gcc", &["-g", &define]);
    let mut running = Running::start(&built.program, "threads");
    run(Command::new("gcore").arg("-o").arg(built.path("core")).arg(running.pid().to_string()));
    running.alive();
    let target =
        check_whole(&built, &running.report, &built.path(&format!("core.{}", running.pid())));
    assert_eq!(target.pid(), Some(running.pid()));
    assert_eq!(target.find_symbol("plugin_data").unwrap().image, image_index(&target, "plugin"));
}

#[test]
fn a_core_that_moved_with_its_files() {
    let built = Built::shared("gcc", &["-g"]);
    let (report, core) = crashed(&built);

    // The executable beside the core; its library is gone.
    let away = tempfile::TempDir::new().unwrap();
    let moved = away.path().join("core");
    fs::rename(&core, &moved).unwrap();
    fs::rename(&built.program, away.path().join("program")).unwrap();
    let target = open(&moved);
    report.check_symbols(&target, true);
    drop(target);

    // The whole tree of files elsewhere.
    let root = tempfile::TempDir::new().unwrap();
    for (name, from) in
        [(&built.program, away.path().join("program")), (&built.library, built.library.clone())]
    {
        let to = root.path().join(name.strip_prefix("/").unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(from, to).unwrap();
    }
    let options = CoreOptions { sysroot: Some(root.path().to_owned()), ..core_options() };
    let target = Target::open_core(&moved, &options).unwrap();
    report.check(&target);
    assert_eq!(target.warnings(), [""; 0], "libc and the dynamic linker are still where they were");
    drop(target);

    // Nothing but the core: what it holds itself can be read, and it says what is missing.
    let target = open(&moved);
    for (name, address, bytes) in
        report.data.iter().filter(|(name, ..)| !name.ends_with("constant"))
    {
        assert_eq!(read(&target, *address, bytes.len()).as_ref(), Ok(bytes), "{name}");
    }
    assert!(
        target
            .warnings()
            .iter()
            .any(|text| text.contains("executable") && text.contains("was not found"))
    );
    assert_eq!(target.find_symbol("program_data"), None);
    assert!(target.images().len() >= 4, "the link map is in the core: {:?}", target.images());
    drop(target);

    // The executable given by hand.
    let program = root.path().join(built.program.strip_prefix("/").unwrap());
    let options = CoreOptions { executable: Some(program), ..core_options() };
    let target = Target::open_core(&moved, &options).unwrap();
    let (_, address, _) = report.data.iter().find(|(name, ..)| name == "program_data").unwrap();
    assert_eq!(target.find_symbol("program_data").unwrap().address, *address);
    assert_eq!(target.executable(), Some(built.program.as_path()), "the target's own name for it");
}

#[test]
fn a_library_that_is_missing_or_replaced() {
    let built = Built::shared("gcc", &["-g"]);
    let (report, core) = crashed(&built);
    let constant = report.address("library_constant");

    build_library("gcc", &["-g", "-O2", "-DOTHER"], &built.library);
    let target = open(&core);
    let warnings = target.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("libfixture.so is not the file"), "{warnings:?}");
    assert!(warnings[0].contains("build-id"), "{warnings:?}");
    let error =
        ReadError { address: constant, why: Unreadable::FileChanged(built.library.clone()) };
    assert_eq!(read(&target, constant, 8), Err(error));
    assert_eq!(
        read(&target, report.address("library_data"), 8).unwrap(),
        report.bytes("library_data")[..8]
    );
    assert_eq!(
        target.find_symbol("library_counter"),
        None,
        "the addresses of another file mean nothing"
    );
    drop(target);

    fs::remove_file(&built.library).unwrap();
    let target = open(&core);
    assert!(
        target.warnings()[0].contains("libfixture.so cannot be used (No such file"),
        "{:?}",
        target.warnings()
    );
    let error =
        ReadError { address: constant, why: Unreadable::FileMissing(built.library.clone()) };
    assert_eq!(read(&target, constant, 8), Err(error));
    assert_eq!(
        read(&target, report.address("library_data"), 8).unwrap(),
        report.bytes("library_data")[..8]
    );
    assert!(
        target.images()[image_index(&target, "library")].build_id().is_some(),
        "from the core's first page of it"
    );
}

#[test]
fn a_missing_library_with_a_debug_file() {
    let built = Built::shared("gcc", &["-g"]);
    let (report, core) = crashed(&built);
    let id: String = {
        let target = open(&core);
        let image = &target.images()[image_index(&target, "library")];
        image.build_id().unwrap().iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let store = built.path("store");
    let debug = store.join(".build-id").join(&id[..2]).join(format!("{}.debug", &id[2..]));
    fs::create_dir_all(debug.parent().unwrap()).unwrap();
    run(Command::new("objcopy").arg("--only-keep-debug").arg(&built.library).arg(debug));
    fs::remove_file(&built.library).unwrap();
    let options = CoreOptions { debug_dirs: vec![store], ..core_options() };
    let target = Target::open_core(&core, &options).unwrap();
    report.check_symbols(&target, true);
    report.check_types(&target);
}

#[test]
fn the_wrong_executable() {
    let built = Built::shared("gcc", &["-g"]);
    let (_, core) = crashed(&built);
    let other = Built::shared("gcc", &["-g", "-O2", "-DOTHER"]);
    for executable in [&other.program, &PathBuf::from("/bin/sh"), &built.library] {
        let options = CoreOptions { executable: Some(executable.clone()), ..core_options() };
        let error = Target::open_core(&core, &options).unwrap_err();
        assert!(matches!(error, TargetError::WrongExecutable { .. }), "{error}");
        assert!(error.to_string().contains("is not the executable of"), "{error}");
    }
    let options = CoreOptions { executable: Some("/no/such/file".into()), ..core_options() };
    let error = Target::open_core(&core, &options).unwrap_err().to_string();
    assert!(error.contains("/no/such/file") && error.contains("No such file"), "{error}");

    // Replaced where it was: told, and not used.
    fs::copy(&other.program, &built.program).unwrap();
    let target = open(&core);
    assert!(
        target.warnings().iter().any(|text| text.contains("is another program: build-id")),
        "{:?}",
        target.warnings()
    );
    assert_eq!(target.find_symbol("program_data"), None);
}

#[test]
fn files_that_are_no_cores() {
    let dir = tempfile::TempDir::new().unwrap();
    let file = |name: &str, contents: &[u8]| {
        let path = dir.path().join(name);
        fs::write(&path, contents).unwrap();
        path
    };
    for (path, expected) in [
        (file("empty", b""), "is not a core file: it is empty"),
        (file("text", b"hello"), "is not a core file: it is not an ELF file"),
        (file("magic", b"\x7fELF"), "ELF header is damaged"),
        (
            file("garbage", &[b"\x7fELF\x02\x01\x01".as_slice(), &[0xff; 200]].concat()),
            "is not a core file",
        ),
        (PathBuf::from("/bin/sh"), "is not a core file: it is an executable"),
        (dir.path().to_owned(), "is not a core file: it is a directory"),
        (dir.path().join("nothing"), "No such file"),
    ] {
        let error = Target::open_core(&path, &core_options()).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(path.to_str().unwrap()), "{error}");
    }
}

/// The memory segments of a core as readelf tells them: offset, address, size in the file.
fn segments(core: &Path) -> Vec<(u64, u64, u64)> {
    let listing =
        String::from_utf8(run(Command::new("readelf").arg("-lW").arg(core)).stdout).unwrap();
    let hex = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
    let lines = listing.lines().filter(|line| line.trim_start().starts_with("LOAD"));
    lines
        .map(|line| {
            let fields: Vec<_> = line.split_whitespace().collect();
            (hex(fields[1]), hex(fields[2]), hex(fields[4]))
        })
        .collect()
}

#[test]
fn truncated_cores() {
    let built = Built::shared("gcc", &["-g"]);
    let (report, core) = crashed(&built);
    let segments = segments(&core);
    let whole = fs::read(&core).unwrap();
    let total: u64 = segments.iter().map(|(.., size)| size).sum();
    let data = report.address("program_data");
    let (offset, start, _) = *segments
        .iter()
        .find(|(_, start, size)| (*start..start + size).contains(&data))
        .expect("the data is in the core");
    let data_offset = offset + data - start;

    let cut = built.path("cut");
    // In the middle, in the middle of the program's data, and just one byte short.
    for length in [whole.len() as u64 / 2, data_offset + 4, whole.len() as u64 - 1] {
        fs::write(&cut, &whole[..length as usize]).unwrap();
        let target = open(&cut);
        let missing: u64 = segments
            .iter()
            .map(|(offset, _, size)| (offset + size).saturating_sub(length).min(*size))
            .sum();
        let gaps =
            segments.iter().filter(|(offset, _, size)| *size > 0 && offset + size > length).count();
        let warning = &target.warnings()[0];
        let expected = format!(
            "is truncated: {missing} of {total} bytes of memory are missing, in {gaps} of {} \
             segments",
            segments.len()
        );
        assert!(warning.contains(&expected), "{warning} / {expected}");
        let expected = if length > data_offset + 16 {
            Ok(report.bytes("program_data")[..8].to_vec())
        } else {
            let first = data.max(start + length.saturating_sub(offset));
            Err(ReadError { address: first, why: Unreadable::Truncated })
        };
        assert_eq!(read(&target, data, 8), expected);
        // Constants come from the file all the same.
        assert_eq!(read(&target, report.address("program_constant"), 8).unwrap(), b"read-onl");
    }

    // It becomes shorter while it is open.
    fs::write(&cut, &whole).unwrap();
    let target = open(&cut);
    fs::File::options().write(true).open(&cut).unwrap().set_len(4096).unwrap();
    assert_eq!(
        read(&target, data, 8),
        Err(ReadError { address: data, why: Unreadable::Truncated })
    );

    // Every shorter length gives an error or a target, never a panic.
    for length in (0..20_000).step_by(97) {
        fs::write(&cut, &whole[..length]).unwrap();
        match Target::open_core(&cut, &core_options()) {
            Ok(target) => assert!(!target.warnings().is_empty(), "{length}"),
            Err(error) => assert!(error.to_string().contains("cut"), "{error}"),
        }
    }
}

/// Damaged headers, notes and link maps end in errors or warnings.
#[test]
fn damaged_cores() {
    let built = Built::shared("gcc", &["-g"]);
    let (report, core) = crashed(&built);
    let whole = fs::read(&core).unwrap();
    let constants = segments(&core);
    let first_segment = constants.iter().map(|(offset, ..)| *offset).min().unwrap() as usize;
    let damaged = built.path("damaged");
    let mut noise = Noise::new();
    let (mut opened, mut refused) = (0, 0);
    for round in 0..400 {
        let mut bytes = whole.clone();
        // The headers and notes; sometimes all of it.
        let limit = if round % 8 == 0 { bytes.len() } else { first_segment };
        noise.damage(&mut bytes, 0..if round % 3 == 0 { limit.min(4096) } else { limit }, 24);
        fs::write(&damaged, &bytes).unwrap();
        match Target::open_core(&damaged, &core_options()) {
            Ok(target) => {
                opened += 1;
                for (_, address, bytes) in &report.data {
                    let _ = read(&target, *address, bytes.len());
                }
                let _ = read(&target, u64::MAX - 100, 200);
                let _ = target.find_symbol("program_data");
            }
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains("damaged"), "{error}");
            }
        }
    }
    assert!(opened > 50 && refused > 0, "{opened} opened, {refused} refused");
}

/// A damaged library or debug file leads to missing answers, not to wrong behaviour.
#[test]
fn damaged_files() {
    let built = Built::shared("gcc", &["-gdwarf-5"]);
    let (report, core) = crashed(&built);
    let whole = fs::read(&built.library).unwrap();
    let listing =
        String::from_utf8(run(Command::new("readelf").arg("-SW").arg(&built.library)).stdout)
            .unwrap();
    let section = |name: &str| {
        let line = listing.lines().find(|line| line.contains(&format!(" {name} "))).unwrap();
        let fields: Vec<_> = line.split(name).nth(1).unwrap().split_whitespace().collect();
        let hex = |text: &str| usize::from_str_radix(text, 16).unwrap();
        hex(fields[2])..hex(fields[2]) + hex(fields[3])
    };
    let parts = [".debug_info", ".debug_abbrev", ".dynsym", ".symtab", ".strtab"].map(section);
    let mut noise = Noise::new();
    let (mut answers, mut gaps) = (0, 0);
    for round in 0..600 {
        let mut bytes = whole.clone();
        // The parts, the ELF header and program headers, the section headers, everything.
        let part = match round % 8 {
            index @ 0..5 => parts[index].clone(),
            5 => 0..800,
            6 => whole.len() - 64 * 38..whole.len(),
            _ => 0..whole.len(),
        };
        noise.damage(&mut bytes, part, 12);
        fs::remove_file(&built.library).unwrap();
        fs::write(&built.library, &bytes).unwrap();
        let target = open(&core);
        let prefer = Some(image_index(&target, "library"));
        for name in report
            .sizes
            .iter()
            .map(|(name, _)| name.trim_start_matches("library:"))
            .chain(["opaque", "bulk"])
        {
            let size = target.find_type(name, prefer).and_then(|ty| target.size_of(ty));
            *if size.is_some() { &mut answers } else { &mut gaps } += 1;
        }
        for name in report
            .data
            .iter()
            .map(|(name, ..)| name)
            .chain(report.functions.iter().map(|(name, _)| name))
        {
            let _ = target.find_symbol(name);
        }
        let _ = read(&target, report.address("library_constant"), 32);
    }
    assert!(answers > 1000 && gaps > 10, "{answers} answers, {gaps} gaps");
}

/// With more segments than the ELF header can count, their number is elsewhere.
#[test]
fn a_core_with_very_many_segments() {
    let built = Built::shared("gcc", &["-g"]);
    let (report, core) = crashed(&built);
    let mut bytes = fs::read(&core).unwrap();
    // Elf64_Ehdr: e_shoff at 40, e_phnum at 56, e_shentsize at 58, e_shnum at 60. Elf64_Shdr:
    // sh_info at 44.
    let count = u32::from(u16::from_le_bytes(bytes[56..58].try_into().unwrap()));
    let section = bytes.len() as u64;
    bytes[40..48].copy_from_slice(&section.to_le_bytes());
    bytes[56..58].copy_from_slice(&0xffff_u16.to_le_bytes());
    bytes[58..60].copy_from_slice(&64_u16.to_le_bytes());
    bytes[60..62].copy_from_slice(&1_u16.to_le_bytes());
    let mut header = [0; 64];
    header[44..48].copy_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&header);
    fs::write(&core, bytes).unwrap();
    check_whole(&built, &report, &core);
}
