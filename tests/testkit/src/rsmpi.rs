//! The examples of `mpi`, the crate for MPI in Rust (rsmpi), on the companion runtime: from its
//! release on crates.io, built with the `mpicc` of a prefix.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::packages;
use crate::prefix::Prefix;
use crate::workspace::{self, cargo, target};

/// The release.
const VERSION: &str = "0.8.2";

/// The examples, built. Each checks its own results.
pub struct Examples {
    mpiexec: PathBuf,
    libraries: PathBuf,
    /// The programs, by name.
    programs: Vec<PathBuf>,
}

impl Examples {
    /// Builds the examples under the target directory: a minute at first.
    ///
    /// # Errors
    ///
    /// When something cannot be fetched, or cannot be built.
    pub fn new(prefix: &Prefix) -> Result<Examples> {
        packages::ensure(&["libclang-dev"]); // The crate reads `mpi.h` by it.
        let directory = target().join(format!("rsmpi-{VERSION}"));
        fs::create_dir_all(&directory)?;
        let sources = directory.join("sources");
        if !sources.join("Cargo.toml").is_file() {
            unpack(&directory, &sources)?;
        }
        let built = directory.join("built");
        let mut build = cargo(&["build", "--examples", "--all-features", "--locked", "--quiet"]);
        build.current_dir(&sources).env("CARGO_TARGET_DIR", &built);
        // It takes the first `mpicc`. Information for debuggers would double the time.
        let bin = prefix.directory.join("bin").display().to_string();
        let path = std::env::var("PATH").unwrap_or_default();
        build.env("PATH", format!("{bin}:{path}")).env("CARGO_PROFILE_DEV_DEBUG", "0");
        workspace::output(&mut build)?;
        let mut programs: Vec<PathBuf> = fs::read_dir(sources.join("examples"))?
            .map(|entry| {
                let source = entry?.path();
                let name = source.file_stem().context("an example has a name")?;
                Ok(built.join("debug/examples").join(name))
            })
            .collect::<Result<_>>()?;
        programs.sort();
        let (mpiexec, libraries) = (prefix.program("mpiexec"), prefix.directory.join("lib"));
        Ok(Examples { mpiexec, libraries, programs })
    }

    /// Runs all of them with this many ranks, one after the other. Returns how many there are.
    ///
    /// # Errors
    ///
    /// When one fails; with its output.
    pub fn run(&self, ranks: usize) -> Result<usize> {
        for program in &self.programs {
            let mut command = workspace::command(&self.mpiexec);
            command.args(["-n", &ranks.to_string(), "-timeout", "300"]).arg(program);
            let output = command.env("LD_LIBRARY_PATH", &self.libraries).output()?;
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr);
                let name = workspace::shown(program);
                bail!("{name} with {ranks} ranks: {}\n{said}", output.status);
            }
        }
        Ok(self.programs.len())
    }
}

/// Has cargo fetch the release, and copies it to a directory of its own.
fn unpack(directory: &Path, sources: &Path) -> Result<()> {
    let project = tempfile::tempdir_in(directory)?;
    let manifest = project.path().join("Cargo.toml");
    let text = format!(
        "[package]\nname = \"fetch\"\nedition = \"2024\"\n\n[workspace]\n\n[lib]\npath = \
         \"lib.rs\"\n\n[dependencies]\nmpi = \"={VERSION}\"\n"
    );
    fs::write(&manifest, text)?;
    fs::write(project.path().join("lib.rs"), "")?;
    let mut metadata = cargo(&["metadata", "--format-version", "1", "--quiet"]);
    let metadata: Value = workspace::json(metadata.arg("--manifest-path").arg(&manifest))?;
    let mut packages = metadata["packages"].as_array().into_iter().flatten();
    let fetched = packages
        .find(|package| package["name"] == "mpi")
        .and_then(|package| Path::new(package["manifest_path"].as_str()?).parent())
        .context("cargo metadata does not name the crate mpi")?;
    let copy = project.path().join("sources");
    workspace::output(workspace::command("cp").arg("-r").arg(fetched).arg(&copy))?;
    // It is no member of the workspace around it.
    let manifest = copy.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)?;
    fs::write(&manifest, text + "\n[workspace]\n")?;
    Ok(fs::rename(&copy, sources)?)
}
