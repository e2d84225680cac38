//! The yardsticks: as many bytes as the case moves, from the start of one buffer to the start of
//! the other. On several threads, each moves one contiguous piece.

use restride_cases::{Case, streaming};

use super::{Checked, Each, Implementation, MEMCPY, NT4COPY};

/// Pieces are multiples of this: a block of the streaming copy.
const UNIT: usize = streaming::BLOCK;

/// The C library's memcpy.
pub(super) fn memcpy(case: &Case, threads: usize) -> Implementation {
    yardstick(MEMCPY, case, threads, <[u8]>::copy_from_slice)
}

/// The streaming copy.
pub(super) fn nt4copy(case: &Case, threads: usize) -> Implementation {
    yardstick(NT4COPY, case, threads, streaming::copy)
}

fn yardstick(
    name: &'static str,
    case: &Case,
    threads: usize,
    copy: impl Fn(&mut [u8], &[u8]) + Sync + 'static,
) -> Implementation {
    let bytes = case.side_bytes();
    let run = Each::of(case, move |src: &[u8], dst: &mut [u8]| {
        in_pieces(&mut dst[..bytes], &src[..bytes], threads, &copy);
    });
    Implementation {
        name,
        threads,
        checked: Checked::Plain,
        recipe: None,
        run,
    }
}

/// Splits the copy as restride splits its own: in the pool of the caller, who takes a share.
fn in_pieces<C: Fn(&mut [u8], &[u8]) + Sync>(dst: &mut [u8], src: &[u8], threads: usize, copy: &C) {
    if threads == 1 {
        return copy(dst, src);
    }
    let piece = dst.len().div_ceil(threads).max(1).next_multiple_of(UNIT);
    rayon::in_place_scope(|scope| {
        let mut pieces = dst.chunks_mut(piece).zip(src.chunks(piece));
        let own = pieces.next();
        for (dst, src) in pieces {
            scope.spawn(move |_| copy(dst, src));
        }
        if let Some((dst, src)) = own {
            copy(dst, src);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_everything_once() {
        for len in [0, 1, UNIT - 1, UNIT, UNIT + 1, 5 * UNIT + 77] {
            let src: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
            for threads in 1..5 {
                let mut dst = vec![0; len];
                in_pieces(&mut dst, &src, threads, &<[u8]>::copy_from_slice);
                assert_eq!(dst, src, "{len} bytes on {threads} threads");
            }
        }
    }
}
