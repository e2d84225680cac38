//! How cached rows walk over a panel: group by group, the stores through the caches.
//!
//! ```text
//!   groups    |----- 0 -----|
//!                    |----- 1 -----|----- 2 -----| ..     the destination starts a line at 1
//!                                               |----- n -----|
//! ```
//!
//! Groups 0 and n overlap others: they write the same cells with the same bytes. A panel of less
//! than a group is moved under masks. [`pixels`] and [`part_of_planes`] and their opposites serve the
//! streaming walk as well.

use super::scalar::cells;
use super::weave::{Cells, Line, Walk, Weave, Weaves, walk};
use super::woven::{MOST, Woven, of_first};
use crate::gather::coming::Coming;
use crate::isa::prefetch_write;
use crate::panel::{LINE, Panel, SourceGaps, reached};
use crate::row::Along;

/// Bytes between a store to a plane and the prefetch that goes before it; two lines more are the
/// same. Splits in the second-level cache, AVX-512, ratio to memcpy with and without (2-core AVX-512
/// server VM, 2 MiB): u8 3 planes 0.95, 0.67; 4 planes 1.01, 0.59; f32 3 planes 0.96, 0.88. Lines of
/// each plane aligned on their own, the pixels read again for each: 0.76, 0.66, 0.86.
const AHEAD_IN_PLANES: usize = 3 * LINE;

/// The same for pixels, in groups; 2 and 4 are the same within the caches. u8 3 planes 0.95, 0.81; 4
/// planes 1.00, 0.85; f32 3 planes 0.95, 0.89. Three planes into pixels with a hole, 56 MiB, ratio to
/// the roof: 0.69 with 8, 0.64 with 4, 0.62 with 2, 0.49 without.
const AHEAD_IN_PIXELS: usize = 8;

/// Bytes of pixels with holes from which on their lines are asked for. Of the roof without and with, Zen 5, three planes
/// of 4000 RGBA f32, in one row, then four: again and again 0.48 and 0.48, 0.70 and 0.75; after all had been flushed 0.38
/// and 0.67, 0.37 and 0.70. Of 600 and 960, again and again, 0.46 and 0.40, 0.50 and 0.39.
const COMING: usize = 64 << 10;

/// Bytes of the long side below which masks are not worth it: 3 panels of 2 pixels of 4 f32, 53 ns cell
/// by cell and 75 under masks; 2 of 4 pixels of 3 f32 the same.
const FEW: usize = LINE / 2;

/// Moves the panels of a loop, of so many pixels: each by `call`, where they are enough, else cell by cell.
///
/// # Safety
/// The contract of the crate, for each of the panels, of the family and of `W::CELL` byte cells; `call` is [`split`] or
/// [`merge`] of `W`.
#[inline(always)]
pub(super) unsafe fn each<W: Cells>(
    panel: &Panel<'_>,
    pixels: usize,
    along: Along,
    call: unsafe fn(&Panel<'_>),
) {
    let enough = pixels * W::CELL >= if W::MASKS { FEW } else { LINE };
    let call = if enough { call } else { cells };
    if along.times == 1 {
        // A copy of the panel would be loaded just after it was stored: two planes of 16 f32 17 ns, and 32 with one.
        // SAFETY: passed on.
        return unsafe { call(panel) };
    }
    let mut panel = *panel;
    for _ in 0..along.times {
        // SAFETY: passed on.
        unsafe { call(&panel) };
        panel.move_on(along.src, along.dst);
    }
}

/// Moves a panel whose rows are planes.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `W::CELL` byte cells, of at least a
/// group where `W` has no masks; the ISA of `W` is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn split<W: Weaves>(panel: &Panel<'_>) {
    // SAFETY: passed on.
    unsafe {
        match Woven::split(panel).as_ref() {
            Some(woven) if !W::MASKS && woven.has_holes() => split_whole::<Split, W>(panel, woven),
            Some(woven) => {
                walk::<Split, W>(woven);
            }
            None => W::scattered(panel, false),
        }
    }
}

