//! The draft of a recipe: the kernel family, the panel it wants, and the best row for that.
//!
//! The *pair* of strides decides the family. With the column dimension `b`, the one with the
//! smallest destination stride, and `a` the dimension in which the source is contiguous:
//!
//! | source along b | destination along b | a | family |
//! |---|---|---|---|
//! | cells of 32 bytes and more, or nothing left | | | run |
//! | a few short dimensions fill a block on both sides, which the next one repeats in the destination | | | shuffle |
//! | cells come from a few lines of the source, and none of what follows has vector rows for them | unit | any | shuffle |
//! | 0 | any | any | fill |
//! | any other | unit | another dimension | transpose; interleave if one side has 2 or 3, or 4 of a pixel |
//! | smallest of all, or reversed | unit | none | gather |
//! | unit or reversed | not unit | b | scatter |
//! | any other | | | strided |
//!
//! Cells for which `gather`, `scatter` and `strided` have no kernels of their own are runs there.

use restride_kernels::{Ask, Family, Isa, Pairing, Row, SourceGaps, Tile, find};

use super::direct::StridedPanel;
use super::group::{Grow, PanelDims};
use super::normalise::Form;
use super::problem::Dim;
use super::stores::{held_bytes, is_far};
use super::woven::{INTERLEAVED, are_rather_blocks, crossed_family, has_weaves, is_woven};
use crate::machine::Facts;

/// Cells of this many bytes and more are runs: 32 is two of the widest register tiles' cells.
pub(super) const RUN_BYTES: usize = 32;

/// Cells shorter than runs that have kernels of their own where nothing is transposed. 20 bytes of 32,
/// in the second-level cache: 121 us a megabyte cell by cell, 87 as runs.
const CELLS: [usize; 8] = [1, 2, 3, 4, 6, 8, 12, 16];

/// Streamed runs below this many bytes are moved in source order: runs of 256 and 512 bytes, every
/// 32nd of the source, 0.94 of the roof instead of 0.63 and 0.54; at 2 KiB both are 0.75, and runs
/// that end inside a line (2040 bytes) lose 0.05.
const ORDERED_RUNS: usize = 2 << 10;

/// Streamed runs up to this many bytes are crossed in bands where a kernel does that, longer ones moved
/// one by one, ratios to the roof: 1856 bytes, 0.88 and 0.67; 2040 bytes, 0.90 and 0.73; 2 KiB, 0.92 and
/// 0.78; 8576, 0.74 and 0.78.
pub(super) const CROSSED_RUNS: usize = 4 << 10;

/// The same of runs of which both sides have [`MANY`], where the third-level cache is far: crossed, and one by one, again
/// and again, and after all had been flushed (Xeon): 2560 bytes, 250x250, 0.85 both, 0.85 and 0.865; 3072 0.80 and 0.83,
/// 0.81 and 0.84; 3584 0.78 and 0.86, 0.79 and 0.86; 4032 0.76 and 0.87, 0.78 and 0.86; 4096, 256x256, 0.83 and 0.88, 0.84
/// and 0.87; but 2048 0.99 and 0.85, 0.90 and 0.80.
const CROSSED_RUNS_OF_MANY: usize = 5 << 9;

/// 4096 bytes, 192x192, 0.85 and 0.90, 0.83 and 0.86; 150x150 1.00 and 0.97, 0.84 and 0.88; but 1000x100 0.87 and 0.82
/// both ways, 512x64 0.91 and 0.88, 0.88 and 0.86; 7x5000 0.98 and 0.90, 0.97 and 0.89.
const MANY: usize = 160;

/// How the dimensions in which source and destination are contiguous, or as near to that as they are, stand to each
/// other.
#[derive(Clone, Copy)]
pub(super) enum Relation {
    /// The source's is this other one, and they are pixels and planes.
    Woven(usize),
    /// It is this other one.
    Crossed(usize),
    /// It is this other one, and one of both sides is not contiguous.
    Apart(usize),
    /// They are the same.
    Straight(Family),
}

impl Relation {
    /// The dimension in which the source is contiguous, if it is, and another one than that of the destination; else 0.
    #[inline(always)]
    pub(super) fn crossed(self) -> usize {
        match self {
            Self::Woven(a) | Self::Crossed(a) => a,
            _ => 0,
        }
    }

