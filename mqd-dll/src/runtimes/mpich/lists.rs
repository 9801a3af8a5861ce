//! Lists of requests, whose elements are found in the pools and name each other.

use crate::alloc::{AddressMap, insert};
use crate::error::Result;

/// An element of a list: its address, and that of the next one.
pub(super) type Links = (u64, u64);

/// The place of each element in its list. The elements may be of several lists. An element that is
/// not among them cuts its list in two, whose order is then not known.
pub(super) fn places(elements: &[Links]) -> Result<AddressMap<u64>> {
    let mut next = AddressMap::default();
    let mut is_first = AddressMap::default();
    for &(address, following) in elements {
        insert(&mut next, address, following)?;
        if !is_first.contains_key(&address) {
            insert(&mut is_first, address, true)?;
        }
        insert(&mut is_first, following, false)?;
    }
    let mut places = AddressMap::default();
    let mut place = 0;
    for (first, _) in is_first.iter().filter(|(_, is_first)| **is_first) {
        let mut address = *first;
        // An element that is met twice means damage, and ends its list.
        while let Some(following) = next.get(&address).filter(|_| !places.contains_key(&address)) {
            insert(&mut places, address, place)?;
            place += 1;
            address = *following;
        }
    }
    Ok(places)
}
