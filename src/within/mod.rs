//! Copies inside one buffer: the result is what it would be if the source had been copied away first.
//!
//! A file of its own because the sides may share cells, which every other path of the crate forbids.
//! What is done, from the cheapest to the dearest, decided before the first write:
//!
//! 1. nothing, where each cell is its own source;
//! 2. the usual plan, where the sides share nothing, interleaved or apart;
//! 3. a walk in the direction in which no cell is overwritten before it is read ([`course`]), in blocks
//!    that share nothing, or cell by cell, or through a small stage;
//! 4. for square matrices transposed onto themselves, block against block ([`turn`]);
//! 5. all through a stage, no larger than what is left inside of the loops of 3; other matrices along
//!    their cycles, where there is no memory for that.

mod course;
mod cycles;
mod turn;

#[cfg(test)]
mod tests;

use core::mem::MaybeUninit;

use bytemuck::NoUninit;

use self::course::{Both, Course, Inner, Loop, SIZES, Sizes};
use self::turn::Turn;
use crate::array::Array;
use crate::error::Error;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::plan::{Dim, Normal, Options, Plan, Problem, SourceGaps};

/// Copies the elements that `src` reaches in a slice to the same indices of `dst`, in the same slice, as
/// if they had been copied away first. Any two layouts of the same shape, in elements.
///
/// Memory is needed only where the sides share elements and no order of walking them avoids it: at
/// most 256 KiB where one of the axes has an order, else as much as the source has elements. Square
/// transpositions onto themselves need none; other dense ones do with a bit per element where there is
/// no more, at a tenth of the speed and less.
///
/// # Errors
/// - [`Error::RankMismatch`] or [`Error::ShapeMismatch`] if the shapes differ.
/// - [`Error::OutOfBounds`] or [`Error::OffsetOverflow`] if a layout leaves the slice.
/// - [`Error::InternalOverlap`] or [`Error::OverlapUndecided`] if `dst` reaches an element twice, or
///   may do.
/// - [`Error::AllocFailed`] if memory is needed and cannot be had.
/// - [`Error::UnknownIsa`] or [`Error::UnsupportedIsa`] as for [`copy`](crate::copy()).
///
/// ```
/// use restride::{Layout, copy_within};
///
/// let mut data = [1, 2, 3, 4, 5, 6];
/// // data[1..5] = data[0..4]
/// copy_within(&mut data, &Layout::new(&[4], &[1], 0)?, &Layout::new(&[4], &[1], 1)?)?;
/// assert_eq!(data, [1, 1, 2, 3, 4, 6]);
/// // A matrix of 2 x 3 becomes its transpose.
/// copy_within(&mut data, &Layout::row_major(&[2, 3])?, &Layout::column_major(&[2, 3])?)?;
/// assert_eq!(data, [1, 3, 1, 4, 2, 6]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn copy_within<T: NoUninit>(data: &mut [T], src: &Layout, dst: &Layout) -> Result<(), Error> {
    copy_within_with(data, src, dst, &Options::default())
}

/// [`copy_within`] with options, which hold for every plan that it makes.
///
/// # Errors
/// Those of [`copy_within`].
///
/// ```
/// use restride::{Layout, Options, Par, copy_within_with};
///
/// let mut square: Vec<u32> = (0..9).collect();
/// let (rows, columns) = (Layout::row_major(&[3, 3])?, Layout::column_major(&[3, 3])?);
/// let alone = Options { par: Par::Seq, ..Options::default() };
/// copy_within_with(&mut square, &rows, &columns, &alone)?;
/// assert_eq!(square, [0, 3, 6, 1, 4, 7, 2, 5, 8]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn copy_within_with<T: NoUninit>(
    data: &mut [T],
    src: &Layout,
    dst: &Layout,
    options: &Options,
) -> Result<(), Error> {
    copy_by_sizes(data, src, dst, options, SIZES)
}

/// The way of a copy depends on sizes, which tests make small.
fn copy_by_sizes<T: NoUninit>(
    data: &mut [T],
    src: &Layout,
    dst: &Layout,
    options: &Options,
    sizes: Sizes,
) -> Result<(), Error> {
    let size = size_of::<T>();
    src.check_storage(data.len(), size).map_err(Error::of_src)?;
    dst.check_storage(data.len(), size).map_err(Error::of_dst)?;
    // Finds shapes that differ before anything is said of the destination.
    let problem = Problem::of_proven(size, src, dst)?;
    dst.check_injective("dst")?;
    let Some(normal) = Normal::of(&problem) else {
        return Ok(());
    };
    let data: *mut u8 = data.as_mut_ptr().cast();
    // There are elements, so offsets are inside the slice, and their bytes fit.
    let place = |layout: &Layout, shift| (layout.offset() * size).wrapping_add_signed(shift);
    let from = place(src, normal.src_shift);
    let to = place(dst, normal.dst_shift);
    let sides = Sides {
        src: data.wrapping_add(from),
        dst: data.wrapping_add(to),
        cell: normal.cell,
    };
    // SAFETY: range: both layouts were checked against the slice, which holds initialised elements
    // without padding, and the normal form reaches the same bytes from the shifted addresses; aliasing:
    // the slice is borrowed uniquely, and `dst` is injective.
    unsafe { sides.copy(&normal.dims, options, sizes) }
}

