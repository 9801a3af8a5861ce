//! Builds the C programs, runs them, and compares what they say of themselves with what a `Target`
//! finds out.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::LazyLock;

use mqd_inspect::image::FileCache;
use mqd_inspect::process::{CoreOptions, LiveOptions, ReadError, Target};
use tempfile::TempDir;

/// Runs a command that has to succeed; says what to install if it is not there.
pub(crate) fn run(command: &mut Command) -> Output {
    let name = command.get_program().to_string_lossy().into_owned();
    let package = match name.as_str() {
        "gcc" => "gcc",
        "s390x-linux-gnu-gcc" => "gcc-s390x-linux-gnu libc6-dev-s390x-cross",
        "i686-linux-gnu-gcc" => "gcc-i686-linux-gnu libc6-dev-i386-cross",
        "qemu-s390x-static" => "qemu-user-static",
        "gcore" => "gdb",
        "ldd" => "libc-bin",
        "rustc" => "rustc",
        "objcopy" | "strip" | "readelf" | "nm" => "binutils",
        name => name,
    };
    let output = command.output().unwrap_or_else(|error| {
        panic!("this test needs {name} ({error}): apt-get install {package}");
    });
    assert!(
        output.status.success(),
        "{command:?} failed: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// The files that the targets share: the system's libraries may have big debug files, which need to
/// be read only once.
pub(crate) fn shared_files() -> FileCache {
    static FILES: LazyLock<FileCache> = LazyLock::new(FileCache::default);
    FILES.clone()
}

/// Options for a core file that share files.
pub(crate) fn core_options() -> CoreOptions {
    CoreOptions { files: shared_files(), ..CoreOptions::default() }
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/process/c").join(name)
}

/// A directory of its own with a program and a library in it.
pub(crate) struct Built {
    pub(crate) dir: TempDir,
    pub(crate) program: PathBuf,
    pub(crate) library: PathBuf,
}

impl Built {
    /// The program, linked with the library (`libfixture.so`).
    pub(crate) fn shared(compiler: &str, flags: &[&str]) -> Built {
        let dir = TempDir::new().unwrap();
        let (program, library) = (dir.path().join("program"), dir.path().join("libfixture.so"));
        build_library(compiler, flags, &library);
        let rpath = format!("-Wl,-rpath,{}", dir.path().display());
        let mut command = Command::new(compiler);
        command.args(flags).arg("-o").arg(&program).arg(source("program.c")).arg(&library);
        run(command.args([&rpath, "-rdynamic", "-pthread", "-ldl", "-Wl,--build-id"]));
        Built { dir, program, library }
    }

    /// The program with the library linked into it.
    pub(crate) fn whole(compiler: &str, flags: &[&str]) -> Built {
        Built::with(compiler, flags, &[])
    }

    /// The same with more sources.
    pub(crate) fn with(compiler: &str, flags: &[&str], more: &[&str]) -> Built {
        let dir = TempDir::new().unwrap();
        let program = dir.path().join("program");
        let mut command = Command::new(compiler);
        command
            .args(flags)
            .arg("-o")
            .arg(&program)
            .args([source("program.c"), source("library.c")]);
        command.args(more.iter().map(|name| source(name)));
        run(command.args(["-pthread", "-ldl", "-Wl,--build-id"]));
        let library = program.clone();
        Built { dir, program, library }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

pub(crate) fn build_library(compiler: &str, flags: &[&str], library: &Path) {
    let mut command = Command::new(compiler);
    command.args(flags).args(["-shared", "-fPIC", "-Wl,--build-id", "-o"]).arg(library);
    run(command.arg(source("library.c")));
}

pub(crate) fn build_plugin(flags: &[&str], plugin: &Path) {
    let mut command = Command::new("gcc");
    command.args(flags).args(["-shared", "-fPIC", "-Wl,--build-id"]);
    command.args(["-Wl,--section-start=.aside=0x100000", "-o"]).arg(plugin);
    run(command.arg(source("plugin.c")));
}

/// What a program says of itself.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) sizes: Vec<(String, u64)>,
    pub(crate) offsets: Vec<(String, String, u64)>,
    /// Name, address, bytes.
    pub(crate) data: Vec<(String, u64, Vec<u8>)>,
    pub(crate) functions: Vec<(String, u64)>,
}

impl Report {
    pub(crate) fn parse<'a>(lines: impl IntoIterator<Item = &'a str>) -> Report {
        let mut report = Report::default();
        for line in lines {
            let hex = |text: &str| u64::from_str_radix(text, 16).unwrap();
            match line.split('|').collect::<Vec<_>>()[..] {
                ["size", name, size] => report.sizes.push((name.into(), size.parse().unwrap())),
                ["offset", name, field, at] => {
                    report.offsets.push((name.into(), field.into(), at.parse().unwrap()))
                }
                ["function", name, address] => report.functions.push((name.into(), hex(address))),
                ["data", name, address, bytes] => {
                    let bytes = (0..bytes.len())
                        .step_by(2)
                        .map(|at| hex(&bytes[at..at + 2]) as u8)
                        .collect();
                    report.data.push((name.into(), hex(address), bytes));
                }
                _ => panic!("the program says: {line}"),
            }
        }
        assert!(
            report.sizes.len() > 15 && report.offsets.len() > 50,
            "the report is cut off: {report:?}"
        );
        assert!(
            report.data.len() > 5 && report.functions.len() >= 3,
            "the report is cut off: {report:?}"
        );
        report
    }

    /// Leaves out what only separate images can tell apart: the two `struct twice`.
    pub(crate) fn without_twice(&mut self) {
        self.sizes.retain(|(name, _)| !name.contains(':'));
        self.offsets.retain(|(name, ..)| !name.contains(':'));
    }

    pub(crate) fn address(&self, name: &str) -> u64 {
        self.data
            .iter()
            .find(|(known, ..)| known == name)
            .unwrap_or_else(|| panic!("{name} is not reported"))
            .1
    }

    pub(crate) fn bytes(&self, name: &str) -> &[u8] {
        &self
            .data
            .iter()
            .find(|(known, ..)| known == name)
            .unwrap_or_else(|| panic!("{name} is not reported"))
            .2
    }

    /// All types as the program has them.
    pub(crate) fn check_types(&self, target: &Target) {
        let find = |name: &str| {
            let (bare, prefer) = match name.split_once(':') {
                Some((owner, bare)) => (bare, Some(image_index(target, owner))),
                None => (name, None),
            };
            target.find_type(bare, prefer).unwrap_or_else(|| panic!("type {name} is not found"))
        };
        for (name, size) in &self.sizes {
            assert_eq!(target.size_of(find(name)), Some(*size), "size of {name}");
        }
        for (name, field, offset) in &self.offsets {
            assert_eq!(
                target.field_offset(find(name), field),
                Some(*offset),
                "offset of {name}.{field}"
            );
        }
        let plain = find("plain");
        assert_eq!(target.field_offset(plain, "nothing"), None);
        for absent in ["local_only", "nothing", "struct plain_t", "unsigned double", ""] {
            assert_eq!(target.find_type(absent, None), None, "{absent:?}");
        }
    }

    /// All symbols where the program has them. `hidden`: static ones too.
    pub(crate) fn check_symbols(&self, target: &Target, hidden: bool) {
        for (name, address, bytes) in
            self.data.iter().filter(|(name, ..)| hidden || !name.starts_with("hidden"))
        {
            let symbol =
                target.find_symbol(name).unwrap_or_else(|| panic!("symbol {name} is not found"));
            assert_eq!(symbol.address, *address, "address of {name}");
            assert_eq!(symbol.size, bytes.len() as u64, "size of {name}");
            assert_eq!(symbol.global, !name.starts_with("hidden"));
            assert_eq!(target.find_function(name), None, "{name} is not a function");
        }
        for (name, address) in
            self.functions.iter().filter(|(name, ..)| hidden || name == "library_function")
        {
            let symbol = target
                .find_function(name)
                .unwrap_or_else(|| panic!("function {name} is not found"));
            assert_eq!(symbol.address, *address, "address of {name}");
            assert_eq!(target.find_symbol(name), Some(symbol));
        }
        assert_eq!(target.find_symbol("no_such_symbol"), None);
    }

    /// All memory as the program has it.
    pub(crate) fn check_memory(&self, target: &Target) {
        for (name, address, bytes) in &self.data {
            assert_eq!(
                read(target, *address, bytes.len()).as_ref(),
                Ok(bytes),
                "contents of {name}"
            );
        }
    }

    pub(crate) fn check(&self, target: &Target) {
        self.check_memory(target);
        self.check_symbols(target, true);
        self.check_types(target);
    }
}

/// The image whose file name contains a word.
pub(crate) fn image_index(target: &Target, word: &str) -> usize {
    let word = if word == "library" && target.images().len() > 1 { "libfixture" } else { word };
    let named = |image: &mqd_inspect::image::Image| {
        image.path().file_name().is_some_and(|name| name.to_string_lossy().contains(word))
    };
    target
        .images()
        .iter()
        .position(named)
        .unwrap_or_else(|| panic!("no image {word}: {:?}", target.images()))
}

pub(crate) fn read(target: &Target, address: u64, size: usize) -> Result<Vec<u8>, ReadError> {
    let mut bytes = vec![0xee; size];
    target.read(address, &mut bytes).map(|()| bytes)
}

/// A number of the target by its symbol.
pub(crate) fn number(target: &Target, name: &str) -> u64 {
    let symbol = target.find_symbol(name).unwrap_or_else(|| panic!("symbol {name} is not found"));
    let bytes = read(target, symbol.address, symbol.size.min(8) as usize).unwrap();
    target.arch().unsigned(&bytes)
}

/// A program that has reported and waits.
pub(crate) struct Running {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    pub(crate) report: Report,
}

impl Running {
    pub(crate) fn start(program: &Path, mode: &str) -> Running {
        Running::start_command(Command::new(program).arg(mode))
    }

    pub(crate) fn start_command(command: &mut Command) -> Running {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert_ne!(
                output.read_line(&mut line).unwrap(),
                0,
                "{command:?} ended early: {lines:?}"
            );
            match line.trim_end() {
                "ready" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let report = Report::parse(lines.iter().map(String::as_str));
        Running { child, input, output, report }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn attach(&self) -> Target {
        let options = LiveOptions { files: shared_files(), ..LiveOptions::default() };
        Target::attach_with(self.pid(), &options).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Asks the program whether it runs; returns how many signals it got.
    pub(crate) fn alive(&mut self) -> u32 {
        self.input.as_mut().unwrap().write_all(b"?").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end()
            .strip_prefix("alive|")
            .unwrap_or_else(|| panic!("the program says {line:?}"))
            .parse()
            .unwrap()
    }

    /// Lets the program end by itself; its exit status says that all went well.
    pub(crate) fn finish(mut self) {
        drop(self.input.take());
        assert_eq!(self.child.wait().unwrap().code(), Some(7));
    }

    /// Waits for an end that the test has caused.
    pub(crate) fn end(mut self) -> (Report, ExitStatus) {
        let mut rest = Vec::new();
        let _ = self.output.read_to_end(&mut rest);
        (std::mem::take(&mut self.report), self.child.wait().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The states of a process's threads as the kernel tells them, by thread id.
pub(crate) fn thread_states(pid: u32) -> HashMap<u32, char> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let state = |thread: u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/task/{thread}/stat")).ok()?;
        Some((thread, stat.rsplit_once(") ")?.1.chars().next()?))
    };
    entries.flatten().filter_map(|entry| state(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// Waits for a condition that has to come true. Gives up after a time that no machine needs.
pub(crate) fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    for _ in 0..10_000 {
        if condition() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    panic!("{what} did not happen");
}

/// Runs a program that reports and dies; returns the report and the core file that the kernel
/// wrote.
pub(crate) fn dump_core(command: &mut Command, dir: &Path) -> (Report, PathBuf) {
    if !Path::new(command.get_program()).is_absolute() {
        run(Command::new(command.get_program()).arg("--version")); // Is it there?
    }
    let shell = "ulimit -c unlimited; exec \"$0\" \"$@\"";
    let mut wrapped = Command::new("sh");
    wrapped
        .arg("-c")
        .arg(shell)
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(dir);
    for (name, value) in command.get_envs() {
        wrapped.env(name, value.unwrap_or_default());
    }
    let (report, _) = Running::start_command(&mut wrapped).end();
    (report, core_in(dir))
}

/// The core file in a directory.
fn core_in(dir: &Path) -> PathBuf {
    let mut files: Vec<_> =
        fs::read_dir(dir).unwrap().flatten().map(|entry| entry.path()).collect();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    // The emulator dies itself after it has written the guest's core, whose name ends in `.core`.
    files.sort_by_key(|path| !name(path).ends_with(".core"));
    let core = files
        .into_iter()
        .find(|path| name(path).starts_with("core") || name(path).ends_with(".core"));
    core.unwrap_or_else(|| {
        let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
        panic!(
            "no core file in {}: this test needs kernel cores in the working directory, \
             core_pattern is {pattern:?} (as root: sysctl kernel.core_pattern=core)",
            dir.display()
        )
    })
}

/// Numbers that look random and are the same in every run.
pub(crate) struct Noise(u64);

impl Noise {
    pub(crate) fn new() -> Noise {
        Noise(0x9e37_79b9_7f4a_7c15)
    }

    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    /// Changes up to `count` bytes of a part of a file.
    pub(crate) fn damage(&mut self, bytes: &mut [u8], part: std::ops::Range<usize>, count: usize) {
        for _ in 0..1 + self.below(count) {
            let at = part.start + self.below(part.len());
            bytes[at] = [0, 0xff, 0x80, self.below(256) as u8][self.below(4)];
        }
    }
}
