//! An endpoint: where it is, and the layout that fits it.

use super::FabricQueues;
use super::layout::{Layout, Rxm, RxmOld, SharedReceiver, Sockets, Tcp, class};
use super::lists::is_ring;
use super::version;
use crate::alloc::{AddressMap, insert, push};
use crate::debugger::Image;
use crate::error::{Code, Error, OrUnreadable, Result};
use crate::layout::{Record, Structure};
use crate::memory::Memory;
use crate::tables::{choose, layout_for_target};
use crate::text::{Text, until_nul};

/// The name of the library in tables.
const LIBRARY: &str = "libfabric";
/// Bytes of a domain that are searched for its provider.
const DOMAIN_BYTES: u64 = 256;

/// Providers whose endpoints are not read, with what is said of them.
const UNREAD: [(&[u8], &str); 10] = [
    (b"cxi", "cxi, where the network card has the receives and messages"),
    (b"opx", "opx, where receives and messages may be in the network card"),
    (b"psm3", "psm3, where receives and messages are with the library of the network card"),
    (b"psm2", "psm2, where receives and messages are with the library of the network card"),
    (b"verbs", "verbs, where receives are in the network card"),
    (b"efa", "efa, in a release whose layout is not known"),
    (b"ofi_rxd", "ofi_rxd"),
    (b"ofi_rxm", "ofi_rxm, with queues of another provider or in a release that is not known"),
    (b"shm", "shm, in a release whose layout is not known"),
    (b"tcp", "tcp, in a release whose layout is not known"),
];

/// An endpoint whose structures are known.
pub(crate) struct Endpoint {
    provider: Kind,
    /// The release, the provider and the layout table, for people.
    pub(crate) source: Text<64>,
}

/// The provider that an endpoint belongs to, and its receiving side.
enum Kind {
    Tcp {
        fields: Tcp,
        endpoint: u64,
        receiver: u64,
    },
    Sockets {
        fields: Sockets,
        receiver: u64,
    },
    /// `shm` and `efa`.
    Shared {
        fields: SharedReceiver,
        receiver: u64,
        name: &'static str,
    },
    /// `ofi_rxm` since 2.0.
    Rxm {
        fields: Rxm,
        endpoint: u64,
        receiver: (SharedReceiver, u64),
    },
    /// `ofi_rxm` until 1.22.
    RxmOld {
        fields: RxmOld,
        endpoint: u64,
    },
}

impl Kind {
    /// The address of what has the receives and messages.
    fn receiver(&self) -> u64 {
        match self {
            Self::Tcp { receiver, .. }
            | Self::Sockets { receiver, .. }
            | Self::Shared { receiver, .. }
            | Self::Rxm { receiver: (_, receiver), .. } => *receiver,
            Self::RxmOld { endpoint, .. } => *endpoint,
        }
    }

    /// As libfabric names it.
    fn name(&self) -> &'static str {
        match self {
            Self::Tcp { .. } => "tcp",
            Self::Sockets { .. } => "sockets",
            Self::Shared { name, .. } => name,
            Self::Rxm { .. } | Self::RxmOld { .. } => "ofi_rxm",
        }
    }
}

