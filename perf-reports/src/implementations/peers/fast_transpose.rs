//! `fast_transpose`: dense planes of pixels, one call for each. A pixel is what has a cell's size and
//! SIMD code: u8, u16, f32, four u16, four f32. Its transposes turn by 90 degrees unless they are told to
//! mirror, which costs them nothing.

use fast_transpose::{
    FlipMode, FlopMode, TransposeError, transpose_plane, transpose_plane_f32, transpose_plane16,
    transpose_rgba_f32, transpose_rgba16,
};

use super::cells::{Cell, typed};
use super::dense::Planes;
use super::{Each, Peer, Run, Terms};
use restride_cases::Case;

pub(super) const PEER: Peer = Peer {
    name: "fast_transpose",
    version: Some(env!("RESTRIDE_PERF_FAST_TRANSPOSE")),
    parallel: false,
    how: "a call for each dense plane, of u8, u16, f32, four u16 or four f32; cases that are such",
    new,
};

fn new(case: &Case, _: Terms) -> Option<Box<dyn Run>> {
    match case.cell {
        1 => of_pixel(case, 1, transpose_plane),
        2 => of_pixel(case, 1, transpose_plane16),
        4 => of_pixel(case, 1, transpose_plane_f32),
        8 => of_pixel(case, 4, transpose_rgba16),
        16 => of_pixel(case, 4, transpose_rgba_f32),
        _ => None,
    }
}

/// Source and its stride, destination and its stride, width, height of a plane.
type Plane<T> = fn(
    &[T],
    usize,
    &mut [T],
    usize,
    usize,
    usize,
    FlipMode,
    FlopMode,
) -> Result<(), TransposeError>;

fn of_pixel<T: Cell>(case: &Case, channels: usize, plane: Plane<T>) -> Option<Box<dyn Run>> {
    let Planes {
        count,
        rows,
        columns,
    } = Planes::of(case)?;
    // Slices are of channels, not of pixels.
    let planes = Planes {
        count,
        rows,
        columns: columns * channels,
    };
    let again = case.clone();
    Some(Each::of(case, move |src: &[u8], dst: &mut [u8]| {
        let (src, dst) = typed::<T>(&again, src, dst);
        planes.each(src, dst, |src, dst| {
            let (from, to) = (columns * channels, rows * channels);
            let (flip, flop) = (FlipMode::NoFlip, FlopMode::Flop);
            plane(src, from, dst, to, columns, rows, flip, flop).expect("sizes agree");
        });
    }))
}
