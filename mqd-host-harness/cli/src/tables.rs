//! `mqd dump --format parquet`: a folder for each table, with one file for each run of `mqd`. Runs
//! on several hosts can write to one directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::destination::Destination;
use super::exit::Exit;
use super::output::complain;
use mqd_host::job::this_host;
use mqd_report::render::parquet::{ROWS, Table, TableError, TableWriter};
use mqd_report::{Communicator, Process};

/// The files of all tables.
pub(super) struct Tables {
    files: Vec<File>,
    /// Processes that are not written yet.
    waiting: Vec<Process>,
    /// The rows of the longest table that these are.
    rows: usize,
}

struct File {
    path: PathBuf,
    table: TableWriter<fs::File>,
    destination: Destination,
}

/// Why a table is not there.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    File(#[from] io::Error),
}

impl Tables {
    /// Creates the folders and opens the files. This comes before any process is stopped.
    ///
    /// # Errors
    /// There is no directory to write to. A message on standard error says so.
    pub(super) fn open(directory: Option<&Path>) -> Result<Tables, Exit> {
        let directory = directory.filter(|path| *path != Path::new("-")).ok_or_else(|| {
            complain("--format parquet writes several files: give a directory with -o DIR");
            Exit::Usage
        })?;
        let name = format!("{}-{}.parquet", this_host(), std::process::id());
        let open = |table: Table| {
            let folder = directory.join(table.name());
            let path = folder.join(&name);
            File::open(table, &folder, &path).map_err(|error| {
                complain(&format!("cannot create {}: {error}", path.display()));
                Exit::Usage
            })
        };
        let files = Table::ALL.into_iter().map(open).collect::<Result<_, Exit>>()?;
        Ok(Tables { files, waiting: Vec::new(), rows: 0 })
    }

    /// Adds a process. Rows are written as soon as they fill a row group.
    ///
    /// # Errors
    /// A table cannot be written. A message on standard error says so.
    pub(super) fn add(&mut self, process: Process) -> Result<(), Exit> {
        let operations: usize = process.communicators.iter().map(Communicator::operations).sum();
        let frames: usize = process.stacks.iter().flatten().map(|stack| stack.frames.len()).sum();
        let rows = operations.max(frames).max(process.communicators.len()).max(1);
        if self.rows + rows > ROWS {
            self.write()?;
        }
        self.rows += rows;
        self.waiting.push(process);
        Ok(())
    }

    fn write(&mut self) -> Result<(), Exit> {
        for File { path, table, .. } in &mut self.files {
            table.write(&self.waiting).map_err(|error| failed(path, &error.into()))?;
        }
        self.waiting.clear();
        self.rows = 0;
        Ok(())
    }

    /// Writes the rest, and gives the files their names.
    ///
    /// # Errors
    /// A table cannot be written. A message on standard error says so.
    pub(super) fn finish(mut self) -> Result<(), Exit> {
        self.write()?;
        for File { path, table, destination } in self.files {
            let finish = || -> Result<(), Failure> {
                table.finish()?;
                destination.keep()?;
                Ok(())
            };
            finish().map_err(|error| failed(&path, &error))?;
        }
        Ok(())
    }
}

impl File {
    fn open(table: Table, folder: &Path, path: &Path) -> Result<File, Failure> {
        fs::create_dir_all(folder)?;
        let destination = Destination::open(path)?;
        let table = TableWriter::new(table, destination.file().try_clone()?)?;
        Ok(File { path: path.to_owned(), table, destination })
    }
}

fn failed(path: &Path, error: &Failure) -> Exit {
    complain(&format!("cannot write {}: {error}", path.display()));
    Exit::Output
}
