//! The walk over a batch: blocks are put together in a stage, and streamed from there.
//!
//! A file of its own because a task is a block here, which may be many panels, and none of them is moved to where it
//! belongs.

use core::iter;
use core::ops::Range;

use restride_kernels::StageKernel;

use super::{Position, Walk, run_everywhere};
use crate::plan::{Batch, Dims};

/// Bytes of blocks that are staged together, of small ones. Of the roof, twelve kinds of blocks, 1, 2, 4 and 8 KiB:
/// 0.64, 0.70, 0.65 and 0.57 (Zen 4, 128 MiB).
const STAGED: usize = 2 << 10;

impl Walk<'_> {
    /// Moves the blocks of a range in the caches to a stage that streams them, some at a time; without memory for
    /// a stage, to where they belong.
    ///
    /// # Safety
    /// As [`run`](Self::run), for the work and the kernels of a batch.
    pub(super) unsafe fn run_blocks(
        &self,
        blocks: Range<usize>,
        batch: &Batch,
        kernel: &StageKernel,
    ) {
        let (cached, bytes) = (&self.kernels.cached, batch.bytes);
        let most = (STAGED / bytes).max(1);
        let mut scratch: Vec<u8> = Vec::new();
        // Settled before the first write.
        let wanted = kernel.scratch_bytes(most * bytes);
        let enough = wanted.is_some_and(|wanted| scratch.try_reserve_exact(wanted).is_ok());
        let room = enough.then(|| scratch.spare_capacity_mut());
        let mut stage = room.and_then(|room| kernel.begin(room, most * bytes));
        let (outer, inside) = self.work.loops.split_at(batch.outer);
        let along = outer[outer.len() - 1];
        let mut loops: Dims = iter::once(along).chain(inside.iter().copied()).collect();
        let mut position = Position::at(outer, blocks.start);
        let mut left = blocks.len();
        while left > 0 {
            let together = most.min(left).min(position.ahead());
            let mut panel = self.first;
            panel.src = panel.src.moved(position.src);
            panel.dst = panel.dst.moved(position.dst);
            loops[0].extent = together;
            left -= together;
            position.advance_by(together);
            // SAFETY: passed on to the caller: the panels of these blocks are in the range. Range, aliasing: the stage
            // has room for so many blocks, all bytes of which their panels write, and no other reference.
            unsafe {
                let Some(stage) = &mut stage else {
                    run_everywhere(cached, &panel, &loops);
                    continue;
                };
                let to = panel.dst.base.wrapping_offset(-batch.shift);
                panel.dst.base = stage.base().wrapping_offset(batch.shift);
                let next = self.first.src.base.wrapping_offset(position.src);
                stage.ask(next, together * bytes);
                run_everywhere(cached, &panel, &loops);
                stage.stream(to, together * bytes, next);
            }
        }
    }
}
