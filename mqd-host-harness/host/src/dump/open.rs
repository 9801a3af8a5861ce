//! Opens what a request names.

use std::time::Instant;

use mqd_inspect::process::Target;
use mqd_report::{Problem, ProblemKind};

use crate::request::{Options, Request};
use crate::{job, problems};

/// Symbols that MPI libraries define for debuggers: the image that has one is asked for types
/// before the others.
const RUNTIME_SYMBOLS: [&str; 4] =
    ["mqdrt_root", "MPIR_dll_name", "ompi_mpi_comm_world", "MPIR_All_communicators"];

/// Opens a process or core file; a live process is stopped until the target is dropped.
pub(crate) fn open(request: &Request, options: &Options) -> Result<Target, Problem> {
    let opened = match request {
        Request::Captured(place) => {
            let opened = options.snapshots.target(place, options.record);
            return opened.map_err(|error| problems::of_snapshot(&error));
        }
        Request::Core(path) => Target::open_core(path, &options.core),
        Request::Pid(pid) => Target::attach_with(*pid, &options.live),
        Request::Member(member) if !job::is_this_host(&member.host) => {
            let text = format!(
                "it runs on host {}, and mqd reads the processes of its own host",
                member.host
            );
            let advice = format!("run `mqd dump --pid {}` there", member.pid);
            return Err(Problem::new(ProblemKind::Elsewhere, text)
                .on_host(&member.host)
                .advise(advice));
        }
        Request::Member(member) => Target::attach_with(member.pid, &options.live),
    };
    let mut target = opened.map_err(|error| problems::of_target(&error))?;
    target.prefer_definers_of(&RUNTIME_SYMBOLS);
    if options.record {
        target.record(request.rank());
    }
    Ok(target)
}

/// An opened target, and the wall-clock seconds that it took.
pub(super) struct Opened {
    pub(super) target: Target,
    pub(super) seconds: f64,
}

impl Opened {
    pub(super) fn by(request: &Request, options: &Options) -> Result<Opened, Problem> {
        let started = Instant::now();
        let target = open(request, options)?;
        Ok(Opened { target, seconds: started.elapsed().as_secs_f64() })
    }
}
