//! Pixels that get channels: rows of them cut among threads, by the line.

use core::ops::Range;

use restride_kernels::{Channels, ChannelsKernel, StreamFence, find_channels};

use super::many::{Bases, cut, settle};
use super::split;
use super::walk::Position;
use crate::error::Error;
use crate::machine::Machine;
use crate::plan::{Dim, Options, Stores};

/// Pixels that threads do not share, so that a line of the destination is seldom written by two: as many as may be in
/// one.
const UNIT: usize = 64;

/// Rows of pixels that follow each other on both sides.
pub(crate) struct PixelRows<'a> {
    /// What happens to a pixel.
    pub(crate) channels: &'a Channels,
    /// Pixels of a row.
    pub(crate) pixels: usize,
    /// Where rows start, from the first one on, outermost first; no extent is 0.
    pub(crate) loops: &'a [Dim],
}

/// Moves the rows, the first one from `src` to `dst`; returns how many pixels they have, and none,
/// nothing moved, if no kernel does that with these options.
///
/// # Errors
/// Those of [`Machine::host`], and [`Error::UnsupportedIsa`] for the options' ISA. Nothing is written then.
///
/// # Safety
/// - Range: the pixels of all rows can be read in the source, and written with their channels in the destination; their
///   bytes fit isize on either side.
/// - Aliasing: no byte of the destination is another one's, or one of the source; no other thread touches them.
/// - Alignment: none.
pub(crate) unsafe fn run_channels(
    rows: &PixelRows<'_>,
    src: *const u8,
    dst: *mut u8,
    options: &Options,
) -> Result<Option<usize>, Error> {
    let machine = Machine::host()?;
    let loops = rows.loops.iter();
    let pixels = loops.fold(rows.pixels, |all, dim| all * dim.extent);
    let (_, to) = rows.channels.pixel();
    let (together, ranges) = settle([pixels * to].into_iter(), options)?;
    let row = find_channels(options.tier(machine.facts()));
    let Some(kernel) = row.and_then(|row| row.bind(machine.token())) else {
        return Ok(None);
    };
    let streams = match options.stores {
        Stores::Auto => together.streams,
        Stores::Cached => false,
        Stores::Streaming => true,
    };
    let bases = Bases { src, dst };
    split::in_ranges(ranges, &|k| {
        let units = cut(pixels.div_ceil(UNIT), k, ranges);
        let (start, end) = (units.start * UNIT, pixels.min(units.end * UNIT));
        let fence = kernel.begin(streams);
        // SAFETY: passed on; ranges are disjoint.
        unsafe { run_range(rows, &kernel, &bases, start..end, &fence) }
    });
    Ok(Some(pixels))
}

/// Moves a range of all pixels.
///
/// # Safety
/// The obligations of [`run_channels`] for these pixels, which there are.
unsafe fn run_range(
    rows: &PixelRows<'_>,
    kernel: &ChannelsKernel,
    bases: &Bases,
    range: Range<usize>,
    fence: &StreamFence<'_>,
) {
    let (from, to) = rows.channels.pixel();
    let mut position = Position::at(rows.loops, range.start / rows.pixels);
    let (mut first, mut left) = (range.start % rows.pixels, range.len());
    while left > 0 {
        let pixels = left.min(rows.pixels - first);
        let (src, dst) = bases.at(position.src, position.dst);
        let (src, dst) = (src.wrapping_add(first * from), dst.wrapping_add(first * to));
        // SAFETY: range and aliasing: these pixels of one row, passed on; ISA: the kernel is bound.
        unsafe { kernel.run(rows.channels, (src, dst), pixels, fence) };
        position.advance();
        (first, left) = (0, left - pixels);
    }
}
