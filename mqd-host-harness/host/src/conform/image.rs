//! Section 5.8: the DLL and an image.

use mqs_abi::mqs_ok;

use super::bench::{Bench, Subject};
use super::{Judge, Judgement, Rule};
use crate::callbacks::{Callback, Plan};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "setup-image",
        section: "5.8.1",
        sentence: "mqs_setup_image sets up an image, and associates information with it by \
                   mqs_put_image_info_fp",
        judge: Judge::Each(setup_image),
    },
    Rule {
        id: "image-has-queues",
        section: "5.8.2",
        sentence: "mqs_image_has_queues returns mqs_ok if MQD support can be provided by this \
                   image",
        judge: Judge::Each(image_has_queues),
    },
    Rule {
        id: "image-message",
        section: "5.8.2",
        sentence: "The message contains at most one %s, and no other printf-style tokens",
        judge: Judge::Each(image_message),
    },
    Rule {
        id: "image-without-queues",
        section: "5.8.2",
        sentence: "mqs_image_has_queues returns an error if the image does not have the necessary \
                   symbols",
        judge: Judge::Each(image_without_queues),
    },
    Rule {
        id: "destroy-image",
        section: "5.8.3",
        sentence: "mqs_destroy_image_info allows the debug DLL to clean up",
        judge: Judge::Each(destroy_image),
    },
];

fn setup_image(bench: &Bench, subject: &Subject) -> Judgement {
    let session = subject.session();
    let bound = bench.bound(&session);
    let code = bound.setup_image();
    if code != mqs_ok {
        return Judgement::failed(bench.failure("mqs_setup_image", code));
    }
    match bound.destroy_image_info() {
        Some(_) => Judgement::PASS,
        None => Judgement::failed("it has associated no information with the image"),
    }
}

fn image_has_queues(bench: &Bench, subject: &Subject) -> Judgement {
    let session = subject.session();
    let bound = bench.bound(&session);
    let code = bound.setup_image();
    let (code, message) = if code == mqs_ok { bound.image_has_queues() } else { (code, None) };
    if code == mqs_ok {
        return Judgement::PASS;
    }
    let message = message.map_or(String::new(), |message| format!("; its message is: {message}"));
    Judgement::failed(bench.failure("mqs_image_has_queues", code) + &message)
}

/// The message for an image with queues, and for one without.
fn image_message(bench: &Bench, subject: &Subject) -> Judgement {
    let mut messages = Vec::new();
    for hidden in [false, true] {
        let session = subject.session();
        if hidden {
            session.faults.plan(NO_SYMBOLS);
        }
        let bound = bench.bound(&session);
        if bound.setup_image() == mqs_ok {
            messages.extend(bound.image_has_queues().1);
        }
    }
    judge_messages(&messages)
}

/// Messages as 5.8.2 wants them.
pub(super) fn judge_messages(messages: &[String]) -> Judgement {
    let wrong: Vec<String> =
        messages.iter().filter(|message| !is_message(message)).map(|m| format!("{m:?}")).collect();
    match messages.is_empty() {
        true => Judgement::not_applicable("the DLL gives no message"),
        false => Judgement::of(&wrong),
    }
}

/// Is this a printf format with at most one `%s`?
fn is_message(message: &str) -> bool {
    // "%%" would be printed as a percent sign, but it is a token.
    let mut tokens = message.match_indices('%').map(|(at, _)| message[at..].chars().nth(1));
    let first = tokens.next();
    tokens.next().is_none() && first.is_none_or(|token| token == Some('s'))
}

/// The image has no symbols, functions and types.
const NO_SYMBOLS: Plan = Plan {
    callbacks: &[Callback::FindSymbol, Callback::FindFunction, Callback::FindType],
    first: 1,
    last: u64::MAX,
};

fn image_without_queues(bench: &Bench, subject: &Subject) -> Judgement {
    let session = subject.session();
    session.faults.plan(NO_SYMBOLS);
    let bound = bench.bound(&session);
    let code = bound.setup_image();
    if code != mqs_ok {
        return Judgement::failed(bench.failure("mqs_setup_image", code));
    }
    match bound.image_has_queues() {
        (code, _) if code == mqs_ok => {
            Judgement::failed("it returns mqs_ok for an image without any symbol and type")
        }
        (code, _) => {
            bench.note_code(code);
            Judgement::PASS
        }
    }
}

fn destroy_image(bench: &Bench, subject: &Subject) -> Judgement {
    bench.read(subject);
    bench.keep();
    let session = subject.session();
    let bound = bench.bound(&session);
    if bound.setup_image() != mqs_ok {
        return Judgement::not_applicable("the image cannot be set up");
    }
    bound.image_has_queues();
    let code = match bound.destroy_image_info() {
        None => return Judgement::not_applicable("no information is associated with the image"),
        Some(code) => code,
    };
    match bench.outstanding() {
        _ if code != mqs_ok => Judgement::failed(bench.failure("mqs_destroy_image_info", code)),
        0 => Judgement::PASS,
        blocks => {
            bench.keep();
            Judgement::failed(format!("{blocks} blocks of memory are left"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_message;

    #[test]
    fn messages_have_at_most_one_token() {
        for good in ["", "opal_list_item_t", "%s", "the image %s has none"] {
            assert!(is_message(good), "{good}");
        }
        for bad in ["%d", "%s and %s", "100%", "100%% of %s", "%5s", "%"] {
            assert!(!is_message(bad), "{bad}");
        }
    }
}
