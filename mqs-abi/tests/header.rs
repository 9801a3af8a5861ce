//! `mpi_interface.h` and this crate say the same: a C program compiled against the header prints
//! sizes, offsets and values, Rust prints its own, and the two are compared.

use mqs_abi::extensions::{
    mqd_call, mqd_fifo, mqd_operation, mqd_process_name, mqd_stack_hints, mqd_traffic,
};
use mqs_abi::*;
use std::fmt::Write;
use std::mem::{offset_of, size_of};
use std::path::{Path, PathBuf};
use std::process::Command;

/// One line for each size, offset and value, from both sides.
struct Both {
    /// Statements of the C program.
    c: String,
    /// What Rust says they print.
    rust: String,
}

impl Both {
    fn value(&mut self, c_expression: &str, rust: i128) {
        writeln!(self.c, "  printf(\"{c_expression} %lld\\n\", (long long)({c_expression}));")
            .expect("a string");
        writeln!(self.rust, "{c_expression} {rust}").expect("a string");
    }
}

macro_rules! constants {
    ($both:ident: $($name:ident)*) => {$( $both.value(stringify!($name), $name as i128); )*};
}

macro_rules! structures {
    ($both:ident: $($name:ident { $($field:ident)* })*) => {$(
        let mut end = 0;
        $both.value(concat!("sizeof(", stringify!($name), ")"), size_of::<$name>() as i128);
        $(
            let name = stringify!($field);
            let (offset, size) =
                (offset_of!($name, $field), size_of_field(|s: &$name| &raw const s.$field));
            $both.value(concat!("offsetof(", stringify!($name), ", ", stringify!($field), ")"),
                offset as i128);
            $both.value(concat!("sizeof(((", stringify!($name), " *)0)->", stringify!($field), ")"),
                size as i128);
            assert!(offset - end < align_of::<$name>(), "a field is missing before {name}");
            end = offset + size;
        )*
        let name = stringify!($name);
        assert!(size_of::<$name>() - end < align_of::<$name>(), "{name} lacks its last field");
    )*};
}

fn size_of_field<S, F>(_: impl Fn(&S) -> *const F) -> usize {
    size_of::<F>()
}

fn both() -> Both {
    let mut both = Both { c: String::new(), rust: String::new() };
    constants! { both:
        mqs_lang_c mqs_lang_cplus mqs_lang_f77 mqs_lang_f90
        mqs_pending_sends mqs_pending_receives mqs_unexpected_messages
        MQS_INTERFACE_COMPATIBILITY
        mqs_st_pending mqs_st_matched mqs_st_complete
        mqs_ok mqs_no_information mqs_end_of_list mqs_first_user_code
        MQS_INVALID_PROCESS
    }
    both.value("sizeof(mqs_taddr_t)", size_of::<mqs_taddr_t>() as i128);
    both.value("(mqs_taddr_t)-1 > 0", i128::from(mqs_taddr_t::MIN == 0));
    both.value("sizeof(mqs_tword_t)", size_of::<mqs_tword_t>() as i128);
    both.value("(mqs_tword_t)-1 < 0", i128::from(mqs_tword_t::MIN < 0));
    both.value("sizeof(mqs_lang_code)", size_of::<mqs_lang_code>() as i128);
    both.value("sizeof(mqs_op_class)", size_of::<mqs_op_class>() as i128);
    both.value("sizeof(((mqs_communicator *)0)->name)", MQS_TEXT_BYTES as i128);
    both.value("sizeof(((mqs_pending_operation *)0)->extra_text[0])", MQS_TEXT_BYTES as i128);
    both.value(
        "sizeof(((mqs_pending_operation *)0)->extra_text)",
        (MQS_TEXT_LINES * MQS_TEXT_BYTES) as i128,
    );
    structures! { both:
        mqs_target_type_sizes { short_size int_size long_size long_long_size pointer_size }
        mqs_communicator { unique_id local_rank size name }
        mqs_pending_operation {
            status desired_local_rank desired_global_rank tag_wild desired_tag desired_length
            system_buffer buffer
            actual_local_rank actual_global_rank actual_tag actual_length extra_text
        }
        mqs_basic_callbacks {
            mqs_malloc_fp mqs_free_fp mqs_dprints_fp mqs_errorstring_fp
            mqs_put_image_info_fp mqs_get_image_info_fp
            mqs_put_process_info_fp mqs_get_process_info_fp
        }
        mqs_image_callbacks {
            mqs_get_type_sizes_fp mqs_find_function_fp mqs_find_symbol_fp mqs_find_type_fp
            mqs_field_offset_fp mqs_sizeof_fp
        }
        mqs_process_callbacks {
            mqs_get_global_rank_fp mqs_get_image_fp mqs_fetch_data_fp mqs_target_to_host_fp
        }
        mqd_call { needed function }
        mqd_fifo { id rank elements }
        mqd_operation { operation awaited }
        mqd_stack_hints { threads progress }
        mqd_process_name { job rank }
        mqd_traffic { local_rank sent received }
    }
    both
}

