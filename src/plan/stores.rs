//! Which stores: through the caches, or around them.
//!
//! A file of its own because this asks what stays in which cache, and nothing of kernels: what streams here may
//! still be cached, where no row streams it or another panel is better cached.

use std::ops::Range;

use restride_kernels::{Isa, spreads};

use super::draft::{CROSSED_RUNS, RUN_BYTES};
use super::normalise::Form;
use super::options::Stores;
use super::problem::Dim;
use super::woven::INTERLEAVED;
use crate::machine::{Cores, Facts};

/// Whether the destination is written around the caches, where a kernel can.
#[inline(always)]
pub(super) fn stream(normal: &Form<'_>, stores: Stores, isa: Isa, facts: &Facts) -> bool {
    let bytes = normal.bytes;
    match stores {
        Stores::Cached => false,
        Stores::Streaming => true,
        Stores::Auto if bytes < LEAST_STREAMED / 2 => false,
        Stores::Auto if in_strips(normal, facts) => bytes >= streaming_bytes(facts),
        Stores::Auto if bytes < streaming_bytes(facts) => match crossed(normal) {
            Some((a, b)) => {
                let leaves = || is_far(facts) || !keeps(normal.cell, a, b, isa, facts);
                bytes >= crossed_bytes(normal.cell, a, b, facts)
                    || bytes >= streaming_bytes(facts) / 2 && crowds(a, b) && leaves()
            }
            None => bytes >= LEAST_STREAMED && leaves_zen3(normal, facts),
        },
        Stores::Auto if bytes < streaming_from(normal, facts) => false,
        Stores::Auto => bytes > filled_bytes(facts) || !reads_little(normal, facts),
    }
}

/// [`streaming_bytes`] at least.
pub(super) const LEAST_STREAMED: usize = 4 << 20;

/// The destination from which on `Stores::Auto` streams, where a kernel can, within bounds: two second-level
/// caches or, if that is more, a fifth of a third-level cache that is [near](near_bytes).
///
/// Two second-level caches of 2 MiB (Xeon): f32 1024x1024, a destination of 4 MiB, 1.18 of memcpy streamed,
/// 0.74 cached. A result that is read next lost a quarter at 4 MiB and gained at 16: `Stores::Cached` says so.
///
/// A near cache of 32 MiB (Zen 4, 1 MiB of second-level cache), again and again, of memcpy, cached and streamed:
/// f32 planes to pixels of three, 4.6 MiB 0.84 and 0.60, 6.9 MiB 0.91 and 0.70, 9.2 MiB 0.76 and 1.01; pixels
/// to planes 0.95 and 0.54, 0.92 and 0.66, 0.89 and 0.85; 6 MiB of runs of 128 bytes 0.96 and 0.62; transposed
/// f32 1100x1100 0.63 and 0.32, 1120x1120 0.78 and 0.55, 1300x1300 0.47 and 0.33, 1504x1504 0.38 and 0.72; f64
/// 800x800 0.75 and 0.58, 1000x1000 0.45 and 0.69; u16 1500x1500 0.56 and 0.35, 2000x2000 0.32 and 0.40; u8
/// 2200x2200 0.48 and 0.20, 3000x3000 0.23 and 0.28. After all had been flushed a copy of 4 MiB lost a quarter,
/// and if it was read next nothing. Two threads that copy up to 9 MiB again and again gain more by it, 9.2 MiB of
/// runs 1.34 and 0.76, but lose as much where something else was copied in between, 8.6 MiB 0.50 and 0.59, 8 MiB
/// into a volume 0.29 and 0.76: they begin where one does. So it is with transpositions by lines that are loaded once,
/// of 7.5 MiB: cached and streamed, again and again, f32 1408x1408 0.79 and 0.61, 1441x1423 0.49 and 0.37, two threads
/// 1.29 and 0.60; where something else was copied in between, 0.54 and 0.77, 0.44 and 0.48, two threads 0.68 and 1.13.
/// Zen 5, two threads, 14 copies of 8 to 17 MB, of what two threads reach: three times one after the other 0.88 and 1.06,
/// eight times 0.65 and 0.69 (4-KiB pages 0.75 and 0.58), after all had been flushed 1.24 and 1.60, if the result is read
/// next 0.76 and 1.08.
pub(crate) fn streaming_bytes(facts: &Facts) -> usize {
    let caches = &facts.caches;
    (2 * caches.l2)
        .max(near_bytes(facts) / 5)
        .clamp(LEAST_STREAMED, 8 << 20)
}

