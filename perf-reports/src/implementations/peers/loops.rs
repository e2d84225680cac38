//! The loops that someone who thinks for a minute would write: axes that continue each other on both sides are one, runs
//! that are contiguous on both sides are copied whole, the rest is nested in the order of the destination or of the
//! source. Layouts that nobody thought of are compared with the better of the two.

use restride_cases::{Case, Kind};

use super::{Each, LOOPS, LOOPS_BY_SOURCE, Peer, Run, Terms};

pub(super) const BY_DESTINATION: Peer = Peer {
    name: LOOPS,
    version: None,
    parallel: false,
    how: "nested loops over merged axes, in the order of the destination's strides",
    new: |case, _: Terms| {
        Some(new(case, |axis| {
            (axis.dst.unsigned_abs(), axis.src.unsigned_abs())
        }))
    },
};

pub(super) const BY_SOURCE: Peer = Peer {
    name: LOOPS_BY_SOURCE,
    version: None,
    parallel: false,
    how: "the same in the order of the source's strides",
    new: |case, _: Terms| {
        Some(new(case, |axis| {
            (axis.src.unsigned_abs(), axis.dst.unsigned_abs())
        }))
    },
};

/// Whether they stand beside this case where nobody asked for them.
pub(in crate::implementations) fn belong(case: &Case) -> bool {
    case.kind == Kind::Random
}

/// A loop; strides in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Axis {
    extent: usize,
    src: isize,
    dst: isize,
}

/// The loops, and what is moved in the innermost of them.
#[derive(Debug, PartialEq, Eq)]
struct Nest {
    /// Outermost first.
    axes: Vec<Axis>,
    /// Bytes of a run.
    run: usize,
}

impl Nest {
    /// The nest of a case, axes with the largest `key` outermost.
    fn of(case: &Case, key: impl Fn(&Axis) -> (usize, usize)) -> Self {
        let strides = case
            .in_bytes(&case.src)
            .into_iter()
            .zip(case.in_bytes(&case.dst));
        let mut all: Vec<Axis> = case
            .shape
            .iter()
            .zip(strides)
            .map(|(&extent, (src, dst))| Axis { extent, src, dst })
            .filter(|axis| axis.extent != 1)
            .collect();
        all.sort_by_key(|axis| std::cmp::Reverse(key(axis)));
        let mut axes: Vec<Axis> = Vec::new();
        for axis in all {
            let whole = axis.extent as isize;
            match axes.last_mut() {
                Some(outer) if (outer.src, outer.dst) == (whole * axis.src, whole * axis.dst) => {
                    *outer = Axis {
                        extent: outer.extent * axis.extent,
                        ..axis
                    };
                }
                _ => axes.push(axis),
            }
        }
        let mut run = case.cell;
        if let Some(axis) = axes.pop_if(|axis| (axis.src, axis.dst) == (run as isize, run as isize))
        {
            run *= axis.extent;
        }
        Self { axes, run }
    }
}

fn new(case: &Case, key: impl Fn(&Axis) -> (usize, usize)) -> Box<dyn Run> {
    let (from, to) = (case.src_place().base, case.dst_place().base);
    let Nest { axes, run } = Nest::of(case, key);
    let empty = case.side_bytes() == 0;
    Each::of(case, move |src: &[u8], dst: &mut [u8]| {
        if empty {
            return;
        }
        // SAFETY: range: `Each` has checked that the buffers are as long as the places of the case say, which hold all
        // its cells; aliasing: `dst` is borrowed uniquely; shape: no extent is 0.
        unsafe {
            let (src, dst) = (src.as_ptr().add(from), dst.as_mut_ptr().add(to));
            walk(&axes, run, src, dst);
        }
    })
}

