//! What is on its way through the shared memory of the channel nemesis.

use super::ch3::model;
use super::session;
use crate::support::mpich::{Map, Mpich, NEMESIS_CELLS, Nemesis};
use crate::support::process::SyntheticProcess;

const TABLE: &str = include_str!("../../../../mqd-layout/tables/mpich-4.0-ch3.layout");

fn process(nemesis: Option<Nemesis>) -> SyntheticProcess {
    let mut model = Mpich { nemesis, ..model() };
    // Messages to another job do not go this way.
    model.communicators.retain(|one| !matches!(one.map, Map::Mixed(_)));
    model.write(TABLE)
}

/// How many parts of messages are on their way, as the DLL tells.
fn on_the_way(process: SyntheticProcess) -> Option<Vec<(u64, i64, i64)>> {
    let mut session = session(process);
    session.open().expect("the table fits");
    session.read();
    session.fifos()
}

#[test]
fn cells_and_boxes_in_use() {
    assert_eq!(on_the_way(process(None)), None);
    for is_relative in [false, true] {
        for free in 0..NEMESIS_CELLS {
            for takes_one in [false, true] {
                let full_boxes = free % 4;
                let nemesis = Nemesis { free, takes_one, full_boxes, is_relative };
                let used = NEMESIS_CELLS - free - u64::from(takes_one) + full_boxes;
                let expected = Some(vec![(0, -1, used as i64)]);
                assert_eq!(on_the_way(process(Some(nemesis))), expected, "{nemesis:?}");
            }
        }
    }
}

/// Some processes of the job are on other hosts.
#[test]
fn the_shared_memory_of_one_host() {
    let mut process = process(Some(Nemesis::QUIET));
    process.set("MPID_nem_mem_region_t", 0, "num_local", 3);
    process.set("MPID_nem_mem_region_t", 0, "ext_procs", 1);
    assert_eq!(on_the_way(process), Some(vec![(3, -3, 0)]));
}

#[test]
fn what_leads_elsewhere_is_not_counted() {
    let full = process(Some(Nemesis::QUIET));
    for (ty, field, value) in [
        ("MPID_nem_mem_region_t", "num_local", 1),
        ("MPID_nem_mem_region_t", "num_procs", 5),
        ("MPID_nem_mem_region_t", "local_rank", 4),
        ("MPID_nem_mem_region_t", "rank", 2),
        ("MPID_nem_mem_region_t", "ext_procs", 2),
        ("MPID_nem_mem_region_t", "FreeQ", 0x1000),
        ("MPID_nem_mem_region_t", "my_recvQ", 0x7f44_0000_1000),
        ("MPID_nem_mem_region_t", "mailboxes.out", 0x7f49_0000_0000),
        ("MPID_nem_mem_region_t", "Elements", 0x7f44_0000_1000),
        ("MPID_nem_queue_t", "my_head", 0x1234_5678),
        ("MPID_nem_cell_t", "next", 0x1234_5678),
    ] {
        let mut process = full.clone();
        process.set(ty, 0, field, value);
        assert_eq!(on_the_way(process), None, "{ty}.{field}");
    }
    // A list of free cells that returns.
    let mut process = full.clone();
    let first = process.object("MPID_nem_cell_t", 0) as i64;
    process.set("MPID_nem_cell_t", 3, "next", first - (1 << 32) - 0x7f44_0000_0000);
    assert_eq!(on_the_way(process), None);
    // A second variable that names a cell.
    let mut process = full;
    let (cell, variable) = (process.object("MPID_nem_cell_t", 7), process.object("context", 0));
    process.bytes_mut(variable, 8).copy_from_slice(&cell.to_le_bytes());
    assert_eq!(on_the_way(process), None);
}
