//! The arguments of `mqd layout`.

use std::path::PathBuf;

use clap::{ArgGroup, Parser, Subcommand};

use super::values::pid;

/// Tables of the layout of structures, for MPI libraries without debug information
#[derive(Debug, Subcommand)]
#[command(after_help = "\
A layout table says where the fields of an MPI library's structures are. mqd comes with tables for \
                        the usual releases; more are taken from the directory that the \
                        environment variable MQD_LAYOUT_DIR names (files *.layout). \
                        docs/layout-tables.md describes the format.")]
pub(crate) enum Layout {
    /// Make a table from files with debug information
    ///
    /// The files are those of an MPI library that have its structures: the library itself and its
    /// components, their debug files, or object files. Of a stripped library the debug file is
    /// looked for, also at the servers in DEBUGINFOD_URLS.
    Extract(LayoutExtract),
    /// List the tables that there are
    List,
    /// Print a table
    Show {
        /// Its name, or a file
        table: String,
    },
    /// Check whether a table fits a process, a core file, or a library
    ///
    /// It is compared with debug information as far as there is any, and with the sizes that an
    /// Open MPI writes down itself.
    Verify(LayoutVerify),
}

#[derive(Debug, Parser)]
pub(crate) struct LayoutExtract {
    /// Libraries, debug files or object files
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// The library's name in the table
    #[arg(long, value_name = "NAME", default_value = "openmpi")]
    pub(crate) library: String,

    /// The releases that the table is for, such as 4.1.4, or 4.1 for all of them; otherwise the
    /// one that the library tells
    #[arg(long, value_name = "VERSION", value_delimiter = ',')]
    pub(crate) versions: Vec<String>,

    /// A structure to add to those that are known to be wanted
    #[arg(long = "struct", value_name = "NAME")]
    pub(crate) structures: Vec<String>,

    /// A directory with separate debug information, besides /usr/lib/debug
    #[arg(long = "debug-dir", value_name = "DIR")]
    pub(crate) debug_dirs: Vec<PathBuf>,

    /// Write to this file instead of standard output; of a directory, to the file in it by which a
    /// table is found
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Parser)]
#[command(
    group = ArgGroup::new("targets").args(["files", "pid", "core"]).required(true),
    after_help = "\
Exit codes:
  0  it fits
  2  wrong usage
  3  the process or file cannot be read
  4  it does not fit, there is no table, or there is nothing to compare it with
  5  it fits but for some structures"
)]
pub(crate) struct LayoutVerify {
    /// Libraries or debug files
    pub(crate) files: Vec<PathBuf>,

    /// A live process
    #[arg(short, long, value_name = "PID", value_parser = pid)]
    pub(crate) pid: Option<u32>,

    /// A core file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) core: Option<PathBuf>,

    /// The executable that left the core file
    #[arg(long, value_name = "FILE", requires = "core")]
    pub(crate) exe: Option<PathBuf>,

    /// The table, by name or file; otherwise the one that mqd would take
    #[arg(short, long, value_name = "TABLE")]
    pub(crate) table: Option<String>,

    /// A directory with separate debug information, besides /usr/lib/debug
    #[arg(long = "debug-dir", value_name = "DIR")]
    pub(crate) debug_dirs: Vec<PathBuf>,
}
