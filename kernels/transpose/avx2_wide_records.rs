//! `transpose` with AVX2: panels of which one side is [records](crate::records) of some cells of 8 or 16 bytes, streamed.
//!
//! By tiles and so, 17 MB, of the roof, again and again, after a streaming copy, and after all had been flushed (Zen 3). To
//! records: 8 bytes, 5 cells 0.56 and 1.02, 0.61 and 1.14, 0.58 and 1.20; 8 0.53 and 1.27, 0.38 and 1.11, 0.48 and 1.08; 11
//! 0.50 and 0.95, 0.48 and 0.92, 0.65 and 1.06; 15 0.62 and 1.00, 0.60 and 0.92, 0.52 and 0.84; 16 bytes, 5 0.54 and 1.05,
//! 0.58 and 1.14, 0.62 and 1.17; 10 0.50 and 1.12, 0.50 and 1.20, 0.43 and 1.19; 15 0.62 and 1.15, 0.62 and 1.16, 0.55 and
//! 1.03; but of 16 cells 8 bytes 0.87 and 0.63, 16 bytes level. To fields: 16 bytes, 10 0.48 and 0.53, 0.47 and 0.53, 0.55
//! and 0.65; 13 0.68 and 0.71, 0.50 and 0.58, 0.52 and 0.56; 15 0.68 and 0.75, 0.50 and 0.61, 0.46 and 0.57; but 7 and 9
//! level, and 8 bytes, 8 0.76 and 0.61, 0.75 and 0.62, 0.81 and 0.65.

use crate::records::avx2_wide::Pairs;
use crate::records::stream::streamed_rows;

streamed_rows! {
    Pairs, Avx2 "avx2";
    "transpose-8-avx2-8x15", eights_to_records, 8, false, cols = 5 6 7 8 9 10 11 12 13 14 15, rows;
    "transpose-16-avx2-15x4", sixteens_to_fields, 16, true, rows = 10 11 12 13 14 15, cols;
    "transpose-16-avx2-4x15", sixteens_to_records, 16, false, cols = 5 6 7 8 9 10 11 12 13 14 15, rows;
}
