//! A model written into memory, the way the library would have it.

use super::model::*;
use super::structures::Series;
use crate::support::contract::Kind;
use crate::support::machine::{Layouts, Machine};
use crate::support::process::{Region, SyntheticProcess};
use crate::support::random::Random;
use std::collections::BTreeMap;

/// This job, and another one.
const JOB: u64 = 0x28d3_0001;
const OTHER_JOB: u64 = 0x28d3_0002;

const FLAG_INTER: i64 = 1;
const FLAG_NAMED: i64 = 2;
const FLAG_INVALID: i64 = 0x20;
const FLAG_SAME_PLACE: i64 = 0x10000;

pub struct Writer<'a> {
    model: &'a Model,
    machine: Machine,
    layouts: Layouts,
    base: u64,
    memory: Vec<u8>,
    objects: Vec<(String, u64)>,
    classes: BTreeMap<&'static str, u64>,
    processes: BTreeMap<i64, u64>,
    groups: BTreeMap<Group, u64>,
    datatypes: Vec<u64>,
    communicators: Vec<u64>,
    /// Requests that wait on a list: for each communicator and source those of receives, in order.
    posted: BTreeMap<(usize, i64), Vec<u64>>,
    /// What the function that waits counts with; at first where nothing can be read.
    counter: u64,
    /// The requests of receives and sends, and those that are made of others.
    requests: [Vec<u64>; 3],
}

impl<'a> Writer<'a> {
    pub fn write(model: &'a Model, machine: Machine, layouts: Layouts) -> SyntheticProcess {
        let base = if machine.pointer == 4 { 0x0900_0000 } else { 0x7f12_0000_0000 };
        let mut writer = Self {
            model,
            machine,
            layouts,
            base,
            memory: vec![0xAA; model.start],
            objects: Vec::new(),
            classes: BTreeMap::new(),
            processes: BTreeMap::new(),
            groups: BTreeMap::new(),
            datatypes: Vec::new(),
            communicators: Vec::new(),
            posted: BTreeMap::new(),
            counter: 0x7f00_0000,
            requests: Default::default(),
        };
        let symbols = writer.all();
        let Self { memory, objects, layouts, .. } = writer;
        SyntheticProcess {
            machine,
            layouts,
            regions: vec![Region { start: base, bytes: memory }],
            symbols,
            functions: vec!["MPI_Init".to_owned()],
            objects,
        }
    }

    fn raw(&mut self, bytes: &[u8]) -> u64 {
        let start = self.memory.len().next_multiple_of(16);
        self.memory.resize(start, 0xAA);
        self.memory.extend_from_slice(bytes);
        self.base + start as u64
    }

    fn room(&mut self, ty: &str) -> u64 {
        let address = self.raw(&vec![0xAA; self.layouts[ty].size]);
        self.objects.push((ty.to_owned(), address));
        address
    }

    fn text(&mut self, text: &[u8]) -> u64 {
        self.raw(&[text, b"\0"].concat())
    }

    fn pointers(&mut self, pointers: &[u64]) -> u64 {
        let size = self.machine.pointer;
        let bytes: Vec<u8> = pointers
            .iter()
            .flat_map(|pointer| self.machine.encode(*pointer as i64, size))
            .collect();
        self.raw(&bytes)
    }

    /// The address of a structure inside another.
    fn inside(&self, object: u64, ty: &str, field: &str) -> u64 {
        object + self.layouts[ty].offsets[field].0 as u64
    }

    fn put_bytes(&mut self, address: u64, bytes: &[u8]) {
        let start = (address - self.base) as usize;
        self.memory[start..start + bytes.len()].copy_from_slice(bytes);
    }

