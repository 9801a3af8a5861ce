//! Which layout is taken, and what is refused.

use super::BOTH;
use crate::support::machine::{Layouts, Machine};
use crate::support::open_mpi::{Model, Receive, Send, Series, Writer, of_table, random};
use crate::support::session::{Refusal, Session};

/// A process with the structures of a release, of which the debugger knows nothing.
fn stripped(model: &Model, layouts: Layouts) -> Session {
    let process = Writer::write(model, Machine::LP64, layouts);
    let mut session = Session::new(process);
    session.debugger.forget_all_types();
    session
}

fn refused(model: &Model, layouts: Layouts) -> Refusal {
    stripped(model, layouts).open().expect_err("it is not read")
}

#[test]
fn a_stripped_library_is_read_by_its_table() {
    for series in BOTH {
        for seed in 0..60 {
            let layouts = of_table(series);
            let mut model = random(seed, series);
            model.version = ["4.1.4", "4.1.8", "5.0.7", "5.0.11rc1", "", "9"][seed as usize % 6];
            let expected = model.expected(&layouts);
            let mut session = stripped(&model, layouts);
            session.open().expect("the table fits");
            assert_eq!(session.read(), expected, "{series:?}, seed {seed}");
        }
    }
}

#[test]
fn a_library_without_its_version_or_its_state_is_read() {
    for name in ["ompi_version_string", "ompi_mpi_state", "mca_pml_base_selected_component"] {
        let mut session = stripped(&Model::world(1, 4), of_table(Series::Four));
        session.debugger.process.symbols.remove(name);
        session.open().expect("it is not needed");
        assert_eq!(session.read().len(), 2);
    }
}

#[test]
fn a_library_that_no_table_fits_is_refused() {
    for (ty, change) in [
        ("ompi_communicator_t", 8),
        ("ompi_group_t", 8),
        ("mca_pml_ob1_comm_t", 16),
        ("mca_pml_ob1_recv_request_t", 8),
        ("mca_pml_ob1_send_request_t", 8),
    ] {
        let mut layouts = of_table(Series::Four);
        layouts.get_mut(ty).expect("a structure").size += change;
        let refusal = refused(&Model::world(1, 4), layouts);
        assert!(refusal.text.contains("no layout table fits"), "{}", refusal.text);
        assert!(
            refusal.text.contains("MQD_LAYOUT_DIR") && refusal.text.contains(ty),
            "{}",
            refusal.text
        );
        assert!(refusal.message.is_some_and(|message| message.contains("NAME")));
    }
}

#[test]
fn types_that_do_not_fit_are_not_believed() {
    // The debugger has types of another build: the process says what its classes are.
    let model = Model { receives: vec![Receive::new(0, 2, 5)], ..Model::world(1, 4) };
    let mut session = Session::new(Writer::write(&model, Machine::LP64, of_table(Series::Four)));
    session.debugger.set_type_size("ompi_communicator_t", 384);
    session.open().expect("the table fits");
    assert_eq!(session.read(), model.expected(&of_table(Series::Four)));
    drop(session);
    // Of a build that keeps its queues elsewhere, as ob1 with other matching does.
    let mut layouts = of_table(Series::Four);
    layouts.get_mut("mca_pml_ob1_comm_t").expect("a structure").size += 16;
    let mut session = Session::new(Writer::write(&model, Machine::LP64, layouts));
    session.debugger.forget_field("mca_pml_ob1_comm_t", "wild_receives");
    let refusal = session.open().expect_err("it is another build");
    assert!(refusal.text.contains("--with-pml-ob1-matching"), "{}", refusal.text);
    assert!(refusal.text.contains("[mca_pml_ob1_comm_t.wild_receives]"), "{}", refusal.text);
}

#[test]
fn another_pml_is_named() {
    let foreign = |pml, request_class| Model {
        series: Series::Five,
        pml,
        request_class,
        ..Model::world(1, 4)
    };
    for (pml, class, name) in [
        ("yalla", Some("opal_free_list_item_t"), "[yalla]"),
        ("cm", Some("mca_pml_cm_hvy_recv_request_t"), "[cm]"),
        ("own", Some("mca_pml_own_recv_request_t"), "[a PML that libmqd does not know]"),
    ] {
        let refusal = refused(&foreign(pml, class), of_table(Series::Five));
        assert!(
            refusal.text.contains("--mca pml ob1") && refusal.text.contains(name),
            "{}",
            refusal.text
        );
    }
    // One that only watches leaves the queues to ob1.
    stripped(&foreign("monitoring", None), of_table(Series::Five))
        .open()
        .expect("the queues are ob1's");
}

#[test]
fn there_are_no_queues_before_and_after_mpi() {
    for (state, text) in [(1, "not initialised"), (5, "finalised")] {
        let refusal = refused(&Model { state, ..Model::world(0, 2) }, of_table(Series::Four));
        assert!(refusal.text.contains(text), "{}", refusal.text);
    }
    // Nothing is set up yet.
    let mut session = stripped(&Model { state: 0, ..Model::world(0, 2) }, of_table(Series::Four));
    // The first array is that of windows, the second one that of communicators.
    session.debugger.process.set("opal_pointer_array_t", 1, "addr", 0);
    let refusal = session.open().expect_err("it is too early");
    assert!(refusal.text.contains("not initialised"), "{}", refusal.text);
    drop(session);
    stripped(&Model { state: 3, ..Model::world(0, 2) }, of_table(Series::Four))
        .open()
        .expect("not quite finalised");
}

#[test]
fn missing_symbols_are_named() {
    for name in ["mca_pml_base_send_requests", "mca_pml_base_recv_requests", "ompi_proc_local_proc"]
    {
        let mut session = stripped(&Model::world(1, 4), of_table(Series::Four));
        session.debugger.process.symbols.remove(name);
        let refusal = session.open().expect_err("its queues cannot be found");
        assert!(refusal.text.contains(name), "{}", refusal.text);
    }
}

#[test]
fn types_that_come_later_are_used() {
    // At first only the program is loaded, and ob1's types come with ob1.
    let model = Model { sends: vec![Send::new(0, 2, 5)], ..Model::world(1, 4) };
    let machine = Machine::S390X;
    let layouts = crate::support::open_mpi::invented(&machine, Series::Five, 3);
    let model = Model { series: Series::Five, ..model };
    let mut session = Session::new(Writer::write(&model, machine, layouts.clone()));
    session.debugger.forget_all_types();
    session.open_image().expect("Open MPI is there");
    let refusal = session.open_process().expect_err("nothing is known of this machine");
    assert!(refusal.text.contains("no layout table fits"), "{}", refusal.text);
    session.debugger.learn_types();
    session.process_has_queues().expect("now there are types");
    assert_eq!(session.read(), model.expected(&layouts));
}
