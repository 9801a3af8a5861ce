//! From a frame to its caller, by the unwind tables of the images.

use std::ops::Range;

use gimli::{
    CfaRule, Encoding, EvaluationResult, Location, Piece, Register, RegisterRule, UnwindContext,
    UnwindExpression, UnwindTableRow, Value,
};

use super::super::Target;
use super::StackFrame;
use super::machine::{Frame, Machine, REGISTERS};
use crate::elf::UnwindTables;

/// The largest size of the vdso. Real ones are smaller.
const MAX_VDSO: usize = 64 * 1024;
/// Operations of an expression that are carried out. Real expressions have a dozen. Damaged ones
/// may jump back for ever.
const MOST_OPERATIONS: u32 = 10_000;

/// The tables of an image, which are looked for once.
fn known_tables<'k, 'a>(
    known: &'k mut Option<Option<UnwindTables<'a>>>,
    target: &'a Target,
    image: usize,
) -> Option<&'k UnwindTables<'a>> {
    known
        .get_or_insert_with(|| {
            let image = &target.images[image];
            UnwindTables::of(image.bias, &image.file.as_deref()?.sections()?)
        })
        .as_ref()
}

/// What follows a frame.
#[allow(clippy::large_enum_variant, reason = "there is one at a time, on the stack")]
enum Caller {
    Frame(Frame),
    /// It is the outermost one.
    End,
}

/// Code that the kernel has put into a process: its address and its file.
pub(super) type Vdso = (u64, Vec<u8>);

/// The vdso of a process.
pub(super) fn vdso(target: &Target) -> Option<Vdso> {
    let address = target.vdso?;
    Some((address, target.memory.own_bytes(address, MAX_VDSO)))
}

/// Walks the stacks of one process.
pub(super) struct Unwinder<'a> {
    target: &'a Target,
    machine: Machine,
    /// By image. None: not looked for yet.
    tables: Vec<Option<Option<UnwindTables<'a>>>>,
    vdso: Option<UnwindTables<'a>>,
    context: UnwindContext<usize>,
}

impl<'a> Unwinder<'a> {
    pub(super) fn new(target: &'a Target, machine: Machine, vdso: Option<&'a Vdso>) -> Self {
        Unwinder {
            target,
            machine,
            tables: target.images.iter().map(|_| None).collect(),
            vdso: vdso.and_then(|(address, bytes)| {
                UnwindTables::of(*address, &object::File::parse(&**bytes).ok()?)
            }),
            context: UnwindContext::new(),
        }
    }

    /// The frames of a stack, at most `most`, and whether they end with the outermost one.
    pub(super) fn walk(&mut self, innermost: Frame, most: usize) -> (Vec<StackFrame>, bool) {
        let mut frames = Vec::new();
        let mut frame = innermost;
        while frames.len() < most {
            let Frame { address, exact, .. } = frame;
            let mut known = StackFrame { address, exact, image: None, called: None };
            known.image = self.target.image_of(known.place());
            frames.push(known);
            match self.caller(&frame, known) {
                Some(Caller::Frame(caller)) => frame = caller,
                Some(Caller::End) => return (frames, true),
                None => break,
            }
        }
        (frames, false)
    }

    /// The frame with this index, counted from the innermost one.
    pub(super) fn frame(&mut self, innermost: Frame, index: usize) -> Option<Frame> {
        let mut frame = innermost;
        for _ in 0..index {
            let Frame { address, exact, .. } = frame;
            let mut known = StackFrame { address, exact, image: None, called: None };
            known.image = self.target.image_of(known.place());
            match self.caller(&frame, known)? {
                Caller::Frame(caller) => frame = caller,
                Caller::End => return None,
            }
        }
        Some(frame)
    }

    /// The addresses of the function at an address of an image, as its unwind table has them.
    pub(super) fn function_at(&mut self, image: usize, place: u64) -> Option<Range<u64>> {
        let tables = known_tables(self.tables.get_mut(image)?, self.target, image)?;
        let entry = tables.entry(place.wrapping_sub(tables.bias))?;
        let start = entry.initial_address().wrapping_add(tables.bias);
        Some(start..start.saturating_add(entry.len()))
    }

    /// The frame that a frame returns to; `None` if nothing tells.
    fn caller(&mut self, frame: &Frame, known: StackFrame) -> Option<Caller> {
        let place = known.place();
        let target = self.target;
        let tables = match known.image {
            Some(index) => known_tables(&mut self.tables[index], target, index)?,
            None => self.vdso.as_ref()?,
        };
        let address = place.wrapping_sub(tables.bias);
        let entry = tables.entry(address)?;
        let row = entry
            .unwind_info_for_address(&tables.frames, &tables.bases, &mut self.context, address)
            .ok()?;
        let rules = Rules {
            target,
            machine: self.machine,
            tables,
            encoding: entry.cie().encoding(),
            row,
            frame,
        };
        rules.caller(entry.is_signal_trampoline())
    }
}

