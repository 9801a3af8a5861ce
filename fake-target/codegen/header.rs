//! The C header `mpi.h`.

use std::fmt::Write;

use super::table::{Constant, ENUMERATIONS, HANDLES, Tables};

const TOP: &str = "\
/*
 * mpi.h - the MPI 5.0 standard ABI: types, constants and functions.
 *
 * Generated from the tables in fake-target/api; do not edit.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#ifndef MPI_H_ABI
#define MPI_H_ABI

#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;
typedef int MPI_Fint;

typedef struct MPI_Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int MPI_internal[5];
} MPI_Status;

/* Handles */
";

const BOTTOM: &str = "
/*
 * Names that older programs expect and that the ABI does not have. Define \
                      MQDRT_STANDARD_NAMES_ONLY to leave them out.
 */
#ifndef MQDRT_STANDARD_NAMES_ONLY

/* Handles and Fortran's integers */
";

const END: &str = "
#endif

#ifdef __cplusplus
}
#endif

/*
 * The draft of the function pointer interface for tools (QMPI) has its names in mpi.h. They do \
                   not belong to the standard.
 */
#ifndef MQDRT_STANDARD_NAMES_ONLY
#include \"qmpi.h\"
#endif

#endif
";

/// Routines removed in MPI 3.0 and the ones that replace them with the same parameters (MPI 3.0,
/// chapter 16).
const REMOVED: &[(&str, &str)] = &[
    ("MPI_Address", "MPI_Get_address"),
    ("MPI_Errhandler_create", "MPI_Comm_create_errhandler"),
    ("MPI_Errhandler_get", "MPI_Comm_get_errhandler"),
    ("MPI_Errhandler_set", "MPI_Comm_set_errhandler"),
    ("MPI_Handler_function", "MPI_Comm_errhandler_function"),
    ("MPI_Type_hindexed", "MPI_Type_create_hindexed"),
    ("MPI_Type_hvector", "MPI_Type_create_hvector"),
    ("MPI_Type_struct", "MPI_Type_create_struct"),
    ("MPI_COMBINER_HINDEXED_INTEGER", "MPI_COMBINER_HINDEXED"),
    ("MPI_COMBINER_HVECTOR_INTEGER", "MPI_COMBINER_HVECTOR"),
    ("MPI_COMBINER_STRUCT_INTEGER", "MPI_COMBINER_STRUCT"),
];

/// Routines removed in MPI 3.0 whose successor has other parameters.
const BOUNDS: &str = "\
static __inline int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent)
{
    MPI_Aint lb;
    return MPI_Type_get_extent(datatype, &lb, extent);
}
static __inline int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint *displacement)
{
    MPI_Aint extent;
    return MPI_Type_get_extent(datatype, displacement, &extent);
}
static __inline int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint *displacement)
{
    MPI_Aint lb, extent;
    int code = MPI_Type_get_extent(datatype, &lb, &extent);
    if (code == MPI_SUCCESS)
        *displacement = lb + extent;
    return code;
}
";

const STATUS_TYPES: &str = "
/*
 * Statuses and Fortran. A status has the same eight integers in each language. No Fortran program
 * can pass its MPI_STATUS_IGNORE here, so the constants are null pointers, as those of C.
 */
typedef MPI_Status MPI_F08_status;
#define MPI_F_STATUS_IGNORE ((MPI_Fint *)0)
#define MPI_F_STATUSES_IGNORE ((MPI_Fint *)0)
#define MPI_F08_STATUS_IGNORE ((MPI_F08_status *)0)
#define MPI_F08_STATUSES_IGNORE ((MPI_F08_status *)0)
";

/// The conversions of statuses; `{p}` is the prefix of the names.
const STATUSES: &str = "\
static __inline int {p}Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status)
{
    int i;
    if (!c_status || !f_status)
        return MPI_ERR_ARG;
    f_status[MPI_F_SOURCE] = c_status->MPI_SOURCE;
    f_status[MPI_F_TAG] = c_status->MPI_TAG;
    f_status[MPI_F_ERROR] = c_status->MPI_ERROR;
    for (i = MPI_F_ERROR + 1; i < MPI_F_STATUS_SIZE; i++)
        f_status[i] = c_status->MPI_internal[i - MPI_F_ERROR - 1];
    return MPI_SUCCESS;
}
static __inline int {p}Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status)
{
    int i;
    if (!f_status || !c_status)
        return MPI_ERR_ARG;
    c_status->MPI_SOURCE = f_status[MPI_F_SOURCE];
    c_status->MPI_TAG = f_status[MPI_F_TAG];
    c_status->MPI_ERROR = f_status[MPI_F_ERROR];
    for (i = MPI_F_ERROR + 1; i < MPI_F_STATUS_SIZE; i++)
        c_status->MPI_internal[i - MPI_F_ERROR - 1] = f_status[i];
    return MPI_SUCCESS;
}
static __inline int {p}Status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status)
{
    if (!c_status || !f08_status)
        return MPI_ERR_ARG;
    *f08_status = *c_status;
    return MPI_SUCCESS;
}
static __inline int {p}Status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status)
{ return {p}Status_c2f08(f08_status, c_status); }
static __inline int {p}Status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status)
{ return {p}Status_c2f(f08_status, f_status); }
static __inline int {p}Status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status)
{ return {p}Status_f2c(f_status, f08_status); }
";

