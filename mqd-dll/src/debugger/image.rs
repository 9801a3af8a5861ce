//! The image callbacks (5.6.10): symbols and types.

use crate::error::{Code, Error, Result};
use crate::types::Types;
use mqs_abi::{mqs_image, mqs_image_callbacks, mqs_lang_c, mqs_ok, mqs_taddr_t, mqs_type};
use std::ffi::CStr;
use std::ptr::NonNull;

/// An image of the debugger with its callbacks.
#[derive(Clone, Copy)]
pub(crate) struct Image {
    handle: NonNull<mqs_image>,
    callbacks: mqs_image_callbacks,
}

/// A type of the debugger.
#[derive(Clone, Copy)]
pub(crate) struct TypeHandle(NonNull<mqs_type>, &'static CStr);

// SAFETY: the handle is a key for the debugger, never dereferenced here.
unsafe impl Send for Image {}

impl Image {
    /// # Safety
    /// `handle` is an image of the debugger, and `callbacks` is its table; both are valid for as
    /// long as this is in use.
    pub(crate) unsafe fn new(
        handle: *mut mqs_image,
        callbacks: *const mqs_image_callbacks,
    ) -> Result<Self> {
        let handle = NonNull::new(handle).ok_or(Error::on(Code::NullArgument, "mqs_image"))?;
        // SAFETY: `callbacks` is NULL or the debugger's table.
        let callbacks = unsafe { callbacks.as_ref() }
            .ok_or(Error::on(Code::NullArgument, "mqs_image_callbacks"))?;
        Ok(Self { handle, callbacks: *callbacks })
    }

    pub(crate) fn handle(&self) -> *mut mqs_image {
        self.handle.as_ptr()
    }

    pub(crate) fn callbacks(&self) -> &mqs_image_callbacks {
        &self.callbacks
    }

    /// The address of a symbol, if the image has it (5.6.13).
    pub(crate) fn symbol(&self, name: &'static CStr) -> Result<Option<u64>> {
        let find = self
            .callbacks
            .mqs_find_symbol_fp
            .ok_or(Error::on(Code::NoCallback, "mqs_find_symbol_fp"))?;
        let mut address: mqs_taddr_t = 0;
        // SAFETY: the image is the debugger's, the name is zero-terminated, the address is ours to
        // be written.
        let result = unsafe { find(self.handle(), name.as_ptr().cast_mut(), &mut address) };
        Ok((result == mqs_ok).then_some(address))
    }

    /// The address of a C function, if the image has it (5.6.12). A debugger that cannot tell
    /// counts as no.
    pub(crate) fn function(&self, name: &'static CStr) -> Option<u64> {
        let find = self.callbacks.mqs_find_function_fp?;
        let mut address: mqs_taddr_t = 0;
        // SAFETY: as in `symbol`.
        let result =
            unsafe { find(self.handle(), name.as_ptr().cast_mut(), mqs_lang_c, &mut address) };
        (result == mqs_ok).then_some(address)
    }
}

/// The debugger's types, from the debug information of the image.
impl Types for Image {
    type Type = TypeHandle;

    fn find(&self, name: &'static CStr) -> Result<TypeHandle> {
        let find = self
            .callbacks
            .mqs_find_type_fp
            .ok_or(Error::on(Code::NoCallback, "mqs_find_type_fp"))?;
        // SAFETY: as in `symbol`.
        let handle = unsafe { find(self.handle(), name.as_ptr().cast_mut(), mqs_lang_c) };
        match NonNull::new(handle) {
            Some(handle) => Ok(TypeHandle(handle, name)),
            None => Err(Error::on(Code::NoType, name.to_str().unwrap_or_default())),
        }
    }

    fn size(&self, TypeHandle(handle, name): TypeHandle) -> Result<usize> {
        let sizeof =
            self.callbacks.mqs_sizeof_fp.ok_or(Error::on(Code::NoCallback, "mqs_sizeof_fp"))?;
        // SAFETY: the debugger gave the handle.
        let size = unsafe { sizeof(handle.as_ptr()) };
        usize::try_from(size)
            .map_err(|_| Error::on(Code::WrongType, name.to_str().unwrap_or_default()))
    }

    fn offset(&self, TypeHandle(handle, name): TypeHandle, field: &'static CStr) -> Result<usize> {
        let offset = self
            .callbacks
            .mqs_field_offset_fp
            .ok_or(Error::on(Code::NoCallback, "mqs_field_offset_fp"))?;
        // SAFETY: the debugger gave the handle; the name is zero-terminated.
        let offset = unsafe { offset(handle.as_ptr(), field.as_ptr().cast_mut()) };
        usize::try_from(offset).map_err(|_| {
            Error::on(Code::WrongType, name.to_str().unwrap_or_default())
                .part(field.to_str().unwrap_or_default())
        })
    }
}
