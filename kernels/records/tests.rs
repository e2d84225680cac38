//! More records than the parity test draws: fields of which several lines are streamed at a time, more than once, and
//! which start anywhere in a line.

use core::mem::MaybeUninit;
use std::vec;
use std::vec::Vec;

use crate::{Ask, Family, Pairing, Panel, Rows, Side, SourceGaps, Token, rows};

/// Bytes behind each field.
const GAP: usize = 3;

/// A panel of `count` records of so many cells each, which are taken apart, or put together; fields start so many bytes
/// from the start of a line.
fn check(cell: usize, cells: usize, count: usize, apart: bool, phase: usize) {
    let (record, field) = (cells * cell, count * cell + GAP);
    let [from, to] = if apart {
        [record, field]
    } else {
        [field, record]
    };
    let (high, wide) = if apart {
        (cells, count)
    } else {
        (count, cells)
    };
    let src: Vec<u8> = (0..from * wide).map(|i| (i * 7 + i / 251) as u8).collect();
    let mut buffer = vec![0; to * high + 256];
    let start = 64 + phase + buffer[64..].as_ptr().align_offset(64);
    let mut expected = vec![0xa5; buffer.len()];
    for r in 0..high {
        for c in 0..wide {
            let (to, from) = (start + r * to + c * cell, c * from + r * cell);
            expected[to..to + cell].copy_from_slice(&src[from..from + cell]);
        }
    }
    let side = |base, stride: usize| Side {
        base,
        rows: Rows::Stride(stride as isize),
        step: cell as isize,
    };
    let token = Token::best();
    let streaming = rows().filter(|row| row.family == Family::Transpose && row.streams());
    for kernel in streaming.filter_map(|row| row.bind(token)) {
        buffer.fill(0xa5);
        let panel = Panel {
            cell,
            rows: high,
            cols: wide,
            pairing: Pairing::Crossed,
            gaps: SourceGaps::Forbidden,
            src: side(src.as_ptr().cast_mut(), from),
            dst: side(buffer[start..].as_mut_ptr(), to),
        };
        if !kernel.row().takes(&Ask::of(&panel, true)) {
            continue;
        }
        let mut scratch = vec![MaybeUninit::uninit(); kernel.scratch_bytes(&panel)];
        // SAFETY: range: both sides have the rows at their strides; aliasing: the buffers are different and this thread's
        // own; stride and ISA: taken and bound above; scratch is as long as asked for.
        unsafe { kernel.run(&panel, &kernel.begin(&mut scratch)) };
        assert!(
            buffer == expected,
            "{:?}: {count} x {cells} of {cell} bytes, apart: {apart}, {phase} bytes into a line",
            kernel.row()
        );
    }
}

#[test]
fn many_records_arrive_whole() {
    for cell in [1, 2, 4, 8, 16] {
        for cells in [5, 6, 7, 8, 9, 10, 12, 15, 16] {
            for lines in [1, 7, 8, 9, 17] {
                for more in [0, 1, 40 / cell] {
                    let count = lines * 64 / cell + more;
                    for phase in [0, cell, 29, 63] {
                        check(cell, cells, count, true, phase);
                        check(cell, cells, count, false, phase);
                    }
                }
            }
        }
    }
}
