//! Runs longer than the parity test draws: those that are streamed in pages, and those that are a
//! call of the memory copy; and short runs more in number, which are streamed in pieces.

use std::vec;
use std::vec::Vec;

use crate::{Ask, Family, Pairing, Panel, Rows, Side, SourceGaps, Token, rows};

const PAGE: usize = 4096;

/// Where a destination starts.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// So many bytes from the start of a line.
    Line(usize),
    /// So many bytes behind the source in a page.
    Page(usize),
}

/// Runs of `cols` bytes, some bytes apart in the source and in the destination.
fn check(runs: usize, cols: usize, gaps: [usize; 2], place: Place) {
    let strides = gaps.map(|gap| cols + gap);
    let src: Vec<u8> = (0..runs * strides[0])
        .map(|i| (i * 7 + i / 251) as u8)
        .collect();
    let mut buffer = vec![0; runs * strides[1] + 256 + PAGE];
    let start = 64
        + match place {
            Place::Line(phase) => phase + buffer[64..].as_ptr().align_offset(64),
            Place::Page(behind) => {
                let at = buffer[64..].as_ptr().addr();
                (src.as_ptr().addr() + behind).wrapping_sub(at) % PAGE
            }
        };
    let side = |base, stride: usize| Side {
        base,
        rows: Rows::Stride(stride as isize),
        step: 1,
    };
    let token = Token::best();
    for row in rows().filter(|row| row.family == Family::Run) {
        let Some(kernel) = row.bind(token) else {
            continue;
        };
        buffer.fill(0xa5);
        let panel = Panel {
            cell: 1,
            rows: runs,
            cols,
            pairing: Pairing::Straight,
            gaps: SourceGaps::Forbidden,
            src: side(src.as_ptr().cast_mut(), strides[0]),
            dst: side(buffer[start..].as_mut_ptr(), strides[1]),
        };
        if !row.takes(&Ask::of(&panel, row.streams())) {
            assert!(row.streams(), "{row:?}");
            continue;
        }
        // SAFETY: range: both sides have the runs at their strides; aliasing: the buffers are
        // different and this thread's own; stride and ISA: taken and bound above; no row of the
        // family wants scratch.
        unsafe { kernel.run(&panel, &kernel.begin(&mut [])) };
        let mut expected = vec![0xa5; buffer.len()];
        for r in 0..runs {
            let [from, to] = strides.map(|stride| r * stride);
            expected[start + to..start + to + cols].copy_from_slice(&src[from..from + cols]);
        }
        assert!(
            buffer == expected,
            "{row:?}: {runs} x {cols} + {gaps:?} bytes at {place:?}"
        );
    }
}

#[test]
fn long_runs_arrive_whole() {
    for cols in [
        4095,
        4097,
        4 * PAGE - 1,
        4 * PAGE,
        4 * PAGE + 63,
        9 * PAGE + 200,
    ] {
        for gap in [0, 1, 24] {
            for phase in [0, 1, 31, 63] {
                check(3, cols, [gap, gap], Place::Line(phase));
            }
        }
    }
}

#[test]
fn runs_at_the_same_place_of_other_pages_arrive_whole() {
    for cols in [64, 700, 2048, PAGE, 4 * PAGE, 40 * PAGE + 1] {
        let rest = cols.next_multiple_of(PAGE) - cols;
        for gaps in [[rest, rest], [rest, 0], [0, rest], [rest + 64, rest + PAGE]] {
            for behind in [0, 1, 48, 64, 320, 2048, PAGE - 48] {
                check(3, cols, gaps, Place::Page(behind));
            }
        }
    }
}

#[test]
fn many_short_runs_arrive_whole() {
    let piece = 8 << 10;
    for cols in [1, 3, 7, 16, 20, 31, 33, 48, 63, 64, 65, 72, 100, 127, 128] {
        for runs in [
            512 / cols,
            piece / cols,
            piece / cols + 1,
            3 * piece / cols + 5,
        ] {
            for gaps in [[0, 0], [9, 0], [100, 0], [9, 1]] {
                for phase in [0, 1, 31, 63] {
                    check(runs, cols, gaps, Place::Line(phase));
                }
            }
        }
    }
}