    fn put(&mut self, object: u64, ty: &str, field: &str, value: i64) {
        let (offset, kind) = self.layouts[ty].offsets[field];
        let Kind::Chars(size) = kind else { panic!("{ty}.{field}") };
        // A pointer in a union of eight bytes is at its start.
        let size =
            if matches!(field, "req_recv" | "seg_addr") { self.machine.pointer } else { size };
        let bytes = self.machine.encode(value, size);
        self.put_bytes(object + offset as u64, &bytes);
    }

    fn put_all(&mut self, object: u64, ty: &str, values: &[(&str, i64)]) {
        values.iter().for_each(|(field, value)| self.put(object, ty, field, *value));
    }

    /// A class: its instances are as large as the structure of its name.
    fn class(&mut self, name: &'static str) -> u64 {
        let size = self.layouts.get(name).map_or(64, |layout| layout.size);
        self.class_of_size(name, size)
    }

    fn class_of_size(&mut self, name: &'static str, size: usize) -> u64 {
        if let Some(class) = self.classes.get(name) {
            return *class;
        }
        let text = self.text(name.as_bytes());
        let class = self.room("opal_class_t");
        self.put_all(
            class,
            "opal_class_t",
            &[("cls_name", text as i64), ("cls_sizeof", size as i64)],
        );
        self.classes.insert(name, class);
        class
    }

    /// Makes what is at `object` an instance of the class of its structure's name.
    fn set_class(&mut self, object: u64, name: &'static str) {
        let class = self.class(name);
        self.put(object, "opal_object_t", "obj_class", class as i64);
    }

    fn instance(&mut self, name: &'static str) -> u64 {
        let object = self.room(name);
        self.set_class(object, name);
        object
    }

    /// Links elements into the list at `list`.
    fn link(&mut self, list: u64, elements: &[u64]) {
        let sentinel = self.inside(list, "opal_list_t", "opal_list_sentinel");
        self.put(list, "opal_list_t", "opal_list_length", elements.len() as i64);
        let ring: Vec<u64> = elements.iter().copied().chain([sentinel]).collect();
        let mut before = sentinel;
        for element in ring {
            self.put(before, "opal_list_item_t", "opal_list_next", element as i64);
            self.put(element, "opal_list_item_t", "opal_list_prev", before as i64);
            before = element;
        }
    }

    fn all(&mut self) -> BTreeMap<String, u64> {
        let model = self.model;
        let state = self.machine.encode(model.state, self.machine.int);
        let state = self.raw(&state);
        let version = self.text(model.version.as_bytes());
        let component = self.room("mca_base_component_t");
        let name = self.inside(component, "mca_base_component_t", "mca_component_name");
        self.put_bytes(name, &[model.pml.as_bytes(), b"\0"].concat());
        for (name, size) in DATATYPES {
            let datatype = self.instance("ompi_datatype_t");
            self.put(datatype, "opal_datatype_t", "size", size as i64);
            let at = self.inside(datatype, "ompi_datatype_t", "name");
            self.put_bytes(at, &[name.as_bytes(), b"\0"].concat());
            self.datatypes.push(datatype);
        }
        // Their addresses come first, as requests point to them.
        for communicator in &model.communicators {
            let address = communicator.as_ref().map_or(0, |_| self.instance("ompi_communicator_t"));
            self.communicators.push(address);
        }
        if let Some(count) = model.count {
            self.counter = self.room("ompi_wait_sync_t");
            self.put(self.counter, "ompi_wait_sync_t", "count", count);
        }
        let receives = self.receives();
        let sends = self.sends();
        let composed = self.composed();
        for (place, communicator) in model.communicators.iter().enumerate() {
            if let Some(communicator) = communicator {
                self.communicator(place, communicator);
            }
        }
        // After the last one: room that is free, and a place that is being taken.
        let mut entries = self.communicators.clone();
        if model.sessions {
            (entries[0], entries[1]) = (entries[2], entries[2]);
        }
        let local_process = self.process(model.rank);
        let local_process = self.pointers(&[local_process]);
        entries.extend([0, 1, 0]);
        let entries_at = self.pointers(&entries);
        let array = self.instance("opal_pointer_array_t");
        self.put_all(
            array,
            "opal_pointer_array_t",
            &[("size", entries.len() as i64), ("addr", entries_at as i64)],
        );
        let symbols = [
            ("ompi_mpi_communicators", array),
            ("mca_pml_base_recv_requests", receives),
            ("mca_pml_base_send_requests", sends),
            ("mca_pml_base_selected_component", component),
            ("ompi_proc_local_proc", local_process),
            ("ompi_mpi_state", state),
            ("ompi_version_string", version),
        ];
        let threads =
            model.threads.map(|threads| ("ompi_mpi_thread_multiple", self.raw(&[threads.into()])));
        symbols
            .into_iter()
            .chain(threads)
            .map(|(name, address)| (name.to_owned(), address))
            .chain(composed)
            .collect()
    }

