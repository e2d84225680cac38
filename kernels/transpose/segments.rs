//! Source rows of a band that are prefetched row by row, a segment of each at a time.
//!
//! A file of its own because this is arithmetic, and is tested as such. While one segment of all rows is read,
//! a line of each row after the other, the next one is asked for, all lines of it and then of the next row's:
//! memory sees a few streams, not one for each row. After the last segment of a band come the first ones of the
//! next band's rows:
//!
//! ```text
//!   row c0     | read  | asked |       |       row c0     |       |       | read  |
//!   row c0+1   | read  | asked |       |       row c0+1   |       |       | read  |
//!   ..                                         ..
//!   row c0+32  |       |       |       |       row c0+32  | asked |       |       |
//! ```

use core::ops::Range;

use super::lines::{Addressing, opaque};
use crate::cpu::{before_zen5, by_amd, from_zen5};
use crate::isa::prefetch_second;
use crate::panel::LINE;

/// Bytes of each row of a band that are prefetched at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segments {
    bytes: usize,
}

/// The source of a panel, as far as it decides whether segments pay.
pub(super) struct Source {
    /// Rows of a band, and of all bands.
    pub(super) band: usize,
    pub(super) count: usize,
    /// Bytes of a row, and of a cell.
    pub(super) bytes: usize,
    pub(super) cell: usize,
    /// Whether all rows are read as one stream.
    pub(super) stream: bool,
    /// Whether the second row follows the first one.
    pub(super) follows: bool,
    /// Whether rows share few sets of the first-level cache.
    pub(super) crowded: bool,
    /// Whether rows start anywhere in a line.
    pub(super) ragged: bool,
}

/// What is asked for in one step.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// Source rows, counted from the first one of the band.
    pub(super) rows: Range<usize>,
    /// Bytes of each.
    pub(super) bytes: Range<usize>,
}

/// Rows of a band from which on they are many.
const MANY: usize = 64;

/// Segments, or lines, of a row at least.
const LEAST: usize = 4;

/// Bytes of a row that may be one of a single band: what is asked for leads to the next panel. f32 480x32, 3375 of
/// them, 0.92 of the roof and, as a stream, 0.75; 560x32 1.01 and 0.85; but 62x60 0.48 and 0.58 (Zen 4).
const LONG: usize = 1 << 10;

/// Bytes of a segment in a band of so many rows: few in one of many, so that they are not too much for the
/// caches.
fn length(rows: usize) -> usize {
    if rows >= MANY { 256 } else { 1024 }
}

