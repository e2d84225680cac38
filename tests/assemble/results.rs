//! Results against index arithmetic.

use restride::{
    Layout, Pad, concat, concat_into, gather_rows, gather_rows_into, pad, pad_into, put, repeat,
    repeat_each, repeat_each_into, repeat_into, roll, roll_into, split, split_into, stack,
    stack_into, take, take_into, tile, tile_into, unstack, unstack_into,
};

use crate::common::oracle::for_each_index;
use crate::common::random::{Random, mix};
use crate::support::{Check, Element, Source, each_size, options, room, shape};

/// `index` with another entry at `axis`.
fn at(index: &[usize], axis: usize, entry: usize) -> Vec<usize> {
    let mut index = index.to_vec();
    index[axis] = entry;
    index
}

fn without(index: &[usize], axis: usize) -> Vec<usize> {
    let mut index = index.to_vec();
    index.remove(axis);
    index
}

fn with(index: &[usize], axis: usize, entry: usize) -> Vec<usize> {
    let mut index = index.to_vec();
    index.insert(axis, entry);
    index
}

#[test]
fn concat_puts_parts_one_after_another() {
    fn case<T: Element>(random: &mut Random) {
        let base = shape(random);
        let axis = random.below(base.len());
        let equal = random.one_in(2);
        let extents: Vec<usize> = (0..1 + random.below(6))
            .map(|_| if equal { base[axis] } else { random.below(5) })
            .collect();
        let dense = random.one_in(2);
        let parts: Vec<Source<T>> = extents
            .iter()
            .map(|&extent| {
                let mut part = Source::random(random, &at(&base, axis, extent));
                if dense {
                    part.layout = Layout::row_major(part.layout.shape()).unwrap();
                }
                part
            })
            .collect();
        let views: Vec<_> = parts.iter().map(Source::view).collect();
        let want = |index: &[usize]| {
            let (mut part, mut i) = (0, index[axis]);
            while i >= extents[part] {
                i -= extents[part];
                part += 1;
            }
            parts[part].at(&at(index, axis, i))
        };
        let shape = at(&base, axis, extents.iter().sum());
        let note = (axis, &extents);
        let check = Check {
            shape: &shape,
            want: &want,
            note: &note,
        };
        check.array(concat(&views, axis));
        check.dst(random, &|dst, options| {
            concat_into(&views, axis, dst, options)
        });
    }
    each_size!(case, b"concat..");
}

#[test]
fn stack_puts_parts_side_by_side_and_unstack_takes_them_apart() {
    fn case<T: Element>(random: &mut Random) {
        let mut base = shape(random);
        base.truncate(4);
        let axis = random.below(base.len() + 1);
        let dense = random.one_in(2);
        let parts: Vec<Source<T>> = (0..1 + random.below(35))
            .map(|_| {
                let mut part = Source::random(random, &base);
                if dense {
                    part.layout = Layout::row_major(&base).unwrap();
                }
                part
            })
            .collect();
        let views: Vec<_> = parts.iter().map(Source::view).collect();
        let want = |index: &[usize]| parts[index[axis]].at(&without(index, axis));
        let (shape, note) = (with(&base, axis, parts.len()), (axis, dense, &base));
        let check = Check {
            shape: &shape,
            want: &want,
            note: &note,
        };
        check.array(stack(&views, axis));
        check.dst(random, &|dst, options| {
            stack_into(&views, axis, dst, options)
        });

        let table = Source::<T>::random(random, &shape);
        for (k, part) in unstack(&table.view(), axis)
            .unwrap()
            .into_iter()
            .enumerate()
        {
            let want = |index: &[usize]| table.at(&with(index, axis, k));
            let check = Check {
                shape: &base,
                want: &want,
                note: &note,
            };
            check.array(Ok(part));
        }
        let mut rooms: Vec<Source<T>> = parts.iter().map(|_| room(random, &base)).collect();
        if dense {
            let same = rooms[0].layout.clone();
            rooms.iter_mut().for_each(|room| {
                room.data.resize(same.storage_range().end + 1, T::of(3));
                room.layout = same.clone();
            });
        }
        let expected: Vec<Vec<T>> = (rooms.iter().enumerate())
            .map(|(k, room)| room.expected(&|index| table.at(&with(index, axis, k))))
            .collect();
        let mut views: Vec<_> = rooms.iter_mut().map(Source::view_mut).collect();
        unstack_into(&table.view(), axis, &mut views, &options(random)).unwrap();
        for (room, expected) in rooms.iter().zip(expected) {
            assert_eq!(room.data, expected, "{note:?}");
        }
    }
    each_size!(case, b"stack...");
}

