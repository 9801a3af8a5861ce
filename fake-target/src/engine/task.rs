//! Requests whose work is more than one message: nonblocking and persistent collective operations
//! and their like. Each has a [`Task`], which goes on whenever the messages that it has started are
//! complete, in any call in which this process makes progress.

use super::context::Context;
use super::internal::Partner;
use super::observe;
use super::payload::Payload;
use super::refusal::refused;
use super::request::{Operation, Owner, Queue, Request};
use super::state::Engine;
use crate::abi::*;
use crate::debug::queues::{OperationKind, OperationState, publish};
use crate::error::Error;
use std::any::Any;
use std::ffi::{c_int, c_void};
use std::ptr;

/// How a task goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Course {
    /// When the messages that it has started are complete.
    Round,
    /// When the program has done something, and the messages that it has started are complete: see
    /// [`Engine::wake_task`].
    Waits,
    /// Not at all: it ends with the messages that it has started.
    Over,
}

/// The functions of the program that a generalised request calls. They are called outside of the
/// engine.
#[derive(Clone, Copy)]
pub(crate) struct Callbacks {
    /// Fills in the status.
    pub(crate) query: MPI_Grequest_query_function,
    /// The request ends.
    pub(crate) free: MPI_Grequest_free_function,
    /// The request is to be cancelled.
    pub(crate) cancel: MPI_Grequest_cancel_function,
    /// The argument that the program wants them to get.
    pub(crate) extra_state: *mut c_void,
}

/// The work of a request.
pub(crate) trait Task: Any {
    /// The operation begins. A persistent one may begin repeatedly.
    fn begin(&mut self) {}

    /// Goes on as far as it gets without waiting. Never called while messages that the task has
    /// started in a round are under way.
    fn advance(&mut self, engine: &'static Engine, request: &'static Request) -> Course;

    /// The operation is over.
    fn end(&mut self) {}

    /// Whether debuggers see the operation: as a collective one that is under way, or by messages
    /// of its own.
    fn is_shown(&self) -> bool {
        false
    }

    /// The functions of the program that are called at its end.
    fn callbacks(&self) -> Option<Callbacks> {
        None
    }

    /// Its status for the program.
    fn status(&self) -> MPI_Status {
        MPI_Status::EMPTY
    }
}

impl Request {
    /// Whether its work is a task.
    pub(crate) fn has_task(&self) -> bool {
        self.has_task.get()
    }

    /// Whether it is an operation that debuggers do not see.
    pub(crate) fn is_hidden(&self) -> bool {
        let is_shown = || self.task.borrow().as_ref().is_none_or(|task| task.is_shown());
        self.has_task() && !self.is_listed() && !is_shown()
    }

    /// Whether it is on a list that debuggers see.
    pub(crate) fn is_listed(&self) -> bool {
        self.queue.get().is_some()
    }

    /// Whether it is one that debuggers see among the runtime's own operations.
    pub(crate) fn is_listed_as_own(&self) -> bool {
        self.is_listed() && self.context.get().is_some_and(|context| !context.visible)
    }

    /// The functions of the program that its task calls at its end.
    pub(crate) fn callbacks(&self) -> Option<Callbacks> {
        if !self.has_task() {
            return None;
        }
        self.task.borrow().as_ref().and_then(|task| task.callbacks())
    }

    /// Does something with its task, if it is of that type.
    pub(crate) fn with_task<T: Task, R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut task = self.task.borrow_mut();
        let task: &mut dyn Any = task.as_mut()?.as_mut();
        task.downcast_mut().map(work)
    }

    /// Notes the first error of a task.
    pub(crate) fn fail(&self, error: Error) {
        if self.error.get() == MPI_SUCCESS {
            self.error.set(error.code());
            self.failure.replace(Some(error));
        }
    }
}

