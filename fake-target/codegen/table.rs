//! The tables of `api/` as data.

/// The handle types. In C each is a pointer to an incomplete struct, in Rust a pointer-sized
/// integer.
pub(crate) const HANDLES: &[&str] = &[
    "MPI_Comm",
    "MPI_Datatype",
    "MPI_Errhandler",
    "MPI_File",
    "MPI_Group",
    "MPI_Info",
    "MPI_Message",
    "MPI_Op",
    "MPI_Request",
    "MPI_Session",
    "MPI_Win",
    "MPI_T_enum",
    "MPI_T_cvar_handle",
    "MPI_T_pvar_handle",
    "MPI_T_pvar_session",
    "MPI_T_event_registration",
    "MPI_T_event_instance",
];

/// The types that C declares as enumerations.
pub(crate) const ENUMERATIONS: &[&str] = &["MPI_T_cb_safety", "MPI_T_source_order"];

/// A parameter of a prototype.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    /// The type as C writes it, without the name: `const MPI_Count []`, `int *`; `...` for a
    /// variable argument list.
    pub(crate) kind: String,
    /// The name in the prototype; empty for `...`.
    pub(crate) name: String,
}

/// A function of the interface.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// The C name with its `MPI_` prefix.
    pub(crate) name: String,
    /// The C type of the result.
    pub(crate) result: String,
    /// The C parameter list as the table has it.
    pub(crate) prototype: String,
    /// The same, taken apart; empty for `void`.
    pub(crate) parameters: Vec<Parameter>,
    /// The Rust function below `crate::`; none for a callback.
    pub(crate) implementation: Option<String>,
    /// Flags of the table's last column.
    pub(crate) flags: Vec<String>,
}

impl Function {
    /// The name without `MPI_`.
    pub(crate) fn stem(&self) -> &str {
        &self.name["MPI_".len()..]
    }

    /// Whether the table gives the function this flag.
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|f| f == flag)
    }
}

/// A constant of the interface.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    /// The C name.
    pub(crate) name: String,
    /// Its value.
    pub(crate) value: i64,
    /// What it belongs to, in the words of the standard's annex.
    pub(crate) category: String,
    /// The C type.
    pub(crate) kind: String,
}

/// Everything in `api/`.
pub(crate) struct Tables {
    /// `functions.tsv`
    pub(crate) functions: Vec<Function>,
    /// `callbacks.tsv`
    pub(crate) callbacks: Vec<Function>,
    /// `constants.tsv`
    pub(crate) constants: Vec<Constant>,
}

impl Tables {
    /// Reads the tables in a directory. Panics with the line if one cannot be parsed.
    pub(crate) fn read(directory: &std::path::Path) -> Self {
        let lines = |name: &str| -> Vec<Vec<String>> {
            let path = directory.join(name);
            let text = std::fs::read_to_string(&path)
                .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let rows = text.lines().filter(|l| !l.starts_with('#') && !l.is_empty());
            rows.map(|l| l.split('\t').map(str::to_owned).collect()).collect()
        };
        let function = |row: Vec<String>| match &row[..] {
            [name, result, prototype] => prototype_row(name, result, prototype, None, Vec::new()),
            [name, result, prototype, implementation, flags] => prototype_row(
                name,
                result,
                prototype,
                (implementation != "-").then(|| implementation.clone()),
                flags.split(',').filter(|f| *f != "-").map(str::to_owned).collect(),
            ),
            _ => panic!("a function has 3 or 5 columns, separated by tabs: {row:?}"),
        };
        let constant = |row: Vec<String>| match &row[..] {
            [name, value, category, kind] => Constant {
                name: name.clone(),
                value: value.parse().unwrap_or_else(|_| panic!("not a value: {row:?}")),
                category: category.clone(),
                kind: kind.clone(),
            },
            _ => panic!("a constant has 4 columns, separated by tabs: {row:?}"),
        };
        Tables {
            functions: lines("functions.tsv").into_iter().map(function).collect(),
            callbacks: lines("callbacks.tsv").into_iter().map(function).collect(),
            constants: lines("constants.tsv").into_iter().map(constant).collect(),
        }
    }

    /// The function of that name.
    pub(crate) fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| f.name == name)
    }

    /// The prototypes of one routine in its variants (`X` and `X_c`), where their parameters
    /// correspond: the parameters of `X`, then of `X_c`.
    pub(crate) fn variants(&self, function: &Function) -> Option<(&Function, &Function)> {
        let name = &function.name;
        let base = name.strip_suffix("_c").or_else(|| name.strip_suffix("_x")).unwrap_or(name);
        let (small, large) = (self.function(base)?, self.function(&format!("{base}_c"))?);
        (small.parameters.len() == large.parameters.len()).then_some((small, large))
    }
}

fn prototype_row(
    name: &str,
    result: &str,
    prototype: &str,
    implementation: Option<String>,
    flags: Vec<String>,
) -> Function {
    Function {
        name: name.to_owned(),
        result: result.to_owned(),
        prototype: prototype.to_owned(),
        parameters: parameters(prototype),
        implementation,
        flags,
    }
}

fn parameters(prototype: &str) -> Vec<Parameter> {
    if prototype == "void" {
        return Vec::new();
    }
    let parameter = |text: &str| {
        if text == "..." {
            return Parameter { kind: text.to_owned(), name: String::new() };
        }
        let (declarator, array) = text.split_at(text.find('[').unwrap_or(text.len()));
        let start =
            declarator.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |i| i + 1);
        let (kind, name) = declarator.split_at(start);
        let space = if kind.ends_with('*') || array.is_empty() { "" } else { " " };
        Parameter { kind: format!("{}{space}{array}", kind.trim_end()), name: name.to_owned() }
    };
    prototype.split(", ").map(parameter).collect()
}