/// Moves a panel whose rows are planes, from pixels with holes that are loaded as well, as there are no masks: if they
/// may be read, which leaves out those of the pixel that lies last. RGBA to three planes, 1080x1920, of the roof, cell
/// by cell and so (Xeon, AVX2): u8 0.15 and 0.79, u16 0.42 and 0.85; every second pixel of RGB, u8 0.10 and 0.37, u16
/// 0.24 and 0.50.
///
/// # Safety
/// As [`split`], with the panel as the walk looks at it; what `K` asks for.
#[inline(always)]
pub(super) unsafe fn split_whole<K: Walk, W: Weaves>(panel: &Panel<'_>, woven: &Woven) {
    let before = woven.before_the_last::<W>();
    let Some(before) = before.filter(|_| panel.gaps == SourceGaps::Readable) else {
        // SAFETY: passed on.
        return unsafe { W::scattered(panel, false) };
    };
    let last = if woven.back { 0 } else { before.len };
    // SAFETY: passed on: the holes of all pixels but that one lie between cells of the panel; each pixel is moved once.
    unsafe {
        walk::<K, W>(&before);
        W::scattered(&panel.part(0..panel.rows, last..last + 1), false);
    }
}

/// Moves a panel whose columns are planes.
///
/// # Safety
/// As [`split`].
#[inline(always)]
pub(super) unsafe fn merge<W: Weaves>(panel: &Panel<'_>) {
    // SAFETY: passed on: pixels have holes only where `W` has masks.
    unsafe {
        match Woven::merge(panel).as_ref() {
            Some(woven) if W::MASKS || !woven.has_holes() => {
                walk::<Merge, W>(woven);
            }
            _ => W::scattered(panel, false),
        }
    }
}

/// The lines of a group of pixels.
///
/// # Safety
/// - Range: a group of pixels can be read at `from`; without its holes where `W` has masks.
/// - ISA: that of `W` is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn pixels<W: Weave<STEP>, const STEP: usize, const HOLES: bool>(
    from: *const u8,
    moved: [u64; STEP],
) -> [W::Line; STEP] {
    // SAFETY: range: STEP lines are a group; holes are masked out; ISA: passed on.
    unsafe {
        let load = |j: usize| (from.wrapping_add(j * LINE), moved[j]);
        let (at, bytes) = load(0);
        let first = if HOLES && W::MASKS {
            W::Line::load_some(at, bytes)
        } else {
            W::Line::load(at)
        };
        let mut lines = [first; STEP];
        for (j, line) in lines.iter_mut().enumerate().skip(1) {
            let (at, bytes) = load(j);
            *line = if HOLES && W::MASKS {
                W::Line::load_some(at, bytes)
            } else {
                W::Line::load(at)
            };
        }
        lines
    }
}

/// The first `len` pixels of a group, fewer than a whole one but not none. Lines that hold none of them are not
/// loaded: on Zen 5 a load of nothing waits for its line.
///
/// # Safety
/// As [`pixels`], for so many.
#[inline(always)]
unsafe fn part_of_pixels<W: Weave<STEP>, const STEP: usize>(
    from: *const u8,
    len: usize,
    moved: [u64; STEP],
) -> [W::Line; STEP] {
    // SAFETY: range: what the masks name are cells of the first `len` pixels; ISA: passed on.
    unsafe {
        let load = |j: usize| {
            (
                from.wrapping_add(j * LINE),
                moved[j] & of_first::<W, STEP>(len, j),
            )
        };
        let (at, bytes) = load(if W::BACK { STEP - 1 } else { 0 });
        let mut lines = [W::Line::load_some(at, bytes); STEP];
        for (j, line) in lines.iter_mut().enumerate() {
            let (at, bytes) = load(j);
            if bytes != 0 {
                *line = W::Line::load_some(at, bytes);
            }
        }
        lines
    }
}

