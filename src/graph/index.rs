//! Which of the ranges switched on meet a range?
//!
//! All ranges are known beforehand and sorted by where they start. Over them stands a tree of maxima
//! of where those that are on end; so the next one that starts before the end of the range asked
//! for, and ends after its start, is found in a number of steps that is the logarithm of how many
//! there are. Nothing here is recursive: the tree is an array.

#![forbid(unsafe_code)]

use core::ops::Range;

/// Ranges that can be switched on and off.
#[derive(Debug)]
pub(super) struct Index {
    /// Where each range starts, ascending.
    starts: Vec<usize>,
    /// `most[leaves + i]`: where range `i` ends, 0 if it is off. `most[k]`: the largest of
    /// `most[2 * k]` and `most[2 * k + 1]`.
    most: Vec<usize>,
    leaves: usize,
}

impl Index {
    /// All ranges off. `starts` ascend.
    pub(super) fn new(starts: Vec<usize>) -> Self {
        debug_assert!(starts.is_sorted());
        let leaves = starts.len().next_power_of_two();
        Self {
            starts,
            most: vec![0; 2 * leaves],
            leaves,
        }
    }

    /// Switches a range on.
    pub(super) fn insert(&mut self, i: usize, end: usize) {
        self.set(i, end);
    }

    /// Switches a range off.
    pub(super) fn remove(&mut self, i: usize) {
        self.set(i, 0);
    }

    fn set(&mut self, i: usize, end: usize) {
        let mut node = self.leaves + i;
        self.most[node] = end;
        while node > 1 {
            node /= 2;
            let most = self.most[2 * node].max(self.most[2 * node + 1]);
            if self.most[node] == most {
                return;
            }
            self.most[node] = most;
        }
    }

    /// The ranges that are on and share an element with `range`, in the order of their starts.
    pub(super) fn meeting(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let end = self.starts.partition_point(|&start| start < range.end);
        // An empty range shares no element.
        let end = if range.is_empty() { 0 } else { end };
        let mut from = 0;
        core::iter::from_fn(move || {
            let next = self.next(from, range.start).filter(|&next| next < end)?;
            from = next + 1;
            Some(next)
        })
    }

    /// The first range from number `from` on that ends after `above`.
    fn next(&self, from: usize, above: usize) -> Option<usize> {
        if from >= self.leaves {
            return None;
        }
        let mut node = self.leaves + from;
        // Up, until there is one in what stands to the right.
        while self.most[node] <= above {
            while node % 2 == 1 {
                node /= 2;
            }
            if node == 0 {
                return None;
            }
            node += 1;
        }
        // Down to the leftmost one.
        while node < self.leaves {
            node *= 2;
            if self.most[node] <= above {
                node += 1;
            }
        }
        Some(node - self.leaves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranges_that_meet_are_those_that_a_look_at_all_of_them_finds() {
        let mut state = 7_u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % below
        };
        for count in [0, 1, 2, 3, 7, 8, 9, 40] {
            let mut ranges: Vec<Range<usize>> = (0..count)
                .map(|_| {
                    let start = random(30);
                    start..start + 1 + random(9)
                })
                .collect();
            ranges.sort_by_key(|range| range.start);
            let mut on = vec![false; count];
            let mut index = Index::new(ranges.iter().map(|range| range.start).collect());
            for _ in 0..200 {
                if count > 0 {
                    let i = random(count);
                    on[i] = !on[i];
                    match on[i] {
                        true => index.insert(i, ranges[i].end),
                        false => index.remove(i),
                    }
                }
                let start = random(40);
                let asked = start..start + random(6);
                let meets = |range: &Range<usize>| {
                    !asked.is_empty() && range.start < asked.end && asked.start < range.end
                };
                let want: Vec<usize> = (0..count).filter(|&i| on[i] && meets(&ranges[i])).collect();
                assert_eq!(index.meeting(asked.clone()).collect::<Vec<_>>(), want);
            }
        }
    }
}
