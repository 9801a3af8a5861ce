//! The functions that a debug DLL exports.

use libloading::os::unix::Library;
use mqs_abi::{dll, extensions};

/// The functions of a debug DLL, named as in MQD 5.7 to 5.10 and in the extensions, without the
/// prefix `mqs_` or `mqd_`.
///
/// Functions that some DLLs in use lack are `Option`s.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "mqs_abi documents each function's type")]
pub struct Functions {
    pub setup_basic_callbacks: dll::mqs_setup_basic_callbacks,
    pub version_string: dll::mqs_version_string,
    pub version_compatibility: dll::mqs_version_compatibility,
    pub dll_taddr_width: Option<dll::mqs_dll_taddr_width>,
    pub dll_error_string: dll::mqs_dll_error_string,
    pub setup_image: dll::mqs_setup_image,
    pub image_has_queues: dll::mqs_image_has_queues,
    pub destroy_image_info: dll::mqs_destroy_image_info,
    pub setup_process: dll::mqs_setup_process,
    pub process_has_queues: dll::mqs_process_has_queues,
    pub destroy_process_info: dll::mqs_destroy_process_info,
    pub update_communicator_list: dll::mqs_update_communicator_list,
    pub setup_communicator_iterator: dll::mqs_setup_communicator_iterator,
    pub get_communicator: dll::mqs_get_communicator,
    pub get_comm_group: Option<dll::mqs_get_comm_group>,
    pub next_communicator: dll::mqs_next_communicator,
    pub setup_operation_iterator: dll::mqs_setup_operation_iterator,
    pub next_operation: dll::mqs_next_operation,
    pub get_comm_coll_state: Option<extensions::mqs_get_comm_coll_state>,
    pub get_call: Option<extensions::mqd_get_call>,
    pub get_stack_hints: Option<extensions::mqd_get_stack_hints>,
    pub get_loop_function: Option<extensions::mqd_get_loop_function>,
    pub set_awaited_word: Option<extensions::mqd_set_awaited_word>,
    pub get_send_function: Option<extensions::mqd_get_send_function>,
    pub set_no_other_senders: Option<extensions::mqd_set_no_other_senders>,
    pub get_background: Option<extensions::mqd_get_background>,
    pub get_source: Option<extensions::mqd_get_source>,
    pub get_process_names: Option<extensions::mqd_get_process_names>,
    pub get_remote_group: Option<extensions::mqd_get_remote_group>,
    pub get_parent: Option<extensions::mqd_get_parent>,
    pub is_awaited: Option<extensions::mqd_is_awaited>,
    pub setup_traffic_iterator: Option<extensions::mqd_setup_traffic_iterator>,
    pub next_traffic: Option<extensions::mqd_next_traffic>,
    pub setup_fifo_iterator: Option<extensions::mqd_setup_fifo_iterator>,
    pub next_fifo: Option<extensions::mqd_next_fifo>,
}

impl Functions {
    /// Finds all functions in a library, or names the first required one that it lacks.
    pub(super) fn find(library: &Library) -> Result<Functions, &'static str> {
        macro_rules! optional {
            ($name:ident) => {
                optional!(dll, $name)
            };
            ($interface:ident, $name:ident) => {
                // SAFETY: a library that exports a function of this name means the function of the
                // MQD interface, whose type this is. `Dll` keeps the library loaded as long as
                // the copied pointer.
                unsafe { library.get::<$interface::$name>(stringify!($name)) }
                    .ok()
                    .map(|symbol| *symbol)
            };
        }
        macro_rules! required {
            ($name:ident) => {
                optional!($name).ok_or(stringify!($name))?
            };
        }
        Ok(Functions {
            setup_basic_callbacks: required!(mqs_setup_basic_callbacks),
            version_string: required!(mqs_version_string),
            version_compatibility: required!(mqs_version_compatibility),
            dll_taddr_width: optional!(mqs_dll_taddr_width),
            dll_error_string: required!(mqs_dll_error_string),
            setup_image: required!(mqs_setup_image),
            image_has_queues: required!(mqs_image_has_queues),
            destroy_image_info: required!(mqs_destroy_image_info),
            setup_process: required!(mqs_setup_process),
            process_has_queues: required!(mqs_process_has_queues),
            destroy_process_info: required!(mqs_destroy_process_info),
            update_communicator_list: required!(mqs_update_communicator_list),
            setup_communicator_iterator: required!(mqs_setup_communicator_iterator),
            get_communicator: required!(mqs_get_communicator),
            get_comm_group: optional!(mqs_get_comm_group),
            next_communicator: required!(mqs_next_communicator),
            setup_operation_iterator: required!(mqs_setup_operation_iterator),
            next_operation: required!(mqs_next_operation),
            get_comm_coll_state: optional!(extensions, mqs_get_comm_coll_state),
            get_call: optional!(extensions, mqd_get_call),
            get_stack_hints: optional!(extensions, mqd_get_stack_hints),
            get_loop_function: optional!(extensions, mqd_get_loop_function),
            set_awaited_word: optional!(extensions, mqd_set_awaited_word),
            get_send_function: optional!(extensions, mqd_get_send_function),
            set_no_other_senders: optional!(extensions, mqd_set_no_other_senders),
            get_background: optional!(extensions, mqd_get_background),
            get_source: optional!(extensions, mqd_get_source),
            get_process_names: optional!(extensions, mqd_get_process_names),
            get_remote_group: optional!(extensions, mqd_get_remote_group),
            get_parent: optional!(extensions, mqd_get_parent),
            is_awaited: optional!(extensions, mqd_is_awaited),
            setup_traffic_iterator: optional!(extensions, mqd_setup_traffic_iterator),
            next_traffic: optional!(extensions, mqd_next_traffic),
            setup_fifo_iterator: optional!(extensions, mqd_setup_fifo_iterator),
            next_fifo: optional!(extensions, mqd_next_fifo),
        })
    }
}