fn include() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include")
}

/// Compiles `source` with every warning an error.
fn compile(compiler: &str, standard: &str, source: &Path, output: &Path, link: bool) {
    let mut command = Command::new(compiler);
    command
        .arg(format!("-std={standard}"))
        .args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-I"])
        .arg(include());
    command.args(if link { &[][..] } else { &["-c"] }).arg("-o").args([output, source]);
    let result =
        command.output().unwrap_or_else(|error| panic!("{compiler} cannot be run: {error}"));
    assert!(
        result.status.success(),
        "{compiler} -std={standard}:\n{}",
        String::from_utf8_lossy(&result.stderr)
    );
}

#[test]
fn c_and_rust_agree_on_every_size_offset_and_value() {
    let both = both();
    let directory = tempfile::tempdir().expect("a directory");
    let (source, program) = (directory.path().join("abi.c"), directory.path().join("abi"));
    // C99 has `long long`; the header itself does not need it.
    let text = format!(
        "#include \"mpi_interface.h\"\n#include <stdio.h>\nint main(void)\n{{\n{}  return 0;\n}}\n",
        both.c
    );
    std::fs::write(&source, text).expect("can be written");
    compile("cc", "c99", &source, &program, true);
    let output = Command::new(&program).output().expect("the program runs");
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).expect("ASCII");
    assert!(printed.lines().count() > 100, "{printed}");
    for (c, rust) in printed.lines().zip(both.rust.lines()) {
        assert_eq!(c, rust);
    }
    assert_eq!(printed, both.rust);
}

#[test]
fn the_header_is_clean_c_and_cpp() {
    let directory = tempfile::tempdir().expect("a directory");
    let object = directory.path().join("header.o");
    // Twice: the header guards itself. With FOR_MPI2: the variant of 5.4.3.
    let text = "#include \"mpi_interface.h\"\n#include \"mpi_interface.h\"\nint \
                answer(void);\nint answer(void) { return mqs_dll_taddr_width() == \
                (int)sizeof(mqs_taddr_t); }\n";
    for (compiler, extension, standards) in [
        ("cc", "c", ["c90", "c99", "c11", "c17"]),
        ("c++", "cc", ["c++98", "c++11", "c++17", "c++20"]),
    ] {
        for define in ["", "#define FOR_MPI2\n"] {
            let source = directory.path().join(format!("header.{extension}"));
            std::fs::write(&source, format!("{define}{text}")).expect("can be written");
            for standard in standards {
                compile(compiler, standard, &source, &object, false);
            }
        }
    }
}

