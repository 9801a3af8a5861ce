//! What a type looks like: its size and the offsets of its members.

use std::collections::HashMap;

use gimli::{AttributeValue, Operation, constants};

use super::dwarf::{Entry, Place, Unit, Value, View};
use super::{MAX_DEPTH, NameSpace};

/// The most entries of a structure. Real ones have fewer.
const MAX_ENTRIES: usize = 1 << 20;

/// Size and member offsets, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// `None` for a type that is only declared.
    pub size: Option<u64>,
    /// The members by name, those of anonymous members included.
    pub fields: HashMap<Box<str>, Member>,
}

/// Where a member is in its structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// From the beginning of the structure.
    pub offset: u64,
    /// `None` if the debug information does not tell, as of an array without a length.
    pub size: Option<u64>,
}

/// What a file knows of a type.
#[derive(Debug)]
pub(crate) enum Resolved {
    Complete(Layout),
    /// The file only declares `struct tag`; another may define it.
    Declared(String),
}

/// Reads the layout of a type; `None` if the debug information is damaged.
pub(crate) fn resolve(view: &View<'_>, place: Place) -> Option<Resolved> {
    let mut place = place;
    for _ in 0..MAX_DEPTH {
        let (unit, entry) = view.entry(place)?;
        if let Some(next) = entry.attr_value(constants::DW_AT_signature) {
            place = view.follow(&unit, next)?;
        } else if is_alias(&entry) {
            match entry.attr_value(constants::DW_AT_type) {
                Some(next) => place = view.follow(&unit, next)?,
                // typedef void
                None => return Some(Resolved::Complete(Layout::default())),
            }
        } else if entry.has_attr(constants::DW_AT_declaration) {
            let tag = view.name(&unit, &entry)?.to_string_lossy().into_owned();
            match view.owner.find(NameSpace::Tag, &tag) {
                Some(definition) if definition != place => place = definition,
                _ => return Some(Resolved::Declared(tag)),
            }
        } else {
            let mut layout = Layout { size: size(view, &unit, &entry, 0), fields: HashMap::new() };
            if is_structure(&entry) {
                fields(
                    view,
                    place,
                    0,
                    &mut layout.fields,
                    &mut Budget { entries: MAX_ENTRIES, depth: MAX_DEPTH },
                )?;
            }
            return Some(Resolved::Complete(layout));
        }
    }
    None
}

/// Another name or a qualifier of a type.
fn is_alias(entry: &Entry<'_>) -> bool {
    matches!(
        entry.tag(),
        constants::DW_TAG_typedef
            | constants::DW_TAG_const_type
            | constants::DW_TAG_volatile_type
            | constants::DW_TAG_restrict_type
            | constants::DW_TAG_atomic_type
            | constants::DW_TAG_packed_type
            | constants::DW_TAG_shared_type
    )
}

fn is_structure(entry: &Entry<'_>) -> bool {
    matches!(
        entry.tag(),
        constants::DW_TAG_structure_type
            | constants::DW_TAG_class_type
            | constants::DW_TAG_union_type
    )
}

/// How many entries are still followed. Damaged debug information may have cycles.
struct Budget {
    entries: usize,
    depth: usize,
}

/// Collects the members of a structure that begins at `base`, those of anonymous members included.
fn fields(
    view: &View<'_>,
    place: Place,
    base: u64,
    found: &mut HashMap<Box<str>, Member>,
    budget: &mut Budget,
) -> Option<()> {
    let unit = view.unit(place.unit)?;
    let offset = gimli::UnitOffset(place.offset as usize);
    let mut cursor = unit.header.entries_at_offset(&unit.abbreviations, offset).ok()?;
    cursor.next_entry().ok()?;
    if !cursor.current()?.has_children() {
        return Some(());
    }
    cursor.next_entry().ok()?;
    while let Some(entry) = cursor.current() {
        budget.entries = budget.entries.checked_sub(1)?;
        let member =
            entry.tag() == constants::DW_TAG_member && !entry.has_attr(constants::DW_AT_external);
        let inherited = entry.tag() == constants::DW_TAG_inheritance;
        // A member whose place is computed at run time has no offset: it is left out.
        if (member || inherited)
            && let Some(offset) = member_offset(view, &unit, entry)
        {
            let offset = base.wrapping_add(offset);
            if let Some(name) = view.name(&unit, entry).filter(|_| member) {
                let size = size_of_type(view, &unit, entry, 0);
                found.entry(name.to_string_lossy().into()).or_insert(Member { offset, size });
            } else if let Some(ty) = entry.attr_value(constants::DW_AT_type)
                && let Some(inner) = structure(view, &unit, ty)
            {
                budget.depth = budget.depth.checked_sub(1)?;
                fields(view, inner, offset, found, budget)?;
                budget.depth += 1;
            }
        }
        cursor.next_sibling().ok()?;
    }
    Some(())
}

