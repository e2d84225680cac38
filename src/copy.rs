//! The public doors: copy and fill, from views or from slices and layouts.

use bytemuck::NoUninit;

use crate::error::Error;
use crate::exec::execute;
use crate::layout::Layout;
use crate::plan::{Plan, Problem};
use crate::view::{Slot, View, ViewMut};

/// Copies every element of `src` to the same index of `dst`: any layout to any layout of the same
/// shape. Large copies use several threads of the caller's rayon pool.
///
/// Where `dst` is of `MaybeUninit<T>`, its initialised view is handed back.
///
/// # Errors
/// - [`Error::RankMismatch`] or [`Error::ShapeMismatch`] if the shapes differ.
/// - [`Error::UnknownIsa`] or [`Error::UnsupportedIsa`] if the variable `RESTRIDE_ISA` says
///   something that this machine cannot do.
///
/// ```
/// use restride::{View, ViewMut, copy};
///
/// let src = [1, 2, 3, 4, 5, 6];
/// let mut dst = [0; 6];
/// let rows = View::from_slice(&src, &[2, 3])?;
/// let mut columns = ViewMut::from_slice(&mut dst, &[3, 2])?.transpose();
/// copy(&rows, &mut columns)?;
/// assert_eq!(dst, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn copy<'d, T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    dst: &'d mut ViewMut<'_, D>,
) -> Result<D::Filled<'d>, Error> {
    let problem = Problem::of_proven(size_of::<T>(), src.layout(), dst.layout())?
        .with_source_gaps(src.gaps());
    let plan = Plan::new(&problem)?;
    // SAFETY: range: the problem has the layouts of both views, which were checked against their
    // storage, and `dst`'s layout is injective; aliasing: `dst` is borrowed uniquely, `src` shared,
    // so they share no element, and gaps are read only as far as `src` allows.
    unsafe {
        execute(&plan, src.as_ptr().cast(), dst.as_mut_ptr().cast());
        // Range: every index of dst was written with a T.
        Ok(D::filled(dst))
    }
}

/// [`copy`] between slices, each with a layout in elements.
///
/// # Errors
/// Those of [`View::with_layout`], [`ViewMut::with_layout`] and [`copy`].
///
/// ```
/// use restride::{Layout, strided_copy};
///
/// let src = [1, 2, 3, 4, 5, 6];
/// let mut dst = [0; 3];
/// let every_second = Layout::new(&[3], &[2], 0)?;
/// let backwards = Layout::new(&[3], &[-1], 2)?;
/// strided_copy(&src, &every_second, &mut dst, &backwards)?;
/// assert_eq!(dst, [5, 3, 1]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn strided_copy<T: NoUninit, D: Slot<T>>(
    src: &[T],
    src_layout: &Layout,
    dst: &mut [D],
    dst_layout: &Layout,
) -> Result<(), Error> {
    let src = View::with_layout(src, src_layout.clone()).map_err(Error::of_src)?;
    let mut dst = ViewMut::with_layout(dst, dst_layout.clone()).map_err(Error::of_dst)?;
    copy(&src, &mut dst)?;
    Ok(())
}

/// Writes `value` to every element of `dst`. Where that is of `MaybeUninit<T>`, its initialised
/// view is handed back.
///
/// # Errors
/// [`Error::UnknownIsa`] or [`Error::UnsupportedIsa`] as for [`copy`].
///
/// ```
/// use restride::{Layout, ViewMut, fill};
///
/// let mut data = [0; 6];
/// let column = Layout::new(&[2], &[3], 1)?;
/// fill(&mut ViewMut::with_layout(&mut data, column)?, 7)?;
/// assert_eq!(data, [0, 7, 0, 0, 7, 0]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn fill<'d, T: NoUninit, D: Slot<T>>(
    dst: &'d mut ViewMut<'_, D>,
    value: T,
) -> Result<D::Filled<'d>, Error> {
    let one = View::from_slice(core::slice::from_ref(&value), &[])?;
    let everywhere = one.broadcast_to(dst.shape())?;
    copy(&everywhere, dst)
}

impl Problem {
    /// As [`Problem::from_bytes`], for a destination that is known to write no byte twice.
    ///
    /// # Errors
    /// As [`Problem::from_bytes`], without the last.
    ///
    /// # Safety
    /// - Aliasing: no two cells of the destination share a byte.
    pub unsafe fn from_bytes_assume_injective(
        cell_bytes: usize,
        shape: &[usize],
        src_byte_strides: &[isize],
        dst_byte_strides: &[isize],
    ) -> Result<Self, Error> {
        Self::from_bytes_proven(cell_bytes, shape, src_byte_strides, dst_byte_strides)
    }
}

impl Plan {
    /// Copies `src` to `dst`, which must have the element size, shape and strides that the plan was
    /// made for; offsets and alignment may differ.
    ///
    /// # Errors
    /// [`Error::StalePlan`] if a view differs; nothing is written then.
    pub fn run<'d, T: NoUninit, D: Slot<T>>(
        &self,
        src: &View<'_, T>,
        dst: &'d mut ViewMut<'_, D>,
    ) -> Result<D::Filled<'d>, Error> {
        let problem = self.problem();
        problem.matches(size_of::<T>(), src.layout(), |dim| dim.src, "src")?;
        problem.matches(size_of::<T>(), dst.layout(), |dim| dim.dst, "dst")?;
        problem.allows_gaps_of(src.gaps())?;
        // SAFETY: range: both views have the layouts of the problem and were checked against their
        // storage, and `dst`'s layout is injective; aliasing: `dst` is borrowed uniquely, `src`
        // shared, so they share no element; gaps are read only if `src` allows it.
        unsafe {
            execute(self, src.as_ptr().cast(), dst.as_mut_ptr().cast());
            // Range: every index of dst was written with a T.
            Ok(D::filled(dst))
        }
    }

    /// Copies between raw addresses: `src` and `dst` are those of index `[0, 0, ..]`, which with
    /// negative strides are not the lowest. Any alignment; the destination need not be
    /// initialised. If there is nothing to move the addresses are not looked at.
    ///
    /// # Safety
    /// - Range: every cell that the problem's source strides reach from `src` can be read, every
    ///   cell that its destination strides reach from `dst` can be written. If source gaps are
    ///   readable, so is every byte between the lowest and the highest source cell.
    /// - Aliasing: no destination cell shares a byte with a source cell (or with a readable gap),
    ///   and no other thread touches the destination cells, nor writes what is read, meanwhile.
    /// - Alignment: none.
    #[inline]
    pub unsafe fn run_raw(&self, src: *const u8, dst: *mut u8) {
        // SAFETY: passed on to the caller.
        unsafe { execute(self, src, dst) }
    }
}
