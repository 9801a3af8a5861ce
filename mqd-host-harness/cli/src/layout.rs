//! `mqd layout`: makes, lists and checks layout tables.

mod learn;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use mqd_layout::{Machine, Table};

use super::args::{Layout, LayoutExtract, LayoutProbe, LayoutVerify};
use super::exit::Exit;
use super::output::{complain, print};
use mqd_host::dll;
use mqd_host::snapshot::is_snapshot;
use mqd_host::tables::{self, Agreement, DIRECTORY_VARIABLE, Extract, LayoutTable, Probe, Shelf};
use mqd_inspect::image::Image;
use mqd_inspect::process::{CoreOptions, LiveOptions, Target};

pub(super) fn run(command: &Layout) -> Exit {
    match command {
        Layout::Extract(args) => extract(args),
        Layout::Probe(args) => probe(args).unwrap_or_else(|exit| exit),
        Layout::Learn(args) => learn::run(args).unwrap_or_else(|exit| exit),
        Layout::List => list(),
        Layout::Show { table } => match named(&Shelf::load(), table) {
            Ok(entry) => print(entry.text(), is_table(&entry)),
            Err(exit) => exit,
        },
        Layout::Verify(args) => verify(args).unwrap_or_else(|exit| exit),
    }
}

/// Prints an error if it is not a table.
fn is_table(entry: &LayoutTable) -> Exit {
    match entry.table() {
        Ok(_) => Exit::Complete,
        Err(error) => {
            complain(&format!("{} is not a layout table: {error}", entry.origin()));
            Exit::Unreadable
        }
    }
}

fn extract(args: &LayoutExtract) -> Exit {
    let LayoutExtract { files, library, versions, structures, debug_dirs, output } = args;
    let what = Extract {
        files: files.clone(),
        debug_dirs: debug_dirs.clone(),
        library: library.clone(),
        versions: versions.clone(),
        structures: structures.clone(),
    };
    let (text, warnings) = match tables::extract(&what) {
        Ok(made) => made,
        Err(error) => {
            complain(&error.to_string());
            return Exit::Unreadable;
        }
    };
    put(&text, &warnings, output.as_deref())
}

fn probe(args: &LayoutProbe) -> Result<Exit, Exit> {
    let like = named(&Shelf::load(), &args.like)?;
    let Ok(table) = like.table() else { return Err(is_table(&like)) };
    let LayoutProbe { headers, versions, variant, cc, output, flags, .. } = args;
    let what = Probe {
        compiler: cc.clone(),
        flags: flags.clone(),
        headers: headers.clone(),
        versions: versions.clone(),
        variant: variant.clone(),
    };
    let (text, warnings) = tables::probe(&what, &table, &like.name).map_err(|error| {
        complain(&error.to_string());
        Exit::Unreadable
    })?;
    Ok(put(&text, &warnings, output.as_deref()))
}

/// Prints warnings, and writes a table to a file, to a directory, or to standard output.
fn put(text: &str, warnings: &[String], output: Option<&Path>) -> Exit {
    put_as(text, warnings, output, &file_name(text))
}

/// The same with the name that the file gets in a directory.
fn put_as(text: &str, warnings: &[String], output: Option<&Path>, name: &str) -> Exit {
    warnings.iter().for_each(|warning| complain(&format!("warning: {warning}")));
    let path = match output {
        None => return print(text, Exit::Complete),
        Some(directory) if directory.is_dir() => {
            let path = directory.join(name);
            complain(&format!("writing {}", path.display()));
            path
        }
        Some(path) => path.to_owned(),
    };
    match fs::write(&path, text) {
        Ok(()) => Exit::Complete,
        Err(error) => {
            complain(&format!("cannot write {}: {error}", path.display()));
            Exit::Output
        }
    }
}

/// The file name by which mqd finds a table in the directory of tables. It has the release, or the
/// build-id of the file that the table is made from.
fn file_name(text: &str) -> String {
    let table = Table::parse(text).ok();
    let release =
        table.and_then(|table| Some(format!("{}-{}", table.library(), table.versions().next()?)));
    let name = release
        .or_else(|| table?.build_ids().next().map(str::to_owned))
        .or_else(|| Some(table?.library().to_owned()));
    format!("{}.{}", name.unwrap_or_default(), tables::EXTENSION)
}

