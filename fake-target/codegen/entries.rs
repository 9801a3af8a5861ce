//! The entry points `MPI_X`, `PMPI_X` and `QMPI_X`.

use std::fmt::Write;

use super::constants::rust_type;
use super::table::{Function, HANDLES, Tables};

const TOP: &str = "// Generated from the tables in api/.\n";

/// The exported symbols `MPI_X` and `PMPI_X`.
pub(crate) fn exports(tables: &Tables) -> String {
    let mut out = String::from(TOP);
    for (number, function) in tables.functions.iter().enumerate() {
        let name = &function.name;
        write!(out, "entry!({name}, {number});\nentry!(P{name}, {number});\n").unwrap();
    }
    out
}

/// The functions themselves and `QMPI_X`, the tables of their addresses.
pub(crate) fn functions(tables: &Tables) -> String {
    let mut out = String::from(TOP);
    for function in &tables.functions {
        define(&mut out, tables, function);
    }
    code_table(
        &mut out,
        tables,
        "ENTRIES",
        "Where a call of each function goes: to the library, or to the first tool.",
        |f| if f.has("starts") { tools_entry(f) } else { f.name.clone() },
    );
    code_table(
        &mut out,
        tables,
        "LIBRARY",
        "The library's own functions as tools call them.",
        |f| format!("Q{}", f.name),
    );
    let starts = || tables.functions.iter().enumerate().filter(|(_, f)| f.has("starts"));
    write!(
        out,
        "\n/// The functions that start MPI.\npub const STARTS: &[usize] = &{:?};\n\nunsafe \
         extern \"C\" {{\n{}}}\n",
        starts().map(|(number, _)| number).collect::<Vec<_>>(),
        starts().map(|(_, f)| format!("    fn {}();\n", tools_entry(f))).collect::<String>()
    )
    .unwrap();
    out
}

/// The C function that passes a call to the tools (`qmpi_tools.c`).
fn tools_entry(function: &Function) -> String {
    format!("mqdrt_tools_{}", function.stem())
}

/// A static table with the address of each function's code.
fn code_table(
    out: &mut String,
    tables: &Tables,
    name: &str,
    what: &str,
    code: impl Fn(&Function) -> String,
) {
    let count = tables.functions.len();
    write!(out, "\n/// {what}\npub static {name}: [AtomicPtr<()>; {count}] = [\n").unwrap();
    for function in &tables.functions {
        writeln!(out, "    AtomicPtr::new({} as *mut ()),", code(function)).unwrap();
    }
    out.push_str("];\n");
}

fn define(out: &mut String, tables: &Tables, function: &Function) {
    let name = &function.name;
    let fixed: Vec<_> = function.parameters.iter().filter(|p| p.kind != "...").collect();
    let parameters: Vec<String> =
        fixed.iter().map(|p| format!("{}: {}", p.name, rust_type(&p.kind))).collect();
    let parameters = parameters.join(", ");
    let names: Vec<&str> = fixed.iter().map(|p| p.name.as_str()).collect();
    let names = names.join(", ");
    let result = rust_type(&function.result);
    let path = function.implementation.as_ref().expect("every function has an implementation");
    let mut arguments = arguments(tables, function);
    if function.has("call") {
        arguments.insert(0, format!("c\"{name}\""));
    }
    let body = match arguments.is_empty() {
        true => format!("crate::{path}"),
        false => format!("|| crate::{path}({})", arguments.join(", ")),
    };
    let call = if function.result != "int" || function.has("value") {
        format!("value(c\"{name}\", {body})")
    } else {
        let phase = if function.has("anytime") { "anytime" } else { "running" };
        let object = object(function);
        match function.has("handler") {
            true => format!(
                "calling(c\"{name}\", |handler| {phase}(c\"{name}\", {object}, {}))",
                body.replacen("|| ", "|| keep(handler, ", 1) + ")"
            ),
            false => format!("{phase}(c\"{name}\", {object}, {body})"),
        }
    };
    write!(
        out,
        "\n#[inline(never)]\npub unsafe extern \"C-unwind\" fn {name}({parameters}) -> {result} \
         {{\n    {call}\n}}\n\n#[unsafe(no_mangle)]\npub unsafe extern \"C-unwind\" fn Q{name}(\
         _: MPI_Context, _: c_int, {parameters}) -> {result} {{\n    \
         unsafe {{ {name}({names}) }}\n}}\n"
    )
    .unwrap();
}

/// The object whose error handler is called for a failure (MPI 5.0, section 9.3).
fn object(function: &Function) -> String {
    if function.name.starts_with("MPI_T_") {
        return "Object::Nobody".into();
    }
    if ["MPI_File_open", "MPI_File_delete"].contains(&function.name.as_str())
        || function.name.starts_with("MPI_Register_datarep")
    {
        return "Object::File(MPI_FILE_NULL)".into();
    }
    if function.name == "MPI_Win_free" {
        let window = "unsafe { win.as_ref() }.copied().unwrap_or(MPI_WIN_NULL)";
        return format!("Object::Window({window})");
    }
    if function.name == "MPI_File_close" {
        return "Object::File(handle_at(fh))".into();
    }
    let objects = [
        ("MPI_Comm", "Communicator"),
        ("MPI_File", "File"),
        ("MPI_Session", "Session"),
        ("MPI_Win", "Window"),
        // Functions that make an object have its error handler as an argument.
        ("MPI_Errhandler", "Given"),
    ];
    let found = objects.iter().find_map(|(kind, object)| {
        let parameter = function.parameters.iter().find(|p| p.kind == *kind)?;
        Some(format!("Object::{object}({})", parameter.name))
    });
    found.unwrap_or_else(|| "Object::Process".into())
}

/// The arguments of the implementation: checked pointers, and counts in the one type of the
/// large-count interface.
fn arguments(tables: &Tables, function: &Function) -> Vec<String> {
    let variants = tables.variants(function);
    let mut arguments = Vec::new();
    for (i, parameter) in function.parameters.iter().enumerate().filter(|(_, p)| p.kind != "...") {
        let name = &parameter.name;
        let kind = parameter.kind.as_str();
        let varies = variants
            .is_some_and(|(small, large)| small.parameters[i].kind != large.parameters[i].kind);
        arguments.push(match kind {
            "int" | "MPI_Aint" | "MPI_Count" if varies => format!("{name} as MPI_Count"),
            "const int []" if varies => format!("Counts::Ints({name})"),
            "const MPI_Count []" | "const MPI_Aint []" if varies => {
                format!("Counts::Longs({name}.cast())")
            }
            "int *" if varies => format!("CountOut::Int(out({name}, \"{name}\")?)"),
            "MPI_Aint *" | "MPI_Count *" if varies => {
                format!("CountOut::Long(out({name}.cast(), \"{name}\")?)")
            }
            _ if function.has("raw") => name.clone(),
            "const char *" => format!("text({name}, \"{name}\")?"),
            "const MPI_Status *" => format!("input({name}, \"{name}\")?"),
            _ if is_out(kind) => format!("out({name}, \"{name}\")?"),
            _ => name.clone(),
        });
    }
    arguments
}

/// Is it a pointer to one int, count or handle that the function sets or changes?
fn is_out(kind: &str) -> bool {
    let pointee = kind.strip_suffix(" *").unwrap_or("");
    ["int", "MPI_Aint", "MPI_Count", "MPI_Offset"].contains(&pointee) || HANDLES.contains(&pointee)
}