/// Where the first cells stand, and their bytes.
#[derive(Clone, Copy)]
struct Sides {
    src: *mut u8,
    dst: *mut u8,
    cell: usize,
}

impl Sides {
    /// Copies between dimensions in normal form.
    ///
    /// # Errors
    /// Those of [`copy_within`]; nothing was written.
    ///
    /// # Safety
    /// - Range: the cells of both sides lie in one borrowed slice of initialised bytes, as do all bytes
    ///   between them.
    /// - Aliasing: no two destination cells share a byte; no other thread touches the slice.
    unsafe fn copy(self, dims: &[Dim], options: &Options, sizes: Sizes) -> Result<(), Error> {
        // A copy by plan would refuse what the variable says.
        Machine::host()?;
        let distance = self.dst.addr().wrapping_sub(self.src.addr()).cast_signed();
        let same = distance == 0;
        if same && dims.iter().all(|dim| dim.src == dim.dst) {
            return Ok(());
        }
        let turn = if same {
            Turn::of(self.cell, dims)
        } else {
            None
        };
        if let Some(turn) = turn.as_ref().filter(|turn| turn.is_square()) {
            // SAFETY: passed on.
            return unsafe { turn.run(self.dst, options) };
        }
        let both = Both {
            cell: self.cell,
            dims,
            distance,
            sizes,
        };
        // The first cells stand in one place where the addresses are the same.
        if !same && !both.meet() {
            let plan = self.plan(dims, |dim| (dim.src, dim.dst), self.gaps(dims), options)?;
            // SAFETY: range: passed on; aliasing: passed on, and no source cell meets a destination
            // cell, nor a gap where gaps may be read.
            unsafe { plan.run_raw(self.src, self.dst) };
            return Ok(());
        }
        let course = both.course();
        let mut inner = match (self.prepare(dims, &course, options, sizes.room), turn) {
            // f32 4096x2048 along its cycles takes 250 ms, through a stage 7.
            // SAFETY: passed on.
            (Err(Error::AllocFailed { .. }), Some(turn)) => unsafe {
                return turn.run(self.dst, options);
            },
            (inner, _) => inner?,
        };
        // SAFETY: passed on: what was prepared is that of the course.
        unsafe { self.walk(dims, &course.loops, &mut inner) };
        Ok(())
    }

    /// Whether all bytes between source cells can be read: where the sides lie apart as wholes.
    fn gaps(self, dims: &[Dim]) -> SourceGaps {
        let range = |first: *mut u8, stride: fn(&Dim) -> isize| {
            let first = first.addr() as i128;
            let mut range = (first, first + self.cell as i128);
            for dim in dims {
                let reach = (dim.extent as i128 - 1) * stride(dim) as i128;
                *(if reach < 0 {
                    &mut range.0
                } else {
                    &mut range.1
                }) += reach;
            }
            range
        };
        let src = range(self.src, |dim| dim.src);
        let dst = range(self.dst, |dim| dim.dst);
        if src.1 <= dst.0 || dst.1 <= src.0 {
            SourceGaps::Readable
        } else {
            SourceGaps::Forbidden
        }
    }

    fn plan(
        self,
        dims: &[Dim],
        strides: impl Fn(&Dim) -> (isize, isize),
        gaps: SourceGaps,
        options: &Options,
    ) -> Result<Plan, Error> {
        let shape: Vec<usize> = dims.iter().map(|dim| dim.extent).collect();
        let (src, dst): (Vec<_>, Vec<_>) = dims.iter().map(strides).unzip();
        let problem = Problem::from_bytes_proven(self.cell, &shape, &src, &dst)?;
        Plan::with(&problem.with_source_gaps(gaps), options)
    }

    /// Everything that can fail: plans and the stage.
    fn prepare(
        self,
        dims: &[Dim],
        course: &Course,
        options: &Options,
        room: usize,
    ) -> Result<Ready, Error> {
        let left = |dim: usize| course.loops.iter().all(|other| other.dim != dim);
        let mut dims: Vec<Dim> = dims.to_vec();
        let (along, height, staged) = match course.inner {
            Inner::Cell => return Ok(Ready::Cell),
            Inner::Blocks {
                along,
                height,
                staged,
            } => (Some((along, dims[along.dim])), height, staged),
            Inner::Staged => (None, 1, true),
        };
        let inner = |dims: &[Dim]| -> Vec<Dim> {
            let inside = dims.iter().enumerate().filter(|&(i, _)| left(i));
            inside.map(|(_, &dim)| dim).collect()
        };
        let block = |dims: &[Dim]| match staged {
            true => Staged::new(self, &inner(dims), options, room)
                .map(|staged| Block::Staged(Box::new(staged))),
            false => self
                .plan(
                    &inner(dims),
                    |dim| (dim.src, dim.dst),
                    SourceGaps::Forbidden,
                    options,
                )
                .map(|plan| Block::Direct(Box::new(plan))),
        };
        let Some((along, dim)) = along else {
            return Ok(Ready::Once(block(&dims)?));
        };
        let rest = dim.extent % height;
        let last = if rest == 0 {
            None
        } else {
            dims[along.dim].extent = rest;
            Some(block(&dims)?)
        };
        dims[along.dim].extent = height;
        let whole = block(&dims)?;
        Ok(Ready::Blocks {
            along,
            dim,
            height,
            whole,
            last,
        })
    }

