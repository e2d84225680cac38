//! `transpose`: crossed panels whose two unit dimensions are both long, by register tiles.
//!
//! A tile reads `ROWS` cells of each of `COLS` source rows and writes `COLS` cells of each of
//! `ROWS` destination rows, every access a whole vector:
//!
//! ```text
//!   src row c0    a0 a1 a2 a3 ..        dst row r0    a0 b0 c0 d0 ..
//!   src row c0+1  b0 b1 b2 b3 ..   ->   dst row r0+1  a1 b1 c1 d1 ..
//!   src row c0+2  c0 c1 c2 c3 ..        dst row r0+2  a2 b2 c2 d2 ..
//!   src row c0+3  d0 d1 d2 d3 ..        dst row r0+3  a3 b3 c3 d3 ..
//! ```
//!
//! Obligations of every row: the contract in the crate's documentation. Source rows are contiguous,
//! so no tile reads a gap. **Edges**: where a panel is at least a tile in both directions, the last
//! tile of a direction is moved back to overlap the one before it; it writes the same cells with
//! the same bytes, all inside the panel. Rows ask for panels of at least one tile, except those
//! whose ISA has masks. Streaming rows write no line twice: see `stream`.

#[cfg(target_arch = "x86_64")]
mod along;
#[cfg(target_arch = "x86_64")]
mod aside;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_cells_stream;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2_eight;
#[cfg(target_arch = "x86_64")]
mod avx2_narrow;
#[cfg(target_arch = "x86_64")]
mod avx2_one;
#[cfg(target_arch = "x86_64")]
mod avx2_records;
#[cfg(target_arch = "x86_64")]
mod avx2_short;
#[cfg(target_arch = "x86_64")]
mod avx2_sixteen;
#[cfg(target_arch = "x86_64")]
mod avx2_stream;
#[cfg(target_arch = "x86_64")]
mod avx2_triples;
#[cfg(target_arch = "x86_64")]
mod avx2_turns;
#[cfg(target_arch = "x86_64")]
mod avx2_two;
#[cfg(target_arch = "x86_64")]
mod avx2_wide_records;
#[cfg(target_arch = "x86_64")]
mod avx2_wide_triples;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_cells_stream;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512_eight;
#[cfg(target_arch = "x86_64")]
mod avx512_narrow;
#[cfg(target_arch = "x86_64")]
mod avx512_one;
#[cfg(target_arch = "x86_64")]
mod avx512_quarters;
#[cfg(target_arch = "x86_64")]
mod avx512_short;
#[cfg(target_arch = "x86_64")]
mod avx512_sixteen;
#[cfg(target_arch = "x86_64")]
mod avx512_square;
#[cfg(target_arch = "x86_64")]
mod avx512_stream;
#[cfg(target_arch = "x86_64")]
mod avx512_threes;
#[cfg(target_arch = "x86_64")]
mod avx512_triples;
#[cfg(target_arch = "x86_64")]
mod avx512_turns;
#[cfg(target_arch = "x86_64")]
mod avx512_two;
#[cfg(target_arch = "x86_64")]
mod avx512vbmi_records;
#[cfg(target_arch = "x86_64")]
mod back_to_back;
#[cfg(target_arch = "x86_64")]
mod band_stage;
#[cfg(target_arch = "x86_64")]
mod bands;
#[cfg(target_arch = "x86_64")]
mod blocks;
#[cfg(target_arch = "x86_64")]
mod carry;
#[cfg(target_arch = "x86_64")]
mod columns;
#[cfg(target_arch = "x86_64")]
mod cut;
#[cfg(target_arch = "x86_64")]
mod direct;
#[cfg(target_arch = "x86_64")]
mod each;
#[cfg(target_arch = "x86_64")]
mod extent;
#[cfg(target_arch = "x86_64")]
mod far;
mod half_tiles;
#[cfg(target_arch = "x86_64")]
mod in_groups;
#[cfg(target_arch = "x86_64")]
mod kept;
#[cfg(target_arch = "x86_64")]
mod large;
#[cfg(target_arch = "x86_64")]
mod line;
pub(crate) mod lines;
mod next_band;
#[cfg(target_arch = "x86_64")]
mod overhang;
#[cfg(target_arch = "x86_64")]
mod piece;
#[cfg(target_arch = "x86_64")]
mod pieces;
mod portable;
#[cfg(target_arch = "x86_64")]
mod reads;
#[cfg(target_arch = "x86_64")]
mod refill;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod segments;
#[cfg(target_arch = "x86_64")]
mod sequence;
#[cfg(target_arch = "x86_64")]
mod shared;
mod small;
#[cfg(target_arch = "x86_64")]
mod squares;
#[cfg(target_arch = "x86_64")]
mod staged;
#[cfg(target_arch = "x86_64")]
mod stream;
mod strips;
#[cfg(target_arch = "x86_64")]
mod triples;
#[cfg(target_arch = "x86_64")]
mod two_stages;
mod walk;
#[cfg(target_arch = "x86_64")]
mod whole_lines;

pub(crate) use half_tiles::best_tier;
#[cfg(target_arch = "x86_64")]
pub(crate) use line::Line;
pub use lines::spreads;
pub use next_band::has_next_band;
pub use small::move_tile;
pub(crate) use strips::few_columns;

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[
    #[cfg(target_arch = "x86_64")]
    avx512vbmi_records::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx512vbmi_records::STREAMED,
    #[cfg(target_arch = "x86_64")]
    avx512_narrow::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx512_short::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx512_one::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx512_two::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx512_cells_stream::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx512::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx512_eight::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx512_sixteen::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx512_stream::ROWS,
    #[cfg(target_arch = "x86_64")]
    &avx512_threes::THREE,
    #[cfg(target_arch = "x86_64")]
    &avx512_threes::SIX,
    #[cfg(target_arch = "x86_64")]
    &avx512_triples::TWELVE,
    #[cfg(target_arch = "x86_64")]
    &avx512_triples::TWENTY_FOUR,
    #[cfg(target_arch = "x86_64")]
    avx2_records::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2_records::STREAMED,
    #[cfg(target_arch = "x86_64")]
    avx2_wide_records::STREAMED,
    #[cfg(target_arch = "x86_64")]
    avx2_narrow::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2_short::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2_one::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2_two::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2_cells_stream::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2_eight::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2_sixteen::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2_stream::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2_triples::ROWS,
    #[cfg(target_arch = "x86_64")]
    &avx2_wide_triples::TWELVE,
    #[cfg(target_arch = "x86_64")]
    &avx2_wide_triples::TWENTY_FOUR,
    portable::ROWS,
    scalar::ROWS,
];
