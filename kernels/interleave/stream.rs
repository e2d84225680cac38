//! How streaming rows walk over a panel: whole destination lines around the caches, once each.
//!
//! Planes start anywhere, each in a line of its own, so each has its own first pixel that starts a
//! line there; the pixels of a line of one plane are read wherever they are, and lines of the planes
//! that belong together are made one after the other while their pixels are in the cache:
//!
//! ```text
//!   plane 0   |hh|    0    |    3    | ..          h: the head of a plane, and at its other end
//!   plane 1   |hhhhhh|    1    |    4    | ..         the tail, through the caches
//!   plane 2   |    2    |    5    | ..
//! ```
//!
//! Where all planes start at the same place of a line, a group is taken apart once. Merged pixels
//! are one sequence of lines; it starts with a pixel that starts a line.

use super::cached::{self, before_a_line, part_of_planes, pixels, planes, split_part};
use super::weave::{Line, Walk, Weave, Weaves, walk};
use super::woven::{MOST, Woven, of_first};
use crate::cpu::{from_zen5, in_one_sequence};
use crate::isa::prefetch_ahead;
use crate::panel::{LINE, Panel};

/// Groups between a load of pixels and the prefetch that goes before it; 8 to 32 are within 6 %.
/// Ratio to the roof with and without, AVX-512, out of cache, on a 2-core AVX-512 server VM: u8 3
/// planes that start at different places of a line 1.00, 0.95; u16 3 planes, 97 MiB, 0.89, 0.68; f32
/// 3 planes 1.01, 0.98. Four places of the source in turns, as a copy of pages goes: 0.90 to 0.92
/// where one place has 1.00. None where memory is best moved [as one sequence](in_one_sequence), which pixels
/// are; 48 MiB with and without, Zen 4: f32 3 planes 0.84 and 1.37, u8 1.00 and 1.39, u16 1.08 and 1.33, f64 0.94
/// and 1.37; 4 planes of f32 0.87 and 1.36. But where pixels have holes, on Zen 5, where loads under masks wait:
/// three planes of RGBA u8, 12 MB, after all had been flushed 0.53 without, 1.22 with; f32 0.45 and 1.10.
const AHEAD_IN_PIXELS: usize = 16;

/// Bytes between a load of a plane and the prefetch that goes before it. f64 in rows of 256 bytes, two
/// planes, 256 MiB: 0.95 of the roof with 4, 8 or 16 lines, 0.79 without; long planes gain nothing, but on Zen 5: three planes
/// of u8, 12 MB, 1.29 and 1.46, of f32, 24 MB, 1.21 and 1.42, four 1.19 and 1.44.
const AHEAD_IN_PLANES: usize = 8 * LINE;

/// Moves a panel whose rows are planes.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `W::CELL` byte cells, of at least a
/// group; the guard of the task is held; the ISA of `W` is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn split<W: Weaves>(panel: &Panel<'_>) {
    let woven = Woven::split(panel);
    let Some(woven) = &woven else {
        // SAFETY: passed on.
        return unsafe { W::scattered(panel, true) };
    };
    let mut planes = woven.planes[..woven.moved].iter();
    let aligned = planes.all(|plane| plane.addr().is_multiple_of(W::CELL));
    // SAFETY: passed on.
    unsafe {
        if !aligned {
            cached::split::<W>(panel);
        } else if !W::MASKS && woven.has_holes() {
            cached::split_whole::<Split, W>(panel, woven);
        } else {
            walk::<Split, W>(woven);
        }
    }
}

/// Moves a panel whose columns are planes.
///
/// # Safety
/// As [`split`].
#[inline(always)]
pub(super) unsafe fn merge<W: Weaves>(panel: &Panel<'_>) {
    let woven = Woven::merge(panel);
    let Some(woven) = &woven else {
        // SAFETY: passed on.
        return unsafe { W::scattered(panel, true) };
    };
    // SAFETY: passed on.
    unsafe {
        if !walk::<Merge, W>(woven) {
            cached::merge::<W>(panel);
        }
    }
}

/// Pixels into planes.
struct Split;

impl Walk for Split {
    #[inline(always)]
    unsafe fn walk<W: Weave<STEP>, const STEP: usize, const HOLES: bool>(woven: &Woven) -> bool {
        // SAFETY: passed on.
        unsafe { split_lines::<W, STEP, HOLES>(woven) };
        true
    }
}

/// Planes into pixels: lines with holes cannot be written whole.
struct Merge;

impl Walk for Merge {
    #[inline(always)]
    unsafe fn walk<W: Weave<STEP>, const STEP: usize, const HOLES: bool>(woven: &Woven) -> bool {
        // SAFETY: passed on.
        !HOLES && unsafe { merge_lines::<W, STEP>(woven) }
    }
}

