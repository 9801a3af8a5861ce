//! An endpoint: where it is, and the layout that fits it.

use super::FabricQueues;
use super::layout::{Layout, Sockets, Tcp, class};
use super::lists::is_ring;
use super::version;
use crate::alloc::{AddressMap, insert};
use crate::debugger::Image;
use crate::error::{Code, Error, Result};
use crate::layout::{Record, Structure};
use crate::memory::Memory;
use crate::tables::{choose, layout_for_target};
use crate::text::until_nul;

/// The name of the library in tables.
const LIBRARY: &str = "libfabric";
/// Bytes of a domain that are searched for its provider.
const DOMAIN_BYTES: u64 = 256;

/// An endpoint whose structures are known.
pub(crate) struct Endpoint {
    provider: Kind,
}

/// The provider that an endpoint belongs to, and its receiving side.
enum Kind {
    Tcp { fields: Tcp, endpoint: u64, receiver: u64 },
    Sockets { fields: Sockets, receiver: u64 },
}

impl Endpoint {
    /// Finds an endpoint among words that may be the addresses of one.
    ///
    /// # Errors
    /// [`Code::NoTransportLayout`]: no table fits, so nothing may be read.
    pub(crate) fn find(
        memory: &mut Memory<'_>,
        image: &Image,
        words: impl FnOnce() -> Result<Vec<u64>>,
    ) -> Result<Self> {
        let missing = Error::on(Code::NoTransportLayout, "fid_ep");
        let anchor = version::anchor(image).ok_or(missing)?;
        let version = version::version(memory, image);
        let version = version.as_ref().and_then(|text| std::str::from_utf8(text.as_bytes()).ok());
        let mut words = words()?;
        let found = choose(memory, LIBRARY, version, anchor, |memory, table| {
            let Some(layout) = layout_for_target(memory, table, |types| Layout::resolve(types))?
            else {
                return Ok(None);
            };
            let classes = classes(memory, &layout, &words)?;
            words.retain(|word| classes.contains_key(word));
            for &word in &words {
                if matches!(classes.get(&word), Some(&(class::ENDPOINT | class::RECEIVER)))
                    && let Some(provider) = fits(memory, &layout, word)?
                {
                    return Ok(Some(Self { provider }));
                }
            }
            Ok(None)
        })?;
        found.ok_or(missing)
    }

    /// Reads its queues. What was read before an error is kept; the first error is the result.
    pub(crate) fn queues(&self, memory: &mut Memory<'_>, queues: &mut FabricQueues) -> Result<()> {
        match &self.provider {
            Kind::Tcp { fields, endpoint, receiver } => {
                fields.queues(memory, *endpoint, *receiver, queues)
            }
            Kind::Sockets { fields, receiver } => fields.queues(memory, *receiver, queues),
        }
    }
}

/// What would be the class of the object at each of these addresses. Most of them are addresses of
/// something else; what cannot be read is left out.
fn classes(memory: &mut Memory<'_>, layout: &Layout, words: &[u64]) -> Result<AddressMap<u64>> {
    let mut classes = AddressMap::default();
    let target = memory.target;
    memory.visit(words, layout.object.bytes(), |address, bytes| {
        let class = Record { bytes, target }.get(layout.object.class)?;
        insert(&mut classes, address, class)
    })?;
    Ok(classes)
}

/// The provider of the endpoint at an address. None: it is not an endpoint of this layout.
fn fits(memory: &mut Memory<'_>, layout: &Layout, address: u64) -> Result<Option<Kind>> {
    match try_fits(memory, layout, address) {
        Err(error) if matches!(error.code, Code::Unreadable | Code::WrongType) => Ok(None),
        result => result,
    }
}

/// Checks the anchors: the classes of all objects that belong together, their pointers to each
/// other, the name of the provider, and the pointers of the queues.
fn try_fits(memory: &mut Memory<'_>, layout: &Layout, address: u64) -> Result<Option<Kind>> {
    let class = class_of(memory, layout, address)?;
    if class == Some(class::ENDPOINT)
        && let Some(fields) = layout.tcp
        && let Some(receiver) = tcp(memory, layout, &fields, address)?
    {
        return Ok(Some(Kind::Tcp { fields, endpoint: address, receiver }));
    }
    let Some(fields) = layout.sockets else { return Ok(None) };
    let receiver = match class {
        Some(class::RECEIVER) => address,
        Some(class::ENDPOINT) => {
            let attributes = memory.pointer(fields.endpoint.attributes.address(address))?;
            memory.pointer(fields.attributes.receiver.address(attributes))?
        }
        _ => return Ok(None),
    };
    // A receiver inside an endpoint has no operations.
    let is_receiver = memory.pointer(layout.object.class.address(receiver))? == class::RECEIVER
        && is_ring(memory, fields.receiver.posted.address(receiver))?
        && is_ring(memory, fields.receiver.messages.address(receiver))?;
    Ok(is_receiver.then_some(Kind::Sockets { fields, receiver }))
}

/// The receiving side of an endpoint of the provider tcp. None: it is of another provider.
fn tcp(
    memory: &mut Memory<'_>,
    layout: &Layout,
    fields: &Tcp,
    endpoint: u64,
) -> Result<Option<u64>> {
    let receiver = memory.pointer(fields.endpoint.receiver.address(endpoint))?;
    if class_of(memory, layout, receiver)? != Some(class::SHARED_RECEIVER)
        || memory.pointer(fields.receiver.endpoint.address(receiver))? != endpoint
    {
        return Ok(None);
    }
    let domain = memory.pointer(fields.endpoint.domain.address(endpoint))?;
    let is_right = memory.pointer(fields.receiver.domain.address(receiver))? == domain
        && class_of(memory, layout, domain)? == Some(class::DOMAIN)
        && is_ring(memory, fields.progress.unexpected.address(domain))?
        && is_ring(memory, fields.progress.saved.address(domain))?
        && has_provider(memory, layout, domain, b"tcp")?;
    Ok(is_right.then_some(receiver))
}

/// The class of an object. None: there is none.
fn class_of(memory: &mut Memory<'_>, layout: &Layout, address: u64) -> Result<Option<u64>> {
    if !memory.target.may_be_object(address) {
        return Ok(None);
    }
    let bytes = memory.record(address, layout.object.bytes())?;
    let record = Record { bytes: &bytes, target: memory.target };
    let operations = record.get(layout.object.operations)?;
    Ok(Some(record.get(layout.object.class)?).filter(|_| operations != 0))
}

/// Whether a domain names a provider of this name.
fn has_provider(
    memory: &mut Memory<'_>,
    layout: &Layout,
    domain: u64,
    expected: &[u8],
) -> Result<bool> {
    for place in (0..DOMAIN_BYTES).step_by(memory.target.pointer) {
        let provider = memory.pointer(domain.wrapping_add(place))?;
        if !memory.target.may_be_object(provider) {
            continue;
        }
        let mut text = [0; 16];
        let name = memory
            .pointer(layout.provider.name.address(provider))
            .and_then(|name| memory.read_string(name, &mut text));
        match name {
            Ok(_) if until_nul(&text) == expected => return Ok(true),
            Err(error) if error.code != Code::Unreadable => return Err(error),
            _ => {}
        }
    }
    Ok(false)
}