    /// The requests that are made of others. Gives their symbols, and for tests the words of all
    /// requests that say whether these are complete.
    fn composed(&mut self) -> Vec<(String, u64)> {
        let (collective, communicator) = ("ompi_coll_libnbc_request_t", "ompi_comm_request_t");
        let mut active = [Vec::new(), Vec::new()];
        for composed in &self.model.composed {
            let request = match composed {
                Composed::Collective(parts) | Composed::Counted(parts) => {
                    let request = self.instance(collective);
                    let parts = self.parts(parts);
                    let array = self.pointers(&parts);
                    self.put(request, collective, "req_count", parts.len() as i64);
                    self.put(request, collective, "req_array", array as i64);
                    active[0].push(request);
                    request
                }
                Composed::Communicator(steps) => {
                    let request = self.instance(communicator);
                    let steps: Vec<u64> = steps.iter().map(|parts| self.step(parts)).collect();
                    let schedule = self.inside(request, communicator, "schedule");
                    self.link(schedule, &steps);
                    active[1].push(request);
                    request
                }
            };
            let counter = match composed {
                Composed::Counted(_) => self.counter as i64,
                _ => 0,
            };
            self.put(request, "ompi_request_t", "req_complete", counter);
            self.requests[2].push(request);
        }
        let component = self.room("ompi_coll_libnbc_component_t");
        let list = self.inside(component, "ompi_coll_libnbc_component_t", "active_requests");
        self.link(list, &active[0]);
        let list = self.room("opal_list_t");
        self.set_class(list, "opal_list_t");
        let sentinel = self.inside(list, "opal_list_t", "opal_list_sentinel");
        self.set_class(sentinel, "opal_list_item_t");
        self.link(list, &active[1]);
        let makes = self.raw(&[(!active[1].is_empty()).into()]);
        let null = self.pointers(&[component]);
        let windows = self.instance("opal_pointer_array_t");
        self.put_all(windows, "opal_pointer_array_t", &[("size", 1), ("addr", null as i64)]);
        let mut symbols = vec![
            ("ompi_mpi_windows".to_owned(), windows),
            ("ompi_coll_libnbc_request_t_class".to_owned(), self.class(collective)),
            ("ompi_comm_request_t_class".to_owned(), self.class(communicator)),
            ("mca_coll_libnbc_component".to_owned(), component),
            ("ompi_comm_request_progress_active".to_owned(), makes),
        ];
        for (name, requests) in ["receive", "send", "composed"].iter().zip(self.requests.clone()) {
            for (index, request) in requests.into_iter().enumerate() {
                let word = self.inside(request, "ompi_request_t", "req_complete");
                symbols.push((format!("{name} {index}"), word));
            }
        }
        symbols
    }

    fn parts(&self, parts: &[Part]) -> Vec<u64> {
        let [receives, sends, composed] = &self.requests;
        let request = |part: &Part| match *part {
            Part::Receive(index) => receives[index],
            Part::Send(index) => sends[index],
            Part::Composed(index) => composed[index],
        };
        parts.iter().map(request).collect()
    }

