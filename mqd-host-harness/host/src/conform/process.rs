//! Section 5.9: the DLL and a process.

use mqs_abi::mqs_ok;

use super::bench::{Bench, Subject};
use super::image::judge_messages;
use super::{Judge, Judgement, Rule};
use crate::callbacks::{Callback, Plan};
use crate::dll::Bound;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "setup-process",
        section: "5.9.1",
        sentence: "mqs_setup_process sets up process specific information, which the debugger \
                   keeps (4.1)",
        judge: Judge::Each(setup_process),
    },
    Rule {
        id: "process-has-queues",
        section: "5.9.2",
        sentence: "mqs_process_has_queues returns mqs_ok if the process has MQD support",
        judge: Judge::Each(process_has_queues),
    },
    Rule {
        id: "process-message",
        section: "5.9.2",
        sentence: "The message contains at most one %s, and no other printf-style tokens",
        judge: Judge::Each(process_message),
    },
    Rule {
        id: "destroy-process",
        section: "5.9.3",
        sentence: "mqs_destroy_process_info allows the debug DLL to clean up",
        judge: Judge::Each(destroy_process),
    },
    Rule {
        id: "set-up-again",
        section: "5.9.3",
        sentence: "After its information has been destroyed, a process can be set up again",
        judge: Judge::Each(set_up_again),
    },
];

/// Judges with an image that has queues.
fn with_image(
    bench: &Bench,
    subject: &Subject,
    judge: impl FnOnce(&Bound<'_>) -> Judgement,
) -> Judgement {
    let session = subject.session();
    let bound = bench.bound(&session);
    if bound.setup_image() != mqs_ok || bound.image_has_queues().0 != mqs_ok {
        return Judgement::not_applicable("the DLL does not accept the image");
    }
    judge(&bound)
}

fn setup_process(bench: &Bench, subject: &Subject) -> Judgement {
    with_image(bench, subject, |bound| {
        let code = bound.setup_process();
        if code != mqs_ok {
            return Judgement::failed(bench.failure("mqs_setup_process", code));
        }
        match bound.destroy_process_info() {
            Some(_) => Judgement::PASS,
            None => Judgement::failed("it has associated no information with the process"),
        }
    })
}

fn process_has_queues(bench: &Bench, subject: &Subject) -> Judgement {
    with_image(bench, subject, |bound| {
        let code = bound.setup_process();
        let (code, message) = match code {
            mqs_abi::mqs_ok => bound.process_has_queues(),
            code => (code, None),
        };
        if code == mqs_ok {
            return Judgement::PASS;
        }
        let message =
            message.map_or(String::new(), |message| format!("; its message is: {message}"));
        Judgement::failed(bench.failure("mqs_process_has_queues", code) + &message)
    })
}

/// The message for a process with queues, and for one whose memory cannot be read.
fn process_message(bench: &Bench, subject: &Subject) -> Judgement {
    let mut messages = Vec::new();
    for unreadable in [false, true] {
        let session = subject.session();
        let bound = bench.bound(&session);
        if bound.setup_image() != mqs_ok
            || bound.image_has_queues().0 != mqs_ok
            || bound.setup_process() != mqs_ok
        {
            return Judgement::not_applicable("the process cannot be set up");
        }
        if unreadable {
            session.faults.plan(NO_DATA);
        }
        messages.extend(bound.process_has_queues().1);
    }
    judge_messages(&messages)
}

/// No memory can be read.
const NO_DATA: Plan = Plan { callbacks: &[Callback::FetchData], first: 1, last: u64::MAX };

fn destroy_process(bench: &Bench, subject: &Subject) -> Judgement {
    bench.read(subject);
    with_image(bench, subject, |bound| {
        // What it has for the image stays for the moment.
        bench.keep();
        if bound.setup_process() != mqs_ok || bound.process_has_queues().0 != mqs_ok {
            return Judgement::not_applicable("the process cannot be set up");
        }
        bound.update_communicator_list();
        bound.setup_communicator_iterator();
        let Some(code) = bound.destroy_process_info() else {
            return Judgement::not_applicable("no information is associated with the process");
        };
        match bench.outstanding() {
            _ if code != mqs_ok => {
                Judgement::failed(bench.failure("mqs_destroy_process_info", code))
            }
            0 => Judgement::PASS,
            blocks => Judgement::failed(format!("{blocks} blocks of memory are left")),
        }
    })
}

fn set_up_again(bench: &Bench, subject: &Subject) -> Judgement {
    let session = subject.session();
    let first = bench.read_in(&session);
    let second = bench.read_in(&session);
    if !first.accepted {
        return super::compare::refused(&first);
    }
    match second.numbers() == first.numbers() && second.failures == first.failures {
        true => Judgement::PASS,
        false => Judgement::failed(format!(
            "the second time it shows something else{}",
            second.trouble().map_or(String::new(), |trouble| format!(": {trouble}"))
        )),
    }
}
