//! Copies of a few cells, for which no kernel is chosen: to choose one takes longer than to move a hundred cells.

use std::fmt;

use restride_kernels::Isa;

use super::normalise::{FEW, Form};

/// Cells of a copy of one or two dimensions that is carried out one by one, at most. `copy` with these loops and
/// with a kernel, ns on a 2-core AVX2 server VM: f32 4x4, 33 and 59; 8x8, 49 and 62; 16x16, 106 and 74.
const TINY: usize = 64;

/// The same of more dimensions. 2-core AVX-512 server VM (Zen 4), reversed, u8 and f64: 3x3x4x4 89 and 127 (f64 in
/// tiles), 2x5x4x4 77 and 129, 81 and 158; 3x7x9 90 and 127, 94 and 159; 3x5x4x5 110 and 141, 115 and 187; 7x7x7 116
/// and 137, 117 and 183; 5x5x5x3 127 and 148, 134 and 235; 3x3x3x3x4 141 and 161, 142 and 214; and 3x11x3x3 to 3102
/// 126 and 246, 127 and 301.
const TINY_NEST: usize = 384;

/// The same of as many dimensions as there may be, same machine: 2x2x2x2x2x2x2x2 266 and 225 ns; of one less, 128
/// cells 156 and 155, 2x3x2x2x2x2x2 167 and 200.
const TINY_CUBE: usize = 128;

/// How a copy of a few cells is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Cell by cell.
    Cells,
    /// In tiles.
    Tiles(Tiles),
}

/// The tiles of a crossed copy. Their columns are cells of the first dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tiles {
    /// The dimension of their rows, in which the source is contiguous.
    pub(crate) a: usize,
    /// Their rows.
    pub(crate) rows: usize,
    /// Their columns.
    pub(crate) cols: usize,
}

impl Way {
    /// That of `form`, if it has so few cells that to choose a kernel takes longer than to move them.
    #[inline(always)]
    pub(crate) fn of(form: &Form<'_>, isa: Isa) -> Option<Self> {
        if isa >= Isa::Portable
            && let Some(tiles) = Tiles::of(form)
        {
            return Some(Self::Tiles(tiles));
        }
        let most = match form.dims.len() {
            0..=2 => TINY,
            FEW => TINY_CUBE,
            _ => TINY_NEST,
        };
        (form.bytes <= most * form.cell).then_some(Self::Cells)
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cells => f.write_str("cell by cell"),
            Self::Tiles(Tiles { rows, cols, .. }) => write!(f, "in tiles of {rows}x{cols}"),
        }
    }
}

impl Tiles {
    /// Dimensions besides those of the tiles, at most.
    pub(crate) const LOOPS: usize = 2;

    /// Those of a crossed copy, if they are few. The last one along a side may have cells of the one before.
    ///
    /// How many are few: `copy` with a kernel and in tiles, ns on a 2-core AVX-512 server VM (Zen 4). f32 10x10 (9
    /// tiles) 86 and 38, 15x16 (16) 85 and 49, 13x17 (20) 92 and 54, 6x6x6 to 120 (24) 100 and 60; f64 10x10 (9)
    /// 87 and 44, 11x11 94 and 46; u16 16x16 (4 of 8x8) 75 and 39, 22x23 (9) 99 and 57, 4x4x4x4 reversed (16 of
    /// 4x4) 118 and 71; u8 16x16 (4 of 8x8) 67 and 38, 32x32 (16) 84 and 69, 31x33 (20) 105 and 78, 4x4x4x4
    /// reversed (16 of 4x4) 115 and 70, 6x6x6 reversed (24 of 4x4) 122 and 64, u16 126 and 65. Narrow ones, of 4x3,
    /// 4x2 and the other way round: f32 3x8x8 reversed (16) 109 and 60, 2x4x4x4 reversed (16) 84 and 60, 3x40 (10) 75 and 43, 64x3 (16) with the panel of a plane 55
    /// and 46, 3x72 (18) 59 and 62; f64 3x5x7 reversed (10) 63 and 53, 48x2 (12) 101 and 62; those of up to 64
    /// cells cell by cell, f32 3x12 47 and in tiles 52.
    #[inline(always)]
    fn of(form: &Form<'_>) -> Option<Self> {
        let (b, others) = form.dims.split_first()?;
        let unit = form.cell as isize;
        // Looked at first: to find out takes longer than to move a few cells.
        let least = if form.bytes <= TINY * form.cell { 4 } else { 2 };
        let may = matches!(form.cell, 1 | 2 | 4 | 8) && b.dst == unit && b.extent >= least;
        if !may || others.len() > Self::LOOPS + 1 {
            return None;
        }
        let a = 1 + others.iter().position(|dim| dim.src == unit)?;
        let (wide, high) = (b.extent, form.dims[a].extent);
        let (log_side, few) = match (form.cell, wide.min(high)) {
            (4 | 8, 2 | 3) if least == 2 && wide.max(high) >= 4 => (2, 18),
            (_, ..4) => return None,
            (1, 8..) => (3, 20),
            (2, 8..) => (3, 12),
            (1 | 2 | 4, _) => (2, 25),
            _ => (2, 12),
        };
        let side = 1 << log_side;
        // Not divided: that takes longer than to move a tile.
        let along = |extent: usize| (extent + side - 1) >> log_side;
        let mut tiles = along(wide) * along(high);
        for (i, dim) in (1..).zip(others) {
            tiles *= if i == a { 1 } else { dim.extent };
        }
        let (rows, cols) = (high.min(side), wide.min(side));
        (tiles <= few).then_some(Self { a, rows, cols })
    }
}
