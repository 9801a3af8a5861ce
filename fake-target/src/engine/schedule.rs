//! Schedules: collective operations as lists of steps, which a [`Task`] goes through.

use super::context::Context;
use super::internal::Partner;
use super::payload::Payload;
use super::request::Request;
use super::state::Engine;
use super::task::{Course, Task};
use crate::error::Result;
use std::any::Any;
use std::ffi::c_int;

/// A step of an operation.
pub(crate) enum Step {
    /// Sends a message.
    Send(Partner, c_int, Payload),
    /// Receives a message of exactly this length.
    Receive(Partner, c_int, Payload),
    /// Work of this process alone, with the engine entered.
    Local(Box<dyn FnMut(&'static Engine) -> Result>),
    /// The steps that follow need the messages before them to be complete.
    Fence,
}

/// Is told of the beginning (`true`) and the end of an operation on a communicator, given by its
/// number.
pub(crate) type Watcher = fn(&'static Context, usize, bool);

/// An operation as a list of steps. Errors do not end it, since other processes rely on its
/// messages.
pub(crate) struct Schedule {
    /// The steps.
    pub(crate) steps: Vec<Step>,
    /// Memory that the steps use.
    pub(crate) _memory: Box<dyn Any>,
    /// The watcher, the communicator (by its context for the program's messages), and the number of
    /// the operation.
    pub(crate) watch: Option<(Watcher, &'static Context, usize)>,
    /// The next step.
    pub(crate) next: usize,
}

impl Schedule {
    fn tell(&self, begins: bool) {
        if let Some((watcher, context, number)) = self.watch {
            watcher(context, number, begins);
        }
    }
}

impl Task for Schedule {
    fn begin(&mut self) {
        self.next = 0;
        self.tell(true);
    }

    fn advance(&mut self, engine: &'static Engine, request: &'static Request) -> Course {
        while let Some(step) = self.steps.get_mut(self.next) {
            self.next += 1;
            match step {
                Step::Send(to, tag, data) => engine.send_for(request, *to, *tag, data.clone()),
                Step::Receive(from, tag, data) => {
                    let _ = engine.receive_for(request, *from, *tag, data.clone());
                }
                Step::Local(work) => {
                    if let Err(error) = work(engine) {
                        request.fail(error);
                    }
                }
                Step::Fence => return Course::Round,
            }
        }
        Course::Over
    }

    fn end(&mut self) {
        self.tell(false);
    }

    /// Debuggers see its messages.
    fn is_shown(&self) -> bool {
        true
    }
}
