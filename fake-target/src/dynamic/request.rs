//! Requests of a process to its launcher, and the answers: zero-terminated texts, preceded by their
//! number of bytes as a 32-bit number. `mpiexec` includes this file, too.

use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd};

/// The longest request, in bytes. No command line of the system is longer.
const LONGEST: usize = 8 << 20;

/// Processes to start together: they get an `MPI_COMM_WORLD` of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SpawnRequest {
    /// The port at which the parents wait for them.
    pub(crate) port: Vec<u8>,
    /// The working directory of the process that asks.
    pub(crate) directory: Vec<u8>,
    /// The programs, in the order of the ranks.
    pub(crate) programs: Vec<SpawnProgram>,
}

/// A program of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SpawnProgram {
    /// How many processes run it.
    pub(crate) processes: usize,
    /// The working directory; empty: that of the process that asks.
    pub(crate) directory: Vec<u8>,
    /// Directories to look for the program in.
    pub(crate) path: Vec<u8>,
    /// The hosts, as `mpiexec -host` takes them; empty: any.
    pub(crate) hosts: Vec<u8>,
    /// The program's name and its arguments.
    pub(crate) command: Vec<Vec<u8>>,
}

/// The launcher's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The processes have been started: the number of their job at the launcher.
    Started(usize),
    /// None has been started, for this reason.
    Refused(String),
    /// A process of that job has ended.
    Ended(usize),
}

impl SpawnRequest {
    /// The request as texts.
    pub(crate) fn to_texts(&self) -> Vec<Vec<u8>> {
        let number = |number: usize| number.to_string().into_bytes();
        let mut texts = vec![self.port.clone(), self.directory.clone()];
        for program in &self.programs {
            texts.extend([
                number(program.processes),
                program.directory.clone(),
                program.path.clone(),
                program.hosts.clone(),
                number(program.command.len()),
            ]);
            texts.extend(program.command.iter().cloned());
        }
        texts
    }

    /// The request in some texts; none if they are not one.
    pub(crate) fn of_texts(texts: Vec<Vec<u8>>) -> Option<SpawnRequest> {
        let number = |text: Vec<u8>| std::str::from_utf8(&text).ok()?.parse::<usize>().ok();
        let mut texts = texts.into_iter();
        let mut request = SpawnRequest {
            port: texts.next()?,
            directory: texts.next()?,
            ..SpawnRequest::default()
        };
        while let Some(processes) = texts.next() {
            let (directory, path, hosts) = (texts.next()?, texts.next()?, texts.next()?);
            let (processes, words) = (number(processes)?, number(texts.next()?)?);
            let command: Vec<_> = texts.by_ref().take(words).collect();
            let program = SpawnProgram { processes, directory, path, hosts, command };
            if program.processes == 0 || program.command.len() != words || words == 0 {
                return None;
            }
            request.programs.push(program);
        }
        (!request.programs.is_empty()).then_some(request)
    }
}

impl Answer {
    /// The answer as texts.
    pub(crate) fn to_texts(&self) -> Vec<Vec<u8>> {
        let (what, more) = match self {
            Answer::Started(job) => ("started", job.to_string()),
            Answer::Refused(why) => ("refused", why.clone()),
            Answer::Ended(job) => ("ended", job.to_string()),
        };
        vec![what.into(), more.into_bytes()]
    }

    /// The answer in some texts; none if they are not one.
    pub(crate) fn of_texts(texts: &[Vec<u8>]) -> Option<Answer> {
        let [what, more] = texts else { return None };
        let more = String::from_utf8_lossy(more).into_owned();
        match &what[..] {
            b"started" => more.parse().ok().map(Answer::Started),
            b"ended" => more.parse().ok().map(Answer::Ended),
            b"refused" => Some(Answer::Refused(more)),
            _ => None,
        }
    }
}

/// Writes texts.
///
/// # Errors
/// What the system says.
pub(crate) fn write(to: &mut impl Write, texts: &[Vec<u8>]) -> io::Result<()> {
    let bytes: Vec<u8> = texts.iter().flat_map(|text| text.iter().copied().chain([0])).collect();
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    to.write_all(&[&length.to_ne_bytes()[..], &bytes].concat())
}

/// Reads texts.
///
/// # Errors
/// What the system says, or that it is too long.
pub(crate) fn read(from: &mut impl Read) -> io::Result<Vec<Vec<u8>>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_ne_bytes(length) as usize;
    if length > LONGEST {
        return Err(io::Error::other("it is too long"));
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes)?;
    let mut texts: Vec<Vec<u8>> = bytes.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
    // After the last zero comes nothing.
    texts.pop();
    Ok(texts)
}

/// Whether the other end of a socket is a process of the same user; no other may reach the memory
/// of this one.
pub(crate) fn is_of_same_user(socket: BorrowedFd<'_>) -> bool {
    let mut credentials = libc::ucred { pid: 0, uid: libc::uid_t::MAX, gid: 0 };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: fills the structure, whose size it is told; geteuid only answers.
    unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut credentials).cast(),
            &mut length,
        ) == 0
            && credentials.uid == libc::geteuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let program = |processes, words: &[&str]| SpawnProgram {
            processes,
            path: b"/a:/b".to_vec(),
            command: words.iter().map(|word| word.as_bytes().to_vec()).collect(),
            ..SpawnProgram::default()
        };
        let request = SpawnRequest {
            port: b"port".to_vec(),
            directory: b"/".to_vec(),
            programs: vec![program(2, &["./a", "", "x y"]), program(1, &["b"])],
        };
        let mut bytes = Vec::new();
        write(&mut bytes, &request.to_texts()).unwrap();
        write(&mut bytes, &Answer::Ended(3).to_texts()).unwrap();
        let mut bytes = &bytes[..];
        assert_eq!(SpawnRequest::of_texts(read(&mut bytes).unwrap()), Some(request));
        assert_eq!(Answer::of_texts(&read(&mut bytes).unwrap()), Some(Answer::Ended(3)));
        assert!(read(&mut bytes).is_err());
    }

    #[test]
    fn nonsense_is_no_request() {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        assert_eq!(SpawnRequest::of_texts(texts(&["port", "/"])), None);
        assert_eq!(SpawnRequest::of_texts(texts(&["port", "/", "1", "", "", "", "2", "a"])), None);
        assert_eq!(SpawnRequest::of_texts(texts(&["port", "/", "0", "", "", "", "1", "a"])), None);
        assert!(read(&mut &u32::MAX.to_ne_bytes()[..]).is_err());
    }
}
