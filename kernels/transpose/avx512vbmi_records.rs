//! `transpose` with AVX-512 VBMI: panels of which one side is [records](crate::records) of a few cells.
//!
//! How many cells pay, of memcpy, by tiles and so, Xeon, 50000 records to fields: u8 5 0.08 and 0.50, 6 0.10 and 0.47,
//! 8 0.22 and 0.38, 10 0.15 and 0.29, 12 0.18 and 0.23, but 14 0.20 both ways; u16 5 0.15 and 0.56, 7 0.20 and 0.43,
//! 10 0.41 and 0.57, 11 0.48 and 0.55, but 8, which a tile fits, 0.46 and 0.43, 12 of 1000 records 0.18 and 0.16; f32
//! 5 0.39 and 0.91, 6 0.68 and 0.94, of 1000 records 8 0.43 and 0.59, 10 0.51 and 0.57, but 12 0.54 and 0.53. To
//! records: u8 5 0.13 and 0.52, 7 0.18 and 0.38, 9 0.23 and 0.24, but 10 0.25 and 0.23; u16 5 0.26 and 0.51, 7 0.33
//! and 0.35, but 8 of 100 records 0.12 and 0.08; f32 5 0.32 and 0.65, 7 0.48 and 0.71, but 8 0.71 and 0.69.
//!
//! Cells of no power of two: 3 bytes, of 24, 200, 5000, and 50000 records, to fields, of 5 cells 0.08 and 0.23, 0.07
//! and 0.27, 0.13 and 0.43, 0.14 and 0.34; of 8 0.06 and 0.10, 0.09 and 0.16, 0.29 and 0.38, 0.47 and 0.64; of 12 0.06
//! and 0.08, 0.08 both ways, 0.35 both ways, 0.38 and 0.54; to records, of 5 0.07 and 0.24, 0.06 and 0.26, 0.17 and
//! 0.71, 0.17 and 0.66; of 12 0.05 and 0.07, 0.05 and 0.08, 0.12 and 0.28, 0.21 and 0.50. 6 bytes, of 24, 1000, and
//! 40000, to fields, of 5 0.10 and 0.21, 0.39 and 0.49, 0.67 and 0.64; of 8 0.14 and 0.13, 0.45 and 0.49, 0.72 and
//! 0.75; but of 12 0.13 and 0.07, 0.44 and 0.37; to records, of 5 0.10 and 0.20, 0.30 and 0.75, 0.43 and 0.81; of 8
//! 0.13 and 0.13, 0.37 and 0.54, 0.60 and 0.73; but of 12 0.10 and 0.07. 12 bytes to records, of 5 0.15 and 0.30, 0.45
//! and 0.71, 0.59 and 0.69; of 12 0.16 both ways, 0.33 and 0.54, 0.44 and 0.81; but to fields, of 5 0.43 and 0.40,
//! 0.76 and 0.60.
//!
//! Since cells are zipped (Zen 4), of the roof, by tiles or without zips and so, 1000 and 20000 records to fields: u8 10
//! 0.25 and 0.38, 0.53 and 0.78; 16 0.34 and 0.38, 0.69 and 0.77; u16 8 0.34 and 0.45, 0.60 and 0.92; 12 0.51 and 0.78,
//! 0.53 and 0.84; f32 12 0.67 and 0.79, 0.81 and 0.86; but 16 0.77 and 0.73, 14 0.61 and 0.55. To records: u8 8 0.34 and
//! 0.48, 0.59 and 0.87; 12 0.20 and 0.38, 0.39 and 0.82; u16 8 0.34 and 0.46, 0.46 and 0.90; f32 8 0.47 and 0.90, 0.70
//! and 0.90; but 16 0.93 and 0.73. Of 13 and of 15 cells, which are not zipped, not half as fast as by tiles, nor of 14
//! to fields of 17 MB, u8 0.42 and 0.18, u16 0.55 and 0.20; nor of 20 to 32, u8 and u16: the compiler keeps those in
//! memory.
//!
//! Streamed to records, 17 MB, by tiles and so, of the roof, again and again and after all had been flushed (Zen 4): u8 5
//! 0.31 and 1.02, 0.42 and 1.34; 8 0.40 and 0.99, 0.48 and 1.33; 12 0.47 and 1.03, 0.62 and 1.37; 16 0.65 and 1.08; u16 5
//! 0.44 and 1.01, 0.56 and 1.34; 8 0.40 and 1.01, 0.55 and 1.38; 11 0.35 and 0.72; f32 5 0.32 and 1.05, 0.46 and 1.41; 8
//! 0.53 and 0.98, 0.62 and 1.36; 12 0.47 and 0.99, 0.57 and 1.35; 16 0.58 and 1.15. To fields, cached by the same and
//! streamed, again and again: u8 5 0.89 and 1.02, 12 0.71 and 0.73, 16 0.61 and 0.72; u16 5 0.90 and 1.01, 8 0.83 and
//! 0.85, 12 0.67 and 0.79; f32 5 0.85 and 0.99, by tiles 0.49; 8 0.85 and 0.86, by tiles 0.58; 12 0.71 and 0.82; of 67
//! MB u8 5 0.88 and 1.21, u16 8 0.79 and 1.01, 12 0.66 and 0.87, f32 8 0.79 and 0.98; but u8 11 0.62 and 0.51, f32 11
//! 0.61 and 0.51.
//!
//! 8 bytes, of 2000 and 20000 records by tiles and so, and of 17 MB streamed (Zen 4), to fields, of 5 0.60 and 0.97,
//! 0.61 and 0.94, 0.76 and 1.04; 8 0.65 and 0.98, 0.74 and 0.91, 0.77 and 0.95; 12 0.71 and 0.83, 0.76 and 0.92, 0.76
//! and 0.87; but 9 0.59 and 0.49, 0.65 and 0.58, 0.71 and 0.64; 16 0.89 and 0.80, 0.90 and 0.85, 0.90 and 0.77; to
//! records, of 5 0.46 and 0.94, 0.49 and 0.94, 0.56 and 1.09; 8 0.94 both ways, 0.79 and 0.86, 0.68 and 1.11; 9 0.49
//! and 0.50, 0.57 and 0.60, 0.65 and 1.01; 12 0.67 and 0.83, 0.69 and 0.81, 0.73 and 1.10; 14 0.66 and 0.28, 0.69 and
//! 0.32, 0.69 and 1.07; 16 0.86 and 0.80, 0.87 and 0.89, 1.06 and 1.14.