    /// That of cells at these dimensions, at least one.
    #[inline(always)]
    pub(super) fn of(cell: usize, dims: &[Dim], line: usize) -> Self {
        let b = dims[0];
        if (b.src, b.dst) == (cell as isize, cell as isize) {
            // Windows of a source, of which the next one starts at their second cell.
            let next = (1..dims.len()).find(|&a| dims[a].src.unsigned_abs() == cell);
            if let Some(a) = next {
                return Self::Crossed(a);
            }
        }
        // The dimension in which the source is contiguous, or as near to it as there is: nearer
        // than in `b`.
        let (mut nearer, mut least) = (None, b.src.unsigned_abs());
        for (a, dim) in dims.iter().enumerate().skip(1) {
            let src = dim.src.unsigned_abs();
            if 0 < src && src < least {
                (nearer, least) = (Some(a), src);
            }
        }
        match (b.dst == cell as isize, nearer) {
            _ if b.src == 0 => Self::Straight(Family::Fill),
            (true, Some(a)) if least == cell && is_woven(cell, dims[a], b, line) => Self::Woven(a),
            (true, Some(a)) if least == cell => Self::Crossed(a),
            (_, Some(a)) => Self::Apart(a),
            (true, None) => Self::Straight(Family::Gather),
            (false, None) if least == cell => Self::Straight(Family::Scatter),
            (false, None) => Self::Straight(Family::Strided),
        }
    }
}

/// Whether a family in which nothing is transposed moves such cells other than as runs.
#[inline(always)]
pub(super) fn has_kernels(straight: Family, cell: usize) -> bool {
    straight == Family::Fill || CELLS.contains(&cell)
}

/// The family and the cells of its panel; which dimensions form that is dealt at the same time.
#[derive(Clone, Copy)]
pub(super) struct Draft {
    pub(super) family: Family,
    pairing: Pairing,
    /// Bytes of the panel's cell, and cells in a destination row if no dimension gives them.
    cell: usize,
    cols: usize,
}

impl Draft {
    #[inline(always)]
    pub(super) fn new(normal: &Form<'_>, grow: Grow, dealt: &mut PanelDims) -> Self {
        let (cell, dims) = (normal.cell, normal.dims);
        if let Some(listed) = normal.listed {
            return Self::listed(cell, dims, listed, dealt);
        }
        if let Some(listed) = normal.listed_dst {
            return Self::listed_dst(cell, dims, listed, dealt);
        }
        if cell >= RUN_BYTES || dims.is_empty() {
            dealt.runs(dims, cell, grow);
            return Self::run(cell);
        }
        let blocks = Self::of(Family::Shuffle, Pairing::Crossed, cell);
        if dealt.blocks(normal, grow) {
            return blocks;
        }
        let relation = Relation::of(cell, dims, grow.line);
        if dealt.loose_blocks(normal, relation.crossed(), grow) {
            return blocks;
        }
        let straight = match relation {
            Relation::Woven(a)
                if are_rather_blocks(cell, dims, a, grow) && dealt.gathered(normal, grow) =>
            {
                return blocks;
            }
            Relation::Woven(a) => {
                dealt.interleaved(dims, a, cell);
                return Self::of(Family::Interleave, Pairing::Crossed, cell);
            }
            Relation::Crossed(a) => {
                dealt.crossed(normal, a, grow);
                let narrow = dealt.are_narrow(cell, grow.line);
                let few = dealt.are_few(cell) && dealt.leaves(dims)
                    || narrow && dealt.are_pixels_apart(grow);
                // Of more than single bytes there are tiles that are as fast as windows without masks.
                let tiled = !few && cell > 1 && has_weaves(cell) && !grow.shuffled.masks;
                if (few || narrow) && !tiled {
                    let mut other = PanelDims::new();
                    if other.gathered(normal, grow) {
                        *dealt = other;
                        return blocks;
                    }
                }
                if few {
                    *dealt = PanelDims::new();
                    dealt.apart(normal, a);
                    return Self::of(Family::Strided, Pairing::Crossed, cell);
                }
                return Self::crossed(cell, dealt);
            }
            Relation::Apart(_) if dealt.gathered(normal, grow) => return blocks,
            Relation::Apart(a) => {
                dealt.apart(normal, a);
                return Self::of(Family::Strided, Pairing::Crossed, cell);
            }
            Relation::Straight(family) => {
                let short = dims[0].extent * cell < 2 * grow.line;
                let gathered = short && dealt.gathered(normal, grow);
                let alone = short || !has_weaves(cell);
                if gathered || alone && dealt.many_loose_blocks(normal, grow) {
                    return blocks;
                }
                family
            }
        };
        if !has_kernels(straight, cell) {
            dealt.runs(dims, cell, grow);
            return Self::run(cell);
        }
        dealt.straight(dims, Some(0), grow);
        Self::of(straight, Pairing::Straight, cell)
    }

