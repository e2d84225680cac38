//! `interleave` with AVX2: cells of three parts, as [records](crate::records).
//!
//! Of memcpy, cell by cell and so, Xeon, 24, 1000, and 48000 pixels: planes from two, 3 bytes 0.15 and 0.36, 0.04 and
//! 0.16, 0.11 and 0.34; 6 bytes 0.15 and 0.24, 0.07 and 0.11, 0.19 and 0.31; from four, 3 bytes 0.08 and 0.20, 0.03
//! and 0.11, 0.11 and 0.30; 6 bytes 0.08 and 0.16, 0.14 and 0.23, 0.28 and 0.46; to pixels of three, 3 bytes 0.08 and
//! 0.24, 0.04 and 0.14, 0.11 and 0.31; 6 bytes 0.09 and 0.19, 0.08 and 0.13, 0.26 and 0.40. Not cells of 12 bytes, of
//! which half a register has one.

use crate::records::avx2::Ymm;
use crate::records::rows;

rows! {
    Interleave, Ymm, Avx2 "avx2";
    "interleave-3-avx2-2x10", threes_apart, 3, true, rows = 2 3 4, cols;
    "interleave-3-avx2-10x2", threes_together, 3, false, cols = 2 3 4, rows;
    "interleave-6-avx2-2x4", sixes_apart, 6, true, rows = 2 3 4, cols;
    "interleave-6-avx2-4x2", sixes_together, 6, false, cols = 2 3 4, rows;
}