/// What the unwind tables say about the code of a frame.
struct Rules<'r, 'a> {
    target: &'a Target,
    machine: Machine,
    tables: &'r UnwindTables<'a>,
    encoding: Encoding,
    row: &'r UnwindTableRow<usize>,
    frame: &'r Frame,
}

impl Rules<'_, '_> {
    /// The frame that this one returns to; `signal` says that it is one of the kernel's, between a
    /// signal handler and what the signal has interrupted.
    fn caller(&self, signal: bool) -> Option<Caller> {
        let cfa = self.canonical_frame_address()?;
        let return_address = self.machine.return_address();
        let returns_to = match self.row.register(Register(return_address as u16)) {
            Some(RegisterRule::Undefined) => return Some(Caller::End),
            // The innermost function may not have saved it.
            None if self.machine == Machine::Aarch64 && self.frame.exact => {
                self.frame.registers[return_address]?
            }
            _ => self.restore(return_address, cfa)?,
        };
        if returns_to == 0 {
            return Some(Caller::End);
        }
        let mut registers = [None; REGISTERS];
        for (number, register) in registers.iter_mut().enumerate() {
            *register = self.restore(number, cfa);
        }
        let stack_pointer = self.machine.stack_pointer();
        // A frame that is below its callee: the stack is damaged, and may be a cycle.
        let before = self.frame.registers[stack_pointer]?;
        if !signal && (cfa < before || cfa == before && !self.frame.exact) {
            return None;
        }
        // The table of a signal's frame says where the interrupted code had its stack, which may be
        // another one.
        if !(signal && registers[stack_pointer].is_some()) {
            registers[stack_pointer] = Some(cfa);
        }
        let address = self.machine.plain(returns_to);
        Some(Caller::Frame(Frame { registers, address, exact: signal }))
    }

    /// The canonical frame address: the stack pointer of the caller before its call.
    fn canonical_frame_address(&self) -> Option<u64> {
        match self.row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                Some(register_of(self.frame, *register)?.wrapping_add_signed(*offset))
            }
            CfaRule::Expression(expression) => self.evaluate(*expression, None),
        }
    }

    /// What a register was in the caller.
    fn restore(&self, number: usize, cfa: u64) -> Option<u64> {
        let read = |address| self.target.word_at(address);
        match self.row.register(Register(number as u16)) {
            None if self.machine.is_preserved(number) => self.frame.registers[number],
            None | Some(RegisterRule::Undefined | RegisterRule::Architectural) => None,
            Some(RegisterRule::SameValue) => self.frame.registers[number],
            Some(RegisterRule::Offset(offset)) => read(cfa.wrapping_add_signed(offset)),
            Some(RegisterRule::ValOffset(offset)) => Some(cfa.wrapping_add_signed(offset)),
            Some(RegisterRule::Register(other)) => register_of(self.frame, other),
            Some(RegisterRule::Expression(expression)) => {
                read(self.evaluate(expression, Some(cfa))?)
            }
            Some(RegisterRule::ValExpression(expression)) => self.evaluate(expression, Some(cfa)),
            Some(RegisterRule::Constant(value)) => Some(value),
        }
    }

    /// The value of an expression of the table.
    fn evaluate(&self, expression: UnwindExpression<usize>, initial: Option<u64>) -> Option<u64> {
        let expression = expression.get(&self.tables.frames).ok()?;
        let mut evaluation = expression.evaluation(self.encoding);
        evaluation.set_max_iterations(MOST_OPERATIONS);
        if let Some(initial) = initial {
            evaluation.set_initial_value(initial);
        }
        let mut state = evaluation.evaluate().ok()?;
        loop {
            state = match state {
                EvaluationResult::Complete => break,
                EvaluationResult::RequiresMemory { address, size, .. } => {
                    let mut bytes = [0; 8];
                    let bytes = bytes.get_mut(..usize::from(size))?;
                    self.target.read(address, bytes).ok()?;
                    let value = Value::Generic(self.target.arch.unsigned(bytes));
                    evaluation.resume_with_memory(value).ok()?
                }
                EvaluationResult::RequiresRegister { register, .. } => {
                    let value = Value::Generic(register_of(self.frame, register)?);
                    evaluation.resume_with_register(value).ok()?
                }
                _ => return None,
            };
        }
        match evaluation.as_result() {
            [Piece { location: Location::Address { address }, .. }] => Some(*address),
            _ => None,
        }
    }
}

fn register_of(frame: &Frame, register: Register) -> Option<u64> {
    frame.registers.get(usize::from(register.0)).copied().flatten()
}

impl Target {
    /// The word at an address of the memory.
    pub(super) fn word_at(&self, address: u64) -> Option<u64> {
        self.memory.word(&self.arch, address).ok()
    }
}