fn list() -> Exit {
    let shelf = Shelf::load();
    shelf.warnings.iter().for_each(|warning| complain(&format!("warning: {warning}")));
    let width = shelf.entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    let mut exit = if shelf.warnings.is_empty() { Exit::Complete } else { Exit::Some };
    for entry in &shelf.entries {
        let about = entry.table().map(|table| about(&table)).unwrap_or_else(|error| {
            exit = Exit::Some;
            format!("not a table: {error}")
        });
        let _ = writeln!(text, "{:width$}  {about}  ({})", entry.name, entry.origin());
    }
    print(&text, exit)
}

/// What a table is for, in one line.
fn about(table: &Table<'_>) -> String {
    let mut parts = vec![table.library().to_owned()];
    parts.extend(table.versions().map(str::to_owned));
    let Machine { little_endian, pointer, .. } = table.machine();
    parts.push(format!(
        "{}-bit {}-endian",
        8 * u32::from(pointer),
        if little_endian { "little" } else { "big" }
    ));
    // Twelve digits are enough to distinguish them.
    parts.extend(table.build_ids().map(|id| format!("build-id {}", id.get(..12).unwrap_or(id))));
    format!("{}, {} structures", parts.join(" "), table.structures().count())
}

/// A table with this name, or in this file.
fn named(shelf: &Shelf, name: &str) -> Result<LayoutTable, Exit> {
    if let Some(entry) = shelf.find(name) {
        return Ok(entry.clone());
    }
    LayoutTable::open(Path::new(name)).map_err(|error| {
        complain(&format!(
            "there is no layout table {name} and no such file ({error}): `mqd layout list` shows \
             all tables, and {DIRECTORY_VARIABLE} can name a directory with more tables"
        ));
        Exit::Unreadable
    })
}

/// What a table is compared with.
enum Subject {
    Target(Box<Target>),
    Files(Vec<Image>),
}

impl Subject {
    fn open(args: &LayoutVerify) -> Result<Subject, Exit> {
        let unreadable = |error: &dyn std::error::Error| {
            complain(&error.to_string());
            Exit::Unreadable
        };
        if let Some(snapshot) = args.files.iter().chain(&args.core).find(|path| is_snapshot(path)) {
            complain(&format!(
                "{} is a snapshot, which does not have all types of a table: verify the table on \
                 the process, its core file or its MPI library",
                snapshot.display()
            ));
            return Err(Exit::Unreadable);
        }
        let debug_dirs = args.debug_dirs.clone();
        let target = match (args.pid, &args.core) {
            (Some(pid), _) => {
                Target::attach_with(pid, &LiveOptions { debug_dirs, ..LiveOptions::default() })
            }
            (None, Some(core)) => Target::open_core(
                core,
                &CoreOptions { executable: args.exe.clone(), debug_dirs, ..CoreOptions::default() },
            ),
            (None, None) => {
                let opened = args.files.iter().map(|path| tables::open(path, &debug_dirs));
                let images =
                    opened.collect::<Result<_, _>>().map_err(|error| unreadable(&error))?;
                return Ok(Subject::Files(images));
            }
        };
        target.map(|target| Subject::Target(Box::new(target))).map_err(|error| unreadable(&error))
    }

    /// The table that `mqd` would use, and why.
    fn choose(&self, shelf: &Shelf) -> Option<(LayoutTable, String)> {
        let choice = match self {
            Subject::Target(target) => tables::choose(shelf, target),
            Subject::Files(images) => {
                let images: Vec<_> = images.iter().collect();
                let machine = tables::machine(&images.first()?.arch()?);
                let release = || Some(("openmpi", tables::version(&images)?));
                tables::choose_for(
                    shelf,
                    machine,
                    images.iter().filter_map(|image| image.build_id()),
                    release,
                )
            }
        }?;
        Some((choice.entry.clone(), choice.reason))
    }

