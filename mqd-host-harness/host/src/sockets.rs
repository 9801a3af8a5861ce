//! What goes through the sockets of a process, if its messages have no other way.
//!
//! No queue shows messages that are on a network, in the kernel, or half taken in by a library. But
//! if the sockets of two processes are empty, and have not carried a byte for a while, there is no
//! such message between them. A library that waits has meanwhile taken in what had come before.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::fd::{AsFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;

use byteorder::{ByteOrder, NativeEndian};
use netlink_packet_core::{
    NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_sock_diag::SockDiagMessage;
use netlink_packet_sock_diag::constants::{
    AF_INET, AF_INET6, IPPROTO_TCP, TCP_LISTEN, TCP_SYN_RECV, TCP_SYN_SENT,
};
use netlink_packet_sock_diag::inet::nlas::Nla;
use netlink_packet_sock_diag::inet::{
    ExtensionFlags, InetRequest, InetResponse, SocketId, StateFlags,
};
use netlink_sys::protocols::NETLINK_SOCK_DIAG;
use netlink_sys::{Socket, SocketAddr};
use procfs::FromRead;
use procfs::net::UnixNetEntries;
use procfs::process::{FDTarget, MMapPath, Process};
use rustix::fs::{getxattr, makedev};
use rustix::io::{Errno, ioctl_fionread};
use rustix::net::sockopt::socket_protocol;
use rustix::net::{getpeername, ipproto};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use crate::shared_memory::{is_device, mappings};

/// The sockets of a process at one moment. All its messages go through TCP, or through memory that
/// it shares with others.
pub(crate) struct Sockets {
    /// Each connection, in the order of their numbers.
    connections: Vec<Connection>,
    /// The files of the memory that it shares and may write to: device and inode of each.
    pub(crate) shared: Vec<(u64, u64)>,
}

/// How often a file of a process is asked for.
const TRIES: usize = 3;

/// A socket of TCP.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Connection {
    /// Its inode.
    number: u64,
    /// Bytes that the process has not read yet, or that the other side has not acknowledged yet.
    queued: u64,
    /// Bytes that were received, and bytes that were sent and acknowledged.
    carried: u64,
}

/// Reads sockets at about one moment. Those of a network namespace are listed once.
#[derive(Default)]
pub(crate) struct Kernel {
    /// By the inode of the namespace. None: they cannot be listed.
    namespaces: HashMap<u64, Option<Namespace>>,
    /// Were sockets listed again, because one was missing?
    is_second_list: bool,
}

/// The sockets of a network namespace.
struct Namespace {
    /// By their inodes.
    connections: HashMap<u64, Connection>,
    /// The inodes of the sockets that stay on the machine, as those to the launcher.
    local: HashSet<u64>,
}

impl Kernel {
    /// The sockets of a process of this host. None: they are not known, or messages may go another
    /// way, as through the device of a network card.
    pub(crate) fn sockets_of(&mut self, pid: u32) -> Option<Sockets> {
        let process = Process::new(i32::try_from(pid).ok()?).ok()?;
        let (open, shared) = (open_sockets(&process)?, shared_memory(&process)?);
        let directory = Path::new("/proc").join(pid.to_string());
        let mut found = self.of_namespace(&directory)?.connections_of(&open);
        if !found.others.is_empty() && !self.is_second_list {
            // The kernel may miss sockets while others come and go.
            self.is_second_list = true;
            self.namespaces.clear();
            found = self.of_namespace(&directory)?.connections_of(&open);
        }
        if !found.others.iter().all(|file| is_unconnected(pid, *file)) {
            return None;
        }
        let mut connections = found.connections;
        connections.sort_unstable();
        Some(Sockets { connections, shared })
    }

    /// The sockets of the namespace of a process, whose directory is given.
    fn of_namespace(&mut self, process: &Path) -> Option<&Namespace> {
        let path = process.join("ns/net");
        let namespace = self.namespaces.entry(fs::metadata(&path).ok()?.ino());
        let namespace = namespace.or_insert_with(|| {
            let local = UnixNetEntries::from_file(process.join("net/unix")).ok()?;
            Some(Namespace {
                connections: connections_of(&path).ok()?,
                local: local.0.iter().map(|socket| socket.inode).collect(),
            })
        });
        namespace.as_ref()
    }
}

