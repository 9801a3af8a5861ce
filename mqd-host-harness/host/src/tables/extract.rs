//! Making a table from debug information.

use std::path::{Path, PathBuf};

use mqd_layout::{SHIPPED, Table, Writer};

use super::choose::machine;
use super::write_structure;
use mqd_inspect::arch::Arch;
use mqd_inspect::image::{ElfError, Image, find_layout};
use mqd_inspect::types::Layout;

/// The symbol in which Open MPI has its release.
const VERSION: &str = "ompi_version_string";

/// What to make a table of.
#[derive(Clone, Debug, Default)]
pub struct Extract {
    /// Libraries, their debug files, or object files. A structure is taken from the first that
    /// defines it.
    pub files: Vec<PathBuf>,
    /// Directories of split debug files, asked before `/usr/lib/debug`.
    pub debug_dirs: Vec<PathBuf>,
    /// The library's name in the table.
    pub library: String,
    /// The releases that it is for. If empty, the release that the files tell.
    pub versions: Vec<String>,
    /// Further structures, besides those that tables for this library have.
    pub structures: Vec<String>,
}

/// No table could be made.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// A file cannot be used.
    #[error("{}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: ElfError,
    },
    /// The files are for several machines.
    #[error("{}: it is for {found}, the files before it for {others}", path.display())]
    Machine {
        /// The file.
        path: PathBuf,
        /// The machine that it is for.
        found: String,
        /// The machine that the files before it are for.
        others: String,
    },
    /// There is no debug information.
    #[error(
        "there is no debug information in {files}, and no debug file for it: give a file that was \
         compiled with -g, install the debug symbols, name their directory with --debug-dir, or a \
         server in DEBUGINFOD_URLS{warnings}"
    )]
    NoTypes {
        /// The files.
        files: String,
        /// The warnings of the search, each with a semicolon before it.
        warnings: String,
    },
    /// The debug information has none of the structures.
    #[error(
        "the debug information of {files} has none of the structures of {library}: give the files \
         that are compiled from its sources"
    )]
    NothingFound {
        /// The files.
        files: String,
        /// The library.
        library: String,
    },
    /// There are no tables for the library to take the names from.
    #[error("mqd does not know which structures of {library} are wanted: name them with --struct")]
    NoNames {
        /// The library.
        library: String,
    },
    /// The result is not a valid table.
    #[error("no valid table can be made from the debug information ({0})")]
    Invalid(mqd_layout::Error),
}

/// The machine that all files are for, as far as they tell.
fn common_arch(images: &[Image]) -> Result<Option<Arch>, ExtractError> {
    let mut arch: Option<Arch> = None;
    for image in images {
        let theirs = image.arch();
        match (&arch, theirs) {
            (Some(arch), Some(theirs)) if *arch != theirs => {
                return Err(ExtractError::Machine {
                    path: image.path().to_owned(),
                    found: theirs.describe(),
                    others: arch.describe(),
                });
            }
            (None, theirs) => arch = theirs,
            _ => {}
        }
    }
    Ok(arch)
}

