//! What a graph means, in the simplest code there is: operations on vectors, one after another, each
//! reading everything before it writes; and sets of elements. Shares nothing with the library.

use std::collections::BTreeSet;

use restride::Layout;

use crate::common::oracle::{for_each_index, offset};

/// A view: the number of the tensor, and a layout over its elements.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) tensor: usize,
    pub(crate) layout: Layout,
}

impl Window {
    /// The elements in row-major order of the indices.
    pub(crate) fn places(&self) -> Vec<usize> {
        let mut places = Vec::new();
        for_each_index(self.layout.shape(), |index| {
            let offset = offset(index, self.layout.strides());
            places.push(self.layout.offset().wrapping_add_signed(offset));
        });
        places
    }

    pub(crate) fn set(&self) -> BTreeSet<(usize, usize)> {
        self.places()
            .into_iter()
            .map(|place| (self.tensor, place))
            .collect()
    }
}

/// What an operation does.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Fill(u32),
    Copy,
    Map(u32),
    Binary,
    /// Sum, smallest or largest over the leading axes, so many of them.
    Reduce(usize, usize),
    /// Each output is made of all inputs.
    Mix,
}

/// An operation: its views in the order they are named, and whether each is written.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) action: Action,
    pub(crate) reads: Vec<Window>,
    pub(crate) writes: Vec<Window>,
}

/// What [`Action::Map`] does.
pub(crate) fn mapped(value: u32, by: u32) -> u32 {
    value.wrapping_mul(by).rotate_left(5) ^ by
}

/// What [`Action::Binary`] does.
pub(crate) fn combined(a: u32, b: u32) -> u32 {
    a.wrapping_mul(31).wrapping_sub(b)
}

/// What [`Action::Mix`] puts at place `n` of output `k`.
pub(crate) fn mixed(inputs: &[Vec<u32>], k: usize, n: usize) -> u32 {
    let all = inputs.iter().flatten();
    all.fold(17 * k as u32 + n as u32, |mix, &value| combined(mix, value))
}

impl Step {
    pub(crate) fn run(&self, tensors: &mut [Vec<u32>]) {
        let inputs: Vec<Vec<u32>> = (self.reads.iter())
            .map(|window| {
                let places = window.places().into_iter();
                places.map(|place| tensors[window.tensor][place]).collect()
            })
            .collect();
        for (k, window) in self.writes.iter().enumerate() {
            let places = window.places();
            for (n, &place) in places.iter().enumerate() {
                tensors[window.tensor][place] = match self.action {
                    Action::Fill(value) => value,
                    Action::Copy => inputs[0][n],
                    Action::Map(by) => mapped(inputs[0][n], by),
                    Action::Binary => combined(inputs[0][n], inputs[1][n]),
                    Action::Reduce(how, _) => {
                        // Leading axes: every element with the same rest.
                        let rest = inputs[0].iter().skip(n).step_by(places.len()).copied();
                        match how {
                            0 => rest.fold(0, u32::wrapping_add),
                            1 => rest.min().unwrap(),
                            _ => rest.max().unwrap(),
                        }
                    }
                    Action::Mix => mixed(&inputs, k, n),
                };
            }
        }
    }

    /// The views in the order in which they are named, with whether each is written.
    pub(crate) fn views(&self) -> impl Iterator<Item = (&Window, bool)> {
        let reads = self.reads.iter().map(|window| (window, false));
        reads.chain(self.writes.iter().map(|window| (window, true)))
    }
}