    /// A step of a function that makes a communicator.
    fn step(&mut self, parts: &[Part]) -> u64 {
        let ty = "ompi_comm_request_item_t";
        let step = self.room(ty);
        let parts = self.parts(parts);
        self.put(step, ty, "subreq_count", parts.len() as i64);
        let (at, size) = (self.inside(step, ty, "subreqs"), self.machine.pointer);
        for (index, part) in parts.iter().enumerate() {
            let bytes = self.machine.encode(*part as i64, size);
            self.put_bytes(at + (index * size) as u64, &bytes);
        }
        step
    }

    /// A process by its world rank; of another job for -1.
    fn process(&mut self, rank: i64) -> u64 {
        let (job, vpid) = if rank < 0 { (OTHER_JOB, 3) } else { (JOB, rank as u64) };
        if self.model.strangers.contains(&rank) {
            return match self.machine.pointer {
                8 => vpid << 32 | (job >> 16) << 16 | (job & 0x7fff) << 1 | 1,
                _ => vpid << 1 | 1,
            };
        }
        if let Some(process) = self.processes.get(&rank) {
            return *process;
        }
        let process = self.instance("opal_proc_t");
        // What Open MPI adds: the endpoints of its components.
        self.raw(&[0; 48]);
        let name = self.inside(process, "opal_proc_t", "proc_name");
        self.put_all(name, "opal_process_name_t", &[("jobid", job as i64), ("vpid", vpid as i64)]);
        self.processes.insert(rank, process);
        process
    }

    fn group(&mut self, group: &Group, my_rank: i64) -> u64 {
        if let Some(address) = self.groups.get(group) {
            return *address;
        }
        let address = self.instance("ompi_group_t");
        let data = self.inside(address, "ompi_group_t", "sparse_data");
        let count = group.world_ranks().len() as i64;
        let (flags, processes, parent) = match group {
            Group::Dense(ranks) => {
                let processes: Vec<u64> = ranks.iter().map(|rank| self.process(*rank)).collect();
                (4, self.pointers(&processes), 0)
            }
            Group::Strided(parent, first, step, _) => {
                let parent = self.group(parent, 0);
                let values = [("grp_strided_offset", *first), ("grp_strided_stride", *step)];
                self.put_all(data, "ompi_group_strided_data_t", &values);
                (0x10, 0, parent)
            }
            Group::Sporadic(parent, ranges) => {
                let parent = self.group(parent, 0);
                let size = self.layouts["ompi_group_sporadic_list_t"].size;
                let list = self.raw(&vec![0xAA; size * ranges.len()]);
                for (index, (first, length)) in ranges.iter().enumerate() {
                    let range = list + (index * size) as u64;
                    self.put_all(
                        range,
                        "ompi_group_sporadic_list_t",
                        &[("rank_first", *first), ("length", *length)],
                    );
                }
                let values = [
                    ("grp_sporadic_list", list as i64),
                    ("grp_sporadic_list_len", ranges.len() as i64),
                ];
                self.put_all(data, "ompi_group_sporadic_data_t", &values);
                (8, 0, parent)
            }
            Group::Bitmap(parent, ranks) => {
                let parent_size = parent.world_ranks().len();
                let parent = self.group(parent, 0);
                let mut bits = vec![0u8; parent_size.div_ceil(8)];
                ranks.iter().for_each(|rank| bits[*rank as usize / 8] |= 1 << (rank % 8));
                let at = self.raw(&bits);
                let values =
                    [("grp_bitmap_array", at as i64), ("grp_bitmap_array_len", bits.len() as i64)];
                self.put_all(data, "ompi_group_bitmap_data_t", &values);
                (0x20, 0, parent)
            }
        };
        self.put_all(
            address,
            "ompi_group_t",
            &[
                ("grp_proc_count", count),
                ("grp_my_rank", my_rank),
                ("grp_proc_pointers", processes as i64),
                ("grp_flags", flags),
                ("grp_parent_group_ptr", parent as i64),
            ],
        );
        self.groups.insert(group.clone(), address);
        address
    }

