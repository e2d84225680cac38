//! Runs longer than the parity test draws: those that are streamed in pages, and those that are a
//! call of the memory copy.

use std::vec;
use std::vec::Vec;

use crate::{Ask, Family, Pairing, Panel, Rows, Side, SourceGaps, Token, rows};

/// Runs of `cols` bytes, `gap` bytes apart, `phase` bytes from the start of a line.
fn check(cols: usize, gap: usize, phase: usize) {
    const RUNS: usize = 3;
    let stride = cols + gap;
    let src: Vec<u8> = (0..RUNS * stride)
        .map(|i| (i * 7 + i / 251) as u8)
        .collect();
    let mut buffer = vec![0; RUNS * stride + 256];
    let start = 64 + phase + buffer[64..].as_ptr().align_offset(64);
    let side = |base| Side {
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
            rows: RUNS,
            cols,
            pairing: Pairing::Straight,
            gaps: SourceGaps::Forbidden,
            src: side(src.as_ptr().cast_mut()),
            dst: side(buffer[start..].as_mut_ptr()),
        };
        assert!(row.takes(&Ask::of(&panel, row.streams())), "{row:?}");
        // SAFETY: range: both sides have three runs at this stride; aliasing: the buffers are
        // different and this thread's own; stride and ISA: taken and bound above; no row of the
        // family wants scratch.
        unsafe { kernel.run(&panel, &kernel.begin(&mut [])) };
        let mut expected = vec![0xa5; buffer.len()];
        for at in (0..RUNS).map(|r| r * stride) {
            expected[start + at..start + at + cols].copy_from_slice(&src[at..at + cols]);
        }
        assert!(
            buffer == expected,
            "{row:?}: {cols} + {gap} bytes at {phase}"
        );
    }
}

#[test]
fn long_runs_arrive_whole() {
    let page = 4096;
    for cols in [
        4095,
        4097,
        4 * page - 1,
        4 * page,
        4 * page + 63,
        9 * page + 200,
    ] {
        for gap in [0, 1, 24] {
            for phase in [0, 1, 31, 63] {
                check(cols, gap, phase);
            }
        }
    }
}