/// The same of this copy: of runs that lie in the same order on both sides, up to a third of a near third-level cache,
/// within what was measured. Those are as fast as a memory copy while it holds both sides, which around the caches is
/// theirs to lose.
///
/// Of the roof, cached and streamed, again and again, then after all had been flushed, and both if the result is read next
/// (Zen 5, 32 MiB): plain, 7 and 8.4 MB 1.00 and 0.70, 0.97 and 1.33, 1.03 and 0.50, 0.99 and 1.03; 10.5 MB 0.98 and
/// 0.78, 1.00 and 1.37, 1.04 and 0.57, 0.95 and 1.04; 14.7 MB 0.86 and 1.06, 0.96 and 1.32, 0.97 and 0.85, 1.04 and 1.08;
/// 1 KiB of every 1.2, 8.2 MB 0.87 and 0.71, 0.93 and 1.21, 0.89 and 0.49, 0.91 and 0.93, 12.3 MB 0.88 and 0.90, 0.97 and
/// 1.22, 0.90 and 0.75, 0.89 and 0.97; 128 bytes of every 256, 7.7 MB 0.72 and 0.61, 0.89 and 0.91, 0.70 and 0.51, 0.91 and
/// 0.89, 11.5 MB 0.54 and 0.67, 0.87 and 1.02, 0.63 and 0.63, 0.92 and 0.94. In another order, 8.2 MB of 128 bytes 0.79 and
/// 0.70, 0.75 and 1.09, 0.66 and 0.50, 0.80 and 0.95: as before.
///
/// Not on Zen 3 and before but for one run and short ones of many, again and again, once each among copies around the
/// caches, and after all had been flushed (32 MiB): rows of 6000 bytes of every 16 KiB, 6.5 MB 0.66 and 0.70, 0.68 and
/// 0.78, 0.56 and 0.70; 8.2 MB 0.68 and 0.81, 0.67 and 0.89, 0.58 and 0.71; to every 16 KiB, 8.2 MB 0.69 and 0.98, 0.53
/// and 1.03, 0.55 and 0.71; 1 KiB of every 1.2, 8.2 MB 0.81 and 0.93, 1.21 and 0.97, 0.64 and 0.73, 9.8 MB 0.67 and 0.96,
/// 0.60 and 0.99, 0.64 and 0.69; 128 bytes to every 256, 8.2 MB 0.49 and 0.75, 0.45 and 0.64, 0.61 and 0.69. But 128
/// bytes of every 256, 9.8 MB 0.57 and 0.53, 0.61 and 0.61, 0.58 and 0.41; plain, 8.2 MB 1.00 and 0.89, 1.34 and 1.01,
/// 0.73 and 0.99.
///
/// Nor on Zen 4 but where the gaps of the source are [stepped over](steps_far), or those of the [destination](to_gaps),
/// of 6.5 MB, in the same order, and if the result is read next (32 MiB): 6000 bytes of every 16 KiB 0.61 and 0.63, 0.52
/// and 0.83, 0.52 and 0.57, 0.57 and 0.52; of 7200 0.66 and 0.69, 0.56 and 0.97, 0.45 and 0.67; 2 KiB of 4 0.53 and 0.62,
/// 0.52 and 0.99, 0.48 and 0.98, 0.76 and 0.52; 1 KiB of 4 0.71 and 0.65, 0.53 and 0.99, 0.45 and 1.33, 0.65 and 0.53; to
/// gaps, 256 bytes to every 4 KiB 0.27 and 0.67, 0.31 and 0.96, 0.38 and 0.94; 1 KiB to 4, 5.2 MB, 0.69 and 0.60, 0.33
/// and 0.99, 0.48 and 1.13, 0.48 and 0.17; 6000 to 16 KiB 0.88 and 0.66, 0.42 and 1.00, 0.62 and 0.98, 0.68 and 0.25; 128
/// bytes to 256 0.70 and 0.64, 0.33 and 0.98, 0.44 and 1.26, 0.48 and 0.15. But 1 KiB of 1.2 0.90 and 0.63, 0.93 and
/// 1.01, 0.69 and 0.53; 12000 bytes of 12800 0.91 and 0.64, 0.94 and 0.99, 0.68 and 0.80; 128 to 144 0.96 and 0.34, 0.83
/// and 0.47, 0.73 and 0.54; plain 0.98 and 0.63, 0.95 and 1.00, 0.90 and 1.30.
pub(super) fn streaming_from(normal: &Form<'_>, facts: &Facts) -> usize {
    let leaves = || match facts.cores {
        Cores::ToZen3 => are_long_or_follow(normal),
        Cores::Zen4 => steps_far(normal, facts.caches.line) || to_gaps(normal, facts.caches.line),
        _ => false,
    };
    if in_order(normal) && !leaves() {
        in_order_bytes(facts)
    } else {
        streaming_bytes(facts)
    }
}

