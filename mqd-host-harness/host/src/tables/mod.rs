//! Layout tables: the structures of MPI libraries that have no debug information. The crate
//! `mqd-layout` reads and writes their text.
//!
//! Our own debug DLL contains the same tables. Here they have two uses: to answer the type
//! questions of other DLLs, and to make, list and check tables (`mqd layout`).

mod check;
mod choose;
mod extract;
mod learn;
mod probe;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::{env, fmt, fs};

use mqd_inspect::files::{self, FileError};
use mqd_layout::{SHIPPED, Table, Writer};

pub use self::check::{Agreement, by_classes};
pub use self::check::{by_classes_of_files, by_types};
pub(crate) use self::choose::of_unknown_release;
pub(crate) use self::choose::supply;
pub use self::choose::{Choice, choose, identify};
pub use self::choose::{choose_for, machine};
pub use self::extract::{Extract, ExtractError, extract};
pub use self::extract::{open, version};
pub use self::learn::{Launch, LearnError, Learned, learn};
pub use self::probe::{Probe, ProbeError, probe};

/// The environment variable that names a directory with more tables, asked before those that come
/// with `mqd`.
pub const DIRECTORY_VARIABLE: &str = "MQD_LAYOUT_DIR";

/// What the names of tables in that directory end with.
pub const EXTENSION: &str = "layout";

/// Writes a structure with its fields, by their offsets. Sizes and offsets are in bytes.
fn write_structure<'f>(
    writer: &mut Writer<String>,
    name: &str,
    size: u64,
    fields: impl Iterator<Item = (&'f str, [u64; 2])>,
) -> fmt::Result {
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    writer.structure(name, small(size))?;
    let mut fields: Vec<_> = fields.collect();
    fields.sort_by_key(|(name, [offset, _])| (*offset, *name));
    fields
        .into_iter()
        .try_for_each(|(name, [offset, size])| writer.field(name, small(offset), small(size)))
}

/// A table and where it is from.
#[derive(Clone, Debug)]
pub struct LayoutTable {
    /// Its name: the file's, without its ending.
    pub name: String,
    /// Its file; `None` if it came with `mqd`.
    pub path: Option<PathBuf>,
    text: Cow<'static, str>,
}

impl LayoutTable {
    /// A table in a file.
    ///
    /// # Errors
    /// The file cannot be read. Its content is not checked.
    pub fn open(path: &Path) -> Result<LayoutTable, FileError> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(LayoutTable {
            name,
            path: Some(path.to_owned()),
            text: files::read_to_string(path)?.into(),
        })
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the text says.
    ///
    /// # Errors
    /// It is not a table.
    pub fn table(&self) -> Result<Table<'_>, mqd_layout::Error> {
        Table::parse(&self.text)
    }

    /// Where it is from, for people.
    pub fn origin(&self) -> String {
        self.path.as_ref().map_or("comes with mqd".to_owned(), |path| path.display().to_string())
    }
}

/// The tables that there are: those of the directory that the environment names, by name, then
/// those that come with `mqd`.
#[derive(Clone, Debug)]
pub struct Shelf {
    /// The tables.
    pub entries: Vec<LayoutTable>,
    /// What could not be read, in sentences.
    pub warnings: Vec<String>,
}

impl Shelf {
    /// Collects the tables. Files that are not valid tables are included: [`LayoutTable::table`]
    /// fails for them.
    pub fn load() -> Shelf {
        let mut shelf = Shelf { entries: Vec::new(), warnings: Vec::new() };
        if let Some(directory) =
            env::var_os(DIRECTORY_VARIABLE).filter(|directory| !directory.is_empty())
        {
            shelf.load_directory(Path::new(&directory));
        }
        let shipped = SHIPPED.iter().map(|table| LayoutTable {
            name: table.name.to_owned(),
            path: None,
            text: table.text.into(),
        });
        shelf.entries.extend(shipped);
        shelf
    }

    fn load_directory(&mut self, directory: &Path) {
        let mut paths = match fs::read_dir(directory) {
            Ok(files) => files.flatten().map(|file| file.path()).collect::<Vec<_>>(),
            Err(error) => {
                self.warnings
                    .push(format!("{} ({DIRECTORY_VARIABLE}): {error}", directory.display()));
                return;
            }
        };
        paths.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
        paths.sort();
        for path in paths {
            match LayoutTable::open(&path) {
                Ok(entry) => self.entries.push(entry),
                Err(error) => self.warnings.push(format!("{}: {error}", path.display())),
            }
        }
    }

    /// The first table of this name.
    pub fn find(&self, name: &str) -> Option<&LayoutTable> {
        self.entries.iter().find(|entry| entry.name == name)
    }
}
