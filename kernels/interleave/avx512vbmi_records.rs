//! `interleave` with AVX-512 VBMI: cells of three parts, as [records](crate::records).
//!
//! Frames of 24-bit audio, RGB of 16 bits, vertices of a point and a normal. Of memcpy, cell by cell and so, Xeon, 24,
//! 1000, and 48000 pixels: planes from two, 3 bytes 0.13 and 0.46, 0.04 and 0.32, 0.28 and 0.33; 6 bytes 0.16 and
//! 0.42, 0.06 and 0.25, 0.27 and 0.33; 12 bytes 0.17 and 0.34, 0.20 and 0.29, 0.47 and 0.53; from four, 3 bytes 0.07
//! and 0.29, 0.03 and 0.22, 0.10 and 0.35; 12 bytes 0.13 and 0.30, 0.24 and 0.34, 0.43 and 0.64; to pixels of three,
//! 24 and 1000, 3 bytes 0.08 and 0.32, 0.04 and 0.26; 6 bytes 0.09 and 0.29, 0.08 and 0.20; 12 bytes 0.15 and 0.38,
//! 0.40 and 0.63. All of 1 to 34 MB that had been flushed, planes 0.33 and 0.54.

use crate::records::avx512vbmi::Zmm;
use crate::records::rows;

rows! {
    Interleave, Zmm, Avx512Vbmi "avx512f,avx512bw,avx512vl,avx512vbmi";
    "interleave-3-avx512vbmi-2x21", threes_apart, 3, true, rows = 2 3 4, cols;
    "interleave-3-avx512vbmi-21x2", threes_together, 3, false, cols = 2 3 4, rows;
    "interleave-6-avx512vbmi-2x10", sixes_apart, 6, true, rows = 2 3 4, cols;
    "interleave-6-avx512vbmi-10x2", sixes_together, 6, false, cols = 2 3 4, rows;
    "interleave-12-avx512vbmi-2x5", twelves_apart, 12, true, rows = 2 3 4, cols;
    "interleave-12-avx512vbmi-5x2", twelves_together, 12, false, cols = 2 3 4, rows;
}