/// The structure that a member's type is, through its qualifiers.
fn structure<'a>(view: &View<'a>, unit: &Unit<'a>, value: Value<'a>) -> Option<Place> {
    let mut place = view.follow(unit, value)?;
    for _ in 0..MAX_DEPTH {
        let (unit, entry) = view.entry(place)?;
        place = match entry.attr_value(constants::DW_AT_signature) {
            Some(next) => view.follow(&unit, next)?,
            None if is_structure(&entry) => return Some(place),
            None if is_alias(&entry) => {
                view.follow(&unit, entry.attr_value(constants::DW_AT_type)?)?
            }
            None => return None,
        };
    }
    None
}

/// The offset of the byte where a member begins, in bytes.
fn member_offset<'a>(view: &View<'a>, unit: &Unit<'a>, entry: &Entry<'a>) -> Option<u64> {
    if let Some(bits) = number(entry, constants::DW_AT_data_bit_offset) {
        return Some(bits / 8);
    }
    let location = match entry.attr_value(constants::DW_AT_data_member_location) {
        None => 0,
        Some(AttributeValue::Exprloc(expression)) => {
            let mut operations = expression.operations(unit.header.encoding());
            match (operations.next().ok()??, operations.next().ok()?) {
                (Operation::PlusConstant { value }, None) => value,
                _ => return None,
            }
        }
        Some(value) => value.udata_value()?,
    };
    // Up to DWARF 4: bits from the most significant end of a storage unit at `location`; negative
    // when the field reaches beyond it.
    let Some(bits) = entry.attr_value(constants::DW_AT_bit_offset) else { return Some(location) };
    let bits = bits.sdata_value()?;
    let storage =
        number(entry, constants::DW_AT_byte_size).or_else(|| size_of_type(view, unit, entry, 0))?;
    let first_bit = if view.is_little_endian() {
        let width = i64::try_from(number(entry, constants::DW_AT_bit_size)?).ok()?;
        i64::try_from(storage.checked_mul(8)?).ok()?.checked_sub(bits)?.checked_sub(width)?
    } else {
        bits
    };
    location.checked_add_signed(first_bit.div_euclid(8))
}

/// The size of a type in bytes.
fn size<'a>(view: &View<'a>, unit: &Unit<'a>, entry: &Entry<'a>, depth: usize) -> Option<u64> {
    if let Some(size) = number(entry, constants::DW_AT_byte_size) {
        return Some(size);
    }
    if depth > MAX_DEPTH {
        return None;
    }
    let target = || size_of_type(view, unit, entry, depth + 1);
    match entry.tag() {
        constants::DW_TAG_pointer_type
        | constants::DW_TAG_reference_type
        | constants::DW_TAG_rvalue_reference_type => Some(u64::from(unit.header.address_size())),
        constants::DW_TAG_array_type => target()?.checked_mul(elements(unit, entry)?),
        constants::DW_TAG_enumeration_type => target(),
        _ if is_alias(entry) => target(),
        _ => None,
    }
}

/// The size of the type that an entry refers to.
fn size_of_type<'a>(
    view: &View<'a>,
    unit: &Unit<'a>,
    entry: &Entry<'a>,
    depth: usize,
) -> Option<u64> {
    let (unit, entry) = view.entry(view.follow(unit, entry.attr_value(constants::DW_AT_type)?)?)?;
    size(view, &unit, &entry, depth)
}

/// The number of elements of an array; `None` if it is not fixed.
fn elements(unit: &Unit<'_>, array: &Entry<'_>) -> Option<u64> {
    let mut cursor = unit.header.entries_at_offset(&unit.abbreviations, array.offset()).ok()?;
    cursor.next_entry().ok()?;
    cursor.next_entry().ok()?;
    let mut product: u64 = 1;
    while let Some(entry) = cursor.current() {
        if entry.tag() == constants::DW_TAG_subrange_type {
            let count = match number(entry, constants::DW_AT_count) {
                Some(count) => count,
                None => number(entry, constants::DW_AT_upper_bound)?.checked_add(1)?,
            };
            product = product.checked_mul(count)?;
        }
        cursor.next_sibling().ok()?;
    }
    Some(product)
}

fn number(entry: &Entry<'_>, name: constants::DwAt) -> Option<u64> {
    entry.attr_value(name)?.udata_value()
}
