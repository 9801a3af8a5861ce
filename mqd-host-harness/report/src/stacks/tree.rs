//! The tree of merged stacks.

use std::collections::HashMap;

use super::Branch;
use crate::model::{Calls, Frame, Process, Text};
use crate::words::{doing_where, frame};

/// The most frames of one stack that are shown; the ones in the middle are left out.
const DEEPEST: usize = 200;

/// A frame as stacks have it in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) frame: String,
    pub(super) function: Option<Text>,
    pub(super) file: Option<Text>,
    pub(super) line: Option<u32>,
    pub(super) module: Option<Text>,
    pub(super) times: usize,
}

impl Key {
    fn of(known: &Frame, is_entry: bool) -> Key {
        let Frame { function, file, line, module, .. } = known.clone();
        // Where it is in the MPI library differs from look to look, and tells nothing.
        let frame = match (&function, is_entry) {
            (Some(function), true) => function.to_string(),
            _ => frame(known),
        };
        Key { frame, function, file, line, module, times: 1 }
    }

    /// Stands for what is not a frame.
    fn text(frame: String) -> Key {
        Key { frame, function: None, file: None, line: None, module: None, times: 1 }
    }
}

/// The frames of the stack that tells what a process is doing, from the outermost one.
pub(super) fn path(process: &Process) -> Vec<Key> {
    let Some(stack) = process.stack() else {
        return vec![Key::text("not known where".to_owned())];
    };
    let mut path: Vec<Key> = Vec::new();
    if !stack.complete {
        path.push(Key::text("outer frames not known".to_owned()));
    }
    let is_entry = |index: usize| index == 0 && stack.in_mpi == Some(true);
    for (index, frame) in stack.frames.iter().enumerate().rev() {
        let key = Key::of(frame, is_entry(index));
        match path.last_mut() {
            Some(last) if Key { times: 1, ..last.clone() } == key => last.times += 1,
            _ => path.push(key),
        }
    }
    if path.len() > DEEPEST {
        let left_out = path.len() - DEEPEST;
        let text = format!("{left_out} frames are left out");
        path.splice(DEEPEST / 2..DEEPEST / 2 + left_out, [Key::text(text)]);
    }
    if process.calls() == Calls::NotKnown && path.is_empty() {
        path.push(Key::text(doing_where(process)));
    }
    path
}

/// Adds stacks to a tree.
#[derive(Default)]
pub(super) struct TreeBuilder {
    branches: Vec<(Branch, Vec<i64>)>,
    children: HashMap<(Option<usize>, Key), usize>,
}

impl TreeBuilder {
    pub(super) fn add(&mut self, process: &Process) {
        let mut parent = None;
        for key in path(process) {
            let branches = &mut self.branches;
            let index = *self.children.entry((parent, key.clone())).or_insert_with(|| {
                branches.push((Branch { parent, ..Branch::from(key) }, Vec::new()));
                branches.len() - 1
            });
            let (branch, ranks) = &mut self.branches[index];
            branch.stacks += 1;
            ranks.extend(process.rank);
            parent = Some(index);
        }
        if let Some(last) = parent {
            self.branches[last].0.end += 1;
        }
    }

    /// The branches, each before those that it has: those with fewer stacks first.
    pub(super) fn finish(self) -> Vec<Branch> {
        let mut inside: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        for (index, (branch, _)) in self.branches.iter().enumerate() {
            inside.entry(branch.parent).or_default().push(index);
        }
        let order = |list: &mut Vec<usize>| {
            // The last of the list is taken first.
            list.sort_by_key(|index| std::cmp::Reverse((self.branches[*index].0.stacks, *index)));
        };
        inside.values_mut().for_each(order);
        let mut finished: Vec<Branch> = Vec::new();
        let mut place = HashMap::new();
        let mut open = inside.remove(&None).unwrap_or_default();
        while let Some(index) = open.pop() {
            let (branch, ranks) = &self.branches[index];
            place.insert(index, finished.len());
            finished.push(Branch {
                parent: branch.parent.map(|parent| place[&parent]),
                ranks: ranks.iter().copied().collect(),
                ..branch.clone()
            });
            open.extend(inside.remove(&Some(index)).unwrap_or_default());
        }
        finished
    }
}