#[test]
fn split_cuts_an_axis() {
    fn case<T: Element>(random: &mut Random) {
        let mut base = shape(random);
        let axis = random.below(base.len());
        let equal = random.one_in(2);
        let mut ends: Vec<usize> = if equal {
            let (parts, each) = (1 + random.below(5), random.below(4));
            base[axis] = parts * each;
            (1..=parts).map(|k| k * each).collect()
        } else {
            let extent = base[axis];
            let mut cuts: Vec<usize> = (0..random.below(4))
                .map(|_| random.below(extent + 1))
                .collect();
            cuts.sort_unstable();
            cuts.push(extent);
            cuts
        };
        let src = Source::<T>::random(random, &base);
        let starts: Vec<usize> = [0].into_iter().chain(ends.iter().copied()).collect();
        let shapes: Vec<Vec<usize>> = starts
            .windows(2)
            .map(|ends| at(&base, axis, ends[1] - ends[0]))
            .collect();
        ends.pop();
        let note = (axis, &base, &ends);
        let want = |k: usize, index: &[usize]| src.at(&at(index, axis, starts[k] + index[axis]));
        let parts = split(&src.view(), axis, &ends).unwrap();
        assert_eq!(parts.len(), ends.len() + 1);
        for (k, part) in parts.into_iter().enumerate() {
            let want = |index: &[usize]| want(k, index);
            let check = Check {
                shape: &shapes[k],
                want: &want,
                note: &note,
            };
            check.array(Ok(part));
        }
        let mut rooms: Vec<Source<T>> = shapes.iter().map(|shape| room(random, shape)).collect();
        let expected: Vec<Vec<T>> = (rooms.iter().enumerate())
            .map(|(k, room)| room.expected(&|index| want(k, index)))
            .collect();
        let mut views: Vec<_> = rooms.iter_mut().map(Source::view_mut).collect();
        split_into(&src.view(), axis, &mut views, &options(random)).unwrap();
        for (room, expected) in rooms.iter().zip(expected) {
            assert_eq!(room.data, expected, "{note:?}");
        }
    }
    each_size!(case, b"split...");
}

#[test]
fn pad_puts_a_margin_around() {
    fn case<T: Element>(random: &mut Random) {
        let base = shape(random);
        let src = Source::<T>::random(random, &base);
        let margin = match random.below(3) {
            0 => Pad::Constant(T::of(random.bits())),
            1 => Pad::Edge,
            _ => Pad::Wrap,
        };
        let most = if base.len() > 3 { 3 } else { 14 };
        let widths: Vec<(usize, usize)> = (base.iter())
            .map(|&extent| {
                let mut width = || match random.below(3) {
                    0 => 0,
                    _ => random.below(most),
                };
                let extends = extent > 0 || matches!(margin, Pad::Constant(_));
                if extends { (width(), width()) } else { (0, 0) }
            })
            .collect();
        let want = |index: &[usize]| padded(&src, &base, &widths, margin, index);
        let shape = padded_shape(&base, &widths);
        let note = (&base, &widths, &margin);
        let check = Check {
            shape: &shape,
            want: &want,
            note: &note,
        };
        check.array(pad(&src.view(), &widths, margin));
        check.dst(random, &|dst, options| {
            pad_into(&src.view(), &widths, margin, dst, options)
        });
    }
    each_size!(case, b"pad.....");
}

#[test]
fn pad_gives_channels_to_pixels() {
    fn case<T: Element>(random: &mut Random) {
        let mut base = shape(random);
        base.push(1 + random.below(3));
        let src = Source::<T>::random(random, &base);
        let mut widths = vec![(0, 0); base.len()];
        *widths.last_mut().unwrap() = random.pick(&[(0, 1), (1, 0), (1, 1), (0, 3), (2, 1)]);
        let margin = Pad::Constant(T::of(random.bits()));
        let check = Check {
            shape: &padded_shape(&base, &widths),
            want: &|index: &[usize]| padded(&src, &base, &widths, margin, index),
            note: &(&base, &widths, &margin),
        };
        check.array(pad(&src.view(), &widths, margin));
        check.dst(random, &|dst, options| {
            pad_into(&src.view(), &widths, margin, dst, options)
        });
    }
    each_size!(case, b"channels");
}