/// Whether it is of runs of some lines that are few enough for the steps between them to matter, and start far apart in
/// the source.
///
/// As above, with the kernels that stage runs: 64 bytes of 192, 8.2 MB, 0.79 and 0.67, 0.80 and 0.94, 0.44 and 1.17, 0.37
/// and 0.40; 128 of 256 0.44 and 0.70, 0.62 and 0.93, 0.46 and 1.07, 0.43 and 0.52; 400 of 4000 0.29 and 0.63, 0.47 and
/// 0.80, 0.37 and 0.55, 0.27 and 0.48; but 256 of 320 0.90 and 0.69, 0.89 and 0.96, 0.79 and 1.05, 0.74 and 0.52; 1000 of
/// 1200 0.79 and 0.59, 0.82 and 0.98, 0.84 and 0.52, 0.83 and 0.54.
fn steps_far(normal: &Form<'_>, line: usize) -> bool {
    /// Bytes of a long run, and of one that is too long: 12000 lose.
    const LONG: Range<usize> = 1 << 10..10 << 10;
    /// Bytes from the start of a long one to the next, at least: 1200 lose, 2048 gain.
    const FAR: usize = 2 << 10;
    let cell = normal.cell;
    let far = |dim: &Dim| {
        let step = dim.src.unsigned_abs();
        step >= FAR && LONG.contains(&cell) || step >= 2 * cell
    };
    (line..LONG.end).contains(&cell) && normal.dims.first().is_some_and(far)
}

/// Whether it is of runs between which the destination has gaps, and that fill its lines, or nearly.
fn to_gaps(normal: &Form<'_>, line: usize) -> bool {
    /// Bytes of runs to whose ends it does not matter that they cut lines.
    const LONG: usize = 1 << 10;
    let lines = |bytes: usize| bytes.is_multiple_of(line);
    let gaps = |dim: &Dim| {
        let step = dim.dst.unsigned_abs();
        step != normal.cell && (normal.cell >= LONG || lines(normal.cell) && lines(step))
    };
    normal.dims.first().is_some_and(gaps)
}

/// Whether it is of several runs, which are long or follow each other in the source.
fn are_long_or_follow(normal: &Form<'_>) -> bool {
    /// Bytes of a long one: 128 lose what 1024 gain.
    const LONG: usize = 1 << 10;
    let follow = |dim: &Dim| dim.src.unsigned_abs() == normal.cell;
    let long = normal.cell >= LONG || normal.dims.first().is_some_and(follow);
    long && !normal.dims.is_empty()
}

/// [`streaming_from`] of what lies in the same order on both sides.
fn in_order_bytes(facts: &Facts) -> usize {
    /// A third of the largest near cache that was measured, and half as much more: *guess*.
    const MOST: usize = 16 << 20;
    streaming_bytes(facts).max((near_bytes(facts) / 3).min(MOST))
}

/// Whether blocks that are shuffled in registers of AVX2 stay in the caches, as they lie in the same order on both sides,
/// nearly: u8 8x8, 6.4 MB, cached and streamed, again and again 0.91 and 0.64, after all had been flushed 0.72 and 1.08
/// (Zen 3). With AVX-512 VBMI as what is crossed, which was measured there.
pub(super) fn keep_blocks(bytes: usize, isa: Isa, facts: &Facts) -> bool {
    isa < Isa::Avx512Vbmi && bytes < in_order_bytes(facts)
}

