//! `fill` with 64-byte vectors: a line of one cell again and again.
//!
//! ```text
//!   cells of 1, 2, 4, 8, 16 bytes         cells of 5 bytes
//!   |abcdabcd..abcd|abcdabcd..abcd|       |abcdeabc..abcd|eabcdeab..eabc|deabcdea.. |
//!   every line the same                   a line starts 64 % 5 bytes further in the cell
//! ```

use core::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm512_broadcast_i32x4, _mm512_mask_storeu_epi8, _mm512_set1_epi8,
    _mm512_set1_epi16, _mm512_set1_epi32, _mm512_set1_epi64,
};
use core::ops::Range;

use super::{lines, turning};
use crate::ahead::{self, Ahead};
use crate::cpu::from_zen5;
use crate::fence::StreamFence;
use crate::gather::pick::{Line, Pick};
use crate::gather::places::{Places, bits};
use crate::gather::stream::stream;
use crate::isa::Isa;
use crate::panel::{LINE, Panel};
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Picks one cell for all lanes.
#[derive(Clone, Copy)]
struct Repeated<const CELL: usize>;

impl<const CELL: usize> Pick for Repeated<CELL> {
    const CELL: usize = CELL;
    const BEYOND: bool = false;
    type Line = __m512i;

    #[inline(always)]
    unsafe fn whole(self, src: *const u8) -> __m512i {
        // SAFETY: range: a cell, passed on; alignment: unaligned reads; ISA: passed on.
        unsafe {
            match CELL {
                1 => _mm512_set1_epi8(src.cast::<i8>().read_unaligned()),
                2 => _mm512_set1_epi16(src.cast::<i16>().read_unaligned()),
                4 => _mm512_set1_epi32(src.cast::<i32>().read_unaligned()),
                8 => _mm512_set1_epi64(src.cast::<i64>().read_unaligned()),
                _ => _mm512_broadcast_i32x4(_mm_loadu_si128(src.cast())),
            }
        }
    }

    #[inline(always)]
    unsafe fn part(self, src: *const u8, lanes: Range<usize>) -> __m512i {
        // SAFETY: range: the cell of all lanes is the same; ISA: passed on.
        unsafe { self.whole(src).only(lanes.start * CELL..lanes.end * CELL) }
    }
}

/// Writes the cells of a line, all of them the same, `V` cells apart: a line of them has one wherever
/// there may be one, so masks are all it takes.
#[derive(Clone, Copy)]
struct Stamped<const CELL: usize, const V: usize> {
    places: &'static Places<V>,
}

impl<const CELL: usize, const V: usize> Stamped<CELL, V> {
    const UP: &Places<V> = &Places::new(CELL, CELL, V, false);
    const DOWN: &Places<V> = &Places::new(CELL, CELL, V, true);

    /// For cells `V` cells apart in the direction of `step`.
    #[inline(always)]
    fn new(step: isize) -> Self {
        let places = if step < 0 { Self::DOWN } else { Self::UP };
        Self { places }
    }

    /// # Safety
    /// - Range: the cells from `low` to `high` can be written in the vectors from that of `dst` on.
    /// - ISA: AVX-512 BW is enabled where this is inlined.
    #[inline(always)]
    unsafe fn stamp(self, line: __m512i, dst: *mut u8, (low, high): (isize, isize)) {
        let base = dst.wrapping_offset(self.places.base);
        for v in 0..V {
            let start = (v * LINE) as isize;
            let mask = self.places.cells[v] & bits(low - start, high - start);
            let to = base.wrapping_offset(start).cast();
            // SAFETY: range: masked-out bytes are not accessed, the others are the caller's; ISA:
            // passed on.
            unsafe { _mm512_mask_storeu_epi8(to, mask, line) };
        }
    }
}

