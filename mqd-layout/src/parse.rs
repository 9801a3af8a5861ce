//! Reading tables.

use crate::machine::Machine;
use crate::{FORMAT_VERSION, MAX_TEXT};
use core::fmt;

/// The first version of the format with `variant` lines.
const VARIANTS: u64 = 2;

/// A table whose text was checked as a whole.
///
/// The iterators and look-ups below read the text again and cannot fail. Names are not empty and
/// unique, and every field lies in its structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table<'a> {
    text: &'a str,
    library: &'a str,
    variant: Option<&'a str>,
    machine: Machine,
}

/// A structure or union of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Structure<'a> {
    /// Its C name: a typedef's, or the tag without `struct`.
    pub name: &'a str,
    /// Its size in bytes; 0 if the size depends on how the library was configured.
    pub size: u32,
    /// The lines after its own.
    rest: &'a str,
}

/// A field of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its C name.
    pub name: &'a str,
    /// Its offset in bytes.
    pub offset: u32,
    /// Its size in bytes; 0 for an array of unknown length.
    pub size: u32,
}

/// A symbol that is missing in the symbol tables of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its address relative to the start of the image (its ELF header).
    pub offset: u64,
}

/// Why a text is not a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with the line.
    pub problem: Problem,
}

macro_rules! problems {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What is wrong with a line.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Problem { $($(#[$doc])* $name,)* }

        impl Problem {
            /// What is wrong, for people.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

problems! {
    /// The first line is not that of a layout table.
    NotATable = "this is not a layout table: its first line must be \"mqd-layout VERSION\"",
    /// A version newer than [`FORMAT_VERSION`].
    OtherVersion = "this program does not know the table's format version: use a newer program",
    /// More than [`MAX_TEXT`].
    TooLong = "the text is too long: a layout table has at most 64 KiB",
    /// An unknown first word.
    UnknownWord = "no line of a table begins with this word",
    /// A word is missing, or there is one too many.
    WordCount = "the line has too few or too many words",
    /// Not a number, or one out of range.
    NotANumber = "this word must be a number in range: decimal, or hexadecimal after 0x",
    /// Not a build-id.
    NotABuildId = "a build-id is an even number of hexadecimal digits, in lower case",
    /// A second `library`, `variant` or `machine` line, or one of them after the first structure.
    Misplaced = "this line occurs twice, or comes after the first structure",
    /// No `library` line.
    NoLibrary = "a table needs a line \"library NAME\" before its first structure",
    /// No `machine` line.
    NoMachine = "a table needs a line \"machine ...\" before its first structure",
    /// Not a machine's description.
    NotAMachine = "a machine is written as \"machine little-endian int 4 long 8 pointer 8\"",
    /// A field before the first structure.
    FieldWithoutStructure = "a field must come after the line of its structure",
    /// A field beyond the structure's end.
    OutsideStructure = "the field ends beyond the end of its structure",
    /// A name that occurs twice.
    Twice = "this name occurs twice",
    /// A symbol without a build-id.
    SymbolWithoutBuildId = "symbols need a \"build-id\" line, because they belong to one image",
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl core::error::Error for Error {}

/// What a line says.
#[derive(Clone, Copy)]
enum Line<'a> {
    Empty,
    Library(&'a str),
    Variant(&'a str),
    Versions,
    BuildId,
    Machine(Machine),
    Symbol(Symbol<'a>),
    Structure { name: &'a str, size: u32 },
    Field(Field<'a>),
}

impl<'a> Table<'a> {
    /// Reads a text and checks all of it.
    ///
    /// # Errors
    /// The text breaks a rule of the format (`docs/layout-tables.md`). The error names the first
    /// such line.
    pub fn parse(text: &'a str) -> Result<Self, Error> {
        if text.len() > MAX_TEXT {
            return Err(Error { line: 1, problem: Problem::TooLong });
        }
        let mut lines = text.lines().enumerate();
        let version = version(lines.next().map_or("", |(_, line)| line))
            .map_err(|problem| Error { line: 1, problem })?;
        let (mut library, mut variant, mut machine, mut symbol, mut structure) =
            (None, None, None, None, None::<Structure<'a>>);
        for (index, line) in lines {
            let error = |problem| Error { line: index + 1, problem };
            let fail = |problem| Err(error(problem));
            match read(line).map_err(error)? {
                Line::Variant(_) if version < VARIANTS => return fail(Problem::UnknownWord),
                Line::Library(_)
                | Line::Variant(_)
                | Line::Machine(_)
                | Line::Versions
                | Line::BuildId
                    if structure.is_some() =>
                {
                    return fail(Problem::Misplaced);
                }
                Line::Library(name) if library.is_none() => library = Some(name),
                Line::Variant(name) if variant.is_none() => variant = Some(name),
                Line::Machine(given) if machine.is_none() => machine = Some(given),
                Line::Library(_) | Line::Variant(_) | Line::Machine(_) => {
                    return fail(Problem::Misplaced);
                }
                Line::Empty | Line::Versions | Line::BuildId => {}
                Line::Symbol(given) => {
                    if Symbols::before(text, line).any(|symbol| symbol.name == given.name) {
                        return fail(Problem::Twice);
                    }
                    symbol = symbol.or(Some(index + 1));
                }
                Line::Structure { name, size } => {
                    if library.is_none() {
                        return fail(Problem::NoLibrary);
                    }
                    if machine.is_none() {
                        return fail(Problem::NoMachine);
                    }
                    if Structures::before(text, line).any(|structure| structure.name == name) {
                        return fail(Problem::Twice);
                    }
                    structure = Some(Structure { name, size, rest: after(text, line) });
                }
                Line::Field(field) => {
                    let Some(structure) = structure else {
                        return fail(Problem::FieldWithoutStructure);
                    };
                    let end = field.offset.checked_add(field.size);
                    if end.is_none_or(|end| structure.size != 0 && end > structure.size) {
                        return fail(Problem::OutsideStructure);
                    }
                    let before = structure.rest.len() - after(text, line).len() - line.len();
                    if Fields(&structure.rest[..before.min(structure.rest.len())])
                        .any(|other| other.name == field.name)
                    {
                        return fail(Problem::Twice);
                    }
                }
            }
        }
        let end = text.lines().count();
        let library = library.ok_or(Error { line: end, problem: Problem::NoLibrary })?;
        let machine = machine.ok_or(Error { line: end, problem: Problem::NoMachine })?;
        let table = Self { text, library, variant, machine };
        match symbol {
            Some(line) if table.build_ids().next().is_none() => {
                Err(Error { line, problem: Problem::SymbolWithoutBuildId })
            }
            _ => Ok(table),
        }
    }

    /// The text that the table was read from.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The name of the library, for instance `openmpi`.
    pub fn library(&self) -> &'a str {
        self.library
    }

    /// Which build of the release the table is for, for instance `assertions`. None if the builds
    /// do not differ.
    pub fn variant(&self) -> Option<&'a str> {
        self.variant
    }

    /// The machine it is for.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// The releases that the table is for: `4.1.4`, or `4.1` for the whole series.
    pub fn versions(&self) -> Words<'a> {
        Words::new(self.text, "versions")
    }

    /// Whether the table is for this release. A series covers all releases whose version continues
    /// with a character other than a digit: `4.1` covers `4.1.4` and `4.1rc1`, but not `4.10`.
    pub fn has_version(&self, version: &str) -> bool {
        self.versions().any(|known| {
            version
                .strip_prefix(known)
                .is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
        })
    }

    /// The build-ids of the images that the table was made from, in hexadecimal.
    pub fn build_ids(&self) -> Words<'a> {
        Words::new(self.text, "build-id")
    }

    /// Its structures, in their order.
    pub fn structures(&self) -> Structures<'a> {
        Structures(self.text)
    }

    /// A structure by its name.
    pub fn structure(&self, name: &str) -> Option<Structure<'a>> {
        self.structures().find(|structure| structure.name == name)
    }

    /// Its symbols, in their order.
    pub fn symbols(&self) -> Symbols<'a> {
        Symbols(self.text)
    }

    /// The address of a symbol, relative to the start of the image.
    pub fn symbol(&self, name: &str) -> Option<u64> {
        self.symbols().find(|symbol| symbol.name == name).map(|symbol| symbol.offset)
    }
}

impl<'a> Structure<'a> {
    /// Its fields, in their order.
    pub fn fields(&self) -> Fields<'a> {
        Fields(self.rest)
    }

    /// A field by its name.
    pub fn field(&self, name: &str) -> Option<Field<'a>> {
        self.fields().find(|field| field.name == name)
    }
}

/// The structures of a table.
#[derive(Clone, Debug)]
pub struct Structures<'a>(&'a str);

impl<'a> Structures<'a> {
    fn before(text: &'a str, line: &str) -> Self {
        Self(before(text, line))
    }
}

impl<'a> Iterator for Structures<'a> {
    type Item = Structure<'a>;

    fn next(&mut self) -> Option<Structure<'a>> {
        loop {
            let line = next_line(&mut self.0)?;
            if let Ok(Line::Structure { name, size }) = read(line) {
                return Some(Structure { name, size, rest: self.0 });
            }
        }
    }
}

