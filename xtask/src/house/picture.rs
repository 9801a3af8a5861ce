//! The picture of the workspace's crates in ARCHITECTURE.md, generated from Cargo's metadata.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use testkit::workspace::{self, cargo, root};

const BEGIN: &str = "<!-- crates:begin -->\n";
const END: &str = "<!-- crates:end -->\n";

/// What `cargo metadata` says, as far as it is needed here.
#[derive(Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
}

#[derive(Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    dependencies: Vec<Dependency>,
    pub(super) targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// Null: needed to run, not only to build or test.
    kind: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) kind: Vec<String>,
    pub(super) src_path: PathBuf,
}

/// The workspace's packages.
pub(super) fn metadata() -> Result<Metadata> {
    let text = workspace::output(&mut cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    serde_json::from_str(&text).context("cargo metadata wrote something unexpected")
}

/// Writes the picture into ARCHITECTURE.md.
///
/// # Errors
///
/// When the file has no markers, or cannot be written.
pub(crate) fn write() -> Result<()> {
    let page = with(&page()?, &block(&metadata()?))?;
    fs::write(path(), page).with_context(|| format!("cannot write {}", path().display()))
}

/// Checks that the picture in ARCHITECTURE.md is up to date.
pub(super) fn check() -> Result<()> {
    let page = page()?;
    ensure!(
        with(&page, &block(&metadata()?))? == page,
        "the picture of the crates in ARCHITECTURE.md is old; `cargo xtask picture` updates it"
    );
    Ok(())
}

fn path() -> PathBuf {
    root().join("ARCHITECTURE.md")
}

fn page() -> Result<String> {
    fs::read_to_string(path()).with_context(|| format!("cannot read {}", path().display()))
}

/// The page with this block between its markers.
fn with(page: &str, block: &str) -> Result<String> {
    let (before, rest) = page.split_once(BEGIN).context("ARCHITECTURE.md lost its markers")?;
    let (_, after) = rest.split_once(END).context("ARCHITECTURE.md lost its second marker")?;
    Ok(format!("{before}{BEGIN}{block}{END}{after}"))
}

/// The picture: an arrow from each package to each of its dependencies. It is dotted if only tests
/// or the build script need the dependency. A dependency that a longer path reaches has no arrow.
fn block(metadata: &Metadata) -> String {
    let names: BTreeSet<&str> =
        metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let mut arrows = BTreeSet::new();
    for package in &metadata.packages {
        for dependency in &package.dependencies {
            if names.contains(dependency.name.as_str()) {
                let solid = dependency.kind.is_none();
                arrows.insert((package.name.as_str(), dependency.name.as_str(), solid));
            }
        }
    }
    let mut text = "```mermaid\ngraph TD\n".to_owned();
    for name in &names {
        if !arrows.iter().any(|(from, to, _)| from == name || to == name) {
            let _ = writeln!(text, "    {name}");
        }
    }
    for (from, to, solid) in &arrows {
        // A dependency of both kinds is drawn once.
        if *solid || !arrows.contains(&(from, to, true)) {
            let arrow = if *solid { "-->" } else { "-.->" };
            let _ = writeln!(text, "    {from} {arrow} {to}");
        }
    }
    text + "```\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        let dependencies = dependencies.iter().map(|(name, kind)| Dependency {
            name: (*name).to_owned(),
            kind: kind.map(str::to_owned),
        });
        Package { name: name.to_owned(), dependencies: dependencies.collect(), targets: Vec::new() }
    }

    #[test]
    fn arrows_are_dependencies_within_the_workspace() {
        let metadata = Metadata {
            packages: vec![
                package("top", &[("below", None), ("below", Some("dev")), ("serde", None)]),
                package("below", &[("beside", Some("dev"))]),
                package("beside", &[]),
                package("alone", &[("libc", None)]),
            ],
        };
        assert_eq!(
            block(&metadata),
            "```mermaid\ngraph TD\n    alone\n    below -.-> beside\n    top --> below\n```\n"
        );
    }

    #[test]
    fn the_block_replaces_what_was_there() {
        let page = format!("before\n{BEGIN}old\n{END}after\n");
        let new = with(&page, "new\n").expect("the markers are there");
        assert_eq!(new, format!("before\n{BEGIN}new\n{END}after\n"));
        assert!(with("no markers", "new\n").is_err());
    }
}
