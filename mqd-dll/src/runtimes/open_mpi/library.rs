//! Which Open MPI this is, where its data are, and the layout that fits.

use super::layout::{self, Layout, state};
use super::objects::{ClassCheck, check_class, class_of, read_pointer, read_record};
use crate::debugger::Image;
use crate::error::{Code, Error, OrUnreadable, Result};
use crate::layout::{Field, Int, Record, Structure};
use crate::memory::Memory;
use crate::tables::{TableName, TableTypes, choose, is_for_target};
use crate::text::until_nul;
use std::ffi::CStr;

/// The variable with the module of the PML ucx.
pub(super) const PML_UCX: &CStr = c"ompi_pml_ucx";

/// The array of all communicators. Open MPI is recognised by this symbol.
pub(crate) const COMMUNICATORS: &CStr = c"ompi_mpi_communicators";

/// The name of the library in tables.
const LIBRARY: &str = "openmpi";

/// The name of the PML ucx.
const UCX: &str = "ucx";
/// The name of the PML cm, which leaves messages to a component of its own kind (MTL).
const CM: &str = "cm";

/// No job has more processes than this, and no process more communicators.
pub(super) const MAX_PROCESSES: i64 = 1 << 24;

/// Open MPI's data in a process: where they begin.
#[derive(Clone, Copy)]
pub(crate) struct Library {
    pub(super) image: Image,
    pub(super) communicators: u64,
    /// The pointer to this process's own object.
    pub(super) local_process: u64,
    pub(super) sends: u64,
    pub(super) receives: u64,
    selected_pml: Option<u64>,
    state: Option<u64>,
    /// Whether several threads may be in MPI at once.
    thread_multiple: Option<u64>,
    version: Option<u64>,
    /// The module of the PML ucx, if its component is loaded.
    pub(super) pml_ucx: Option<u64>,
    /// The module of the MTL ofi, if its component is loaded.
    pub(super) mtl_ofi: Option<u64>,
    /// The classes of requests that are in no queue: generalized requests, and those of files and
    /// of one-sided communication.
    pub(super) other_requests: [Option<u64>; 3],
    /// The classes of requests that are made of others: those of nonblocking collective operations
    /// and of functions that make communicators.
    pub(super) collective_class: Option<u64>,
    pub(super) communicator_request_class: Option<u64>,
    /// The component of nonblocking collective operations, if it is loaded.
    pub(super) collective_component: Option<u64>,
    /// Classes whose objects belong to operations that the library carries on, and that cannot be
    /// followed: those of the component adapt, and partitioned ones.
    pub(super) other_background: [Option<u64>; 3],
    /// The array of all windows, whose one-sided communication the library carries on.
    pub(super) windows: Option<u64>,
    /// The class of access epochs, if the component osc/rdma is loaded.
    pub(super) window_class: Option<u64>,
    /// What the modules of other components are copies of. Requests of their windows
    /// (`MPI_Rget`) are in no queue.
    pub(super) other_windows: [Option<u64>; 2],
    /// Whether the library carries on functions that make communicators.
    pub(super) makes_communicators: Option<u64>,
    /// The variable in which the dynamic linker keeps the beginning of the first thread's stack.
    pub(super) stack_end: Option<u64>,
}

/// The component that sends and receives, where the queues are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pml {
    Ob1,
    Ucx,
    /// With the MTL ofi.
    Cm,
}

impl Pml {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ob1 => "ob1",
            Self::Ucx => "ucx",
            Self::Cm => "cm",
        }
    }
}