use crate::records::avx512vbmi::Zmm;
use crate::records::rows;
use crate::records::stream::streamed_rows;

rows! {
    Transpose, Zmm, Avx512Vbmi "avx512f,avx512bw,avx512vl,avx512vbmi";
    "transpose-1-avx512vbmi-5x64", ones_apart, 1, true, rows = 5 6 7 8 9 10 11 12 16, cols;
    "transpose-1-avx512vbmi-64x5", ones_together, 1, false, cols = 5 6 7 8 9 10 11 12 14 16, rows;
    "transpose-2-avx512vbmi-5x32", twos_apart, 2, true, rows = 5 6 7 8 9 10 11 12 16, cols;
    "transpose-2-avx512vbmi-32x5", twos_together, 2, false, cols = 5 6 7 8 9 10 11 12 14 16, rows;
    "transpose-3-avx512vbmi-5x21", threes_apart, 3, true, rows = 5 6 7 8 9 10 11 12, cols;
    "transpose-3-avx512vbmi-21x5", threes_together, 3, false, cols = 5 6 7 8 9 10 11 12, rows;
    "transpose-4-avx512vbmi-5x16", fours_apart, 4, true, rows = 5 6 7 8 9 10 12, cols;
    "transpose-4-avx512vbmi-16x5", fours_together, 4, false, cols = 5 6 7 8 9 10 12, rows;
    "transpose-6-avx512vbmi-5x10", sixes_apart, 6, true, rows = 5 6 7 8, cols;
    "transpose-6-avx512vbmi-10x5", sixes_together, 6, false, cols = 5 6 7 8 9, rows;
    "transpose-8-avx512vbmi-5x8", eights_apart, 8, true, rows = 5 6 7 8 10 12, cols;
    "transpose-8-avx512vbmi-8x5", eights_together, 8, false, cols = 5 6 7 8 9 10 12, rows;
    "transpose-12-avx512vbmi-5x5", twelves_together, 12, false, cols = 5 6 7 8 9 10 11 12, rows;
}

streamed_rows! {
    Zmm, Avx512Vbmi "avx512f,avx512bw,avx512vl,avx512vbmi";
    "transpose-1-avx512vbmi-16x64", ones_to_fields, 1, true, rows = 5 6 7 8 9 10 12 16, cols;
    "transpose-1-avx512vbmi-64x16", ones_to_records, 1, false, cols = 5 6 7 8 9 10 11 12 14 16, rows;
    "transpose-2-avx512vbmi-16x32", twos_to_fields, 2, true, rows = 5 6 7 8 9 10 12 16, cols;
    "transpose-2-avx512vbmi-32x16", twos_to_records, 2, false, cols = 5 6 7 8 9 10 11 12 14 16, rows;
    "transpose-4-avx512vbmi-12x16", fours_to_fields, 4, true, rows = 5 6 7 8 9 10 12, cols;
    "transpose-4-avx512vbmi-16x16", fours_to_records, 4, false, cols = 5 6 7 8 9 10 11 12 14 16, rows;
    "transpose-8-avx512vbmi-12x8", eights_to_fields, 8, true, rows = 5 6 7 8 10 12, cols;
    "transpose-8-avx512vbmi-8x16", eights_to_records, 8, false, cols = 5 6 7 8 9 10 11 12 13 14 16, rows;
}
