//! The public doors: copy and fill, from views or from slices and layouts.

use bytemuck::NoUninit;

use crate::error::Error;
use crate::exec::{Source, copy_once, execute, execute_at};
use crate::layout::Layout;
use crate::plan::{Options, Plan, Problem};
use crate::view::{Slot, View, ViewMut};

/// Copies every element of `src` to the same index of `dst`: any layout to any layout of the same
/// shape. Large copies use several threads of the caller's rayon pool.
///
/// Where `dst` is of `MaybeUninit<T>`, its initialised view is handed back.
///
/// # Errors
/// - [`Error::RankMismatch`] or [`Error::ShapeMismatch`] if the shapes differ.
/// - [`Error::UnknownIsa`], [`Error::UnsupportedIsa`] or [`Error::UnknownCores`] if the variable `RESTRIDE_ISA` or
///   `RESTRIDE_CORES` says something that this machine cannot do, or that does not exist.
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
    let start = dst.as_mut_ptr().cast();
    // SAFETY: range: the layouts of both views were checked against their storage; aliasing: `dst`'s
    // layout is injective, `dst` is borrowed uniquely, `src` shared, so they share no element, and
    // gaps are read only as far as `src` allows.
    unsafe {
        copy_once(
            size_of::<T>(),
            (src.layout(), src.gaps(), src.as_ptr().cast()),
            (dst.layout(), start),
        )?;
        // Range: every index of dst was written with a T.
        Ok(D::filled(dst))
    }
}

/// [`copy`] as [`Options`] ask for it: which stores, how many threads, which instruction set.
///
/// # Errors
/// Those of [`copy`] and of [`Plan::with`].
///
/// ```
/// use restride::{Options, Stores, View, ViewMut, copy_with};
///
/// let src: Vec<f32> = (0..1 << 16).map(|i| i as f32).collect();
/// let mut dst = vec![0.0; 1 << 16];
/// let turned = View::from_slice(&src, &[256, 256])?.transpose();
/// // What reads the result next finds it in the caches.
/// let options = Options { stores: Stores::Cached, ..Options::default() };
/// copy_with(&turned, &mut ViewMut::from_slice(&mut dst, &[256, 256])?, &options)?;
/// assert_eq!(dst[1], 256.0);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn copy_with<'d, T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    dst: &'d mut ViewMut<'_, D>,
    options: &Options,
) -> Result<D::Filled<'d>, Error> {
    let problem = Problem::of_proven(size_of::<T>(), src.layout(), dst.layout())?;
    let plan = Plan::once(&problem.with_source_gaps(src.gaps()), options)?;
    plan.run(src, dst)
}

/// [`copy`] between slices, each with a layout in elements. Where `dst` is of `MaybeUninit<T>`, [`copy`] hands back what is
/// initialised then, and this does not.
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
/// Those of [`copy`], but for the shapes.
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
        let source = (src.layout(), src.gaps());
        self.problem()
            .admits(size_of::<T>(), source, dst.layout())?;
        // SAFETY: range: both views have the layouts of the problem and were checked against their
        // storage, and `dst`'s layout is injective; aliasing: `dst` is borrowed uniquely, `src`
        // shared, so they share no element; gaps are read only if `src` allows it.
        unsafe {
            execute_at(self, src.as_ptr().cast(), dst.as_mut_ptr().cast());
            // Range: every index of dst was written with a T.
            Ok(D::filled(dst))
        }
    }

    /// Copies between raw addresses: `src` and `dst` are those of index `[0, 0, ..]`, which with
    /// negative strides are not the lowest. Any alignment; the destination need not be
    /// initialised. If there is nothing to move the addresses are not looked at.
    ///
    /// With negative strides, take care that the pointers may reach what lies before them:
    /// `data[offset..].as_ptr()` may not, `data.as_ptr().wrapping_add(offset)` may.
    ///
    /// # Panics
    /// If the problem's source is a list of pointers.
    ///
    /// # Safety
    /// - Range: every cell that the problem's source strides reach from `src` is initialised, padding
    ///   included, and can be read; every cell that its destination strides reach from `dst` can be
    ///   written, and read afterwards: what the source repeats is copied from where it was written. If source gaps are
    ///   readable, so is every byte between the lowest and the highest source cell.
    /// - Aliasing: no destination cell shares a byte with a source cell (or with a readable gap),
    ///   and no other thread touches the destination cells, nor writes what is read, meanwhile.
    /// - Alignment: none.
    #[inline]
    pub unsafe fn run_raw(&self, src: *const u8, dst: *mut u8) {
        // SAFETY: passed on to the caller.
        unsafe { execute_at(self, src, dst) }
    }

    /// As [`Plan::run_raw`], for a problem [with a listed
    /// source](Problem::with_listed_source): `src[i]` is the address of index `[0, .., i, .., 0]`,
    /// `i` being that of the listed axis.
    ///
    /// ```
    /// use restride::{Plan, Problem};
    ///
    /// // Three columns of their own become the rows of a table.
    /// let columns = [[1_u32, 2], [3, 4], [5, 6]];
    /// let mut table = [0_u32; 6];
    /// let problem = Problem::from_bytes(4, &[2, 3], &[4, 0], &[12, 4])?.with_listed_source(1)?;
    /// let starts = columns.each_ref().map(|column| column.as_ptr().cast());
    /// // SAFETY: each pointer leads to the two cells of a column; the table has room for six.
    /// unsafe { Plan::new(&problem)?.run_listed_raw(&starts, table.as_mut_ptr().cast()) };
    /// assert_eq!(table, [1, 3, 5, 2, 4, 6]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    ///
    /// # Panics
    /// If the problem's source is no list, or one of another length.
    ///
    /// # Safety
    /// The obligations of [`Plan::run_raw`], those of the source from each pointer of `src` for
    /// the axes that are not listed. Readable gaps are those between the cells of one pointer.
    pub unsafe fn run_listed_raw(&self, src: &[*const u8], dst: *mut u8) {
        assert_eq!(
            self.problem().listed_sources(),
            Some(src.len()),
            "one pointer for each index"
        );
        // SAFETY: passed on to the caller; the source is a list with an entry for each row.
        unsafe { execute(self, Source::List(src), dst) }
    }
}
