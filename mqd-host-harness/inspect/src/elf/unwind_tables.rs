//! The unwind tables of one ELF file.

use gimli::{
    BaseAddresses, EhFrame, EhFrameHdr, EndianSlice, FrameDescriptionEntry, LittleEndian,
    ParsedEhFrameHdr, UnwindSection, Vendor,
};
use object::{Architecture, Object, ObjectSection};

type Reader<'a> = EndianSlice<'a, LittleEndian>;

/// The unwind tables of an image.
pub(crate) struct UnwindTables<'a> {
    /// What is added to addresses of the file.
    pub(crate) bias: u64,
    pub(crate) bases: BaseAddresses,
    pub(crate) frames: EhFrame<Reader<'a>>,
    index: Option<ParsedEhFrameHdr<Reader<'a>>>,
}

impl<'a> UnwindTables<'a> {
    /// None: the file has none.
    pub(crate) fn of(bias: u64, file: &object::File<'a>) -> Option<UnwindTables<'a>> {
        let section = |name: &str| {
            let section = file.section_by_name(name)?;
            Some((section.address(), section.data().ok().filter(|data| !data.is_empty())?))
        };
        let (address, data) = section(".eh_frame")?;
        let mut bases = BaseAddresses::default().set_eh_frame(address);
        for (name, set) in [
            (".text", BaseAddresses::set_text as fn(BaseAddresses, u64) -> BaseAddresses),
            (".got", BaseAddresses::set_got),
            (".eh_frame_hdr", BaseAddresses::set_eh_frame_hdr),
        ] {
            if let Some(section) = file.section_by_name(name) {
                bases = set(bases, section.address());
            }
        }
        let mut frames = EhFrame::new(data, LittleEndian);
        frames.set_address_size(8);
        if file.architecture() == Architecture::Aarch64 {
            frames.set_vendor(Vendor::AArch64);
        }
        let index = section(".eh_frame_hdr")
            .and_then(|(_, data)| EhFrameHdr::new(data, LittleEndian).parse(&bases, 8).ok());
        Some(UnwindTables { bias, bases, frames, index })
    }

    /// The entry of the function at an address of the file.
    pub(crate) fn entry(&self, address: u64) -> Option<FrameDescriptionEntry<Reader<'a>>> {
        let (frames, bases) = (&self.frames, &self.bases);
        match self.index.as_ref().and_then(ParsedEhFrameHdr::table) {
            Some(index) => index.fde_for_address(frames, bases, address, EhFrame::cie_from_offset),
            None => frames.fde_for_address(bases, address, EhFrame::cie_from_offset),
        }
        .ok()
    }
}
