//! An agent that is sent: a shell at the far end takes the program from its standard input.
//!
//! ```text
//!   client                        sh
//!     │ ── script, one line ──────> │
//!     │ <──────────────── ready ─── │  a temporary file that only the user can read
//!     │ ── the program ───────────> │
//!     │                           agent: removes the file, then greets
//! ```
//!
//! The script needs no argument, so that it does not matter how a client quotes them. The shell may
//! read ahead of what it executes: nothing follows before it is ready.

use std::sync::Arc;
use std::time::Duration;

use super::via::quoted;

/// The line by which the shell says that it takes the program.
pub(super) const READY: &str = "mqd-ready";

/// The program of an agent.
#[derive(Clone, Debug)]
pub struct Sent(Arc<Vec<u8>>);

impl Sent {
    /// An agent with these bytes, which must be a program for the machines of all hosts.
    pub fn new(program: Vec<u8>) -> Sent {
        Sent(Arc::new(program))
    }

    /// What follows when the shell is ready.
    pub(super) fn program(&self) -> &[u8] {
        &self.0
    }

    /// The line for the shell. The shell waits until the agent has ended, so that the file is
    /// removed even if it cannot be executed. `limit`: how long sending may take, for clients that
    /// do not pass the end of their input on.
    pub(super) fn script(&self, arguments: &[String], limit: Duration) -> String {
        let arguments: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
        let (bytes, arguments) = (self.0.len(), arguments.join(" "));
        let seconds = limit.as_secs().max(1);
        format!(
            "{{ umask 077; \
             f=$(mktemp \"${{TMPDIR:-/tmp}}/mqd-agent.XXXXXX\") || exit 1; \
             trap 'rm -f \"$f\"' EXIT; trap 'exit 1' HUP INT TERM; \
             echo {READY}; timeout {seconds} head -c {bytes} >\"$f\"; \
             if [ \"$(wc -c <\"$f\")\" -eq {bytes} ] && chmod 700 \"$f\"; then \
             \"$f\" {arguments} --sent; exit; fi; exit 1; }}\n"
        )
    }
}
