//! Gathers the descriptions of control variables, which stand in files `variables.rs` beside the
//! code that uses them (MPI 3.1, section 14.3.6).
//!
//! A description is an invocation of `crate::variables::describe::cvar!`, a category one of
//! `crate::variables::describe::category!`; both begin and end a line of their own. Inside are
//! lines `field: value`; a text in quotes may span several lines. [`FIELDS`] and
//! [`CATEGORY_FIELDS`] list the fields.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The fields of a variable, and whether each is required.
const FIELDS: &[(&str, bool)] = &[
    ("name", true),        // without the prefix MQDRT_CVAR_
    ("category", true),    // the name of a category, declared in any file
    ("type", true),        // int, boolean, double, string, range or enum
    ("default", true),     // of a string: NULL or a text in quotes; of a range: low:high
    ("class", true),       // device: the transport's business, or none
    ("verbosity", true),   // MPI_T_VERBOSITY_ without the prefix
    ("scope", true),       // MPI_T_SCOPE_ without the prefix
    ("description", true), // in quotes
    ("writable", true),    /* always; before_init: until MPI_Init; outside_collectives: while
                            * no collective operation is under way */
    ("alt_env", false), // other names in the environment, separated by commas
    ("range", false),   /* low:high, both included; of an int, a double or both ends of a
                         * range */
    ("values", false), // of an enum: names, separated by commas; the first has the value 0
    ("communicator", false), /* the variable is bound to communicators, its storage this field of
                        * their Context */
];

/// The fields of a category.
const CATEGORY_FIELDS: &[(&str, bool)] =
    &[("name", true), ("description", true), ("parent", false)];

/// The MQDRT_ variables by which the launcher talks to a rank. They are not control variables.
const RESERVED: &[&str] = &[
    "RANK",
    "SIZE",
    "SEGMENT_FD",
    "GATE_FD",
    "LIFE_FD",
    "LIBDIR",
    "LAUNCHER_PID",
    "INITIAL_ERRHANDLER",
];

const PREFIX: &str = "MQDRT_CVAR_";

/// One description, with its place in the source.
struct Block {
    place: String,
    fields: BTreeMap<String, String>,
}

impl Block {
    fn get(&self, field: &str) -> &str {
        self.fields.get(field).map_or("", String::as_str)
    }

    fn error(&self, what: impl std::fmt::Display) -> String {
        format!("{}: {what}", self.place)
    }
}

/// The Rust sources made from the descriptions.
pub(crate) struct Generated {
    /// The storage of the variables, for the code that uses them.
    pub(crate) variables: String,
    /// The categories, and their numbers by name.
    pub(crate) categories: String,
    /// The metadata of the variables, for the tool information interface.
    pub(crate) table: String,
}

/// Makes the Rust sources from source files (their paths as people should see them, and their
/// texts).
///
/// # Errors
/// A text that names the description and its mistake: a field that is missing, unknown or not
/// well-formed, an unknown category, or a name that is used twice.
pub(crate) fn generate(files: &[(String, String)]) -> Result<Generated, String> {
    let categories = Categories(gather(files, "category", CATEGORY_FIELDS)?);
    let variables = gather(files, "cvar", FIELDS)?;
    check_environment(&variables)?;
    let mut statics = String::from(TOP);
    let mut rows = String::new();
    for variable in &variables {
        let storage = storage(variable).map_err(|what| variable.error(what))?;
        let (name, kind) = (variable.get("name"), storage.kind);
        writeln!(
            statics,
            "\n/// {}\npub(crate) static {name}: {kind} = {kind}::new({});",
            variable.get("description"),
            storage.default
        )
        .unwrap();
        let (category, whose) = (variable.get("category"), format!(" for {name}"));
        rows += &row(variable, categories.number_of(variable, category, &whose)?, &storage.value)?;
    }
    let table = format!(
        "{TOP}\n/// The control variables, sorted by their names.\npub(crate) static TABLE: \
         &[Cvar] = &[\n{rows}];\n"
    );
    Ok(Generated { variables: statics, categories: categories.source()?, table })
}