impl Engine {
    /// A request that does a task, not started yet. It keeps the communicator of the context.
    pub(crate) fn make_task(
        &self,
        task: Box<dyn Task>,
        context: Option<&'static Context>,
    ) -> &'static Request {
        let request = self.make_bare(OperationKind::SendStandard, [None; 2]);
        if let Some(context) = context {
            context.uses.set(context.uses.get() + 1);
        }
        request.context.set(context);
        request.head.state.set(OperationState::Inactive);
        request.has_task.set(true);
        request.task.replace(Some(task));
        request
    }

    /// Describes what a task that is not started yet will send or receive. Debuggers see it among
    /// the sends, or the receives, for as long as it is active.
    pub(crate) fn describe_task(&self, request: &'static Request, operation: &Operation) {
        request.set(operation, Owner::Program);
        request.described.set(true);
    }

    /// Shows debuggers a task that is described.
    fn list_task(&self, request: &'static Request) {
        let Some(context) = request.context.get() else { return };
        if request.is_send() {
            request.queue.set(Some(Queue::Sends));
            self.sends().append(request);
        } else {
            // Not among the posted ones: other messages do not match it.
            request.queue.set(Some(Queue::Matched));
            context.matched().append(request);
        }
    }

    /// Begins the task of a request.
    pub(crate) fn start_task(&'static self, request: &'static Request) {
        request.reset();
        request.failure.take();
        request.head.state.set(OperationState::Pending);
        if let Some(task) = &mut *request.task.borrow_mut() {
            task.begin();
        }
        if request.described.get() {
            self.list_task(request);
        }
        self.wake_task(request);
    }

    /// Lets a task go on for which the program has done something.
    pub(crate) fn wake_task(&'static self, request: &'static Request) {
        let is_active =
            matches!(request.state(), OperationState::Pending | OperationState::Matched);
        if is_active && request.head.open.get() == 0 {
            self.run_task(request);
        }
    }

    fn run_task(&'static self, request: &'static Request) {
        // Taken out: the work of a task may be a function of the program.
        let Some(mut task) = request.task.take() else { return };
        self.show_going_on(1);
        let open = &request.head.open;
        let over = loop {
            // A message that completes at once must not wake the task while it runs.
            open.set(open.get() + 1);
            let course = task.advance(self, request);
            open.set(open.get() - 1);
            match course {
                _ if open.get() > 0 => break false,
                Course::Round => {}
                Course::Waits => break false,
                Course::Over => break true,
            }
        };
        if over {
            task.end();
        }
        request.task.replace(Some(task));
        if over {
            if request.described.get() {
                note_completion(request);
            }
            request.head.state.set(OperationState::Complete);
            self.root.note_over(request);
            self.wake_threads();
            if request.owner.get() == Owner::Nobody && request.callbacks().is_none() {
                self.end_detached(request);
            }
        }
        self.show_going_on(-1);
    }

    /// Shows debuggers that so many more tasks may be about to go on.
    pub(super) fn show_going_on(&self, more: c_int) {
        publish();
        self.root.going_on.set(self.root.going_on.get() + more);
        publish();
    }

    /// Lets the tasks go on whose messages are complete. Returns whether there were any.
    pub(super) fn run_tasks(&'static self) -> bool {
        let ready = self.ready.take();
        let any = !ready.is_empty();
        for request in ready {
            self.wake_task(request);
            self.show_going_on(-1);
        }
        any
    }

    /// Starts to send a message of a task.
    pub(crate) fn send_for(
        &'static self,
        whole: &'static Request,
        to: Partner,
        tag: c_int,
        payload: Payload,
    ) {
        let mut operation = to.operation(OperationKind::SendStandard, tag, payload);
        observe::collective_step(&operation, true);
        if self.send_at_once(&operation, to.world) || self.send_bounced(&mut operation, to.world) {
            return;
        }
        let message = self.make(&operation, Owner::Task);
        join(message, whole);
        self.start_send(message, &operation, to.world);
    }

    /// Starts to receive a message of a task, of exactly as many bytes as the payload has. The
    /// handle of its request names nothing any more once it is over.
    pub(crate) fn receive_for(
        &'static self,
        whole: &'static Request,
        from: Partner,
        tag: c_int,
        payload: Payload,
    ) -> usize {
        let operation = from.operation(OperationKind::Receive, tag, payload);
        observe::collective_step(&operation, false);
        let message = self.make(&operation, Owner::Task);
        join(message, whole);
        let handle = message.handle();
        self.start_receive(message);
        handle
    }

    /// A message of a task is over.
    pub(super) fn end_message(&'static self, message: &'static Request) {
        let whole = whole(message);
        let is_last = whole.is_some_and(|whole| whole.head.open.get() == 1);
        if is_last {
            // Debuggers must know before the message is gone.
            self.show_going_on(1);
        }
        let (expected, actual) = (message.head.length.get(), message.head.actual_length.get());
        let wrong = !message.is_send() && expected != actual;
        let code = message.refused.get();
        message.head.whole.set(ptr::null());
        self.release(message);
        let Some(whole) = whole else { return };
        if code != MPI_SUCCESS {
            whole.fail(refused(code));
        } else if wrong {
            whole.fail(disagreement(expected, actual));
        }
        whole.head.open.set(whole.head.open.get() - 1);
        if !is_last {
            return;
        }
        match (whole.owner.get(), whole.state()) {
            (Owner::Nobody, OperationState::Inactive) => {
                self.release(whole);
                self.show_going_on(-1);
            }
            _ => self.ready.borrow_mut().push(whole),
        }
    }
}

/// Makes a message one of a task.
fn join(message: &Request, whole: &'static Request) {
    whole.head.open.set(whole.head.open.get() + 1);
    message.head.whole.set(&raw const whole.head);
}

/// The request whose task this is a message of.
fn whole(message: &Request) -> Option<&'static Request> {
    // SAFETY: `join` took it from a request, which begins with its head and lives for ever.
    unsafe { message.head.whole.get().cast::<Request>().as_ref() }
}

/// Counts an operation that debuggers see as one, so that they see that the process has gone on.
/// Its messages are not counted where they look. This process sends one to itself, as it were.
fn note_completion(request: &'static Request) {
    if let Some(context) = request.context.get() {
        // Where this process's rank names this process.
        let within = context.owner.get().and_then(|owner| owner.contexts()[2]);
        let context = within.unwrap_or(context);
        context.note_leaving(context.rank);
        context.note_arrived(context.rank);
    }
}

/// A message of a collective operation does not have the expected length.
#[cold]
pub(super) fn disagreement(expected: i64, actual: i64) -> Error {
    Error::new(
        if actual > expected { MPI_ERR_TRUNCATE } else { MPI_ERR_NOT_SAME },
        format!(
            "a message of a collective operation has {actual} bytes where {expected} are due: the \
             processes disagree about the operation"
        ),
    )
}
