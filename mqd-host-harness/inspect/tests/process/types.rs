//! C types in every encoding that compilers and distributions use.

use std::path::Path;
use std::process::Command;

use crate::common::{Built, Running, image_index, run, shared_files};
use mqd_inspect::process::{LiveOptions, Target};

/// Runs a program and compares all that it says of its types and symbols.
fn check(built: &Built) {
    let running = Running::start(&built.program, "wait");
    running.report.check(&running.attach());
    running.finish();
}

fn sections(file: &Path) -> String {
    String::from_utf8(run(Command::new("readelf").arg("-SW").arg(file)).stdout).unwrap()
}

#[test]
fn dwarf_4() {
    check(&Built::shared("gcc", &["-gdwarf-4"]));
}

#[test]
fn dwarf_4_strict() {
    check(&Built::shared("gcc", &["-gdwarf-4", "-gstrict-dwarf"]));
}

#[test]
fn dwarf_5() {
    check(&Built::shared("gcc", &["-gdwarf-5", "-O2"]));
}

#[test]
fn dwarf_64() {
    check(&Built::shared("gcc", &["-gdwarf-5", "-gdwarf64"]));
}

#[test]
fn one_executable() {
    let built = Built::whole("gcc", &["-gdwarf-5"]);
    let mut running = Running::start(&built.program, "wait");
    running.report.without_twice();
    running.report.check(&running.attach());
    running.finish();
}

#[test]
fn type_units_dwarf_4() {
    let built = Built::shared("gcc", &["-gdwarf-4", "-fdebug-types-section"]);
    assert!(sections(&built.program).contains(".debug_types"));
    check(&built);
}

#[test]
fn type_units_dwarf_5() {
    check(&Built::shared("gcc", &["-gdwarf-5", "-fdebug-types-section"]));
}

#[test]
fn compressed_sections() {
    for flag in ["zlib", "zlib-gnu", "zstd"] {
        let built = Built::shared("gcc", &["-gdwarf-5"]);
        for file in [&built.program, &built.library] {
            run(Command::new("objcopy").arg(format!("--compress-debug-sections={flag}")).arg(file));
        }
        let listing = sections(&built.program);
        // The flag C is the only one between the sizes and the link number of a compressed debug
        // section.
        let info = listing.lines().find(|line| line.contains("debug_info ")).unwrap();
        assert!(
            info.contains(".zdebug_info") || info.split_whitespace().any(|word| word == "C"),
            "{flag}: {info}"
        );
        check(&built);
    }
}

/// Splits a file: its debug information goes to `debug`, and a link to it stays.
fn split(file: &Path, debug: &Path) {
    std::fs::create_dir_all(debug.parent().unwrap()).unwrap();
    run(Command::new("objcopy").arg("--only-keep-debug").arg(file).arg(debug));
    run(Command::new("objcopy").arg("--strip-all").arg(file));
}

