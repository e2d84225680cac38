//! The scenarios and the table, as data: real shapes, and the table that later versions are compared on. Strides
//! are in cells; what is not said is row-major.

use crate::case::{Call, Case, Kind, Side};

/// Six scenarios from real use.
pub(super) fn flagships() -> Vec<Case> {
    vec![
        // F1: an image between pixels and planes.
        permuted("F1-hwc-to-chw-u8", 1, &[1080, 1920, 3], &[2, 0, 1]),
        permuted("F1-chw-to-hwc-u8", 1, &[3, 1080, 1920], &[1, 2, 0]),
        // F2: attention heads.
        permuted("F2-swap-heads-u16", 2, &[1, 2048, 32, 128], &[0, 2, 1, 3]),
        permuted("F2-swap-heads-f32", 4, &[1, 2048, 32, 128], &[0, 2, 1, 3]),
        permuted("F2-keys-f32", 4, &[4, 1500, 8, 64], &[0, 2, 3, 1]),
        // F3: 800 columns of a table become rows; back to back, then 800 allocations.
        permuted("F3-columns-to-rows-f32", 4, &[800, 100_000], &[1, 0]),
        Case {
            call: Call::Listed(1),
            ..permuted("F3-listed-columns-f32", 4, &[800, 100_000], &[1, 0])
        },
        // F4: the axes of a volume of complex numbers, between the passes of an FFT.
        permuted("F4-256-permute-201-c64", 8, &[256; 3], &[2, 0, 1]),
        permuted("F4-256-permute-102-c64", 8, &[256; 3], &[1, 0, 2]),
        permuted("F4-255-permute-201-c64", 8, &[255; 3], &[2, 0, 1]),
        permuted("F4-255-permute-102-c64", 8, &[255; 3], &[1, 0, 2]),
        // F5: tensor networks.
        reversed("F5-24-axes-of-2-f64", 8, &[2; 24]),
        permuted(
            "F5-permute-504132-f64",
            8,
            &[32, 32, 32, 32, 16, 2],
            &[5, 0, 4, 1, 3, 2],
        ),
        // F6: a part of a volume, and the faces of one that has a halo of one cell.
        Case {
            name: "F6-part-into-volume-u16".into(),
            kind: Kind::Flagship,
            cell: 2,
            shape: vec![64, 256, 256],
            src: Side::row_major(&[64, 256, 256]),
            dst: Side {
                strides: vec![1024 * 1024, 1024, 1],
                offset: (96 * 1024 + 384) * 1024 + 384,
            },
            call: Call::Prepared,
        },
        face("F6-face-0-of-258-f64", 8, 258, 0),
        face("F6-face-1-of-258-f64", 8, 258, 1),
        face("F6-face-2-of-258-f64", 8, 258, 2),
    ]
}

/// The table.
pub(super) fn table() -> Vec<Case> {
    vec![
        reversed("transpose-f32-4096x4096", 4, &[4096, 4096]),
        reversed("transpose-f32-4097x4095", 4, &[4097, 4095]),
        reversed("transpose-f32-1024x1024", 4, &[1024, 1024]),
        reversed("transpose-f32-256x256", 4, &[256, 256]),
        reversed("transpose-f32-64x64", 4, &[64, 64]),
        reversed("transpose-f64-4096x4096", 8, &[4096, 4096]),
        permuted(
            "batched-f32-8x12x512x64",
            4,
            &[8, 12, 512, 64],
            &[0, 1, 3, 2],
        ),
        reversed("run-4x4-f32", 4, &[4, 4]),
        Case {
            call: Call::Planned,
            ..reversed("plan-and-run-4x4-f32", 4, &[4, 4])
        },
    ]
}

fn kind_of(name: &str) -> Kind {
    if name.starts_with('F') {
        Kind::Flagship
    } else {
        Kind::Table
    }
}

/// A row-major array whose axes are put into another order: axis `i` of the row-major destination
/// is axis `order[i]` of the source.
pub(super) fn permuted(name: &str, cell: usize, src_shape: &[usize], order: &[usize]) -> Case {
    let src = Side::row_major(src_shape);
    let shape: Vec<usize> = order.iter().map(|&axis| src_shape[axis]).collect();
    Case {
        name: name.into(),
        kind: kind_of(name),
        cell,
        dst: Side::row_major(&shape),
        src: Side {
            strides: order.iter().map(|&axis| src.strides[axis]).collect(),
            offset: 0,
        },
        shape,
        call: Call::Prepared,
    }
}

/// [`permuted`] with all axes in reverse: a transpose.
fn reversed(name: &str, cell: usize, src_shape: &[usize]) -> Case {
    let order: Vec<usize> = (0..src_shape.len()).rev().collect();
    permuted(name, cell, src_shape, &order)
}

/// The first inner layer along `axis` of a cube with a halo of one cell, into a buffer of its own.
/// The layer opposite has the same strides.
fn face(name: &str, cell: usize, edge: usize, axis: usize) -> Case {
    let mut strides = Side::row_major(&[edge; 3]).strides;
    let offset = strides.iter().sum::<isize>() as usize;
    strides.remove(axis);
    let shape = vec![edge - 2; 2];
    Case {
        name: name.into(),
        kind: kind_of(name),
        cell,
        dst: Side::row_major(&shape),
        src: Side { strides, offset },
        shape,
        call: Call::Prepared,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_moves_extents_and_strides_together() {
        let case = permuted("planes", 1, &[1080, 1920, 3], &[2, 0, 1]);
        assert_eq!(case.shape, [3, 1080, 1920]);
        assert_eq!(case.src.strides, [1, 5760, 3]);
        assert_eq!(case.dst.strides, [1080 * 1920, 1920, 1]);
    }

    #[test]
    fn a_face_lies_inside_its_halo() {
        let case = face("face", 8, 258, 1);
        assert_eq!(case.shape, [256, 256]);
        assert_eq!(case.src.strides, [258 * 258, 1]);
        assert_eq!(case.src.offset, 258 * 258 + 258 + 1);
    }
}
