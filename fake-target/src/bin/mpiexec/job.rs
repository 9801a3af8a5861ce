//! The ranks as processes: starting, signalling, reaping.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, killpg, pthread_sigmask};
use nix::sys::wait::waitpid;
use nix::unistd::{AccessFlags, Pid, access, getpid, getppid, pipe2};

use crate::life::Life;
use crate::open_files::Limit;
use crate::options::{Options, Program};
use crate::requests;

/// A process of the job. Its place in the list distinguishes ranks of several worlds for debuggers.
pub(crate) struct Rank {
    /// Its world. 0 is that of the command line, others were spawned.
    pub(crate) world: usize,
    /// Its rank in the `MPI_COMM_WORLD` of this world.
    pub(crate) rank: usize,
    /// Also its process group, so that processes which a rank has started are signalled with it.
    pub(crate) pid: Pid,
    /// The program's file, absolute.
    pub(crate) executable: PathBuf,
    /// How it ended, when it has.
    pub(crate) end: Option<End>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It exited with this code.
    Exit(i32),
    /// This signal killed it. The flag says whether a core file was written.
    Signal(i32, bool),
}

impl End {
    /// The exit code a shell would give.
    pub(crate) fn code(self) -> i32 {
        match self {
            End::Exit(code) => code,
            End::Signal(signal, _) => 128 + signal,
        }
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            End::Exit(code) => write!(f, "exited with code {code}"),
            End::Signal(signal, core) => {
                let name = Signal::try_from(signal).map_or("no name", Signal::as_str);
                let core = if core { ", core dumped" } else { "" };
                write!(f, "was killed by signal {signal} ({name}{core})")
            }
        }
    }
}

impl Rank {
    /// The name for users: `3`, or `2:3` for rank 3 of the second spawned world.
    pub(crate) fn label(&self) -> String {
        match self.world {
            0 => self.rank.to_string(),
            world => format!("{world}:{}", self.rank),
        }
    }
}

/// Our ends of a rank's standard streams.
pub(crate) struct Streams {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// Why a job could not be started: a sentence, and the exit code that shells give for it.
pub(crate) struct StartError {
    pub(crate) text: String,
    pub(crate) code: u8,
}

impl StartError {
    fn system(what: &str, error: nix::Error) -> StartError {
        StartError { text: format!("cannot {what}: {error}"), code: 1 }
    }
}

/// The processes of the job.
pub(crate) struct Job {
    /// By their places in the table for debuggers.
    pub(crate) ranks: Vec<Rank>,
    /// What the ranks of each world say of themselves.
    lives: Vec<Life>,
    /// A name that no other job of this machine has. Debuggers see it in the environment of its
    /// ranks.
    name: String,
    /// The process that has started us in order to spawn others. It comes first in the table.
    pub(crate) singleton: Option<Pid>,
    /// The two ends of a pipe. If a debugger wants to see the ranks first, they wait for its end of
    /// file in MPI_Init.
    gate: Option<(OwnedFd, OwnedFd)>,
    /// Variables for all programs.
    environment: Vec<(OsString, OsString)>,
    /// The signal mask that ranks begin with.
    mask: SigSet,
    /// The limit of open files that ranks begin with, if it is not that of the launcher.
    files: Option<Limit>,
    library_directory: Option<PathBuf>,
}

/// Processes to start together: a world of their own.
pub(crate) struct World<'a> {
    pub(crate) programs: &'a [Program],
    /// The port at which the parents wait for these processes; empty for the first world.
    pub(crate) parent_port: &'a OsStr,
    /// Rank 0 gets a pipe as its standard input.
    pub(crate) stdin_pipe: bool,
    /// Rank 0 has our standard input.
    pub(crate) stdin: bool,
}

/// A name that no other job of this machine has. Process ids are reused, but not at once.
fn name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}", getpid(), now.as_millis())
}

impl Job {
    /// A job without processes. `mask` is the signal mask they begin with, `files` their limit of
    /// open files, and `held` makes them wait in MPI_Init for [`Job::release`].
    pub(crate) fn new(
        options: &Options,
        mask: SigSet,
        files: Option<Limit>,
        held: bool,
    ) -> Result<Job, StartError> {
        let hold = || {
            pipe2(OFlag::O_CLOEXEC)
                .map_err(|error| StartError::system("make a pipe to hold the ranks", error))
        };
        Ok(Job {
            ranks: Vec::new(),
            lives: Vec::new(),
            name: name(),
            singleton: None,
            gate: held.then(hold).transpose()?,
            environment: options.environment.clone(),
            mask,
            files,
            library_directory: library_directory(),
        })
    }

    /// The place in the debuggers' table of the process with that place in the list.
    pub(crate) fn place_of(&self, rank: usize) -> usize {
        rank + usize::from(self.singleton.is_some())
    }

    /// The number of the next world.
    pub(crate) fn next_world(&self) -> usize {
        self.lives.len() + usize::from(self.singleton.is_some())
    }

