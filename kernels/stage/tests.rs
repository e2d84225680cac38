//! Panels put into a stage tile by tile, whichever cores this machine has: what arrives, and what does not.

use std::vec;
use std::vec::Vec;

use super::turns::Turns;
use super::{Expected, Source, find_stage};
use crate::kernel::Kernel;
use crate::{Pairing, Panel, Rows, Side, SourceGaps, Token, rows};

/// Blocks of `rows` cells of each of `cols` source rows, the last one of `last`: how many, how large, how many bytes lie
/// between two in the destination and behind the start of a line before the first, and whether the source is asked for as
/// pieces.
#[derive(Clone, Copy, Debug)]
struct Blocks {
    count: usize,
    rows: usize,
    last: usize,
    cols: usize,
    gap: usize,
    phase: usize,
    pieces: bool,
}

/// Puts blocks into a stage by the tiles of `kernel`, and compares what arrives. Whether it has tiles.
fn check(kernel: &Kernel, cell: usize, blocks: Blocks) -> bool {
    let Blocks {
        count, rows, cols, ..
    } = blocks;
    let (row, high, wide) = (count * rows * cell, rows * cell, cols * cell);
    let src: Vec<u8> = (0..row * cols).map(|i| (i * 7 + i / 251) as u8).collect();
    let apart = rows * wide + blocks.gap;
    let mut dst = vec![0xa5; count * apart + 256];
    let start = 64 + blocks.phase + dst[64..].as_ptr().align_offset(64);
    let side = |base, stride: usize| Side {
        base,
        rows: Rows::Stride(stride as isize),
        step: cell as isize,
    };
    let mut panel = Panel {
        cell,
        rows,
        cols,
        pairing: Pairing::Crossed,
        gaps: SourceGaps::Forbidden,
        src: side(src.as_ptr().cast_mut(), row),
        dst: side(core::ptr::null_mut(), wide),
    };
    let Some(tiles) = kernel.tiles_of(&panel) else {
        return false;
    };
    let turns = Turns::in_tiles(tiles, &panel);
    let stage = find_stage(Token::best().isa()).and_then(|row| row.bind(Token::best()));
    let stage = stage.expect("asked for where lines are streamed");
    let most = rows * wide;
    let mut scratch = Vec::with_capacity(stage.scratch_bytes(most, wide).expect("small"));
    let mut stage = stage
        .begin(scratch.spare_capacity_mut(), most, wide)
        .expect("there is room");
    let first: *mut u8 = dst[start..].as_mut_ptr();
    let high_of = |block| {
        if block + 1 == count {
            blocks.last
        } else {
            rows
        }
    };
    for block in 0..count {
        let to = first.wrapping_add(block * apart);
        panel.rows = high_of(block);
        let bytes = panel.rows * wide;
        panel.src.base = src.as_ptr().cast_mut().wrapping_add(block * high);
        panel.dst.base = stage.base();
        let (on, read) = (high as isize, panel.src.base.cast_const());
        stage.expect(&Expected {
            bytes,
            source: match blocks.pieces {
                true => Source::Rows { on, rows: cols },
                false => Source::InOrder { read, later: read },
            },
            to,
            next: to.wrapping_add(apart),
        });
        // As many as there are, or some, and the rest when the next block is taken.
        let lines = stage.lines().div_ceil(turns.parts() << (block % 2));
        // SAFETY: range: the block is part of the source, and the stage was made for so many bytes, all of which are
        // written, and belong to the destination; aliasing: all three are this thread's own.
        unsafe {
            stage.put(turns, &panel, lines);
            stage.take(to, bytes);
        }
    }
    drop(stage);
    let mut expected = vec![0xa5; dst.len()];
    for (block, r, c) in (0..count)
        .flat_map(|b| (0..high_of(b)).flat_map(move |r| (0..cols).map(move |c| (b, r, c))))
    {
        let from = c * row + block * high + r * cell;
        let to = start + block * apart + r * wide + c * cell;
        expected[to..to + cell].copy_from_slice(&src[from..from + cell]);
    }
    assert!(dst == expected, "{kernel:?}, {blocks:?}");
    true
}

#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "only x86 rows stream")]
#[cfg_attr(miri, ignore = "vectors")]
fn blocks_put_tile_by_tile_arrive_and_nothing_else_does() {
    let mut checked = 0;
    for kernel in rows().filter_map(|row| row.bind(Token::best())) {
        let (row, tile) = (kernel.row(), kernel.row().tile);
        for cell in [1, 2, 4, 8, 16].into_iter().filter(|&cell| row.moves(cell)) {
            let sizes = [
                (0, 0),
                (1, 0),
                (0, 1),
                (tile.rows + 3, tile.cols / 2),
                (5, 2 * tile.cols + 1),
                (4 * tile.rows - 1, 1),
            ];
            for (i, (more_rows, more_cols)) in sizes.into_iter().enumerate() {
                for (gap, phase) in [(0, 0), (0, 16), (48, 0), (64, 32), (1, 3)] {
                    let (rows, cols) = (tile.rows + more_rows, tile.cols + more_cols);
                    let pieces = (i + gap).is_multiple_of(2);
                    let blocks = Blocks {
                        count: 5,
                        rows,
                        last: if phase == 0 { rows } else { tile.rows },
                        cols,
                        gap,
                        phase,
                        pieces,
                    };
                    checked += usize::from(check(&kernel, cell, blocks));
                }
            }
        }
    }
    assert!(checked > 100, "{checked} with tiles");
}

/// As many source rows as are asked for in segments.
#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "only x86 rows stream")]
#[cfg_attr(miri, ignore = "vectors")]
fn many_rows_in_pieces_arrive() {
    let mut checked = 0;
    for kernel in rows().filter_map(|row| row.bind(Token::best())) {
        for cell in [1, 4].into_iter().filter(|&cell| kernel.row().moves(cell)) {
            let (rows, phase) = (64 / cell, 48);
            let blocks = Blocks {
                count: 9,
                rows,
                last: rows,
                cols: 77,
                gap: 0,
                phase,
                pieces: true,
            };
            checked += usize::from(check(&kernel, cell, blocks));
        }
    }
    assert!(checked > 2, "{checked} with tiles");
}
