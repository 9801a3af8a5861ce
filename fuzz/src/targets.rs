//! What is run with an input.

use std::cell::RefCell;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use fastrand::Rng;
use mqd_host::dump::Dumper;
use mqd_host::fanout;
use mqd_host::outcome::Outcome;
use mqd_host::request::Options;
use mqd_host::snapshot::{self, Entry, Snapshot};
use mqd_inspect::image::{FileCache, Image, find_layout};
use mqd_inspect::process::{CoreOptions, Target as Process};
use mqd_report::check::{check, check_again};
use mqd_report::graph::{Graph, GraphOptions};
use mqd_report::render::{self, HumanOptions};
use mqd_report::stacks::merge;
use mqd_report::{Report, graph};

use crate::mutate;

/// A reader.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Reads an input. The number identifies the result.
    pub(crate) run: fn(&Scratch, &[u8]) -> u64,
    /// Changes an input, perhaps with a part of another one.
    pub(crate) mutate: fn(&mut Rng, &mut Vec<u8>, &[u8]),
}

/// All targets.
pub(crate) const ALL: &[Target] = &[
    Target { name: "agent", run: agent, mutate: mutate::bytes },
    Target { name: "core", run: core, mutate: mutate::bytes },
    Target { name: "dwarf", run: elf, mutate: mutate::words },
    Target { name: "elf", run: elf, mutate: mutate::bytes },
    Target { name: "layout", run: layout, mutate: mutate::lines },
    Target { name: "memory", run: memory, mutate: mutate::bytes },
    Target { name: "memory-companion", run: memory, mutate: mutate::words },
    Target { name: "memory-libfabric", run: memory, mutate: mutate::words },
    Target { name: "memory-mpich", run: memory, mutate: mutate::words },
    Target { name: "memory-openmpi", run: memory, mutate: mutate::words },
    Target { name: "memory-ucx", run: memory, mutate: mutate::words },
    Target { name: "processes", run: processes, mutate: mutate::bytes },
    Target { name: "report", run: report, mutate: mutate::json },
    Target { name: "snapshot", run: snapshot, mutate: mutate::bytes },
];

/// The target of that name.
pub(crate) fn named(name: &str) -> Result<&'static Target, String> {
    let names = || ALL.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    let found = ALL.iter().find(|target| target.name == name);
    found.ok_or_else(|| format!("there is no such target; these are there: {}", names()))
}

/// What the targets use again for each input.
pub(crate) struct Scratch {
    /// For inputs that are read from a file.
    file: File,
    path: PathBuf,
    _directory: tempfile::TempDir,
    /// The libraries of this machine that core files name.
    files: FileCache,
    /// Has the debug DLL.
    dumper: RefCell<Dumper>,
}

impl Scratch {
    pub(crate) fn new() -> Result<Scratch> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("input");
        let file = File::create(&path)?;
        let dumper = RefCell::new(Dumper::new(Options::default()));
        Ok(Scratch { file, path, _directory: directory, files: FileCache::default(), dumper })
    }

    /// The path of a file with these bytes.
    fn with(&self, bytes: &[u8]) -> &PathBuf {
        self.file.set_len(0).and_then(|()| self.file.write_all_at(bytes, 0)).expect("a full disk");
        &self.path
    }
}

/// A number for the result of an input: the kind of an error without its numbers, or how much was
/// found.
fn signature(words: &[&str], counts: &[usize]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for word in words {
        let kind: String = word.chars().filter(|char| !char.is_ascii_hexdigit()).take(60).collect();
        kind.hash(&mut hasher);
    }
    // Twice as many count as something new, one more does not.
    counts
        .iter()
        .for_each(|count| usize::BITS.wrapping_sub(count.leading_zeros()).hash(&mut hasher));
    hasher.finish()
}

/// A layout table of a user's.
fn layout(_: &Scratch, bytes: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(bytes);
    match mqd_layout::Table::parse(&text) {
        Err(error) => signature(&[&error.to_string()], &[]),
        Ok(table) => {
            let fields: usize = table.structures().map(|one| one.fields().count()).sum();
            let found = table.structure("mca_pml_base_pml_t").is_some();
            signature(&[table.library()], &[table.symbols().count(), fields, found.into()])
        }
    }
}

/// A report, and everything that is made of one.
fn report(_: &Scratch, bytes: &[u8]) -> u64 {
    let report = match Report::from_json(bytes) {
        Err(error) => return signature(&[&error.to_string()], &[]),
        Ok(report) => report,
    };
    let diagnosis = check(&report);
    let again = check_again(&report, &report, 1.0);
    let looks = [report.clone()];
    let options = GraphOptions::default();
    let drawn = Graph::new(&report, Some(&diagnosis), &options);
    let sizes = [
        render::human(&report, &HumanOptions::default()).lines().count(),
        render::csv(&report).lines().count(),
        render::check(&diagnosis, true).lines().count(),
        render::stacks(&merge(&looks, |_| None), false).lines().count(),
        graph::svg(&drawn).len() / 1000,
        graph::dot(&drawn).lines().count(),
        diagnosis.findings.len(),
        again.findings.len(),
    ];
    let kinds: Vec<_> =
        diagnosis.findings.iter().map(|finding| format!("{:?}", finding.kind)).collect();
    signature(&kinds.iter().map(String::as_str).collect::<Vec<_>>(), &sizes)
}

