//! The walk over a batch: blocks are put together in a stage, and streamed from there.
//!
//! A file of its own because a task is a group of blocks here, each of which may be many panels, and none of them is
//! moved to where it belongs.

use core::ops::Range;

use restride_kernels::{Expected, Panel, Source, StageKernel, Turns};

use super::{Position, Walk};
use crate::exec::tiny;
use crate::plan::{Batch, Cells, Dim};

impl Walk<'_> {
    /// Moves the blocks of a range of groups in the caches to a stage that streams them, a group at a time, some lines
    /// after each [part](Turns) of a panel or each panel of the next one; without memory for a stage, to where they belong. All lines of a
    /// group at once and after each panel, of the roof (Xeon): f32 16x16, two together, 0.85 and 0.90, f64 0.88 and 0.92,
    /// 16 bytes 8x8 0.85 and 0.90; and after each tile 0.99, 1.01 and 1.00. Larger ones, after panels and after tiles: f32
    /// 31x33 0.76 and 1.03, f64 23x19 0.79 and 1.02, u8 65x63 0.71 and 1.01, u16 40x48 0.78 and 0.99.
    ///
    /// # Safety
    /// As [`run`](Self::run), for the work and the kernels of a batch.
    pub(super) unsafe fn run_blocks(
        &self,
        groups: Range<usize>,
        batch: &Batch,
        kernel: &StageKernel,
    ) {
        let (cached, together) = (&self.kernels.cached, batch.together);
        let most = together * batch.bytes;
        let mut scratch: Vec<u8> = Vec::new();
        // Settled before the first write.
        let row = self.work.panel.cols * self.work.panel.cell;
        let wanted = kernel.scratch_bytes(most, row);
        let enough = wanted.is_some_and(|wanted| scratch.try_reserve_exact(wanted).is_ok());
        let room = enough.then(|| scratch.spare_capacity_mut());
        let mut stage = room.and_then(|room| kernel.begin(room, most, row));
        let (outer, inside) = self.work.loops.split_at(batch.outer);
        let mut position = Position::at(outer, groups.start);
        let mut within = Position::first(inside);
        let panels = within.count();
        let mut ahead = Ahead::of(batch, outer, groups.start);
        let (along, first) = (&batch.along, &self.first);
        let turns = Turns::of(cached, first).filter(|_| stage.is_some());
        // Of a block, each followed by lines.
        let parts = match (&batch.few, &turns) {
            (Some(_), _) => 1,
            (None, Some(turns)) => panels * turns.parts(),
            (None, None) => panels,
        };
        let belongs = |position: &Position<'_>| first.dst.base.wrapping_offset(position.dst);
        // One panel that moves on, as in `run`.
        let mut panel = self.first;
        for _ in groups {
            let before = position.index[batch.place] * together;
            let count = together.min(along.extent - before);
            let bytes = count * batch.bytes;
            let blocks = if batch.of_rows {
                panel.rows = count;
                1
            } else {
                count
            };
            let to = belongs(&position);
            let from = position.src;
            panel.src.base = first.src.base.wrapping_offset(from);
            panel.dst.base = to;
            position.advance();
            let mut lines = 0;
            if let Some(stage) = &mut stage {
                panel.dst.base = stage.base().wrapping_offset(batch.shift);
                let source = if batch.region == 0 {
                    Source::Rows {
                        on: position.src.wrapping_sub(from),
                        rows: panel.cols,
                    }
                } else {
                    let later = ahead.moved(&position, bytes);
                    Source::InOrder {
                        read: panel.src.base,
                        later: first.src.base.wrapping_offset(later),
                    }
                };
                stage.expect(&Expected {
                    bytes,
                    source,
                    to: to.wrapping_offset(-batch.shift),
                    next: belongs(&position).wrapping_offset(-batch.shift),
                });
                lines = stage.lines().div_ceil(blocks * parts);
            }
            // SAFETY: passed on to the caller: the panels of these blocks are in the range. Range, aliasing: the stage
            // has room for so many blocks, and no other reference.
            unsafe {
                for _ in 0..blocks {
                    if let Some(few) = &batch.few {
                        self.few_cells(few, batch, &panel);
                        stage.iter_mut().for_each(|stage| stage.stream(lines));
                    } else {
                        for _ in 0..panels {
                            match (&mut stage, turns) {
                                (Some(stage), Some(turns)) => stage.put(turns, &panel, lines),
                                (stage, _) => {
                                    cached.run_cached(&panel);
                                    stage.iter_mut().for_each(|stage| stage.stream(lines));
                                }
                            }
                            let (src, dst) = within.advance();
                            panel.move_on(src, dst);
                        }
                    }
                    panel.move_on(along.src, along.dst);
                }
            }
            if let Some(stage) = &mut stage {
                let to = to.wrapping_offset(-batch.shift);
                // SAFETY: range, aliasing: all bytes of these blocks were written to the stage; they belong there by
                // the caller's contract.
                unsafe { stage.take(to, bytes) };
            }
        }
    }
}

impl Walk<'_> {
    /// Moves a block of `few` cells, whose first panel is this one, without the kernel.
    ///
    /// # Safety
    /// As [`run_blocks`](Self::run_blocks), for this block.
    #[inline(always)]
    unsafe fn few_cells(&self, few: &Cells, batch: &Batch, panel: &Panel<'_>) {
        let from = few.src_shift - self.work.panel.src.shift;
        let src = panel.src.base.cast_const().wrapping_offset(from);
        let dst = panel.dst.base.wrapping_offset(-batch.shift);
        // SAFETY: shape: these cells are the block; the rest is passed on.
        unsafe { tiny::carry_out(few.way, (few.cell, few.dims()), (src, dst)) };
    }
}

/// What is asked for ahead: the region of the source after that of the blocks that are moved, as much of it with each
/// group as that has, but no less than some way ahead.
struct Ahead {
    /// Groups of a region, and how many of them are left of this one.
    groups: usize,
    left: usize,
    /// Bytes from the first panel to what is asked for next.
    at: isize,
    lead: isize,
}

impl Ahead {
    /// Before the group with this number.
    fn of(batch: &Batch, outer: &[Dim], number: usize) -> Self {
        let (far, near) = outer.split_at(outer.len() - batch.near);
        let groups = near.iter().map(|dim| dim.extent).product::<usize>();
        let done = number % groups;
        let lead = batch.region.max(FAR) as isize;
        let start = Position::at(far, number / groups).src;
        Self {
            groups,
            left: groups - done,
            at: start + lead + (done * batch.together * batch.bytes) as isize,
            lead,
        }
    }

    /// What is asked for with this group, of so many bytes, after which the walk stands at `next`.
    #[inline(always)]
    fn moved(&mut self, next: &Position<'_>, bytes: usize) -> isize {
        let at = self.at;
        self.left -= 1;
        if self.left == 0 {
            (self.left, self.at) = (self.groups, next.src.wrapping_add(self.lead));
        } else {
            self.at = at.wrapping_add(bytes as isize);
        }
        at
    }
}

/// Bytes from what is read to what is asked for, at least. Nine kinds of blocks, 128 MiB, 0.61 of the roof asked for
/// with the lines that are streamed, 0.67 so; with 16 KiB 0.64.
const FAR: usize = 64 << 10;
