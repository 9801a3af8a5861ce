//! The interface itself: what is exported, what each function does with any argument of a debugger,
//! and its texts.

use crate::support::debugger::BASIC;
use crate::support::dll::{FUNCTIONS, dll, path};
use crate::support::machine::{Machine, natural};
use crate::support::model::Model;
use crate::support::process::{Placement, SyntheticProcess};
use crate::support::session::{Refusal, Session, error_text};
use mqs_abi::*;
use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::ffi::{CStr, c_int};
use std::ptr::{null, null_mut};

fn process(model: &Model) -> SyntheticProcess {
    let machine = Machine::LP64;
    SyntheticProcess::new(model, machine, natural(&machine), Placement::Slab)
}

fn busy() -> SyntheticProcess {
    process(&Model::busy(2, 3))
}

#[test]
fn exactly_the_functions_of_the_interface_are_exported() {
    let file = std::fs::read(path()).expect("the library is there");
    let file = object::File::parse(&*file).expect("it is an object file");
    let exported: BTreeSet<String> = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition())
        .map(|symbol| symbol.name().expect("symbols have names").to_owned())
        .collect();
    let header = include_str!("../../../mqs-abi/include/mpi_interface.h");
    let declared: BTreeSet<String> = header
        .lines()
        .filter_map(|line| line.strip_prefix("extern ").filter(|line| line.contains('(')))
        .map(|line| {
            line.split_once('(')
                .expect("a prototype")
                .0
                .rsplit([' ', '*'])
                .find(|word| !word.is_empty())
        })
        .map(|name| name.expect("a name").to_owned())
        .collect();
    assert_eq!(exported, declared);
    assert_eq!(exported, FUNCTIONS.iter().map(|name| (*name).to_owned()).collect());
    assert_eq!(exported.len(), 18 + 18);
}

#[test]
fn the_library_says_what_it_is() {
    // SAFETY: these ask for nothing.
    unsafe {
        let version = CStr::from_ptr((dll().mqs_version_string)()).to_str().expect("UTF-8");
        assert!(
            version.starts_with("libmqd ") && version.contains(env!("CARGO_PKG_VERSION")),
            "{version}"
        );
        assert_eq!((dll().mqs_version_compatibility)(), 2);
        assert_eq!((dll().mqs_dll_taddr_width)(), size_of::<mqs_taddr_t>() as c_int);
    }
}

#[test]
fn every_code_has_a_text_of_its_own() {
    let _session = Session::new(busy());
    let unknown = error_text(99);
    assert_eq!(unknown, "not an error code of libmqd");
    let mut texts = BTreeSet::new();
    for code in mqs_first_user_code.. {
        let text = error_text(code);
        if text == unknown {
            break;
        }
        assert!(text.len() > 20 && text.len() < 500, "{code}: {text}");
        assert!(texts.insert(text), "{code}");
    }
    assert!(texts.len() >= 15, "{}", texts.len());
    for code in [i32::MIN, -1, i32::MAX] {
        assert_eq!(error_text(code), unknown);
    }
    for code in [mqs_ok, mqs_no_information, mqs_end_of_list] {
        assert_ne!(error_text(code), unknown);
    }
}