    /// Starts the ranks of a world. When one cannot be started, those before it are killed and
    /// reaped.
    pub(crate) fn start(&mut self, world: &World<'_>) -> Result<Vec<Streams>, StartError> {
        let segment = memfd_create(c"mqdrt-job", MFdFlags::MFD_CLOEXEC)
            .map_err(|error| StartError::system("make the job's shared memory", error))?;
        let size: usize = world.programs.iter().map(|program| program.ranks).sum();
        let life = Life::new(size).map_err(|error| StartError {
            text: format!("cannot make memory to share with the ranks: {error}"),
            code: 1,
        })?;
        let mut inherited =
            vec![("MQDRT_SEGMENT_FD", segment.as_raw_fd()), ("MQDRT_LIFE_FD", life.descriptor())];
        if let Some(gate) = &self.gate {
            inherited.push(("MQDRT_GATE_FD", gate.0.as_raw_fd()));
        }
        let (first, number, place) =
            (self.ranks.len(), self.next_world(), self.place_of(self.ranks.len()));
        let mut streams = Vec::with_capacity(size);
        let programs = world.programs.iter().enumerate();
        let each = programs
            .flat_map(|(number, program)| std::iter::repeat_n((number, program), program.ranks));
        for (rank, (program_number, program)) in each.enumerate() {
            let executable = executable(program);
            let mut command = Command::new(&executable);
            command.arg0(&program.command[0]).args(&program.command[1..]).process_group(0);
            if let Some(directory) = &program.directory {
                command.current_dir(directory);
            }
            command
                .env("MQDRT_RANK", rank.to_string())
                .env("MQDRT_SIZE", size.to_string())
                .env("MQDRT_FIRST", place.to_string())
                .env("MQDRT_JOB", &self.name)
                .env("MQDRT_PROGRAM", program_number.to_string())
                .env("MQDRT_PARENT_PORT", world.parent_port)
                .env("MQDRT_LAUNCHER", requests::socket_name())
                .env("MQDRT_LAUNCHER_PID", getpid().to_string())
                .envs(inherited.iter().map(|(name, fd)| (name, fd.to_string())));
            if let Some(directory) = &self.library_directory {
                command.env("MQDRT_LIBDIR", directory);
            }
            command.envs(self.environment.iter().map(|(name, value)| (name, value)));
            command.envs(program.environment.iter().map(|(name, value)| (name, value)));
            command.stdin(match rank {
                0 if world.stdin_pipe => Stdio::piped(),
                0 if world.stdin => Stdio::inherit(),
                _ => Stdio::null(),
            });
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            let descriptors = inherited.iter().map(|&(_, fd)| fd).collect();
            prepare_child(&mut command, self.mask, self.files, descriptors);
            match command.spawn() {
                Ok(mut child) => {
                    let pid = Pid::from_raw(child.id().cast_signed());
                    self.ranks.push(Rank { world: number, rank, pid, executable, end: None });
                    if let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take())
                    {
                        streams.push(Streams { stdin: child.stdin.take(), stdout, stderr });
                    }
                }
                Err(error) => {
                    self.kill_and_reap(first);
                    return Err(cannot_start(rank, program, &executable, &error));
                }
            }
        }
        self.lives.push(life);
        Ok(streams)
    }

    /// Whether a process has started MPI and not ended it.
    pub(crate) fn is_in_mpi(&self, process: &Rank) -> bool {
        let life = process.world - usize::from(self.singleton.is_some());
        self.lives.get(life).is_some_and(|life| life.is_in_mpi(process.rank))
    }

    /// Lets ranks go that are held in MPI_Init.
    pub(crate) fn release(&mut self) {
        self.gate = None;
    }

    /// Sends a signal to every rank that has not ended, and to what it started.
    pub(crate) fn signal(&self, signal: Signal) {
        for rank in self.ranks.iter().filter(|rank| rank.end.is_none()) {
            // It may be gone already; then there is nobody to tell.
            let _ = killpg(rank.pid, signal);
        }
    }

    /// Asks every rank to end. Stopped ranks are continued, so that they get the signal.
    pub(crate) fn terminate(&self) {
        self.signal(Signal::SIGTERM);
        self.signal(Signal::SIGCONT);
    }

    /// Whether all ranks have ended.
    pub(crate) fn over(&self) -> bool {
        self.ranks.iter().all(|rank| rank.end.is_some())
    }

    /// Notes a rank that has ended since the last call, and returns its number. A stopped rank has
    /// not ended.
    pub(crate) fn reap(&mut self) -> Option<usize> {
        loop {
            let (pid, end) = wait(libc::WNOHANG)?;
            if let Some(rank) = self.note_end(pid, end) {
                return Some(rank);
            }
        }
    }

    /// Kills and forgets the processes from this place on, as if they had never been started.
    fn kill_and_reap(&mut self, first: usize) {
        for rank in self.ranks.split_off(first) {
            let _ = killpg(rank.pid, Signal::SIGKILL);
            // It is reaped even if its status is none that nix knows.
            let _ = waitpid(rank.pid, None);
        }
    }

    /// Reaps a process that has ended. Until then its id is not reused, so its group can be killed
    /// safely: the children of a rank must not outlive it.
    fn note_end(&mut self, pid: Pid, end: End) -> Option<usize> {
        let rank = self.ranks.iter().position(|rank| rank.pid == pid && rank.end.is_none());
        if let Some(rank) = rank {
            let _ = killpg(pid, Signal::SIGKILL);
            self.ranks[rank].end = Some(end);
        }
        let _ = waitpid(pid, None);
        rank
    }
}

