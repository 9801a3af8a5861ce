//! What `/proc` tells of a process.

use std::fs;
use std::io;
use std::path::PathBuf;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::super::TargetError;
use super::super::memory::{Mapping, split_deleted};

/// `/proc/PID`.
#[derive(Clone, Debug)]
pub(super) struct Proc {
    pid: u32,
    /// A thread that is alive. If the main thread has ended before the others, the kernel shows
    /// nothing under the process's own id.
    thread: u32,
}

impl Proc {
    pub(super) fn new(pid: u32) -> Proc {
        let mut proc = Proc { pid, thread: pid };
        if proc.thread_has_ended(pid) {
            let alive =
                || proc.threads().into_iter().filter(|thread| !proc.thread_has_ended(*thread));
            // A thread that is about to end has no memory any more, and so no executable.
            let exe = |thread: &u32| fs::read_link(format!("/proc/{pid}/task/{thread}/exe"));
            let has_memory = |thread: &u32| {
                exe(thread).map_or_else(|error| error.kind() != io::ErrorKind::NotFound, |_| true)
            };
            proc.thread = alive().find(has_memory).or_else(|| alive().next()).unwrap_or(pid);
        }
        proc
    }

    /// The id of a thread that is alive, if any is.
    pub(super) fn thread(&self) -> u32 {
        self.thread
    }