/// Every function with every pointer NULL; each gives a code, none crashes.
#[test]
fn null_is_refused() {
    let session = Session::opened(busy());
    let refused = |code: c_int| {
        assert!(code >= mqs_first_user_code, "{code}");
        error_text(code)
    };
    let (image, process) = (session.debugger.image(), session.debugger.process());
    // SAFETY: NULL is what is tested; everything else is live.
    unsafe {
        let dll = dll();
        for text in [
            refused((dll.mqs_setup_image)(null_mut(), &session.debugger.image_callbacks)),
            refused((dll.mqs_setup_image)(image, null())),
            refused((dll.mqs_image_has_queues)(null_mut(), null_mut())),
            refused((dll.mqs_setup_process)(null_mut(), &session.debugger.process_callbacks)),
            refused((dll.mqs_setup_process)(process, null())),
            refused((dll.mqs_process_has_queues)(null_mut(), null_mut())),
            refused((dll.mqs_update_communicator_list)(null_mut())),
            refused((dll.mqs_setup_communicator_iterator)(null_mut())),
            refused((dll.mqs_get_communicator)(null_mut(), null_mut())),
            refused((dll.mqs_get_comm_group)(null_mut(), null_mut())),
            refused((dll.mqs_next_communicator)(null_mut())),
            refused((dll.mqs_setup_operation_iterator)(null_mut(), 0)),
            refused((dll.mqs_next_operation)(null_mut(), null_mut())),
            refused((dll.mqs_get_comm_coll_state)(null_mut(), 0, null_mut(), null_mut())),
            refused((dll.mqd_get_call)(null_mut(), null_mut())),
            refused((dll.mqd_get_stack_hints)(null_mut(), null_mut())),
            refused((dll.mqd_is_awaited)(null_mut(), null_mut())),
            refused((dll.mqd_get_loop_function)(null_mut(), null_mut())),
            refused((dll.mqd_set_awaited_word)(null_mut(), 0)),
            refused((dll.mqd_get_send_function)(null_mut(), null_mut())),
            refused((dll.mqd_set_no_other_senders)(null_mut())),
            refused((dll.mqd_get_background)(null_mut(), null_mut())),
            refused((dll.mqd_get_source)(null_mut(), 0, null_mut())),
            refused((dll.mqd_get_process_names)(null_mut(), 0, 0, null_mut(), null_mut())),
            refused((dll.mqd_get_remote_group)(null_mut(), 0, null_mut(), null_mut())),
            refused((dll.mqd_get_parent)(null_mut(), null_mut())),
            refused((dll.mqd_next_operations)(null_mut(), 1, null_mut(), null_mut())),
            refused((dll.mqd_next_operations)(null_mut(), 1, &mut std::mem::zeroed(), &mut 0)),
            refused((dll.mqd_next_operations)(process, 1, null_mut(), &mut 0)),
            refused((dll.mqd_next_operations)(process, 1, &mut std::mem::zeroed(), null_mut())),
            refused((dll.mqd_setup_traffic_iterator)(null_mut())),
            refused((dll.mqd_next_traffic)(null_mut(), null_mut())),
            refused((dll.mqd_setup_fifo_iterator)(null_mut())),
            refused((dll.mqd_next_fifo)(null_mut(), null_mut())),
        ] {
            assert!(text.contains("NULL"), "{text}");
        }
        assert_eq!((dll.mqs_destroy_image_info)(null_mut()), mqs_ok);
        assert_eq!((dll.mqs_destroy_process_info)(null_mut()), mqs_ok);
    }
}

/// Places for an answer may be NULL.
#[test]
fn answers_need_not_be_taken() {
    let session = Session::opened(busy());
    let refused = |code: c_int| assert!(code >= mqs_first_user_code, "{code}");
    let (image, process) = (session.debugger.image(), session.debugger.process());
    // SAFETY: NULL is what is tested; everything else is live.
    unsafe {
        let dll = dll();
        assert_eq!((dll.mqs_image_has_queues)(image, null_mut()), mqs_ok);
        assert_eq!((dll.mqs_process_has_queues)(process, null_mut()), mqs_ok);
        session.update().expect("everything can be read");
        assert_eq!((dll.mqs_setup_communicator_iterator)(process), mqs_ok);
        assert_eq!((dll.mqs_get_communicator)(process, null_mut()), mqs_ok);
        assert_eq!((dll.mqs_get_comm_group)(process, null_mut()), mqs_ok);
        assert_eq!((dll.mqd_get_remote_group)(process, 9, null_mut(), null_mut()), mqs_ok);
        assert_eq!((dll.mqd_get_parent)(process, null_mut()), mqs_no_information);
        assert_eq!((dll.mqs_setup_operation_iterator)(process, mqs_pending_receives), mqs_ok);
        refused((dll.mqs_next_operation)(process, null_mut()));
        assert_eq!((dll.mqs_get_comm_coll_state)(process, 0, null_mut(), null_mut()), mqs_ok);
        assert_eq!((dll.mqd_get_call)(process, null_mut()), mqs_end_of_list);
        // The companion runtime says what a process does, and whether threads may do more.
        assert_eq!((dll.mqd_get_stack_hints)(process, null_mut()), mqs_ok);
        assert_eq!((dll.mqd_is_awaited)(process, null_mut()), mqs_no_information);
        // The companion runtime tells itself what a process waits for.
        assert_eq!((dll.mqd_get_loop_function)(process, null_mut()), mqs_no_information);
        assert_eq!((dll.mqd_set_awaited_word)(process, 8), mqs_ok);
        assert_eq!((dll.mqd_get_send_function)(process, null_mut()), mqs_no_information);
        assert_eq!((dll.mqd_set_no_other_senders)(process), mqs_ok);
        assert_eq!((dll.mqd_get_background)(process, null_mut()), mqs_no_information);
        // Its queues are in no other library.
        assert_eq!((dll.mqd_get_source)(process, 0, null_mut()), mqs_end_of_list);
        assert_eq!((dll.mqd_get_source)(process, -1, null_mut()), mqs_end_of_list);
        // The companion runtime numbers the ranks of all jobs that know each other.
        assert_eq!(
            (dll.mqd_get_process_names)(process, 0, 0, null_mut(), null_mut()),
            mqs_no_information
        );
        assert_eq!((dll.mqd_setup_traffic_iterator)(process), mqs_ok);
        refused((dll.mqd_next_traffic)(process, null_mut()));
        // The companion runtime counts messages.
        assert_eq!((dll.mqd_setup_fifo_iterator)(process), mqs_no_information);
        refused((dll.mqd_next_fifo)(process, null_mut()));
        assert_eq!((dll.mqd_next_fifo)(process, &mut std::mem::zeroed()), mqs_end_of_list);
    }
}

