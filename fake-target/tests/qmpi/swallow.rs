//! Every function of the table through a tool: a generated program calls each of them with
//! arguments of its own, the tool checks that they arrive, keeps the call, and answers with a
//! result of its own.

use std::fmt::Write;

use crate::place::{Place, source};

/// A row of the table, parsed by the test and not by the code that it tests.
struct Function {
    name: String,
    result: String,
    prototype: String,
    /// Type and name of each parameter; none for `...`.
    parameters: Vec<(String, String)>,
}

fn functions() -> Vec<Function> {
    let table = std::fs::read_to_string(source("api/functions.tsv")).expect("the table");
    table.lines().filter(|line| !line.starts_with('#')).map(function).collect()
}

fn function(line: &str) -> Function {
    let columns: Vec<&str> = line.split('\t').collect();
    let [name, result, prototype] = [columns[0], columns[1], columns[2]].map(str::to_owned);
    let parameters =
        prototype.split(", ").filter(|text| !["void", "..."].contains(text)).map(|text| {
            let (declarator, array) = text.split_at(text.find('[').unwrap_or(text.len()));
            let start = declarator.rfind([' ', '*']).expect("a type before the name") + 1;
            (
                format!("{}{array}", &declarator[..start]).trim().to_owned(),
                declarator[start..].to_owned(),
            )
        });
    let parameters = parameters.collect();
    Function { name, result, prototype, parameters }
}

fn is_number(kind: &str) -> bool {
    [
        "int",
        "const int",
        "double",
        "MPI_Aint",
        "MPI_Count",
        "MPI_Offset",
        "MPI_T_cb_safety",
        "MPI_T_source_order",
    ]
    .contains(&kind)
}

/// A value that only this argument of this function has.
fn value(function: usize, parameter: usize) -> usize {
    0x10000 + function * 32 + parameter
}

fn program(functions: &[Function]) -> String {
    let mut tools = String::new();
    let (mut calls, mut registrations) = (String::new(), String::new());
    for (number, function) in functions.iter().enumerate() {
        let Function { name, result, prototype, parameters } = function;
        let enumerator = format!("{}_T", name.to_uppercase());
        let prototype = if prototype == "void" { String::new() } else { format!(", {prototype}") };
        let mut arrived = String::from("tool_id == 1 && context");
        let mut arguments = Vec::new();
        for (place, (kind, parameter)) in parameters.iter().enumerate() {
            let value = value(number, place);
            write!(arrived, " && (uintptr_t){parameter} == {value}").unwrap();
            let cast = if is_number(kind) { "" } else { "(void *)(uintptr_t)" };
            arguments.push(format!("{cast}{value}"));
        }
        let arguments = arguments.join(", ");
        let answer = if is_number(result) { "".into() } else { "(uintptr_t)".to_owned() };
        write!(
            tools,
            "static {result} tool_{name}(MPI_Context context, int tool_id{prototype})\n{{\n    \
             seen = {number};\n    arrived = {arrived};\n    return ({result}){answer}({number} + \
             7);\n}}\n"
        )
        .unwrap();
        writeln!(
            registrations,
            "    OK(MPI_Register_tool_function(id, {enumerator}, (void (*)(void))tool_{name}));"
        )
        .unwrap();
        writeln!(calls, "    CHECK({enumerator} == {number});").unwrap();
        for prefix in ["", "P"] {
            write!(
                calls,
                "    seen = -1;\n    CHECK(({result}){prefix}{name}({arguments}) == \
                 ({result}){answer}({number} + 7));\n    CHECK(seen == {number} && arrived);\n"
            )
            .unwrap();
        }
        // After the last tool comes the library's own function; it has the tool's type, and so has
        // the typedef.
        writeln!(calls, "    CHECK(next(1, {enumerator}) == (void (*)(void))Q{name});").unwrap();
        writeln!(calls, "    {{ Q{name}_t *typed = Q{name}; typed = tool_{name}; (void)typed; }}")
            .unwrap();
    }
    format!(
        "#include \"check.h\"\n#include <stdint.h>\nstatic int seen, arrived;\n{tools}\nstatic \
         void initialize(int id)\n{{\n{registrations}}}\nstatic void (*next(int id, enum \
         MPI_Functions_enum which))(void)\n{{\n    void (*code)(void) = NULL;\n    int next_id = \
         -1;\n    OK(MPI_Get_next_tool_function(id, which, &code, &next_id));\n    CHECK(next_id \
         == 0);\n    return code;\n}}\nint main(void)\n{{\n    \
         OK(MPI_Register_tool_name(\"swallow\", initialize));\n    \
         CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRHANDLER_NULL, NULL) == MPI_SESSION_INIT_T + \
         7);\n{calls}    CHECK(MPI_LAST_FUNC_T == {});\n    printf(\"passed\\n\");\n    return \
         0;\n}}\n",
        functions.len()
    )
}

/// "The function pointer should match the original MPI procedure, but should have two additional
/// arguments at the beginning": for each function its number, both entry points, all arguments, the
/// result, and the library's function that comes next. The call that initializes MPI is one of the
/// Sessions Model.
#[test]
fn every_function_goes_through_a_tool() {
    let functions = functions();
    assert_eq!(functions.len(), 664);
    let place = Place::new();
    std::fs::write(place.path("swallow.c"), program(&functions)).expect("a file");
    let program = place.compile(&place.path("swallow.c"), "swallow", &["-O0"]);
    let job = place.run(1, &program, &[], &[("QMPI_TOOLS", "swallow")]);
    assert_eq!(job.lines(), ["passed"], "{}", job.stderr);
}