    /// The loops, and what was prepared inside of them.
    ///
    /// # Safety
    /// Those of [`Sides::copy`]; `ready` was prepared for the course of these dimensions.
    unsafe fn walk(self, dims: &[Dim], loops: &[Loop], ready: &mut Ready) {
        if let Some((&Loop { dim, down }, inner)) = loops.split_first() {
            for i in 0..dims[dim].extent {
                let i = if down { dims[dim].extent - 1 - i } else { i };
                // SAFETY: passed on: i is an index of the dimension.
                unsafe { self.moved(&dims[dim], i).walk(dims, inner, ready) };
            }
            return;
        }
        match ready {
            // SAFETY: range: passed on. A cell may meet itself.
            Ready::Cell => unsafe { core::ptr::copy(self.src, self.dst, self.cell) },
            // SAFETY: passed on.
            Ready::Once(block) => unsafe { block.run(self) },
            Ready::Blocks {
                along,
                dim,
                height,
                whole,
                last,
            } => {
                let blocks = dim.extent.div_ceil(*height);
                for i in 0..blocks {
                    let i = if along.down { blocks - 1 - i } else { i };
                    let block = match last {
                        Some(last) if i == blocks - 1 => &mut *last,
                        _ => &mut *whole,
                    };
                    // SAFETY: passed on: the block starts at an index of the dimension, and the last
                    // one is as high as what is left.
                    unsafe { block.run(self.moved(dim, i * *height)) };
                }
            }
        }
    }

    /// Both sides at index `i` of a dimension.
    fn moved(self, dim: &Dim, i: usize) -> Self {
        Self {
            src: self.src.wrapping_offset(i as isize * dim.src),
            dst: self.dst.wrapping_offset(i as isize * dim.dst),
            ..self
        }
    }
}

/// What is done inside the loops, ready to run.
enum Ready {
    Cell,
    Once(Block),
    Blocks {
        along: Loop,
        dim: Dim,
        height: usize,
        whole: Block,
        /// What is left of the dimension, if it is no whole block.
        last: Option<Block>,
    },
}

/// A part of the copy.
enum Block {
    /// Its sides do not meet.
    Direct(Box<Plan>),
    Staged(Box<Staged>),
}

impl Block {
    /// # Safety
    /// Those of [`Sides::copy`], for the cells of this block; direct blocks do not meet.
    unsafe fn run(&mut self, at: Sides) {
        match self {
            // SAFETY: passed on; gaps are not read.
            Self::Direct(plan) => unsafe { plan.run_raw(at.src, at.dst) },
            // SAFETY: range: passed on, and the stage has all cells that the plans reach in it;
            // aliasing: the stage is memory of its own.
            Self::Staged(staged) => unsafe {
                let stage = staged.room.as_mut_slice().as_mut_ptr().cast();
                staged.aside.run_raw(at.src, stage);
                staged.back.run_raw(stage, at.dst);
            },
        }
    }
}

/// A block that is put aside first.
struct Staged {
    room: Array<MaybeUninit<u8>>,
    aside: Plan,
    back: Plan,
}

impl Staged {
    /// The stage is dense, in the order of the destination; what the source repeats stands there once.
    fn new(sides: Sides, dims: &[Dim], options: &Options, room: usize) -> Result<Self, Error> {
        let mut bytes = sides.cell;
        let mut strides = Vec::with_capacity(dims.len());
        for dim in dims {
            if dim.src == 0 {
                strides.push(0);
            } else {
                strides.push(bytes as isize);
                bytes *= dim.extent;
            }
        }
        let kept: Vec<Dim> = dims
            .iter()
            .zip(&strides)
            .map(|(dim, &stride)| Dim {
                extent: if dim.src == 0 { 1 } else { dim.extent },
                src: dim.src,
                dst: stride,
            })
            .collect();
        let back: Vec<Dim> = dims
            .iter()
            .zip(&strides)
            .map(|(dim, &stride)| Dim {
                src: stride,
                ..*dim
            })
            .collect();
        let sided = |dim: &Dim| (dim.src, dim.dst);
        let aside = sides.plan(&kept, sided, SourceGaps::Readable, options)?;
        let back = sides.plan(&back, sided, SourceGaps::Readable, options)?;
        if bytes > room {
            return Err(Error::AllocFailed { bytes });
        }
        let room = Array::<MaybeUninit<u8>>::allocate(&[bytes])?;
        Ok(Self { room, aside, back })
    }
}