/// More than a block of an image: channels before and after its own, and columns.
#[test]
fn pad_fills_channels_block_by_block() {
    let base = [701, 150, 3];
    let len = base.iter().product::<usize>() as u64;
    let src = Source {
        data: (0..len)
            .map(|n| u8::of(n.wrapping_mul(0x9e37_79b9) >> 7))
            .collect(),
        layout: Layout::row_major(&base).unwrap(),
    };
    for widths in [
        [(0, 0), (0, 0), (0, 1)],
        [(0, 0), (1, 2), (2, 1)],
        [(1, 0), (0, 0), (0, 1)],
    ] {
        for margin in [Pad::Constant(255), Pad::Edge, Pad::Wrap] {
            Check {
                shape: &padded_shape(&base, &widths),
                want: &|index: &[usize]| padded(&src, &base, &widths, margin, index),
                note: &(&base, &widths, &margin),
            }
            .array(pad(&src.view(), &widths, margin));
        }
    }
}

fn padded_shape(base: &[usize], widths: &[(usize, usize)]) -> Vec<usize> {
    (base.iter().zip(widths))
        .map(|(extent, (before, after))| before + extent + after)
        .collect()
}

/// What is to be at an index of `src`, of shape `base`, with a margin.
fn padded<T: Element>(
    src: &Source<T>,
    base: &[usize],
    widths: &[(usize, usize)],
    margin: Pad<T>,
    index: &[usize],
) -> T {
    let mut from = Vec::new();
    for axis in 0..base.len() {
        let extent = base[axis] as isize;
        let i = index[axis] as isize - widths[axis].0 as isize;
        from.push(match margin {
            Pad::Constant(value) if !(0..extent).contains(&i) => return value,
            Pad::Edge => i.clamp(0, extent - 1),
            _ => i.rem_euclid(extent),
        } as usize);
    }
    src.at(&from)
}

#[test]
fn tile_repeats_the_whole_and_repeat_each_index() {
    fn case<T: Element>(random: &mut Random) {
        let mut base = shape(random);
        base.truncate(4);
        let src = Source::<T>::random(random, &base);
        let times: Vec<usize> = (0..random.below(6)).map(|_| random.below(4)).collect();
        let rank = base.len().max(times.len());
        let of = |list: &[usize], axis: usize| match (axis + list.len()).checked_sub(rank) {
            Some(i) => list[i],
            None => 1,
        };
        let shape: Vec<usize> = (0..rank)
            .map(|axis| of(&base, axis) * of(&times, axis))
            .collect();
        let added = rank - base.len();
        let want = |index: &[usize]| {
            let from = index[added..]
                .iter()
                .zip(&base)
                .map(|(i, extent)| i % extent);
            src.at(&from.collect::<Vec<_>>())
        };
        let note = (&base, &times);
        let check = Check {
            shape: &shape,
            want: &want,
            note: &note,
        };
        check.array(tile(&src.view(), &times));
        check.dst(random, &|dst, options| {
            tile_into(&src.view(), &times, dst, options)
        });

        let (axis, n) = (random.below(base.len()), random.below(5));
        let want = |index: &[usize]| src.at(&at(index, axis, index[axis] / n));
        let shape = at(&base, axis, n * base[axis]);
        let note = (&base, axis, n);
        let check = Check {
            shape: &shape,
            want: &want,
            note: &note,
        };
        check.array(repeat(&src.view(), axis, n));
        check.dst(random, &|dst, options| {
            repeat_into(&src.view(), axis, n, dst, options)
        });

        let counts: Vec<usize> = (0..base[axis]).map(|_| random.below(4)).collect();
        let from: Vec<usize> = (0..base[axis])
            .flat_map(|i| std::iter::repeat_n(i, counts[i]))
            .collect();
        let want = |index: &[usize]| src.at(&at(index, axis, from[index[axis]]));
        let shape = at(&base, axis, from.len());
        let note = (&base, axis, &counts);
        let check = Check {
            shape: &shape,
            want: &want,
            note: &note,
        };
        check.array(repeat_each(&src.view(), axis, &counts));
        check.dst(random, &|dst, options| {
            repeat_each_into(&src.view(), axis, &counts, dst, options)
        });
    }
    each_size!(case, b"tile....");
}