    /// A file of it.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        format!("/proc/{}/{name}", self.thread).into()
    }

    /// The bytes of a file of it; `action` says what for.
    pub(super) fn read(&self, name: &str, action: &'static str) -> Result<Vec<u8>, TargetError> {
        fs::read(self.path(name)).map_err(|source| self.error(action, source))
    }

    /// The zero-terminated strings of a file of it; none if it cannot be read.
    pub(super) fn strings(&self, name: &str) -> Vec<Vec<u8>> {
        let bytes = fs::read(self.path(name)).unwrap_or_default();
        let Some(bytes) = bytes.strip_suffix(b"\0").or((!bytes.is_empty()).then_some(&bytes[..]))
        else {
            return Vec::new();
        };
        bytes.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect()
    }

    /// Refuses what cannot be attached to, with the reason.
    pub(super) fn check(pid: u32) -> Result<(), TargetError> {
        Proc::through_a_thread(pid, Proc::is_attachable).map(drop)
    }

    /// A process that is stopped, and its executable.
    pub(super) fn stopped(pid: u32) -> Result<(Proc, PathBuf), TargetError> {
        Proc::through_a_thread(pid, Proc::executable)
    }

    /// Asks a process whose main thread has ended through another thread. That one may end, too,
    /// and a thread that is about to end cannot be stopped. Then the next thread is asked.
    fn through_a_thread<T>(
        pid: u32,
        ask: impl Fn(&Proc) -> Result<T, TargetError>,
    ) -> Result<(Proc, T), TargetError> {
        const ATTEMPTS: usize = 100;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let proc = Proc::new(pid);
            match ask(&proc) {
                Ok(answer) => return Ok((proc, answer)),
                // Perhaps the main thread has ended since it was chosen.
                Err(error)
                    if attempt == ATTEMPTS
                        || proc.thread == pid && Proc::new(pid).thread == pid =>
                {
                    return Err(error);
                }
                Err(_) => std::thread::sleep(std::time::Duration::from_millis(1)),
            }
        }
    }

    fn is_attachable(&self) -> Result<(), TargetError> {
        if self.pid == std::process::id() {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "it is this very process");
            return Err(self.error("attach to the memory", source));
        }
        let tracer = self.status("TracerPid").and_then(|tracer| tracer.parse().ok()).unwrap_or(0);
        match self.status("State").as_deref().and_then(|state| state.chars().next()) {
            None => Err(self.unseen()),
            Some('Z' | 'X') => Err(TargetError::Zombie { pid: self.pid }),
            _ if tracer != 0 => Err(TargetError::AlreadyTraced {
                pid: self.pid,
                tracer,
                name: fs::read_to_string(format!("/proc/{tracer}/comm"))
                    .unwrap_or_default()
                    .trim()
                    .to_owned(),
            }),
            _ => self.executable().map(drop),
        }
    }

    /// Why nothing is seen of it. It may be there and hidden: by the option `hidepid` of `/proc`,
    /// or because its id could not be translated to one of this PID namespace (0).
    fn unseen(&self) -> TargetError {
        let pid = self.pid;
        let is_gone = match i32::try_from(pid) {
            Ok(0) => false,
            Ok(number) => Pid::from_raw(number)
                .is_none_or(|number| test_kill_process(number) == Err(Errno::SRCH)),
            Err(_) => true,
        };
        match is_gone {
            true => TargetError::NoSuchProcess { pid },
            false => TargetError::Permission {
                pid,
                advice: match pid {
                    0 => {
                        "it has ended, or this PID namespace has no id for it; run mqd in the \
                          container of its launcher"
                    }
                    _ => "it is hidden from this user; run as root",
                }
                .into(),
            },
        }
    }

    /// A line of `status`.
    pub(super) fn status(&self, name: &str) -> Option<String> {
        status_of(&fs::read_to_string(self.path("status")).ok()?, name)
    }

    /// Whether a signal has stopped it, not a tracer.
    pub(super) fn is_stopped(&self) -> bool {
        self.status("State").is_some_and(|state| state.starts_with('T'))
    }

    /// Whether it handles signals other than those of errors and of the C library.
    pub(super) fn handles_signals(&self) -> Option<bool> {
        let caught = u64::from_str_radix(&self.status("SigCgt")?, 16).ok()?;
        Some(caught & !of_errors() != 0)
    }

    /// The ids of its threads.
    pub(super) fn threads(&self) -> Vec<u32> {
        let Ok(entries) = fs::read_dir(format!("/proc/{}/task", self.pid)) else {
            return Vec::new();
        };
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
    }

    /// Whether a thread is gone, or a zombie (the main thread may end before the others).
    pub(super) fn thread_has_ended(&self, thread: u32) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/task/{thread}/status", self.pid));
        let state = status.ok().and_then(|status| status_of(&status, "State"));
        state.is_none_or(|state| state.starts_with(['Z', 'X']))
    }

    /// The path of the executable, without the mark of a removed one.
    pub(super) fn executable(&self) -> Result<PathBuf, TargetError> {
        use std::os::unix::ffi::OsStrExt;
        match fs::read_link(self.path("exe")) {
            Ok(path) => Ok(split_deleted(path.as_os_str().as_bytes()).0),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(TargetError::NoProgram { pid: self.pid })
            }
            Err(source) => Err(self.error("find the executable", source)),
        }
    }

    /// Its mapped files.
    pub(super) fn mappings(&self) -> Result<Vec<Mapping>, TargetError> {
        let maps = self.read("maps", "list the mapped files")?;
        Ok(maps.split(|byte| *byte == b'\n').filter_map(parse_mapping).collect())
    }

    /// An error of the system, with what is known of its reason.
    pub(super) fn error(&self, action: &'static str, source: io::Error) -> TargetError {
        let pid = self.pid;
        match source.raw_os_error() {
            Some(libc::ESRCH | libc::ENOENT) => TargetError::NoSuchProcess { pid },
            Some(libc::EPERM | libc::EACCES) => {
                TargetError::Permission { pid, advice: self.advice() }
            }
            _ => TargetError::Process { pid, action, source },
        }
    }

    /// Why access may be refused, and what helps.
    fn advice(&self) -> String {
        let first = |uids: Option<String>| {
            uids.and_then(|uids| uids.split_whitespace().next().map(str::to_owned))
        };
        let theirs = first(self.status("Uid"));
        let ours = first(Proc::new(std::process::id()).status("Uid"));
        if ours.is_some() && theirs.is_some() && ours != theirs && ours.as_deref() != Some("0") {
            let (theirs, ours) = (theirs.unwrap_or_default(), ours.unwrap_or_default());
            return format!(
                "it belongs to user {theirs}, this is user {ours}; run as the same user, or as \
                 root"
            );
        }
        let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
        match scope.trim() {
            "" | "0" => "the system forbids it: the container lacks CAP_SYS_PTRACE (start it with \
                         --cap-add SYS_PTRACE), or the process has made itself undumpable; run mqd \
                         as root outside the container"
                .into(),
            "3" => "attaching is switched off until the next boot \
                    (/proc/sys/kernel/yama/ptrace_scope is 3); use a core file instead"
                .into(),
            scope => format!(
                "/proc/sys/kernel/yama/ptrace_scope is {scope}; run as root, or set it to 0 \
                 (sysctl kernel.yama.ptrace_scope=0)"
            ),
        }
    }
}