    fn communicator(&mut self, place: usize, communicator: &Communicator) {
        let (ty, address) = ("ompi_communicator_t", self.communicators[place]);
        let local = self.group(&communicator.local, communicator.my_rank);
        let remote = communicator.remote.as_ref().map_or(local, |group| self.group(group, -2));
        let mut flags = if communicator.named { FLAG_NAMED } else { 0 };
        flags |= if communicator.remote.is_some() { FLAG_INTER } else { 0 };
        flags |= if communicator.invalid { FLAG_INVALID } else { 0 };
        flags |= if communicator.context.is_none() { FLAG_SAME_PLACE } else { 0 };
        let internal = communicator.internal.map_or(0, |place| self.communicators[place]);
        let pml = if communicator.local.world_ranks().is_empty() {
            0
        } else {
            self.pml(place, communicator)
        };
        self.put_all(
            address,
            ty,
            &[
                ("c_my_rank", communicator.my_rank),
                ("c_flags", flags),
                ("c_assertions", if communicator.overtaking { 0xf } else { 0x7 }),
                ("c_local_group", local as i64),
                ("c_remote_group", remote as i64),
                ("c_local_comm", internal as i64),
                ("c_pml_comm", pml as i64),
            ],
        );
        // A communicator that the program has not named has a name for the library's own use.
        let name: &[u8] =
            if communicator.named { &communicator.name } else { b"MPI COMMUNICATOR 3 DUP FROM 0" };
        match self.model.series {
            Series::Four => {
                self.put(address, ty, "c_contextid", place as i64);
                let at = self.inside(address, ty, "c_name");
                self.put_bytes(at, &[name, b"\0"].concat());
            }
            Series::Five => {
                self.put(address, ty, "c_index", place as i64);
                if let Some(context) = communicator.context {
                    let at = self.inside(address, ty, "c_contextid");
                    self.put_bytes(at, &context);
                }
                let at = self.text(name);
                self.put(address, ty, "c_name", at as i64);
            }
        }
    }

    /// What ob1 keeps of a communicator.
    fn pml(&mut self, place: usize, communicator: &Communicator) -> u64 {
        let (model, ty) = (self.model, "mca_pml_ob1_comm_t");
        let peers = communicator.peers().len() as i64;
        let mut entries = Vec::new();
        for peer in 0..peers {
            let receives = self.posted.remove(&(place, peer)).unwrap_or_default();
            let messages: Vec<&Message> =
                communicator.unexpected.iter().filter(|m| m.source == peer).collect();
            let sent = model
                .sends
                .iter()
                .filter(|s| s.communicator == place && s.destination == peer)
                .count() as i64;
            // The library knows nothing about peers without messages.
            let idle = receives.is_empty() && messages.is_empty() && sent == 0;
            entries.push(if idle { 0 } else { self.pml_peer(place, &receives, &messages, sent) });
        }
        let entries = self.pointers(&entries);
        let pml = self.instance(ty);
        let started = model.receives.iter().filter(|receive| receive.communicator == place).count();
        self.put_all(
            pml,
            ty,
            &[
                ("recv_sequence", i64::from(model.first_sequence.0.wrapping_add(started as u32))),
                ("procs", entries as i64),
                ("num_procs", peers),
                ("last_probed", communicator.last_probed as i64),
            ],
        );
        let wild = self.posted.remove(&(place, -1)).unwrap_or_default();
        let list = self.inside(pml, ty, "wild_receives");
        self.link(list, &wild);
        pml
    }

