//! The functions of a DLL, applied to one process: the only place that calls them.

use std::ffi::{c_char, c_int};
use std::ptr;
use std::rc::Rc;

use mqs_abi::extensions::{mqd_call, mqd_fifo, mqd_process_name, mqd_stack_hints, mqd_traffic};
use mqs_abi::{MQS_TEXT_BYTES, mqs_communicator, mqs_op_class, mqs_pending_operation, mqs_taddr_t};

use super::{Dll, text};
use crate::callbacks::{self, Session};

/// A DLL and the process that it is to read. Callbacks act on the process during each call, so
/// several processes can be read in turns. Dropping the value has the DLL free what it keeps about
/// image and process (5.8.3, 5.9.3).
///
/// The functions return what those of the DLL return: a code, and with it what 5.8 to 5.10 have
/// them write.
#[derive(Debug)]
pub(crate) struct Bound<'a> {
    dll: &'a Dll,
    session: &'a Rc<Session>,
}

/// Calls a function of the DLL.
///
/// All these calls are sound for the same reasons: the function has the type that the interface
/// gives it (`Functions::find`); the image and the process are those of the session that callbacks
/// on this thread act on, and live as long as the session; callback tables are static; out-pointers
/// point to a live value of the type that the interface says.
macro_rules! call {
    ($bound:expr, $function:ident($($argument:expr),*)) => {{
        let function = $bound.dll.functions.$function;
        let _entered = callbacks::enter($bound.session);
        // SAFETY: see above.
        unsafe { function($($argument),*) }
    }};
}

/// Calls a function that not every DLL has, as [`call`] does. None if this DLL lacks it.
macro_rules! extension {
    ($bound:expr, $function:ident($($argument:expr),*)) => {{
        let function = $bound.dll.functions.$function?;
        let _entered = callbacks::enter($bound.session);
        // SAFETY: see above.
        unsafe { function($($argument),*) }
    }};
}

