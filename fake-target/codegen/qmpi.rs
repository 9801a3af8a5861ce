//! The function pointer interface for tools: the C headers `qmpi.h` and `qmpi_functions.h`, and the
//! C unit that hands calls to the first tool.

use std::fmt::Write;

use super::table::{Function, Tables};

const TOP: &str = "\
/*
 * qmpi.h - interception of MPI functions with function pointers: section 15.2.2 (QMPI) of the \
                   draft for MPI 4.1, with MPICH's names too.
 *
 * A tool registers its name before MPI is initialized, in a constructor. The environment \
                   variable QMPI_TOOLS=a:b:a names the tools.
 * For each name, from left to right, MPI_Init calls the tool's initialization function with a \
                   new tool ID. The tool on the left is called first.
 *
 * Generated from the tables in fake-target/api; do not edit.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#ifndef QMPI_H_MQDRT
#define QMPI_H_MQDRT

#include \"mpi.h\"

#ifdef __cplusplus
extern \"C\" {
#endif

/* One call of an MPI function by the application. Its tools get this context. It is valid until \
                   that call returns. */
typedef struct MPI_ABI_Context *MPI_Context;
typedef MPI_Context QMPI_Context;

/* Called once for each instance of the tool that the user asks for. */
typedef void MPI_Tool_init_function(int tool_id);

/* The bytes of the longest name of a tool, including the zero at its end. */
#define QMPI_MAX_TOOL_NAME_LENGTH 256