fn status_of(status: &str, name: &str) -> Option<String> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.map(|value| value.trim().to_owned())
}

/// The signals that the system sends for an error of a thread, and those that the C library keeps
/// for itself, as in `SigCgt`. MPI libraries handle no `SIGTRAP` and `SIGSYS`; a program that does
/// may expect them from others.
fn of_errors() -> u64 {
    const OF_C_LIBRARY: [i32; 2] = [32, 33];
    let of_errors = [libc::SIGILL, libc::SIGABRT, libc::SIGBUS, libc::SIGFPE, libc::SIGSEGV];
    of_errors.into_iter().chain(OF_C_LIBRARY).fold(0, |mask, signal| mask | 1 << (signal - 1))
}

/// A line of `maps`: `start-end perms offset device inode path`; `None` if there is no file.
fn parse_mapping(line: &[u8]) -> Option<Mapping> {
    let mut rest = line;
    let mut field = || {
        let trimmed = rest.trim_ascii_start();
        let end = trimmed.iter().position(|byte| *byte == b' ').unwrap_or(trimmed.len());
        let (field, after) = trimmed.split_at(end);
        rest = after;
        std::str::from_utf8(field).ok()
    };
    let (start, end) = field()?.split_once('-')?;
    let (_permissions, offset, _device, inode) = (field()?, field()?, field()?, field()?);
    if inode == "0" {
        return None;
    }
    let (path, deleted) = split_deleted(&unescape(rest.trim_ascii_start()));
    let number = |text| u64::from_str_radix(text, 16).ok();
    Some(Mapping {
        start: number(start)?,
        end: number(end)?,
        offset: number(offset)?,
        path,
        deleted,
    })
}

/// The kernel writes a newline in a path as `\012`.
fn unescape(path: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&byte, after)) = rest.split_first() {
        match rest.strip_prefix(b"\\012") {
            Some(after) => {
                plain.push(b'\n');
                rest = after;
            }
            None => {
                plain.push(byte);
                rest = after;
            }
        }
    }
    plain
}

/// Does a thread belong to another process that runs our program, perhaps from another copy? Also
/// true if the thread has ended meanwhile. Only root can see the program of another user's process.
pub(super) fn runs_our_program(thread: u32) -> bool {
    if fs::exists(format!("/proc/self/task/{thread}")).unwrap_or(false) {
        return false;
    }
    let name = |path: PathBuf| Some(fs::read_link(path).ok()?.file_name()?.to_owned());
    let own = name("/proc/self/exe".into());
    let other = name(format!("/proc/{thread}/exe").into());
    // The file of a process that is about to end cannot be seen. It may still be called running
    // when its memory is gone.
    let is_ending = || {
        let status = fs::read_to_string(format!("/proc/{thread}/status")).unwrap_or_default();
        status_of(&status, "State").is_none_or(|state| state.starts_with(['Z', 'X']))
            || status_of(&status, "VmSize").is_none()
    };
    own.is_some() && own == other || other.is_none() && is_ending()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_of_errors() {
        // What a process of Open MPI 4.1.4 says.
        assert_eq!(0x0000_0001_0000_04e0 & !of_errors(), 0);
        // SIGUSR1, SIGALRM
        assert_ne!(0x200 & !of_errors(), 0);
        assert_ne!(0x2000 & !of_errors(), 0);
    }

    #[test]
    fn maps_lines() {
        let mapping = parse_mapping(
            b"7f00-7f20 r-xp 00001000 08:01 42                 /a dir/lib\\012x.so (deleted)",
        )
        .unwrap();
        assert_eq!(
            mapping,
            Mapping {
                start: 0x7f00,
                end: 0x7f20,
                offset: 0x1000,
                path: "/a dir/lib\nx.so".into(),
                deleted: true
            }
        );
        assert_eq!(parse_mapping(b"7f00-7f20 rw-p 00000000 00:00 0                  [heap]"), None);
        assert_eq!(parse_mapping(b""), None);
    }
}
