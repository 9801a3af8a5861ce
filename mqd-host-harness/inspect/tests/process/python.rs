//! Frames of Python, compared with what Python says itself.

mod installed;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use mqd_inspect::process::{LiveOptions, ScriptFrame, Target};
use tempfile::TempDir;

use self::installed::pythons;
use crate::common::{core_options, eventually, run, shared_files};

/// Frames of Python by thread, the innermost first.
type Frames = BTreeMap<u32, Vec<ScriptFrame>>;

/// A program of Python that has told where its threads are.
struct Program {
    child: Child,
    told: Frames,
}

impl Program {
    fn start(python: &Path) -> Program {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/process/python/where.py");
        let mut command = Command::new(python);
        command.arg("-u").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut told = Frames::new();
        let mut thread = 0;
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            match line.strip_prefix("thread ") {
                Some(id) => thread = id.parse().unwrap(),
                None => told.entry(thread).or_default().push(frame(&line)),
            }
            // The main thread tells last, and its outermost frame is that of the script.
            if thread == child.id() && line.starts_with("<module>") {
                break;
            }
        }
        assert_eq!(told.len(), 2, "{told:?}");
        Program { child, told }
    }

    /// What a target of this program shows is what the program has told.
    fn check(&self, shown: &Target) -> bool {
        let shown = frames(shown);
        self.told.iter().all(|(thread, told)| shown.get(thread) == Some(told))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn frame(line: &str) -> ScriptFrame {
    let mut parts = line.split('|').map(str::to_owned);
    let mut part = || parts.next().unwrap();
    ScriptFrame { function: part(), file: part(), line: Some(part().parse().unwrap()) }
}

fn frames(target: &Target) -> Frames {
    let stacks = target.stacks();
    let of = |thread: &mqd_inspect::process::ThreadStack| {
        let scripts = thread.scripts.iter().flat_map(|script| script.frames.clone());
        (thread.id, scripts.collect::<Vec<_>>())
    };
    stacks.threads().iter().map(of).collect()
}

#[test]
fn frames_are_those_that_python_knows() {
    for python in pythons() {
        let program = Program::start(&python);
        eventually(&format!("{} shows {:?}", python.display(), program.told), || {
            let options = LiveOptions { files: shared_files(), ..LiveOptions::default() };
            program.check(&Target::attach_with(program.child.id(), &options).unwrap())
        });
    }
}

#[test]
fn frames_in_a_core_file() {
    let program = Program::start(Path::new("/usr/bin/python3"));
    let directory = TempDir::new().unwrap();
    let pid = program.child.id().to_string();
    eventually("a core file shows them", || {
        run(Command::new("gcore").arg("-o").arg(directory.path().join("core")).arg(&pid));
        let core = directory.path().join(format!("core.{pid}"));
        program.check(&Target::open_core(&core, &core_options()).unwrap())
    });
}
