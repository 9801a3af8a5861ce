//! Chooses the table for a target.

use std::collections::HashMap;

use mqd_layout::{Machine, Table};

use super::{Agreement, LayoutTable, Shelf, by_classes};
use mqd_inspect::arch::{Arch, hex};
use mqd_inspect::image::Image;
use mqd_inspect::process::Target;
use mqd_inspect::types::{Layout, Member};

/// The MPI libraries that there are tables for: the name in a table, a symbol that only they have,
/// and the symbol of their version string.
const LIBRARIES: [(&str, &str, &str); 2] = [
    ("openmpi", "ompi_mpi_communicators", "ompi_version_string"),
    ("mpich", "PMPIX_Grequest_class_create", "MPII_Version_string"),
];

/// A function that only Intel MPI has. It is made of MPICH, and tells the release of that.
const INTEL: &str = "impi_shm_heap_proxy_init";

/// The MPI library of a target, as tables name it, and its release if it tells.
pub fn identify(target: &Target) -> Option<(&'static str, Option<String>)> {
    let (library, _, version) =
        LIBRARIES.into_iter().find(|(_, symbol, _)| target.find_symbol(symbol).is_some())?;
    if target.find_symbol(INTEL).is_some() {
        return Some((library, None));
    }
    let version =
        target.find_symbol(version).and_then(|symbol| target.read_c_string(symbol.address).ok());
    Some((library, version.filter(|version| !version.is_empty())))
}

/// A table that claims to be for a target. Whether it fits has to be checked.
#[derive(Clone, Debug)]
pub struct Choice<'a> {
    /// The table.
    pub entry: &'a LayoutTable,
    /// Why it was chosen, for people.
    pub reason: String,
    /// Whether it is made from a file that the target has loaded. If not, it is made from a file of
    /// the same release, which may have been configured differently.
    pub exact: bool,
}

/// The table for a target: one made from a file that the target has loaded, or else one for its
/// release.
pub fn choose<'a>(shelf: &'a Shelf, target: &Target) -> Option<Choice<'a>> {
    let build_ids = target.images().iter().filter_map(Image::build_id);
    let release = || identify(target).and_then(|(library, version)| Some((library, version?)));
    choose_for(shelf, machine(target.arch()), build_ids, release)
}

/// The table for these build-ids, or else this library and release.
pub fn choose_for<'a, 'b>(
    shelf: &'a Shelf,
    machine: Machine,
    build_ids: impl Iterator<Item = &'b [u8]>,
    release: impl FnOnce() -> Option<(&'static str, String)>,
) -> Option<Choice<'a>> {
    let tables = || {
        let parsed = shelf.entries.iter().filter_map(|entry| Some((entry, entry.table().ok()?)));
        parsed.filter(|(_, table)| table.machine() == machine)
    };
    let build_ids: Vec<_> = build_ids.map(hex).collect();
    let by_build_id = tables().find_map(|(entry, table)| {
        let id = table.build_ids().find(|id| build_ids.iter().any(|known| known == id))?;
        Some(Choice {
            entry,
            reason: format!("it is made from the file with build-id {id}"),
            exact: true,
        })
    });
    by_build_id.or_else(|| {
        let (library, version) = release()?;
        let mut of_release =
            tables().filter(|(_, table)| table.library() == library && table.has_version(&version));
        let (entry, table) = of_release.next()?;
        let mut reason = format!("it is for {library} {version}");
        // Only the DLL knows which variant the library is.
        let variants = of_release.filter(|(_, other)| other.variant() != table.variant());
        let variants: Vec<_> = variants.map(|(entry, _)| entry.name.as_str()).collect();
        if !variants.is_empty() {
            let names = variants.join(", ");
            reason = format!("{reason}, and so is {names}; the debug DLL takes the one that fits");
        }
        Some(Choice { entry, reason, exact: false })
    })
}

/// The names of the tables for the library of a target, if the library does not tell its release.
/// `None` if it does, or if there are no tables.
pub(crate) fn of_unknown_release(shelf: &Shelf, target: &Target) -> Option<String> {
    let (library, None) = identify(target)? else { return None };
    let is_for = |entry: &&LayoutTable| entry.table().is_ok_and(|table| table.library() == library);
    let names: Vec<_> =
        shelf.entries.iter().filter(is_for).map(|entry| entry.name.as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The machine of a target, in the terms of a layout table.
pub fn machine(arch: &Arch) -> Machine {
    let size = |bytes: u64| u8::try_from(bytes).unwrap_or(0);
    Machine {
        little_endian: arch.is_little_endian(),
        int: size(arch.int_size),
        long: size(arch.long_size),
        pointer: size(arch.pointer_size),
    }
}

/// The table that claims to be for a target is not used.
#[derive(Debug, thiserror::Error)]
#[error(
    "the layout table {table} is not used, although {reason}: {}; `mqd layout extract` makes one \
     from a library with debug information",
    difference.as_deref().unwrap_or("nothing in the process tells whether it fits")
)]
pub(crate) struct Unfit {
    /// The table.
    table: String,
    /// Why it is for the target.
    reason: String,
    /// What does not agree; `None` if nothing could be compared.
    difference: Option<String>,
}

/// Makes a target answer questions about types from the table for it, where it has no debug
/// information. The result is the name of that table.
///
/// # Errors
/// There is a table for the target, and it does not fit.
pub(crate) fn supply(target: &Target) -> Result<Option<String>, Unfit> {
    let shelf = Shelf::load();
    let Some(Choice { entry, reason, exact }) = choose(&shelf, target) else { return Ok(None) };
    // Only Open MPI describes its own structures, so only its tables for a release can be checked
    // here. A table of this very file needs no check.
    let usable = |table: &Table<'_>| exact || table.library() == "openmpi";
    let Some(table) = entry.table().ok().filter(usable) else { return Ok(None) };
    let Agreement { structures, differences, .. } = by_classes(&table, target);
    if differences.len() >= structures + usize::from(exact) {
        let difference = differences.into_iter().next().map(|(_, difference)| difference);
        return Err(Unfit { table: entry.name.clone(), reason, difference });
    }
    let mut layouts = layouts(&table);
    // The configuration of a library can change a structure. Then nothing is known about that
    // structure.
    differences.iter().for_each(|(structure, _)| drop(layouts.remove(structure)));
    target.supply_types(layouts);
    Ok(Some(entry.name.clone()))
}

fn layouts(table: &Table<'_>) -> HashMap<String, Layout> {
    let layout = |structure: mqd_layout::Structure<'_>| {
        let fields = structure.fields().map(|field| {
            let member = Member {
                offset: field.offset.into(),
                size: Some(field.size.into()).filter(|size| *size > 0),
            };
            (field.name.into(), member)
        });
        Layout { size: Some(structure.size.into()), fields: fields.collect() }
    };
    table.structures().map(|structure| (structure.name.to_owned(), layout(structure))).collect()
}