impl Namespace {
    /// Those of these sockets that are known.
    fn connections_of(&self, sockets: &HashMap<u64, RawFd>) -> Found {
        let mut found = Found::default();
        for (number, file) in sockets {
            match self.connections.get(number) {
                Some(connection) => found.connections.push(*connection),
                None if self.local.contains(number) => {}
                None => found.others.push(*file),
            }
        }
        found
    }
}

/// The sockets of a process.
#[derive(Default)]
struct Found {
    connections: Vec<Connection>,
    /// The file descriptors of those that the kernel does not list: sockets of other kinds, and
    /// sockets of TCP without a connection.
    others: Vec<RawFd>,
}

/// Is this file of a process a socket of TCP without a connection, and without bytes that were not
/// read? A library that sends to a process which has ended opens one after the other. The socket is
/// shared with the process for this moment. Others are not touched.
fn is_unconnected(pid: u32, file: RawFd) -> bool {
    let socket = || {
        let mut protocol = [0; 16];
        let path = format!("/proc/{pid}/fd/{file}");
        let length = getxattr(path, "system.sockprotoname", &mut protocol).ok()?;
        if !protocol[..length].starts_with(b"TCP") {
            return Some(false);
        }
        let process = pidfd_open(Pid::from_raw(i32::try_from(pid).ok()?)?, PidfdFlags::empty());
        let socket = pidfd_getfd(process.ok()?, file, PidfdGetfdFlags::empty()).ok()?;
        let is_tcp = socket_protocol(&socket).ok()? == Some(ipproto::TCP);
        let is_empty = ioctl_fionread(&socket).ok()? == 0;
        let has_peer = !matches!(getpeername(&socket), Ok(None) | Err(Errno::NOTCONN));
        Some(is_tcp && is_empty && !has_peer)
    };
    // It may be closed at the moment, and another one be opened.
    (0..TRIES).find_map(|_| socket()).unwrap_or(false)
}

impl Sockets {
    /// Is nothing in them?
    pub(crate) fn are_empty(&self) -> bool {
        self.connections.iter().all(|connection| connection.queued == 0)
    }

    /// A number that changes if they carry anything, or if there are others.
    pub(crate) fn carried(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.connections.hash(&mut hasher);
        hasher.finish()
    }
}

/// The inodes of all sockets that a process has open, and their file descriptors. None: something
/// else that is open may carry messages.
fn open_sockets(process: &Process) -> Option<HashMap<u64, RawFd>> {
    let mut sockets = HashMap::new();
    for open in process.fd().ok()? {
        let open = open.ok()?;
        match open.target {
            FDTarget::Socket(inode) => _ = sockets.insert(inode, open.fd),
            FDTarget::Path(path) if is_device(&path) => return None,
            FDTarget::AnonInode(kind) if kind.contains("io_uring") => return None,
            _ => {}
        }
    }
    Some(sockets)
}

/// Beginnings of names in the paths of memory by which PMIx tells ranks of their job. No messages
/// go by it.
const OF_PMIX: [&str; 2] = ["pmix-gds-shmem", "pmix_dstor"];

/// The files of the memory that a process shares and may write to. None: some of it is that of a
/// device.
fn shared_memory(process: &Process) -> Option<Vec<(u64, u64)>> {
    let mut shared = Vec::new();
    for mapping in mappings(process)? {
        if let MMapPath::Path(path) = &mapping.pathname {
            let mut names = path.iter().map(|name| name.as_encoded_bytes());
            if names.any(|name| OF_PMIX.iter().any(|pmix| name.starts_with(pmix.as_bytes()))) {
                continue;
            }
        }
        let (major, minor) = mapping.dev;
        let device = makedev(u32::try_from(major).ok()?, u32::try_from(minor).ok()?);
        shared.push((device, mapping.inode));
    }
    shared.sort_unstable();
    shared.dedup();
    Some(shared)
}

/// All connections of a network namespace.
fn connections_of(namespace: &Path) -> io::Result<HashMap<u64, Connection>> {
    let file = File::open(namespace)?;
    if file.metadata()?.ino() == fs::metadata("/proc/self/ns/net")?.ino() {
        return all_connections();
    }
    // Only this thread changes over, and then ends.
    let there = thread::spawn(move || {
        move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?;
        all_connections()
    });
    there.join().unwrap_or_else(|_| Err(io::Error::other("reading its sockets failed")))
}