/// The lines of a group, one of each plane. Where a pixel has holes, planes that do not exist are
/// the first one again.
///
/// # Safety
/// - Range: a line of each plane can be read from cell `at` on.
/// - ISA: that of `W` is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn planes<W: Weave<STEP>, const STEP: usize>(
    woven: &Woven,
    at: usize,
) -> [W::Line; STEP] {
    // SAFETY: range: passed on; ISA: passed on.
    unsafe {
        let mut lines = [W::Line::load(woven.line::<W>(0, at)); STEP];
        // By index: zipped with the planes, which are more, it is not unrolled, and f32 in the
        // first-level cache takes 0.10 of memcpy instead of 0.41.
        for (p, line) in lines.iter_mut().enumerate().skip(1) {
            if p < MOST {
                *line = W::Line::load(woven.line::<W>(p, at));
            }
        }
        lines
    }
}

/// The first `len` cells of the lines of a group.
///
/// # Safety
/// As [`planes`], for so many.
#[inline(always)]
pub(super) unsafe fn part_of_planes<W: Weave<STEP>, const STEP: usize>(
    woven: &Woven,
    at: usize,
    len: usize,
) -> [W::Line; STEP] {
    let bytes = reached(len * W::CELL, 0);
    // SAFETY: range: passed on; ISA: passed on.
    unsafe {
        let mut lines = [W::Line::load_some(woven.line::<W>(0, at), bytes); STEP];
        for (p, line) in lines.iter_mut().enumerate().skip(1) {
            if p < MOST {
                *line = W::Line::load_some(woven.line::<W>(p, at), bytes);
            }
        }
        lines
    }
}

/// Splits the `len` pixels from `at` on, fewer than a group, into the planes that `which` has a bit
/// for.
///
/// # Safety
/// The contract of the crate, for those pixels; ISA: that of `W` is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn split_part<W: Weave<STEP>, const STEP: usize>(
    woven: &Woven,
    at: usize,
    len: usize,
    which: usize,
) {
    let moved = woven.moved_bytes::<W, STEP>();
    // SAFETY: range and aliasing: the pixels' cells are read, and `len` cells of planes that exist
    // are written; ISA: passed on.
    unsafe {
        let from = woven.group::<W, STEP>(at);
        let lines = W::split(part_of_pixels::<W, STEP>(from, len, moved));
        for (p, line) in lines.into_iter().enumerate() {
            if p < MOST && which & (1 << p) != 0 {
                line.store_some(woven.line::<W>(p, at), reached(len * W::CELL, 0));
            }
        }
    }
}

/// Merges the `len` pixels from `at` on, fewer than a group.
///
/// # Safety
/// As [`split_part`].
#[inline(always)]
unsafe fn merge_part<W: Weave<STEP>, const STEP: usize>(woven: &Woven, at: usize, len: usize) {
    let moved = woven.moved_bytes::<W, STEP>();
    // SAFETY: range and aliasing: `len` cells of each plane are read, and what the masks name are
    // cells of the pixels; ISA: passed on.
    unsafe {
        let lines = W::merge(part_of_planes::<W, STEP>(woven, at, len));
        let to = woven.group::<W, STEP>(at);
        for (j, line) in lines.into_iter().enumerate() {
            let bytes = moved[j] & of_first::<W, STEP>(len, j);
            if bytes != 0 {
                line.store_some(to.wrapping_add(j * LINE), bytes);
            }
        }
    }
}

/// Pixels into planes.
struct Split;

impl Walk for Split {
    #[inline(always)]
    unsafe fn walk<W: Weave<STEP>, const STEP: usize, const HOLES: bool>(woven: &Woven) -> bool {
        // SAFETY: passed on.
        unsafe { split_groups::<W, STEP, HOLES>(woven) };
        true
    }
}

/// Planes into pixels.
struct Merge;

impl Walk for Merge {
    #[inline(always)]
    unsafe fn walk<W: Weave<STEP>, const STEP: usize, const HOLES: bool>(woven: &Woven) -> bool {
        // SAFETY: passed on.
        unsafe { merge_groups::<W, STEP, HOLES>(woven) };
        true
    }
}

