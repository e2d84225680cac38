//! Lines that three runs share: how a streaming transposition moves runs of half a line and more, but not of one.
//!
//! A file of its own because such a run may fill no line, and may start none. The line that starts in a run is that
//! run's, and is joined from the two after it:
//!
//! ```text
//!   runs      | 0       | 1       | 2       | 3       | 4       | ..
//!   lines     ..|      0      |      1      |      2      |      3      |
//!               of run 0      of run 1  of run 3      of run 4
//! ```
//!
//! Of the roof, Zen 4, runs in the order of the destination and so, with AVX-512 and with AVX2: 1000x1000 of 32 bytes
//! 0.44 and 0.70, 0.46 and 0.70; 4000x800 of 42 0.32 and 0.74, 0.32 and 0.75; 900x900 of 50 0.45 and 0.76, 0.47 and
//! 0.72; 20x20000 of 48 0.34 and 0.65, 0.31 and 0.62; 512x512 of 33 0.36 and 0.38, 0.37 and 0.38. In bands of sixteen
//! runs instead of eight: 42 bytes 0.60, 50 bytes 0.52. With a branch for each run instead of each line: 50 bytes 0.48,
//! 33 bytes 0.28.

use core::ops::Range;

use crate::panel::LINE;
use crate::run::{Line, Parts, Reach, piece};

/// The runs of a destination row.
pub(super) struct Runs<F> {
    /// Where each is read.
    pub(super) from: F,
    /// How many there are.
    pub(super) count: usize,
    /// Bytes of each, 32 to 63.
    pub(super) bytes: usize,
    /// Whether two runs, a line and more, can be read before and after each.
    pub(super) within: bool,
    /// Where the first one is written.
    pub(super) to: *mut u8,
}

impl<F: Fn(usize) -> *const u8> Runs<F> {
    /// Streams the lines that start in some of the runs, with what belongs to them of the two after those. Where the
    /// row ends before a line, what there is is written through the caches, and so is the part of a line before the first
    /// one that starts in it.
    ///
    /// # Safety
    /// - Range: the runs can be read where they are, as [`within`](Self::within) says, and written. There is one at least.
    /// - Aliasing: what is read and what is written do not overlap.
    /// - Alignment: none.
    /// - ISA: as [`Line`].
    #[inline(always)]
    pub(super) unsafe fn stream<L: Line>(&self, some: Range<usize>) {
        let Self {
            count,
            bytes,
            within,
            to,
            ..
        } = *self;
        let reach = Reach::lines(within);
        let (from, last) = (&self.from, count - 1);
        let at = |c: usize| to.wrapping_add(c * bytes);
        // A line starts `head` bytes into run `c`.
        let (mut c, mut head) = (some.start, at(some.start).addr().wrapping_neg() % LINE);
        // SAFETY: range: pieces are parts of runs or whole ones; the parts of a line are what is left of run `c` from
        // `head` on, of the next run all or what the line has room for, and of the third one that; where the
        // third has none, it is not read but as part of a whole line; such a line starts no more than two runs before
        // its part, and ends no more than two runs after it; alignment: `head` bytes into the run a line starts; aliasing
        // and ISA: passed on.
        unsafe {
            if c == 0 && head > 0 {
                piece(from(0), to, head.min(bytes));
                if head > bytes && c < last {
                    piece(from(1), at(1), head - bytes);
                }
            }
            loop {
                // Without a branch, which would be as often taken as not.
                let far = head >= bytes;
                (c, head) = (c + usize::from(far), if far { head - bytes } else { head });
                if c >= some.end {
                    return;
                }
                let (own, start, line) = (
                    bytes - head,
                    from(c).wrapping_add(head),
                    at(c).wrapping_add(head),
                );
                let both = own + bytes;
                if c < last && both >= LINE {
                    L::join(Parts::of_two(start, own, from(c + 1), reach), line);
                } else if c + 1 < last {
                    let (next, third) = (from(c + 1), from(last.min(c + 2)));
                    let parts = Parts {
                        lines: [start, next.wrapping_sub(own), third.wrapping_sub(both)],
                        ends: [own, both.min(LINE), LINE],
                        reach,
                    };
                    L::join(parts, line);
                } else {
                    piece(start, line, own);
                    if c < last {
                        piece(from(c + 1), at(c + 1), bytes);
                    }
                    return;
                }
                (c, head) = (c + 1, head + LINE - bytes);
            }
        }
    }
}
