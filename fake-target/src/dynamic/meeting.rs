//! Two groups that have no communicator in common become an intercommunicator. Their roots have a
//! connection. They exchange the addresses of the groups and a context id, and then inform their
//! groups.

use std::ffi::c_int;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;

use crate::abi::*;
use crate::communicator::team::{Team, tag};
use crate::communicator::{self, Communicator};
use crate::engine::{self, wait};
use crate::error::{Error, Result};
use crate::transport::address::{self, Address};
use crate::variables::counters::GROUPS_MET;

/// What begins a meeting, so that strangers are noticed.
const GREETING: [u8; 8] = *b"mqdrt-1\n";

/// The largest size of a group.
const MOST: usize = 1 << 20;

/// A connection as the roots use it: communication goes on while they wait for each other.
struct Conversation(File);

impl Conversation {
    fn wait(&self, writing: bool) {
        wait::wait_for_files(&[(self.0.as_raw_fd(), writing)]);
    }

    fn again<R>(
        &mut self,
        writing: bool,
        mut work: impl FnMut(&mut File) -> io::Result<R>,
    ) -> io::Result<R> {
        loop {
            self.wait(writing);
            match work(&mut self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return result,
            }
        }
    }
}

impl Read for Conversation {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.again(false, |file| file.read(buffer))
    }
}

impl Write for Conversation {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.again(true, |file| file.write(buffer))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The context id and the addresses of the other group.
fn converse(
    conversation: &mut Conversation,
    own: Address,
    group: &[u8],
) -> io::Result<(u32, Vec<u8>)> {
    let proposal = communicator::random_context_id();
    let count = (group.len() / address::BYTES) as u32;
    let numbers = [proposal.to_ne_bytes(), count.to_ne_bytes()].concat();
    conversation.write_all(&[&GREETING[..], &numbers, &own.to_bytes(), group].concat())?;
    let mut head = [0; 16 + address::BYTES];
    conversation.read_exact(&mut head)?;
    if head[..8] != GREETING {
        return Err(io::Error::other("it is not this MPI at the other end"));
    }
    let number = |at: usize| u32::from_ne_bytes(head[at..][..4].try_into().expect("four bytes"));
    let (theirs, count) = (number(8), number(12) as usize);
    if count == 0 || count > MOST {
        return Err(io::Error::other(format!("{count} processes are no group")));
    }
    let mut others = vec![0; count * address::BYTES];
    conversation.read_exact(&mut others)?;
    let other = Address::all_of(&head[16..])[0];
    // Both have proposed an id. The one of the smaller key is taken.
    Ok((if own.key() < other.key() { proposal } else { theirs }, others))
}

/// Whether both groups have reached each other. No process goes on before, since a process that
/// goes on may exit.
fn agree(conversation: &mut Conversation, here: bool) -> bool {
    let mut there = [0];
    let told = conversation.write_all(&[here.into()]);
    let heard = told.and_then(|()| conversation.read_exact(&mut there));
    here && heard.is_ok() && there == [1]
}

/// The root's message to its group before the addresses: an error code or 0, the context id, and
/// the number of bytes of the addresses.
type News = [u32; 3];

/// All processes of a communicator's group meet another group: `connect` is the root's part.
pub(super) fn meet(
    comm: &'static Communicator,
    root: c_int,
    name: &str,
    connect: impl FnOnce() -> Result<File>,
) -> Result<&'static Communicator> {
    let team = Team::local(comm, tag::CREATE);
    let own = engine::enter().own_address();
    let group = team.allgather(&own.to_bytes())?;
    let mut outcome = Ok(None);
    let (mut news, mut others): (News, Vec<u8>) = ([0; 3], Vec::new());
    if team.rank() == root {
        let met = connect().and_then(|connection| {
            let mut conversation = Conversation(connection);
            let told = converse(&mut conversation, own, &group).map_err(|error| lost(&error))?;
            Ok((conversation, told))
        });
        match met {
            Ok((conversation, (context_id, addresses))) => {
                news = [0, context_id, addresses.len() as u32];
                others = addresses;
                outcome = Ok(Some(conversation));
            }
            Err(error) => {
                news = [error.code() as u32, 0, 0];
                outcome = Err(error);
            }
        }
    }
    team.broadcast(root, &mut news)?;
    let mut conversation = outcome?;
    let [code, context_id, bytes] = news;
    if code != 0 {
        let message = format!("rank {root}, the root, has failed");
        return Err(Error::new(code as c_int, message));
    }
    others.resize(bytes as usize, 0);
    team.broadcast(root, &mut others)?;
    let met = know(&others);
    // A process that cannot reach the others says so. Then no process gets a communicator.
    let reached = !team.allgather(&[u8::from(met.is_err())])?.contains(&1);
    let mut agreed = [u8::from(conversation.as_mut().is_some_and(|other| agree(other, reached)))];
    team.broadcast(root, &mut agreed)?;
    let remote = met?;
    if agreed != [1] {
        let message = "a process of one of the groups cannot reach the other group";
        return Err(Error::new(MPI_ERR_OTHER, message));
    }
    if remote.iter().any(|process| comm.local().world_ranks().contains(process)) {
        return Err(Error::new(MPI_ERR_GROUP, "the groups have processes in common"));
    }
    let connected = communicator::connected(comm, context_id, remote, name)?;
    GROUPS_MET.add_shared(1);
    Ok(connected)
}

/// The numbers here of the processes at these addresses.
fn know(addresses: &[u8]) -> Result<Vec<c_int>> {
    communicator::meet_all(&Address::all_of(addresses))
}

fn lost(error: &io::Error) -> Error {
    Error::new(MPI_ERR_PORT, format!("the other group cannot be talked to: {error}"))
}