/* The functions that can be intercepted. */
enum MPI_Functions_enum {
";

const CALLS: &str = "
#define QMPI_Functions_enum MPI_Functions_enum

/* Registration: before MPI is initialized. */
int MPI_Register_tool_name(const char *tool_name, MPI_Tool_init_function *init_fn_ptr);
/* Initialization: in the tool's initialization function. */
int MPI_Register_tool_storage(int tool_id, void *tool_storage);
int MPI_Register_tool_function(int tool_id, enum MPI_Functions_enum function_enum, void \
                     (*function_ptr)(void));
/* Interception: in the tool's functions. The draft lacks a star of function_ptr, so that nothing \
                     could be returned through it. */
int MPI_Get_next_tool_function(int tool_id, enum MPI_Functions_enum function_enum, void \
                     (**function_ptr)(void), int *next_tool_id);
int MPI_Get_tool_storage(MPI_Context context, int tool_id, void *storage);
int MPI_Get_calling_address(MPI_Context context, void *address);

/* The same functions under the names of the profiling interface */
int PMPI_Register_tool_name(const char *tool_name, MPI_Tool_init_function *init_fn_ptr);
int PMPI_Register_tool_storage(int tool_id, void *tool_storage);
int PMPI_Register_tool_function(int tool_id, enum MPI_Functions_enum function_enum, void \
                     (*function_ptr)(void));
int PMPI_Get_next_tool_function(int tool_id, enum MPI_Functions_enum function_enum, void \
                     (**function_ptr)(void), int *next_tool_id);
int PMPI_Get_tool_storage(MPI_Context context, int tool_id, void *storage);
int PMPI_Get_calling_address(MPI_Context context, void *address);

/* The same functions with MPICH's names, and with the draft's names after QMPI_ */
int QMPI_Register_tool_name(const char *tool_name, void (*init_function_ptr)(int tool_id));
int QMPI_Register_tool_storage(int tool_id, void *tool_storage);
int QMPI_Register_function(int tool_id, int function_enum, void (*function_ptr)(void));
int QMPI_Register_tool_function(int tool_id, int function_enum, void (*function_ptr)(void));
int QMPI_Get_function(int tool_id, int function_enum, void (**function_ptr)(void), int \
                     *next_tool_id);
int QMPI_Get_next_tool_function(int tool_id, int function_enum, void (**function_ptr)(void), int \
                     *next_tool_id);
int QMPI_Get_tool_storage(QMPI_Context context, int tool_id, void **storage);
int QMPI_Get_calling_address(QMPI_Context context, void **address);

/* The types of the functions that tools register, and of the next functions that they get */
";

/// The text of `qmpi.h`.
pub(crate) fn header(tables: &Tables) -> String {
    let mut out = String::from(TOP);
    for (number, function) in tables.functions.iter().enumerate() {
        writeln!(out, "    {} = {number},", enumerator(function)).unwrap();
    }
    writeln!(out, "    MPI_LAST_FUNC_T = {}\n}};", tables.functions.len()).unwrap();
    out.push_str(CALLS);
    for function in &tables.functions {
        writeln!(
            out,
            "typedef {} (Q{}_t)({});",
            function.result,
            function.name,
            parameters(function)
        )
        .unwrap();
    }
    out.push_str(
        "\n/* The library's own functions, which the last tool calls. Direct calls of them bypass \
         all tools. */\n",
    );
    for function in &tables.functions {
        writeln!(out, "{} Q{}({});", function.result, function.name, parameters(function)).unwrap();
    }
    out.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    out
}

/// The function's value of the enumeration: its name in capitals and `_T`.
fn enumerator(function: &Function) -> String {
    format!("{}_T", function.name.to_uppercase())
}

/// The parameters of a tool's function in C.
fn parameters(function: &Function) -> String {
    let context = "QMPI_Context context, int tool_id";
    match function.parameters.is_empty() {
        true => context.into(),
        false => format!("{context}, {}", function.prototype),
    }
}

const LIST_TOP: &str = "\
/*
 * qmpi_functions.h - the functions of MPI as a list, for tools that intercept all of them. \
                        Include it as often as needed, each time with
 *
 *     FUNCTION(result, name, NAME, parameters, pass_on, arguments)
 *
 * defined. The parameters are: the type of the result; the name without MPI_; the same name in \
                        capitals; the parameters of the tool's function, in parentheses;
 * what to pass to the next function, in parentheses (next_tool_id is the tool's variable); \
                        ARGUMENT(name) for each argument. Functions with variable arguments are
 * VARIADIC_FUNCTION(...) with the same six parameters. There the variable arguments are missing \
                        from what to pass. The macros are undefined at the end.
 *
 * Generated from the tables in fake-target/api; do not edit.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
";

/// The text of `qmpi_functions.h`.
pub(crate) fn list(tables: &Tables) -> String {
    let mut out = String::from(LIST_TOP);
    for function in &tables.functions {
        let fixed: Vec<&str> = function
            .parameters
            .iter()
            .filter(|p| p.kind != "...")
            .map(|p| p.name.as_str())
            .collect();
        let variadic = if fixed.len() < function.parameters.len() { "VARIADIC_" } else { "" };
        let (stem, result, parameters) = (function.stem(), &function.result, parameters(function));
        let next: String = fixed.iter().map(|name| format!(", {name}")).collect();
        let arguments: Vec<String> = fixed.iter().map(|name| format!("ARGUMENT({name})")).collect();
        writeln!(
            out,
            "{variadic}FUNCTION({result}, {stem}, {}, ({parameters}), (context, \
             next_tool_id{next}), {})",
            stem.to_uppercase(),
            arguments.join(" ")
        )
        .unwrap();
    }
    out.push_str("\n#undef FUNCTION\n#undef VARIADIC_FUNCTION\n#undef ARGUMENT\n");
    out
}

const TOOLS_TOP: &str = "\
/* Generated from the tables in api/: for each function, its call by the program becomes a call of \
                         the first tool that intercepts it.
 *
 * It is C for the sake of __builtin_return_address: the entry points jump here, so the return \
                         address is the program's. */
#include \"qmpi.h\"
#include <stdarg.h>

struct mqdrt_first {
    void (*function)(void);
    int tool_id;
};

struct mqdrt_first mqdrt_first[MPI_LAST_FUNC_T];

void mqdrt_start_tools(const char *call);
";

/// Pcontrol may have this many integers and pointers, and this many floating point numbers, as
/// variable arguments. The two kinds are passed in separate registers, so all are read and passed
/// on, whatever the program has passed.
const VARIABLE: usize = 8;

/// The C unit.
pub(crate) fn tools(tables: &Tables) -> String {
    let mut out = String::from(TOOLS_TOP);
    for function in &tables.functions {
        let (name, stem, result) = (&function.name, function.stem(), &function.result);
        let enumerator = enumerator(function);
        let (mut before, mut arguments) = (String::new(), String::new());
        if function.has("starts") {
            writeln!(before, "    mqdrt_start_tools(\"{name}\");").unwrap();
        }
        for parameter in &function.parameters {
            match parameter.kind.as_str() {
                "..." => variable(&mut before, &mut arguments, &function.parameters[0].name),
                _ => write!(arguments, ", {}", parameter.name).unwrap(),
            }
        }
        write!(
            out,
            "\n{result} mqdrt_tools_{stem}({})\n{{\n{before}    const struct mqdrt_first *first = \
             &mqdrt_first[{enumerator}];\n    return ((Q{name}_t \
             *)first->function)((MPI_Context)__builtin_return_address(0), \
             first->tool_id{arguments});\n}}\n",
            function.prototype
        )
        .unwrap();
    }
    out.push_str("\nvoid (*const mqdrt_tools[MPI_LAST_FUNC_T])(void) = {\n");
    for function in &tables.functions {
        writeln!(out, "    (void (*)(void))mqdrt_tools_{},", function.stem()).unwrap();
    }
    out.push_str("};\n");
    out
}

/// Reads a variable argument list that follows the parameter `last` into variables, and passes them
/// on.
fn variable(before: &mut String, arguments: &mut String, last: &str) {
    before.push_str("    va_list integers, numbers;\n");
    for (list, kind, letter) in [("integers", "long", 'i'), ("numbers", "double", 'd')] {
        writeln!(before, "    va_start({list}, {last});").unwrap();
        for n in 0..VARIABLE {
            writeln!(before, "    {kind} {letter}{n} = va_arg({list}, {kind});").unwrap();
            write!(arguments, ", {letter}{n}").unwrap();
        }
        writeln!(before, "    va_end({list});").unwrap();
    }
}
