//! The toy, running, with a debug DLL that reads it.

use super::mqd::{self, Run};
use super::toy::{Running, Workshop};

/// The toy process and a DLL that reads it.
pub struct Toy {
    pub workshop: Workshop,
    pub process: Running,
    pub dll: String,
}

impl Toy {
    pub fn start() -> Toy {
        let workshop = Workshop::new();
        let process = Running::start(&workshop.process(&[]), &[]);
        let dll = workshop.dll(&[]).display().to_string();
        Toy { workshop, process, dll }
    }

    pub fn pid(&self) -> String {
        self.process.pid().to_string()
    }

    /// `mqd dump --dll the-dll --pid the-process` and more arguments.
    pub fn dump(&self, arguments: &[&str]) -> Run {
        mqd::run(["dump", "--dll", &self.dll, "--pid", &self.pid()].iter().chain(arguments))
    }
}
