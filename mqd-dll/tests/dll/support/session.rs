//! A debugging session: the calls of a debugger in order, and their results.

#![expect(
    non_upper_case_globals,
    reason = "the constants of the MQD interface keep their names in patterns"
)]

use super::debugger::{BASIC, Debugger};
use super::dll::dll;
use super::heap;
use super::process::SyntheticProcess;
use mqs_abi::extensions::mqd_operation;
use mqs_abi::*;
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int};
use std::mem::offset_of;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One session at a time: the library keeps the place of the latest error for all.
static TURN: Mutex<()> = Mutex::new(());

pub struct Session {
    pub debugger: Box<Debugger>,
    pub hidden_sends: HiddenSends,
    /// The last update had an error.
    failed: Cell<bool>,
    _turn: MutexGuard<'static, ()>,
}

/// The communicators whose pending sends the library cannot know. It has to say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenSends {
    None,
    All,
    /// By name.
    Of(&'static [&'static str]),
}

/// A refusal: the code, its text, and the message with the name put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: c_int,
    pub text: String,
    pub message: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpedCommunicator {
    pub unique_id: u64,
    pub local_rank: i64,
    pub size: i64,
    pub name: Vec<u8>,
    pub group: Vec<i32>,
    pub sends: Vec<Op>,
    pub receives: Vec<Op>,
    pub unexpected: Vec<Op>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    pub status: c_int,
    pub desired_local_rank: i64,
    pub desired_global_rank: i64,
    pub tag_wild: c_int,
    pub desired_tag: i64,
    pub desired_length: i64,
    pub system_buffer: c_int,
    pub buffer: u64,
    pub actual_local_rank: i64,
    pub actual_global_rank: i64,
    pub actual_tag: i64,
    pub actual_length: i64,
    /// Without the empty ones at the end.
    pub extra_text: Vec<String>,
}

