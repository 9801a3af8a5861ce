//! Layout tables as a source of layouts.

use crate::error::{Code, Error, Result};
use crate::layout::Types;
use mqd_layout::{Structure, Table};
use std::ffi::CStr;

/// The tables that are part of the library: one for each series, since its releases share their structures.
pub(super) const BUILT_IN: [&str; 2] =
    [include_str!("../../../layouts/openmpi-5.0.layout"), include_str!("../../../layouts/openmpi-4.1.layout")];

/// A table, for the readers the same as a debugger's types.
pub(super) struct TableTypes<'a>(pub(super) Table<'a>);

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