    /// A family whose columns are a dimension.
    #[inline]
    fn of(family: Family, pairing: Pairing, cell: usize) -> Self {
        Self {
            family,
            pairing,
            cell,
            cols: 1,
        }
    }

    /// Whole cells, a run each.
    #[inline]
    fn run(cell: usize) -> Self {
        Self {
            family: Family::Run,
            pairing: Pairing::Straight,
            cell: 1,
            cols: cell,
        }
    }

    /// Runs that follow each other on both sides, in different dimensions: a transposition of large
    /// cells, its panel and its rows, if one streams it.
    pub(super) fn crossed_runs(
        normal: &Form<'_>,
        (isa, facts): (Isa, &Facts),
        dealt: &mut PanelDims,
    ) -> Option<(StridedPanel, &'static Row, &'static Row)> {
        let (cell, dims) = (normal.cell, normal.dims);
        let a = crossing(normal)?;
        let many = dims[0].extent.min(dims[a].extent) > MANY && is_far(facts);
        let most = if many {
            CROSSED_RUNS_OF_MANY
        } else {
            CROSSED_RUNS
        };
        if cell > most {
            return None;
        }
        dealt.crossed_runs(normal, a);
        let draft = Self::of(Family::Transpose, Pairing::Crossed, cell);
        let panel = draft.panel(normal, dealt);
        let (row, cached_row) = draft.rows(&panel, SourceGaps::Forbidden, true, isa);
        row.streams().then_some((panel, row, cached_row))
    }

    /// Whether these are runs that, if they stream, end where lines end and are short: their rows
    /// follow the source, which wants order, and the destination does not mind. But not runs of a line of which the source
    /// has every second one: 5920x16x5 of two of them, 0.09 of the roof and, in the order of the destination, 0.34 (Zen 5).
    pub(super) fn reads_in_order(&self, normal: &Form<'_>, line: usize) -> bool {
        let (bytes, dims) = (self.cols, normal.dims);
        let short = bytes.is_multiple_of(line) && bytes < ORDERED_RUNS;
        let dense = bytes > line || dims.iter().any(|dim| dim.src.unsigned_abs() == bytes);
        short && dense && dims.len() >= 2
    }

