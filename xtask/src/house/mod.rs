//! The rules of the project that no compiler checks. `cargo xtask house` checks only these.

mod files;
mod functions;
mod lines;
mod modules;
mod pages;
mod picture;
mod ratchet;

use anyhow::{Result, ensure};

pub(crate) use self::picture::write as write_picture;

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Violation {
    /// Its name in the ratchet's list. It does not change when lines move.
    key: String,
    /// Where it is and what is wrong, for people.
    detail: String,
}

/// A rule.
struct Rule {
    /// The name of its list in `xtask/ratchet`.
    name: &'static str,
    /// What is checked, and what is not.
    what: &'static str,
    check: fn() -> Result<Vec<Violation>>,
}

const RULES: [Rule; 4] = [
    Rule { name: "lines", what: lines::WHAT, check: lines::check },
    Rule { name: "functions", what: functions::WHAT, check: functions::check },
    Rule { name: "modules", what: modules::WHAT, check: modules::check },
    Rule { name: "pages", what: pages::WHAT, check: pages::check },
];

/// Checks every rule, and that ARCHITECTURE.md has the picture of today's crates. With `shrink`,
/// entries of the lists that are no longer needed are removed first.
///
/// # Errors
///
/// When a violation is not in the list of its rule, an entry of a list is not a violation, or the
/// picture is out of date.
pub(crate) fn check(shrink: bool) -> Result<()> {
    let mut broken = 0;
    for rule in RULES {
        println!("== house: {}", rule.what);
        let violations = (rule.check)()?;
        let allowed = ratchet::read(rule.name)?;
        let mut verdict = ratchet::compare(&violations, &allowed);
        if shrink && !verdict.stale.is_empty() {
            ratchet::remove(rule.name, &verdict.stale)?;
            verdict.stale.clear();
        }
        for violation in &verdict.new {
            println!("{}", violation.detail);
        }
        for key in &verdict.stale {
            println!("{}: not needed any more: {key}", ratchet::path(rule.name).display());
        }
        if !verdict.stale.is_empty() {
            println!("`cargo xtask house --shrink` removes them.");
        }
        if !allowed.is_empty() {
            println!(
                "{} known exceptions in {}",
                allowed.len(),
                ratchet::path(rule.name).display()
            );
        }
        broken += verdict.new.len() + verdict.stale.len();
    }
    println!("== house: the picture of the crates in ARCHITECTURE.md is that of Cargo's metadata");
    picture::check()?;
    ensure!(broken == 0, "{broken} breaches of the rules of the house");
    Ok(())
}
