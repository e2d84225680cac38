//! Copies of what the source repeats: each piece is moved once, then from where it is to the other places.

use core::ops::Range;

use super::execute_at;
use super::many::Bases;
use super::split;
use super::walk::Position;
use crate::plan::{Plan, Repeat};

/// Carries out what is moved once and copied from there. Pieces of all kinds are shared out among threads together.
///
/// # Safety
/// The obligations of [`execute`](super::execute), for the plan that these are of.
pub(super) unsafe fn carry_out(repeats: &[Repeat<Plan>], src: *const u8, dst: *mut u8) {
    let Some(threads) = repeats.first().map(|repeat| repeat.threads) else {
        return;
    };
    let bases = Bases { src, dst };
    let all = repeats.iter().map(Repeat::count).sum();
    split::share(all, threads, &|range| {
        let mut before = 0;
        for repeat in repeats {
            let count = repeat.count();
            let at = |n: usize| n.clamp(before, before + count) - before;
            // SAFETY: passed on: no piece is of two ranges.
            unsafe { pieces(repeat, &bases, at(range.start)..at(range.end)) };
            before += count;
        }
    });
}

/// Carries out some pieces of a kind.
///
/// # Safety
/// As [`carry_out`], for these pieces, which no other thread moves.
unsafe fn pieces(repeat: &Repeat<Plan>, bases: &Bases, some: Range<usize>) {
    let mut position = Position::at(&repeat.pieces, some.start);
    for _ in some {
        let (from, to) = (repeat.src + position.src, repeat.dst + position.dst);
        let (src, dst) = bases.at(from, to);
        // SAFETY: range: all pieces together are all cells of the source, each at its first place in the destination;
        // what is copied from there is read and written by this thread, or by those that it waits for. Aliasing: no two
        // places of the destination share a byte, so no cell is copied to where one is read.
        unsafe {
            execute_at(&repeat.once, src, dst);
            for (shift, again) in &repeat.again {
                execute_at(again, dst, dst.wrapping_offset(*shift));
            }
        }
        position.advance();
    }
}

#[cfg(test)]
mod tests;