const TOP: &str = "// Gathered from the descriptions in the source files.\n";

/// The descriptions in all files, sorted by their names.
fn gather(
    files: &[(String, String)],
    keyword: &str,
    fields: &[(&str, bool)],
) -> Result<Vec<Block>, String> {
    let found = files.iter().map(|(path, text)| blocks(path, text, keyword, fields));
    let mut all: Vec<Block> = found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    all.sort_by(|a, b| a.get("name").cmp(b.get("name")));
    match all.windows(2).find(|pair| pair[0].get("name") == pair[1].get("name")) {
        Some([one, two]) => Err(two.error(format!(
            "{keyword} {} is declared in {} already",
            two.get("name"),
            one.place
        ))),
        _ => Ok(all),
    }
}

/// Checks that no environment variable sets two variables.
fn check_environment(variables: &[Block]) -> Result<(), String> {
    let mut used: BTreeMap<&str, &str> =
        RESERVED.iter().map(|name| (*name, "the launcher")).collect();
    for variable in variables {
        let name = variable.get("name");
        for env in list(variable.get("alt_env")).into_iter().chain([name]) {
            if let Some(owner) = used.insert(env, name) {
                return Err(variable.error(format!(
                    "the environment variable of {name}, MQDRT_{env}, belongs to {owner} already"
                )));
            }
        }
    }
    Ok(())
}

/// The categories, by their numbers.
struct Categories(Vec<Block>);

impl Categories {
    fn find(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|category| category.get("name") == name)
    }

    /// The number of the category that a description names; `whose` follows the name in the error.
    fn number_of(&self, block: &Block, name: &str, whose: &str) -> Result<usize, String> {
        self.find(name).ok_or_else(|| {
            let known: Vec<&str> = self.0.iter().map(|category| category.get("name")).collect();
            let known = known.join(", ");
            block.error(format!("there is no category {name}{whose} (there are: {known})"))
        })
    }

    /// The number of the category that contains this one, if any does.
    fn parent(&self, category: &Block) -> Result<Option<usize>, String> {
        if category.get("parent").is_empty() {
            return Ok(None);
        }
        let parent = self.number_of(category, category.get("parent"), "")?;
        let mut above = Some(parent);
        for _ in 0..=self.0.len() {
            let Some(number) = above else { return Ok(Some(parent)) };
            above = self.find(self.0[number].get("parent"));
        }
        Err(category.error(format!("the category {} contains itself", category.get("name"))))
    }

    fn source(&self) -> Result<String, String> {
        let mut out = String::from(TOP);
        out.push_str("\n/// The categories by their names.\npub(crate) mod number {\n");
        for (number, category) in self.0.iter().enumerate() {
            writeln!(
                out,
                "    #[allow(missing_docs, dead_code)]\n    pub(crate) const {}: usize = {number};",
                category.get("name")
            )
            .unwrap();
        }
        out.push_str("}\n\n/// The categories.\npub(crate) static CATEGORIES: &[Category] = &[\n");
        for category in &self.0 {
            writeln!(
                out,
                "    Category {{ name: {:?}, description: {:?}, parent: {:?} }},",
                category.get("name"),
                category.get("description"),
                self.parent(category)?
            )
            .unwrap();
        }
        out.push_str("];\n");
        Ok(out)
    }
}

