//! The files of the project.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use testkit::workspace::{self, root};

/// A file of the project.
#[derive(Clone, Debug)]
pub(super) struct File {
    /// Below the workspace's root.
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl File {
    /// What comes after the last dot of its name.
    pub(super) fn extension(&self) -> &str {
        self.path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
    }
}

/// The files with these extensions that git tracks, or would add.
///
/// # Errors
///
/// When this is no git repository, or a file cannot be read.
pub(super) fn with_extensions(extensions: &[&str]) -> Result<Vec<File>> {
    let mut git = workspace::command("git");
    git.current_dir(root()).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let list = workspace::output(&mut git).context("the project's files are those of git")?;
    let mut files = Vec::new();
    for path in list.split('\0').map(Path::new) {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let whole = root().join(path);
        // A file that was removed and not yet committed is listed too.
        if extension.is_some_and(|extension| extensions.contains(&extension)) && whole.is_file() {
            let text = std::fs::read_to_string(&whole)
                .with_context(|| format!("cannot read {}", path.display()))?;
            files.push(File { path: path.to_owned(), text });
        }
    }
    ensure!(!files.is_empty(), "there are no files *.{}", extensions.join(", *."));
    Ok(files)
}