/// Whether what is moved are runs, each of them once, that lie in the same order on both sides, or so long that their
/// order does not matter: 48 KB 40x4 times in another one, 7.9 MB, 1.24 of the roof cached, 0.87 streamed.
fn in_order(normal: &Form<'_>) -> bool {
    let from = |dim: &Dim| dim.src.unsigned_abs();
    let ascend = normal.dims.is_sorted_by_key(from) || normal.cell > CROSSED_RUNS;
    normal.cell >= RUN_BYTES && ascend && normal.dims.iter().all(|dim| dim.src != 0)
}

/// The same of a transposition of cells that are no runs: a quarter less where the third-level cache is far.
///
/// 45 permutations of 1- to 16-byte cells, 3.4 MiB, cached and streamed, of the roof (Xeon): again and again 0.69 and
/// 0.88, after all had been flushed 0.36 and 0.72; if the result is read next, with that, 0.56 and 0.45, 0.29 and 0.44.
/// 2 MiB, f32 720x720 0.68 and 0.87, 0.51 and 0.85, 0.51 and 0.39, 0.39 and 0.47: left as it is for what is read next.
///
/// Two thirds of it on Zen 3 and before, three quarters of single bytes, where more than pixels are transposed, and that is
/// not [in strips](in_strips), by which f32, f64 and u16 have gained since this was measured; half
/// where rows of the destination lie whole lines apart, so that none of those is joined. Cached and streamed, again and
/// again, then after all had been flushed (32 MiB): f32 1200x1201, 5.8 MB, 0.47 and 0.47, 0.42 and 0.73; 1000x1003, 4 MB,
/// 0.67 and 0.38, 0.39 and 0.52; u16 1450x1451, 4.2 MB, 0.48 and 0.28, 0.43 and 0.49; f64 700x700, 3.9 MB, 0.70 and 0.36,
/// 0.27 and 0.50; u8 2000x2003, 4 MB, 0.39 and 0.21, 0.35 and 0.39. Whole lines: f32 1040x1040, 4.3 MB, 0.66 and 0.63,
/// 0.45 and 0.79; 960x960, 3.7 MB, 0.58 and 0.42, 0.44 and 0.61; f64 712x712, 4.1 MB, 0.58 and 0.46, 0.26 and 0.74.
/// Planes and pixels of 5 MB 1.0 and 0.8, again and again.
fn crossed_bytes(cell: usize, a: &Dim, b: &Dim, facts: &Facts) -> usize {
    let bytes = streaming_bytes(facts);
    let planes = a.extent.min(b.extent) <= INTERLEAVED;
    let lines = a.dst.unsigned_abs().is_multiple_of(facts.caches.line);
    match facts.cores {
        _ if is_far(facts) => bytes / 4 * 3,
        Cores::ToZen3 if !planes && cell > 1 && lines => bytes / 2,
        Cores::ToZen3 if !planes && cell > 1 => bytes / 3 * 2,
        Cores::ToZen3 if !planes => bytes / 4 * 3,
        _ => bytes,
    }
}

/// Whether a transposition is one of a matrix that kernels move in strips through the caches on Zen 3 and before: it is not
/// streamed any sooner than what is not crossed.
///
/// Streamed and cached, after four times of it, after one, and after a streaming copy (32 MiB, AVX2): f32 1100x1103, 4.9 MB,
/// 0.38 and 0.65, 0.38 and 0.50, 0.50 and 0.43; 1201x1203, 5.8 MB, 0.36 and 0.64, 0.48 and 0.54, 0.43 and 0.40; f64 780x783,
/// 4.9 MB, 0.36 and 0.73, 0.62 and 0.65, 0.60 and 0.51; 850x861, 5.9 MB, 0.33 and 0.73, 0.60 and 0.58, 0.56 and 0.48; u16
/// 1550x1553, 4.8 MB, 0.32 and 0.60, 0.36 and 0.46, 0.44 and 0.39. But larger ones, f32 1300x1303, 6.8 MB, 0.42 and 0.57,
/// 0.49 and 0.33, 0.43 and 0.38; 1400x1403, 7.9 MB, 0.33 and 0.66, 0.45 and 0.34, 0.51 and 0.40; single bytes, 2080x2080,
/// 4.3 MB, 0.37 and 0.66 after one, 0.42 and 0.28; 2464x2464, 6.1 MB, 0.41 and 0.45, 0.44 and 0.27; 16 bytes, 600x603, 5.8
/// MB, 0.59 and 0.66, 0.80 and 0.42; and rows of whole lines, f32 1040x1040, 4.3 MB, 0.74 and 0.85, 0.77 and 0.48; f64
/// 712x712, 4.1 MB, 0.74 and 0.85, 0.80 and 0.50.
fn in_strips(normal: &Form<'_>, facts: &Facts) -> bool {
    let matrix = |(a, b): (&Dim, &Dim)| {
        let joined = !a.dst.unsigned_abs().is_multiple_of(facts.caches.line);
        let planes = a.extent.min(b.extent) <= INTERLEAVED;
        joined && !planes && spreads(a.dst.unsigned_abs()) && spreads(b.src.unsigned_abs())
    };
    facts.cores == Cores::ToZen3
        && !is_far(facts)
        && normal.dims.len() == 2
        && matches!(normal.cell, 2 | 4 | 8)
        && crossed(normal).is_some_and(matrix)
}

