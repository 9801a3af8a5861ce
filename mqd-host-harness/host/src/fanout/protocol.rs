//! The protocol between a client and an agent.
//!
//! The agent greets with a line. Then the client asks and the agent answers, any number of times. A
//! question is a frame of a snapshot. An answer is a snapshot, if there is one, a frame that ends
//! it, and a newline, because `prterun` passes output on only up to the last one. Every frame is
//! compressed and has a length and a checksum.
//!
//! From the greeting on, the client writes a newline every second, but not within a question: a
//! sign of life. The agent ends when its input ends, or when it got nothing for 15 seconds:
//! `prterun` does not pass the end of its input on, and the machine of the client may be gone.

use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::capture::Keep;
use crate::job::{Member, Wanted};
use crate::motion::Motion;
use crate::request::{Options, Request};
use mqd_report::JobIdentity;

/// The version of the protocol. Both sides must have the same.
const VERSION: u32 = 7;

/// What follows an answer. No frame begins with it.
pub(super) const END: u8 = b'\n';

/// The sign of life of a client. No question begins with it.
pub(super) const ALIVE: u8 = b'\n';

/// How often a client gives it.
pub(super) const ALIVE_EACH: Duration = Duration::from_secs(1);

/// An agent that got nothing for this time ends.
pub(super) const ALIVE_LIMIT: Duration = Duration::from_secs(15);

/// The beginning of the line that an agent greets with. Login scripts may print lines before it.
const GREETING: &str = "mqd-agent ";

/// A question.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Ask {
    /// Which processes of the node belong to a job?
    Find(Wanted),
    /// What are these processes of the node waiting for?
    Look(Box<Look>),
    /// What has the kernel counted of these processes of the node?
    Motion(Vec<u32>),
}

impl Ask {
    /// The most bytes that an answer can have. A process takes some hundred bytes, and some dozen
    /// for each of its operations; what is kept of its memory takes more.
    pub(super) fn most(&self) -> usize {
        const MIB: usize = 1 << 20;
        let (each, processes) = match self {
            Ask::Find(_) | Ask::Motion(_) => (0, 0),
            Ask::Look(look) if look.report_only => (16 * MIB, look.requests.len()),
            Ask::Look(look) => (64 * MIB, look.requests.len()),
        };
        each.saturating_mul(processes).saturating_add(256 * MIB)
    }
}

/// What to read, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Look {
    pub(super) options: Options,
    pub(super) requests: Vec<Request>,
    pub(super) redact: bool,
    pub(super) report_only: bool,
}

impl Look {
    pub(super) fn keep(&self) -> Keep {
        Keep { redact: self.redact, report_only: self.report_only }
    }
}

/// The end of an answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Done {
    /// The name that the node has for itself.
    pub(super) host: String,
    /// What was found.
    pub(super) found: Vec<(Member, JobIdentity)>,
    /// The motion of each process that was asked for.
    pub(super) motion: HashMap<u32, Motion>,
    /// Did all of them stand still together?
    pub(super) held: bool,
}

/// The line that an agent greets with.
pub(super) fn greeting() -> String {
    format!("{GREETING}{VERSION} {}\n", env!("CARGO_PKG_VERSION"))
}

/// What was found of a greeting in the output of a client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Greeted {
    /// It has not come yet.
    NotYet,
    /// It ends at this offset. Answers follow.
    At(usize),
    /// It is that of another version of `mqd`.
    Other(String),
}

/// Looks for the greeting.
pub(super) fn find_greeting(output: &[u8]) -> Greeted {
    let mut begin = 0;
    while let Some(length) = output[begin..].iter().position(|byte| *byte == b'\n') {
        let line = &output[begin..begin + length];
        begin += length + 1;
        if let Some(rest) = line.strip_prefix(GREETING.as_bytes()) {
            let rest = String::from_utf8_lossy(rest);
            let (version, mqd) = rest.split_once(' ').unwrap_or((&rest, ""));
            return match version.parse() {
                Ok(VERSION) => Greeted::At(begin),
                _ => Greeted::Other(mqd.trim().to_owned()),
            };
        }
    }
    Greeted::NotYet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_are_found_among_what_login_scripts_print() {
        let own = greeting();
        assert_eq!(find_greeting(own.as_bytes()), Greeted::At(own.len()));
        let with_noise = format!("Welcome\n\n{own}rest");
        assert_eq!(find_greeting(with_noise.as_bytes()), Greeted::At(with_noise.len() - 4));
        assert_eq!(find_greeting(b"Welcome\nmqd-agent 1"), Greeted::NotYet);
        assert_eq!(find_greeting(b"mqd-agent 99 7.0\n"), Greeted::Other("7.0".to_owned()));
    }
}