/// A frame of a snapshot with processes: how many it says that it has, and its content.
fn processes(scratch: &Scratch, bytes: &[u8]) -> u64 {
    let (count, content) = bytes.split_first().unwrap_or((&1, &[]));
    let file = snapshot::of_content(content, (*count).into());
    snapshot(scratch, &file.unwrap_or_default())
}

/// The bytes of a snapshot's file.
fn snapshot(scratch: &Scratch, bytes: &[u8]) -> u64 {
    let snapshot = match Snapshot::open(scratch.with(bytes)) {
        Err(error) => return signature(&[&error.to_string()], &[]),
        Ok(snapshot) => snapshot,
    };
    let entries = snapshot.entries();
    let damage = snapshot.damage().iter().map(|damage| damage.what.as_str()).collect::<Vec<_>>();
    let recordings = (0..entries.len().min(4))
        .filter(|process| snapshot.recording(*process).is_ok_and(|it| it.is_some()))
        .count();
    signature(&damage, &[entries.len(), recordings, snapshot.report().processes.len()])
}

/// What an agent on another host sends: the bytes as they come, and as the content of a frame.
fn agent(_: &Scratch, bytes: &[u8]) -> u64 {
    // Pipes cut an answer anywhere.
    let piece = 1 + usize::from(bytes.first().copied().unwrap_or(0)) * 64;
    let framed = fanout::last_frame(bytes).unwrap_or_default();
    let answers = [bytes.chunks(piece), framed.chunks(piece)];
    let told = answers.map(|pieces| match fanout::read_answer(pieces) {
        Err(error) => (error.to_string(), 0, 0),
        Ok((outcomes, found)) => (String::new(), outcomes.len(), found.len()),
    });
    signature(
        &told.each_ref().map(|(error, ..)| error.as_str()),
        &[told[0].1, told[0].2, told[1].1, told[1].2],
    )
}

/// The memory of a process, as the debug DLL reads it: an entry of a snapshot.
fn memory(scratch: &Scratch, bytes: &[u8]) -> u64 {
    let entry: Entry = match rmp_serde::from_slice(bytes) {
        Err(error) => return signature(&[&error.to_string()], &[]),
        Ok(entry) => entry,
    };
    let outcome = scratch.dumper.borrow_mut().replay_alone(entry);
    // The DLL lets no panic out: it reports one as its own fault.
    let of_dll = |text: &str| text.contains("because of a bug in libmqd");
    let (errors, warnings) = (&outcome.process.errors, &outcome.warnings);
    assert!(!errors.iter().any(|error| of_dll(&error.text)), "{errors:?}");
    assert!(!warnings.iter().any(|warning| of_dll(warning)), "{warnings:?}");
    of_outcome(&outcome)
}

/// Writes the processes of a snapshot as inputs of the target `memory`, the answers of an agent
/// that sends the snapshot as those of `agent`, and its frames as those of `processes`.
pub(crate) fn split(path: &Path, directory: &Path, agent: &Path, processes: &Path) -> Result<()> {
    // A host's name, and nothing found.
    let done = rmp_serde::to_vec_named(&("node1", [(); 0]))?;
    let answer = [std::fs::read(path)?, fanout::last_frame(&done)?].concat();
    std::fs::write(agent.join("answer"), answer)?;
    std::fs::write(agent.join("content"), done)?;
    let snapshot = Snapshot::open(path)?;
    for (number, (count, content)) in snapshot.contents().enumerate() {
        let input = [&[u8::try_from(count)?], content.as_slice()].concat();
        std::fs::write(processes.join(format!("frame-{number}")), input)?;
    }
    for (process, mut entry) in snapshot.entries() {
        entry.recording = snapshot.recording(process)?.map(Box::new);
        entry.pages.clear();
        std::fs::write(directory.join(format!("{process}")), rmp_serde::to_vec_named(&entry)?)?;
    }
    Ok(())
}

/// A core file.
fn core(scratch: &Scratch, bytes: &[u8]) -> u64 {
    let path = scratch.with(bytes);
    let options = CoreOptions { files: scratch.files.clone(), ..CoreOptions::default() };
    match Process::open_core(path, &options) {
        Err(error) => signature(&[&error.to_string()], &[]),
        Ok(process) => {
            let images = process.images().len();
            let stacks = process.stacks();
            let threads = stacks.threads().len();
            let symbol = process.find_symbol("main").is_some();
            signature(&[], &[images, threads, symbol.into(), process.warnings().len()])
        }
    }
}

/// An ELF file with debug information.
fn elf(scratch: &Scratch, bytes: &[u8]) -> u64 {
    match Image::open(scratch.with(bytes), &[]) {
        Err(error) => signature(&[&error.to_string()], &[]),
        Ok(image) => {
            let fields =
                |name| find_layout(name, &[&image]).map_or(0, |layout| layout.fields.len());
            signature(
                &[],
                &[
                    fields("struct outer"),
                    fields("list_t"),
                    image.address_of("variable").is_some().into(),
                    image.bytes_of("variable").is_some().into(),
                    image.build_id().map_or(0, <[u8]>::len),
                    image.debug_file_warnings().len(),
                ],
            )
        }
    }
}

fn of_outcome(outcome: &Outcome) -> u64 {
    let mut words: Vec<String> =
        outcome.process.errors.iter().map(|problem| format!("{:?}", problem.kind)).collect();
    words.push(format!("{:?}", outcome.extent));
    let operations: usize = outcome.process.communicators.iter().map(|one| one.operations()).sum();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let counts = [outcome.process.communicators.len(), operations, outcome.warnings.len()];
    signature(&words, &counts)
}