impl Session {
    pub fn new(process: SyntheticProcess) -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        heap::refuse_after(None);
        // SAFETY: a static table.
        unsafe { (dll().mqs_setup_basic_callbacks)(&BASIC) };
        Self {
            debugger: Debugger::new(process),
            hidden_sends: HiddenSends::None,
            failed: Cell::new(false),
            _turn: turn,
        }
    }

    /// A session that is ready for updates.
    pub fn opened(process: SyntheticProcess) -> Self {
        let mut session = Self::new(process);
        session.open().expect("there are queues");
        session
    }

    /// Sets up image and process, and asks both for queues.
    pub fn open(&mut self) -> Result<(), Refusal> {
        self.open_image()?;
        self.open_process()
    }

    pub fn open_image(&mut self) -> Result<(), Refusal> {
        let (image, dll) = (self.debugger.image(), dll());
        // SAFETY: a live debugger and its table.
        let code = unsafe { (dll.mqs_setup_image)(image, &self.debugger.image_callbacks) };
        accepted(code, std::ptr::null())?;
        self.image_has_queues()
    }

    pub fn image_has_queues(&mut self) -> Result<(), Refusal> {
        let mut message = std::ptr::dangling_mut();
        // SAFETY: as above; the message is ours.
        let code = unsafe { (dll().mqs_image_has_queues)(self.debugger.image(), &mut message) };
        accepted(code, message)
    }

    pub fn open_process(&mut self) -> Result<(), Refusal> {
        let (process, dll) = (self.debugger.process(), dll());
        // SAFETY: a live debugger and its table.
        let code = unsafe { (dll.mqs_setup_process)(process, &self.debugger.process_callbacks) };
        accepted(code, std::ptr::null())?;
        self.process_has_queues()
    }

    pub fn process_has_queues(&mut self) -> Result<(), Refusal> {
        let mut message = std::ptr::dangling_mut();
        // SAFETY: as above; the message is ours.
        let code = unsafe { (dll().mqs_process_has_queues)(self.debugger.process(), &mut message) };
        accepted(code, message)
    }

    pub fn update(&self) -> Result<(), Refusal> {
        // SAFETY: a live debugger.
        let code = unsafe { (dll().mqs_update_communicator_list)(self.debugger.process()) };
        self.failed.set(code != mqs_ok);
        accepted(code, std::ptr::null())
    }

    /// Is it known what is in the queues of sends, receives and unexpected messages of the first
    /// communicator?
    pub fn are_known(&self) -> [bool; 3] {
        let (dll, process) = (dll(), self.debugger.process());
        // SAFETY: a live debugger.
        assert_eq!(unsafe { (dll.mqs_setup_communicator_iterator)(process) }, mqs_ok);
        [mqs_pending_sends, mqs_pending_receives, mqs_unexpected_messages].map(|class| {
            // SAFETY: as above.
            let code = unsafe { (dll.mqs_setup_operation_iterator)(process, class) };
            assert!(code == mqs_ok || code == mqs_no_information, "{code}");
            code == mqs_ok
        })
    }

    /// Walks over everything that was read.
    pub fn dump(&self) -> Vec<DumpedCommunicator> {
        let (dll, process) = (dll(), self.debugger.process());
        let mut communicators = Vec::new();
        // SAFETY: a live debugger; what is written is ours, and as large as the interface says.
        unsafe {
            assert_eq!((dll.mqs_setup_communicator_iterator)(process), mqs_ok);
            loop {
                let mut raw = std::mem::MaybeUninit::<mqs_communicator>::uninit();
                raw.as_mut_ptr().write_bytes(0x77, 1);
                let code = (dll.mqs_get_communicator)(process, raw.as_mut_ptr());
                if code == mqs_end_of_list {
                    assert_eq!((dll.mqs_next_communicator)(process), mqs_end_of_list);
                    return communicators;
                }
                assert_eq!(code, mqs_ok);
                let raw = raw.assume_init();
                let mut group = vec![0x7777_7777; raw.size as usize + 1];
                assert_eq!((dll.mqs_get_comm_group)(process, group.as_mut_ptr()), mqs_ok);
                assert_eq!(group.pop(), Some(0x7777_7777), "not more than the size");
                communicators.push(DumpedCommunicator {
                    unique_id: raw.unique_id,
                    local_rank: raw.local_rank,
                    size: raw.size,
                    name: filled_text(&raw.name),
                    group,
                    sends: self.queue(mqs_pending_sends),
                    receives: self.queue(mqs_pending_receives),
                    unexpected: self.queue(mqs_unexpected_messages),
                });
                let code = (dll.mqs_next_communicator)(process);
                assert!(code == mqs_ok || code == mqs_end_of_list, "{code}");
            }
        }
    }

    /// The operations of a queue of the current communicator. They are asked for one by one, and
    /// then several at a time, which has to give the same.
    pub fn queue(&self, class: c_int) -> Vec<Op> {
        let operations = self.one_by_one(class);
        let room = (operations.len() / 2 + 1).min(1000);
        assert_eq!(self.in_bulk(class, room), operations, "{room} at a time");
        operations.into_iter().map(|(operation, _)| operation).collect()
    }

    /// Each operation, and whether it is awaited.
    pub fn one_by_one(&self, class: c_int) -> Vec<(Op, Option<bool>)> {
        let (dll, process) = (dll(), self.debugger.process());
        let mut operations = Vec::new();
        // SAFETY: as in `dump`.
        unsafe {
            self.begin(class);
            loop {
                let mut raw = std::mem::MaybeUninit::<mqs_pending_operation>::uninit();
                raw.as_mut_ptr().write_bytes(0x77, 1);
                match (dll.mqs_next_operation)(process, raw.as_mut_ptr()) {
                    code if code == mqs_ok => {
                        operations.push((Op::from(&raw.assume_init()), self.is_awaited()))
                    }
                    code => {
                        assert_eq!(code, mqs_end_of_list);
                        assert_eq!(
                            (dll.mqs_next_operation)(process, raw.as_mut_ptr()),
                            mqs_end_of_list
                        );
                        return operations;
                    }
                }
            }
        }
    }

    /// Goes to the start of a queue of the current communicator. A queue that was not read is not
    /// known, and has no operations.
    fn begin(&self, class: c_int) {
        // SAFETY: a live debugger.
        let code = unsafe { (dll().mqs_setup_operation_iterator)(self.debugger.process(), class) };
        if class == mqs_pending_sends && self.are_sends_hidden() {
            assert_eq!(code, mqs_no_information);
            return;
        }
        assert!(self.may_begin(code), "{code}");
    }

    /// Is this a right answer to the question for a queue? After an error it may be not known.
    pub fn may_begin(&self, code: c_int) -> bool {
        code == mqs_ok || (self.failed.get() && code == mqs_no_information)
    }

    /// Are the pending sends of the current communicator not known?
    fn are_sends_hidden(&self) -> bool {
        let names = match self.hidden_sends {
            HiddenSends::None => return false,
            HiddenSends::All => return true,
            HiddenSends::Of(names) => names,
        };
        let mut raw = std::mem::MaybeUninit::<mqs_communicator>::zeroed();
        // SAFETY: a live debugger; the library fills what is ours.
        let raw = unsafe {
            let code = (dll().mqs_get_communicator)(self.debugger.process(), raw.as_mut_ptr());
            assert_eq!(code, mqs_ok);
            raw.assume_init()
        };
        let name = filled_text(&raw.name);
        names.iter().any(|hidden| hidden.as_bytes() == name)
    }

    /// Is the operation awaited that was described last?
    pub fn is_awaited(&self) -> Option<bool> {
        let mut answer = -77;
        // SAFETY: a live debugger, a place of ours.
        let code = unsafe { (dll().mqd_is_awaited)(self.debugger.process(), &mut answer) };
        assert!(
            matches!((code, answer), (mqs_ok, 0 | 1) | (mqs_no_information, -77)),
            "{code} {answer}"
        );
        (code == mqs_ok).then_some(answer == 1)
    }

    /// The same with `room` for several at a time.
    pub fn in_bulk(&self, class: c_int, room: usize) -> Vec<(Op, Option<bool>)> {
        self.begin(class);
        let mut operations = Vec::new();
        loop {
            let some = self.next_operations(room);
            if some.is_empty() {
                assert_eq!(self.next_operations(room), [], "the end stays the end");
                return operations;
            }
            operations.extend(some);
        }
    }

    /// What one call gives. Checks that it writes no more than it says, and the bytes between the
    /// fields too.
    pub fn next_operations(&self, room: usize) -> Vec<(Op, Option<bool>)> {
        const UNTOUCHED: u8 = 0x77;
        let mut some = Vec::<mqd_operation>::with_capacity(room);
        let mut number = c_int::MAX;
        // SAFETY: a live debugger, places of ours. All of the room has a value, and any bytes are
        // numbers.
        let code = unsafe {
            some.as_mut_ptr().write_bytes(UNTOUCHED, room);
            some.set_len(room);
            (dll().mqd_next_operations)(
                self.debugger.process(),
                room as c_int,
                some.as_mut_ptr(),
                &mut number,
            )
        };
        let number = usize::try_from(number).expect("a number");
        assert!(
            (code, number > 0) == (mqs_ok, true) || (code, number) == (mqs_end_of_list, 0),
            "{code}, {number}"
        );
        let (written, rest) = some.split_at(number);
        assert!(
            bytes(rest).iter().all(|byte| *byte == UNTOUCHED),
            "no more than {number} of {room}"
        );
        for operation in written {
            let bytes = bytes(std::slice::from_ref(operation));
            for gap in [
                size_of::<c_int>()..offset_of!(mqs_pending_operation, desired_local_rank),
                offset_of!(mqs_pending_operation, tag_wild) + size_of::<c_int>()
                    ..offset_of!(mqs_pending_operation, desired_tag),
            ] {
                assert!(bytes[gap].iter().all(|byte| *byte == 0));
            }
        }
        let awaited = |operation: &mqd_operation| match operation.awaited {
            -1 => None,
            known => Some(known == 1).inspect(|_| assert!(known == 0 || known == 1, "{known}")),
        };
        let given: Vec<_> =
            written.iter().map(|one| (Op::from(&one.operation), awaited(one))).collect();
        if let Some((_, last)) = given.last() {
            assert_eq!(self.is_awaited(), *last, "the last one is the one that was described last");
        }
        given
    }

    /// The queues in shared memory: number, rank of the reader, elements. None: not known.
    pub fn fifos(&self) -> Option<Vec<(u64, i64, i64)>> {
        let process = self.debugger.process();
        let mut fifos = Vec::new();
        // SAFETY: a live debugger; zeros are a value of the structure.
        unsafe {
            if (dll().mqd_setup_fifo_iterator)(process) != mqs_ok {
                return None;
            }
            let mut fifo: extensions::mqd_fifo = std::mem::zeroed();
            while (dll().mqd_next_fifo)(process, &mut fifo) == mqs_ok {
                fifos.push((fifo.id as u64, fifo.rank as i64, fifo.elements as i64));
            }
        }
        Some(fifos)
    }

    /// Update and walk, without errors.
    pub fn read(&self) -> Vec<DumpedCommunicator> {
        self.update().expect("everything can be read");
        self.dump()
    }

    /// Gives back what the library attached.
    pub fn close(&mut self) {
        let (dll, debugger) = (dll(), &self.debugger);
        // SAFETY: what the library attached, once.
        unsafe {
            let process = debugger.process_info().replace(std::ptr::null_mut());
            assert_eq!((dll.mqs_destroy_process_info)(process), mqs_ok);
            let image = debugger.image_info().replace(std::ptr::null_mut());
            assert_eq!((dll.mqs_destroy_image_info)(image), mqs_ok);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.close();
        heap::refuse_after(None);
        if !std::thread::panicking() {
            assert_eq!(heap::outstanding(), 0, "all memory is given back");
        }
    }
}