/// The row of a variable in the table.
fn row(variable: &Block, category: usize, value: &str) -> Result<String, String> {
    let scope = one_of(
        variable,
        "scope",
        &["CONSTANT", "READONLY", "LOCAL", "GROUP", "GROUP_EQ", "ALL", "ALL_EQ"],
    )?;
    let levels = ["BASIC", "DETAIL", "ALL"]
        .map(|level| ["USER_", "TUNER_", "MPIDEV_"].map(|who| format!("{who}{level}")));
    let levels: Vec<&str> = levels.iter().flatten().map(String::as_str).collect();
    let verbosity = one_of(variable, "verbosity", &levels)?;
    let device = one_of(variable, "class", &["device", "none"])? == "device";
    let writable =
        match one_of(variable, "writable", &["always", "before_init", "outside_collectives"])? {
            "always" => "Always",
            "before_init" => "BeforeInit",
            _ => "OutsideCollectives",
        };
    let mut out = format!("    // {}\n    Cvar {{\n", variable.place);
    let mut field = |name: &str, value: String| writeln!(out, "        {name}: {value},").unwrap();
    field("name", format!("{:?}", format!("{PREFIX}{}", variable.get("name"))));
    field("alternatives", format!("&{:?}", list(variable.get("alt_env"))));
    field("category", category.to_string());
    field("value", value.to_owned());
    field("verbosity", format!("MPI_T_VERBOSITY_{verbosity}"));
    field("scope", format!("MPI_T_SCOPE_{scope}"));
    field("writable", format!("Writable::{writable}"));
    field("device", device.to_string());
    field("default", format!("{:?}", variable.get("default")));
    field("description", format!("{:?}", variable.get("description")));
    out.push_str("    },\n");
    Ok(out)
}

/// How the value of a variable is stored, as Rust source.
struct Storage {
    /// The type.
    kind: &'static str,
    /// The default value.
    default: String,
    /// The `Value` of the table.
    value: String,
}

/// How the value of a variable is stored.
fn storage(variable: &Block) -> Result<Storage, String> {
    let (name, default) = (variable.get("name"), variable.get("default"));
    let kind = variable.get("type");
    if !variable.get("communicator").is_empty() && kind != "int" {
        return Err(format!("{name} is bound to communicators, so it has to be an int"));
    }
    if !variable.get("values").is_empty() && kind != "enum" {
        return Err(format!("{name} has values but is no enum"));
    }
    match kind {
        "int" => int(variable),
        "boolean" if ["true", "false"].contains(&default) => Ok(Storage {
            kind: "Boolean",
            default: default.to_owned(),
            value: format!("Value::Boolean(&{name})"),
        }),
        "boolean" => Err(format!("the default {default} of {name} is neither true nor false")),
        "double" => double(variable),
        "string" => {
            let text = if default == "NULL" { "" } else { default };
            let (default, value) = (format!("{text:?}"), format!("Value::Text(&{name})"));
            Ok(Storage { kind: "Text", default, value })
        }
        "range" => range(variable),
        "enum" => enumeration(variable),
        other => Err(format!(
            "{name} has the type {other}; there are int, boolean, double, string, range and enum"
        )),
    }
}

/// The range of a variable; `low` and `high` are used if the description has none.
fn bounds(variable: &Block, low: &str, high: &str) -> Result<(String, String), String> {
    match variable.fields.get("range") {
        Some(text) => pair(text),
        None => Ok((low.to_owned(), high.to_owned())),
    }
}

/// Checks that default values are in their range.
fn inside(name: &str, values: &[&str], low: &str, high: &str) -> Result<(), String> {
    let number = |text: &str| text.parse::<f64>().map_err(|_| format!("{text} is not a number"));
    for value in values {
        if !(number(low)?..=number(high)?).contains(&number(value)?) {
            return Err(format!("the default {value} of {name} is not in the range {low}:{high}"));
        }
    }
    Ok(())
}

fn whole(name: &str, text: &str) -> Result<(), String> {
    text.parse::<i32>().map(drop).map_err(|_| format!("{text} of {name} is not a whole number"))
}

fn int(variable: &Block) -> Result<Storage, String> {
    let (name, default) = (variable.get("name"), variable.get("default"));
    let (low, high) = bounds(variable, "-2147483648", "2147483647")?;
    whole(name, default)?;
    inside(name, &[default], &low, &high)?;
    let value = match variable.get("communicator") {
        "" => format!("Value::Int(&{name}, {low}, {high})"),
        field => {
            format!("Value::OfCommunicator(&{name}, |context| &context.{field}, {low}, {high})")
        }
    };
    Ok(Storage { kind: "Int", default: default.to_owned(), value })
}

