//! Copies whose source is a list of pointers, against index arithmetic: every family that a listed
//! axis can end in, on every tier.

use std::collections::HashSet;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use restride::recipe::Family;
use restride::{Error, Isa, Options, Par, Plan, Problem};

/// A source in pieces: piece `i` holds what index `i` of the listed axis reaches, at an offset of
/// its own. The destination is dense, its axes in some order, some of them backwards.
struct Case {
    cell: usize,
    shape: Vec<usize>,
    listed: usize,
    src: Vec<isize>,
    dst: Vec<isize>,
    starts: Vec<usize>,
    pieces: Vec<Vec<u8>>,
    /// Bytes of the destination before its index `[0, 0, ..]`.
    before: usize,
    bytes: usize,
}

fn dense(
    rng: &mut SmallRng,
    cell: usize,
    shape: &[usize],
    skip: Option<usize>,
) -> (Vec<isize>, usize) {
    let mut order: Vec<usize> = (0..shape.len())
        .filter(|&axis| Some(axis) != skip)
        .collect();
    for i in (1..order.len()).rev() {
        order.swap(i, rng.random_range(0..=i));
    }
    let (mut strides, mut stride, mut before) = (vec![0; shape.len()], cell, 0);
    for axis in order {
        let backwards = rng.random_bool(0.2);
        strides[axis] = if backwards {
            -(stride as isize)
        } else {
            stride as isize
        };
        before += if backwards {
            (shape[axis] - 1) * stride
        } else {
            0
        };
        stride *= shape[axis];
    }
    (strides, before)
}

impl Case {
    fn random(seed: u64) -> Self {
        let mut rng = SmallRng::seed_from_u64(seed);
        let cell = [1, 2, 3, 4, 4, 8, 8, 12, 16, 40][rng.random_range(0..10)];
        let rank = rng.random_range(1..5);
        let shape: Vec<usize> = (0..rank).map(|_| rng.random_range(1..20)).collect();
        let listed = rng.random_range(0..rank);
        let (mut src, src_before) = dense(&mut rng, cell, &shape, Some(listed));
        if rng.random_bool(0.3) {
            // Gaps between the cells.
            src.iter_mut().for_each(|stride| *stride *= 2);
        }
        let (dst, before) = dense(&mut rng, cell, &shape, None);
        let bytes = cell * shape.iter().product::<usize>();
        let starts = (0..shape[listed])
            .map(|_| 2 * src_before + rng.random_range(0..9))
            .collect();
        let length = 2 * bytes / shape[listed] + 10;
        let piece = |_| (0..length).map(|_| rng.random()).collect();
        let pieces = (0..shape[listed]).map(piece).collect();
        Self {
            cell,
            shape,
            listed,
            src,
            dst,
            starts,
            pieces,
            before,
            bytes,
        }
    }

    fn expected(&self) -> Vec<u8> {
        let mut out = vec![0; self.bytes];
        for number in 0..self.shape.iter().product() {
            let (mut rest, mut from, mut to, mut piece) =
                (number, 0_isize, self.before as isize, 0);
            for axis in (0..self.shape.len()).rev() {
                let index = rest % self.shape[axis];
                rest /= self.shape[axis];
                to += index as isize * self.dst[axis];
                if axis == self.listed {
                    piece = index;
                } else {
                    from += index as isize * self.src[axis];
                }
            }
            let (from, to) = ((from + self.starts[piece] as isize) as usize, to as usize);
            out[to..to + self.cell].copy_from_slice(&self.pieces[piece][from..from + self.cell]);
        }
        out
    }

    fn run(&self, options: &Options) -> Result<(Family, Vec<u8>), Error> {
        let problem = Problem::from_bytes(self.cell, &self.shape, &self.src, &self.dst)?;
        let plan = Plan::with(&problem.with_listed_source(self.listed)?, options)?;
        let starts: Vec<*const u8> = (self.pieces.iter().zip(&self.starts))
            .map(|(piece, &start)| piece.as_ptr().wrapping_add(start))
            .collect();
        let mut out = vec![0; self.bytes];
        // SAFETY: each piece holds what the axes that are not listed reach from its start, doubled
        // strides included; `out` holds what all axes reach from `before`.
        unsafe { plan.run_listed_raw(&starts, out.as_mut_ptr().wrapping_add(self.before)) };
        Ok((plan.recipe().work.as_ref().unwrap().family(), out))
    }
}

#[test]
fn pieces_arrive_where_they_belong() {
    let mut families = HashSet::new();
    let seeds = if cfg!(debug_assertions) { 500 } else { 20_000 };
    for seed in 0..seeds {
        let case = Case::random(seed);
        let expected = case.expected();
        for isa in [Isa::Scalar, Isa::Portable, Isa::Avx2, Isa::Avx512] {
            let par = if seed % 7 == 0 {
                Par::Threads(3)
            } else {
                Par::Seq
            };
            let options = Options {
                par,
                isa: Some(isa),
                ..Options::default()
            };
            match case.run(&options) {
                Ok((family, out)) => {
                    assert!(out == expected, "seed {seed}, {isa}, {family:?}");
                    families.insert(family);
                }
                Err(Error::UnsupportedIsa { .. }) => {}
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
    }
    for family in [
        Family::Run,
        Family::Transpose,
        Family::Gather,
        Family::Scatter,
    ] {
        assert!(families.contains(&family), "no case came to {family:?}");
    }
}

#[test]
fn a_listed_axis_must_exist_and_a_list_must_fit() {
    let problem = Problem::from_bytes(4, &[2, 3], &[4, 0], &[12, 4]).unwrap();
    let refused = Error::AxisOutOfRange {
        arg: "axis",
        got: 2,
        rank: 2,
    };
    assert_eq!(problem.clone().with_listed_source(2), Err(refused));
    let plan = Plan::new(&problem.with_listed_source(1).unwrap()).unwrap();
    let mut out = [0_u32; 6];
    let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let short = [out.as_ptr().cast(); 2];
        // SAFETY: the list is too short, which is found before anything is read.
        unsafe { plan.run_listed_raw(&short, out.as_mut_ptr().cast()) };
    }));
    assert!(run.is_err());
    assert_eq!(out, [0; 6]);
}
