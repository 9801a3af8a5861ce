//! Errors of a target. Their texts say what to do next.

use std::io;
use std::path::PathBuf;

use crate::files::FileError;
use crate::image::ElfError;

/// A process or core file could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// There is no such process, or it has ended meanwhile.
    #[error(
        "there is no process {pid} (any more), or it is hidden from this user: check the process \
         id, and that it is one of this machine"
    )]
    NoSuchProcess {
        /// The process id asked for.
        pid: u32,
    },
    /// The process has ended; only its exit status is left.
    #[error(
        "process {pid} has ended (it is a zombie): its memory is gone; only a core file could \
         still show its queues"
    )]
    Zombie {
        /// The process id asked for.
        pid: u32,
    },
    /// A kernel thread, or something else without a program.
    #[error(
        "process {pid} has no executable (a thread of the kernel?), so it is not an MPI process"
    )]
    NoProgram {
        /// The process id asked for.
        pid: u32,
    },
    /// The kernel refuses access to the process.
    #[error("no permission to attach to process {pid}: {advice}")]
    Permission {
        /// The process id asked for.
        pid: u32,
        /// Why, as far as the system tells, and what to do.
        advice: String,
    },
    /// Another debugger or tracer has the process.
    #[error(
        "process {pid} is being traced by process {tracer} ({name}): only one debugger can \
         attach: end that one first"
    )]
    AlreadyTraced {
        /// The process id asked for.
        pid: u32,
        /// The process id of the tracer.
        tracer: u32,
        /// The tracer's command name.
        name: String,
    },
    /// A system call on the process failed for another reason.
    #[error("cannot {action} of process {pid}: {source}")]
    Process {
        /// The process id asked for.
        pid: u32,
        /// What was tried.
        action: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// A file could not be opened or mapped.
    #[error("cannot open {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: FileError,
    },
    /// The file given as a core is none.
    #[error("{} is not a core file: {why}", path.display())]
    NotACore {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        why: NotACore,
    },
    /// The core file has no memory of the process.
    #[error("{} cannot be used: it has no memory segments (cut off?)", path.display())]
    NoMemory {
        /// The file.
        path: PathBuf,
    },
    /// The executable is damaged beyond use.
    #[error("{} cannot be used: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: ElfError,
    },
    /// The executable given is not the one that left the core.
    #[error(
        "{} is not the executable of {}: {why}; give the executable that the process ran",
        executable.display(),
        core.display()
    )]
    WrongExecutable {
        /// The core file.
        core: PathBuf,
        /// The executable given.
        executable: PathBuf,
        /// What does not agree.
        why: OtherExecutable,
    },
}

/// What a file is that was given as a core.
#[derive(Debug, thiserror::Error)]
pub enum NotACore {
    /// No ELF file, or a damaged one.
    #[error(transparent)]
    Elf(#[from] ElfError),
    /// A program.
    #[error("it is an executable or shared library; give it beside the core, not as one")]
    Program,
    /// What a compiler makes.
    #[error("it is an object file")]
    Object,
    /// Something else.
    #[error("it is another kind of ELF file")]
    OtherElf,
}

/// Why an executable is not the one that left a core.
#[derive(Debug, thiserror::Error)]
pub enum OtherExecutable {
    /// It is for another machine.
    #[error("it is for {file}, the process for {process}")]
    Arch {
        /// The machine that it is for.
        file: String,
        /// The machine of the process.
        process: String,
    },
    /// The build-ids differ.
    #[error("build-id {core} in the core, {file} in the file")]
    BuildId {
        /// In the core, in hexadecimal digits.
        core: String,
        /// In the file.
        file: String,
    },
    /// The numbers of segments differ.
    #[error("it has {file} segments, the process had {process}")]
    Segments {
        /// In the file.
        file: usize,
        /// In the process.
        process: u64,
    },
    /// The entry points do not fit.
    #[error("it begins to run at another address")]
    Entry,
    /// Constant bytes differ.
    #[error("its contents differ from the core")]
    Contents,
}

/// Why bytes of the target cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// The address is not mapped in the target.
    #[error("not mapped in the target")]
    NotMapped,
    /// The process ended while it was read.
    #[error("the process has ended")]
    Ended,
    /// The system call that reads the process failed.
    #[error("the system refused: {0}")]
    System(String),
    /// The process is not stopped any more: the time limit has passed, or the reader let it go.
    #[error("the process runs on")]
    RunsOn,
    /// The core file ends before these bytes.
    #[error("not in the core file: it is truncated")]
    Truncated,
    /// The kernel left the bytes out (`/proc/PID/coredump_filter`), and no file has them.
    #[error("left out of the core file when it was written")]
    NotDumped,
    /// Nobody asked for these bytes when the snapshot was captured.
    #[error(
        "the snapshot does not have it: reading the process did not take it when it was captured"
    )]
    NotInSnapshot,
    /// A snapshot is made of what a DLL needs, without what it reads ahead.
    #[error("whole pages are not read while a snapshot is made")]
    ReadsAhead,
    /// As it was when the process was recorded.
    #[error("{0}")]
    Recorded(String),
    /// The bytes are those of a file that is not there.
    #[error("left out of the core file, and {} is missing", .0.display())]
    FileMissing(PathBuf),
    /// The bytes are those of a file that has been replaced since.
    #[error(
        "left out of the core file, and {} is not the file the process had mapped",
        .0.display()
    )]
    FileChanged(PathBuf),
}

/// A read of the target's memory failed; nothing of it counts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the target's memory at {address:#x}: {why}")]
pub struct ReadError {
    /// The first address that cannot be read.
    pub address: u64,
    /// Why not.
    pub why: Unreadable,
}
