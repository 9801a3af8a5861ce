//! A diagnosis for people.

use anstyle::{AnsiColor, Style};

use crate::check::{Certainty, Diagnosis, Finding, Place, STEPS_TOLD, Severity, Verdict};
use crate::escape::printable;
use crate::words;

/// The verdict, what is missing for it, and the findings. Of a long list of steps, the first ones.
pub fn check(diagnosis: &Diagnosis, color: bool) -> String {
    text(diagnosis, color, false)
}

/// The same with each step.
pub fn check_each_step(diagnosis: &Diagnosis, color: bool) -> String {
    text(diagnosis, color, true)
}

fn text(diagnosis: &Diagnosis, color: bool, each_step: bool) -> String {
    let styled = |style: Style, text: &str| {
        if color { format!("{style}{text}{style:#}") } else { text.to_owned() }
    };
    let (verdict, style) = match diagnosis.verdict {
        Verdict::Deadlocked => ("deadlocked", AnsiColor::Red.on_default().bold()),
        Verdict::NotDeadlocked => ("not deadlocked", AnsiColor::Green.on_default().bold()),
        Verdict::Insufficient => ("insufficient", AnsiColor::Yellow.on_default().bold()),
    };
    let mut text = format!("{}: {}\n", styled(style, verdict), printable(&diagnosis.reason));
    for missing in &diagnosis.missing {
        text.push_str(&format!("  not known: {}\n", printable(missing)));
    }
    for place in &diagnosis.places {
        text.push_str(&format!("  {}\n", printable(&told_place(place))));
    }
    for finding in &diagnosis.findings {
        let (severity, style) = match finding.severity {
            Severity::Error => ("error", AnsiColor::Red.on_default().bold()),
            Severity::Warning => ("warning", AnsiColor::Yellow.on_default().bold()),
            Severity::Note => ("note", Style::new().bold()),
        };
        text.push_str(&format!("\n{}: ", styled(style, severity)));
        text.push_str(&told(finding, each_step));
    }
    if let Some(spread) = diagnosis.spread_ms {
        text.push_str(&format!("\n{}\n", words::spread(spread)));
    }
    text
}

fn told_place(place: &Place) -> String {
    let word = if place.ranks.len() == 1 { "rank" } else { "ranks" };
    let is_phrase = ["in ", "between "].iter().any(|begin| place.text.starts_with(begin));
    let colon = if is_phrase { "" } else { ":" };
    format!("where: {word} {}{colon} {}", place.ranks, place.text)
}

fn told(finding: &Finding, each_step: bool) -> String {
    let mut text = String::new();
    let mut line =
        |indent: &str, content: &str| text.push_str(&format!("{indent}{}\n", printable(content)));
    let colon = if finding.steps.is_empty() { "" } else { ":" };
    line("", &format!("{}{colon}", finding.title));
    finding.steps.iter().for_each(|step| line("  ", step));
    if each_step {
        finding.waits.iter().skip(STEPS_TOLD).for_each(|wait| line("    ", &wait.text));
    }
    if !finding.waiting.is_empty() {
        let (word, wait) =
            if finding.waiting.len() == 1 { ("rank", "waits") } else { ("ranks", "wait") };
        line("  ", &format!("{word} {} {wait} for these", finding.waiting));
    }
    finding.evidence.iter().for_each(|evidence| line("  ", evidence));
    for place in &finding.places {
        line("  ", &told_place(place));
    }
    match finding.certainty {
        Certainty::Certain => {}
        Certainty::TwoLooks => line("  ", "as far as two looks can tell"),
        Certainty::Suspected => line("  ", "this seems so, but what was read does not prove it"),
    }
    line("  what to do: ", &finding.advice);
    text
}
