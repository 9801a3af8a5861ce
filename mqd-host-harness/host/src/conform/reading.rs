//! What a DLL shows of one process, as it stands, and the codes that its functions return.

#![expect(
    non_upper_case_globals,
    reason = "the constants of the MQD interface keep their names in patterns"
)]

use std::ffi::{c_char, c_int};

use mqd_report::Queue;
use mqs_abi::{mqs_communicator, mqs_end_of_list, mqs_ok, mqs_op_class, mqs_pending_operation};

use crate::dll::Bound;
use crate::walk::class;

/// More than the scenario has, and than a debugger would wait for: the list has no end.
const MOST_COMMUNICATORS: usize = 10_000;
const MOST_OPERATIONS: usize = 100_000;
const MOST_RANKS: i64 = 1 << 20;

/// A function of a DLL and the code that it has returned, if that is neither `mqs_ok` nor the end
/// of a list where one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) function: &'static str,
    pub(super) code: c_int,
    /// What `mqs_dll_error_string` says of it.
    pub(super) text: Option<String>,
}

impl Failure {
    /// For people.
    pub(super) fn described(&self) -> String {
        let text = self.text.as_ref().map_or(String::new(), |text| format!(": {text}"));
        format!("{} returned {}{text}", self.function, self.code)
    }
}

/// A communicator with its queues.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) communicator: mqs_communicator,
    /// None: the DLL lacks the function or has failed.
    pub(super) group: Option<Vec<c_int>>,
    /// The queues in the order of [`Queue::ALL`]. None: it was not read.
    pub(super) queues: [Option<Vec<mqs_pending_operation>>; 3],
}

impl Listed {
    /// The name; None if it has no terminating zero.
    pub(super) fn name(&self) -> Option<String> {
        fixed_text(&self.communicator.name)
    }

    /// A queue.
    pub(super) fn queue(&self, queue: Queue) -> Option<&[mqs_pending_operation]> {
        self.queues[queue as usize].as_deref()
    }
}

/// All that a DLL shows of a process.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// Has the DLL accepted the process?
    pub(super) accepted: bool,
    pub(super) communicators: Vec<Listed>,
    pub(super) failures: Vec<Failure>,
    /// The codes by which lists have ended, with the functions.
    pub(super) ends: Vec<(&'static str, c_int)>,
    /// A list that does not end.
    pub(super) endless: bool,
}

impl Reading {
    /// Goes through the protocol of 4.2: set-up, then all lists.
    pub(super) fn of(bound: &Bound<'_>) -> Reading {
        let mut reading = Reading::default();
        reading.set_up(bound);
        if reading.accepted {
            reading.lists(bound);
        }
        reading
    }

    /// Image and process are set up (4.2, steps 5 to 7).
    pub(super) fn set_up(&mut self, bound: &Bound<'_>) {
        self.accepted = self.is_ok(bound, "mqs_setup_image", bound.setup_image())
            && self.is_ok(bound, "mqs_image_has_queues", bound.image_has_queues().0)
            && self.is_ok(bound, "mqs_setup_process", bound.setup_process())
            && self.is_ok(bound, "mqs_process_has_queues", bound.process_has_queues().0);
    }

    /// The lists of a process that has been set up (4.2, steps 9 to 11).
    pub(super) fn lists(&mut self, bound: &Bound<'_>) {
        let code = bound.update_communicator_list();
        self.is_ok(bound, "mqs_update_communicator_list", code);
        let code = bound.setup_communicator_iterator();
        if !self.is_ok(bound, "mqs_setup_communicator_iterator", code) {
            return;
        }
        loop {
            let (code, communicator) = bound.get_communicator();
            if !self.is_ok(bound, "mqs_get_communicator", code) {
                return;
            }
            let group = self.group(bound, &communicator);
            let queues = Queue::ALL.map(|queue| self.queue(bound, class(queue)));
            self.communicators.push(Listed { communicator, group, queues });
            if self.communicators.len() == MOST_COMMUNICATORS {
                self.endless = true;
            }
            if self.endless
                || !self.is_next(bound, "mqs_next_communicator", bound.next_communicator())
            {
                return;
            }
        }
    }