impl Segments {
    /// Of so many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            // A constant, by which the compiler unrolls what asks for them, is slower (Zen 4, of the roof): u16
            // 4096x4096 0.60 and 0.79, 4000x4000 0.86 and 1.00.
            bytes: opaque(bytes as isize) as usize,
        }
    }

    /// For bands of such a source, on AMD's cores, which lose track of 32 streams before [Zen 5](Source::pays_zen5);
    /// none where rows, or bands, are too few to be ahead of. Rows that are not read as one stream may be as short
    /// as they like.
    ///
    /// Ratios to the roof on a 2-core AVX-512 server VM (Zen 4, 1 MiB of second-level cache) with the next
    /// line of each row asked for and with segments of 256, 512, 1024 bytes: u16 4000x4000 0.41 and 0.88,
    /// 0.75, 0.76; 8192x8192 0.48 and 0.69, 0.48, 0.46; u8 4032x4032 0.36 and 0.74, 0.44, 0.42; 4097x4095 0.24
    /// and 0.31, 0.27, 0.27. f32 4000x4000 0.55 and 0.83, 0.93, 0.89; 7296x7296 0.62 and 0.85, 0.92, 0.91;
    /// 20480x2304 0.77 and 0.80, 0.83, 0.98; f64 4000x4000 0.54 and 1.00, 1.10, 1.05; 16 bytes 2000x2000 1.11
    /// and 1.30, 1.31, 1.45.
    ///
    /// Shorter rows, which are one segment: f32 3136 rows of 256 bytes 0.63 and 0.92, 1024 rows 0.56 and 0.84;
    /// permutations of 16 MiB in the mean 0.525 and 0.575. But u16 rows of 128 bytes 0.60 and 0.42, as all of
    /// the next band is asked for at once; f64 18 rows of 2560 bytes, a band and a rest, 0.91 and 0.68. Where
    /// rows are no stream: u16 2915 rows of 56 cells 0.21 and 0.58, 41412 of 202 0.44 and 0.69, 15600 of 22
    /// 0.34 and 0.42; u8 4095 of 66 0.24 and 0.39; f32 2024 of 47 0.38 and 0.57, 24024 of 14 0.20 and 0.47;
    /// f64 14040 of 12 0.34 and 0.60.
    #[inline(always)]
    pub(super) fn of(source: Source) -> Option<Self> {
        let pays = if from_zen5() {
            source.pays_zen5()
        } else {
            source.pays()
        };
        pays.then(|| Self::new(length(source.band)))
    }

    /// Whether rows are some segments long, and pay: *guess*, between rows of 1 KiB and of 4 KiB.
    pub(super) fn several(rows: usize, bytes: usize) -> bool {
        bytes >= LEAST * length(rows) && by_amd()
    }

    /// What is asked for while a line, or what is left, is read of each of the `band` rows, from `at` bytes into
    /// them on; `row` bytes of each are in the place that is read.
    #[inline(always)]
    pub(super) fn asked(self, at: usize, band: usize, row: usize) -> Asked {
        let whole = (row / self.bytes).max(1);
        let this = (at / self.bytes).min(whole - 1);
        // The last one reaches to the end of the row, of which less than a line is read after all lines.
        let of = |i: usize| {
            let start = i * self.bytes;
            start..if i + 1 == whole {
                row
            } else {
                start + self.bytes
            }
        };
        let read = of(this);
        let steps = read.len().div_ceil(LINE).max(1);
        let step = (at - read.start) / LINE;
        let (first, next) = if this + 1 < whole {
            (0, of(this + 1))
        } else {
            (band, of(0))
        };
        Asked {
            rows: first + band * step / steps..first + band * (step + 1) / steps,
            bytes: next,
        }
    }

    /// Asks for what [`Self::asked`] says: `rows` are the source rows from the first one of the band on, and
    /// the place begins `skipped` bytes into each. After them come the first rows again, `next` bytes further on.
    ///
    /// # Safety
    /// - Shape: `src` addresses these rows, and those before them.
    #[inline(always)]
    pub(super) unsafe fn ask(
        self,
        (at, band, row): (usize, usize, usize),
        src: impl Addressing,
        rows: Range<usize>,
        skipped: usize,
        next: Option<isize>,
    ) {
        let asked = self.asked(at, band, row);
        let skipped = skipped + asked.bytes.start;
        let first = rows.start;
        for i in first + asked.rows.start..first + asked.rows.end {
            let (i, after) = match next {
                _ if i < rows.end => (i, 0),
                Some(next) if i < 2 * rows.end => (i - rows.end, next),
                _ => break,
            };
            // SAFETY: shape: i is one of them.
            let start = unsafe { src.row(i) }
                .wrapping_offset(after)
                .wrapping_add(skipped);
            // Nothing asks for the line in which the row ends but this.
            let before = if asked.bytes.end == row {
                start.addr() % LINE
            } else {
                0
            };
            let start = start.wrapping_sub(before);
            for line in (0..before + asked.bytes.len()).step_by(LINE) {
                prefetch_second(start.wrapping_add(line));
            }
        }
    }
}

impl Source {
    /// Whether there are rows enough to be ahead of, be they of one segment.
    fn bands(&self) -> bool {
        let bands = if self.bytes >= LONG { 1 } else { 2 };
        self.count >= bands * self.band
    }

    /// Whether segments pay before Zen 5.
    #[inline(always)]
    fn pays(&self) -> bool {
        let lines = if self.band >= MANY { 2 * LEAST } else { LEAST };
        let one = !self.stream || self.bytes >= lines * LINE;
        Segments::several(self.band, self.bytes) || one && self.bands() && before_zen5()
    }

