//! Merged call stacks as text.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use crate::check::Ranks;
use crate::escape::printable;
use crate::stacks::{Branch, Merged, StackGroup};
use crate::words::count;

/// The most runs of ranks in a line.
const RUNS: usize = 8;
/// The most groups that are listed.
const GROUPS: usize = 20;

/// Who is where, the smallest groups first, and the tree of stacks. Each line of the tree is a
/// frame; the ranks are told where they part.
pub fn stacks(merged: &Merged, color: bool) -> String {
    let (bold, ranks) = match color {
        true => (Style::new().bold(), AnsiColor::Cyan.on_default()),
        false => (Style::new(), Style::new()),
    };
    let mut text = String::new();
    for place in merged.groups.iter().take(GROUPS) {
        let (who, rest) = place_text(place, merged.processes);
        let _ = writeln!(text, "{bold}{who}{bold:#} {rest}");
    }
    if merged.groups.len() > GROUPS {
        let _ = writeln!(text, "and {} more groups", merged.groups.len() - GROUPS);
    }
    if let Some(moved) = &merged.moved {
        let looks = count(merged.samples, "look", "looks");
        let _ = match moved.is_empty() {
            true => writeln!(text, "at {looks} every rank was at the same place"),
            false => writeln!(text, "at {looks} these ranks have moved: {}", shortened(moved)),
        };
    }
    text.push('\n');
    text + &tree(merged, ranks)
}

/// The tree: a line for each frame, with the ranks where stacks part.
pub(crate) fn tree(merged: &Merged, ranks: Style) -> String {
    let mut text = String::new();
    for (index, branch) in merged.tree.iter().enumerate() {
        let indent = 2 * depth(&merged.tree, index);
        let frame = printable(&branch.frame);
        let times = if branch.times > 1 { format!(" x {}", branch.times) } else { String::new() };
        let _ = match parts(&merged.tree, index) {
            true => writeln!(
                text,
                "{:indent$}{ranks}{}{ranks:#} {frame}{times}",
                "",
                members(branch, merged.samples)
            ),
            false => writeln!(text, "{:indent$}  {frame}{times}", ""),
        };
    }
    text
}

/// Who, and what they do: `rank 17`, `alone is in no MPI call: in compute (solver.c:212)`.
pub(crate) fn place_text(place: &StackGroup, processes: usize) -> (String, String) {
    let who = match (place.ranks.len(), place.processes) {
        (0, number) => count(number, "process", "processes"),
        (1, 1) => format!("rank {}", place.ranks),
        (_, number) => format!("{number} ranks ({})", shortened(&place.ranks)),
    };
    let alone = if place.processes == 1 && processes > 1 { "alone " } else { "" };
    let verb = if place.processes == 1 { "is" } else { "are" };
    let mut doing = match place.known {
        true => format!("{alone}{verb} {}", printable(&place.doing)),
        false => format!("{alone}({})", printable(&place.doing)),
    };
    if let Some(waits_for) = &place.waits_for {
        let _ = write!(doing, ", waiting for {}", printable(waits_for));
    }
    if !place.states.is_empty() {
        let states: Vec<String> = place.states.chars().map(String::from).collect();
        let _ = write!(doing, ", state {}", states.join(" or "));
    }
    (who, doing)
}

/// How often the stacks have parted before a branch.
fn depth(tree: &[Branch], index: usize) -> usize {
    let mut depth = 0;
    let mut at = tree[index].parent;
    while let Some(parent) = at {
        depth += usize::from(parts(tree, parent));
        at = tree[parent].parent;
    }
    depth.saturating_sub(usize::from(!parts(tree, index)))
}

/// Are fewer stacks in a branch than in the one that it belongs to?
fn parts(tree: &[Branch], index: usize) -> bool {
    tree[index].parent.is_none_or(|parent| tree[parent].stacks != tree[index].stacks)
}

/// The ranks of a branch; after several looks, how many stacks it has.
fn members(branch: &Branch, samples: usize) -> String {
    let who = match branch.ranks.len() {
        0 => count(branch.stacks / samples.max(1), "process", "processes"),
        _ => shortened(&branch.ranks),
    };
    match samples {
        0 | 1 => format!("[{who}]"),
        _ => format!("[{who}: {}]", count(branch.stacks, "stack", "stacks")),
    }
}

/// Ranks, of many runs the first ones.
fn shortened(ranks: &Ranks) -> String {
    let all = ranks.ranges();
    if all.len() <= RUNS {
        return ranks.to_string();
    }
    let first: Ranks = all[..RUNS].iter().flat_map(|(first, last)| *first..=*last).collect();
    format!("{first} and {} more", ranks.len() - first.len())
}