/// The fields of a structure.
#[derive(Clone, Debug)]
pub struct Fields<'a>(&'a str);

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        loop {
            match read(next_line(&mut self.0)?) {
                Ok(Line::Field(field)) => return Some(field),
                Ok(Line::Empty) => {}
                _ => {
                    self.0 = "";
                    return None;
                }
            }
        }
    }
}

/// The symbols of a table.
#[derive(Clone, Debug)]
pub struct Symbols<'a>(&'a str);

impl<'a> Symbols<'a> {
    fn before(text: &'a str, line: &str) -> Self {
        Self(before(text, line))
    }
}

impl<'a> Iterator for Symbols<'a> {
    type Item = Symbol<'a>;

    fn next(&mut self) -> Option<Symbol<'a>> {
        loop {
            let line = next_line(&mut self.0)?;
            if let Ok(Line::Symbol(symbol)) = read(line) {
                return Some(symbol);
            }
        }
    }
}

/// The words of all lines with the same first word.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    text: &'a str,
    first: &'static str,
    words: core::str::SplitAsciiWhitespace<'a>,
}

impl<'a> Words<'a> {
    fn new(text: &'a str, first: &'static str) -> Self {
        Self { text, first, words: "".split_ascii_whitespace() }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            if let Some(word) = self.words.next() {
                return Some(word);
            }
            let mut words = content(next_line(&mut self.text)?).split_ascii_whitespace();
            if words.next() == Some(self.first) {
                self.words = words;
            }
        }
    }
}

