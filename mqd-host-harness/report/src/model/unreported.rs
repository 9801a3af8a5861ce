//! What only the command that has read a process knows. Reports do not have it.

use serde::{Deserialize, Serialize};

use super::{ActiveRequests, Address, Process, Text};

/// What one look at a process has found, and no report has. It is for further looks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreported {
    asks_at: Vec<(Text, u64)>,
    program_state: Option<u64>,
    finds_nothing_at: Option<u64>,
    requests: ActiveRequests,
    nothing_helps: bool,
    /// One for each call stack.
    returns_to: Vec<Option<Address>>,
}

impl Process {
    /// What one look has found, and no report has.
    pub fn unreported(&self) -> Unreported {
        let activity = self.activity.as_ref();
        Unreported {
            asks_at: self.asks_at.clone(),
            program_state: self.program_state,
            finds_nothing_at: self.finds_nothing_at,
            requests: activity.map_or_else(Default::default, |activity| activity.requests),
            nothing_helps: activity.is_some_and(|activity| activity.nothing_helps),
            returns_to: self.stacks.iter().flatten().map(|stack| stack.returns_to).collect(),
        }
    }

    /// Adds what one look has found, and no report has.
    pub fn add_unreported(&mut self, found: Unreported) {
        self.asks_at = found.asks_at;
        self.program_state = found.program_state;
        self.finds_nothing_at = found.finds_nothing_at;
        if let Some(activity) = &mut self.activity {
            activity.requests = found.requests;
            activity.nothing_helps = found.nothing_helps;
        }
        for (stack, returns_to) in self.stacks.iter_mut().flatten().zip(found.returns_to) {
            stack.returns_to = returns_to;
        }
    }
}
