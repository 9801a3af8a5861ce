//! The arguments of `mqd layout`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Parser, Subcommand};

use super::values::pid;

/// Manage layout tables, which replace the debug information of an MPI library
#[derive(Debug, Subcommand)]
#[command(after_help = "\
A layout table says where the fields of an MPI library's structures are. mqd has tables for the \
                        usual releases. It also reads the files *.layout in the directory that \
                        the environment variable MQD_LAYOUT_DIR names. docs/layout-tables.md \
                        describes the format.")]
pub(crate) enum Layout {
    /// Make a table from files with debug information
    ///
    /// The files are an MPI library and its components, their debug files, or object files. If a
    /// library is stripped, mqd looks for its debug file, and also asks the servers in
    /// DEBUGINFOD_URLS.
    Extract(LayoutExtract),
    /// Make a table from the headers of a release, with a C compiler
    ///
    /// The new table has the structures and fields of a table of another release. The compiler says
    /// where they are. mqd names what the headers lack. A compiler for another machine makes a
    /// table for that machine.
    Probe(LayoutProbe),
    /// Learn a table from a program that mqd runs with the MPI library
    ///
    /// This is for libraries made of MPICH that nobody has the sources of, such as builds of
    /// vendors. mqd compiles a small program and starts it with 3 ranks on this machine. It finds
    /// the program's receives, sends and messages in the memory of the library. Then it starts the
    /// program again with other values, and reads it with the new table. The table is written only
    /// if everything is right.
    Learn(LayoutLearn),
    /// List all tables
    List,
    /// Print a table
    Show {
        /// The name of the table, or a file
        table: String,
    },
    /// Check whether a table fits a process, a core file, or a library
    ///
    /// mqd compares the table with the debug information, if there is any, and with the sizes that
    /// Open MPI itself stores.
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

    /// The releases that the table is for: 4.1.4 is one release, 4.1 is the whole series
    ///
    /// Without this option, mqd reads the release from the library.
    #[arg(long, value_name = "VERSION", value_delimiter = ',')]
    pub(crate) versions: Vec<String>,

    /// An additional structure, besides those that mqd knows
    #[arg(long = "struct", value_name = "NAME")]
    pub(crate) structures: Vec<String>,

    /// A directory with separate debug information, besides /usr/lib/debug
    #[arg(long = "debug-dir", value_name = "DIR")]
    pub(crate) debug_dirs: Vec<PathBuf>,

    /// Write to this file instead of standard output
    ///
    /// In a directory, the file gets the name by which mqd finds the table.
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Parser)]
#[command(after_help = "\
Example:
  mqd layout probe --like ucx-1.20 --versions 1.23 \\
      src/ucp/core/ucp_worker.h src/ucp/core/ucp_request.h -- -Isrc -I. -DNDEBUG")]
pub(crate) struct LayoutProbe {
    /// Headers, with paths or as the compiler finds them
    #[arg(required = true)]
    pub(crate) headers: Vec<PathBuf>,

    /// The table that has the wanted structures and fields: its name, or a file
    #[arg(long, value_name = "TABLE", required = true)]
    pub(crate) like: String,

    /// The releases that the table is for: 4.1.4 is one release, 4.1 is the whole series
    #[arg(long, value_name = "VERSION", value_delimiter = ',', required = true)]
    pub(crate) versions: Vec<String>,

    /// The variant of the library, if builds of a release differ, such as `assertions`
    #[arg(long, value_name = "NAME")]
    pub(crate) variant: Option<String>,

    /// The C compiler
    #[arg(long, value_name = "PROGRAM", env = "CC", default_value = "cc")]
    pub(crate) cc: PathBuf,

    /// Write to this file instead of standard output
    ///
    /// In a directory, the file gets the name by which mqd finds the table.
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Arguments of the compiler, after `--`
    #[arg(last = true, value_name = "FLAGS")]
    pub(crate) flags: Vec<String>,
}

#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  mqd layout learn -o tables/ -- mpiexec
  mqd layout learn --like mpich-4.3 -o new.layout -- srun --mpi=pmi2 -N 1

Exit codes:
  0  the table is written
  1  the output could not be written
  2  wrong usage
  3  the program cannot be compiled, started or read
  4  no table was learned: the message says why")]
pub(crate) struct LayoutLearn {
    /// The table that has the names of structures and fields: its name, or a file
    ///
    /// Without this option, mqd tries all tables for libraries of this family.
    #[arg(long, value_name = "TABLE")]
    pub(crate) like: Option<String>,

    /// The releases that the table is for: 4.1.4 is one release, 4.1 is the whole series
    ///
    /// Without this option, mqd reads the release from the library, if the library tells it.
    #[arg(long, value_name = "VERSION", value_delimiter = ',')]
    pub(crate) versions: Vec<String>,

    /// The C compiler of the MPI library; without this option, the mpicc beside the launcher
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) mpicc: Option<PathBuf>,

    /// Write to this file instead of standard output
    ///
    /// In a directory, the file gets the name by which mqd finds the table.
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(crate) output: Option<PathBuf>,

    /// The launcher with its options, after `--`; mqd adds `-n 3` and the program
    #[arg(last = true, value_name = "LAUNCHER", required = true)]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Parser)]
#[command(
    group = ArgGroup::new("targets").args(["files", "pid", "core"]).required(true),
    after_help = "\
Exit codes:
  0  the table fits
  1  the output could not be written
  2  wrong usage
  3  the process or file cannot be read
  4  the table does not fit, there is no table, or there is nothing to compare it with
  5  the table fits except for some structures"
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

    /// The executable that produced the core file
    #[arg(long, value_name = "FILE", requires = "core")]
    pub(crate) exe: Option<PathBuf>,

    /// The name or file of the table; without this option, the one that mqd would use
    #[arg(short, long, value_name = "TABLE")]
    pub(crate) table: Option<String>,

    /// A directory with separate debug information, besides /usr/lib/debug
    #[arg(long = "debug-dir", value_name = "DIR")]
    pub(crate) debug_dirs: Vec<PathBuf>,
}