/// The text of `mpi.h`.
pub(crate) fn generate(tables: &Tables) -> String {
    let mut out = String::from(TOP);
    for handle in HANDLES {
        writeln!(out, "typedef struct {} *{handle};", handle.replacen("MPI_", "MPI_ABI_", 1))
            .unwrap();
    }
    for enumeration in ENUMERATIONS {
        write!(out, "\ntypedef enum {enumeration} {{\n").unwrap();
        let members = tables.constants.iter().filter(|c| c.kind == *enumeration);
        let members: Vec<String> =
            members.map(|c| format!("    {} = {}", c.name, c.value)).collect();
        write!(out, "{}\n}} {enumeration};\n", members.join(",\n")).unwrap();
    }
    out.push_str("\n/* Function types */\n");
    for f in &tables.callbacks {
        writeln!(out, "typedef {} {}({});", f.result, f.name, f.prototype).unwrap();
    }
    let mut category = "";
    for c in tables.constants.iter().filter(|c| !ENUMERATIONS.contains(&c.kind.as_str())) {
        if c.category != category {
            category = &c.category;
            write!(out, "\n/* {} */\n", sentence(category)).unwrap();
        }
        writeln!(out, "#define {} {}", c.name, value(c)).unwrap();
    }
    for prefix in ["MPI_", "PMPI_"] {
        let title = if prefix == "MPI_" {
            "Functions"
        } else {
            "The same functions under the names of the profiling interface"
        };
        write!(out, "\n/* {title} */\n").unwrap();
        for f in &tables.functions {
            writeln!(out, "{} {prefix}{}({});", f.result, f.stem(), f.prototype).unwrap();
        }
    }
    out.push_str(BOTTOM);
    for f in &tables.functions {
        if let Some(handle) = f.stem().strip_suffix("_toint") {
            conversions(&mut out, handle, &f.prototype);
        }
    }
    out.push_str(STATUS_TYPES);
    ["MPI_", "PMPI_"].iter().for_each(|p| out.push_str(&STATUSES.replace("{p}", p)));
    out.push_str("\n/* Function types by the names that they had before MPI 2.2 */\n");
    for object in ["Comm", "File", "Session", "Win"] {
        let name = format!("MPI_{object}_errhandler");
        writeln!(out, "typedef {name}_function {name}_fn;").unwrap();
    }
    out.push_str("\n/* Routines removed in MPI 3.0, by the names of their successors */\n");
    for (removed, successor) in REMOVED {
        writeln!(out, "#define {removed} {successor}").unwrap();
    }
    out.push_str(BOUNDS);
    out.push_str(END);
    out
}

/// The conversions between a handle and Fortran's integer. They are functions, because programs
/// take their addresses.
fn conversions(out: &mut String, handle: &str, parameter: &str) {
    let (kind, name) = parameter.rsplit_once(' ').expect("a type and a name");
    for p in ["MPI_", "PMPI_"] {
        write!(
            out,
            "static __inline MPI_Fint {p}{handle}_c2f({parameter})\n\
             {{ return {p}{handle}_toint({name}); }}\n\
             static __inline {kind} {p}{handle}_f2c(MPI_Fint {name})\n\
             {{ return {p}{handle}_fromint({name}); }}\n"
        )
        .unwrap();
    }
}

/// The value of a constant as a C expression; plain numbers stay usable in `#if`.
fn value(constant: &Constant) -> String {
    let Constant { value, kind, .. } = constant;
    match kind.as_str() {
        "int" if *value < 0 => format!("({value})"),
        "int" => value.to_string(),
        kind if HANDLES.contains(&kind) => format!("(({kind}){value:#x})"),
        kind => format!("(({kind}){value})"),
    }
}

fn sentence(category: &str) -> String {
    let words = category.to_lowercase().replace('_', " ");
    words[..1].to_uppercase() + &words[1..]
}
