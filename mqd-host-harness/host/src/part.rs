//! Makes a process's part of the report from what was read of it.

use std::path::Path;

use mqd_inspect::process::{Calls, Target};
use mqd_report::{ActiveRequests, Activity, Extent, OtherThreads, Process, Text, check};

use crate::callbacks::Session;
use crate::calls::WRITING;
use crate::job::Member;
use crate::outcome::Outcome;
use crate::request::Request;
use crate::threads::WaitForEachOther;
use crate::walk::Walk;
use crate::{called_back, dll, job, threads};

/// Notes what an opened target tells; the result is the index of the MPI library among its images.
pub(crate) fn describe(process: &mut Process, target: &Target) -> Option<usize> {
    let display = |path: &Path| Text::from(path.display().to_string());
    let library = dll::library(target);
    process.pid = target.pid().or(process.pid);
    process.executable = target.executable().map(display).or(process.executable.take());
    process.stopped = target.was_stopped();
    process.library =
        library.and_then(|index| target.images().get(index)).map(|image| display(image.path()));
    library
}

/// Notes the host of a live process of this one, and its job.
pub(crate) fn belongs(process: &mut Process, request: &Request) {
    let pid = match request {
        Request::Pid(pid) => Some(*pid),
        Request::Member(member) if job::is_this_host(&member.host) => Some(member.pid),
        _ => None,
    };
    if let Some(pid) = pid {
        process.host = Some(job::this_host().into());
        process.job = match request {
            Request::Member(Member { spawned: Some(spawned), .. }) => Some(spawned.by.clone()),
            _ => job::identity(pid),
        };
    }
}

/// The rank of a process is what its launcher says, or else what the process itself says. If the
/// two differ, it may be another process.
pub(crate) fn settle_rank(outcome: &mut Outcome, request: &Request) {
    if let Request::Member(Member { spawned: Some(spawned), .. }) = request {
        number_from(&mut outcome.process, spawned.first);
    }
    let found = world_rank(&outcome.process);
    if let (Request::Member(member), Some(found)) = (request, found)
        && member.rank != found
    {
        outcome.warnings.push(format!(
            "the launcher says that this is rank {}, and the process that it is rank {found} in \
             MPI_COMM_WORLD: it may belong to another job",
            member.rank
        ));
    }
    outcome.process.rank = request.rank().or(found);
}

/// Numbers the ranks of a process's job from `first` on, unless the MPI library does.
pub(crate) fn number_from(process: &mut Process, first: i64) {
    let shift = first.saturating_sub(first_rank(process).unwrap_or(first));
    if shift != 0 {
        mqd_report::renumber(process, shift);
    }
}

/// The number of the first rank of `MPI_COMM_WORLD`.
pub(crate) fn first_rank(process: &Process) -> Option<i64> {
    process.named("MPI_COMM_WORLD")?.group.as_ref()?.global(0)
}

/// The rank in `MPI_COMM_WORLD` as the communicators tell it: that of the process in
/// `MPI_COMM_WORLD`, or that of the only member of `MPI_COMM_SELF`. Both keep their names unless
/// the program renames them.
fn world_rank(process: &Process) -> Option<i64> {
    // Spawned ranks are numbered after those of the launcher's first job.
    let in_world = process.named("MPI_COMM_WORLD").map(|world| {
        let group = world.group.as_ref();
        group.and_then(|group| group.global(world.local_rank)).unwrap_or(world.local_rank)
    });
    let of_self = || process.named("MPI_COMM_SELF").and_then(|own| own.group.as_ref()?.global(0));
    in_world.or_else(of_self).filter(|rank| *rank >= 0)
}

