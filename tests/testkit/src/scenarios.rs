//! The scenarios in `fixtures/`: jobs whose state does not change. Each is about one topic, and its
//! ranks record what they have pending.

use std::process::Command;

use anyhow::{Context, Result};

use crate::mpi::{Mpi, with_room, without_single_copy};
use crate::prefix::Prefix;
use crate::recorded::{Mismatches, Program, ReadFrom, Start};

/// How a scenario is started.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// The name of its file in `fixtures/`, without `.c`.
    pub name: &'static str,
    /// How many ranks it needs.
    pub ranks: usize,
    /// What its program is called with.
    pub arguments: &'static [&'static str],
    /// What is changed of the launcher's command.
    pub configure: fn(&mut Command) -> &mut Command,
}

const fn scenario(name: &'static str, ranks: usize) -> Scenario {
    Scenario { name, ranks, arguments: &[], configure: |launch| launch }
}

/// All of them.
pub const SCENARIOS: [Scenario; 23] = [
    scenario("receives", 3),
    scenario("sends", 3),
    scenario("send_modes", 2),
    scenario("buffered", 2),
    scenario("persistent", 2),
    scenario("blocking", 6),
    scenario("sendrecv", 2),
    scenario("waits", 6),
    scenario("collective", 4),
    scenario("probes", 3),
    Scenario { configure: without_single_copy, ..scenario("matched", 2) },
    scenario("completed", 2),
    scenario("communicators", 4),
    scenario("subgroups", 6),
    scenario("intercommunicators", 5),
    scenario("names", 2),
    scenario("self_messages", 2),
    scenario("zero_bytes", 2),
    scenario("threads", 2),
    scenario("cancelled", 2),
    scenario("freed", 2),
    scenario("datatypes", 2),
    Scenario { arguments: &["2000", "1"], configure: with_room, ..scenario("many", 3) },
];

impl Scenario {
    /// Does an MPI keep what this scenario is about?
    pub fn fits(&self, mpi: &Mpi) -> bool {
        match self.name {
            "freed" => mpi.coverage.freed_communicators,
            "matched" => mpi.coverage.matched_receives,
            // Their ranks stay in long sends.
            "blocking" | "sendrecv" | "threads" => mpi.coverage.buffered_sends,
            _ => true,
        }
    }

    /// The scenario with a name.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn named(name: &str) -> Result<Scenario> {
        let found = SCENARIOS.into_iter().find(|scenario| scenario.name == name);
        found.with_context(|| format!("there is no scenario {name}"))
    }

    /// Runs it with an MPI. Returns the differences between what `mqd` shows and what the ranks
    /// recorded.
    ///
    /// # Errors
    ///
    /// When it does not compile, the job ends or does not get ready, or `mqd` or `gcore` cannot be
    /// run.
    pub fn check(&self, prefix: &Prefix, mpi: Mpi, from: ReadFrom) -> Result<Mismatches> {
        let start = Start {
            ranks: self.ranks,
            arguments: self.arguments.iter().map(ToString::to_string).collect(),
            configure: Some(self.configure),
        };
        Program::new(prefix, mpi, self.name)?.check(&start, from)
    }
}
