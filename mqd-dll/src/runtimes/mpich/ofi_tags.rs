//! How the netmod ofi divides a tag of libfabric.
//!
//! From its low bits up a tag holds the tag of MPI, perhaps the sender's rank, the context id of
//! the communicator, and the protocol. Intel MPI has the rank after the context id. How many bits
//! each part has depends on the release and on the provider. The library keeps these numbers in its
//! variables. A receive tells something of them, too: it ignores some bits of the protocol, which
//! follow the others.

use super::layout::{Layout, OfiSettings, context};
use super::pools::Variables;
use super::ucx::shown_internal;
use crate::alloc::push;
use crate::debugger::Target;
use crate::error::Result;
use crate::layout::{Record, Structure};
use crate::transports::libfabric::{FabricMessage, Posted};

/// The bits of the tag, of the sender's rank and of the context id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Division {
    tag: u32,
    source: u32,
    context: u32,
    order: Order,
}

/// What follows the tag of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    SourceThenContext,
    ContextThenSource,
}

/// The divisions that the library has.
const DIVISIONS: [Division; 6] = [
    usual(31, 0, 20),
    usual(20, 0, 20),
    usual(19, 23, 16),
    usual(20, 23, 16),
    usual(20, 24, 16),
    usual(23, 23, 16),
];

const fn usual(tag: u32, source: u32, context: u32) -> Division {
    Division { tag, source, context, order: Order::SourceThenContext }
}

/// The division of Intel MPI, for every provider. The highest bit of the tag is the library's own.
const INTEL: Division =
    Division { tag: 20, source: 20, context: 20, order: Order::ContextThenSource };
const INTEL_PROGRAM: u32 = 19;
/// The bit of synchronous messages there.
const INTEL_SYNCHRONOUS: u64 = 1 << 1;

/// The bits of the whole tag of MPI in the usual division.
const USUAL: Division = DIVISIONS[0];

impl Division {
    fn sum(self) -> u32 {
        self.tag + self.source + self.context
    }

    /// The place of the sender's rank.
    fn source_shift(self) -> u32 {
        match self.order {
            Order::SourceThenContext => self.tag,
            Order::ContextThenSource => self.tag + self.context,
        }
    }

    /// The place of the context id.
    fn context_shift(self) -> u32 {
        match self.order {
            Order::SourceThenContext => self.tag + self.source,
            Order::ContextThenSource => self.tag,
        }
    }

    /// Whether a receive ignores what it does in this division: the protocol, and the whole rank
    /// and tag, or nothing of them.
    fn fits(self, ignored: u64) -> bool {
        let is_all_or_none = |mask: u64| ignored & mask == 0 || ignored & mask == mask;
        // Only the first bits of the protocol count. Their number depends on the release.
        let protocol = (ignored >> self.sum()).trailing_zeros();
        protocol <= 3
            && ignored >> self.context_shift() & mask(self.context) == 0
            && is_all_or_none(mask(self.tag))
            && is_all_or_none(mask(self.source) << self.source_shift())
    }
}

fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// The parts of a tag of libfabric.
#[derive(Clone, Copy)]
pub(super) struct Tags {
    division: Division,
    /// The number of bits of the program's tag. The library's own messages have the next bit, or a
    /// context id of their own.
    program: u32,
    /// The bit of synchronous messages. 0: releases differ.
    pub(super) synchronous: u64,
}

impl Tags {
    /// The answer to a synchronous message.
    pub(super) const ANSWER: u64 = 1;

    fn whole_context(self, tag: u64) -> u64 {
        tag >> self.division.context_shift() & mask(self.division.context)
    }

    pub(super) fn context(self, tag: u64) -> u64 {
        self.whole_context(tag) & !context::COLLECTIVE
    }

    pub(super) fn protocol(self, tag: u64) -> u64 {
        tag >> self.division.sum()
    }

    pub(super) fn is_internal(self, tag: u64) -> bool {
        tag >> self.program & 1 != 0 || self.whole_context(tag) & context::COLLECTIVE != 0
    }

    pub(super) fn number(self, tag: u64) -> i64 {
        (tag & mask(self.program)).cast_signed()
    }

    /// The tag as it is shown. Those of the library's own messages are shown as negative numbers.
    pub(super) fn shown(self, tag: u64) -> i64 {
        if self.is_internal(tag) { shown_internal(self.number(tag)) } else { self.number(tag) }
    }

