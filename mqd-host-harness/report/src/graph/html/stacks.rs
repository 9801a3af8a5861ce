//! Where the ranks are in the program.

use anstyle::Style;
use maud::{Markup, html};

use super::{LONGEST, cut};
use crate::model::Report;
use crate::render;
use crate::stacks::merge;

/// Groups of ranks that are at the same place, the smallest first, and the tree of call stacks.
/// Nothing if no stack was read.
pub(super) fn section(report: &Report) -> Markup {
    let known = report.processes.iter().any(|process| process.stacks.is_some());
    let merged = merge(std::slice::from_ref(report), |_| None);
    html! {
        @if known {
            section aria-labelledby="stacks" {
                h2 #stacks { "Where the ranks are" }
                ul {
                    @for place in merged.groups.iter().take(LONGEST) {
                        @let (who, doing) = render::place_text(place, merged.processes);
                        li { strong { (who) } " " (doing) }
                    }
                }
                (cut(merged.groups.len(), LONGEST, "groups", "`mqd stacks` has all of them"))
                details open[merged.tree.len() <= LONGEST] {
                    summary { "All call stacks, merged" }
                    div.scroll tabindex="0" role="region" aria-label="The call stacks" {
                        pre { (render::tree(&merged, Style::new())) }
                    }
                }
            }
        }
    }
}
