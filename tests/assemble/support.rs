//! Random sources and destinations, and the comparison.

use std::fmt::Debug;

use bytemuck::NoUninit;
use restride::{Array, Error, Isa, Layout, Options, Par, Stores, View, ViewMut};

use crate::common::oracle::{for_each_index, offset};
use crate::common::random::Random;

/// Elements of several sizes, made from a number.
pub(crate) trait Element: NoUninit + PartialEq + Debug + Send + Sync {
    fn of(number: u64) -> Self;
}

macro_rules! element {
    ($($type:ty: $number:ident => $value:expr),*) => {
        $(impl Element for $type { fn of($number: u64) -> Self { $value } })*
    };
}
element!(u8: n => n as u8, u16: n => n as u16, u32: n => n as u32, f64: n => n as f64,
    [u8; 3]: n => [n as u8, (n >> 8) as u8, 7], [u64; 5]: n => [n, 1, 2, 3, n]);

/// Elements in a layout.
pub(crate) struct Source<T> {
    pub(crate) data: Vec<T>,
    pub(crate) layout: Layout,
}

impl<T: Element> Source<T> {
    /// Elements with different values under a random layout.
    pub(crate) fn random(random: &mut Random, shape: &[usize]) -> Self {
        let (layout, len) = layout(random, shape);
        let data = (0..len as u64).map(|n| T::of(n.wrapping_mul(0x9e37_79b9) >> 3));
        Self {
            data: data.collect(),
            layout,
        }
    }

    pub(crate) fn view(&self) -> View<'_, T> {
        View::with_layout(&self.data, self.layout.clone()).unwrap()
    }

    pub(crate) fn at(&self, index: &[usize]) -> T {
        self.data[place(&self.layout, index)]
    }
}

/// A layout that reaches no element twice: axes in any order and direction, some with gaps; and the
/// length of a storage that holds it.
pub(crate) fn layout(random: &mut Random, shape: &[usize]) -> (Layout, usize) {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    if random.one_in(2) {
        random.shuffle(&mut order);
    }
    let mut strides = vec![0; shape.len()];
    let (mut stride, mut first) = (1, random.below(3));
    for axis in order.into_iter().rev() {
        stride *= 1 + random.below(5) / 4;
        strides[axis] = stride as isize;
        if random.one_in(5) {
            strides[axis] = -(stride as isize);
            first += shape[axis].saturating_sub(1) * stride;
        }
        stride = stride * shape[axis].max(1) + random.below(5) / 4;
    }
    let len = first + stride + 1 + random.below(3);
    (Layout::new(shape, &strides, first).unwrap(), len)
}

fn place(layout: &Layout, index: &[usize]) -> usize {
    layout
        .offset()
        .wrapping_add_signed(offset(index, layout.strides()))
}

/// A random shape of rank 1..=5 with extents from 0 on.
pub(crate) fn shape(random: &mut Random) -> Vec<usize> {
    let rank = 1 + random.below(5);
    let most = [40, 12, 7, 5, 4][rank - 1];
    let extent = |random: &mut Random| {
        if random.one_in(12) {
            0
        } else {
            1 + random.below(most)
        }
    };
    (0..rank).map(|_| extent(random)).collect()
}

pub(crate) fn options(random: &mut Random) -> Options {
    let isas = [None, None, Some(Isa::Scalar)];
    Options {
        par: random.pick(&[
            Par::Auto,
            Par::Seq,
            Par::Threads(2),
            Par::Threads(3),
            Par::Threads(9),
        ]),
        stores: random.pick(&[Stores::Auto, Stores::Cached, Stores::Streaming]),
        isa: random.pick(&isas),
    }
}

/// A call of the form that writes a destination.
type Into<'a, T> = dyn Fn(&mut ViewMut<'_, T>, &Options) -> Result<(), Error> + 'a;

/// What a call has to do: `want` says what stands at an index of the result.
pub(crate) struct Check<'a, T> {
    pub(crate) shape: &'a [usize],
    pub(crate) want: &'a dyn Fn(&[usize]) -> T,
    pub(crate) note: &'a dyn Debug,
}

impl<T: Element> Check<'_, T> {
    /// The form that makes an array.
    pub(crate) fn array(&self, got: Result<Array<T>, Error>) {
        let note = self.note;
        let got = got.unwrap_or_else(|error| panic!("{error}: {note:?}"));
        assert_eq!(got.shape(), self.shape, "{note:?}");
        let mut expected = Vec::new();
        for_each_index(self.shape, |index| expected.push((self.want)(index)));
        assert_eq!(got.as_slice(), expected, "{note:?}");
    }

    /// The form that writes a destination, of which nothing else may change.
    pub(crate) fn dst(&self, random: &mut Random, run: &Into<'_, T>) {
        let (layout, len) = layout(random, self.shape);
        let mut data: Vec<T> = (0..len as u64).map(|n| T::of(!n)).collect();
        let mut expected = data.clone();
        for_each_index(self.shape, |index| {
            expected[place(&layout, index)] = (self.want)(index)
        });
        let options = options(random);
        let mut view = ViewMut::with_layout(&mut data, layout.clone()).unwrap();
        let done = run(&mut view, &options);
        let note = (self.note, &layout, options);
        done.unwrap_or_else(|error| panic!("{error}: {note:?}"));
        assert_eq!(data, expected, "{note:?}");
    }
}

/// A destination for a part of what is taken apart.
pub(crate) fn room<T: Element>(random: &mut Random, shape: &[usize]) -> Source<T> {
    let (layout, len) = layout(random, shape);
    let data = (0..len as u64).map(|n| T::of(!n)).collect();
    Source { data, layout }
}

impl<T: Element> Source<T> {
    pub(crate) fn view_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut::with_layout(&mut self.data, self.layout.clone()).unwrap()
    }

    /// What this was before, with `want` at every index.
    pub(crate) fn expected(&self, want: &dyn Fn(&[usize]) -> T) -> Vec<T> {
        let mut expected = self.data.clone();
        let shape = self.layout.shape();
        for_each_index(shape, |index| {
            expected[place(&self.layout, index)] = want(index)
        });
        expected
    }
}

/// Random cases of an operation.
pub(crate) const CASES: u64 = if cfg!(debug_assertions) { 150 } else { 3_000 };

/// Runs `case` with many seeds, for elements of several sizes.
macro_rules! each_size {
    ($case:ident, $name:literal) => {
        for i in 0..$crate::support::CASES {
            let random = &mut Random::new(mix(&[u64::from_le_bytes(*$name), i]));
            match i % 6 {
                0 => $case::<u8>(random),
                1 => $case::<u32>(random),
                2 => $case::<f64>(random),
                3 => $case::<[u8; 3]>(random),
                4 => $case::<[u64; 5]>(random),
                _ => $case::<u16>(random),
            }
        }
    };
}
pub(crate) use each_size;
