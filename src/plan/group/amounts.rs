//! How much of a copy goes into each group of dimensions: bytes, lines and cells, with their measurements.
//!
//! Figures are ratios to the roof, the better of one memory copy and a streaming copy of four
//! interleaved pages in the same run: f32, 200 MiB, one thread, huge pages, 2-core AVX-512 server VM,
//! dimensions innermost first.

/// The destination's dense beginning is grown to this many lines: 2 measured 0.89 of the streaming
/// copy roof on the reversal of 24 axes of 2 where 1 measured 0.69 and 8 and more 0.78 to 0.83.
pub(super) const LINES_OF_B: usize = 2;

/// The same for cells of 8 bytes and more, which are streamed four lines a row: the reversal of 24 axes
/// of 2, 0.84 and, with two lines, 0.77; [5, 0, 4, 1, 3, 2] of 32x32x32x32x16x2 0.86, 0.85. And beside a near
/// third-level cache: f32 48x48x28x28x28 [1, 3, 0, 4, 2] 0.79 and, with two lines, 0.57; 352x48x4x28x28 0.90,
/// 0.81; others the same (Zen 4).
pub(super) const LINES_OF_MORE_B: usize = 4;

/// Bytes of a cell from which on that is.
pub(super) const WIDE_CELL: usize = 8;

/// [`LINES_OF_B`] where so many do not make pairs, in which they are streamed: beside a near third-level cache if the
/// source's beginning is as long as it should be, f32, reversed, rows of three lines or of 84, 48x28x28x28x48 0.64 and 0.67,
/// 352x4x28x28x48 0.57 and 0.60; 352x4x28x48x28 [3, 2, 1, 4, 0] 0.74 and 0.82; elsewhere anyhow. Xeon, 60 MiB [3, 1, 4, 2, 0],
/// rows of three, five and seven lines, not so and so, in the mean, again and again, and after all had been flushed: f32
/// 0.83 and 0.91, 0.72 and 0.80; f64 0.88 and 0.93, 0.71 and 0.81; 16 bytes 0.90 and 0.97, 0.76 and 0.82; single bytes 0.77
/// and 0.87, 0.59 and 0.61; u16 0.82 and 0.88, but 0.74 and 0.72. f32 48x48x28x28x28 [1, 3, 0, 4, 2] 0.60 and 0.82.
pub(super) const LINES_OF_ODD_B: usize = 8;

/// The source's dense beginning is grown to this many bytes: the same reversal, between 64 bytes and
/// 16 KiB, 0.85 to 0.89. Against 16 KiB: axes reversed, 32x5x15x15x15x112: 0.79, with 16 KiB 0.51;
/// 384x59x2320: 0.72, 0.64; others the same. Against none, in separate runs: 96x75x75x96
/// reversed: 0.90, 0.64.
pub(super) const BYTES_OF_A: usize = 4 << 10;

/// Source rows of fewer lines make B grow to those bytes instead, beside a near third-level cache; elsewhere of
/// less than one. f32 48x352x4x28x28 [1, 3, 0, 4, 2], rows of three lines, 0.94, and not so, 0.59 (Zen 4).
pub(super) const LINES_OF_SHORT_A: usize = 4;

/// [`BYTES_OF_A`] where panels may be fetched, which small ones are. Ratios to the roof on a 2-core AVX2 server
/// VM, 16 MiB a side, with this and with 4 KiB: axes [2, 4, 1, 3, 0] of extents 26 to 30, u8 0.26 and 0.16;
/// of 22 to 26, u16 0.38 and 0.22; [3, 5, 1, 4, 0, 2] of 11 to 15, f32 0.28 and 0.20, with 1 KiB 0.20.
///
/// From so many on it goes on to [`BYTES_OF_A`] if a large panel is moved in bands, the next of which is asked for. Left
/// at that and so, AVX-512, 15 to 17 MiB (Zen 4): [3, 5, 1, 4, 0, 2], u16 of 12 to 16 0.23 and 0.45, of 9 to 23 0.21 and
/// 0.46; [3, 5, 1, 4, 2, 0], u8 of 13 to 23 0.17 and 0.42.
pub(super) const BYTES_OF_FETCHED_A: usize = 256;