/// # Safety
/// As [`split`], with a panel of this step.
#[inline(always)]
unsafe fn split_groups<W: Weave<STEP>, const STEP: usize, const HOLES: bool>(woven: &Woven) {
    let (len, group) = (woven.len, W::GROUP);
    let which = (1 << woven.moved) - 1;
    if len < group {
        // SAFETY: passed on: all pixels of the panel.
        return unsafe { split_part::<W, STEP>(woven, 0, len, which) };
    }
    let moved = if HOLES {
        woven.moved_bytes::<W, STEP>()
    } else {
        [!0; STEP]
    };
    let cold = len * STEP * W::CELL >= W::COLD;
    // Without holes lines are not loaded under masks.
    let coming = if HOLES && W::MASKS {
        let sign = if W::BACK { -1 } else { 1 };
        Coming::over_from(COMING, len * STEP * W::CELL, sign)
    } else {
        Coming::NOTHING
    };
    let mut at = 0;
    // The first plane decides where lines start; cells that straddle them do not start any.
    let mut next = (woven.planes[0].addr().wrapping_neg() % LINE) / W::CELL;
    if next == 0 {
        next = group;
    }
    loop {
        // SAFETY: range and aliasing: at + group <= len, so the group is the panel's, and planes
        // that do not exist are not written; ISA: passed on.
        unsafe {
            let from = woven.group::<W, STEP>(at);
            if cold {
                for p in 0..STEP.min(MOST) {
                    prefetch_write(woven.line::<W>(p, at).wrapping_add(AHEAD_IN_PLANES));
                }
            }
            coming.ask(from, STEP);
            let lines = W::split(pixels::<W, STEP, HOLES>(from, moved));
            for (p, line) in lines.into_iter().enumerate() {
                if p < MOST && (!HOLES || p < woven.moved) {
                    line.store(woven.line::<W>(p, at));
                }
            }
        }
        if at + group == len {
            return;
        }
        at = next.min(len - group);
        next = at + group;
    }
}

/// # Safety
/// As [`merge`], with a panel of this step.
#[inline(always)]
unsafe fn merge_groups<W: Weave<STEP>, const STEP: usize, const HOLES: bool>(woven: &Woven) {
    let (len, group) = (woven.len, W::GROUP);
    if len < group {
        // SAFETY: passed on: all pixels of the panel.
        return unsafe { merge_part::<W, STEP>(woven, 0, len) };
    }
    let moved = if HOLES {
        woven.moved_bytes::<W, STEP>()
    } else {
        [!0; STEP]
    };
    let cold = len * STEP * W::CELL >= W::COLD;
    let mut at = 0;
    let mut next = match before_a_line::<W, STEP>(woven) {
        Some(pixels) if pixels > 0 => pixels,
        _ => group,
    };
    loop {
        // SAFETY: range and aliasing: at + group <= len, so the group is the panel's, and holes are
        // masked out; ISA: passed on.
        unsafe {
            let lines = W::merge(planes::<W, STEP>(woven, at));
            let to = woven.group::<W, STEP>(at);
            if cold {
                let ahead = woven.group::<W, STEP>(at + AHEAD_IN_PIXELS * group);
                for j in 0..STEP {
                    prefetch_write(ahead.wrapping_add(j * LINE));
                }
            }
            for (j, line) in lines.into_iter().enumerate() {
                let to = to.wrapping_add(j * LINE);
                if HOLES {
                    line.store_some(to, moved[j]);
                } else {
                    line.store(to);
                }
            }
        }
        if at + group == len {
            return;
        }
        at = next.min(len - group);
        next = at + group;
    }
}

/// Pixels before the first group that starts a line, if there is any: fewer than a group.
#[inline(always)]
pub(super) fn before_a_line<W: Weave<STEP>, const STEP: usize>(woven: &Woven) -> Option<usize> {
    let bytes = if W::BACK {
        woven.pixels.wrapping_add(STEP * W::CELL).addr() % LINE
    } else {
        woven.pixels.addr().wrapping_neg() % LINE
    };
    let (cells, group) = (bytes / W::CELL, W::GROUP);
    if !bytes.is_multiple_of(W::CELL) {
        None
    } else if STEP == 3 {
        // 3 * pixels = cells modulo a group, which is a power of two up to 64: 3 * 43 = 2 * 64 + 1.
        Some(cells * 43 % group)
    } else {
        cells.is_multiple_of(STEP).then_some(cells / STEP)
    }
}
