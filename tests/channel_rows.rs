//! The rows that give channels to pixels, between guard pages: both sides flush left and flush right, every row, cached
//! and streamed, all small numbers of pixels and a few larger ones, lines met anywhere. A byte beside either side is a
//! fault, a byte beside the pixels of the destination is seen.

mod common;

use common::pages::{Pages, pattern};
use restride_kernels::{Channels, Token, channels_rows};

/// Bytes of a value, times it stands before a pixel, bytes of a pixel, times after it.
const KINDS: [(usize, usize, usize, usize); 14] = [
    (1, 0, 3, 1),
    (1, 1, 3, 0),
    (1, 0, 1, 1),
    (1, 1, 1, 2),
    (1, 1, 2, 1),
    (1, 2, 6, 0),
    (1, 1, 12, 3),
    (2, 0, 6, 1),
    (2, 1, 2, 2),
    (4, 0, 12, 1),
    (4, 1, 12, 0),
    (4, 0, 4, 1),
    (4, 1, 8, 1),
    (8, 0, 8, 1),
];

#[test]
fn channel_rows_between_guard_pages() {
    let token = Token::best();
    let (from, to) = (Pages::guarded(1 << 16), Pages::guarded(1 << 16));
    let mut done = 0;
    for row in channels_rows() {
        let Some(kernel) = row.bind(token) else {
            eprintln!("skipped: {row:?}");
            continue;
        };
        for (size, before, bytes, after) in KINDS {
            let value: Vec<u8> = (0..size).map(|at| pattern(at + 77)).collect();
            let channels = Channels::new(&value, before, bytes, after).expect("one of its kinds");
            let pixel = (before + after) * size + bytes;
            assert_eq!(channels.pixel(), (bytes, pixel));
            for pixels in (0..=150).chain([333, 1000]) {
                let (read, written) = (pixels * bytes, pixels * pixel);
                for streams in [false, true] {
                    for (start, end) in [(0, 0), (pixel, 0), (3, 5), (16, 1), (0, 48)] {
                        let src = if pixels % 2 == 0 {
                            from.start
                        } else {
                            from.end().wrapping_sub(read)
                        };
                        // Flush left but for `start`, or flush right but for `end`.
                        let dst = if start > end {
                            to.start.wrapping_add(start)
                        } else {
                            to.end().wrapping_sub(written + end)
                        };
                        let all = 1 << 16;
                        // SAFETY: range: the first or the last bytes, and all bytes, of pages which are this test's
                        // own; alignment: none.
                        let (source, room) = unsafe {
                            (
                                std::slice::from_raw_parts_mut(src, read),
                                std::slice::from_raw_parts_mut(to.start, all),
                            )
                        };
                        for (at, byte) in source.iter_mut().enumerate() {
                            *byte = pattern(at);
                        }
                        let first = dst.addr() - to.start.addr();
                        let beside = first.saturating_sub(99)..all.min(first + written + 99);
                        room[beside.clone()].fill(0xa5);
                        let mut want = room[beside.clone()].to_vec();
                        let cells = want[first - beside.start..].chunks_exact_mut(pixel);
                        for (i, cell) in cells.take(pixels).enumerate() {
                            let (head, rest) = cell.split_at_mut(before * size);
                            let (middle, tail) = rest.split_at_mut(bytes);
                            for margin in [head, tail] {
                                for value_at in margin.chunks_exact_mut(size) {
                                    value_at.copy_from_slice(&value);
                                }
                            }
                            for (at, byte) in middle.iter_mut().enumerate() {
                                *byte = pattern(i * bytes + at);
                            }
                        }
                        let fence = kernel.begin(streams);
                        // SAFETY: range and aliasing: both are in pages of this test, which are not the same; ISA: bound.
                        unsafe { kernel.run(&channels, (src, dst), pixels, &fence) };
                        drop(fence);
                        assert!(
                            room[beside] == want,
                            "{row:?}: {pixels} of {channels:?}, streamed {streams}, {start} {end}"
                        );
                        done += 1;
                    }
                }
            }
        }
    }
    assert!(done > 10_000 || channels_rows().next().is_none(), "{done}");
}
