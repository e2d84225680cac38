//! Many blocks copied by one plan.

use restride::{Layout, Options, Par, copy_many};

use crate::common::oracle::for_each_index;
use crate::common::random::{Random, mix};
use crate::support::{Element, each_size, layout, options, shape};

#[test]
fn copy_many_is_copying_the_places_in_order() {
    fn case<T: Element>(random: &mut Random) {
        let mut base = shape(random);
        base.truncate(3);
        let (src_block, src_len) = layout(random, &base);
        let (dst_block, dst_len) = layout(random, &base);
        let room = 1 + random.below(300);
        let regular = random.one_in(2);
        let places: Vec<(usize, usize)> = (0..random.below(20))
            .map(|k| {
                let to = if regular {
                    k * room / 20
                } else {
                    random.below(room)
                };
                (random.below(50), to)
            })
            .collect();
        let src: Vec<T> = (0..src_len as u64 + 50).map(|n| T::of(n * 7919)).collect();
        let mut dst: Vec<T> = (0..(dst_len + room) as u64).map(|n| T::of(!n)).collect();
        let mut expected = dst.clone();
        for &(from, to) in &places {
            for_each_index(&base, |index| {
                let place = |block: &Layout, more: usize| {
                    let offset = crate::common::oracle::offset(index, block.strides());
                    (block.offset() + more).wrapping_add_signed(offset)
                };
                expected[place(&dst_block, to)] = src[place(&src_block, from)];
            });
        }
        let options = options(random);
        copy_many(&src, &src_block, &mut dst, &dst_block, &places, &options).unwrap();
        assert_eq!(
            dst, expected,
            "{src_block:?}, {dst_block:?}, {places:?}, {options:?}"
        );
    }
    each_size!(case, b"many....");
}

/// Blocks that are all written to the same place, or end there: the last one counts, at any number
/// of ranges. Large enough that ranges would run at the same time.
#[test]
fn overlapping_blocks_are_copied_in_order() {
    let (len, many) = (50_000, 30);
    let block = Layout::row_major(&[len]).unwrap();
    let src: Vec<u16> = (0..many * len).map(|i| (i / len) as u16 + 1).collect();
    let places: Vec<_> = (0..many).map(|k| (k * len, many - 1 - k)).collect();
    let options = Options {
        par: Par::Threads(3),
        ..Options::default()
    };
    for _ in 0..20 {
        let mut dst = vec![0; len + many];
        copy_many(&src, &block, &mut dst, &block, &places, &options).unwrap();
        assert!(dst[..len].iter().all(|&value| value == many as u16));
        assert_eq!(dst[len], many as u16 - 1);
    }
}
