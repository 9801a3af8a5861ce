//! `cargo xtask book`: the documents as pages for the browser, in `target/book`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use testkit::workspace::{self, root, shown, target};

use crate::demo;

/// Makes the pages; from crates.io.
const MDBOOK: [&str; 2] = ["mdbook", "0.5.4"];
/// Follows links; from PyPI.
const LINKCHECKER: &str = "LinkChecker==10.6.0";

/// Builds the book with the report of the demo in it, and follows every link between its pages.
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
    follow_links(&tools, &book)?;
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
                fs::write(to, text.replace("](docs/", "](").replace("](../", "]("))?;
            } else if folder != "." {
                fs::copy(&from, to)?;
            }
        }
    }
    fs::copy(report, directory.path().join("report.html"))?;
    Ok(directory)
}

fn follow_links(tools: &Path, book: &Path) -> Result<()> {
    let python = tools.join("python");
    let checker = python.join("bin/linkchecker");
    if !checker.exists() {
        workspace::output(workspace::command("python3").args(["-m", "venv"]).arg(&python))
            .context("the book takes python3-venv (Debian: apt-get install python3-venv)")?;
        let mut pip = workspace::command(python.join("bin/pip"));
        workspace::output(pip.args(["install", "--quiet", LINKCHECKER]))?;
    }
    let mut follow = workspace::command(checker);
    follow.args(["--no-status", "--no-warnings", "--ignore-url", "^https?:"]);
    workspace::output(follow.arg(book.join("index.html"))).map(drop)
}
