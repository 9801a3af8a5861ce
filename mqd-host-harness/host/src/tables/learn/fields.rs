//! From the places at which fields can be to a table.
//!
//! A field with one possible place is there. If it has several, it is where its distance to the
//! nearest field that is known already is that of the other table. A field that no value tells
//! keeps that distance, too.

use std::collections::BTreeMap;

use mqd_layout::{Field, Structure, Table};

use super::LearnError;
use super::known::{Kind, Operation};
use super::rules;
use super::world::{Sample, World};

const COMM: &str = "MPIR_Comm";
const REQUEST: &str = "MPIR_Request";
const EXTENSION: &str = "MPIDIG_req_ext_t";
const UNEXPECTED: &str = "MPIDIG_unexp_t";

/// Fields of a form that not all releases have: the envelope of an active message is in the status
/// since 4.3.
const SEPARATE_ENVELOPE: [(&str, &str); 4] = [
    (REQUEST, "dev.ch4.am.u.recv.source"),
    (REQUEST, "dev.ch4.am.u.recv.tag"),
    (EXTENSION, "recv_async.in_data_sz"),
    (EXTENSION, "recv_async.offset"),
];

/// Fields that are left out: no value of the known program tells them, nor the second run. The
/// buffer of a receive that may be one of the library's own is not shown then.
const NOT_LEARNED: [(&str, &str); 3] = [
    (REQUEST, "dev.ch4.netmod.ucx.s.type"),
    (REQUEST, "dev.ch4.netmod.ucx.s.u.pack.pack_buf"),
    (REQUEST, "dev.ch4.netmod.ucx.s.u.pack.user_buf"),
];

/// How the place of a field is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// By values.
    Learned,
    /// By its distance to the nearest one that is.
    Distance,
    /// As the other table has it: nothing of its structure is learned.
    Copied,
}

/// A field of the new table.
#[derive(Clone, Debug)]
pub(super) struct NewField {
    pub(super) name: String,
    pub(super) offset: u32,
    pub(super) size: u32,
    pub(super) origin: Origin,
}

/// A structure of the new table.
#[derive(Clone, Debug)]
pub(super) struct NewStructure {
    pub(super) name: String,
    pub(super) size: u32,
    pub(super) fields: Vec<NewField>,
}

impl NewStructure {
    /// A structure of another table, which is as objects of the library show.
    pub(super) fn seen(structure: &Structure<'_>) -> NewStructure {
        let fields = structure.fields().map(|field| NewField {
            name: field.name.to_owned(),
            offset: field.offset,
            size: field.size,
            origin: Origin::Learned,
        });
        let name = structure.name.to_owned();
        NewStructure { name, size: structure.size, fields: fields.collect() }
    }
}

/// The places of fields as far as they are known, beside another table.
struct Fields<'t> {
    like: &'t Table<'t>,
    /// The offset and the size of each, by structure and name.
    known: BTreeMap<(&'t str, &'t str), (u32, u32)>,
    /// Fields with several places that fit.
    open: Vec<(&'t str, Field<'t>, Vec<u32>)>,
    /// The envelope is in the status, and [`SEPARATE_ENVELOPE`] does not exist.
    in_status: bool,
}