#[test]
fn calls_out_of_order_are_refused() {
    let mut session = Session::new(busy());
    let process = session.debugger.process();
    let text = |code: c_int| error_text(code);
    // SAFETY: a live debugger.
    unsafe {
        let dll = dll();
        assert!(
            text((dll.mqs_image_has_queues)(session.debugger.image(), null_mut()))
                .contains("set up")
        );
        assert!(text((dll.mqs_update_communicator_list)(process)).contains("set up"));
        session.open_image().expect("there are queues");
        assert!(text((dll.mqs_get_communicator)(process, null_mut())).contains("set up"));
        session.open_process().expect("there are queues");
        assert!(
            text((dll.mqs_setup_communicator_iterator)(process))
                .contains("mqs_update_communicator_list")
        );
        assert!(
            text((dll.mqs_next_communicator)(process)).contains("mqs_update_communicator_list")
        );
        assert!(
            text((dll.mqd_get_call)(process, null_mut())).contains("mqs_update_communicator_list")
        );
        assert_eq!(
            (dll.mqd_next_operations)(process, 1, &mut std::mem::zeroed(), &mut 0),
            mqs_end_of_list
        );
        assert!(
            text((dll.mqd_get_stack_hints)(process, null_mut()))
                .contains("mqs_update_communicator_list")
        );
        session.update().expect("everything can be read");
        assert!(text((dll.mqs_setup_operation_iterator)(process, 3)).contains("three queues"));
        assert!(text((dll.mqs_setup_operation_iterator)(process, -1)).contains("three queues"));
        let mut operation = std::mem::zeroed();
        assert_eq!(
            (dll.mqs_next_operation)(process, &mut operation),
            mqs_end_of_list,
            "no queue was chosen"
        );
        let mut number = 77;
        let mut some = std::mem::zeroed();
        assert_eq!((dll.mqd_next_operations)(process, 1, &mut some, &mut number), mqs_end_of_list);
        assert_eq!(number, 0);
        let mut traffic = std::mem::zeroed();
        assert_eq!(
            (dll.mqd_next_traffic)(process, &mut traffic),
            mqs_end_of_list,
            "no iteration was begun"
        );
        assert_eq!((dll.mqd_setup_traffic_iterator)(process), mqs_ok);
        // Beyond the last communicator there is nothing.
        assert_eq!((dll.mqs_next_communicator)(process), mqs_ok);
        assert_eq!((dll.mqs_next_communicator)(process), mqs_end_of_list);
        assert_eq!((dll.mqs_next_communicator)(process), mqs_end_of_list);
        assert_eq!((dll.mqs_get_communicator)(process, null_mut()), mqs_end_of_list);
        assert_eq!((dll.mqs_get_comm_group)(process, null_mut()), mqs_end_of_list);
        assert_eq!((dll.mqd_get_remote_group)(process, 0, null_mut(), null_mut()), mqs_end_of_list);
        assert_eq!((dll.mqd_get_parent)(process, null_mut()), mqs_no_information);
        assert_eq!((dll.mqs_setup_operation_iterator)(process, 0), mqs_end_of_list);
        assert_eq!((dll.mqs_next_operation)(process, &mut operation), mqs_end_of_list);
        assert_eq!((dll.mqd_next_operations)(process, 1, &mut some, &mut number), mqs_end_of_list);
        assert_eq!((dll.mqd_is_awaited)(process, null_mut()), mqs_no_information);
        assert_eq!(
            (dll.mqs_get_comm_coll_state)(process, 0, null_mut(), null_mut()),
            mqs_no_information
        );
        assert_eq!((dll.mqd_next_traffic)(process, &mut traffic), mqs_end_of_list);
        assert_eq!((dll.mqd_setup_traffic_iterator)(process), mqs_no_information);
        assert_eq!((dll.mqs_setup_communicator_iterator)(process), mqs_ok);
        assert_eq!((dll.mqs_get_communicator)(process, null_mut()), mqs_ok);
    }
}