/// Fills a panel whose destination cells are `V` cells apart.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `CELL` byte cells and that destination
/// step; AVX-512 F and BW are enabled where this is inlined.
#[inline(always)]
unsafe fn stamp<const CELL: usize, const V: usize>(panel: &Panel<'_>) {
    let (lanes, cols, step) = (LINE / CELL, panel.cols, panel.dst.step);
    let stamped = Stamped::<CELL, V>::new(step);
    let ahead = if from_zen5() {
        Ahead::of_masked(panel)
    } else {
        None
    };
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows; range: the cell of the row; ISA: passed on.
        let (line, dst, asked) = unsafe {
            let (src, dst, asked) = ahead::row(panel, ahead, r);
            (Repeated::<CELL>.whole(src), dst, asked)
        };
        for c in (0..cols).step_by(lanes) {
            if let Some(asked) = asked {
                asked.all(c * V * CELL..(c + lanes).min(cols) * V * CELL);
            }
            let to = dst.wrapping_offset((c as isize).wrapping_mul(step));
            let reach = if c + lanes <= cols {
                (0, (V * LINE) as isize)
            } else {
                stamped.places.reach(CELL, &(0..cols - c))
            };
            // SAFETY: range and aliasing: cells of the row from c on, at most a line; ISA: passed
            // on.
            unsafe { stamped.stamp(line, to, reach) };
        }
    }
}

/// Cells of the destination that are so near each other that stores of vectors pay: *guess*, those
/// of `gather`.
fn stamps<const CELL: usize>(step: isize) -> bool {
    let step = step.unsigned_abs();
    step.is_multiple_of(CELL) && (2..=4).contains(&(step / CELL)) && step <= 16
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn cached<const CELL: usize>(panel: &Panel<'_>) {
    let step = panel.dst.step;
    // SAFETY: passed on: the source step is 0, that of the destination is one of these; ISA: AVX-512
    // F and BW are enabled here.
    unsafe {
        match step.unsigned_abs() / CELL {
            2 => stamp::<CELL, 2>(panel),
            3 => stamp::<CELL, 3>(panel),
            4 => stamp::<CELL, 4>(panel),
            _ => lines::walk(panel, Repeated::<CELL>),
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn streamed<const CELL: usize>(panel: &Panel<'_>, _: &StreamFence<'_>) {
    // SAFETY: passed on: the step is 0; ISA: AVX-512 F and BW are enabled here.
    unsafe { stream(panel, Repeated::<CELL>, None) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn any_cached(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F and BW are enabled here.
    unsafe { turning::walk::<__m512i, false>(panel) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn any_streamed(panel: &Panel<'_>, _: &StreamFence<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F and BW are enabled here.
    unsafe { turning::walk::<__m512i, true>(panel) }
}

/// The two rows of a cell size.
macro_rules! rows {
    ($($cell:literal, $lanes:literal);*) => {
        &[$(
            Row {
                name: concat!("fill-", $cell, "-avx512-1x", $lanes),
                family: Family::Fill,
                cell: CellSize::Exact($cell),
                isa: Isa::Avx512,
                tile: Tile { rows: 1, cols: $lanes },
                needs: |ask| {
                    let near = ask.dst_step == $cell || stamps::<$cell>(ask.dst_step);
                    near && ask.cols >= $lanes
                },
                call: Call::Cached(cached::<$cell>),
            },
            Row {
                name: concat!("fill-", $cell, "-avx512-2x", $lanes),
                family: Family::Fill,
                cell: CellSize::Exact($cell),
                isa: Isa::Avx512,
                tile: Tile { rows: 2, cols: $lanes },
                needs: |ask| ask.dst_step == $cell && ask.cols >= $lanes,
                call: Call::Streaming {
                    call: streamed::<$cell>,
                    scratch: |_| 0,
                },
            },
        )*
        Row {
            name: "fill-any-avx512-1x64",
            family: Family::Fill,
            cell: CellSize::Any,
            isa: Isa::Avx512,
            tile: Tile { rows: 1, cols: LINE },
            needs: turning::takes,
            call: Call::Cached(any_cached),
        },
        Row {
            name: "fill-any-avx512-2x64",
            family: Family::Fill,
            cell: CellSize::Any,
            isa: Isa::Avx512,
            tile: Tile { rows: 2, cols: LINE },
            needs: turning::takes,
            call: Call::Streaming {
                call: any_streamed,
                scratch: |_| 0,
            },
        }]
    };
}

pub(super) static ROWS: &[Row] = rows!(1, 64; 2, 32; 4, 16; 8, 8; 16, 4);
