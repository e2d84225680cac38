//! Where streams must not lie: at the same place of different pages.
//!
//! A file of its own because it is about processors, not about runs. Before a processor loads, it looks
//! for an earlier store to the same bytes that is still on its way, and first compares places within a
//! page. Zen 3 takes a load for one of what was stored just now at the same place of another page, and
//! waits for that store, which, around the caches, takes long. It learns that it need not where there is
//! one stream, but not where there are several whole pages apart. Two allocations of the same size often
//! lie at the same place in a page, so this is the usual case, not a rare one.
//!
//! Milliseconds for 16 MiB with AVX2 on a 2-core Zen 3 server VM, four streams so many bytes apart, the
//! destination so many bytes behind the source in a page:
//!
//! ```text
//!   apart      0   32   64  128  256  320  512 .. 4032
//!    4096    3.5  3.0  7.6  4.7  2.7  1.6  1.0     0.9
//!    4352    1.1  1.1  1.2  1.2  0.9  1.2  1.0     1.0
//!    5120    0.9  0.9  1.0  1.0  0.8  1.1  1.0     1.0
//!    6144    1.0  1.0  4.5  2.5  1.4  1.0  0.9     0.9     (4.0 at 2112: every other one is a page apart)
//!    9216    0.9  0.9  1.1  0.9  0.8  0.9  0.9     0.9
//!   one      0.8  0.9  1.1  1.0  0.8  1.1  1.0     1.0
//! ```

use crate::panel::{LINE, PAGE};

/// How many bytes behind a load, in a page, stores hinder those of other streams.
const BEHIND: usize = 512;

/// Places that are no farther apart in a page are as good as the same.
const NEAR: usize = 256;

/// Lines by which streams are moved apart in a page: a quarter of it.
const STAGGER: usize = 16;

/// Whether streams that begin here hinder others at the same places of other pages.
fn hinders(src: *const u8, dst: *mut u8) -> bool {
    dst.addr().wrapping_sub(src.addr()).wrapping_add(LINE) % PAGE < BEHIND + LINE
}

/// How many lines four streams that begin here and follow each other lie apart: as many as `wanted`, if
/// they do not hinder each other, and `most` at most.
#[inline(always)]
pub(super) fn apart(src: *const u8, dst: *mut u8, wanted: usize, most: usize) -> usize {
    /// Two pages and a quarter.
    const FAR: usize = 9 * STAGGER;
    if !hinders(src, dst) {
        return wanted.min(most);
    }
    match most.min(FAR) / STAGGER {
        0 => most,
        // An odd number of quarters of a page: the four are at four places of it.
        quarters => ((quarters - 1) | 1) * STAGGER,
    }
}

/// How many lines the second of two streams should be ahead of the first, both of so many lines.
#[inline(always)]
pub(super) fn lead(src: [*const u8; 2], dst: [*mut u8; 2], lines: usize) -> usize {
    let near = |a: usize, b: usize| a.wrapping_sub(b).wrapping_add(NEAR) % PAGE < 2 * NEAR;
    let same = near(src[0].addr(), src[1].addr()) && near(dst[0].addr(), dst[1].addr());
    if same && hinders(src[0], dst[0]) {
        STAGGER.min(lines / 2)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use core::ptr::without_provenance_mut;

    use super::*;

    /// A source at the start of a page, and a destination so many bytes behind it in another one.
    fn places(behind: usize) -> (*const u8, *mut u8) {
        let at = without_provenance_mut::<u8>;
        (at(16 * PAGE).cast_const(), at(64 * PAGE + behind))
    }

    #[test]
    fn streams_that_hinder_each_other_are_at_four_places_of_a_page() {
        for behind in [0, 1, 63, 64, 511, PAGE - 1, PAGE - 64] {
            let (src, dst) = places(behind);
            for most in 1..1000 {
                let lines = apart(src, dst, 64, most);
                assert!((1..=most).contains(&lines), "{behind} {most}");
                let place = |k| k * lines * LINE % PAGE;
                for k in 1..4 {
                    let other = (0..k).map(place).all(|other| other != place(k));
                    assert!(other, "{behind} {most}: {lines}");
                }
            }
        }
    }

    #[test]
    fn others_are_as_far_apart_as_is_wanted() {
        for behind in [512, 2048, 2112, PAGE - 65] {
            let (src, dst) = places(behind);
            assert_eq!(apart(src, dst, 64, 1000), 64);
            assert_eq!(apart(src, dst, 64, 5), 5);
            assert_eq!(lead([src, src], [dst, dst], 64), 0);
        }
    }

    #[test]
    fn one_of_two_leads_where_both_sides_are_pages_apart() {
        let (src, dst) = places(48);
        let (next, other) = (
            src.wrapping_add(2 * PAGE),
            src.wrapping_add(2 * PAGE + 1024),
        );
        let after = dst.wrapping_add(PAGE);
        assert_eq!(lead([src, next], [dst, after], 64), STAGGER);
        assert_eq!(lead([src, next], [dst, after], 7), 3);
        assert_eq!(lead([src, other], [dst, after], 64), 0);
    }
}