fn bytes(operations: &[mqd_operation]) -> &[u8] {
    // SAFETY: the memory of the operations, all of which was written once.
    unsafe { std::slice::from_raw_parts(operations.as_ptr().cast(), size_of_val(operations)) }
}

/// Checks a code with its message against the rules of the interface.
fn accepted(code: c_int, message: *const c_char) -> Result<(), Refusal> {
    if code == mqs_ok {
        assert!(message.is_null(), "no message without need");
        return Ok(());
    }
    assert!(code >= mqs_first_user_code, "code {code}");
    let message = (!message.is_null()).then(|| {
        // SAFETY: a zero-terminated string of the library.
        let message = unsafe { CStr::from_ptr(message) }.to_str().expect("UTF-8");
        assert!(message.matches('%').count() <= 1, "{message}");
        assert_eq!(message.matches('%').count(), message.matches("%s").count(), "{message}");
        message.replace("%s", "NAME")
    });
    Err(Refusal { code, text: error_text(code), message })
}

pub fn error_text(code: c_int) -> String {
    // SAFETY: any code is allowed; the text is zero-terminated.
    unsafe { CStr::from_ptr((dll().mqs_dll_error_string)(code)) }
        .to_str()
        .expect("UTF-8")
        .to_owned()
}

/// The text of an array of the interface, which is zero-filled after it.
pub fn filled_text(chars: &[c_char]) -> Vec<u8> {
    let bytes: Vec<u8> = chars.iter().map(|char| *char as u8).collect();
    let end = bytes.iter().position(|byte| *byte == 0).expect("zero-terminated");
    assert!(bytes[end..].iter().all(|byte| *byte == 0), "zero-filled");
    bytes[..end].to_vec()
}

impl From<&mqs_pending_operation> for Op {
    fn from(raw: &mqs_pending_operation) -> Self {
        let mut extra_text: Vec<String> = raw
            .extra_text
            .iter()
            .map(|line| String::from_utf8_lossy(&filled_text(line)).into_owned())
            .collect();
        while extra_text.last().is_some_and(String::is_empty) {
            extra_text.pop();
        }
        assert!(extra_text.iter().all(|line| !line.is_empty()), "no gaps: {extra_text:?}");
        Self {
            status: raw.status,
            desired_local_rank: raw.desired_local_rank,
            desired_global_rank: raw.desired_global_rank,
            tag_wild: raw.tag_wild,
            desired_tag: raw.desired_tag,
            desired_length: raw.desired_length,
            system_buffer: raw.system_buffer,
            buffer: raw.buffer,
            actual_local_rank: raw.actual_local_rank,
            actual_global_rank: raw.actual_global_rank,
            actual_tag: raw.actual_tag,
            actual_length: raw.actual_length,
            extra_text,
        }
    }
}
