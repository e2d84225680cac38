//! A margin of one value at the axis that is contiguous, as an alpha channel is: what kernels of their own write.

use bytemuck::NoUninit;
use restride_kernels::Channels;

use crate::error::Error;
use crate::exec::{PixelRows, run_channels};
use crate::layout::PerAxis;
use crate::plan::{Normal, Options, Problem};
use crate::view::{Slot, View, ViewMut};

/// Writes the source and its margin, if they are pixels and channels, and a kernel does that. Returns the number of
/// elements written; none if nothing was. The destination has the shape of both together.
///
/// # Errors
/// Those of the options' and the environment's ISA.
pub(super) fn fill<T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    widths: &[(usize, usize)],
    value: &T,
    dst: &mut ViewMut<'_, D>,
    options: &Options,
) -> Result<Option<usize>, Error> {
    let mut with_margin = (0..widths.len()).filter(|&axis| widths[axis] != (0, 0));
    let (Some(axis), None) = (with_margin.next(), with_margin.next()) else {
        return Ok(None);
    };
    let (size, (before, after)) = (size_of::<T>(), widths[axis]);
    let bytes = src.shape()[axis].saturating_mul(size);
    let value = bytemuck::bytes_of(value);
    let Some(channels) = Channels::new(value, before, bytes, after) else {
        return Ok(None);
    };
    if dst.layout().strides()[axis] != 1 {
        return Ok(None);
    }
    let inner = dst.layout().narrow(axis, before, src.shape()[axis])?;
    let problem = Problem::of_proven(size, src.layout(), &inner)?;
    let Some(normal) = Normal::of(&problem) else {
        return Ok(None);
    };
    let Some((pixels, loops)) = normal.dims.split_first() else {
        return Ok(None);
    };
    let (from, to) = channels.pixel();
    let pixel = (pixels.src, pixels.dst);
    if normal.cell != from || pixel != (from as isize, to as isize) {
        return Ok(None);
    }
    let loops: PerAxis<_> = loops.iter().rev().copied().collect();
    let rows = PixelRows {
        channels: &channels,
        pixels: pixels.extent,
        loops: &loops,
    };
    let from = src.as_ptr().cast::<u8>().wrapping_offset(normal.src_shift);
    // To the first pixel from that of the first index, as far as from cell to cell.
    let to = dst.as_mut_ptr().cast::<u8>();
    let to = to.wrapping_offset(normal.dst_shift);
    // SAFETY: range: the layouts of both views were checked against their storage; cells are pixels of the source, and
    // with what is before and after them they are the elements of the destination, whose axis of channels is contiguous;
    // aliasing: the destination is borrowed uniquely, the source shared, and a view reaches no element twice.
    let written = unsafe { run_channels(&rows, from, to, options)? };
    Ok(written.map(|pixels| pixels * channels.pixel().1 / size))
}
