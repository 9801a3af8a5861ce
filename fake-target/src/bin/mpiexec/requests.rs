//! Ranks that ask for more processes (`MPI_Comm_spawn`): they connect to a socket of ours, in the
//! system's namespace of abstract names. A process without a launcher that starts us for this has a
//! connection from the beginning: our standard input.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::OnceLock;

use nix::poll::PollFlags;
use nix::unistd::getpid;

use crate::request::{self, Answer, SpawnRequest, is_of_same_user};

/// The name of our socket, which cannot be guessed.
pub(crate) fn socket_name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let mut random = [0; 8];
        // Without random bits the name is still unique, since it contains the process id.
        let _ =
            File::open("/dev/urandom").and_then(|mut file| io::Read::read(&mut file, &mut random));
        format!("mqdrt-launcher-{}-{:016x}", getpid(), u64::from_ne_bytes(random))
    })
}

/// The connections of processes that ask.
pub(crate) struct Requests {
    socket: UnixListener,
    connections: Vec<Connection>,
}

struct Connection {
    stream: UnixStream,
    /// The worlds that it has asked for.
    worlds: Vec<usize>,
    /// What it has been told, as far as it has no room yet. It reads only when it spawns, and the
    /// launcher must not wait for it.
    unsent: Vec<u8>,
}

impl Requests {
    /// Begins to listen; `serves`: our standard input is a connection.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn new(serves: bool) -> io::Result<Requests> {
        let address = SocketAddr::from_abstract_name(socket_name())?;
        let socket = UnixListener::bind_addr(&address)?;
        socket.set_nonblocking(true)?;
        let mut connections = Vec::new();
        if serves {
            let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
            connections.push(Connection::new(stream));
        }
        Ok(Requests { socket, connections })
    }

    /// The files to poll, and for what.
    pub(crate) fn files(&self) -> Vec<(BorrowedFd<'_>, PollFlags)> {
        let streams = self.connections.iter().map(|connection| {
            let flags = match connection.unsent.is_empty() {
                true => PollFlags::POLLIN,
                false => PollFlags::POLLIN | PollFlags::POLLOUT,
            };
            (connection.stream.as_fd(), flags)
        });
        streams.chain([(self.socket.as_fd(), PollFlags::POLLIN)]).collect()
    }

    /// Whether requests may come although none of our ranks runs: from the process that has started
    /// us.
    pub(crate) fn are_served(&self) -> bool {
        !self.connections.is_empty()
    }

    /// Takes new connections, and requests that have come; `start` answers them. Sends what has not
    /// been sent before.
    pub(crate) fn look(&mut self, mut start: impl FnMut(SpawnRequest) -> Answer) {
        while let Ok((stream, _)) = self.socket.accept() {
            if is_of_same_user(stream.as_fd()) {
                self.connections.push(Connection::new(stream));
            }
        }
        self.connections.retain_mut(|connection| match connection.next() {
            Ok(None) => connection.send().is_ok(),
            Ok(Some(texts)) => {
                let answer = match SpawnRequest::of_texts(texts) {
                    Some(request) => start(request),
                    None => Answer::Refused("the request makes no sense".into()),
                };
                if let Answer::Started(world) = answer {
                    connection.worlds.push(world);
                }
                connection.tell(&answer).is_ok()
            }
            Err(_) => false,
        });
    }

    /// Tells the process that has asked for a world that one of its processes has ended.
    pub(crate) fn tell_end(&mut self, world: usize) {
        let asked = |connection: &&mut Connection| connection.worlds.contains(&world);
        for connection in self.connections.iter_mut().filter(asked) {
            // A process that has gone need not know.
            let _ = connection.tell(&Answer::Ended(world));
        }
    }
}

impl Connection {
    fn new(stream: UnixStream) -> Connection {
        Connection { stream, worlds: Vec::new(), unsent: Vec::new() }
    }

    /// The request that has come, if any. It is short and comes in one piece.
    fn next(&mut self) -> io::Result<Option<Vec<Vec<u8>>>> {
        let mut first = [0; 1];
        // SAFETY: room for one byte, which the call may fill; the byte stays to be read.
        let seen = unsafe {
            let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
            libc::recv(self.stream.as_raw_fd(), first.as_mut_ptr().cast(), 1, flags)
        };
        match seen {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            1 => request::read(&mut self.stream).map(Some),
            _ => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
                error if error.kind() == io::ErrorKind::Interrupted => Ok(None),
                error => Err(error),
            },
        }
    }

    fn tell(&mut self, answer: &Answer) -> io::Result<()> {
        request::write(&mut self.unsent, &answer.to_texts())?;
        self.send()
    }

    /// Sends as much as there is room for.
    fn send(&mut self) -> io::Result<()> {
        while !self.unsent.is_empty() {
            let (data, length) = (self.unsent.as_ptr().cast(), self.unsent.len());
            // SAFETY: reads that many bytes.
            let sent = unsafe {
                let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
                libc::send(self.stream.as_raw_fd(), data, length, flags)
            };
            match usize::try_from(sent) {
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(_) => match io::Error::last_os_error() {
                    error if error.kind() == io::ErrorKind::WouldBlock => break,
                    error if error.kind() == io::ErrorKind::Interrupted => {}
                    error => return Err(error),
                },
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_read_is_told_later() {
        const MANY: usize = 20_000;
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut connection = Connection::new(ours);
        for world in 0..MANY {
            connection.tell(&Answer::Ended(world)).unwrap();
        }
        assert!(!connection.unsent.is_empty());
        for world in 0..MANY {
            // More room each time.
            connection.send().unwrap();
            let answer = Answer::of_texts(&request::read(&mut theirs).unwrap());
            assert_eq!(answer, Some(Answer::Ended(world)));
        }
        assert!(connection.unsent.is_empty());
    }
}
