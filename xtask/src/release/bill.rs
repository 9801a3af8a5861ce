//! The bill of materials: which crates are in `mqd`, in the format of CycloneDX.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;
use testkit::workspace::{self, root};

use super::tools::Tools;
use super::{VERSION, epoch};

/// Writes `mqd-VERSION.cdx.json`.
pub(super) fn write(tools: &Tools, directory: &Path) -> Result<()> {
    let package = root().join("mqd-host-harness/cli");
    let mut cyclonedx = tools.command("cargo-cyclonedx")?;
    cyclonedx.args(["cyclonedx", "--format", "json", "--override-filename", "mqd-bill"]);
    cyclonedx.arg("--manifest-path").arg(package.join("Cargo.toml"));
    cyclonedx.env("SOURCE_DATE_EPOCH", epoch()?);
    workspace::output(&mut cyclonedx)?;
    // The tool writes beside every manifest of the workspace.
    let made = package.join("mqd-bill.json");
    let text =
        fs::read_to_string(&made).with_context(|| format!("there is no {}", made.display()))?;
    remove_all(root())?;
    fs::write(directory.join(format!("mqd-{VERSION}.cdx.json")), reproducible(&text)?)?;
    Ok(())
}

/// The same bill without what differs from build to build: the place of the sources, the time, and
/// a random number.
fn reproducible(text: &str) -> Result<String> {
    let place = format!("file://{}", root().display());
    let mut bill: Value = serde_json::from_str(&text.replace(&place, "file://"))?;
    let mut date = workspace::command("date");
    let time = workspace::output(date.args(["-u", "+%FT%TZ", "-d", &format!("@{}", epoch()?)]))?;
    bill["metadata"]["timestamp"] = time.trim().into();
    if let Some(fields) = bill.as_object_mut() {
        fields.remove("serialNumber");
    }
    Ok(serde_json::to_string_pretty(&bill)?)
}

fn remove_all(workspace: &Path) -> Result<()> {
    let mut git = workspace::command("git");
    git.current_dir(workspace).args(["clean", "--force", "--quiet", "--", "*mqd-bill.json"]);
    workspace::output(&mut git).map(drop)
}