/// Notes what a debug DLL has told. `library` is the index of the MPI library among the images.
/// `calls` is the MPI function that the process is in, by its stacks.
pub(crate) fn take(
    walk: Walk,
    calls: Calls,
    session: &Session,
    library: Option<usize>,
    outcome: &mut Outcome,
) {
    outcome.extent = match (walk.errors.is_empty(), walk.communicators.is_empty()) {
        (true, _) => Extent::Complete,
        (false, false) => Extent::Partial,
        (false, true) => Extent::NoQueues,
    };
    let process = &mut outcome.process;
    process.errors = walk.errors;
    process.communicators = walk.communicators;
    process.fifos = walk.fifos;
    process.names = walk.names;
    outcome.cost.sources = walk.sources;
    if walk.takes_in {
        // It is not known what it waits for. It is not known either whether that has just come.
        process.activity = None;
        outcome.between_rounds = true;
        return;
    }
    let by_stacks = walk.activity.is_none();
    let may_show = by_stacks && walk.hints.tell();
    let is_named = walk.activity.as_ref().is_some_and(|said| said.function.as_deref() != Some(""));
    process.activity = activity(walk.activity, walk.hints.several_threads, calls);
    // A function of the program that MPI has called may do anything.
    if !is_named
        && process.activity.as_ref().is_some_and(|activity| activity.function.is_some())
        && let Some(library) = library
        && (called_back::may_have_called_program(session.target(), library)
            || called_back::may_go_on_at_any_time(session.target(), library))
    {
        process.activity = None;
    }
    if let Some(activity) = &mut process.activity {
        activity.background = walk.background;
        activity.requests = match (walk.hints.loops, walk.hints.collectives) {
            (true, _) => ActiveRequests::Listed,
            (_, true) => ActiveRequests::OrCollectives,
            _ => ActiveRequests::NotKnown,
        };
    }
    let reductions =
        || library.is_none_or(|library| called_back::has_reductions(session.target(), library));
    if let Some(activity) = &mut process.activity
        && activity.function.is_some()
        && activity.concurrent != Some(false)
    {
        let handlers = session.target().handles_signals();
        activity.others =
            threads::others(&session.target().stacks(), library, handlers, reductions);
        if activity.others == Some(OtherThreads::Blocked) {
            activity.concurrent = Some(false);
        }
    }
    if let Some(library) = library {
        let functions: &[&str] = match process.program_state {
            Some(_) => &WRITING,
            None if check::is_outside(process) => &check::ASKING,
            None => &[],
        };
        process.asks_at = beginnings(session, library, functions);
    }
    if let Some(activity) = &mut process.activity
        && activity.function.is_none()
    {
        let waits = threads::wait_for_each_other(session.target(), library);
        if waits != WaitForEachOther::No {
            activity.others = Some(OtherThreads::Blocked);
        }
        activity.nothing_helps = waits == WaitForEachOther::Surely
            && (!session.target().handles_signals()
                || threads::wait_for_threads_alone(&session.target().stacks()));
    }
    let would_be_proved = |one| check::would_be_proved(one, walk.hints.tell_in_network());
    outcome.between_rounds = may_show && process.activity.as_ref().is_some_and(would_be_proved);
}

/// Where functions of the MPI library begin, by both names of each. Most libraries have one
/// function for the two.
fn beginnings(session: &Session, library: usize, functions: &[&str]) -> Vec<(Text, u64)> {
    let begins = |symbol: &str| session.target().beginning_of(library, symbol);
    let mut found: Vec<(Text, u64)> = Vec::new();
    // The program calls the name without the P, its wrappers the other one.
    for prefix in ["", "P"] {
        for function in functions {
            let Some(address) = begins(&format!("{prefix}{function}")) else { continue };
            if !found.iter().any(|(_, other)| *other == address) {
                found.push(((*function).into(), address));
            }
        }
    }
    found
}

/// What a process is doing, as the debug DLL says. If the DLL does not know the function, the call
/// stacks tell.
fn activity(said: Option<Activity>, concurrent: Option<bool>, calls: Calls) -> Option<Activity> {
    match said.as_ref().map(|said| said.function.as_deref()) {
        // A process that polls waits in no function.
        Some(None) => {
            let function = calls.function().filter(|function| check::asks(function));
            let function = function.map(Text::from);
            return said.map(|said| Activity { function, ..said });
        }
        Some(Some(function)) if !function.is_empty() => return said,
        _ => {}
    }
    let by_stacks = |function: String, begun, looks| Activity {
        function: Some(function.into()),
        begun,
        looks,
        concurrent,
        ..Activity::NONE
    };
    match (said, calls) {
        // Without a function in its stacks, the DLL and the stacks contradict each other.
        (Some(said), calls) => {
            calls.function().map(|function| Activity { function: Some(function.into()), ..said })
        }
        (None, Calls::NotKnown) => None,
        (None, Calls::Function(function)) => Some(by_stacks(function, None, None)),
        (None, Calls::Looks(function)) => Some(by_stacks(function, None, Some(true))),
        (None, Calls::Progress(function)) => Some(by_stacks(function, Some(true), None)),
        (None, Calls::Nothing) => Some(Activity::NONE),
    }
}

/// Notes what is worth telling besides the queues.
pub(crate) fn take_remarks(outcome: &mut Outcome, session: &Session, refused: Option<String>) {
    outcome.messages = session.take_messages();
    outcome.warnings = session.take_complaints();
    outcome.warnings.extend(refused);
    let lacking = session.take_lacking();
    if !lacking.is_empty() {
        outcome.warnings.push(format!(
            "the snapshot lacks what the debug DLL asks for now and nobody asked for when it was \
             captured: {}; what is shown may lack something too",
            lacking.join(", ")
        ));
    }
    outcome.warnings.extend(session.target().warnings());
}
