//! The loop anyone would write: one cell at a time, in the order of the destination's axes.

use super::{Each, NAIVE, Peer, Run, Terms};
use restride_cases::Case;

pub(super) const PEER: Peer = Peer {
    name: NAIVE,
    version: None,
    parallel: false,
    how: "a nested loop over typed cells, in the order of the destination's axes",
    new,
};

/// Nested loops over typed cells, for cells that have a primitive type.
fn new(case: &Case, _: Terms) -> Option<Box<dyn Run>> {
    Some(match case.cell {
        1 => loops::<u8>(case),
        2 => loops::<u16>(case),
        4 => loops::<u32>(case),
        8 => loops::<u64>(case),
        16 => loops::<u128>(case),
        _ => return None,
    })
}

fn loops<T: Copy + 'static>(case: &Case) -> Box<dyn Run> {
    let (from, to) = (case.src_place().base, case.dst_place().base);
    let src_strides = case.in_bytes(&case.src);
    let dst_strides = case.in_bytes(&case.dst);
    let shape = case.shape.clone();
    let empty = case.side_bytes() == 0;
    Each::of(case, move |src: &[u8], dst: &mut [u8]| {
        if empty {
            return;
        }
        // SAFETY: range: `Each` has checked that the buffers are as long as the places of the case
        // say, which hold all its cells; aliasing: `dst` is borrowed uniquely; shape, stride: one
        // stride per axis on either side, no extent is 0.
        unsafe {
            let (src, dst) = (src.as_ptr().add(from), dst.as_mut_ptr().add(to));
            walk::<T>(&shape, src, &src_strides, dst, &dst_strides);
        }
    })
}

/// One axis: its cells if it is the last, else its part of the copy at each index.
///
/// # Safety
/// - Shape, stride: as many strides as extents on either side.
/// - Range: `src` and `dst` lead to all cells that the strides reach, to be read and written.
/// - Aliasing: no cell of `dst` shares a byte with one of `src`.
/// - Alignment: none.
unsafe fn walk<T: Copy>(
    shape: &[usize],
    src: *const u8,
    src_strides: &[isize],
    dst: *mut u8,
    dst_strides: &[isize],
) {
    // SAFETY: range: indices stay below their extents, so all addresses are those of cells;
    // alignment: reads and writes ask for none; the rest is the caller's.
    unsafe {
        match *shape {
            [] => dst
                .cast::<T>()
                .write_unaligned(src.cast::<T>().read_unaligned()),
            [extent] => {
                for i in 0..extent as isize {
                    let cell = src.offset(i * src_strides[0]).cast::<T>().read_unaligned();
                    dst.offset(i * dst_strides[0])
                        .cast::<T>()
                        .write_unaligned(cell);
                }
            }
            [extent, ref inner @ ..] => {
                for i in 0..extent as isize {
                    let (src, dst) = (
                        src.offset(i * src_strides[0]),
                        dst.offset(i * dst_strides[0]),
                    );
                    walk::<T>(inner, src, &src_strides[1..], dst, &dst_strides[1..]);
                }
            }
        }
    }
}
