//! `transpose` with AVX2: panels of which one side is [records](crate::records) of a few cells.
//!
//! How many cells pay, of memcpy, by tiles and so, Xeon, 50000 records to fields: u8 5 0.15 and 0.54, 7 0.20 and 0.38,
//! 9 0.18 and 0.29, 10 0.16 and 0.20, but 8, which a tile fits, 0.39 and 0.34, 11 0.28 and 0.25; u16 5 0.26 and 0.55,
//! 7 0.35 and 0.42, but 9 0.46 and 0.45; f32 5 0.44 and 0.65, 7 0.52 and 0.59, but 8 of 64 records 0.28 and 0.16, 9 in
//! batches of 64, 17 MB, 0.76 and 0.56. To records: u8 5 0.12 and 0.58, 7 0.16 and 0.40, 9 0.23 and 0.32, but 10 of
//! 1500000 0.59 and 0.50; u16 5 0.22 and 0.59, 6 0.26 and 0.48, but 7 of 300000 0.70 and 0.63; f32 5 0.36 and 0.69, 7
//! 0.42 and 0.56, but 9 in batches 0.85 and 0.72.
//!
//! Cells of no power of two, of 24, 1000, and 40000 records: 3 bytes to fields, of 5 cells 0.06 and 0.14, 0.03 and
//! 0.10, 0.11 and 0.31; of 10 0.04 and 0.10, 0.13 and 0.29, 0.24 and 0.46; but of 12 0.05 and 0.06, 0.16 both ways,
//! 0.28 and 0.29; to records, of 5 0.06 and 0.14, 0.04 and 0.10, 0.12 and 0.35; of 12 0.04 and 0.06, 0.11 and 0.17,
//! 0.20 and 0.32. 6 bytes to fields, of 5 0.08 and 0.17, 0.20 and 0.32, 0.34 and 0.46; of 6 0.10 and 0.18, 0.23 and
//! 0.28, 0.40 and 0.45; but of 8 0.10 and 0.14, 0.30 and 0.28, 0.54 and 0.47; to records, of 5 0.08 and 0.18, 0.22 and
//! 0.33, 0.33 and 0.46; but of 8 0.46 and 0.45 of 40000.
//!
//! Streamed to records, 17 MB, by tiles and so, of the roof, again and again and after all had been flushed (Zen 4): u8 5
//! 0.21 and 0.86, 0.30 and 1.27; 8 0.33 and 0.60, 0.44 and 0.88; 10 0.30 and 0.52, 0.39 and 0.56; u16 5 0.31 and 0.87,
//! 0.42 and 1.20; 8 0.43 and 0.60, 0.54 and 0.88; f32 5 0.34 and 1.05, 0.46 and 1.38; 8 0.51 and 0.60, 0.60 and 0.88;
//! 10 0.45 and 0.55, 0.56 and 0.75; but of 11 u8 0.27 and 0.23, u16 0.35 and 0.33. To fields, by what was there and so,
//! again and again: u8 5 0.49 and 0.92, 8 0.37 and 0.57, 10 0.44 and 0.50; u16 5 0.52 and 0.85, 8 0.21 and 0.58, 10
//! 0.21 and 0.58; f32 5 0.52 and 0.94, 8 0.65 and 0.84, 10 0.62 and 0.83.

use crate::records::avx2::Ymm;
use crate::records::rows;
use crate::records::stream::streamed_rows;

rows! {
    Transpose, Ymm, Avx2 "avx2";
    "transpose-1-avx2-5x32", ones_apart, 1, true, rows = 5 6 7 9 10, cols;
    "transpose-1-avx2-32x5", ones_together, 1, false, cols = 5 6 7 9, rows;
    "transpose-2-avx2-5x16", twos_apart, 2, true, rows = 5 6 7, cols;
    "transpose-2-avx2-16x5", twos_together, 2, false, cols = 5 6, rows;
    "transpose-3-avx2-5x10", threes_apart, 3, true, rows = 5 6 7 8 9 10 11, cols;
    "transpose-3-avx2-10x5", threes_together, 3, false, cols = 5 6 7 8 9 10 11 12, rows;
    "transpose-4-avx2-5x8", fours_apart, 4, true, rows = 5 6 7, cols;
    "transpose-4-avx2-8x5", fours_together, 4, false, cols = 5 6 7, rows;
    "transpose-6-avx2-5x4", sixes_apart, 6, true, rows = 5 6 7, cols;
    "transpose-6-avx2-4x5", sixes_together, 6, false, cols = 5 6 7, rows;
}

streamed_rows! {
    Ymm, Avx2 "avx2";
    "transpose-1-avx2-10x32", ones_to_fields, 1, true, rows = 5 6 7 8 9 10, cols;
    "transpose-1-avx2-32x10", ones_to_records, 1, false, cols = 5 6 7 8 9 10, rows;
    "transpose-2-avx2-10x16", twos_to_fields, 2, true, rows = 5 6 7 8 9 10, cols;
    "transpose-2-avx2-16x10", twos_to_records, 2, false, cols = 5 6 7 8 9 10, rows;
    "transpose-4-avx2-10x8", fours_to_fields, 4, true, rows = 5 6 7 8 9 10, cols;
    "transpose-4-avx2-8x10", fours_to_records, 4, false, cols = 5 6 7 8 9 10, rows;
}
