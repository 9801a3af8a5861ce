//! Tables of the user's directory. The library looks at the environment of its process, so each
//! case has a process of its own.

use crate::support::dll::path;
use crate::support::heap;
use crate::support::machine::{Layouts, Machine};
use crate::support::open_mpi::{Model, Receive, Series, Writer, of_table};
use crate::support::process::{Region, SyntheticProcess};
use crate::support::session::Session;
use std::ffi::CString;
use std::fmt::Write;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::Command;

/// Set in the child: the case.
const CASE: &str = "LIBMQD_TABLE_CASE";

/// Layouts of a build that no shipped table fits.
fn foreign() -> Layouts {
    let mut layouts = of_table(Series::Four);
    layouts.get_mut("ompi_communicator_t").expect("a structure").size += 16;
    layouts
}

fn table(layouts: &Layouts) -> String {
    let mut text = String::from(
        "mqd-layout 1\nlibrary openmpi\nmachine little-endian int 4 long 8 pointer 8\n",
    );
    for (name, layout) in layouts {
        writeln!(text, "struct {name} {}", layout.size).expect("a string");
        for (field, (offset, _)) in &layout.offsets {
            writeln!(text, "  {field} {offset} 0").expect("a string");
        }
    }
    text
}

/// Puts an ELF header and a note with a build-id in front of the process's memory, with pages
/// between that cannot be read.
fn with_image(mut process: SyntheticProcess, id: &[u8]) -> SyntheticProcess {
    let anchor = process.symbols["ompi_version_string"];
    let start = (anchor & !0xfff) - 0x40_0000;
    let mut bytes = vec![0u8; 4096];
    let put = |bytes: &mut Vec<u8>, at: usize, value: u64, size: usize| {
        bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
    };
    bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
    // Program headers at 64, two of 56 bytes: all of the image, linked at 0x10000, and the notes.
    for (at, value, size) in [(32, 64, 8), (54, 56, 2), (56, 2, 2)] {
        put(&mut bytes, at, value, size);
    }
    for (at, kind, address, length) in
        [(64, 1, 0x10000, 0x50_0000), (120, 4, 0x10200, 36 + id.len() as u64)]
    {
        put(&mut bytes, at, kind, 4);
        put(&mut bytes, at + 16, address, 8);
        put(&mut bytes, at + 40, length, 8);
    }
    // Another note before it.
    for (at, value) in
        [(0x200, 1), (0x204, 1), (0x208, 1), (0x214, 4), (0x218, id.len() as u64), (0x21c, 3)]
    {
        put(&mut bytes, at, value, 4);
    }
    bytes[0x20c] = b'x';
    bytes[0x220..0x224].copy_from_slice(b"GNU\0");
    bytes[0x224..0x224 + id.len()].copy_from_slice(id);
    process.regions.insert(0, Region { start, bytes });
    process
}

/// What the child finds: `read`, or the text of the refusal.
fn child(case: &str) -> String {
    let model = Model { receives: vec![Receive::new(0, 2, 5)], ..Model::world(1, 4) };
    let layouts = if case == "shipped" { of_table(Series::Four) } else { foreign() };
    let mut process = Writer::write(&model, Machine::LP64, layouts.clone());
    if case == "id" {
        process = with_image(process, &[0x2a, 0x00, 0xff, 0x10]);
    }
    let mut session = Session::new(process);
    session.debugger.forget_all_types();
    match session.open() {
        Ok(()) => {
            assert_eq!(session.read(), model.expected(&layouts));
            // Memory that the debugger refuses is an error code here too, whatever the standard
            // library does for the files.
            for blocks in 0.. {
                heap::refuse_after(Some(blocks));
                let result = session.process_has_queues();
                heap::refuse_after(None);
                match result {
                    Ok(()) if blocks > 10 => return "read".to_owned(),
                    Ok(()) => panic!("nothing was refused"),
                    Err(refusal) => {
                        assert!(refusal.text.contains("no more memory"), "{}", refusal.text)
                    }
                }
            }
            unreachable!("there is an end")
        }
        Err(refusal) => refusal.text,
    }
}

#[test]
fn tables_of_the_directory_come_first() {
    if let Ok(case) = std::env::var(CASE) {
        println!("\nFOUND {}", child(&case));
        return;
    }
    path();
    let directory = tempfile::tempdir().expect("a directory");
    let found = |case: &str, variable: &Path| {
        let output = Command::new(std::env::current_exe().expect("tests have a path"))
            .args([
                "--exact",
                "open_mpi::directory::tables_of_the_directory_come_first",
                "--nocapture",
            ])
            .env(CASE, case)
            .env("MQD_LAYOUT_DIR", variable)
            .output()
            .expect("the child runs");
        let out = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success(), "{out}");
        out.lines().find_map(|line| line.strip_prefix("FOUND ")).expect("an answer").to_owned()
    };
    let here = directory.path();
    assert!(found("foreign", here).contains("no layout table fits"));
    assert!(found("foreign", Path::new("")).contains("no layout table fits"));
    assert!(found("foreign", &here.join("nowhere")).contains("no layout table fits"));
    // Each of the names that are looked for.
    for (name, case) in [
        ("openmpi-4.1.4.layout", "foreign"),
        ("openmpi-4.1.layout", "foreign"),
        ("openmpi.layout", "foreign"),
        ("2a00ff10.layout", "id"),
    ] {
        std::fs::write(here.join(name), table(&foreign())).expect("can be written");
        assert_eq!(found(case, here), "read", "{name}");
        // A table that does not fit, and a file that is not a table.
        std::fs::write(here.join(name), table(&of_table(Series::Four))).expect("can be written");
        assert!(found(case, here).contains("no layout table fits"), "{name}");
        std::fs::write(here.join(name), "mqd-layout 1\nlibrary openmpi\ncolour blue\n")
            .expect("can be written");
        let text = found(case, here);
        assert!(
            text.contains("cannot be used")
                && text.contains("no line of a table begins with this word"),
            "{text}"
        );
        // The shipped ones are still there.
        assert_eq!(found("shipped", here), "read");
        std::fs::remove_file(here.join(name)).expect("was written");
    }
    // Files that are not to be read.
    std::fs::write(here.join("openmpi.layout"), "#".repeat(1 << 20)).expect("can be written");
    assert!(found("foreign", here).contains("too long"));
    std::fs::write(here.join("openmpi.layout"), b"mqd-layout 1\n\xff\xfe").expect("can be written");
    assert!(found("foreign", here).contains("not UTF-8"));
    let other = table(&foreign()).replace("openmpi", "mpich");
    std::fs::write(here.join("openmpi.layout"), other).expect("can be written");
    assert!(found("foreign", here).contains("another library"));
    std::fs::remove_file(here.join("openmpi.layout")).expect("was written");
    // Nobody writes into the pipe: the DLL must not wait for it.
    let pipe =
        CString::new(here.join("openmpi.layout").into_os_string().into_vec()).expect("a path");
    // SAFETY: a path that ends with a NUL.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    assert!(found("foreign", here).contains("not a regular file"));
    let far = here.join("long/".repeat(80));
    assert!(found("foreign", &far).contains("the path in MQD_LAYOUT_DIR is too long"));
}