/// Makes a table. The second value is what is missing or doubtful, in sentences.
///
/// # Errors
/// A file cannot be used, or the files do not have the structures.
pub fn extract(what: &Extract) -> Result<(String, Vec<String>), ExtractError> {
    let images = what
        .files
        .iter()
        .map(|path| open(path, &what.debug_dirs))
        .collect::<Result<Vec<_>, _>>()?;
    let arch = common_arch(&images)?;
    let files =
        what.files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let has_types = images.iter().filter(|image| image.has_types()).count() > 0;
    let mut warnings: Vec<_> = images.iter().flat_map(Image::debug_file_warnings).collect();
    warnings.dedup();
    let Some(arch) = arch.filter(|_| has_types) else {
        let warnings = warnings.iter().map(|warning| format!("; {warning}")).collect();
        return Err(ExtractError::NoTypes { files, warnings });
    };
    let names = names(&what.library, &what.structures);
    if names.is_empty() {
        return Err(ExtractError::NoNames { library: what.library.clone() });
    }

    let images: Vec<&Image> = images.iter().collect();
    let complete =
        |name: &String| find_layout(name, &images).and_then(|layout| Some((layout.size?, layout)));
    let (found, missing): (Vec<_>, Vec<_>) = names
        .into_iter()
        .map(|name| (complete(&name), name))
        .partition(|(found, _)| found.is_some());
    if found.is_empty() {
        return Err(ExtractError::NothingFound { files, library: what.library.clone() });
    }
    if !missing.is_empty() {
        let names = missing.into_iter().map(|(_, name)| name).collect::<Vec<_>>().join(", ");
        warnings.push(format!(
            "not in the debug information (of this release, or of these files): {names}"
        ));
    }
    let versions = if what.versions.is_empty() {
        version(&images).into_iter().collect()
    } else {
        what.versions.clone()
    };
    let build_ids: Vec<_> = images.iter().filter_map(|image| image.build_id()).collect();
    if versions.is_empty() {
        warnings.push(if build_ids.is_empty() {
            "the table does not say what it is for: the files tell neither a release nor a \
             build-id; name the release with --versions"
                .to_owned()
        } else {
            "the files do not tell their release: the table is for these very files, unless \
             --versions names one"
                .to_owned()
        });
    }
    let names = what
        .files
        .iter()
        .filter_map(|path| path.file_name())
        .map(|name| name.to_string_lossy())
        .collect::<Vec<_>>();
    let text = write(what, &names.join(", "), &arch, &versions, &build_ids, &found)
        .expect("a String takes everything");
    match Table::parse(&text) {
        Ok(_) => Ok((text, warnings)),
        Err(error) => Err(ExtractError::Invalid(error)),
    }
}

type Found = (Option<(u64, Layout)>, String);

fn write(
    what: &Extract,
    files: &str,
    arch: &Arch,
    versions: &[String],
    build_ids: &[&[u8]],
    found: &[Found],
) -> Result<String, std::fmt::Error> {
    let mut writer = Writer::new(String::new(), &what.library, machine(arch))?;
    writer.comment(&format!("Made by mqd layout extract from {files}"))?;
    versions.iter().try_for_each(|version| writer.version(version))?;
    build_ids.iter().try_for_each(|id| writer.build_id(id))?;
    for (layout, name) in found {
        let Some((size, layout)) = layout else { continue };
        let fields = layout.fields.iter();
        let fields = fields.map(|(name, field)| (&**name, [field.offset, field.size.unwrap_or(0)]));
        write_structure(&mut writer, name, *size, fields)?;
    }
    Ok(writer.finish())
}

/// The structures that tables for a library have, and more.
fn names(library: &str, more: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let tables = SHIPPED
        .iter()
        .filter_map(|shipped| Table::parse(shipped.text).ok())
        .filter(|table| table.library() == library);
    let known = tables.flat_map(|table| {
        table.structures().map(|structure| structure.name.to_owned()).collect::<Vec<_>>()
    });
    // Tables have no keywords.
    let bare = |name: &String| {
        name.strip_prefix("struct ")
            .or(name.strip_prefix("union "))
            .unwrap_or(name)
            .trim()
            .to_owned()
    };
    for name in known.chain(more.iter().map(bare)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Opens a file as an image that is not loaded in any process.
///
/// # Errors
/// It cannot be opened, or is not an ELF file.
pub fn open(path: &Path, debug_dirs: &[PathBuf]) -> Result<Image, ExtractError> {
    Image::open(path, debug_dirs).map_err(|why| ExtractError::File { path: path.to_owned(), why })
}

/// The release that a file's version string tells.
pub fn version(images: &[&Image]) -> Option<String> {
    images.iter().find_map(|image| {
        let bytes = image.bytes_of(VERSION)?;
        let end = bytes.iter().position(|byte| *byte == 0)?;
        let text = std::str::from_utf8(&bytes[..end]).ok()?;
        (!text.is_empty() && !text.contains(char::is_whitespace)).then(|| text.to_owned())
    })
}