    /// Whether segments pay on Zen 5, which follows 64 streams and more: where bands have more, or streams break off
    /// after some lines, and where rows push each other out of the first-level cache.
    ///
    /// Of the roof without and with segments (2-core AVX-512 server VM, Zen 5), bands of 128 rows: u8 4032x4032 0.54
    /// and 0.72, axes reversed 66x63x65x64 0.41 and 0.60, 60000x512 0.38 and 0.57, x384 0.39 and 0.49; but x256 0.48
    /// and 0.45, x128 0.50 and 0.38. Rows that the next one does not follow: u16 202x300x303 axes reversed 0.46 and
    /// 0.81, 101x200x701 0.59 and 0.80, u8 66x400x600 0.36 and 0.44; but of 360 bytes, u16, six axes of 12 to 16
    /// reversed, 0.71 and 0.57, of 3 KiB and more f32 200x100x701 0.87 and 0.71, 100x100x3000 1.03 and 0.86. Rows that
    /// share sets: f64 4097x4095 0.87 and 1.09, but 4001x4003 1.15 and 1.03, 256x256x256 [2, 0, 1] 0.97 and 0.86, f32
    /// 4097x4095 0.87 and 0.85; 16 bytes 256x256x256 0.79 and 1.01, but 2000x3000 1.34 and 1.22. Rows of few whole
    /// lines, in no stream: f32 48x48x28x28x28 [1, 3, 0, 4, 2] 0.51 and 0.75, 48x352x4x28x28 0.67 and 1.05; but of 264
    /// bytes, 64x65x63x66 [1, 3, 2, 0] 0.59 and 0.43. Others lose: f32 480x32x3000 [2, 0, 1] 1.11 and 0.87, u16
    /// 7001x5003 0.92 and 0.68, 4096x4096 0.63 and 0.46; f64 3^15 reversed 1.06 and 0.60.
    #[inline(always)]
    fn pays_zen5(&self) -> bool {
        /// Bytes of rows that the next one does not follow.
        const BROKEN_OFF: Range<usize> = 512..4096;
        /// Bytes of rows of single bytes at least.
        const OF_BYTES: usize = 384;
        /// Bytes of rows of four-byte cells that are no stream, and over before the CPU has seen them.
        const OF_WORDS: usize = 512;
        let several = || Segments::several(self.band, self.bytes);
        let broken_off = || !self.follows && BROKEN_OFF.contains(&self.bytes) && self.bands();
        match self.cell {
            1 => several() || self.bytes >= OF_BYTES && self.bands(),
            2 => broken_off(),
            4 => !self.stream && !self.ragged && self.bytes < OF_WORDS && self.bands(),
            8 => self.crowded && self.ragged && several(),
            16.. => self.crowded && several(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    /// While a band is read, each line of its rows but of their first segment, and each of the first segment
    /// of the next band's, is asked for once, before it is read.
    #[test]
    fn every_line_is_asked_for_once() {
        for (segment, band) in [(256, 64), (1024, 32), (1024, 4), (256, 128)] {
            let segments = Segments::new(segment);
            for row in [
                26,
                64,
                128,
                192,
                320,
                376,
                1000,
                1024,
                1100,
                2048,
                2500,
                4096 + 64,
            ] {
                let mut times = vec![vec![0; row]; 2 * band];
                for at in (0..row).step_by(LINE) {
                    let asked = segments.asked(at, band, row);
                    for r in asked.rows {
                        let bytes = &mut times[r][asked.bytes.clone()];
                        bytes.iter_mut().for_each(|times| *times += 1);
                        assert!(r >= band || asked.bytes.start > at, "asked for late");
                    }
                }
                let first = if row < 2 * segment { row } else { segment };
                for (r, times) in times.iter().enumerate() {
                    for (byte, &times) in times.iter().enumerate() {
                        let expected = (r < band) == (byte >= first);
                        assert_eq!(times, i32::from(expected), "{segment} {row}: {r}, {byte}");
                    }
                }
            }
        }
    }
}
