//! Making a table from a release's headers, with a C compiler.
//!
//! The compiler tells the sizes and offsets as constants in an object file, which is read and never
//! run. So a compiler for another machine will do.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

use mqd_layout::{Machine, Table, Writer};
use object::{Object, ObjectSection, ObjectSymbol};

use super::write_structure;

/// The array of constants in the object file.
const FACTS: &str = "mqd_facts";

/// What to make a table of.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The C compiler.
    pub compiler: PathBuf,
    /// Its arguments, such as `-Iinclude` and `-DNDEBUG`.
    pub flags: Vec<String>,
    /// The headers: files, or names that the compiler finds. They are included in this order.
    pub headers: Vec<PathBuf>,
    /// The releases that the table is for.
    pub versions: Vec<String>,
    /// The variant of the library that it is for, if releases have several.
    pub variant: Option<String>,
}

/// No table could be made.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The compiler cannot be started.
    #[error("cannot run the C compiler {}: {why}; name another one with --cc", compiler.display())]
    Compiler {
        /// The compiler.
        compiler: PathBuf,
        /// Why not.
        why: io::Error,
    },
    /// The headers alone cannot be compiled.
    #[error(
        "the headers cannot be compiled:\n{said}\nGive the compiler the flags that the library is \
         compiled with, after `--`: -I, -D and the like. Headers of a source tree often need the \
         files that `configure` writes"
    )]
    Headers {
        /// What the compiler said.
        said: String,
    },
    /// The headers have none of the structures.
    #[error(
        "the headers have none of the structures of the table {like}: add the headers that define \
         them, or name another table with --like"
    )]
    NothingFound {
        /// The table that has the names.
        like: String,
    },
    /// A temporary file.
    #[error("cannot write a temporary file: {0}")]
    Temporary(io::Error),
    /// The object file is not what was asked for.
    #[error("the C compiler has not written an object file with the sizes")]
    Object,
    /// The result is not a valid table.
    #[error("no valid table can be made from the headers ({0})")]
    Invalid(mqd_layout::Error),
}