/// Whether a copy of [`LEAST_STREAMED`] leaves a near third-level cache of Zen 3 or before, too: runs in another order.
///
/// Cached and streamed, again and again, once each among copies around the caches, and after all had been flushed (32
/// MiB): 128 bytes, 4.2 MB 0.50 and 0.65, 0.46 and 0.79, 0.50 and 0.99; 4.7 MB 0.53 and 0.84, 0.47 and 0.89, 0.49 and
/// 0.83; 6.3 MB 0.36 and 0.82, 0.40 and 0.74, 0.44 and 0.88; 1 KiB, 4.9 MB 0.48 and 1.02, 0.38 and 0.90, 0.44 and 1.01; 64
/// bytes, 4.2 MB 0.51 and 0.43, 0.42 and 0.58, 0.29 and 0.85; but 128 bytes, 3.1 MB 0.80 and 0.60.
fn leaves_zen3(normal: &Form<'_>, facts: &Facts) -> bool {
    let runs = normal.cell >= RUN_BYTES && normal.dims.iter().all(|dim| dim.src != 0);
    facts.cores == Cores::ToZen3 && !is_far(facts) && runs && !in_order(normal)
}

/// Bytes of the third-level cache if it is near: that of some cores, from which each reads as fast as it writes
/// to it. That of a whole server is a mesh, and far. By its size, which is all that is known (*guess*): core
/// complexes have up to 96 MiB.
pub(super) fn near_bytes(facts: &Facts) -> usize {
    const COMPLEX: usize = 96 << 20;
    let l3 = facts.caches.l3;
    if l3 <= COMPLEX { l3 } else { 0 }
}

/// Whether there is no such cache: what is beyond the second level is far, be it memory or a mesh.
pub(super) fn is_far(facts: &Facts) -> bool {
    near_bytes(facts) == 0
}

/// The largest destination that is taken to stay in the third-level cache beside a source, by what joins short
/// rows: an eighth of it, as others share it (*guess*), within what was measured.
pub(super) fn held_bytes(facts: &Facts) -> usize {
    (facts.caches.l3 / 8).min(MOST_HELD)
}

/// Whether a destination of so many bytes is taken to stay, beside its source, in a third-level cache that is far.
/// Both are then written and read at one speed, that of the way there, so that what is done to be gentle to memory
/// only costs time.
///
/// 17 MB beside as much in a third-level cache of 480 MB (Xeon, one thread): read 28 GB/s, written 28, around the
/// caches 24, copied 28 and, around them, 27; 64 MiB a side: 16 and 28. Which of them stays is not for a guest of such
/// a machine to know: after 64 MiB of something else, 17 and 30 MB were still there.
///
/// Where streaming loses little by that, it goes on all the same, as it needs no cache: runs of 1 KiB and more, cells
/// backwards, planes and pixels, blocks and rows put together in a stage reach 0.7 to 0.98 of the roof streamed, and
/// cached 0.8 to 1.0 again and again, but 0.42 to 0.7 after one call, when some of the destination is not there yet, and
/// 0.3 to 0.5 where nothing is. A copy of 17 MB after 256 MiB of something else takes 1.5 and 2.4 ms, and if it is
/// read next, with that, 2.8 and 3.4.
pub(super) fn held_far(bytes: usize, facts: &Facts) -> bool {
    is_far(facts) && bytes <= held_bytes(facts)
}