/// A child that has ended, left as a zombie.
fn wait(flags: i32) -> Option<(Pid, End)> {
    // SAFETY: siginfo_t is plain data, for which zeroes are valid; waitid fills it. si_pid and
    // si_status are those of a SIGCHLD.
    let (pid, code, status) = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let result = loop {
            let result =
                libc::waitid(libc::P_ALL, 0, &mut info, libc::WEXITED | libc::WNOWAIT | flags);
            if result == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                break result;
            }
        };
        if result != 0 {
            return None;
        }
        (info.si_pid(), info.si_code, info.si_status())
    };
    let end = match code {
        libc::CLD_EXITED => End::Exit(status),
        code => End::Signal(status, code == libc::CLD_DUMPED),
    };
    (pid != 0).then(|| (Pid::from_raw(pid), end))
}

/// What happens in the child between fork and exec.
fn prepare_child(command: &mut Command, mask: SigSet, files: Option<Limit>, inherited: Vec<RawFd>) {
    let launcher = getpid();
    let prepare = move || {
        // If the launcher is killed, its ranks are killed, too. If it died before this line, no
        // signal comes, so it is checked below.
        set_pdeathsig(Signal::SIGKILL)?;
        if getppid() != launcher {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        for &fd in &inherited {
            // SAFETY: the descriptor is open: the parent holds it while it starts ranks.
            let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) };
            fcntl(fd, FcntlArg::F_SETFD(FdFlag::empty()))?;
        }
        if let Some(files) = files {
            files.restore()?;
        }
        pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&mask), None)?;
        Ok(())
    };
    // SAFETY: the closure makes system calls only, all of which are async-signal-safe; it does not
    // allocate.
    unsafe { command.pre_exec(prepare) };
}

/// The absolute path of the file that will run: the one that a shell would find. As with other
/// launchers, a relative path starts from the ranks' working directory.
fn executable(program: &Program) -> PathBuf {
    let name = Path::new(&program.command[0]);
    let base = match &program.directory {
        Some(directory) => std::path::absolute(directory).unwrap_or_else(|_| directory.clone()),
        None => std::env::current_dir().unwrap_or_default(),
    };
    if name.components().count() > 1 || name.is_absolute() {
        return clean(&base.join(name));
    }
    let search = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&program.path)
        .filter(|directory| !directory.as_os_str().is_empty())
        .chain(std::env::split_paths(&search))
        .map(|directory| base.join(directory).join(name))
        .find(|file| access(file, AccessFlags::X_OK).is_ok() && file.is_file())
        .unwrap_or_else(|| name.to_owned())
}

/// Without `.` components; symbolic links stay, as they are the name by which the user knows the
/// program.
fn clean(path: &Path) -> PathBuf {
    path.components().collect()
}

fn cannot_start(
    rank: usize,
    program: &Program,
    executable: &Path,
    error: &io::Error,
) -> StartError {
    let name = program.command[0].display();
    let (why, code) = match error.kind() {
        _ if program.directory.as_ref().is_some_and(|directory| !directory.is_dir()) => (
            format!(
                "there is no directory {}",
                program.directory.as_deref().unwrap_or(Path::new("")).display()
            ),
            1,
        ),
        io::ErrorKind::NotFound if executable.is_absolute() && executable.exists() => {
            (format!("the interpreter that {} asks for does not exist", executable.display()), 126)
        }
        io::ErrorKind::NotFound if executable.is_absolute() => {
            (format!("there is no file {}", executable.display()), 127)
        }
        io::ErrorKind::NotFound => (format!("no such program in PATH; is ./{name} meant?"), 127),
        _ => (error.to_string(), 126),
    };
    StartError { text: format!("cannot start rank {rank}, {name}: {why}"), code }
}

/// Where the runtime's libraries are: `lib` of the prefix that this `mpiexec` is installed in, or
/// the directory that both were built into.
fn library_directory() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let directory = own.parent()?;
    let installed = directory.parent()?.join("lib");
    let has_library = |directory: &Path| directory.join("libmpi_abi.so").exists();
    [installed, directory.to_owned()].into_iter().find(|directory| has_library(directory))
}
