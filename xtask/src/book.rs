//! `cargo xtask book`: the documents as pages for the browser, in `target/book`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use testkit::workspace::{self, root, shown, target};

use crate::demo;

/// Makes the pages; from crates.io.
const MDBOOK: [&str; 2] = ["mdbook", "0.5.4"];
/// Pages of mdBook itself: all pages in one, whose links are those of the others, and one that
/// stands for missing pages.
const NOT_FOLLOWED: [&str; 2] = ["print.html", "404.html"];

/// Builds the book with the report of the demo in it, and follows every link between its pages and
/// their sections.
///
/// # Errors
///
/// When a tool cannot be installed, the demo fails, or a link is broken.
pub(crate) fn run() -> Result<()> {
    let tools = target().join("book-tools");
    if !tools.join("bin").join(MDBOOK[0]).exists() {
        let mut install = workspace::cargo(&["install", "--quiet", "--locked", "--root"]);
        install.arg(&tools).args([MDBOOK[0], "--version", MDBOOK[1]]);
        workspace::run(install.args(["--no-default-features", "--features", "search"]))?;
    }
    let report = target().join("demo/report.html");
    if !report.exists() {
        demo::run()?;
    }
    let sources = sources(&report)?;
    let book = target().join("book");
    let mut mdbook = workspace::command(tools.join("bin").join(MDBOOK[0]));
    mdbook.arg("build").arg(sources.path()).arg("--dest-dir").arg(std::path::absolute(&book)?);
    workspace::output(&mut mdbook)?;
    let broken = broken_links(&book)?;
    ensure!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
    println!("{}", shown(&book.join("index.html")));
    Ok(())
}

/// All pages in one folder: README is the first one. Their links to each other become links beside
/// them.
fn sources(report: &Path) -> Result<tempfile::TempDir> {
    let directory = tempfile::tempdir()?;
    let contents = fs::read_to_string(root().join("xtask/book/SUMMARY.md"))?;
    for folder in ["docs", "xtask/book", "."] {
        for entry in fs::read_dir(root().join(folder))? {
            let (name, from) = entry.map(|entry| (entry.file_name(), entry.path()))?;
            let to = directory.path().join(&name);
            if from.extension().is_some_and(|ending| ending == "md") {
                let text = fs::read_to_string(&from)?;
                ensure!(
                    folder != "docs" || contents.contains(&format!("({})", name.display())),
                    "{} is not in xtask/book/SUMMARY.md",
                    from.display()
                );
                // The summary names README itself, and mdBook makes its page the index.
                let summary = name == "SUMMARY.md";
                fs::write(to, if summary { text } else { in_one_folder(&text) })?;
            } else if folder != "." {
                fs::copy(&from, to)?;
            }
        }
    }
    let runtime = fs::read_to_string(root().join("fake-target/README.md"))?;
    fs::write(directory.path().join("runtime.md"), runtime)?;
    fs::copy(report, directory.path().join("report.html"))?;
    Ok(directory)
}

/// A page whose links to other pages are links beside it. mdBook calls README the index. A badge is
/// for the page of the repository.
fn in_one_folder(text: &str) -> String {
    let text = text.split_inclusive('\n').filter(|line| !line.starts_with("[![")).collect();
    [
        ("](docs/", "]("),
        ("](../", "]("),
        ("](fake-target/README.md", "](runtime.md"),
        ("](README.md", "](index.md"),
    ]
    .iter()
    .fold(text, |text: String, (from, to)| text.replace(from, to))
}

/// The links between files of the book that lead nowhere, with the pages that they are on.
fn broken_links(book: &Path) -> Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    for entry in fs::read_dir(book)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".html") && !NOT_FOLLOWED.contains(&name.as_str()) {
            pages.insert(name, fs::read_to_string(&path)?);
        }
    }
    let mut broken = BTreeSet::new();
    for (page, text) in &pages {
        let links = values(text, " href=").chain(values(text, " src="));
        for link in links.filter(|link| !link.contains(':')) {
            let (file, section) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { page } else { file };
            let there = match pages.get(file) {
                // A section with `=` is one that a script reads.
                Some(_) if section.is_empty() || section.contains('=') => true,
                Some(text) => values(text, " id=").any(|id| id == section),
                None => book.join(file).exists(),
            };
            if !there {
                broken.insert(format!("{page}: {link}"));
            }
        }
    }
    Ok(broken.into_iter().collect())
}

/// The values of an attribute.
fn values<'text>(text: &'text str, attribute: &str) -> impl Iterator<Item = &'text str> {
    text.split(attribute).skip(1).filter_map(|rest| rest.strip_prefix('"')?.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere() {
        let book = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(book.path().join(name), text).unwrap();
        write("a.css", "");
        write("a.html", r##"<a href="b.html#x"> <a href="b.html#y"> <a href="#z"> <p id="z">"##);
        write("b.html", r#"<link href="a.css"> <h1 id="x"> <img src="b.svg"> <a href="c:d">"#);
        assert_eq!(broken_links(book.path()).unwrap(), ["a.html: b.html#y", "b.html: b.svg"]);
    }

    #[test]
    fn pages_of_other_folders() {
        let text = "[![CI](../badge.svg)](../actions)\n\
                    [a](docs/a.md) [b](../b.md#c) [d](README.md) [e](fake-target/README.md)";
        assert_eq!(in_one_folder(text), "[a](a.md) [b](b.md#c) [d](index.md) [e](runtime.md)");
    }
}
