//! Writing tables.

use crate::machine::Machine;
use core::fmt;

/// The version of tables without a `variant` line, which older programs read as well.
const WRITTEN_VERSION: u32 = 1;

/// The version of tables with a `variant` line.
const VERSION_WITH_VARIANTS: u32 = 2;

/// Writes a table line by line. The order of the methods below is the order of the lines.
///
/// Each method fails only if the output fails.
///
/// ```
/// use mqd_layout::{Machine, Table, Writer};
///
/// let machine = Machine { little_endian: true, int: 4, long: 8, pointer: 8 };
/// let mut writer = Writer::new(String::new(), "openmpi", machine)?;
/// writer.version("4.1.4")?;
/// writer.structure("opal_list_item_t", 40)?;
/// writer.field("opal_list_next", 16, 8)?;
/// let text = writer.finish();
/// assert_eq!(Table::parse(&text).map(|table| table.library()), Ok("openmpi"));
/// # Ok::<(), core::fmt::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer<W>(W);

impl<W: fmt::Write> Writer<W> {
    /// Begins a table for a library on a machine.
    pub fn new(mut out: W, library: &str, machine: Machine) -> Result<Self, fmt::Error> {
        writeln!(out, "mqd-layout {WRITTEN_VERSION}")?;
        writeln!(out, "library {library}")?;
        Self(out).machine(machine)
    }

    /// Begins a table for a variant of a library. Such tables need a newer `mqd`.
    pub fn with_variant(
        mut out: W,
        library: &str,
        variant: &str,
        machine: Machine,
    ) -> Result<Self, fmt::Error> {
        writeln!(out, "mqd-layout {VERSION_WITH_VARIANTS}")?;
        writeln!(out, "library {library}")?;
        writeln!(out, "variant {variant}")?;
        Self(out).machine(machine)
    }

    fn machine(mut self, machine: Machine) -> Result<Self, fmt::Error> {
        let Machine { little_endian, int, long, pointer } = machine;
        let order = if little_endian { "little" } else { "big" };
        writeln!(self.0, "machine {order}-endian int {int} long {long} pointer {pointer}")?;
        Ok(self)
    }

    /// A comment.
    pub fn comment(&mut self, text: &str) -> fmt::Result {
        writeln!(self.0, "# {text}")
    }

    /// A release, or a series of releases, that the table is for.
    pub fn version(&mut self, version: &str) -> fmt::Result {
        writeln!(self.0, "versions {version}")
    }

    /// The build-id of an image that the table is for.
    pub fn build_id(&mut self, id: &[u8]) -> fmt::Result {
        self.0.write_str("build-id ")?;
        id.iter().try_for_each(|byte| write!(self.0, "{byte:02x}"))?;
        self.0.write_char('\n')
    }

    /// A symbol, by its address relative to the start of the image.
    pub fn symbol(&mut self, name: &str, offset: u64) -> fmt::Result {
        writeln!(self.0, "symbol {name} {offset:#x}")
    }

    /// A structure; its fields follow.
    pub fn structure(&mut self, name: &str, size: u32) -> fmt::Result {
        writeln!(self.0, "\nstruct {name} {size}")
    }

    /// A field of the structure above it.
    pub fn field(&mut self, name: &str, offset: u32, size: u32) -> fmt::Result {
        writeln!(self.0, "  {name} {offset} {size}")
    }

    /// Ends the table.
    pub fn finish(self) -> W {
        self.0
    }
}