fn double(variable: &Block) -> Result<Storage, String> {
    let (name, default) = (variable.get("name"), variable.get("default"));
    let (low, high) = bounds(variable, "0", "1")?;
    inside(name, &[default], &low, &high)?;
    let value = format!("Value::Double(&{name}, {low}_f64, {high}_f64)");
    Ok(Storage { kind: "Double", default: format!("{default}_f64"), value })
}

fn range(variable: &Block) -> Result<Storage, String> {
    let name = variable.get("name");
    let (first, second) = pair(variable.get("default"))?;
    let (low, high) = bounds(variable, "-2147483648", "2147483647")?;
    whole(name, &first)?;
    whole(name, &second)?;
    inside(name, &[&first, &second], &low, &high)?;
    inside(name, &[&second], &first, "2147483647")?;
    let value = format!("Value::Range(&{name}, {low}, {high})");
    Ok(Storage { kind: "Range", default: format!("{first}, {second}"), value })
}

fn enumeration(variable: &Block) -> Result<Storage, String> {
    let (name, default) = (variable.get("name"), variable.get("default"));
    let values = list(variable.get("values"));
    let number = values.iter().position(|value| *value == default);
    let number = number.ok_or_else(|| {
        format!("the default {default} of {name} is none of its values {values:?}")
    })?;
    let items: Vec<String> =
        values.iter().enumerate().map(|(i, value)| format!("({i}, {value:?})")).collect();
    let value = format!(
        "Value::Enum(&{name}, &Enumeration {{ name: {:?}, items: &[{}] }})",
        name.to_lowercase(),
        items.join(", ")
    );
    Ok(Storage { kind: "Int", default: number.to_string(), value })
}

fn one_of<'a>(block: &'a Block, field: &str, choices: &[&str]) -> Result<&'a str, String> {
    let value = block.get(field);
    if choices.contains(&value) {
        return Ok(value);
    }
    Err(block.error(format!(
        "the {field} {value} of {} is none of {}",
        block.get("name"),
        choices.join(", ")
    )))
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (low, high) = text.split_once(':').ok_or_else(|| format!("{text} is no range low:high"))?;
    Ok((low.trim().to_owned(), high.trim().to_owned()))
}

fn list(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect()
}

/// The descriptions in one file.
fn blocks(
    path: &str,
    text: &str,
    keyword: &str,
    fields: &[(&str, bool)],
) -> Result<Vec<Block>, String> {
    let start = format!("crate::variables::describe::{keyword}! {{");
    let mut lines = text.lines().enumerate();
    let mut found = Vec::new();
    while let Some((number, line)) = lines.next() {
        if line != start {
            continue;
        }
        let mut block = Block { place: format!("{path}:{}", number + 1), fields: BTreeMap::new() };
        loop {
            let Some((_, line)) = lines.next() else {
                return Err(block.error("the description has no end"));
            };
            let line = line.trim();
            if line == "}" {
                break;
            }
            let Some((field, value)) = line.split_once(':') else {
                return Err(block.error(format!("{line:?} is not \"field: value\"")));
            };
            let mut value = value.trim().to_owned();
            if value.starts_with('"') {
                while value.len() < 2 || !value.ends_with('"') {
                    let Some((_, more)) = lines.next() else {
                        return Err(block.error("a text has no end"));
                    };
                    write!(value, " {}", more.trim()).unwrap();
                }
                value = value[1..value.len() - 1].to_owned();
            }
            if !fields.iter().any(|(known, _)| *known == field) {
                return Err(block.error(format!("there is no field {field}")));
            }
            if block.fields.insert(field.to_owned(), value).is_some() {
                return Err(block.error(format!("the field {field} is there twice")));
            }
        }
        for (field, required) in fields {
            if *required && block.get(field).is_empty() {
                return Err(block.error(format!("the field {field} is missing")));
            }
        }
        found.push(block);
    }
    Ok(found)
}