    /// Whether a transposition whose lines have to be joined is better off with cached stores: because
    /// rows are short and the destination stays in a third-level cache that is near, because most of the tiles lies
    /// beyond the source rows, or because panels are so small that what is read waits for what is
    /// written. Cached and streamed, of memcpy, 17 MB, again and again, and after all had been
    /// flushed; u8 17x3360, 0.58 and 0.30, 0.40 and 0.38; f32 19x23, 0.78 and
    /// 0.64, 0.77 and 0.57; f64 16x20, 0.87 and 0.70, 0.76 and 0.91. Longer rows stream better: u16
    /// 2968x2970, 0.45 and 0.84, 0.36 and 1.0.
    ///
    /// Short rows stream where that cache is far, as nobody knows what stays there, and what was there before has to
    /// leave it: cached and streamed, of the roof, Xeon, 17 MB in 480, after one call, again and again, and after all had
    /// been flushed: u8 255x257, 0.42 and 0.57, 0.65 and 0.55, 0.28 and 0.43; u16 202x204, 0.52 and 0.66, 0.81 and 0.68,
    /// 0.33 and 0.55; f32 160x162, 0.70 and 0.78, 0.95 and 0.80, 0.44 and 0.62; 388080x13, 0.57 and 0.92, 0.97 and 0.92,
    /// 0.50 and 0.96; f64 127x129, 0.67 and 0.91, 1.00 and 0.89, 0.44 and 0.71; 1480x38, 0.44 and 0.82, 0.84 and 0.81,
    /// 0.38 and 0.93.
    ///
    /// Or because panels that lines are not cut of are tiny, have source rows that do cut lines, and follow each
    /// other on both sides, which the CPU sees. Cached and streamed, of the roof, 16 MB and 64, Zen 4: u16 19x32 0.67
    /// and 0.33, 0.62 and 0.35; f32 9x32 0.67 and 0.36, 0.65 and 0.39; f64 9x16 0.56 and 0.43, 0.52 and 0.41; 16
    /// bytes 11x8 0.72 and 0.55, 0.67 and 0.59; 200 MB 0.67 and 0.63. But less tiny, f64 9x24 0.33 and 0.47; with
    /// source rows of whole lines, f32 16x16 0.56 and 0.75; not next to each other, u16 20x32 0.24 and 0.33.
    pub(super) fn wants_caches(
        &self,
        panel: &StridedPanel,
        tile: Tile,
        dealt: &PanelDims,
        normal: &Form<'_>,
        facts: &Facts,
    ) -> bool {
        /// Bytes of a panel that is large enough.
        const SMALL: usize = 3 << 10;
        /// Bytes of one that is not.
        const TINY: usize = 3 << 9;
        /// Bytes of a row that is long enough.
        const LONG: usize = 2 << 10;
        let stays = !is_far(facts) && normal.bytes <= held_bytes(facts);
        let short = stays && panel.cols * panel.cell < LONG;
        let tiles = panel.rows.div_ceil(tile.rows.max(1)) * tile.rows;
        let beyond = panel.cell == 1 && 2 * tiles > 3 * panel.rows;
        let bytes = panel.bytes();
        let small = bytes < SMALL;
        let line = facts.caches.line;
        let cut = (short || beyond || small) && dealt.cuts_lines(normal.dims, line);
        let read_in_parts = !(panel.rows * panel.cell).is_multiple_of(line);
        let followed = bytes <= TINY && read_in_parts && dealt.follows(normal.dims, bytes);
        self.family == Family::Transpose && (cut || followed)
    }

    /// Two different unit dimensions.
    #[inline]
    fn crossed(cell: usize, dealt: &PanelDims) -> Self {
        let family = crossed_family(dealt.rows.len, dealt.cols.len);
        Self::of(family, Pairing::Crossed, cell)
    }

    /// A source in many places. The list is the columns where the destination wants its pieces
    /// interleaved, else the rows.
    fn listed(cell: usize, dims: &[Dim], listed: Dim, dealt: &mut PanelDims) -> Self {
        let unit = cell as isize;
        if cell >= RUN_BYTES || dims.is_empty() {
            dealt.listed_rows(dims, None, listed);
            return Self::run(cell);
        }
        let contiguous = dims.iter().position(|dim| dim.src.unsigned_abs() == cell);
        if let (true, Some(a)) = (listed.dst == unit, contiguous) {
            dealt.listed_columns(dims, a, listed);
            let pixel = listed.extent as isize * unit;
            if listed.extent == INTERLEAVED && dims[a].dst == pixel {
                return Self::of(Family::Interleave, Pairing::Crossed, cell);
            }
            return Self::crossed(cell, dealt);
        }
        Self::listed_straight(cell, dims, listed, dealt)
    }

    /// A destination in many places, which are the rows: of a transposition where the source has
    /// their cells side by side.
    fn listed_dst(cell: usize, dims: &[Dim], listed: Dim, dealt: &mut PanelDims) -> Self {
        let unit = cell as isize;
        if cell >= RUN_BYTES || dims.is_empty() {
            dealt.listed_rows(dims, None, listed);
            return Self::run(cell);
        }
        if listed.src == unit && dims[0].dst == unit && dims[0].src != 0 {
            dealt.listed_rows(dims, Some(0), listed);
            let pixel = listed.extent as isize * unit;
            if listed.extent == INTERLEAVED && dims[0].src == pixel {
                return Self::of(Family::Interleave, Pairing::Crossed, cell);
            }
            return Self::crossed(cell, dealt);
        }
        Self::listed_straight(cell, dims, listed, dealt)
    }

