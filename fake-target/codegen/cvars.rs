//! Gathers the descriptions of control variables, which stand next to their use in the source, into
//! one table (MPI 3.1, section 14.3.6).
//!
//! A description is an invocation of `crate::mpi_t::describe::cvar!`, a category one of
//! `crate::mpi_t::describe::category!`; both begin and end a line of their own. Inside
//! are lines `field: value`; a text in quotes may go on over several lines. [`FIELDS`] and
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

/// What the launcher tells a rank by MQDRT_ variables that are no control variables.
const RESERVED: &[&str] = &["RANK", "SIZE", "SEGMENT_FD", "GATE_FD", "LIBDIR", "LAUNCHER_PID"];

const PREFIX: &str = "MQDRT_CVAR_";

/// One description: where it stands and what it says.
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

/// The Rust source of the table, from source files (their paths as people should see them, and
/// their texts).
///
/// # Errors
/// What is wrong with which description: a field that is missing, unknown or not well-formed, an
/// unknown category, a name that is used twice.
pub(crate) fn generate(files: &[(String, String)]) -> Result<String, String> {
    let gather = |keyword: &str, fields: &[(&str, bool)]| -> Result<Vec<Block>, String> {
        let found = files.iter().map(|(path, text)| blocks(path, text, keyword, fields));
        let mut all: Vec<Block> =
            found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        all.sort_by(|a, b| a.get("name").cmp(b.get("name")));
        match all.windows(2).find(|pair| pair[0].get("name") == pair[1].get("name")) {
            Some([one, two]) => Err(two.error(format!(
                "{keyword} {} is declared in {} already",
                two.get("name"),
                one.place
            ))),
            _ => Ok(all),
        }
    };
    let categories = gather("category", CATEGORY_FIELDS)?;
    let variables = gather("cvar", FIELDS)?;
    let index = |name: &str| categories.iter().position(|category| category.get("name") == name);
    let known =
        || categories.iter().map(|category| category.get("name")).collect::<Vec<_>>().join(", ");

    let mut out = String::from(
        "// Gathered from the descriptions in the source files.\n\n/// The categories by their \
         names.\npub(crate) mod category {\n",
    );
    for (number, category) in categories.iter().enumerate() {
        writeln!(
            out,
            "    #[allow(missing_docs, dead_code)]\n    pub(crate) const {}: usize = {number};",
            category.get("name")
        )
        .unwrap();
    }
    out.push_str("}\n\n/// The categories.\npub(crate) static CATEGORIES: &[Category] = &[\n");
    for category in &categories {
        let parent = match category.get("parent") {
            "" => "None".to_owned(),
            parent => {
                let mut above = index(parent);
                let unknown = || {
                    category
                        .error(format!("there is no category {parent} (there are: {})", known()))
                };
                for _ in 0..=categories.len() {
                    let Some(number) = above else { break };
                    above = index(categories[number].get("parent"));
                }
                if above.is_some() {
                    return Err(category
                        .error(format!("the category {} contains itself", category.get("name"))));
                }
                format!("Some({})", index(parent).ok_or_else(unknown)?)
            }
        };
        writeln!(
            out,
            "    Category {{ name: {:?}, description: {:?}, parent: {parent} }},",
            category.get("name"),
            category.get("description")
        )
        .unwrap();
    }
    out.push_str("];\n");

    let mut used: BTreeMap<String, &str> =
        RESERVED.iter().map(|name| ((*name).to_owned(), "the launcher")).collect();
    let mut table = String::new();
    for variable in &variables {
        let name = variable.get("name");
        let category = index(variable.get("category")).ok_or_else(|| {
            variable.error(format!(
                "there is no category {} for {name} (there are: {})",
                variable.get("category"),
                known()
            ))
        })?;
        let alternatives = list(variable.get("alt_env"));
        for env in alternatives.iter().copied().chain([name]) {
            if let Some(owner) = used.insert(env.to_owned(), name) {
                return Err(variable.error(format!(
                    "the environment variable of {name}, MQDRT_{env}, belongs to {owner} already"
                )));
            }
        }
        let (kind, default, value) = storage(variable).map_err(|what| variable.error(what))?;
        writeln!(
            out,
            "\n/// {}\npub(crate) static {name}: {kind} = {kind}::new({default});",
            variable.get("description")
        )
        .unwrap();
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
        let writable = match one_of(
            variable,
            "writable",
            &["always", "before_init", "outside_collectives"],
        )? {
            "always" => "Always",
            "before_init" => "BeforeInit",
            _ => "OutsideCollectives",
        };
        write!(
            table,
            "    // {}\n    Cvar {{\n        name: {:?},\n        alternatives: &{alternatives:?},\n        category: {category},\n        value: {value},\n        \
             verbosity: MPI_T_VERBOSITY_{verbosity},\n        scope: MPI_T_SCOPE_{scope},\n        writable: Writable::{writable},\n        \
             device: {device},\n        default: {:?},\n        description: {:?},\n    }},\n",
            variable.place,
            format!("{PREFIX}{name}"),
            variable.get("default"),
            variable.get("description"),
        )
        .unwrap();
    }
    write!(
        out,
        "\n/// The control variables, sorted by their names.\npub(crate) static TABLE: &[Cvar] = \
         &[\n{table}];\n"
    )
    .unwrap();
    Ok(out)
}

