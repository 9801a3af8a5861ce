//! What schedules are built with.

use std::ffi::c_int;

use crate::abi::*;
use crate::arguments::Out;
use crate::collectives::buffer::{Elements, Scratch};
use crate::collectives::roles;
use crate::collectives::under_way::{self, Operation};
use crate::communicator::Communicator;
use crate::communicator::team::Team;
use crate::engine;
use crate::engine::internal::Partner;
use crate::engine::schedule::{Schedule, Step};
use crate::error::Result;
use crate::info;
use crate::op::OpRef;

/// A process that messages go to or come from, and their tag.
#[derive(Clone, Copy)]
pub(super) struct Party(Partner, c_int);

/// A schedule under construction.
pub(super) struct Plan {
    pub(super) communicator: &'static Communicator,
    tag: c_int,
    steps: Vec<Step>,
    memory: Vec<Scratch>,
}

impl Plan {
    fn new(communicator: &'static Communicator, tag: c_int) -> Plan {
        Plan { communicator, tag, steps: Vec::new(), memory: Vec::new() }
    }

    /// The process of that rank, in an intercommunicator of the other group.
    pub(super) fn peer(&self, rank: c_int) -> Party {
        Party(self.communicator.partner(rank), self.tag)
    }

    /// The process of that rank in this process's group.
    pub(super) fn mate(&self, rank: c_int) -> Party {
        let team = Team::local(self.communicator, self.tag);
        // Messages within a group and between the groups are different ones.
        Party(team.partner(rank), self.tag + c_int::from(self.communicator.remote().is_some()))
    }

    /// Sends elements.
    pub(super) fn send(&mut self, Party(to, tag): Party, elements: &Elements) {
        self.steps.push(Step::Send(to, tag, elements.payload()));
    }

    /// Receives elements.
    pub(super) fn receive(&mut self, Party(from, tag): Party, elements: &Elements) {
        self.steps.push(Step::Receive(from, tag, elements.payload()));
    }

    /// What follows needs the messages so far.
    pub(super) fn fence(&mut self) {
        self.steps.push(Step::Fence);
    }

    /// Copies elements.
    pub(super) fn copy(&mut self, from: &Elements, to: &Elements) {
        let (from, to) = (from.clone(), to.clone());
        self.steps.push(Step::Local(Box::new(move |_| to.copy_from(&from))));
    }

    /// `into[i] = left[i] op into[i]`
    pub(super) fn combine(&mut self, op: &OpRef, left: &Elements, into: &Elements) {
        let (op, left, into) = (op.clone(), left.clone(), into.clone());
        let work = move || {
            let (datatype, handle) = (into.datatype(), into.handle());
            op.apply(datatype, handle, left.address(), into.address(), into.count())
        };
        self.steps.push(Step::Local(Box::new(move |_| work())));
    }

    /// Memory for as many elements as `like` has, of its datatype, as long as the schedule stays.
    pub(super) fn scratch(&mut self, like: &Elements) -> Result<Elements> {
        let scratch = Scratch::like(like)?;
        let elements = scratch.elements().clone();
        self.memory.push(scratch);
        Ok(elements)
    }

    fn schedule(self, operation: Operation) -> Schedule {
        Schedule {
            steps: self.steps,
            _memory: Box::new(self.memory),
            watch: Some((under_way::watch, &self.communicator.program, operation as usize)),
            next: 0,
        }
    }
}

/// Builds the schedule of a nonblocking operation and starts it.
pub(super) fn launch(
    operation: Operation,
    comm: MPI_Comm,
    request: Out<MPI_Request>,
    build: impl FnOnce(&mut Plan) -> Result,
) -> Result {
    let communicator = roles::begin(comm)?;
    let mut plan = Plan::new(communicator, communicator.schedule_tag());
    build(&mut plan)?;
    let schedule = Box::new(plan.schedule(operation));
    let engine = engine::enter();
    let made = engine.make_task(schedule, Some(&communicator.hidden));
    engine.start_task(made);
    request.set(MPI_Request(made.handle()));
    Ok(())
}

/// Builds the schedule of a persistent operation.
pub(super) fn describe(
    operation: Operation,
    comm: MPI_Comm,
    info: MPI_Info,
    request: Out<MPI_Request>,
    build: impl FnOnce(&mut Plan) -> Result,
) -> Result {
    let communicator = roles::begin(comm)?;
    let mut plan = Plan::new(communicator, communicator.persistent_tag());
    info::check_hints(info)?;
    build(&mut plan)?;
    let schedule = Box::new(plan.schedule(operation));
    let made = engine::enter().make_task(schedule, Some(&communicator.hidden));
    made.persistent.set(true);
    request.set(MPI_Request(made.handle()));
    Ok(())
}