fn build_id(file: &Path) -> String {
    let notes =
        String::from_utf8(run(Command::new("readelf").arg("-nW").arg(file)).stdout).unwrap();
    notes.split("Build ID: ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned()
}

#[test]
fn split_by_build_id() {
    let built = Built::shared("gcc", &["-gdwarf-5"]);
    let store = built.path("store");
    for file in [&built.program, &built.library] {
        let id = build_id(file);
        split(file, &store.join(".build-id").join(&id[..2]).join(format!("{}.debug", &id[2..])));
    }
    let running = Running::start(&built.program, "wait");
    let options =
        LiveOptions { debug_dirs: vec![store], files: shared_files(), ..LiveOptions::default() };
    running.report.check(&Target::attach_with(running.pid(), &options).unwrap());

    // Without the directory there is nothing: symbols for dynamic linking, no types.
    let target = running.attach();
    running.report.check_symbols(&target, false);
    assert_eq!(target.find_type("plain", None), None);
    assert_eq!(target.find_symbol("hidden_data"), None);
    drop(target);
    running.finish();
}

#[test]
fn split_by_debug_link() {
    // Beside the file, and in its .debug directory; with and without a build-id to check.
    for (place, id) in [("", "sha1"), (".debug/", "sha1"), ("", "none"), (".debug/", "none")] {
        let flag = format!("-Wl,--build-id={id}");
        let built = Built::shared("gcc", &["-gdwarf-5", &flag]);
        for file in [&built.program, &built.library] {
            // The tests' builder asks for a build-id; take the note out where there is to be none.
            if id == "none" {
                run(Command::new("objcopy")
                    .args(["--remove-section", ".note.gnu.build-id"])
                    .arg(file));
            }
            let name = format!("{}.dbg", file.file_name().unwrap().to_string_lossy());
            let debug = built.path(&format!("{place}{name}"));
            split(file, &debug);
            run(Command::new("objcopy")
                .arg(format!("--add-gnu-debuglink={}", debug.display()))
                .arg(file));
        }
        check(&built);
    }
}

#[test]
fn a_debug_link_to_another_file_is_refused() {
    for id in ["sha1", "none"] {
        let built = Built::shared("gcc", &["-gdwarf-5"]);
        let other = Built::shared("gcc", &["-gdwarf-5", "-O2", "-DOTHER"]);
        if id == "none" {
            for file in [&built.program, &other.program] {
                run(Command::new("objcopy")
                    .args(["--remove-section", ".note.gnu.build-id"])
                    .arg(file));
            }
        }
        let debug = built.path("program.dbg");
        split(&built.program, &debug);
        run(Command::new("objcopy")
            .arg(format!("--add-gnu-debuglink={}", debug.display()))
            .arg(&built.program));
        split(&other.program, &debug);
        run(Command::new("strip").arg(&built.library));
        let running = Running::start(&built.program, "wait");
        assert_eq!(running.attach().find_type("plain", None), None);
        running.finish();
    }
}

#[test]
fn supplementary_file_of_dwz() {
    for (flag, dwz, link) in [
        ("-gdwarf-4", "--quiet", ".gnu_debugaltlink"),
        ("-gdwarf-5", "--quiet", ".gnu_debugaltlink"),
        ("-gdwarf-5", "-5", ".debug_sup"),
    ] {
        let built = Built::shared("gcc", &[flag]);
        let supplement = built.path("common.debug");
        run(Command::new("dwz")
            .args([dwz, "-m"])
            .arg(&supplement)
            .args([&built.program, &built.library]));
        assert!(sections(&built.program).contains(link), "{dwz}");
        check(&built);

        // Without that file, or with another one of its name, its types are not known.
        let other = Built::shared("gcc", &[flag, "-DOTHER", "-O2"]);
        run(Command::new("dwz")
            .args([dwz, "-m"])
            .arg(&supplement)
            .args([&other.program, &other.library]));
        let running = Running::start(&built.program, "wait");
        assert_eq!(running.attach().find_type("bulk_13", None), None);
        running.finish();
    }
}

#[test]
fn single_file_dwz() {
    let built = Built::whole("gcc", &["-gdwarf-5"]);
    run(Command::new("dwz").arg(&built.program));
    let mut running = Running::start(&built.program, "wait");
    running.report.without_twice();
    running.report.check(&running.attach());
    running.finish();
}

#[test]
fn two_images_with_the_same_name() {
    let built = Built::shared("gcc", &["-gdwarf-5"]);
    let running = Running::start(&built.program, "wait");
    let target = running.attach();
    let (program, library) = (image_index(&target, "program"), image_index(&target, "library"));
    let size = |prefer| target.size_of(target.find_type("twice", prefer).unwrap());
    assert_ne!(size(Some(program)), size(Some(library)));
    // Without a preference the order of the link map counts.
    assert_eq!(size(None), size(Some(program)));
    assert!(target.images()[program].has_types());
    drop(target);
    running.finish();
}

#[test]
fn stripped_of_types() {
    let built = Built::shared("gcc", &[]);
    let running = Running::start(&built.program, "wait");
    let target = running.attach();
    running.report.check_symbols(&target, true);
    assert_eq!(target.find_type("plain", None), None);
    assert!(!target.images()[0].has_types());
    drop(target);
    running.finish();
}

/// Shapes of DWARF that gcc does not make; see the comments in the file.
#[test]
fn hand_written_units() {
    let built = Built::with("gcc", &["-gdwarf-5"], &["odd.s"]);
    let mut running = Running::start(&built.program, "wait");
    running.report.without_twice();
    let target = running.attach();
    running.report.check(&target);
    for (name, size, fields) in [
        ("odd_indexed", 24, &[("indexed_first", 0), ("indexed_second", 16)][..]),
        ("odd", 3, &[("in", 2)]),
        ("odd_expression", 40, &[("by_expression", 33)]),
    ] {
        let ty = target.find_type(name, None).unwrap_or_else(|| panic!("{name} is not found"));
        assert_eq!(target.size_of(ty), Some(size), "{name}");
        for (field, offset) in fields {
            assert_eq!(target.field_offset(ty, field), Some(*offset), "{name}.{field}");
        }
    }
    // A type of another language does not answer to a C name.
    assert_eq!(target.find_type("odd_pascal", None), None);
    drop(target);
    running.finish();
}

/// Rust has base types of the same names as C, of other sizes.
#[test]
fn types_of_rust_are_not_those_of_c() {
    let dir = tempfile::TempDir::new().unwrap();
    let (source, library) = (dir.path().join("rusty.rs"), dir.path().join("librusty.so"));
    let text = "#[no_mangle] pub extern \"C\" fn rusty() { println!(\"{}\", PLAIN.a) }
                #[repr(C)] pub struct plain { pub a: char } #[no_mangle] pub static PLAIN: plain = \
                plain { a: 'x' };";
    std::fs::write(&source, text).unwrap();
    run(Command::new("rustc").args(["-g", "--crate-type=cdylib", "-o"]).args([&library, &source]));
    let built = Built::shared("gcc", &["-gdwarf-5"]);
    let running = Running::start_command(
        Command::new(&built.program).arg("wait").env("LD_PRELOAD", &library),
    );
    let target = running.attach();
    let rust = image_index(&target, "librusty");
    assert!(target.images()[rust].has_types());
    assert_eq!(target.size_of(target.find_type("char", Some(rust)).unwrap()), Some(1));
    running.report.check(&target);
    drop(target);
    running.finish();
}
