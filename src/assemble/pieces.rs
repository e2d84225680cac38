//! A destination written in pieces: each piece from a view of its own, all of them at the same time.
//!
//! The pieces of one destination come from cutting it, so they are disjoint; that they are all of
//! it follows from counting their elements.

use bytemuck::NoUninit;
use smallvec::SmallVec;

use crate::error::Error;
use crate::exec::{Job, run_jobs};
use crate::plan::Options;
use crate::view::{Slot, View, ViewMut};

/// Copies that are carried out together.
pub(super) struct Pieces<'s, 'd, T, D> {
    list: SmallVec<[(View<'s, T>, ViewMut<'d, D>); 2]>,
}

impl<'s, 'd, T: NoUninit, D: Slot<T>> Pieces<'s, 'd, T, D> {
    pub(super) fn new() -> Self {
        Self {
            list: SmallVec::new(),
        }
    }

    /// One more piece.
    ///
    /// # Panics
    /// If the shapes differ.
    pub(super) fn push(&mut self, src: View<'s, T>, dst: ViewMut<'d, D>) {
        assert_eq!(src.shape(), dst.shape(), "the operation checked its shapes");
        if !dst.is_empty() {
            self.list.push((src, dst));
        }
    }

    /// Copies all pieces. Returns the number of elements written.
    ///
    /// # Errors
    /// Those of the options' and the environment's ISA.
    pub(super) fn run(mut self, options: &Options) -> Result<usize, Error> {
        let addresses: Vec<*mut u8> = (self.list.iter_mut())
            .map(|(_, dst)| dst.as_mut_ptr().cast())
            .collect();
        let jobs: Vec<Job<'_>> = (self.list.iter().zip(addresses))
            .map(|((src, dst), address)| Job {
                src: (src.layout(), src.gaps(), src.as_ptr().cast()),
                dst: (dst.layout(), address),
            })
            .collect();
        // SAFETY: range: the layouts of all views were checked against their storage; aliasing:
        // each destination is borrowed uniquely, the sources shared, so no piece shares an element
        // with another, and gaps are read only as far as their view allows.
        unsafe { run_jobs(size_of::<T>(), &jobs, options)? };
        Ok(self.list.iter().map(|(_, dst)| dst.layout().len()).sum())
    }
}

/// What a destination becomes after `written` of its elements, none twice, were written.
///
/// # Panics
/// If those were not all.
pub(super) fn filled<'d, T: NoUninit, D: Slot<T>>(
    dst: &'d mut ViewMut<'_, D>,
    written: usize,
) -> D::Filled<'d> {
    assert_eq!(written, dst.len(), "the pieces are the whole destination");
    // SAFETY: range: the pieces were cut from the destination and are disjoint, so as many elements
    // as it has are all of them.
    unsafe { D::filled(dst) }
}
