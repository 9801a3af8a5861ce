//! What is told of processes that are started (PERUSE 2.0, appendix E, 12.5).

use std::ffi::{CString, c_int};
use std::os::unix::ffi::OsStringExt;
use std::{fs, ptr};

use super::event::Event;
use super::handle;
use super::types::*;
use crate::abi::{MPI_Aint, MPI_COMM_NULL, MPI_Comm};
use crate::communicator;
use crate::engine::observe::SpawnCall;

/// Tells the handles that watch the parents' communicator.
pub(super) fn tell(event: Event, call: &SpawnCall<'_>, id: MPI_Aint) {
    let mut parents = KnownCommunicator::new(call.comm);
    let mut children = KnownCommunicator::new(call.children);
    let mut processes: Vec<_> = call.started.iter().map(KnownProcess::new).collect();
    let mut list: Vec<_> = processes.iter_mut().map(KnownProcess::told).collect();
    let mut errcodes = call.errcodes;
    let spec = peruse_spawn_spec_t {
        p_comm: parents.as_mut().map_or(ptr::null_mut(), |comm| &raw mut comm.told),
        argv: call.argv,
        maxprocs: call.processes,
        info: call.info,
        root: call.root,
        p_intercomm: children.as_mut().map_or(ptr::null_mut(), |comm| &raw mut comm.told),
        array_of_errcodes: &raw mut errcodes,
        list_of_processes: if list.is_empty() { ptr::null_mut() } else { list.as_mut_ptr() },
    };
    handle::tell(event, call.context, id, &spec);
}

/// A communicator with the text of its name.
struct KnownCommunicator {
    told: peruse_comm_t,
    _name: CString,
}

impl KnownCommunicator {
    fn new(comm: MPI_Comm) -> Option<KnownCommunicator> {
        if comm == MPI_COMM_NULL {
            return None;
        }
        let communicator = communicator::resolve(comm).ok()?;
        let name = CString::new(communicator.name_in_engine()).unwrap_or_default();
        let unique_id = communicator.program.id() as c_int;
        let told = peruse_comm_t { comm, name: name.as_ptr().cast_mut(), unique_id };
        Some(KnownCommunicator { told, _name: name })
    }
}

/// A process with the texts that describe it.
struct KnownProcess {
    pid: c_int,
    number: c_int,
    image: CString,
    node: CString,
}

impl KnownProcess {
    fn new(&(pid, number): &(c_int, c_int)) -> KnownProcess {
        let image = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        let image = CString::new(image.into_os_string().into_vec()).unwrap_or_default();
        // All processes are on this machine.
        let node = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let node = CString::new(node.trim_end()).unwrap_or_default();
        KnownProcess { pid, number, image, node }
    }

    fn told(&mut self) -> peruse_process_t {
        peruse_process_t {
            PID: self.pid,
            image_name: self.image.as_ptr().cast_mut(),
            node_name: self.node.as_ptr().cast_mut(),
            peruse_process_id: self.number,
        }
    }
}