impl<'t> Fields<'t> {
    /// The fields of a structure in the other table.
    fn fields(&self, structure: &str) -> Vec<Field<'t>> {
        self.like.structure(structure).map_or_else(Vec::new, |one| one.fields().collect())
    }

    fn field(&self, structure: &str, name: &str) -> Option<Field<'t>> {
        self.like.structure(structure)?.field(name)
    }

    /// The place of a field that is known.
    fn place(&self, structure: &str, name: &str) -> Option<usize> {
        self.known.get(&(structure, name)).map(|(offset, _)| *offset as usize)
    }

    /// Notes the places at which a field can be.
    fn note(
        &mut self,
        structure: &'t str,
        field: Field<'t>,
        places: Vec<u32>,
    ) -> Result<(), LearnError> {
        match places[..] {
            [] => {
                let field = format!("{structure}.{}", field.name);
                return Err(LearnError::NoPlace { field });
            }
            [place] => drop(self.known.insert((structure, field.name), (place, field.size))),
            _ => self.open.push((structure, field, places)),
        }
        Ok(())
    }

    /// Where a field is if its distance to the nearest known one is that of the other table.
    fn by_distance(&self, structure: &str, field: &Field<'_>) -> Option<i64> {
        let (old, new) = self.nearest(structure, field)?;
        Some(new + i64::from(field.offset) - old)
    }

    /// The nearest known field: its offset in the other table, and the new one.
    fn nearest(&self, structure: &str, field: &Field<'_>) -> Option<(i64, i64)> {
        let known = self
            .known
            .iter()
            .filter(|((owner, name), _)| *owner == structure && *name != field.name);
        let places = known.filter_map(|((_, name), (offset, _))| {
            let old = self.like.structure(structure)?.field(name)?.offset;
            Some((i64::from(old), i64::from(*offset)))
        });
        places.min_by_key(|(old, _)| ((old - i64::from(field.offset)).abs(), *old))
    }

    /// Is a place that of another field, which the other table has beside this one?
    fn is_taken(&self, structure: &str, field: &Field<'_>, place: u32) -> bool {
        let overlap = |one: u32, size: u32, other: u32, its_size: u32| {
            one < other + its_size.max(1) && other < one + size.max(1)
        };
        self.known.iter().any(|((owner, name), (offset, size))| {
            let old = self.field(structure, name).filter(|_| *owner == structure);
            old.is_some_and(|old| {
                old.name != field.name
                    && overlap(place, field.size, *offset, *size)
                    && !overlap(field.offset, field.size, old.offset, old.size)
            })
        })
    }

    /// Decides between several places.
    fn settle(&mut self) -> Result<(), LearnError> {
        let mut open = std::mem::take(&mut self.open);
        let distance = |this: &Self, structure: &str, field: &Field<'_>| {
            let nearest = this.nearest(structure, field).map(|(old, _)| old);
            nearest.map_or(i64::MAX, |old| (old - i64::from(field.offset)).abs())
        };
        while !open.is_empty() {
            open.sort_by_key(|(structure, field, _)| distance(self, structure, field));
            let (structure, field, mut places) = open.remove(0);
            let all = places.clone();
            places.retain(|place| !self.is_taken(structure, &field, *place));
            let expected = self.by_distance(structure, &field);
            let expected = places.iter().find(|place| Some(i64::from(**place)) == expected);
            let place = match (&places[..], expected) {
                ([place], _) | (_, Some(place)) => *place,
                _ => {
                    let field = format!("{structure}.{}", field.name);
                    return Err(LearnError::Ambiguous { field, places: all });
                }
            };
            self.known.insert((structure, field.name), (place, field.size));
        }
        Ok(())
    }

    /// Chooses between pairs of places: the one with the inner place of the other table, if there
    /// are several.
    fn pair(
        &mut self,
        outer: (&'t str, &'t str),
        inner: (&'t str, &'t str),
        pairs: &[[u32; 2]],
    ) -> Result<(), LearnError> {
        let (Some(outer_field), Some(inner_field)) =
            (self.field(outer.0, outer.1), self.field(inner.0, inner.1))
        else {
            return Ok(());
        };
        let as_before: Vec<_> =
            pairs.iter().filter(|[_, place]| *place == inner_field.offset).copied().collect();
        let chosen = if pairs.len() > 1 && !as_before.is_empty() { &as_before[..] } else { pairs };
        let mut inner_places: Vec<u32> = chosen.iter().map(|[_, place]| *place).collect();
        inner_places.dedup();
        self.note(outer.0, outer_field, chosen.iter().map(|[place, _]| *place).collect())?;
        self.note(inner.0, inner_field, inner_places)
    }

    fn communicators(&mut self, world: &World<'_>) -> Result<(), LearnError> {
        for field in self.fields(COMM) {
            if let Some(places) = rules::communicator(world, self.like, field.name) {
                self.note(COMM, field, places)?;
            }
        }
        let contexts = rules::contexts(world);
        let names = ["context_id", "recvcontext_id"];
        for (number, name) in (0..).zip(names) {
            let Some(field) = self.field(COMM, name) else { continue };
            let width = contexts.first().map_or(field.size, |(_, width)| *width);
            let places = contexts.iter().map(|(at, width)| at + number * width).collect();
            self.note(COMM, Field { size: width, ..field }, places)?;
        }
        self.settle()
    }

    /// Fields of requests that their own values tell.
    fn requests(&mut self, world: &World<'_>) -> Result<(), LearnError> {
        let context = |name| {
            let known = self.known.get(&(COMM, name));
            known.map_or((0, 0), |(offset, size)| (*offset as usize, *size as usize))
        };
        let contexts = (context("context_id"), context("recvcontext_id"));
        for field in self.fields(REQUEST) {
            let Some(places) = rules::request(world, contexts, field.name) else { continue };
            // The fields of the status come first.
            let status = match field.name {
                "dev.ch4.am.u.recv.source" => self.place(REQUEST, "status.MPI_SOURCE"),
                "dev.ch4.am.u.recv.tag" => self.place(REQUEST, "status.MPI_TAG"),
                _ => None,
            };
            if status.is_some() && places.iter().all(|place| Some(*place as usize) == status) {
                self.in_status = true;
                continue;
            }
            self.note(REQUEST, field, places)?;
        }
        self.settle()
    }

    /// The requests of the messages that nobody has received.
    fn messages<'w>(
        &self,
        world: &'w World<'_>,
        kinds: &[Kind],
    ) -> Result<Vec<Sample<'w, Operation>>, LearnError> {
        let place = |names: &[&str]| {
            let found = names.iter().find_map(|name| self.place(REQUEST, name));
            found.ok_or_else(|| LearnError::NoPlace { field: format!("{REQUEST}.{}", names[0]) })
        };
        let fields = [
            place(&["kind"])?,
            place(&["cc"])?,
            place(&["dev.ch4.am.u.recv.source", "status.MPI_SOURCE"])?,
            place(&["dev.ch4.am.u.recv.tag", "status.MPI_TAG"])?,
        ];
        world.messages(kinds, |message| rules::is_message(message, fields))
    }

    /// Fields by which objects of MPICH name each other.
    fn extensions(&mut self, world: &World<'_>) -> Result<(), LearnError> {
        let Some(extension) = self.like.structure(EXTENSION) else { return Ok(()) };
        let size = extension.size as usize;
        let messages = self.messages(world, &[Kind::Message])?;
        let part = "dev.ch4.am.req";
        if self.field(EXTENSION, "rreq.peer_req_ptr").is_some() {
            let pairs = rules::sender_through(world, &messages, size);
            self.pair((REQUEST, part), (EXTENSION, "rreq.peer_req_ptr"), &pairs)?;
            self.settle()?;
        }
        let (Some(at), Some(status)) = (self.place(REQUEST, part), self.field(EXTENSION, "status"))
        else {
            return Ok(());
        };
        self.note(EXTENSION, status, rules::status(world, &messages, at, size))?;
        self.settle()
    }

    /// Fields by which objects of Intel MPI name each other.
    fn lists(&mut self, world: &World<'_>) -> Result<(), LearnError> {
        let names = ["dev.ch4.am.req", "dev.ch4.am.posted.prev", "dev.ch4.am.posted.next"];
        let fields: Option<Vec<_>> =
            names.into_iter().map(|name| self.field(REQUEST, name)).collect();
        let (Some(fields), Some(element)) = (fields, self.like.structure(UNEXPECTED)) else {
            return Ok(());
        };
        let links = rules::links(world);
        for (number, field) in fields.into_iter().enumerate() {
            let mut places: Vec<u32> = links.iter().map(|link| link[number]).collect();
            places.sort_unstable();
            places.dedup();
            self.note(REQUEST, field, places)?;
        }
        self.settle()?;
        let messages = self.messages(world, &[Kind::Message, Kind::OwnMessage])?;
        if let Some(field) = self.field(REQUEST, "dev.ch4.am.peer_req") {
            self.note(REQUEST, field, rules::sender(world, &messages))?;
        }
        let (name, size) = ("dev.ch4.am.unexpected", element.size as usize);
        let pairs = rules::back(&messages, size);
        self.pair((REQUEST, name), (UNEXPECTED, "request"), &pairs)?;
        self.settle()?;
        if let (Some(at), Some(field)) = (self.place(REQUEST, name), self.field(UNEXPECTED, "next"))
        {
            self.note(UNEXPECTED, field, rules::next_message(&messages, at, size))?;
        }
        self.settle()
    }

    /// A structure of the new table.
    fn structure(
        &self,
        structure: &Structure<'_>,
        size: Option<u64>,
    ) -> Result<NewStructure, LearnError> {
        let mut fields = Vec::new();
        let mut end = 0;
        for field in structure.fields() {
            let name = (structure.name, field.name);
            if NOT_LEARNED.contains(&name) || self.in_status && SEPARATE_ENVELOPE.contains(&name) {
                continue;
            }
            let known = self.known.get(&(structure.name, field.name));
            let (offset, bytes, origin) = match known {
                Some((offset, size)) => (i64::from(*offset), *size, Origin::Learned),
                None => match self.by_distance(structure.name, &field) {
                    Some(offset) => (offset, field.size, Origin::Distance),
                    None => (i64::from(field.offset), field.size, Origin::Copied),
                },
            };
            let name = field.name.to_owned();
            let outside = || LearnError::NoPlace { field: format!("{}.{name}", structure.name) };
            let offset = u32::try_from(offset).map_err(|_| outside())?;
            let room = size.filter(|_| structure.size > 0);
            end = end.max(offset + bytes);
            if room.is_some_and(|room| u64::from(offset + bytes) > room) {
                return Err(outside());
            }
            fields.push(NewField { name, offset, size: bytes, origin });
        }
        // Structures that are not in pools do not tell their size.
        let own = if structure.size == 0 { 0 } else { structure.size.max(end) };
        let size = size.map_or(own, |size| u32::try_from(size).unwrap_or(u32::MAX));
        Ok(NewStructure { name: structure.name.to_owned(), size, fields })
    }
}

/// Learns the structures of a library, with the names of another table. `pool` is the structure of
/// its pools.
pub(super) fn learn(
    world: &World<'_>,
    like: &Table<'_>,
    pool: &NewStructure,
) -> Result<Vec<NewStructure>, LearnError> {
    let mut fields = Fields { like, known: BTreeMap::new(), open: Vec::new(), in_status: false };
    fields.communicators(world)?;
    fields.requests(world)?;
    fields.extensions(world)?;
    fields.lists(world)?;
    let structures = like.structures().map(|one| match one.name == pool.name {
        true => Ok(pool.clone()),
        false => fields.structure(&one, world.size(one.name)),
    });
    structures.collect()
}