/// The version of the format, from the first line.
fn version(line: &str) -> Result<u64, Problem> {
    let mut words = content(line).split_ascii_whitespace();
    match (words.next(), words.next().and_then(number), words.next()) {
        (Some("mqd-layout"), Some(version), None) => (1..=u64::from(FORMAT_VERSION))
            .contains(&version)
            .then_some(version)
            .ok_or(Problem::OtherVersion),
        _ => Err(Problem::NotATable),
    }
}

/// Takes the first line off a text.
fn next_line<'a>(text: &mut &'a str) -> Option<&'a str> {
    if text.is_empty() {
        return None;
    }
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    *text = rest;
    Some(line)
}

/// What comes before a line of `text` (a part of the same string).
fn before<'a>(text: &'a str, line: &str) -> &'a str {
    text.get(..start(text, line)).unwrap_or_default()
}

/// What comes after a line of `text`.
fn after<'a>(text: &'a str, line: &str) -> &'a str {
    text.get(start(text, line) + line.len()..).unwrap_or_default()
}

fn start(text: &str, line: &str) -> usize {
    line.as_ptr().addr() - text.as_ptr().addr()
}

/// A line without its comment.
fn content(line: &str) -> &str {
    line.split('#').next().unwrap_or_default()
}

fn read(line: &str) -> Result<Line<'_>, Problem> {
    let line = content(line);
    let mut words = line.split_ascii_whitespace();
    let Some(first) = words.next() else { return Ok(Line::Empty) };
    let mut word = || words.next().ok_or(Problem::WordCount);
    let read = if line.starts_with(|first: char| first.is_ascii_whitespace()) {
        Line::Field(Field { name: first, offset: small(word()?)?, size: small(word()?)? })
    } else {
        match first {
            "library" => Line::Library(word()?),
            "variant" => Line::Variant(word()?),
            "struct" => Line::Structure { name: word()?, size: small(word()?)? },
            "symbol" => Line::Symbol(Symbol {
                name: word()?,
                offset: number(word()?).ok_or(Problem::NotANumber)?,
            }),
            "machine" => Line::Machine(machine(&mut word)?),
            "versions" => {
                word()?;
                return Ok(Line::Versions);
            }
            "build-id" => {
                let mut id = Some(word()?);
                while let Some(digits) = id {
                    if digits.len() % 2 != 0
                        || !digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
                    {
                        return Err(Problem::NotABuildId);
                    }
                    id = words.next();
                }
                return Ok(Line::BuildId);
            }
            _ => return Err(Problem::UnknownWord),
        }
    };
    if words.next().is_some() { Err(Problem::WordCount) } else { Ok(read) }
}

fn machine<'a>(word: &mut impl FnMut() -> Result<&'a str, Problem>) -> Result<Machine, Problem> {
    let little_endian = match word()? {
        "little-endian" => true,
        "big-endian" => false,
        _ => return Err(Problem::NotAMachine),
    };
    let mut size = |name| match (word()? == name, number(word()?)) {
        (true, Some(size @ (1 | 2 | 4 | 8))) => Ok(size as u8),
        _ => Err(Problem::NotAMachine),
    };
    Ok(Machine { little_endian, int: size("int")?, long: size("long")?, pointer: size("pointer")? })
}

fn number(word: &str) -> Option<u64> {
    let (digits, radix) = word.strip_prefix("0x").map_or((word, 10), |digits| (digits, 16));
    // from_str_radix would take a sign.
    if digits.starts_with(['+', '-']) { None } else { u64::from_str_radix(digits, radix).ok() }
}

/// A size or an offset: no structure has more than this.
fn small(word: &str) -> Result<u32, Problem> {
    number(word)
        .and_then(|value| u32::try_from(value).ok())
        .filter(|value| *value <= 1 << 20)
        .ok_or(Problem::NotANumber)
}