    fn group(&mut self, bound: &Bound<'_>, communicator: &mqs_communicator) -> Option<Vec<c_int>> {
        let size = Some(communicator.size).filter(|size| (0..=MOST_RANKS).contains(size))?;
        let (code, ranks) = bound.get_comm_group(usize::try_from(size).ok()?)?;
        self.is_ok(bound, "mqs_get_comm_group", code).then_some(ranks)
    }

    /// The operations of a queue of the current communicator. None: they were not read.
    pub(super) fn queue(
        &mut self,
        bound: &Bound<'_>,
        class: mqs_op_class,
    ) -> Option<Vec<mqs_pending_operation>> {
        if self.endless {
            return None;
        }
        let code = bound.setup_operation_iterator(class);
        if !self.is_ok(bound, "mqs_setup_operation_iterator", code) {
            return None;
        }
        let mut operations = Vec::new();
        loop {
            let (code, operation) = bound.next_operation();
            if !self.is_next(bound, "mqs_next_operation", code) {
                return Some(operations);
            }
            operations.push(operation);
            if operations.len() == MOST_OPERATIONS {
                self.endless = true;
                return Some(operations);
            }
        }
    }

    /// Notes a code other than `mqs_ok`.
    fn is_ok(&mut self, bound: &Bound<'_>, function: &'static str, code: c_int) -> bool {
        if code != mqs_ok {
            let text = bound.error_text(code);
            self.failures.push(Failure { function, code, text });
        }
        code == mqs_ok
    }

    /// Notes the code at the end of a list.
    fn is_next(&mut self, bound: &Bound<'_>, function: &'static str, code: c_int) -> bool {
        match code {
            mqs_ok => true,
            mqs_end_of_list => {
                self.ends.push((function, code));
                false
            }
            code => {
                self.ends.push((function, code));
                self.is_ok(bound, function, code)
            }
        }
    }

    /// Is everything in order?
    pub(super) fn is_complete(&self) -> bool {
        self.accepted && self.failures.is_empty() && !self.endless
    }

    /// The first thing that is not in order, for people.
    pub(super) fn trouble(&self) -> Option<String> {
        if self.endless {
            return Some("a list does not end".to_owned());
        }
        self.failures.first().map(Failure::described)
    }

    /// All numbers of the reading. If those of two readings differ, they differ in more than texts.
    pub(super) fn numbers(&self) -> Vec<i64> {
        let mut numbers = Vec::new();
        for listed in &self.communicators {
            let one = &listed.communicator;
            numbers.extend([one.unique_id.cast_signed(), one.local_rank, one.size]);
            numbers.extend(listed.group.iter().flatten().map(|rank| i64::from(*rank)));
            for queue in &listed.queues {
                numbers.push(queue.as_ref().map_or(-1, |queue| queue.len() as i64));
                numbers.extend(queue.iter().flatten().flat_map(fields));
            }
        }
        numbers
    }
}

/// The numbers of an operation that mean something.
fn fields(one: &mqs_pending_operation) -> Vec<i64> {
    let mut fields = vec![
        one.status.into(),
        one.desired_local_rank,
        one.desired_global_rank,
        one.tag_wild.into(),
        if one.tag_wild == 0 { one.desired_tag } else { 0 },
        one.desired_length,
        one.system_buffer.into(),
        one.buffer.cast_signed(),
    ];
    if one.status != mqs_abi::mqs_st_pending {
        fields.extend([one.actual_local_rank, one.actual_global_rank]);
        fields.extend([one.actual_tag, one.actual_length]);
    }
    fields
}

/// The text of a field; None if it has no terminating zero.
pub(super) fn fixed_text(field: &[c_char]) -> Option<String> {
    let end = field.iter().position(|byte| *byte == 0)?;
    let bytes: Vec<u8> = field[..end].iter().map(|byte| *byte as u8).collect();
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