    fn machine(&self) -> Option<Machine> {
        Some(match self {
            Subject::Target(target) => tables::machine(target.arch()),
            Subject::Files(images) => tables::machine(&images.first()?.arch()?),
        })
    }

    fn warnings(&self) -> Vec<String> {
        match self {
            Subject::Target(target) => target.warnings(),
            Subject::Files(images) => {
                let mut warnings: Vec<_> =
                    images.iter().flat_map(Image::debug_file_warnings).collect();
                warnings.dedup();
                warnings
            }
        }
    }

    fn by_types(&self, table: &Table<'_>) -> Agreement {
        match self {
            Subject::Target(target) => {
                tables::by_types(table, &target.images_for_types(dll::library(target)))
            }
            Subject::Files(images) => tables::by_types(table, &images.iter().collect::<Vec<_>>()),
        }
    }

    fn by_classes(&self, table: &Table<'_>) -> Agreement {
        match self {
            Subject::Target(target) => tables::by_classes(table, target),
            Subject::Files(images) => {
                let images: Vec<_> = images.iter().collect();
                tables::by_classes_of_files(table, &images)
            }
        }
    }
}

fn verify(args: &LayoutVerify) -> Result<Exit, Exit> {
    let shelf = Shelf::load();
    shelf.warnings.iter().for_each(|warning| complain(&format!("warning: {warning}")));
    let given = args.table.as_ref().map(|name| named(&shelf, name)).transpose()?;
    let subject = Subject::open(args)?;
    let (entry, reason) = match given {
        Some(entry) => (entry, "--table names it".to_owned()),
        None => subject.choose(&shelf).ok_or_else(|| {
            complain(&format!(
                "there is no layout table for it: name one with --table, or make one with `mqd \
                 layout extract`. `mqd layout list` shows all tables. `mqd layout extract` needs a \
                 library of the same release with debug information. Put the new table into the \
                 directory that {DIRECTORY_VARIABLE} names"
            ));
            Exit::NoQueues
        })?,
    };
    let Ok(table) = entry.table() else { return Err(is_table(&entry)) };

    let mut text = format!("{} ({}): {reason}\n", entry.name, entry.origin());
    if subject.machine().is_some_and(|machine| machine != table.machine()) {
        text.push_str("it does not fit: it is for another machine type\n");
        return Ok(print(&text, Exit::NoQueues));
    }
    let (types, classes) = (subject.by_types(&table), subject.by_classes(&table));
    subject.warnings().iter().for_each(|warning| complain(&format!("warning: {warning}")));
    let _ = match (types.structures, types.fields) {
        (0, 0) => writeln!(text, "debug information: none of these structures was found"),
        (structures, fields) => {
            writeln!(text, "debug information: {structures} structures agree, {fields} fields")
        }
    };
    let _ = match classes.structures {
        0 => writeln!(text, "sizes that the library stores: none"),
        structures => {
            writeln!(text, "sizes that the library stores: {structures} structures agree")
        }
    };
    let mut differences: Vec<_> = types
        .differences
        .iter()
        .chain(&classes.differences)
        .map(|(_, what)| what.as_str())
        .collect();
    differences.dedup();
    differences.iter().for_each(|what| text.push_str(&format!("different: {what}\n")));
    let unknown: Vec<_> = types
        .unknown
        .iter()
        .filter(|name| classes.unknown.contains(name))
        .map(String::as_str)
        .collect();
    if !unknown.is_empty() {
        let _ = writeln!(text, "not compared: {}", unknown.join(", "));
    }

    let agree = types.structures.max(classes.structures);
    let mut different: Vec<_> =
        types.differences.iter().chain(&classes.differences).map(|(name, _)| name).collect();
    different.sort();
    different.dedup();
    let (verdict, exit) = match (agree, different.len()) {
        (0, 0) => ("there is nothing to compare it with", Exit::NoQueues),
        (_, 0) => ("it fits", Exit::Complete),
        (agree, different) if different < agree => {
            ("it fits except for these structures", Exit::Some)
        }
        _ => ("it does not fit", Exit::NoQueues),
    };
    let _ = writeln!(text, "{verdict}");
    Ok(print(&text, exit))
}
