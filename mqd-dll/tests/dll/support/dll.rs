//! The library under test, built and loaded.

use mqs_abi::{dll, extensions};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

macro_rules! functions {
    ($($module:ident: $($name:ident)*;)*) => {
        pub struct Dll { $($(pub $name: $module::$name,)*)* }

        /// The functions of the interface and those beyond it, by name.
        pub const FUNCTIONS: &[&str] = &[$($(stringify!($name)),*),*];

        fn load() -> Dll {
            // SAFETY: the library's initialisers are those of the Rust runtime; the types are those
            // of the interface.
            unsafe {
                let library = libloading::Library::new(path()).expect("libmqd.so can be loaded");
                let functions = Dll {
                    $($($name: *library.get(stringify!($name)).expect(stringify!($name)),)*)*
                };
                std::mem::forget(library);
                functions
            }
        }
    };
}

functions! {
    dll:
    mqs_setup_basic_callbacks
    mqs_version_string mqs_version_compatibility mqs_dll_taddr_width mqs_dll_error_string
    mqs_setup_image mqs_image_has_queues mqs_destroy_image_info
    mqs_setup_process mqs_process_has_queues mqs_destroy_process_info
    mqs_update_communicator_list
    mqs_setup_communicator_iterator mqs_get_communicator mqs_get_comm_group mqs_next_communicator
    mqs_setup_operation_iterator mqs_next_operation;
    extensions:
    mqs_get_comm_coll_state mqd_get_call mqd_get_stack_hints mqd_is_awaited mqd_next_operations
    mqd_get_loop_function mqd_set_awaited_word mqd_get_background mqd_get_source
    mqd_get_process_names mqd_get_remote_group mqd_get_parent
    mqd_get_send_function mqd_set_no_other_senders
    mqd_setup_traffic_iterator mqd_next_traffic mqd_setup_fifo_iterator mqd_next_fifo;
}

pub fn dll() -> &'static Dll {
    static DLL: OnceLock<Dll> = OnceLock::new();
    DLL.get_or_init(load)
}

/// The library of the profile that the tests were built with. Cargo builds no shared library for
/// tests, so this function does.
pub fn path() -> &'static PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let executable = std::env::current_exe().expect("tests have a path");
        let directory = executable.ancestors().nth(2).expect("target/<profile>/deps/<test>");
        if std::env::var_os(super::super::quiet::CHILD).is_none() {
            let profile = match directory.file_name().and_then(|name| name.to_str()) {
                Some("debug") | None => "dev",
                Some(profile) => profile,
            };
            let status = Command::new(env!("CARGO"))
                .args([
                    "build",
                    "--quiet",
                    "--lib",
                    "--package",
                    "libmqd",
                    "--profile",
                    profile,
                    "--manifest-path",
                ])
                .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
                .arg("--target-dir")
                .arg(directory.parent().expect("target"))
                .status()
                .expect("cargo runs");
            assert!(status.success(), "cargo build of libmqd.so failed");
        }
        directory.join("libmqd.so")
    })
}
