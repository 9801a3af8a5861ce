//! Inputs that once crashed a reader, or are examples of a kind of damage. No reader may fail on
//! them.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn every_input_is_survived() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut inputs = 0;
    for target in fs::read_dir(corpus).unwrap().flatten() {
        let files: Vec<_> =
            fs::read_dir(target.path()).unwrap().flatten().map(|file| file.path()).collect();
        inputs += files.len();
        let replay = Command::new(env!("CARGO_BIN_EXE_mqd-fuzz"))
            .arg("replay")
            .arg(target.file_name())
            .args(&files)
            .output()
            .unwrap();
        assert!(replay.status.success(), "{}", String::from_utf8_lossy(&replay.stderr));
        let lines = String::from_utf8_lossy(&replay.stdout).lines().count();
        assert_eq!(lines, files.len());
    }
    assert!(inputs > 0, "there are no inputs");
}

#[test]
fn a_target_that_is_not_there() {
    let run =
        Command::new(env!("CARGO_BIN_EXE_mqd-fuzz")).args(["replay", "cores"]).output().unwrap();
    assert_eq!(run.status.code(), Some(2));
    let told = String::from_utf8_lossy(&run.stderr);
    assert!(told.contains("agent, core, dwarf, elf, layout, memory, memory-companion"), "{told}");
}