/// A structure of the new table: its name, its size, and its fields with offsets and sizes.
type Structure<'t> = (&'t str, u64, Vec<(&'t str, [u64; 2])>);

/// Makes a table with the structures and fields of another one. The second value is what the
/// headers lack, in sentences.
///
/// # Errors
/// The compiler cannot be run, or the headers do not have the structures.
pub fn probe(
    what: &Probe,
    like: &Table<'_>,
    name: &str,
) -> Result<(String, Vec<String>), ProbeError> {
    let directory = tempfile::tempdir().map_err(ProbeError::Temporary)?;
    let compiler = Compiler { what, directory: directory.path() };
    let machine = compiler.machine()?;
    let mut missing: Vec<_> = like.symbols().map(|symbol| symbol.name.to_owned()).collect();
    let mut structures: Vec<Structure<'_>> = Vec::new();
    for structure in like.structures() {
        let Some((spelling, size)) = compiler.size_of(structure.name)? else {
            missing.push(structure.name.to_owned());
            continue;
        };
        let names: Vec<_> = structure.fields().map(|field| field.name).collect();
        let questions: Vec<_> = names.iter().map(|field| member(&spelling, field)).collect();
        let mut fields = Vec::new();
        for (field, answer) in names.into_iter().zip(compiler.ask(&questions)?) {
            match answer {
                Some(answer) => fields.push((field, answer)),
                None => missing.push(format!("{}.{field}", structure.name)),
            }
        }
        structures.push((structure.name, size, fields));
    }
    if structures.is_empty() {
        return Err(ProbeError::NothingFound { like: name.to_owned() });
    }
    let text = write(what, like.library(), machine, &structures);
    let text = text.expect("a String takes everything");
    Table::parse(&text).map_err(ProbeError::Invalid)?;
    let lack = (!missing.is_empty()).then(|| format!("not in the headers: {}", missing.join(", ")));
    Ok((text, lack.into_iter().collect()))
}

/// Two numbers that the compiler is asked for, as expressions of C.
type Question = [String; 2];

/// The offset and the size of a member.
fn member(structure: &str, field: &str) -> Question {
    [format!("offsetof({structure}, {field})"), format!("sizeof(((({structure} *)0)->{field}))")]
}

fn write(
    what: &Probe,
    library: &str,
    machine: Machine,
    structures: &[Structure<'_>],
) -> Result<String, std::fmt::Error> {
    let mut writer = match &what.variant {
        Some(variant) => Writer::with_variant(String::new(), library, variant, machine)?,
        None => Writer::new(String::new(), library, machine)?,
    };
    let headers: Vec<_> = what.headers.iter().map(|path| path.display().to_string()).collect();
    writer.comment(&format!("Made by mqd layout probe from {}", headers.join(", ")))?;
    what.versions.iter().try_for_each(|version| writer.version(version))?;
    for (name, size, fields) in structures {
        write_structure(&mut writer, name, *size, fields.iter().copied())?;
    }
    Ok(writer.finish())
}

/// The compiler, and a directory for its object files.
struct Compiler<'p> {
    what: &'p Probe,
    directory: &'p Path,
}

impl Compiler<'_> {
    /// The machine that it compiles for. Finds out, too, whether the headers can be compiled.
    fn machine(&self) -> Result<Machine, ProbeError> {
        let sizes = [["sizeof(int)", "sizeof(long)"], ["sizeof(void *)", "0"]];
        let questions = sizes.map(|pair| pair.map(str::to_owned));
        let object = match self.compile(&questions)? {
            Ok(object) => object,
            Err(said) => return Err(ProbeError::Headers { said }),
        };
        let little_endian =
            object::File::parse(&*object).map_err(|_| ProbeError::Object)?.is_little_endian();
        let facts = facts(&object, questions.len())?;
        let [[int, long], [pointer, _]] = facts[..] else { return Err(ProbeError::Object) };
        let small = |number: u64| u8::try_from(number).map_err(|_| ProbeError::Object);
        Ok(Machine {
            little_endian,
            int: small(int)?,
            long: small(long)?,
            pointer: small(pointer)?,
        })
    }

    /// How a structure of a table is written in C, and its size. Tables have no keywords.
    fn size_of(&self, name: &str) -> Result<Option<(String, u64)>, ProbeError> {
        for keyword in ["", "struct ", "union "] {
            let spelling = format!("{keyword}{name}");
            // The second does not compile if it is the name of a function or variable.
            let question = [format!("sizeof({spelling})"), format!("sizeof({spelling} *)")];
            if let [Some([size, _])] = self.ask(&[question])?[..] {
                return Ok(Some((spelling, size)));
            }
        }
        Ok(None)
    }

    /// The answers to questions; None for those that do not compile.
    fn ask(&self, questions: &[Question]) -> Result<Vec<Option<[u64; 2]>>, ProbeError> {
        if questions.is_empty() {
            return Ok(Vec::new());
        }
        if let Ok(object) = self.compile(questions)? {
            return Ok(facts(&object, questions.len())?.into_iter().map(Some).collect());
        }
        // One of them is wrong: halves find it in few steps.
        if questions.len() == 1 {
            return Ok(vec![None]);
        }
        let (first, second) = questions.split_at(questions.len() / 2);
        Ok([self.ask(first)?, self.ask(second)?].concat())
    }

    /// The object file with the answers to questions, or what the compiler said.
    fn compile(&self, questions: &[Question]) -> Result<Result<Vec<u8>, String>, ProbeError> {
        let Probe { compiler, flags, headers, .. } = self.what;
        let mut source = "#include <stddef.h>\n".to_owned();
        for header in headers {
            // A file is meant from where the user is, and the compiler may look elsewhere.
            let path = header.canonicalize().unwrap_or_else(|_| header.clone());
            let _ = writeln!(source, "#include \"{}\"", path.display());
        }
        let numbers = questions.as_flattened().join(",\n  ");
        let _ = writeln!(source, "const unsigned long long {FACTS}[] = {{\n  {numbers} }};");
        let [input, output] = ["facts.c", "facts.o"].map(|name| self.directory.join(name));
        fs::write(&input, source).map_err(ProbeError::Temporary)?;
        let mut command = Command::new(compiler);
        command.args(flags).arg("-c").arg(&input).arg("-o").arg(&output).stdin(Stdio::null());
        let done = command
            .output()
            .map_err(|why| ProbeError::Compiler { compiler: compiler.clone(), why })?;
        if !done.status.success() {
            return Ok(Err(String::from_utf8_lossy(&done.stderr).trim_end().to_owned()));
        }
        fs::read(&output).map(Ok).map_err(|_| ProbeError::Object)
    }
}

/// The constants in an object file.
fn facts(object: &[u8], count: usize) -> Result<Vec<[u64; 2]>, ProbeError> {
    try_facts(object, count).ok_or(ProbeError::Object)
}

fn try_facts(object: &[u8], count: usize) -> Option<Vec<[u64; 2]>> {
    let file = object::File::parse(object).ok()?;
    // Some systems put an underscore before the names of C.
    let is_it = |name: &str| name.trim_start_matches('_') == FACTS;
    let symbol = file.symbols().find(|symbol| symbol.name().is_ok_and(is_it))?;
    let section = file.section_by_index(symbol.section_index()?).ok()?;
    let data = section.data_range(symbol.address(), (16 * count) as u64).ok()??;
    let number = |bytes: &[u8]| {
        let bytes: [u8; 8] = bytes.try_into().ok()?;
        let is_little = file.is_little_endian();
        Some(if is_little { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) })
    };
    data.chunks_exact(16).map(|pair| Some([number(&pair[..8])?, number(&pair[8..])?])).collect()
}