/// The same where cells are runs: 16x582, 75 of them, of 320 bytes: 0.98, with 4 KiB 0.72; others gain
/// up to 0.09.
pub(super) const BYTES_OF_RUNS_A: usize = 16 << 10;

/// The same where destination rows do not start whole lines apart, so that lines they share are
/// written through the caches. The reversal of 15 axes of 3: rows of 27 cells 0.24, 243 cells 0.72, 729
/// cells 0.83, 2187 cells 0.91.
pub(super) const BYTES_OF_CUT_B: usize = 16 << 10;

/// Lines of a source row that are dealt before those bytes: source rows of a line and a half, among which the
/// destination takes what continues them. Zen 4, 16 MiB a side, axes [5, 0, 4, 1, 3, 2], f64 of 9 to 13 0.87 and,
/// not so, 0.50; f32 of 11 to 15 0.60 and 0.32. No more than need be, as those are B's best columns: 8 lines, f64
/// 40 to 45 [0, 3, 2, 1] 0.20 instead of 0.65.
pub(super) const LINES_OF_CUT_A: usize = 2;

/// Bytes of B that are dealt before those lines: f32 of 11 to 15 [3, 5, 1, 4, 0, 2] 0.39 and, not so, 0.28.
pub(super) const BYTES_OF_FIRST_B: usize = 2 << 10;

/// [`BYTES_OF_A`] for such rows: the same reversal, source rows of 729 cells 0.76, of 2187 0.88 to 0.92.
pub(super) const BYTES_OF_CUT_A: usize = 8 << 10;

/// Runs that follow each other in a panel's destination rows: as many source streams. *Guess*: four
/// streams are what the fastest plain copy has.
pub(super) const RUNS_OF_B: usize = 4;

/// Rows that a straight panel should have: *guess*, enough to hide the cost of a call.
pub(super) const STRAIGHT_ROWS: usize = 64;

/// Entries of a table at most: 512 KiB.
pub(super) const TABLE_ENTRIES: usize = 1 << 16;

/// The same of what is streamed and [short](SHORT_FOR_TABLES): 8 MiB, but no more than half of the destination
/// ([`BYTES_OF_AN_ENTRY`]). A table takes time and memory to be made, but where it leaves a long dimension outside,
/// lines are cut at its ends. Of the roof (Xeon), without and with a table, axes reversed, 60 to 250 MiB: f32 33x2100x600
/// 0.36 and 0.97, 33x30000x50 0.43 and 0.91, 37x4000x80x7 0.26 and 0.84, 45x8000x47 0.38 in panels that are fetched and
/// 0.87; f64 17x8000x100 0.37 and 0.86, 31x10000x33 0.55 and 0.95; 16 bytes 13x20000x51 0.54 and 0.92; u16 37x5000x300
/// 0.32 and 0.86; u8 500x200x1024 0.20 and 0.47, 70x10000x130 0.32 and 0.47.
pub(super) const STREAMED_TABLE_ENTRIES: usize = 1 << 20;

/// So many bytes of the destination for each entry, at least. 16 MiB, with 128 and with this: u8 40x9000x50 reversed 0.09
/// and 0.75, 21x40000x23 0.47 and 0.63; u16 33x10000x33 0.51 and 0.81; f32 13x20000x19 0.74 and 0.88, 7x70000x9 0.42 and
/// 0.87; f64 9x20000x13 0.75 and 0.88; but u8 255x1024x64 0.49 and 0.39.
pub(super) const BYTES_OF_AN_ENTRY: usize = 16;

/// Bytes of a row up to which it is so short that it is made longer by a large table. Of the roof, longer rows, without
/// and with: f32 of 44 to 47 [3, 2, 1, 0], 8280 bytes, 0.92 and 0.76, [3, 1, 0, 2] 0.85 and 0.63; u8 of 14 to 18 reversed,
/// 4080 bytes, 0.67 and 0.52. But u16 600x200x768 reversed, 1200 bytes, 0.52 and 0.65.
pub(super) const SHORT_FOR_TABLES: usize = 2 << 10;