#[test]
fn roll_moves_indices_around() {
    fn case<T: Element>(random: &mut Random) {
        let base = shape(random);
        let src = Source::<T>::random(random, &base);
        let by: Vec<(usize, isize)> = (0..random.below(4))
            .map(|_| {
                let far = random.pick(&[0, 1, 2, 5, 40, isize::MAX]);
                (random.below(base.len()), far * random.sign())
            })
            .collect();
        let want = |index: &[usize]| {
            let mut index = index.to_vec();
            for &(axis, by) in &by {
                let i = index[axis] as i128 - by as i128;
                index[axis] = i.rem_euclid(base[axis] as i128) as usize;
            }
            src.at(&index)
        };
        let note = (&base, &by);
        let check = Check {
            shape: &base,
            want: &want,
            note: &note,
        };
        check.array(roll(&src.view(), &by));
        check.dst(random, &|dst, options| {
            roll_into(&src.view(), &by, dst, options)
        });
    }
    each_size!(case, b"roll....");
}

#[test]
fn take_reads_and_put_writes_the_indices_of_a_list() {
    fn case<T: Element>(random: &mut Random) {
        let base = shape(random);
        let axis = random.below(base.len());
        let src = Source::<T>::random(random, &base);
        let extent = base[axis] as isize;
        let count = if extent == 0 { 0 } else { random.below(40) };
        let mut indices: Vec<isize> = (0..count)
            .map(|_| random.below(2 * extent as usize) as isize - extent)
            .collect();
        let to = |k: usize, indices: &[isize]| indices[k].rem_euclid(extent) as usize;
        let want = |index: &[usize]| src.at(&at(index, axis, to(index[axis], &indices)));
        let (shape, note) = (at(&base, axis, count), (&base, axis, &indices));
        let check = Check {
            shape: &shape,
            want: &want,
            note: &note,
        };
        check.array(take(&src.view(), axis, &indices));
        check.dst(random, &|dst, options| {
            take_into(&src.view(), axis, &indices, dst, options)
        });
        let rows: Vec<usize> = (0..count).map(|k| to(k, &indices)).collect();
        if axis == 0 {
            check.array(gather_rows(&src.view(), &rows));
            check.dst(random, &|dst, options| {
                gather_rows_into(&src.view(), &rows, dst, options)
            });
        }

        // Half of the lists name no index twice.
        if random.one_in(2) {
            let mut seen = vec![false; base[axis]];
            indices.retain(|&i| !std::mem::replace(&mut seen[i.rem_euclid(extent) as usize], true));
        }
        let src = Source::<T>::random(random, &at(&base, axis, indices.len()));
        let mut dst = room::<T>(random, &base);
        let mut expected = dst.data.clone();
        for_each_index(src.layout.shape(), |index| {
            let place = at(index, axis, to(index[axis], &indices));
            let strides = dst.layout.strides();
            let offset = crate::common::oracle::offset(&place, strides);
            expected[dst.layout.offset().wrapping_add_signed(offset)] = src.at(index);
        });
        let options = options(random);
        put(&src.view(), axis, &indices, &mut dst.view_mut(), &options).unwrap();
        assert_eq!(
            dst.data, expected,
            "{base:?}, {axis}, {indices:?}, {options:?}"
        );
    }
    each_size!(case, b"take....");
}

/// What is streamed and what is shared among threads, at sizes where the defaults do both.
#[test]
fn large_parts_are_joined_and_taken_apart() {
    let rows = if cfg!(debug_assertions) { 300 } else { 3001 };
    let widths = [701, 64, 0, 1024, 3];
    let parts: Vec<Source<u32>> = (widths.iter())
        .map(|&width| Source::random(&mut Random::new(width as u64), &[rows, width]))
        .collect();
    let views: Vec<_> = parts.iter().map(Source::view).collect();
    let joined = concat(&views, 1).unwrap();
    let cuts = [701, 765, 765, 1789];
    for (part, again) in parts.iter().zip(split(&joined.view(), 1, &cuts).unwrap()) {
        let want = |index: &[usize]| part.at(index);
        let shape = part.layout.shape();
        Check {
            shape,
            want: &want,
            note: &"large",
        }
        .array(Ok(again));
    }
    let columns = unstack(&joined.view(), 1).unwrap();
    let views: Vec<_> = columns.iter().map(|column| column.view()).collect();
    assert!(stack(&views, 1).unwrap().as_slice() == joined.as_slice());
    let halves: Vec<_> = (0..2).map(|_| joined.view()).collect();
    let twice = concat(&halves, 0).unwrap();
    assert!(twice.as_slice() == tile(&joined.view(), &[2, 1]).unwrap().as_slice());
}