    fn pml_peer(
        &mut self,
        place: usize,
        receives: &[u64],
        messages: &[&Message],
        sent: i64,
    ) -> u64 {
        let (ty, expected) = ("mca_pml_ob1_comm_proc_t", 65_530u64);
        let peer = self.instance(ty);
        let (early, in_order): (Vec<&Message>, Vec<&Message>) =
            messages.iter().partition(|message| message.early);
        let in_order: Vec<u64> =
            in_order.into_iter().map(|message| self.fragment(place, message, 0)).collect();
        let list = self.inside(peer, ty, "unexpected_frags");
        self.link(list, &in_order);
        let list = self.inside(peer, ty, "specific_receives");
        self.link(list, receives);
        // One is missing before the early ones; their numbers wrap.
        let mut fragments = Vec::new();
        for (number, message) in early.into_iter().enumerate() {
            fragments.push(self.fragment(
                place,
                message,
                (expected + 1 + number as u64) % (1 << 16),
            ));
        }
        let first = self.early(&fragments);
        self.put_all(
            peer,
            ty,
            &[
                ("expected_sequence", expected as i64),
                ("send_sequence", i64::from(self.model.first_sequence.1) + sent - 1),
                ("frags_cant_match", first as i64),
            ],
        );
        peer
    }

    /// Early fragments: the first and the last are a ring, the others hang on the first as a ring
    /// of their own. Gives the first.
    fn early(&mut self, fragments: &[u64]) -> u64 {
        let Some(first) = fragments.first() else { return 0 };
        let (last, range) = match fragments {
            [_] => (*first, &[][..]),
            [_, range @ .., last] => (*last, range),
            [] => unreachable!(),
        };
        // The ring may begin at any of its elements.
        self.put(*first, "opal_list_item_t", "opal_list_next", last as i64);
        self.put(last, "opal_list_item_t", "opal_list_next", *first as i64);
        for (index, fragment) in range.iter().enumerate() {
            let next = range[(index + 1) % range.len()];
            self.put(*fragment, "opal_list_item_t", "opal_list_next", next as i64);
        }
        let on_first = range.get(range.len() / 2).copied().unwrap_or(0);
        self.put(*first, "mca_pml_ob1_recv_frag_t", "range", on_first as i64);
        last
    }

    fn fragment(&mut self, place: usize, message: &Message, sequence: u64) -> u64 {
        let ty = "mca_pml_ob1_recv_frag_t";
        let fragment = self.instance(ty);
        let header = self.inside(fragment, ty, "hdr");
        let (kind, in_first) = if message.rendezvous {
            (0x42 + i64::from(message.tag % 2 == 0), 40)
        } else {
            (0x41, message.length)
        };
        self.put(header, "mca_pml_ob1_common_hdr_t", "hdr_type", kind);
        let sequence = sequence as i64;
        let context = place as i64 + i64::from(message.foreign);
        self.put_all(
            header,
            "mca_pml_ob1_match_hdr_t",
            &[
                ("hdr_ctx", context),
                ("hdr_src", message.source),
                ("hdr_tag", message.tag),
                ("hdr_seq", sequence),
            ],
        );
        if message.rendezvous {
            self.put(
                header,
                "mca_pml_ob1_rendezvous_hdr_t",
                "hdr_msg_length",
                message.length as i64,
            );
        }
        self.put_all(fragment, ty, &[("num_segments", 1), ("range", 0)]);
        let segments = self.inside(fragment, ty, "segments");
        let length = (header_bytes(&self.layouts) + in_first) as i64;
        self.put_all(
            segments,
            "mca_btl_base_segment_t",
            &[("seg_addr", DATA as i64), ("seg_len", length)],
        );
        fragment
    }