impl Endpoint {
    /// Finds up to `most` endpoints among words that may be their addresses. There is at least one.
    ///
    /// # Errors
    /// Nothing may be read: [`Code::NoTransportLayout`] if no table fits, [`Code::OtherProvider`]
    /// if the endpoints are of a provider that is not read.
    pub(crate) fn find(
        memory: &mut Memory<'_>,
        image: &Image,
        most: usize,
        words: impl FnOnce(&mut Memory<'_>) -> Result<Vec<u64>>,
    ) -> Result<Vec<Self>> {
        let missing = Error::on(Code::NoTransportLayout, "fid_ep");
        let anchor = version::anchor(image).ok_or(missing)?;
        let version = version::version(memory, image);
        let version = version.as_ref().map(Text::as_str);
        let mut words = words(memory)?;
        let mut unread = None;
        let found = choose(memory, LIBRARY, version, anchor, |memory, table| {
            // The anchors do not check the fields of connections, which differ between series.
            let is_right = version.is_none_or(|version| table.has_version(version));
            let Some(layout) = layout_for_target(memory, table, |types| Layout::resolve(types))?
            else {
                return Ok(None);
            };
            let classes = classes(memory, &layout, &words)?;
            words.retain(|word| classes.contains_key(word));
            let mut found: Vec<Kind> = Vec::new();
            for &word in &words {
                if is_right
                    && matches!(classes.get(&word), Some(&(class::ENDPOINT | class::RECEIVER)))
                    && let Some(provider) = fits(memory, &layout, word)?
                    && found.iter().all(|other| other.receiver() != provider.receiver())
                {
                    push(&mut found, provider)?;
                    if found.len() == most {
                        break;
                    }
                }
            }
            if !found.is_empty() {
                return Ok(Some(found));
            }
            if unread.is_none() {
                unread = unread_provider(memory, &layout, &words)?;
            }
            Ok(None)
        })?;
        let other = |name| Error::on(Code::OtherProvider, name);
        let (providers, table) = found.ok_or(unread.map_or(missing, other))?;
        let (version, table) = (version.unwrap_or_default(), table.as_str());
        let mut endpoints = Vec::new();
        for provider in providers {
            let name = provider.name();
            let source = Text::format(format_args!(
                "libfabric {version}, provider {name}, layout table {table}"
            ));
            push(&mut endpoints, Self { provider, source })?;
        }
        Ok(endpoints)
    }

    /// Reads its queues. What was read before an error is kept; the first error is the result.
    pub(crate) fn queues(&self, memory: &mut Memory<'_>, queues: &mut FabricQueues) -> Result<()> {
        match &self.provider {
            Kind::Tcp { fields, endpoint, receiver } => {
                fields.queues(memory, *endpoint, *receiver, queues)
            }
            Kind::Sockets { fields, receiver } => fields.queues(memory, *receiver, queues),
            Kind::Shared { fields, receiver, .. } => fields.queues(memory, *receiver, None, queues),
            Kind::Rxm { fields, endpoint, receiver: (shared, receiver) } => {
                let received = shared.queues(memory, *receiver, Some(fields), queues);
                received.and(fields.sending.queue(memory, *endpoint, queues))
            }
            Kind::RxmOld { fields, endpoint } => {
                let received = fields.queues(memory, *endpoint, queues);
                received.and(fields.sending.queue(memory, *endpoint, queues))
            }
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

/// What is said of the provider that these objects belong to, if it is known and not read.
fn unread_provider(
    memory: &mut Memory<'_>,
    layout: &Layout,
    words: &[u64],
) -> Result<Option<&'static str>> {
    for &word in words {
        let Some(class) = class_of(memory, layout, word).or_unreadable()? else { continue };
        if class != Some(class::DOMAIN) {
            continue;
        }
        if let Some(index) = provider_of(memory, layout, word, &UNREAD.map(|(name, _)| name))? {
            return Ok(UNREAD.get(index).map(|(_, said)| *said));
        }
    }
    Ok(None)
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
    if class == Some(class::ENDPOINT)
        && let Some(kind) = shared_or_rxm(memory, layout, address)?
    {
        return Ok(Some(kind));
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
        && provider_of(memory, layout, domain, &[b"tcp"])?.is_some();
    Ok(is_right.then_some(receiver))
}

/// An endpoint of the providers `shm`, `efa` and `ofi_rxm`. None: it is of another provider.
fn shared_or_rxm(memory: &mut Memory<'_>, layout: &Layout, endpoint: u64) -> Result<Option<Kind>> {
    let Some(fields) = layout.domain else { return Ok(None) };
    let domain = memory.pointer(fields.domain.address(endpoint))?;
    if class_of(memory, layout, domain)? != Some(class::DOMAIN) {
        return Ok(None);
    }
    let Some(index) = provider_of(memory, layout, domain, &[b"shm", b"efa", b"ofi_rxm"])? else {
        return Ok(None);
    };
    let (name, place) = match index {
        0 => ("shm", layout.shm.map(|fields| fields.receiver)),
        1 => ("efa", layout.efa.map(|fields| fields.receiver)),
        _ => ("ofi_rxm", layout.rxm.map(|fields| fields.endpoint.receiver)),
    };
    if let (Some(place), Some(shared)) = (place, layout.shared) {
        let receiver = memory.pointer(place.address(endpoint))?;
        let kind = match layout.rxm.filter(|_| index == 2) {
            Some(fields) => Kind::Rxm { fields, endpoint, receiver: (shared, receiver) },
            None => Kind::Shared { fields: shared, receiver, name },
        };
        let mut fits = is_shared_receiver(memory, layout, &shared, receiver)?;
        if let Kind::Rxm { fields, .. } = &kind {
            fits = fits && !fields.sending.passes_through(memory, endpoint)?;
        }
        return Ok(fits.then_some(kind));
    }
    let Some(fields) = layout.rxm_old.filter(|_| index == 2) else { return Ok(None) };
    let queue = fields.endpoint.tagged.address(endpoint);
    let fits = is_ring(memory, fields.queue.posted.address(queue))?
        && is_ring(memory, fields.queue.messages.address(queue))?
        && !fields.sending.passes_through(memory, endpoint)?;
    Ok(fits.then_some(Kind::RxmOld { fields, endpoint }))
}

/// Whether the receiving side of an endpoint is as it should be: its class, the sizes of what its
/// tables hold, and its rings.
fn is_shared_receiver(
    memory: &mut Memory<'_>,
    layout: &Layout,
    fields: &SharedReceiver,
    receiver: u64,
) -> Result<bool> {
    let word = memory.target.pointer as u64;
    Ok(class_of(memory, layout, receiver)? == Some(class::SHARED_RECEIVER)
        && memory.pointer(fields.receiver.by_source_size.address(receiver))? == 2 * word
        && memory.pointer(fields.receiver.by_sender_size.address(receiver))?
            == fields.sender.bytes() as u64
        && is_ring(memory, fields.receiver.from_unknown.address(receiver))?
        && is_ring(memory, fields.receiver.senders.address(receiver))?)
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

/// Which of these providers a domain names. None: none of them.
fn provider_of(
    memory: &mut Memory<'_>,
    layout: &Layout,
    domain: u64,
    names: &[&[u8]],
) -> Result<Option<usize>> {
    for place in (0..DOMAIN_BYTES).step_by(memory.target.pointer) {
        let provider = memory.pointer(domain.wrapping_add(place))?;
        if !memory.target.may_be_object(provider) {
            continue;
        }
        let mut text = [0; 16];
        let read = memory
            .pointer(layout.provider.name.address(provider))
            .and_then(|name| memory.read_string(name, &mut text));
        if read.or_unreadable()?.is_none() {
            continue;
        }
        if let Some(index) = names.iter().position(|name| *name == until_nul(&text)) {
            return Ok(Some(index));
        }
    }
    Ok(None)
}