/// # Safety
/// - Range: `src` and `dst` lead to all runs that the axes reach, to be read and written.
/// - Aliasing: no run of `dst` shares a byte with one of `src`.
/// - Alignment: none.
unsafe fn walk(axes: &[Axis], run: usize, src: *const u8, dst: *mut u8) {
    // SAFETY: range: indices stay below their extents, so all addresses are those of runs; aliasing: passed on.
    unsafe {
        match *axes {
            [] => src.copy_to_nonoverlapping(dst, run),
            [axis] => innermost(axis, run, src, dst),
            [axis, ref inner @ ..] => {
                for i in 0..axis.extent as isize {
                    walk(
                        inner,
                        run,
                        src.offset(i * axis.src),
                        dst.offset(i * axis.dst),
                    );
                }
            }
        }
    }
}

/// One loop: runs as long as numbers, and a few of them, are moved as values.
///
/// # Safety
/// As [`walk`], with one axis.
unsafe fn innermost(axis: Axis, run: usize, src: *const u8, dst: *mut u8) {
    // SAFETY: passed on: runs of as many bytes as the array has.
    unsafe {
        match run {
            1 => values::<1>(axis, src, dst),
            2 => values::<2>(axis, src, dst),
            3 => values::<3>(axis, src, dst),
            4 => values::<4>(axis, src, dst),
            6 => values::<6>(axis, src, dst),
            8 => values::<8>(axis, src, dst),
            12 => values::<12>(axis, src, dst),
            16 => values::<16>(axis, src, dst),
            24 => values::<24>(axis, src, dst),
            32 => values::<32>(axis, src, dst),
            48 => values::<48>(axis, src, dst),
            _ => {
                for i in 0..axis.extent as isize {
                    let (src, dst) = (src.offset(i * axis.src), dst.offset(i * axis.dst));
                    src.copy_to_nonoverlapping(dst, run);
                }
            }
        }
    }
}

/// # Safety
/// As [`walk`], with one axis and runs of `N` bytes.
unsafe fn values<const N: usize>(axis: Axis, src: *const u8, dst: *mut u8) {
    for i in 0..axis.extent as isize {
        // SAFETY: range: i is below the extent; alignment: arrays of bytes have none; aliasing: passed on.
        unsafe {
            let value = src.offset(i * axis.src).cast::<[u8; N]>().read();
            dst.offset(i * axis.dst).cast::<[u8; N]>().write(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use restride_cases::{Call, Side, Suite, oracle, pattern};

    use super::*;
    use crate::implementations::{Checked, Implementation};
    use crate::measure::verify::verify;

    #[test]
    fn axes_that_continue_each_other_are_one_and_runs_are_whole() {
        let case = Case {
            name: "rows".into(),
            kind: Kind::Table,
            cell: 4,
            shape: vec![3, 1, 5, 2, 7],
            src: Side {
                strides: vec![1000, 9, 28, 14, 1],
                offset: 0,
            },
            dst: Side::row_major(&[3, 1, 5, 2, 7]),
            call: Call::Prepared,
        };
        let nest = Nest::of(&case, |axis| (axis.dst.unsigned_abs(), 0));
        let axis = |extent, src, dst| Axis { extent, src, dst };
        let axes = vec![axis(3, 4000, 280), axis(10, 56, 28)];
        assert_eq!(nest, Nest { axes, run: 28 });
    }

    #[test]
    fn both_orders_copy_layouts_that_nobody_thought_of() {
        let small = |case: &Case| case.side_bytes() < 100_000;
        let cases: Vec<Case> = Suite::random(3, 60).into_iter().filter(small).collect();
        assert!(cases.len() > 100);
        for case in &cases {
            let (mut src, mut dst) = (vec![0; case.src_place().len], vec![0; case.dst_place().len]);
            let mut expected = dst.clone();
            pattern::fill(&mut src);
            oracle::expect(case, &mut expected);
            for peer in [BY_DESTINATION, BY_SOURCE] {
                let terms = Terms {
                    threads: 1,
                    pages: restride_cases::Pages::Huge,
                };
                let mut row = Implementation {
                    name: peer.name,
                    threads: 1,
                    checked: Checked::Permuted,
                    recipe: None,
                    run: (peer.new)(case, terms).unwrap(),
                };
                verify(case, &mut row, &src, &mut dst, &expected).unwrap();
            }
        }
    }
}
