//! A program of the corpus, and the truth that its first comment states.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::verdict::Ranks;

/// A small program that hangs, or is only slow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name, without the suffix of the file.
    pub name: String,
    /// Its source.
    pub source: PathBuf,
    /// How many ranks it runs with.
    pub ranks: usize,
    /// What happens to it.
    pub truth: Fate,
    /// The ranks that can never go on. Ranks in `MPI_Finalize` are not among them.
    pub stuck: Ranks,
    /// The ranks that can go on or not, as the MPI library likes.
    pub perhaps: Ranks,
    /// The ranks that are to blame; empty if there are none.
    pub culprit: Ranks,
    /// The line of the source that is to blame.
    pub line: Option<usize>,
    /// The names of the MPIs that can run it begin with one of these words. None: all MPIs can.
    only: Option<String>,
}

/// What happens to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Some ranks can never go on.
    Deadlocked,
    /// All ranks can go on, or wait for ones that can.
    NotDeadlocked,
    /// Only ranks that poll for ever can go on.
    Polling,
}

impl Program {
    /// Reads the first comment of a source.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or its first comment lacks something.
    pub fn read(source: &Path) -> Result<Program> {
        let text = fs::read_to_string(source)?;
        // The first comment in C, C++, Fortran and Python.
        let comments = ["/*", " *", "!", "#!", "#"];
        let told: Vec<&str> = text
            .lines()
            .take_while(|line| comments.iter().any(|comment| line.starts_with(comment)))
            .collect();
        let field = |name: &str| {
            let prefixes = [" * ", "! ", "# "];
            let lines = told
                .iter()
                .filter_map(|line| prefixes.iter().find_map(|prefix| line.strip_prefix(prefix)));
            lines
                .filter_map(|line| line.split_once(": "))
                .find_map(|(field, value)| (field == name).then(|| value.trim().to_owned()))
        };
        let here = || format!("the first comment of {}", source.display());
        let needed = |name: &str| field(name).with_context(|| format!("{}: no {name}", here()));
        let truth = match needed("verdict")?.as_str() {
            "deadlocked" => Fate::Deadlocked,
            "not_deadlocked" => Fate::NotDeadlocked,
            "polling" => Fate::Polling,
            other => bail!("{}: no verdict is {other:?}", here()),
        };
        let of = |name: &str| ranks(&field(name).unwrap_or_default()).with_context(here);
        let (stuck, culprit) = (of("stuck")?, of("culprit")?);
        ensure!(stuck.is_empty() != (truth == Fate::Deadlocked), "{}: stuck", here());
        let line = field("line").map(|line| line.parse::<usize>()).transpose()?;
        let blamed = line.map(|line| text.lines().nth(line - 1).unwrap_or_default());
        ensure!(blamed.is_none_or(|code| code.contains('(')), "{}: nothing is called", here());
        Ok(Program {
            name: source.file_stem().context("a program has a name")?.display().to_string(),
            source: source.to_owned(),
            ranks: needed("ranks")?.parse()?,
            truth,
            stuck,
            perhaps: of("perhaps")?,
            culprit,
            line,
            only: field("mpi"),
        })
    }

    /// Can this MPI run it?
    pub fn runs_with(&self, mpi: &str) -> bool {
        self.only
            .as_ref()
            .is_none_or(|only| only.split_whitespace().any(|name| mpi.starts_with(name)))
    }
}

/// Reads ranks: `0-3,7`.
fn ranks(text: &str) -> Result<Ranks> {
    let mut ranks = Ranks::new();
    for range in text.split(',').filter(|range| !range.is_empty()) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        ranks.extend(first.trim().parse::<i64>()?..=last.trim().parse::<i64>()?);
    }
    Ok(ranks)
}
