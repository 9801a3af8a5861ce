//! `mqd dump --format parquet`: a folder for each table, with one file for each run of `mqd`. Runs
//! on several hosts can write to one directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::destination::Destination;
use super::exit::Exit;
use super::output::complain;
use mqd_host::job::this_host;
use mqd_report::Report;
use mqd_report::render::parquet::{Table, TableError};

/// The files of all tables.
pub(super) struct Tables {
    files: Vec<File>,
}

struct File {
    table: Table,
    path: PathBuf,
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
            let opened = fs::create_dir_all(&folder).and_then(|()| Destination::open(&path));
            let destination = opened.map_err(|error| {
                complain(&format!("cannot create {}: {error}", path.display()));
                Exit::Usage
            })?;
            Ok(File { table, path, destination })
        };
        let files = Table::ALL.into_iter().map(open).collect::<Result<_, Exit>>()?;
        Ok(Tables { files })
    }

    /// Writes the tables. The result is `exit`, or the exit code of a failure, which is printed.
    pub(super) fn write(self, report: &Report, exit: Exit) -> Exit {
        for File { table, path, destination } in self.files {
            let write = || -> Result<(), Failure> {
                table.write(report, destination.file())?;
                destination.keep()?;
                Ok(())
            };
            if let Err(error) = write() {
                complain(&format!("cannot write {}: {error}", path.display()));
                return Exit::Output;
            }
        }
        exit
    }
}
