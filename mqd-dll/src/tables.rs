//! Layout tables: which ones are tried, and a table as a source of layouts.

use crate::debugger::Target;
use crate::elf::{BuildId, build_id};
use crate::environment;
use crate::error::{Code, Error, Result};
use crate::files::LayoutDirectory;
use crate::memory::Memory;
use crate::text::Text;
use crate::types::Types;
use mqd_layout::{Machine, SHIPPED, Structure, Table};
use std::ffi::CStr;

/// The name of a table without the ending of its file.
pub(crate) type TableName = Text<48>;

/// The ending of the file of a table.
const SUFFIX: &str = ".layout";

/// Calls `fits` with tables for a library until it accepts one. First come those in the user's
/// directory, which are named after the build-id, the release, the series or the library. Then come
/// the shipped ones, those for the release before the others.
///
/// `anchor` is an address in the library's image. The result has the name of the table that was
/// accepted. None: `fits` has accepted no table. Errors are those of `fits`, or that a table of the
/// user cannot be used.
pub(crate) fn choose<T>(
    memory: &mut Memory<'_>,
    library: &str,
    version: Option<&str>,
    anchor: u64,
    mut fits: impl FnMut(&mut Memory<'_>, Table<'_>) -> Result<Option<T>>,
) -> Result<Option<(T, TableName)>> {
    let mut bad = None;
    if let Some(directory) = LayoutDirectory::named()? {
        let id = build_id(memory, anchor)?;
        for name in names(library, version, id.as_ref()).into_iter().flatten() {
            match directory.read(name.as_bytes()) {
                Ok(None) => {}
                Ok(Some(text)) => match parse(library, &text) {
                    Ok(table) => {
                        if let Some(taken) = fits(memory, table)? {
                            let plain = name.as_bytes().strip_suffix(SUFFIX.as_bytes());
                            return Ok(Some((taken, named(plain.unwrap_or_default()))));
                        }
                    }
                    Err(error) => bad = bad.or(Some(error)),
                },
                Err(error) if error.code == Code::BadTable => bad = bad.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
    }
    let orders: &[bool] = if environment::wants(environment::ONLY) { &[] } else { &[true, false] };
    for for_version in orders.iter().copied() {
        for shipped in SHIPPED.iter().filter(|shipped| shipped.name.starts_with(library)) {
            let Ok(table) = Table::parse(shipped.text) else { continue };
            let is_for_version = version.is_some_and(|version| table.has_version(version));
            if table.library() == library
                && is_for_version == for_version
                && let Some(taken) = fits(memory, table)?
            {
                return Ok(Some((taken, named(shipped.name.as_bytes()))));
            }
        }
    }
    bad.map_or(Ok(None), Err)
}

fn named(name: &[u8]) -> TableName {
    let mut text = Text::EMPTY;
    text.append(name);
    text
}

/// The names of files that may hold a table for this library.
fn names(library: &str, version: Option<&str>, id: Option<&BuildId>) -> [Option<Text<160>>; 4] {
    // The version comes from the target and must not become a path.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte);
    let version = version.filter(|version| version.bytes().all(plain));
    let series = version.and_then(|version| {
        let end = version.match_indices('.').nth(1).map(|(end, _)| end)?;
        version.get(..end)
    });
    let of_release = |release| Text::format(format_args!("{library}-{release}{SUFFIX}"));
    let of_id = |id: &BuildId| {
        let mut name = Text::EMPTY;
        id.bytes()
            .iter()
            .for_each(|byte| name.append(Text::<3>::format(format_args!("{byte:02x}")).as_bytes()));
        name.append(SUFFIX.as_bytes());
        name
    };
    let of_library = Text::format(format_args!("{library}{SUFFIX}"));
    [id.map(of_id), version.map(of_release), series.map(of_release), Some(of_library)]
}

fn parse<'a>(library: &str, text: &'a [u8]) -> Result<Table<'a>> {
    let text = std::str::from_utf8(text)
        .map_err(|_| Error::on(Code::BadTable, "the file is not UTF-8 text"))?;
    let table =
        Table::parse(text).map_err(|error| Error::on(Code::BadTable, error.problem.text()))?;
    if table.library() == library {
        Ok(table)
    } else {
        Err(Error::on(Code::BadTable, "the table is for another library"))
    }
}

/// Has the target the word sizes that the table is for?
pub(crate) fn is_for_target(table: Table<'_>, target: &Target) -> bool {
    let Machine { int, pointer, .. } = table.machine();
    (usize::from(int), usize::from(pointer)) == (target.int, target.pointer)
}

/// The layout that a table gives for the machine of the target. None: it is for another machine, or
/// it is a table of the user that lacks something.
pub(crate) fn layout_for_target<L>(
    memory: &Memory<'_>,
    table: Table<'_>,
    resolve: impl FnOnce(&TableTypes<'_>) -> Result<L>,
) -> Result<Option<L>> {
    if !is_for_target(table, memory.target) {
        return Ok(None);
    }
    match resolve(&TableTypes(table)) {
        Err(error) if error.code == Code::NoLayout => Ok(None),
        layout => layout.map(Some),
    }
}

/// A table, which readers use like a debugger's types.
pub(crate) struct TableTypes<'a>(pub(crate) Table<'a>);

fn text(name: &'static CStr) -> &'static str {
    name.to_str().unwrap_or_default()
}

impl<'a> Types for TableTypes<'a> {
    type Type = (Structure<'a>, &'static str);

    fn find(&self, name: &'static CStr) -> Result<Self::Type> {
        let name = text(name);
        let structure = self.0.structure(name).ok_or(Error::on(Code::NoLayout, name))?;
        Ok((structure, name))
    }

    fn size(&self, (structure, _): Self::Type) -> Result<usize> {
        Ok(structure.size as usize)
    }

    fn offset(&self, (structure, name): Self::Type, field: &'static CStr) -> Result<usize> {
        let field = text(field);
        let found = structure.field(field).ok_or(Error::on(Code::NoLayout, name).part(field))?;
        Ok(found.offset as usize)
    }
}