/// All connections of this thread's network namespace, as the kernel tells by `sock_diag(7)`.
fn all_connections() -> io::Result<HashMap<u64, Connection>> {
    let mut connections = HashMap::new();
    for (family, any) in [(AF_INET, SocketId::new_v4()), (AF_INET6, SocketId::new_v6())] {
        let mut socket = Socket::new(NETLINK_SOCK_DIAG)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        socket.send(&request(family, any), 0)?;
        while take_answer(&socket.recv_from_full()?.0, &mut connections)? {}
    }
    Ok(connections)
}

/// The question for all sockets of TCP, with the counts of their bytes.
fn request(family: u8, any: SocketId) -> Vec<u8> {
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | NLM_F_DUMP;
    let request = InetRequest {
        family,
        protocol: IPPROTO_TCP,
        extensions: ExtensionFlags::INFO,
        states: StateFlags::all(),
        socket_id: any,
    };
    let mut message = NetlinkMessage::new(header, SockDiagMessage::InetRequest(request).into());
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    bytes
}

/// Adds the connections of one answer. Returns whether another answer follows.
fn take_answer(mut bytes: &[u8], connections: &mut HashMap<u64, Connection>) -> io::Result<bool> {
    while !bytes.is_empty() {
        let message =
            NetlinkMessage::<SockDiagMessage>::deserialize(bytes).map_err(io::Error::other)?;
        match message.payload {
            NetlinkPayload::InnerMessage(SockDiagMessage::InetResponse(response)) => {
                connections.extend(connection(&response).map(|one| (one.number, one)));
            }
            NetlinkPayload::Done(_) => return Ok(false),
            NetlinkPayload::Error(error) => return Err(error.to_io()),
            _ => {}
        }
        // Messages begin at multiples of four bytes.
        let length = (message.header.length as usize).next_multiple_of(4);
        bytes = bytes.get(length.max(4)..).unwrap_or_default();
    }
    Ok(true)
}

/// None: the kernel does not count its bytes.
fn connection(response: &InetResponse) -> Option<Connection> {
    let header = &response.header;
    let number = header.inode.into();
    let (read, sent) = (u64::from(header.recv_queue), u64::from(header.send_queue));
    // While a connection is being made, its data are not in the send queue. It counts as not empty.
    let begins = u64::from(matches!(header.state, TCP_SYN_SENT | TCP_SYN_RECV));
    if header.state == TCP_LISTEN {
        // For a listening socket, `send_queue` is the greatest length of its backlog.
        return Some(Connection { number, queued: read, carried: 0 });
    }
    let info = response.nlas.iter().find_map(|attribute| match attribute {
        Nla::TcpInfo(info) => Some(info),
        _ => None,
    })?;
    let count = |place: usize| info.get(place..place + 8).map(NativeEndian::read_u64);
    let carried = count(BYTES_ACKED)?.wrapping_add(count(BYTES_RECEIVED)?);
    Some(Connection { number, queued: read + sent + begins, carried })
}

/// Where the kernel's `tcp_info` has its counts, since Linux 4.1.
const BYTES_ACKED: usize = 120;
const BYTES_RECEIVED: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    /// Tries to connect to a port that nobody listens to, again and again. With an argument it also
    /// has a socket of another kind.
    const CONNECTS: &str = "import socket, sys
free = socket.socket()
free.bind(('127.0.0.1', 0))
place = free.getsockname()
free.close()
other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM) if sys.argv[1:] else None
print(flush=True)
while True:
    one = socket.socket()
    one.connect_ex(place)
    one.close()";

    #[test]
    fn sockets_without_a_connection_are_empty() {
        for (argument, is_known) in [(None, true), (Some("other"), false)] {
            let mut command = Command::new("python3");
            command.args(["-c", CONNECTS]).args(argument).stdin(Stdio::null());
            let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
            let answers = child.stdout.take().unwrap();
            BufReader::new(answers).read_line(&mut String::new()).unwrap();
            let looks = (0..50).map(|_| Kernel::default().sockets_of(child.id()));
            // Some of the looks may come while the kernel answers the attempt.
            let found: Vec<_> = looks.flatten().filter(Sockets::are_empty).collect();
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(found.len() > 25, is_known, "{}", found.len());
            assert!(found.iter().all(|sockets| sockets.connections.is_empty()));
        }
    }
}
