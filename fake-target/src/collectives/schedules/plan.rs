//! Builds schedules.

use std::ffi::c_int;

use crate::abi::*;
use crate::arguments::Out;
use crate::collectives::buffer::{Elements, Scratch};
use crate::collectives::fold;
use crate::collectives::under_way::{self, Collective};
use crate::communicator::call::Form;
use crate::communicator::{self, Communicator};
use crate::engine::internal::Partner;
use crate::engine::request::Request;
use crate::engine::schedule::{Schedule, Step, Watcher};
use crate::engine::wait::{self, Awaited};
use crate::engine::{self, Engine};
use crate::error::Result;
use crate::info;
use crate::op::Reduction;
use crate::request;

/// A partner of messages, and their tag.
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
    /// A schedule whose messages have that tag.
    pub(super) fn new(communicator: &'static Communicator, tag: c_int) -> Plan {
        Plan { communicator, tag, steps: Vec::new(), memory: Vec::new() }
    }

    /// The schedule of a call.
    fn of_call(
        form: Form,
        operation: Collective,
        comm: MPI_Comm,
        build: impl FnOnce(&mut Plan) -> Result,
    ) -> Result<Plan> {
        let communicator = communicator::resolve(comm)?;
        let call = communicator.begin_call(form, operation as u8);
        let mut plan = Plan::new(communicator, call.tag());
        build(&mut plan).inspect_err(|error| communicator.end_wrong(&call, error))?;
        communicator.go_on(&call);
        Ok(plan)
    }

    /// The process with this rank; in an intercommunicator, one of the other group.
    pub(super) fn peer(&self, rank: c_int) -> Party {
        Party(self.communicator.partner(rank), self.tag)
    }

    /// The process of that rank in this process's group.
    pub(super) fn mate(&self, rank: c_int) -> Party {
        Party(self.communicator.mate(rank), self.tag)
    }

    /// Sends elements.
    pub(super) fn send(&mut self, Party(to, tag): Party, elements: &Elements) {
        self.steps.push(Step::Send(to, tag, elements.payload()));
    }

    /// Receives elements.
    pub(super) fn receive(&mut self, Party(from, tag): Party, elements: &Elements) {
        self.steps.push(Step::Receive(from, tag, elements.payload()));
    }

    /// The steps that follow need the messages of the steps before.
    pub(super) fn fence(&mut self) {
        self.steps.push(Step::Fence);
    }

    /// Work of this process alone.
    pub(super) fn local(&mut self, work: impl FnMut(&'static Engine) -> Result + 'static) {
        self.steps.push(Step::Local(Box::new(work)));
    }

    /// Copies elements, from other memory.
    pub(super) fn copy(&mut self, from: &Elements, to: &Elements) {
        let (from, to) = (from.clone(), to.clone());
        self.local(move |_| to.copy_from(&from));
    }

    /// `into[i] = left[i] op into[i]`
    pub(super) fn combine(&mut self, op: &Reduction, left: &Elements, into: &Elements) {
        let (op, left, into) = (op.clone(), left.clone(), into.clone());
        self.local(move |_| {
            fold::combine(&op, &left, &into);
            Ok(())
        });
    }

    /// Memory for as many elements of the same datatype as `like` has. It lives as long as the
    /// schedule.
    pub(super) fn scratch(&mut self, like: &Elements) -> Result<Elements> {
        let scratch = Scratch::like(like)?;
        let elements = scratch.elements().clone();
        self.memory.push(scratch);
        Ok(elements)
    }

    /// A request for the schedule. `operation` is what `watcher` sees.
    fn request(self, watcher: Watcher, operation: Option<Collective>) -> &'static Request {
        let (program, hidden) = (&self.communicator.program, &self.communicator.hidden);
        let schedule = Schedule {
            steps: self.steps,
            _memory: Box::new(self.memory),
            watch: operation.map(|operation| (watcher, program, operation as usize)),
            next: 0,
        };
        engine::enter().make_task(Box::new(schedule), Some(hidden))
    }

    /// Starts the schedule.
    pub(super) fn start(self, operation: Option<Collective>) -> &'static Request {
        let request = self.request(under_way::watch, operation);
        engine::enter().start_task(request);
        request
    }
}

/// Builds the schedule of a nonblocking operation and starts it.
pub(super) fn launch(
    operation: Collective,
    comm: MPI_Comm,
    request: Out<MPI_Request>,
    build: impl FnOnce(&mut Plan) -> Result,
) -> Result {
    let plan = Plan::of_call(Form::Nonblocking, operation, comm, build)?;
    request.set(MPI_Request(plan.start(Some(operation)).handle()));
    Ok(())
}

/// Builds the schedule of a persistent operation.
pub(super) fn describe(
    operation: Collective,
    comm: MPI_Comm,
    info: MPI_Info,
    request: Out<MPI_Request>,
    build: impl FnOnce(&mut Plan) -> Result,
) -> Result {
    let plan = Plan::of_call(Form::Persistent, operation, comm, |plan| {
        info::check_hints(info)?;
        build(plan)
    })?;
    let made = plan.request(under_way::watch_persistent, Some(operation));
    made.persistent.set(true);
    request.set(MPI_Request(made.handle()));
    Ok(())
}

/// Does the operation of a schedule and waits.
pub(super) fn perform(
    operation: Collective,
    comm: MPI_Comm,
    build: impl FnOnce(&mut Plan) -> Result,
) -> Result {
    let plan = Plan::of_call(Form::Nonblocking, operation, comm, build)?;
    let made = plan.start(Some(operation));
    wait::wait_for(Awaited::Other, |engine: &'static Engine| {
        made.is_done().then(|| {
            let result = request::outcome(made);
            engine.release(made);
            result
        })
    })
}