/// # Safety
/// As [`split`], with a panel of this step whose planes are aligned to their cells.
#[inline(always)]
unsafe fn split_lines<W: Weave<STEP>, const STEP: usize, const HOLES: bool>(woven: &Woven) {
    let (len, group) = (woven.len, W::GROUP);
    let moved = if HOLES {
        woven.moved_bytes::<W, STEP>()
    } else {
        [!0; STEP]
    };
    // Planes that do not exist are the first one again.
    let mut heads = [0; STEP];
    for (head, plane) in heads.iter_mut().zip(&woven.planes) {
        *head = len.min(plane.addr().wrapping_neg() % LINE / W::CELL);
    }
    // The plane with the longest head has the fewest lines.
    let lines = (len - heads.into_iter().fold(0, usize::max)) / group;
    let together = heads.iter().all(|&head| head == heads[0]);
    let asked = !in_one_sequence() || HOLES && from_zen5();
    // SAFETY: range: line i of plane p is pixels heads[p] + i * group and a group from there, below
    // len; aliasing: the planes' lines are apart, and the edges are before heads[p] and after the
    // lines; alignment: heads[p] starts a line in plane p; ISA: passed on.
    unsafe {
        for i in 0..lines {
            if asked {
                let ahead = woven.group::<W, STEP>((i + AHEAD_IN_PIXELS) * group);
                for j in 0..STEP {
                    prefetch_ahead(ahead.wrapping_add(j * LINE));
                }
            }
            if together {
                let at = heads[0] + i * group;
                let from = woven.group::<W, STEP>(at);
                let split = W::split(pixels::<W, STEP, HOLES>(from, moved));
                for (p, line) in split.into_iter().enumerate() {
                    if p < MOST && (!HOLES || p < woven.moved) {
                        line.stream(woven.line::<W>(p, at));
                    }
                }
            } else {
                for (p, head) in heads.into_iter().enumerate() {
                    if !HOLES || p < woven.moved {
                        line_of_plane::<W, STEP, HOLES>(woven, p, head + i * group, moved);
                    }
                }
            }
        }
        for (p, head) in heads.into_iter().enumerate() {
            if !HOLES || p < woven.moved {
                edges::<W, STEP, HOLES>(woven, p, head, lines, moved);
            }
        }
    }
}

/// The line of plane `p` that starts at cell `at`.
///
/// # Safety
/// As [`split_lines`], for this line.
#[inline(always)]
unsafe fn line_of_plane<W: Weave<STEP>, const STEP: usize, const HOLES: bool>(
    woven: &Woven,
    p: usize,
    at: usize,
    moved: [u64; STEP],
) {
    // SAFETY: range: a group of pixels from `at` on, and a line of plane p; aliasing, alignment and
    // ISA: passed on.
    unsafe {
        let from = woven.group::<W, STEP>(at);
        let split = W::split(pixels::<W, STEP, HOLES>(from, moved));
        split[p].stream(woven.line::<W>(p, at));
    }
}

/// What is before and after `lines` lines of plane `p`, of which the first starts at cell `head`. A
/// whole line may be among it, where the other planes have one less.
///
/// # Safety
/// As [`split_lines`].
#[inline(always)]
unsafe fn edges<W: Weave<STEP>, const STEP: usize, const HOLES: bool>(
    woven: &Woven,
    p: usize,
    head: usize,
    lines: usize,
    moved: [u64; STEP],
) {
    let mut at = head + lines * W::GROUP;
    // SAFETY: range, aliasing: cells of plane p that are not in its lines, each once; a line of
    // it that is left starts where lines do; ISA: passed on.
    unsafe {
        if head > 0 {
            split_part::<W, STEP>(woven, 0, head, 1 << p);
        }
        while woven.len - at >= W::GROUP {
            line_of_plane::<W, STEP, HOLES>(woven, p, at, moved);
            at += W::GROUP;
        }
        if at < woven.len {
            split_part::<W, STEP>(woven, at, woven.len - at, 1 << p);
        }
    }
}

/// False if no pixel starts a line; then nothing was moved.
///
/// # Safety
/// As [`merge`], with a panel of this step.
#[inline(always)]
unsafe fn merge_lines<W: Weave<STEP>, const STEP: usize>(woven: &Woven) -> bool {
    let Some(head) = before_a_line::<W, STEP>(woven) else {
        return false;
    };
    let (len, group) = (woven.len, W::GROUP);
    let head = head.min(len);
    let lines = (len - head) / group;
    let left = head + lines * group;
    // SAFETY: range and aliasing: the groups from `head` on and what is before and after them are
    // the panel's pixels, each once; alignment: pixel `head` starts a line, and a group is whole
    // lines; ISA: passed on.
    unsafe {
        if head > 0 {
            merge_part::<W, STEP>(woven, 0, head, false);
        }
        for i in 0..lines {
            let at = head + i * group;
            for p in 0..STEP.min(MOST) {
                prefetch_ahead(woven.line::<W>(p, at).wrapping_add(AHEAD_IN_PLANES));
            }
            let merged = W::merge(planes::<W, STEP>(woven, at));
            let to = woven.group::<W, STEP>(at);
            for (j, line) in merged.into_iter().enumerate() {
                line.stream(to.wrapping_add(j * LINE));
            }
        }
        if left < len {
            merge_part::<W, STEP>(woven, left, len - left, true);
        }
    }
    true
}

/// Merges the `len` pixels from `at` on, fewer than a group; where they start a line, those that
/// they fill are streamed.
///
/// # Safety
/// As [`merge_lines`], for those pixels.
#[inline(always)]
unsafe fn merge_part<W: Weave<STEP>, const STEP: usize>(
    woven: &Woven,
    at: usize,
    len: usize,
    starts_a_line: bool,
) {
    // SAFETY: range and aliasing: `len` cells of each plane are read, and what the masks name are
    // the pixels of the group that they go to; alignment: said above; ISA: passed on.
    unsafe {
        let lines = W::merge(part_of_planes::<W, STEP>(woven, at, len));
        let to = woven.group::<W, STEP>(at);
        for (j, line) in lines.into_iter().enumerate() {
            let to = to.wrapping_add(j * LINE);
            match of_first::<W, STEP>(len, j) {
                u64::MAX if starts_a_line => line.stream(to),
                // Not a store of nothing, which would fetch a line that another panel streams:
                // pixel shuffles with rows of 448 bytes took 0.38 of the roof instead of 0.86.
                0 => {}
                bytes => line.store_some(to, bytes),
            }
        }
    }
}
