//! Rust's side of the types and constants.

use std::fmt::Write;

use super::table::{HANDLES, Tables};

/// The Rust spelling of a C type, as parameters and results have it.
pub(crate) fn rust_type(kind: &str) -> String {
    if let Some(element) = kind.strip_suffix("[][3]") {
        return format!("*mut [{}; 3]", rust_type(element.trim()));
    }
    if let Some(element) = kind.strip_suffix("[]").or_else(|| kind.strip_suffix('*')) {
        let element = element.trim();
        return match element.strip_prefix("const ") {
            Some(element) => format!("*const {}", rust_type(element)),
            None if element.ends_with("function") || element.ends_with("function_c") => {
                element.to_owned()
            }
            None => format!("*mut {}", rust_type(element)),
        };
    }
    match kind {
        "int" | "const int" => "c_int".into(),
        "char" => "c_char".into(),
        "void" => "c_void".into(),
        "double" => "f64".into(),
        other => other.into(),
    }
}

/// The handle types, the function types and the constants.
pub(crate) fn generate(tables: &Tables) -> String {
    let mut out = String::from("// Generated from the tables in api/.\n");
    for handle in HANDLES {
        let what = handle.trim_start_matches("MPI_");
        write!(
            out,
            "\n/// The handle `{handle}` ({what}): a pointer in C, never followed.\n\
             #[repr(transparent)]\n#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, \
             Ord)]\npub struct {handle}(pub usize);\n\n\
             impl Handle for {handle} {{\n    \
             fn from_raw(raw: usize) -> Self {{\n        {handle}(raw)\n    }}\n    \
             fn raw(self) -> usize {{\n        self.0\n    }}\n}}\n"
        )
        .unwrap();
    }
    for callback in &tables.callbacks {
        let parameters: Vec<String> =
            callback.parameters.iter().map(|p| rust_type(&p.kind)).collect();
        let result = if callback.result == "void" { String::new() } else { " -> c_int".into() };
        // An error handler may leave by an exception of C++.
        let handler = callback.name.ends_with("_errhandler_function");
        write!(
            out,
            "\n/// The function type `{}`; null is none.\npub type {} = Option<unsafe extern \
             \"{}\" fn({}){result}>;\n",
            callback.name,
            callback.name,
            if handler { "C-unwind" } else { "C" },
            parameters.join(", ")
        )
        .unwrap();
    }
    for c in &tables.constants {
        let category = c.category.to_lowercase().replace('_', " ");
        let (kind, value) = match c.kind.as_str() {
            "int" => ("c_int".into(), c.value.to_string()),
            k if HANDLES.contains(&k) => (k.to_owned(), format!("{k}({:#x})", c.value)),
            k if k.ends_with("function *") || k.ends_with("function_c *") => {
                ("usize".into(), c.value.to_string())
            }
            k if k.ends_with('*') => {
                (rust_type(k), format!("std::ptr::without_provenance_mut({})", c.value))
            }
            k => (k.to_owned(), c.value.to_string()),
        };
        write!(out, "\n/// `{}`: {category}.\npub const {}: {kind} = {value};\n", c.name, c.name)
            .unwrap();
    }
    out
}