    /// Rows in many places on one side, and nothing crosses.
    fn listed_straight(cell: usize, dims: &[Dim], listed: Dim, dealt: &mut PanelDims) -> Self {
        let family = match dims[0] {
            Dim { src: 0, .. } => Family::Fill,
            Dim { dst, .. } if dst == cell as isize => Family::Gather,
            Dim { src, .. } if src.unsigned_abs() == cell => Family::Scatter,
            _ => Family::Strided,
        };
        dealt.listed_rows(dims, Some(0), listed);
        Self::of(family, Pairing::Straight, cell)
    }

    /// The best row for a panel, and the best one that does not stream.
    #[inline(always)]
    pub(super) fn rows(
        &self,
        panel: &StridedPanel,
        gaps: SourceGaps,
        streaming: bool,
        isa: Isa,
    ) -> (&'static Row, &'static Row) {
        let ask = panel.ask(gaps, streaming);
        let row = find(self.family, &ask, isa);
        if !row.streams() {
            return (row, row);
        }
        let streaming = false;
        (row, find(self.family, &Ask { streaming, ..ask }, isa))
    }

    /// The best row without masks for a tiny panel that tiles as wide as a register of AVX-512 do not cover, and of
    /// which there are more than a near cache holds: masked stores that wait for a line hold up those that follow.
    ///
    /// With masks and without, of the roof, 16 MB and 64, panels one after the other, Zen 4: f32 19x23 0.39 and 0.60,
    /// 0.42 and 0.62; 23x19 0.40 and 0.61, 0.39 and 0.53; 20x16 0.43 and 0.66, 0.40 and 0.56; 17x33 0.44 and 0.46,
    /// 0.48 and 0.51; f64 9x16 0.49 and 0.62, 0.52 and 0.64; 18x14 0.47 and 0.56, 0.49 and 0.57. Larger ones gain nothing or
    /// lose: f32 31x31 0.56 and 0.55, 50x50 0.44 and 0.46, 63x63 0.48 and 0.40; f64 23x25 0.45 and 0.44, 50x50 0.41
    /// and 0.37. In a second-level cache of 1 MiB: f64 16x15 0.61 and 0.59. On Xeon masks cost nothing there: f64 16x17
    /// 0.93 and, without, 0.82.
    pub(super) fn unmasked(
        &self,
        panel: &StridedPanel,
        gaps: SourceGaps,
        isa: Isa,
    ) -> Option<&'static Row> {
        /// Bytes of a tiny panel, by the figures above: 2244 gain, 3844 do not.
        const TINY: usize = 5 << 9;
        let wide = match panel.cell {
            4 => 16,
            8 => 8,
            _ => return None,
        };
        let masked = panel.rows >= wide
            && !(panel.rows.is_multiple_of(wide) && panel.cols.is_multiple_of(wide));
        let gains = self.family == Family::Transpose
            && isa >= Isa::Avx512
            && masked
            && panel.bytes() <= TINY;
        gains.then(|| find(self.family, &panel.ask(gaps, false), Isa::Avx2))
    }

    /// What the panel is, without its tables and lists.
    #[inline(always)]
    pub(super) fn panel(&self, normal: &Form<'_>, dealt: &PanelDims) -> StridedPanel {
        let mut panel = dealt.panel(self.pairing, self.cell, self.cols);
        panel.src.shift += normal.src_shift;
        panel.dst.shift += normal.dst_shift;
        panel
    }
}

/// The dimension in which runs follow each other in the source, if that is another one than in the
/// destination.
fn crossing(normal: &Form<'_>) -> Option<usize> {
    let (cell, dims) = (normal.cell, normal.dims);
    let a = dims.iter().position(|dim| dim.src.unsigned_abs() == cell)?;
    (a != 0 && dims[0].dst.unsigned_abs() == cell).then_some(a)
}