/// The same of a destination without a source to speak of ([`reads_little`]): half of it. Fills of one thread,
/// cached and streamed, Xeon, in us: 4 MiB, 144 and 175; 16 MiB, 565 and 690; 32 MiB, 1180 and 1350; 64 MiB, 7.0
/// and 2.8 ms. If the result is read next, with that: 4 MiB, 288 and 548; 32 MiB, 2390 and 3720. After 64
/// MiB of something else: 4 MiB, 140 and 176. After all had been flushed they lose: 4 MiB, 370 and 178,
/// read next 551 and 447; 32 MiB, 2.7 and 1.35 ms, 4.9 and 3.6. Two threads, 4, 16, 32 MiB: 84 and 113,
/// 310 and 399, 683 and 703. Zen 4, a third-level cache of 32 MiB: 16 MiB of rows, 360 and 610,
/// two threads 140 and 500; 24 MiB the same.
fn filled_bytes(facts: &Facts) -> usize {
    (facts.caches.l3 / 2).min(MOST_HELD)
}

/// Whether copies of what is repeated so many times, so many bytes in all, are written around the caches.
pub(super) fn repeats_stream(bytes: usize, times: usize, facts: &Facts) -> bool {
    let most = if times >= OFTEN {
        filled_bytes(facts)
    } else {
        streaming_bytes(facts)
    };
    bytes > most
}

/// How often what is repeated is written before it counts as a fill.
const OFTEN: usize = 8;

/// A destination that stays in a third-level cache, at most.
const MOST_HELD: usize = 32 << 20;

/// Whether cells, or runs, are written again and again, and stay in the second-level cache meanwhile, so
/// that memory is only written. A run again and again, cached and streamed, in us: 1 MiB, 8 times, 387
/// and 398; 32 times, 1503 and 1597; 2 MiB, 8 times, 1204 and 970; 2 MiB, 4 times, 587 and 478.
fn reads_little(normal: &Form<'_>, facts: &Facts) -> bool {
    let repeats = normal.dims.iter().filter(|dim| dim.src == 0);
    let repeats = repeats.map(|dim| dim.extent).product::<usize>();
    let straight = normal.cell >= RUN_BYTES || normal.dims.first().is_some_and(|b| b.src == 0);
    straight && repeats >= OFTEN && normal.bytes / repeats <= facts.caches.l2 / 2
}

/// The dimensions of a transposition in which the source is contiguous, and the destination. Not of runs, which take lines
/// whole: u16 8x512x12x64 with the inner axes exchanged, 6 MiB, 0.96 of memcpy and, streamed, 0.62 (Zen 4). Nor where a
/// cell is repeated side by side: 16 bytes 4x32x64, each 32 times, 4 MiB, 1.61 and, streamed, 0.88 (Zen 5).
fn crossed<'n>(normal: &Form<'n>) -> Option<(&'n Dim, &'n Dim)> {
    let (b, others) = normal.dims.split_first()?;
    let cells = normal.cell < RUN_BYTES && b.src != 0;
    let a = others
        .iter()
        .find(|dim| dim.src.unsigned_abs() == normal.cell)?;
    cells.then_some((a, b))
}

/// Whether a transposition reads or writes rows so far apart that they share few sets of the caches.
///
/// Those stream from half of [`streaming_bytes`] on, as their lines do not stay anyway. Cached and
/// streamed: u16 1024x1024, 303 and 127 us, and if the result is read next, 286 and 308; u8 1536x1536,
/// 368 and 192, read next 365 and 379; 2048x2048, 650 and 376, 817 and 661; f64 512x512, 179 and 117, 219
/// and 283. Others gain less than they lose when they are read next: f32 720x720, 147 and 121, 224 and
/// 283; f64 600x600, 242 and 186, 353 and 378.
fn crowds(a: &Dim, b: &Dim) -> bool {
    /// An eighth of a page: 8 sets of the first-level cache.
    const FEW_SETS: usize = 512;
    /// Rows that one set holds: three planes of 1 MiB do not crowd. Pixels of 3 bytes to those, cached and
    /// streamed, of memcpy: 1.25 and 0.41.
    const WAYS: usize = 8;
    let few = |stride: isize, times| times > WAYS && stride.unsigned_abs().is_multiple_of(FEW_SETS);
    few(b.src, b.extent) || few(a.dst, a.extent)
}