/// Each prototype of the header, as a call with arguments of exactly its types.
const CALLS: &str = r#"
#include "mpi_interface.h"
typedef void  (*setup_basic)(const mqs_basic_callbacks*);
typedef char* (*text)(void);
typedef int   (*number)(void);
typedef char* (*error_text)(int);
typedef int   (*setup_image)(mqs_image*, const mqs_image_callbacks*);
typedef int   (*image_has)(mqs_image*, char**);
typedef int   (*end_image)(mqs_image_info*);
typedef int   (*setup_process)(mqs_process*, const mqs_process_callbacks*);
typedef int   (*process_has)(mqs_process*, char**);
typedef int   (*end_process)(mqs_process_info*);
typedef int   (*step)(mqs_process*);
typedef int   (*get_comm)(mqs_process*, mqs_communicator*);
typedef int   (*get_group)(mqs_process*, int*);
typedef int   (*setup_op)(mqs_process*, int);
typedef int   (*next_op)(mqs_process*, mqs_pending_operation*);
extern setup_basic a; setup_basic a = mqs_setup_basic_callbacks;
extern text b; text b = mqs_version_string;
extern number c[2]; number c[2] = { mqs_version_compatibility, mqs_dll_taddr_width };
extern error_text d; error_text d = mqs_dll_error_string;
extern setup_image e; setup_image e = mqs_setup_image;
extern image_has f; image_has f = mqs_image_has_queues;
extern end_image g; end_image g = mqs_destroy_image_info;
extern setup_process h; setup_process h = mqs_setup_process;
extern process_has i; process_has i = mqs_process_has_queues;
extern end_process j; end_process j = mqs_destroy_process_info;
extern step k[3];
step k[3] = {
  mqs_update_communicator_list, mqs_setup_communicator_iterator, mqs_next_communicator
};
extern get_comm l; get_comm l = mqs_get_communicator;
extern get_group m; get_group m = mqs_get_comm_group;
extern setup_op n; setup_op n = mqs_setup_operation_iterator;
extern next_op o; next_op o = mqs_next_operation;
typedef int   (*coll_state)(mqs_process*, int, int*, int*);
typedef int   (*get_call)(mqs_process*, mqd_call*);
typedef int   (*get_hints)(mqs_process*, mqd_stack_hints*);
typedef int   (*is_awaited)(mqs_process*, int*);
typedef int   (*loop_function)(mqs_process*, char*);
typedef int   (*source)(mqs_process*, int, char*);
typedef int   (*set_word)(mqs_process*, mqs_taddr_t);
typedef int   (*names)(mqs_process*, int, int, mqd_process_name*, int*);
typedef int   (*remote)(mqs_process*, int, int*, int*);
typedef int   (*parent)(mqs_process*, mqs_taddr_t*);
typedef int   (*next_ops)(mqs_process*, int, mqd_operation*, int*);
typedef int   (*next_traffic)(mqs_process*, mqd_traffic*);
typedef int   (*next_fifo)(mqs_process*, mqd_fifo*);
extern coll_state p; coll_state p = mqs_get_comm_coll_state;
extern get_call q; get_call q = mqd_get_call;
extern get_hints u; get_hints u = mqd_get_stack_hints;
extern is_awaited r; is_awaited r = mqd_is_awaited;
extern loop_function y; loop_function y = mqd_get_loop_function;
extern set_word z; set_word z = mqd_set_awaited_word;
extern loop_function ad; loop_function ad = mqd_get_send_function;
extern step ae; step ae = mqd_set_no_other_senders;
extern is_awaited aa; is_awaited aa = mqd_get_background;
extern source ab; source ab = mqd_get_source;
extern names ac; names ac = mqd_get_process_names;
extern remote af; remote af = mqd_get_remote_group;
extern parent ag; parent ag = mqd_get_parent;
extern step s; step s = mqd_setup_traffic_iterator;
extern next_traffic t; next_traffic t = mqd_next_traffic;
extern next_ops v; next_ops v = mqd_next_operations;
extern step w; step w = mqd_setup_fifo_iterator;
extern next_fifo x; next_fifo x = mqd_next_fifo;
"#;

#[test]
fn the_prototypes_are_those_of_the_document() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("calls.c");
    std::fs::write(&source, CALLS).expect("can be written");
    compile("cc", "c90", &source, &directory.path().join("calls.o"), false);
}