    /// The slabs of a free list with room for `count` elements in use. Gives the list, and where
    /// the elements are, in no order.
    fn slabs(&mut self, ty: &'static str, count: usize) -> (u64, Vec<u64>) {
        let (first, others) = self.model.slabs;
        let (size, alignment) = (self.layouts[ty].size + 24, 64);
        let stride = size.next_multiple_of(alignment);
        let (mut slabs, mut elements) = (Vec::new(), Vec::new());
        let class = match self.model.request_class {
            Some(class) => self.class(class),
            None => self.class(ty),
        };
        while elements.len() < count || slabs.len() < 2 {
            let number = if slabs.is_empty() { first } else { others };
            let item = self.layouts["opal_free_list_item_t"].size;
            let slab = self.raw(&vec![0xAA; item + alignment + number * stride]);
            self.set_class(slab, "opal_free_list_item_t");
            let start = (slab + item as u64).next_multiple_of(alignment as u64);
            for index in 0..number {
                let element = start + (index * stride) as u64;
                self.put(element, "opal_object_t", "obj_class", class as i64);
                self.put(element, "ompi_request_t", "req_state", 0);
                self.objects.push((ty.to_owned(), element));
                elements.push(element);
            }
            slabs.push(slab);
        }
        if self.model.growing {
            let item = self.layouts["opal_free_list_item_t"].size;
            let slab = self.raw(&vec![0xAA; item + alignment + others * stride]);
            self.set_class(slab, "opal_free_list_item_t");
            slabs.push(slab);
        }
        let list = self.instance("opal_free_list_t");
        self.put_all(
            list,
            "opal_free_list_t",
            &[
                ("fl_max_to_alloc", -1),
                ("fl_num_allocated", elements.len() as i64),
                ("fl_num_per_alloc", others as i64),
                ("fl_frag_size", size as i64),
                ("fl_frag_alignment", alignment as i64),
                ("fl_frag_class", class as i64),
            ],
        );
        let allocations = self.inside(list, "opal_free_list_t", "fl_allocations");
        self.link(allocations, &slabs);
        Random::new(count as u64 + 5).shuffle(&mut elements);
        (list, elements)
    }

    /// The part that all requests have.
    fn request(&mut self, request: u64, values: &Common) {
        let status = self.inside(request, "ompi_request_t", "req_status");
        let complete = matches!(values.progress, Progress::Complete | Progress::Cancelled);
        let waiter = if values.awaited { self.counter as i64 } else { 0 };
        self.put_all(
            request,
            "ompi_request_t",
            &[
                ("req_type", 0),
                ("req_complete", if complete { 1 } else { waiter }),
                ("req_state", if values.progress == Progress::Inactive { 1 } else { 2 }),
                ("req_persistent", values.persistent.into()),
            ],
        );
        let cancelled = i64::from(values.progress == Progress::Cancelled);
        self.put(status, "ompi_status_public_t", "_cancelled", cancelled);
        let communicator = self.communicators[values.communicator];
        let datatype = self.datatypes[values.datatype];
        self.put_all(
            request,
            "mca_pml_base_request_t",
            &[
                ("req_pml_complete", values.done.into()),
                ("req_free_called", values.freed.into()),
                ("req_type", values.kind),
                ("req_comm", communicator as i64),
                ("req_datatype", datatype as i64),
                ("req_addr", values.buffer as i64),
                ("req_count", values.count as i64),
                ("req_peer", values.peer),
                ("req_tag", values.tag),
                ("req_sequence", values.sequence),
            ],
        );
    }

