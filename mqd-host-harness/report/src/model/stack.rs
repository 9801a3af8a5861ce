//! Call stacks of a process.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Address, Process, Text};

/// The call stack of a thread, from its MPI call outwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stack {
    /// The id of the thread in the kernel.
    pub thread: u32,
    /// Is the thread in an MPI function? Null if not known.
    pub in_mpi: Option<bool>,
    /// Was the stack unwound to its outermost frame? If not, frames are missing at the end.
    pub complete: bool,
    /// The innermost frame first. If the thread is in an MPI function, that is the first frame:
    /// frames inside the MPI library are left out. The last is the program's `main`.
    pub frames: Vec<Frame>,
    /// The address to which the MPI function returns, which may be one of a binding for another
    /// language. Only the command that has read the process knows.
    #[serde(skip)]
    pub returns_to: Option<Address>,
}

/// A frame of a call stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// The function, demangled, without its parameters; null if it has no name.
    pub function: Option<Text>,
    /// The file of the source, as the debug information names it; null without debug information.
    pub file: Option<Text>,
    /// The line in the file that runs, or that has called the frame before this one.
    pub line: Option<u32>,
    /// Is the function inlined into that of the next frame?
    pub inlined: bool,
    /// The file name, without directories, of the executable or library that has the code.
    pub module: Option<Text>,
    /// How many bytes the address is after the beginning of the function; null if `line` is known.
    pub offset: Option<u64>,
    /// The address of the next instruction; of a caller, that after its call.
    pub address: Address,
}

impl Frame {
    /// Is this the function of a tool that replaces one of MPI, and calls it by its other name?
    fn replaces_mpi(&self) -> bool {
        let function = self.function.as_deref().unwrap_or_default();
        function.starts_with("MPI_") || function.starts_with("PMPI_")
    }
}

impl Stack {
    /// The MPI function that the thread is in.
    pub fn function(&self) -> Option<&str> {
        self.frames.first().filter(|_| self.in_mpi == Some(true))?.function.as_deref()
    }

    /// The frames of the program: those outside the MPI function, or all of them.
    pub fn program(&self) -> &[Frame] {
        match self.in_mpi {
            Some(true) => self.frames.get(1..).unwrap_or_default(),
            _ => &self.frames,
        }
    }
}

/// What the call stacks of a process tell about its calls of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls<'a> {
    /// It is in this function.
    Function(&'a str),
    /// None of its threads is in an MPI function.
    Nothing,
    /// Not known.
    NotKnown,
}

impl Process {
    /// What the call stacks tell about calls of MPI: those of the main thread, then of the others.
    pub fn calls(&self) -> Calls<'_> {
        let stacks = self.stacks.as_deref().unwrap_or_default();
        match self.stack().and_then(Stack::function) {
            Some(function) => Calls::Function(function),
            None if stacks.is_empty() => Calls::NotKnown,
            None if stacks.iter().all(|stack| stack.in_mpi == Some(false)) => Calls::Nothing,
            None => Calls::NotKnown,
        }
    }

    /// The stack that tells what the process is doing: that of the main thread, unless another one
    /// is in an MPI function and the main thread is not.
    pub fn stack(&self) -> Option<&Stack> {
        let stacks = self.stacks.as_deref()?;
        stacks.iter().find(|stack| stack.in_mpi == Some(true)).or_else(|| stacks.first())
    }

    /// The MPI function that it is in, as `activity` says; none if it is in none, or if that is not
    /// known.
    pub(crate) fn function(&self) -> Option<&str> {
        self.activity.as_ref()?.function.as_deref()
    }

    /// The innermost frame whose line is known, among the frames of the program that have led to
    /// what `activity` says. If no line is known, the innermost of these frames.
    pub fn line(&self) -> Option<&Frame> {
        let frames = self.called_from();
        frames.iter().find(|frame| frame.line.is_some()).or_else(|| frames.first())
    }

    /// The frames of the program that have led to what `activity` says; empty if that is not known.
    /// Those of tools, which replace functions of MPI, are left out.
    pub(crate) fn called_from(&self) -> &[Frame] {
        let Some(stack) = self.stack() else { return &[] };
        // What the debug DLL says and what the stack says may differ.
        let differs = self.activity.as_ref().is_some_and(|activity| {
            let said = activity.function.as_deref();
            !activity.between_calls && said.is_some_and(|said| stack.function() != Some(said))
        });
        let frames = if differs { &[] } else { stack.program() };
        let in_mpi = stack.in_mpi == Some(true);
        let own = frames.iter().position(|frame| !(in_mpi && frame.replaces_mpi()));
        &frames[own.unwrap_or(0)..]
    }
}