/// Whether cells that crowd are as fast through the caches, where their lines stay in a near one.
///
/// Because the second-level cache keeps the lines of a panel, a quarter of it. Streamed and cached, of memcpy, 4.6
/// MiB, Zen 4: u8 panels of 64x512 0.22 and 0.37, 512x128 0.20 and 0.54, 512x512 0.20 and 0.47; u16 256x256 0.40 and
/// 0.52, 512x128 0.44 and 0.51, but 1024x128 0.44 and 0.35; f32 128x512 0.44 and 0.63, 256x256 0.47 and 0.69, 512x64
/// 0.40 and 0.50; f64 64x512 0.42 and 0.48.
///
/// Or because each is loaded once: f32 1024x1024 0.33 and 0.41, 1152x1152 0.50 and 0.68, 1280x1280 0.52 and 0.63,
/// three of 640x640 0.45 and 0.70, f64 768x768 0.43 and 0.67, 896x896 0.52 and 0.65; but short rows, f32 8 times
/// 32x4096, 0.37 and 0.29, and u16 1792x1792 0.45 and 0.20, u8 2560x2560 0.30 and 0.12. Kernels do it on AMD's cores;
/// that all with a near cache are such is a *guess*.
fn keeps(cell: usize, a: &Dim, b: &Dim, isa: Isa, facts: &Facts) -> bool {
    /// Bytes of the rows on both sides, from which on kernels load lines once.
    const LONG: usize = 512;
    let once = matches!(cell, 4 | 8) && isa >= Isa::Avx512;
    let long = a.extent.min(b.extent) * cell >= LONG;
    a.extent * b.extent * cell <= facts.caches.l2 / 4 || once && long
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{FEW, Problem};

    /// A third-level cache of so many MiB, the second-level one of so many KiB.
    fn facts(l3: usize, l2: usize) -> Facts {
        let mut facts = Facts::of_a_server(Isa::Scalar);
        (facts.caches.l3, facts.caches.l2) = (l3 << 20, l2 << 10);
        facts
    }

    /// Those of cores that choose nothing of their own for runs between gaps.
    fn zen5() -> Facts {
        Facts {
            cores: Cores::FromZen5,
            ..facts(32, 1024)
        }
    }

    /// Whether rows of `shape`, exchanged as bytes say, stream.
    fn streams(cell: usize, shape: &[usize], src: &[isize], dst: &[isize], facts: &Facts) -> bool {
        let problem = Problem::from_bytes(cell, shape, src, dst).unwrap();
        let mut room = [Dim::NONE; FEW];
        let form = Form::of(&problem, &mut room).unwrap();
        stream(&form, Stores::Auto, facts.isa, facts)
    }

    #[test]
    fn a_near_cache_holds_more_than_a_far_one() {
        assert_eq!(streaming_bytes(&facts(480, 2048)), 4 << 20);
        assert_eq!(streaming_bytes(&facts(480, 4096)), 8 << 20);
        assert_eq!(streaming_bytes(&facts(0, 1024)), LEAST_STREAMED);
        assert_eq!(streaming_bytes(&facts(32, 1024)), (32 << 20) / 5);
        assert_eq!(streaming_bytes(&facts(96, 1024)), 8 << 20);
    }

    #[test]
    fn a_fill_stays_where_a_copy_does_not() {
        let rows = |n: isize, from: isize| {
            streams(4, &[n as usize, 2048], &[from, 4], &[8192, 4], &zen5())
        };
        assert!(!rows(2048, 0), "16 MiB of one row");
        assert!(rows(2049, 0), "more than half of the cache");
        assert!(rows(2048, 1 << 14), "16 MiB of every second row");
        assert!(!rows(1365, 1 << 14), "a third of the cache of them");
        assert!(rows(1366, 1 << 14), "and more");
    }

    #[test]
    fn cells_that_crowd_stream_sooner_and_runs_do_not() {
        let crossed_on = |facts: &Facts, cell: usize, [width, rows]: [usize; 2]| {
            let (unit, row) = (cell as isize, (rows * cell) as isize);
            let (src, dst) = ([unit, (width * cell) as isize], [row, unit]);
            streams(cell, &[width, rows], &src, &dst, facts)
        };
        let crossed = |cell, sides| crossed_on(&facts(32, 1024), cell, sides);
        assert!(crossed(4, [1024, 1024]), "4 MiB");
        assert!(!crossed(4, [1024, 512]), "2 MiB");
        assert!(!crossed(4, [1023, 1023]), "rows in all sets");
        assert!(!crossed(64, [1024, 64]), "runs");
        let zen3 = |l3| Facts {
            cores: Cores::ToZen3,
            ..facts(l3, 512)
        };
        assert!(crossed_on(&zen3(32), 16, [530, 533]), "more than 4.3 MiB");
        assert!(!crossed_on(&zen3(32), 16, [520, 525]), "less");
        assert!(!crossed_on(&zen3(32), 4, [1061, 1063]), "moved in strips");
        assert!(!crossed_on(&zen3(32), 8, [901, 925]), "6.4 MiB of them");
        assert!(crossed_on(&zen3(32), 4, [1301, 1303]), "6.5 MiB");
        assert!(crossed_on(&zen3(32), 4, [1101, 1025]), "rows that crowd");
        assert!(!crossed_on(&zen3(480), 4, [860, 863]), "a far cache");
        assert!(crossed_on(&zen3(32), 4, [1001, 976]), "of whole lines");
        assert!(!crossed_on(&zen3(32), 1, [2001, 2003]), "of bytes");
        assert!(crossed_on(&zen3(32), 1, [2400, 2403]), "more of them");
        assert!(!crossed_on(&zen3(32), 4, [400_001, 3]), "pixels");
        assert!(crossed_on(&zen3(32), 128, [1024, 33]), "4.1 MiB of runs");
        assert!(!crossed_on(&zen3(32), 128, [1024, 31]), "3.9 MiB of runs");
        assert!(!crossed_on(&facts(32, 512), 128, [1024, 33]), "other cores");
        let rows = |facts: &Facts, bytes: usize, [from, to]: [isize; 2]| {
            streams(1, &[8_000_000 / bytes, bytes], &[from, 1], &[to, 1], facts)
        };
        for cores in [&zen3(32), &facts(32, 1024)] {
            assert!(rows(cores, 6000, [1 << 14, 6000]), "rows of an array");
            assert!(rows(cores, 128, [128, 256]), "to gaps");
            assert!(!rows(cores, 4000, [4000, 4000]), "one run");
        }
        assert!(!rows(&zen3(32), 128, [256, 128]), "short ones of gaps");
        assert!(!rows(&zen5(), 6000, [1 << 14, 6000]), "other cores");
        let zen4 = |bytes, strides| rows(&facts(32, 1024), bytes, strides);
        assert!(zen4(128, [256, 128]) && zen4(1024, [2048, 1024]) && zen4(8000, [8500, 8000]));
        assert!(
            !zen4(1024, [1200, 1024]) && !zen4(256, [320, 256]),
            "near each other"
        );
        assert!(!zen4(48, [192, 48]), "less than a line");
        assert!(!zen4(12_000, [1 << 14, 12_000]), "so long that it is level");
        assert!(zen4(12_000, [12_000, 12_800]), "long, to gaps");
        assert!(zen4(256, [256, 320]) && !zen4(256, [256, 300]), "lines");
        let wide = |l3| Facts {
            isa: Isa::Avx512,
            ..facts(l3, 1024)
        };
        assert!(!crossed_on(&wide(32), 4, [1024, 1024]), "lines loaded once");
        assert!(crossed_on(&wide(480), 4, [1024, 1024]), "a far cache");
        assert!(crossed_on(&wide(480), 4, [901, 899]), "3.1 MiB of any rows");
        assert!(!crossed_on(&wide(480), 4, [871, 901]), "3.0 MiB");
        assert!(!crossed_on(&wide(480), 64, [1000, 52]), "runs");
        assert!(crossed_on(&wide(32), 4, [1 << 15, 32]), "short rows");
        let panels = |n: isize, facts: &Facts| {
            let shape = [n as usize, 256, 256];
            streams(1, &shape, &[65_536, 1, 256], &[65_536, 256, 1], facts)
        };
        assert!(!panels(80, &facts(32, 1024)), "a panel stays");
        assert!(panels(80, &facts(480, 2048)), "but not where all is far");
        assert!(crossed_on(&wide(32), 2, [1536, 1536]), "cells of two bytes");
        let repeated = |from: isize| {
            let shape = [64, 128, 32];
            streams(
                16,
                &shape,
                &[16, 1024, from],
                &[512, 1 << 15, 16],
                &wide(480),
            )
        };
        assert!(repeated(1 << 17), "4 MiB of cells that cross");
        assert!(!repeated(0), "the same cells again and again");
    }
}