    fn receives(&mut self) -> u64 {
        let (model, ty) = (self.model, "mca_pml_ob1_recv_request_t");
        let in_slabs =
            model.receives.iter().filter(|receive| receive.kind != ReceiveKind::Probe).count();
        let (list, mut free) = self.slabs(ty, in_slabs);
        let mut started = BTreeMap::new();
        for receive in &model.receives {
            let request = match receive.kind {
                ReceiveKind::Probe => self.instance(ty),
                _ => free.pop().expect("there is room"),
            };
            self.requests[0].push(request);
            let number: &mut u32 =
                started.entry(receive.communicator).or_insert(model.first_sequence.0);
            let sequence = i64::from(*number);
            *number = number.wrapping_add(1);
            self.request(
                request,
                &Common {
                    progress: receive.progress,
                    persistent: receive.persistent,
                    freed: receive.freed,
                    done: matches!(receive.progress, Progress::Complete | Progress::Cancelled),
                    kind: [2, 4, 6][receive.kind as usize],
                    communicator: receive.communicator,
                    datatype: receive.datatype,
                    buffer: receive.buffer,
                    count: receive.count,
                    peer: receive.source,
                    tag: receive.tag,
                    sequence,
                    awaited: receive.awaited,
                },
            );
            let has_matched = matches!(receive.progress, Progress::Matched | Progress::Complete);
            let (source, tag, length) = if has_matched { receive.message } else { (-1, -1, 0) };
            let status = self.inside(request, "ompi_request_t", "req_status");
            let received = if receive.progress == Progress::Complete { length as i64 } else { 0 };
            self.put_all(
                status,
                "ompi_status_public_t",
                &[
                    ("MPI_SOURCE", source),
                    ("MPI_TAG", tag),
                    ("MPI_ERROR", 0),
                    ("_ucount", received),
                ],
            );
            self.put(request, "mca_pml_base_recv_request_t", "req_bytes_packed", length as i64);
            self.put(request, ty, "req_match_received", has_matched.into());
            if receive.progress == Progress::Pending {
                self.posted
                    .entry((receive.communicator, receive.source))
                    .or_default()
                    .push(request);
            } else {
                // On no list: what it points to is where it last was.
                self.put(request, "opal_list_item_t", "opal_list_next", 0x6b6b_6b60);
            }
        }
        list
    }

    fn sends(&mut self) -> u64 {
        let (model, ty) = (self.model, "mca_pml_ob1_send_request_t");
        let (list, mut free) = self.slabs(ty, model.sends.len());
        let mut started = BTreeMap::new();
        for send in &model.sends {
            let request = free.pop().expect("there is room");
            self.requests[1].push(request);
            let peer = (send.communicator, send.destination);
            let number: &mut u16 = started.entry(peer).or_insert(model.first_sequence.1);
            // The library keeps it in a signed number of 16 bits on its way.
            let sequence = i64::from(number.cast_signed());
            *number = number.wrapping_add(1);
            self.request(
                request,
                &Common {
                    progress: send.progress,
                    persistent: send.persistent,
                    freed: send.freed,
                    done: send.done,
                    kind: 1,
                    communicator: send.communicator,
                    datatype: send.datatype,
                    buffer: send.buffer,
                    count: send.count,
                    peer: send.destination,
                    tag: send.tag,
                    sequence,
                    awaited: send.awaited,
                },
            );
            let data = send.copy.filter(|_| send.mode == 2).unwrap_or(send.buffer);
            self.put_all(
                request,
                "mca_pml_base_send_request_t",
                &[
                    ("req_addr", data as i64),
                    ("req_bytes_packed", send.length as i64),
                    ("req_send_mode", send.mode),
                ],
            );
            let matched = send.progress == Progress::Matched;
            // A persistent one may have been used before.
            let receiver = if matched || send.persistent { 0x6c6c_6c60 } else { 0 };
            self.put_all(
                request,
                ty,
                &[("req_recv", receiver), ("req_state", if matched { 0 } else { 2 })],
            );
        }
        list
    }
}

/// Bytes of a match header on the wire: without the padding at its end.
pub fn header_bytes(layouts: &Layouts) -> u64 {
    layouts["mca_pml_ob1_match_hdr_t"].offsets["hdr_seq"].0 as u64 + 2
}

struct Common {
    progress: Progress,
    persistent: bool,
    freed: bool,
    done: bool,
    kind: i64,
    communicator: usize,
    datatype: usize,
    buffer: u64,
    count: u64,
    peer: i64,
    tag: i64,
    sequence: i64,
    awaited: bool,
}