    /// Whether a receive takes any tag. None: it ignores a part of it.
    pub(super) fn is_any(self, ignored: u64) -> Option<bool> {
        let all = mask(self.division.tag);
        match ignored & all {
            0 => Some(false),
            bits if bits == all => Some(true),
            bits => (bits & mask(self.program) == 0).then_some(false),
        }
    }

    /// The rank that the tag of a receive names. None: any, or the tag has no room for it.
    pub(super) fn named(self, posted: &Posted) -> Option<i64> {
        let ranks = mask(self.division.source) << self.division.source_shift();
        let is_named = ranks != 0 && posted.ignore & ranks == 0;
        is_named.then(|| self.rank(posted.tag).cast_signed())
    }

    /// The rank of a message's sender.
    pub(super) fn sender(self, message: &FabricMessage) -> u64 {
        if self.division.source == 0 { message.data } else { self.rank(message.tag) }
    }

    fn rank(self, tag: u64) -> u64 {
        tag >> self.division.source_shift() & mask(self.division.source)
    }
}

/// The parts of tags, by the library's settings and by what its receives ignore. None: these
/// contradict each other, or tell nothing.
pub(super) fn tags_of<'p>(
    layout: &Layout,
    variables: &Variables,
    target: &Target,
    receives: impl Iterator<Item = &'p Posted> + Clone,
) -> Result<Option<Tags>> {
    if layout.intel.is_some() {
        let tags = Tags { division: INTEL, program: INTEL_PROGRAM, synchronous: INTEL_SYNCHRONOUS };
        // A receive for an answer ignores nothing.
        let mut receives = receives.filter(|one| tags.protocol(one.tag) != Tags::ANSWER);
        return Ok(receives.all(|posted| INTEL.fits(posted.ignore)).then_some(tags));
    }
    let settings = layout.ofi_settings.as_ref();
    let set = settings.map(|settings| settings_of(settings, variables, target)).transpose()?;
    let set = set.flatten();
    let mut fit = DIVISIONS.into_iter().filter(|one| {
        set.is_none_or(|set| set == *one) && receives.clone().all(|posted| one.fits(posted.ignore))
    });
    let (Some(division), None) = (fit.next(), fit.next()) else { return Ok(None) };
    let Some(program) = (layout.tag_bits() + division.tag).checked_sub(USUAL.tag) else {
        return Ok(None);
    };
    let synchronous = if layout.has_error_bits() { 0 } else { 1 << 3 };
    Ok(Some(Tags { division, program, synchronous }))
}

/// What the library has chosen. The library also has a list of all choices, one after the other.
fn settings_of(
    fields: &OfiSettings,
    variables: &Variables,
    target: &Target,
) -> Result<Option<Division>> {
    let mut found: Vec<(u64, Division)> = Vec::new();
    for (address, bytes) in variables.places(fields.bytes(), target.pointer) {
        let record = Record { bytes, target };
        let tag = record.get(fields.tag_bits)?;
        let (source, context) = (record.get(fields.source_bits)?, record.get(fields.context_bits)?);
        let is_this = |one: &Division| {
            (i64::from(one.tag), i64::from(one.source), i64::from(one.context))
                == (tag, source, context)
        };
        if let Some(division) = DIVISIONS.into_iter().find(is_this)
            && (1..=256).contains(&record.get(fields.max_endpoints)?)
            && (1..=2).contains(&record.get(fields.major_version)?)
            && (0..=99).contains(&record.get(fields.minor_version)?)
            && (1..=8).contains(&record.get(fields.num_am_buffers)?)
        {
            push(&mut found, (address, division))?;
        }
    }
    let size = fields.bytes() as u64;
    let mut alone = found
        .iter()
        .filter(|(address, _)| !found.iter().any(|(other, _)| other.abs_diff(*address) == size));
    Ok(match (alone.next(), alone.next()) {
        (Some((_, division)), None) => Some(*division),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receive_of_another_division_does_not_fit() {
        let (usual, others) = DIVISIONS.split_first().expect("there is one");
        for (one, counted) in DIVISIONS.into_iter().flat_map(|one| [(one, 2), (one, 3)]) {
            let Some(protocol) = 3_u64.checked_shl(one.sum() + counted).filter(|bits| *bits != 0)
            else {
                continue;
            };
            let (tag, source) = (mask(one.tag), mask(one.source) << one.tag);
            for ignored in [0, tag, source, tag | source].map(|part| part | protocol) {
                assert!(one.fits(ignored), "{ignored:x}");
                let is_usual = one == *usual;
                assert_eq!(usual.fits(ignored), is_usual, "{ignored:x}");
                assert_eq!(others.iter().any(|other| other.fits(ignored)), !is_usual);
            }
        }
    }
}