/// The refusal of a session with something missing.
fn refusal_without(remove: impl FnOnce(&mut Session)) -> Refusal {
    let mut session = Session::new(busy());
    remove(&mut session);
    session.open().and_then(|()| session.update()).expect_err("something is missing")
}

#[test]
fn a_missing_callback_is_named() {
    macro_rules! check {
        ($($table:ident . $callback:ident)*) => {$(
            let refusal = refusal_without(|session| session.debugger.$table.$callback = None);
            assert!(refusal.text.contains(stringify!($callback)), "{refusal:?}");
        )*};
    }
    check! {
        image_callbacks.mqs_find_symbol_fp
        image_callbacks.mqs_find_type_fp
        image_callbacks.mqs_field_offset_fp
        image_callbacks.mqs_sizeof_fp
        image_callbacks.mqs_get_type_sizes_fp
        process_callbacks.mqs_get_image_fp
        process_callbacks.mqs_fetch_data_fp
        process_callbacks.mqs_target_to_host_fp
    }
    // These two are not needed.
    let mut session = Session::new(busy());
    session.debugger.image_callbacks.mqs_find_function_fp = None;
    session.debugger.process_callbacks.mqs_get_global_rank_fp = None;
    session.open().expect("there are queues");
    assert_eq!(session.read().len(), 2);
}

#[test]
fn missing_basic_callbacks_are_survived() {
    let mut session = Session::new(busy());
    let image = session.debugger.image();
    macro_rules! without {
        ($($callback:ident)*) => {{
            let mut table = BASIC;
            $(table.$callback = None;)*
            // SAFETY: the table outlives the call of `mqs_setup_image`, and is replaced after it.
            unsafe {
                (dll().mqs_setup_basic_callbacks)(&table);
                let code = (dll().mqs_setup_image)(image, &session.debugger.image_callbacks);
                let text = error_text(code);
                (dll().mqs_setup_basic_callbacks)(&BASIC);
                (code, text)
            }
        }};
    }
    let (code, text) = without!(mqs_malloc_fp);
    assert!(code >= mqs_first_user_code && text.contains("no more memory"), "{text}");
    let (code, text) = without!(mqs_put_image_info_fp);
    assert!(code >= mqs_first_user_code && text.contains("mqs_put_image_info_fp"), "{text}");
    let (code, _) =
        without!(mqs_dprints_fp mqs_errorstring_fp mqs_get_image_info_fp mqs_get_process_info_fp);
    assert_eq!(code, mqs_ok);
    // SAFETY: NULL is what is tested; what the call above attached is given back first.
    unsafe {
        session.close();
        (dll().mqs_setup_basic_callbacks)(null());
        let code = (dll().mqs_setup_image)(image, &session.debugger.image_callbacks);
        assert!(code >= mqs_first_user_code);
        assert!(!error_text(code).is_empty());
        (dll().mqs_setup_basic_callbacks)(&BASIC);
    }
    session.open().expect("there are queues");
}

