//! Copies of what the source repeats: each piece is moved once, then from where it is to the other places.

use super::execute_at;
use super::many::Bases;
use super::split;
use super::walk::Position;
use crate::plan::{Plan, Repeat};

/// Carries out what is moved once and copied from there.
///
/// # Safety
/// The obligations of [`execute`](super::execute), for the plan that these are of.
pub(super) unsafe fn carry_out(repeats: &[Repeat<Plan>], src: *const u8, dst: *mut u8) {
    let bases = Bases { src, dst };
    for repeat in repeats {
        split::share(repeat.count(), repeat.threads, &|range| {
            let mut position = Position::at(&repeat.pieces, range.start);
            for _ in range {
                let at = (repeat.src + position.src, repeat.dst + position.dst);
                let (src, dst) = bases.at(at.0, at.1);
                // SAFETY: passed on: the pieces together are all cells of the source, each at its first place in the
                // destination, which one thread writes and then reads. Aliasing: no two places of the destination
                // share a byte, so what is copied again is not where it is copied to.
                unsafe {
                    execute_at(&repeat.once, src, dst);
                    for (shift, again) in &repeat.again {
                        execute_at(again, dst, dst.wrapping_offset(*shift));
                    }
                }
                position.advance();
            }
        });
    }
}

#[cfg(test)]
mod tests;