/// The Rust type of a variable's storage, its default value, and its `Value`.
fn storage(variable: &Block) -> Result<(&'static str, String, String), String> {
    let (name, default) = (variable.get("name"), variable.get("default"));
    let range = variable.fields.get("range").map(|text| pair(text)).transpose()?;
    let bounds = |low: &str, high: &str| range.clone().unwrap_or((low.to_owned(), high.to_owned()));
    let inside = |values: &[&str], (low, high): &(String, String)| -> Result<(), String> {
        let number =
            |text: &str| text.parse::<f64>().map_err(|_| format!("{text} is not a number"));
        for value in values {
            if !(number(low)?..=number(high)?).contains(&number(value)?) {
                return Err(format!(
                    "the default {value} of {name} is not in the range {low}:{high}"
                ));
            }
        }
        Ok(())
    };
    let whole = |text: &str| {
        text.parse::<i32>().map(drop).map_err(|_| format!("{text} of {name} is not a whole number"))
    };
    let kind = variable.get("type");
    if !variable.get("communicator").is_empty() && kind != "int" {
        return Err(format!("{name} is bound to communicators, so it has to be an int"));
    }
    if !variable.get("values").is_empty() && kind != "enum" {
        return Err(format!("{name} has values but is no enum"));
    }
    match kind {
        "int" => {
            let bounds = bounds("-2147483648", "2147483647");
            whole(default)?;
            inside(&[default], &bounds)?;
            let value = match variable.get("communicator") {
                "" => format!("Value::Int(&{name}, {}, {})", bounds.0, bounds.1),
                field => {
                    format!(
                        "Value::OfCommunicator(&{name}, |context| &context.{field}, {}, {})",
                        bounds.0, bounds.1
                    )
                }
            };
            Ok(("Int", default.to_owned(), value))
        }
        "boolean" => match default {
            "true" | "false" => {
                Ok(("Boolean", default.to_owned(), format!("Value::Boolean(&{name})")))
            }
            _ => Err(format!("the default {default} of {name} is neither true nor false")),
        },
        "double" => {
            let bounds = bounds("0", "1");
            inside(&[default], &bounds)?;
            let text = |number: &str| format!("{number}_f64");
            Ok((
                "Double",
                text(default),
                format!("Value::Double(&{name}, {}, {})", text(&bounds.0), text(&bounds.1)),
            ))
        }
        "string" => {
            let text = if default == "NULL" { "" } else { default };
            Ok(("Text", format!("{text:?}"), format!("Value::Text(&{name})")))
        }
        "range" => {
            let (low, high) = pair(default)?;
            let bounds = bounds("-2147483648", "2147483647");
            whole(&low)?;
            whole(&high)?;
            inside(&[&low, &high], &bounds)?;
            inside(&[&high], &(low.clone(), "2147483647".into()))?;
            Ok((
                "Range",
                format!("{low}, {high}"),
                format!("Value::Range(&{name}, {}, {})", bounds.0, bounds.1),
            ))
        }
        "enum" => {
            let values = list(variable.get("values"));
            let number = values.iter().position(|value| *value == default);
            let number = number.ok_or_else(|| {
                format!("the default {default} of {name} is none of its values {values:?}")
            })?;
            let items: Vec<String> =
                values.iter().enumerate().map(|(i, value)| format!("({i}, {value:?})")).collect();
            let enumeration = format!(
                "Enumeration {{ name: {:?}, items: &[{}] }}",
                name.to_lowercase(),
                items.join(", ")
            );
            Ok(("Int", number.to_string(), format!("Value::Enum(&{name}, &{enumeration})")))
        }
        other => Err(format!(
            "{name} has the type {other}; there are int, boolean, double, string, range and enum"
        )),
    }
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
    let start = format!("crate::mpi_t::describe::{keyword}! {{");
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