#[test]
fn an_image_without_queues_says_what_is_missing() {
    let refusal = refusal_without(|session| {
        session.debugger.process.symbols.clear();
        session.debugger.process.functions.clear();
    });
    let message = refusal.message.expect("a message");
    assert!(message.starts_with("NAME: no MPI library is loaded"), "{message}");

    let refusal = refusal_without(|session| session.debugger.process.symbols.clear());
    let message = refusal.message.expect("a message");
    assert!(message.contains("mqdrt_root"), "{message}");

    let types = ["process", "communicator", "group", "datatype", "request", "message"]
        .map(|t| format!("mqdrt_{t}"));
    for name in &types {
        let refusal = refusal_without(|session| session.debugger.forget_type(name));
        let message = refusal.message.expect("a message");
        assert!(
            message.contains("debug information is missing") && message.contains(name.as_str()),
            "{message}"
        );
        for size in [0, 1 << 20, usize::MAX] {
            let refusal = refusal_without(|session| session.debugger.set_type_size(name, size));
            let message = refusal.message.expect("a message");
            assert!(
                message.contains("different versions") && message.contains(name.as_str()),
                "{message}"
            );
        }
        let fields: Vec<String> = busy().layouts[name].offsets.keys().cloned().collect();
        for field in fields {
            let refusal = refusal_without(|session| session.debugger.forget_field(name, &field));
            let message = refusal.message.expect("a message");
            assert!(message.contains(&format!("[{name}.{field}]")), "{message}");
        }
    }
}

#[test]
fn an_image_gets_its_queues_when_the_library_is_loaded() {
    let mut session = Session::new(busy());
    let symbols = std::mem::take(&mut session.debugger.process.symbols);
    session.open_image().expect_err("the library is not loaded");
    session.debugger.process.symbols = symbols;
    session.image_has_queues().expect("now it is");
    session.open_process().expect("there are queues");
}

#[test]
fn a_process_outside_of_mpi_says_so() {
    // The host knows these codes.
    for (phase, text, code) in [(0, "not initialised yet", 114), (2, "finalised", 115)] {
        let mut model = Model::busy(1, 1);
        model.phase = phase;
        let mut session = Session::new(process(&model));
        let refusal = session.open().expect_err("there are no queues");
        let message = refusal.message.expect("a message");
        assert!(message.starts_with("NAME: MPI is ") && message.contains(text), "{message}");
        assert_eq!(refusal.code, code);
        // A debugger that does not ask gets the same answer, and nothing to iterate over.
        let refusal = session.update().expect_err("there are no queues");
        assert!(refusal.text.contains(text));
        assert!(session.dump().is_empty());
        // The process runs on.
        session.debugger.process = busy();
        session.process_has_queues().expect("now there are");
        assert_eq!(session.read().len(), 2);
    }
}

#[test]
fn another_version_of_the_runtime_is_refused() {
    let mut model = Model::busy(1, 1);
    model.layout_version = 1;
    let refusal = Session::new(process(&model)).open().expect_err("an unknown version");
    assert!(refusal.message.expect("a message").contains("mqdrt_process.layout_version"));
}

#[test]
fn an_error_tells_its_place_and_what_the_debugger_said() {
    let mut session = Session::opened(busy());
    session.debugger.fetch_error = 77;
    let request = session.debugger.process.object("mqdrt_request", 1);
    session.debugger.process.set("mqdrt_request", 0, "next", 0x6660);
    let refusal = session.update().expect_err("a wild pointer");
    assert!(
        refusal
            .text
            .contains("[mqdrt_request at 0x6660; the debugger says: the moon is in the way"),
        "{}",
        refusal.text
    );
    session.debugger.process.set("mqdrt_request", 0, "next", request as i64);
    session.debugger.process.set("mqdrt_request", 1, "kind", 99);
    let refusal = session.update().expect_err("no such kind");
    assert!(
        refusal.text.contains(&format!("[mqdrt_request.kind at {request:#x}]")),
        "{}",
        refusal.text
    );
    // In a message, only the name's %s is left of all percent signs; `Session` checks that.
    session.debugger.process.symbols.insert("mqdrt_root".to_owned(), 0x10);
    let message = session.process_has_queues().expect_err("unreadable").message.expect("a message");
    assert!(message.contains("the moon is in the way, 100s sure"), "{message}");
}

#[test]
fn a_call_from_inside_a_callback_is_refused() {
    let session = Session::opened(busy());
    let process = session.debugger.process().addr();
    let seen = std::rc::Rc::new(std::cell::Cell::new(0));
    let code = seen.clone();
    *session.debugger.tamper.borrow_mut() = Some(Box::new(move |_, _| {
        // SAFETY: the live debugger of this session.
        code.set(unsafe {
            (dll().mqs_next_communicator)(std::ptr::with_exposed_provenance_mut(process))
        });
        mqs_ok
    }));
    session.update().expect("everything can be read");
    assert!(error_text(seen.get()).contains("already reading"), "{}", seen.get());
}