impl Library {
    pub(crate) fn locate(image: &Image) -> Result<Self> {
        let needed = |name: &'static CStr| {
            image.symbol(name)?.ok_or(Error::on(Code::NoSymbol, name.to_str().unwrap_or_default()))
        };
        Ok(Self {
            image: *image,
            communicators: needed(COMMUNICATORS)?,
            local_process: needed(c"ompi_proc_local_proc")?,
            sends: needed(c"mca_pml_base_send_requests")?,
            receives: needed(c"mca_pml_base_recv_requests")?,
            selected_pml: image.symbol(c"mca_pml_base_selected_component")?,
            state: image.symbol(c"ompi_mpi_state")?,
            thread_multiple: image.symbol(c"ompi_mpi_thread_multiple")?,
            version: image.symbol(c"ompi_version_string")?,
            pml_ucx: image.symbol(PML_UCX)?,
            mtl_ofi: image.symbol(c"ompi_mtl_ofi")?,
            other_requests: [
                image.symbol(c"ompi_grequest_t_class")?,
                image.symbol(c"mca_ompio_request_t_class")?,
                image.symbol(c"ompi_osc_rdma_request_t_class")?,
            ],
            collective_class: image.symbol(c"ompi_coll_libnbc_request_t_class")?,
            communicator_request_class: image.symbol(c"ompi_comm_request_t_class")?,
            collective_component: image.symbol(c"mca_coll_libnbc_component")?,
            other_background: [
                image.symbol(c"ompi_coll_adapt_constant_bcast_context_t_class")?,
                image.symbol(c"ompi_coll_adapt_constant_reduce_context_t_class")?,
                image.symbol(c"mca_part_persist_list_t_class")?,
            ],
            windows: image.symbol(c"ompi_mpi_windows")?,
            window_class: image.symbol(c"ompi_osc_rdma_sync_t_class")?,
            other_windows: [
                image.symbol(c"ompi_osc_ucx_module_template")?,
                image.symbol(c"ompi_osc_pt2pt_module_template")?,
            ],
            makes_communicators: image.symbol(c"ompi_comm_request_progress_active")?,
            stack_end: image.symbol(c"__libc_stack_end")?,
        })
    }

    /// The layout of the library's structures, and the PML that has the queues. The layout is from
    /// the debugger's types if it has them, else from the table that fits.
    /// Its name comes with it.
    pub(super) fn layout(
        &self,
        memory: &mut Memory<'_>,
    ) -> Result<(Layout, Pml, Option<TableName>)> {
        self.check_state(memory)?;
        let types = Layout::resolve(&self.image)
            .and_then(|layout| self.fits(memory, &layout).map(|pml| (layout, pml)));
        let mut mismatch = match types {
            Ok((layout, pml)) => return Ok((layout, pml, None)),
            Err(error) if error.code == Code::WrongType => Some(error.of(Code::OtherBuild)),
            Err(error) if error.code == Code::NoLayout => Some(error),
            Err(error) if error.code == Code::NoType => None,
            // The types are right, so the error is the answer.
            Err(error) => return Err(error),
        };
        let mut text = [0; 32];
        let version = self.version.and_then(|address| memory.text(address, &mut text));
        let found = choose(
            memory,
            LIBRARY,
            version,
            self.version.unwrap_or(self.communicators),
            |memory, table| {
                if !is_for_target(table, memory.target) {
                    return Ok(None);
                }
                let fits = Layout::resolve(&TableTypes(table))
                    .and_then(|layout| self.fits(memory, &layout).map(|pml| (layout, pml)));
                match fits {
                    Err(error) if error.code == Code::NoLayout => {
                        // The mismatch of the first table, since that one should have fitted.
                        mismatch = mismatch.or(Some(error));
                        Ok(None)
                    }
                    fits => fits.map(Some),
                }
            },
        )?;
        let found = found.map(|((layout, pml), table)| (layout, pml, Some(table)));
        found.ok_or(mismatch.unwrap_or(Error::new(Code::NoLayout)))
    }

    fn check_state(&self, memory: &mut Memory<'_>) -> Result<()> {
        let Some(address) = self.state else { return Ok(()) };
        let mut bytes = [0; 8];
        let bytes = &mut bytes[..memory.target.int];
        memory.read(address, bytes).map_err(|error| error.within("ompi_mpi_state", address))?;
        let record = Record { bytes, target: memory.target };
        match record.get(Field::<Int>::at(0))? {
            // Without MPI_Init there may be sessions. The array of communicators shows whether
            // there are.
            state::INIT_STARTED => Err(Error::new(Code::NotInitialized)),
            value if value >= state::FINALIZE_COMPLETED => Err(Error::new(Code::Finalized)),
            _ => Ok(()),
        }
    }

    /// May several threads be in MPI? None if that is not known.
    pub(super) fn several_threads(&self, memory: &mut Memory<'_>) -> Option<bool> {
        let mut multiple = [1];
        memory.read(self.thread_multiple?, &mut multiple).ok()?;
        Some(multiple != [0])
    }

    /// The first communicator of the array: `MPI_COMM_WORLD`, or `MPI_COMM_NULL` in a process that
    /// uses sessions only.
    ///
    /// Its symbol is not used, since an executable may have a copy of the variable.
    pub(super) fn first_communicator(
        &self,
        memory: &mut Memory<'_>,
        layout: &Layout,
    ) -> Result<u64> {
        let array = read_record(memory, self.communicators, layout.pointer_array.bytes())?;
        let array = Record { bytes: &array, target: memory.target };
        let (size, first) =
            (array.get(layout.pointer_array.size)?, array.get(layout.pointer_array.addr)?);
        if first == 0 {
            return Err(Error::new(Code::NotInitialized));
        }
        if !(1..=MAX_PROCESSES).contains(&size) {
            return Err(Error::on(Code::NoLayout, layout::PointerArray::NAME));
        }
        read_pointer(memory, first)
    }

    /// Checks whether this layout fits the library in memory, and finds the PML that has the
    /// queues.
    ///
    /// # Errors
    /// [`Code::NoLayout`]: the layout does not fit. Other codes: it fits, but the queues cannot be
    /// read for another reason.
    fn fits(&self, memory: &mut Memory<'_>, layout: &Layout) -> Result<Pml> {
        let communicator = layout.communicator.common;
        let first = not_unreadable(self.first_communicator(memory, layout))?;
        self.class_fits(
            memory,
            layout,
            first,
            layout::CommunicatorType::NAME,
            communicator.bytes(),
        )?;

        let first = not_unreadable(read_record(memory, first, communicator.bytes()))?;
        let first = Record { bytes: &first, target: memory.target };
        let group = first.get(communicator.c_local_group)?;
        self.class_fits(memory, layout, group, layout::Group::NAME, layout.group.bytes())?;
        let bytes = not_unreadable(read_record(memory, group, layout.group.bytes()))?;
        let record = Record { bytes: &bytes, target: memory.target };
        let size = record.get(layout.group.grp_proc_count)?;
        let is_world = size != 0;
        let rank = first.get(communicator.c_my_rank)?;
        let world_fits = (0..size).contains(&rank) && layout.communicator.index(first)? == 0;
        if !(0..=MAX_PROCESSES).contains(&size) || (is_world && !world_fits) {
            return Err(Error::on(Code::NoLayout, layout::CommunicatorType::NAME));
        }

        // From here on the layout is that of this library. Next: which PML has the queues?
        for (list, name, bytes) in [
            (self.receives, layout::Receive::NAME, layout.receive.bytes()),
            (self.sends, layout::Send::NAME, layout.send.bytes()),
        ] {
            let class =
                not_unreadable(read_pointer(memory, layout.free_list.fl_frag_class.address(list)))?;
            match check_class(memory, layout, class, name, bytes).or_unreadable()? {
                Some(ClassCheck::Fits) => {}
                Some(ClassCheck::OtherSize) => return Err(Error::on(Code::NoLayout, name)),
                Some(ClassCheck::OtherName) | None => return self.other_pml(memory, layout),
            }
        }
        if !is_world {
            return Ok(Pml::Ob1);
        }
        let pml = first.get(communicator.c_pml_comm)?;
        self.class_fits(
            memory,
            layout,
            pml,
            layout::PmlCommunicator::NAME,
            layout.pml_communicator.bytes(),
        )?;
        Ok(Pml::Ob1)
    }

    /// The PML of a process whose requests are not those of ob1.
    fn other_pml(&self, memory: &mut Memory<'_>, layout: &Layout) -> Result<Pml> {
        match self.selected_pml(memory, layout) {
            UCX => Ok(Pml::Ucx),
            CM if self.mtl_ofi.is_some() => Ok(Pml::Cm),
            name => Err(Error::on(Code::OtherPml, name)),
        }
    }

    /// Is the object of the class `name`, with this size?
    fn class_fits(
        &self,
        memory: &mut Memory<'_>,
        layout: &Layout,
        object: u64,
        name: &'static str,
        size: usize,
    ) -> Result<()> {
        let mismatch = Err(Error::on(Code::NoLayout, name));
        let class = match class_of(memory, layout, object).or_unreadable()? {
            Some(0) => return Err(Error::new(Code::NotInitialized)),
            Some(class) => class,
            None => return mismatch,
        };
        match check_class(memory, layout, class, name, size).or_unreadable()? {
            Some(ClassCheck::Fits) => Ok(()),
            _ => mismatch,
        }
    }

    /// The name of the selected PML, as far as it is known.
    fn selected_pml(&self, memory: &mut Memory<'_>, layout: &Layout) -> &'static str {
        const KNOWN: [&str; 6] = [UCX, CM, "yalla", "monitoring", "v", "crcpw"];
        let mut text = [0; layout::COMPONENT_NAME_BYTES];
        let name_at = |component| layout.component.mca_component_name.address(component);
        let read =
            self.selected_pml.map(|component| memory.read_string(name_at(component), &mut text));
        let name = if matches!(read, Some(Ok(_))) { until_nul(&text) } else { b"" };
        KNOWN
            .into_iter()
            .find(|known| known.as_bytes() == name)
            .unwrap_or("a PML that libmqd does not know")
    }
}

/// If memory cannot be read where the layout says, the layout does not fit.
fn not_unreadable<T>(result: Result<T>) -> Result<T> {
    result.map_err(|error| match error.code {
        Code::Unreadable => Error::new(Code::NoLayout),
        _ => error,
    })
}