impl<'a> Bound<'a> {
    pub(crate) fn new(dll: &'a Dll, session: &'a Rc<Session>) -> Bound<'a> {
        Bound { dll, session }
    }

    /// What the DLL says about a code of its own (5.7.5).
    pub(crate) fn error_text(&self, code: c_int) -> Option<String> {
        let _entered = callbacks::enter(self.session);
        self.dll.error_text(code)
    }

    pub(crate) fn dll(&self) -> &Dll {
        self.dll
    }

    pub(crate) fn session(&self) -> &Session {
        self.session
    }

    pub(crate) fn setup_image(&self) -> c_int {
        call!(self, setup_image(self.session.image(), &callbacks::IMAGE))
    }

    pub(crate) fn image_has_queues(&self) -> (c_int, Option<String>) {
        let mut message: *mut c_char = ptr::null_mut();
        let code = call!(self, image_has_queues(self.session.image(), &mut message));
        // SAFETY: 5.8.2 has the DLL leave NULL or a zero-terminated string of its own.
        (code, unsafe { text(message) })
    }

    pub(crate) fn setup_process(&self) -> c_int {
        call!(self, setup_process(self.session.process(), &callbacks::PROCESS))
    }

    pub(crate) fn process_has_queues(&self) -> (c_int, Option<String>) {
        let mut message: *mut c_char = ptr::null_mut();
        let code = call!(self, process_has_queues(self.session.process(), &mut message));
        // SAFETY: 5.9.2 has the DLL leave NULL or a zero-terminated string of its own.
        (code, unsafe { text(message) })
    }

    pub(crate) fn update_communicator_list(&self) -> c_int {
        call!(self, update_communicator_list(self.session.process()))
    }

    pub(crate) fn setup_communicator_iterator(&self) -> c_int {
        call!(self, setup_communicator_iterator(self.session.process()))
    }

    pub(crate) fn get_communicator(&self) -> (c_int, mqs_communicator) {
        let mut communicator =
            mqs_communicator { unique_id: 0, local_rank: 0, size: 0, name: [0; _] };
        let code = call!(self, get_communicator(self.session.process(), &mut communicator));
        (code, communicator)
    }

    /// The group of the current communicator, which has `size` processes; None if the DLL lacks the
    /// function.
    pub(crate) fn get_comm_group(&self, size: usize) -> Option<(c_int, Vec<c_int>)> {
        let mut ranks = vec![mqs_abi::MQS_INVALID_PROCESS; size];
        // 5.10.4 has the DLL write as many ranks as the communicator has processes.
        let code = extension!(self, get_comm_group(self.session.process(), ranks.as_mut_ptr()));
        Some((code, ranks))
    }

    pub(crate) fn next_communicator(&self) -> c_int {
        call!(self, next_communicator(self.session.process()))
    }

    pub(crate) fn setup_operation_iterator(&self, class: mqs_op_class) -> c_int {
        call!(self, setup_operation_iterator(self.session.process(), class))
    }

    pub(crate) fn next_operation(&self) -> (c_int, mqs_pending_operation) {
        let mut operation = blank_operation();
        let code = call!(self, next_operation(self.session.process(), &mut operation));
        (code, operation)
    }

    // The extensions. None: the DLL lacks the function.

    /// How often the collective operation was called, and whether it is active.
    pub(crate) fn get_comm_coll_state(&self, collective: c_int) -> Option<(c_int, c_int, c_int)> {
        let (mut calls, mut active) = (-1, -1);
        let code = extension!(
            self,
            get_comm_coll_state(self.session.process(), collective, &mut calls, &mut active)
        );
        Some((code, calls, active))
    }

    pub(crate) fn get_call(&self) -> Option<(c_int, mqd_call)> {
        let mut call = mqd_call { needed: -1, function: [0; _] };
        let code = extension!(self, get_call(self.session.process(), &mut call));
        Some((code, call))
    }

    pub(crate) fn get_stack_hints(&self) -> Option<(c_int, mqd_stack_hints)> {
        let mut hints = mqd_stack_hints { threads: -1, progress: [0; _] };
        let code = extension!(self, get_stack_hints(self.session.process(), &mut hints));
        Some((code, hints))
    }

    pub(crate) fn get_loop_function(&self) -> Option<(c_int, [c_char; MQS_TEXT_BYTES])> {
        let mut function = [0; _];
        let code =
            extension!(self, get_loop_function(self.session.process(), function.as_mut_ptr()));
        Some((code, function))
    }

    pub(crate) fn set_awaited_word(&self, address: mqs_taddr_t) -> Option<c_int> {
        Some(extension!(self, set_awaited_word(self.session.process(), address)))
    }

    pub(crate) fn get_send_function(&self) -> Option<(c_int, [c_char; MQS_TEXT_BYTES])> {
        let mut function = [0; _];
        let code =
            extension!(self, get_send_function(self.session.process(), function.as_mut_ptr()));
        Some((code, function))
    }

    pub(crate) fn set_no_other_senders(&self) -> Option<c_int> {
        Some(extension!(self, set_no_other_senders(self.session.process())))
    }

    pub(crate) fn get_background(&self) -> Option<(c_int, c_int)> {
        let mut state = -1;
        let code = extension!(self, get_background(self.session.process(), &mut state));
        Some((code, state))
    }

    pub(crate) fn get_source(&self, number: c_int) -> Option<(c_int, [c_char; MQS_TEXT_BYTES])> {
        let mut text = [0; _];
        let code = extension!(self, get_source(self.session.process(), number, text.as_mut_ptr()));
        Some((code, text))
    }

    /// The names of processes, at most `room`, and how many there are.
    pub(crate) fn get_process_names(
        &self,
        which: c_int,
        room: usize,
    ) -> Option<(c_int, c_int, Vec<mqd_process_name>)> {
        let mut names = vec![mqd_process_name { job: 0, rank: -1 }; room];
        let (room, mut number) = (c_int::try_from(room).unwrap_or(c_int::MAX), 0);
        let code = extension!(
            self,
            get_process_names(self.session.process(), which, room, names.as_mut_ptr(), &mut number)
        );
        Some((code, number, names))
    }

    /// The remote group of the current communicator, at most `room` ranks, and how many it has.
    pub(crate) fn get_remote_group(&self, room: usize) -> Option<(c_int, c_int, Vec<c_int>)> {
        let mut ranks = vec![mqs_abi::MQS_INVALID_PROCESS; room];
        let (room, mut number) = (c_int::try_from(room).unwrap_or(c_int::MAX), 0);
        let code = extension!(
            self,
            get_remote_group(self.session.process(), room, ranks.as_mut_ptr(), &mut number)
        );
        Some((code, number, ranks))
    }

    /// The id of the communicator that the current one is a part of.
    pub(crate) fn get_parent(&self) -> Option<(c_int, mqs_taddr_t)> {
        let mut id = 0;
        let code = extension!(self, get_parent(self.session.process(), &mut id));
        Some((code, id))
    }

    pub(crate) fn is_awaited(&self) -> Option<(c_int, c_int)> {
        let mut awaited = 0;
        let code = extension!(self, is_awaited(self.session.process(), &mut awaited));
        Some((code, awaited))
    }

    pub(crate) fn setup_traffic_iterator(&self) -> Option<c_int> {
        Some(extension!(self, setup_traffic_iterator(self.session.process())))
    }

    pub(crate) fn next_traffic(&self) -> Option<(c_int, mqd_traffic)> {
        let mut traffic = mqd_traffic { local_rank: -1, sent: -1, received: -1 };
        let code = extension!(self, next_traffic(self.session.process(), &mut traffic));
        Some((code, traffic))
    }

    pub(crate) fn setup_fifo_iterator(&self) -> Option<c_int> {
        Some(extension!(self, setup_fifo_iterator(self.session.process())))
    }

    pub(crate) fn next_fifo(&self) -> Option<(c_int, mqd_fifo)> {
        let mut fifo = mqd_fifo { id: 0, rank: -1, elements: -1 };
        let code = extension!(self, next_fifo(self.session.process(), &mut fifo));
        Some((code, fifo))
    }
}

impl Bound<'_> {
    /// Gives back what the DLL has attached to the process. None: nothing.
    pub(crate) fn destroy_process_info(&self) -> Option<c_int> {
        let info = self.session.take_process_info();
        // The DLL has it back now: nobody else frees it.
        (!info.is_null()).then(|| call!(self, destroy_process_info(info)))
    }

    /// Gives back what the DLL has attached to the image. None: nothing.
    pub(crate) fn destroy_image_info(&self) -> Option<c_int> {
        let info = self.session.take_image_info();
        (!info.is_null()).then(|| call!(self, destroy_image_info(info)))
    }
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        // Nothing can be done about a failure.
        self.destroy_process_info();
        self.destroy_image_info();
    }
}

/// The structure that a DLL fills in. If it writes nothing, texts stay empty and ranks stay
/// unknown.
fn blank_operation() -> mqs_pending_operation {
    let unknown = mqs_abi::MQS_INVALID_PROCESS.into();
    mqs_pending_operation {
        status: mqs_abi::mqs_st_pending,
        desired_local_rank: unknown,
        desired_global_rank: unknown,
        tag_wild: 0,
        desired_tag: 0,
        desired_length: 0,
        system_buffer: 0,
        buffer: 0,
        actual_local_rank: unknown,
        actual_global_rank: unknown,
        actual_tag: 0,
        actual_length: 0,
        extra_text: [[0; _]; _],
    }
}
