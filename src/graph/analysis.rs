//! Which operations depend on which: all conflicts, found lazily, and a few that imply the others.
//!
//! Both walk the operations in the order of submission and keep, for each tensor, an index of the
//! ranges that earlier operations read and write; only where ranges meet are layouts compared.
//!
//! For the few, two things leave conflicts out before they are found or after. A write that covers
//! all of an earlier access stands for it: whoever conflicts with what was covered conflicts with
//! the write. And an earlier operation is no predecessor if another one already waits for it; that
//! is looked for backwards from the nearest, in a bounded number of steps.

#![forbid(unsafe_code)]

use core::fmt;

use super::conflict::Conflict;
use super::index::Index;
use super::operation::Operation;
use super::span::Span;
use super::storage::Access;

/// Steps of the search for paths in all of an analysis: *guess*, some hundredths of a second.
const STEPS: usize = 1 << 22;

/// Steps for one operation, however many there are.
const STEPS_AT_LEAST: usize = 32;

/// Every pair of operations that cannot change places, found one by one. See
/// [`Graph::conflicts`](super::Graph::conflicts).
pub struct Conflicts<'g> {
    operations: &'g [Operation<'g>],
    earlier: Earlier,
    /// The next operation to be looked at.
    next: usize,
    /// Those before it that it conflicts with, the first last.
    found: Vec<usize>,
}

impl fmt::Debug for Conflicts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conflicts").finish_non_exhaustive()
    }
}

impl<'g> Conflicts<'g> {
    pub(super) fn new(operations: &'g [Operation<'_>]) -> Self {
        Self {
            operations,
            earlier: Earlier::none(operations),
            next: 0,
            found: Vec::new(),
        }
    }
}

impl<'g> Iterator for Conflicts<'g> {
    type Item = Conflict<'g>;

    fn next(&mut self) -> Option<Conflict<'g>> {
        loop {
            if let Some(earlier) = self.found.pop() {
                let conflict = Conflict::find(self.operations, earlier, self.next - 1);
                return Some(conflict.expect("found before"));
            }
            if self.next == self.operations.len() {
                return None;
            }
            self.earlier
                .conflicting(self.operations, self.next, &mut self.found);
            self.found.reverse();
            self.earlier.add(self.operations, self.next);
            self.next += 1;
        }
    }
}

/// Conflicts that imply all others. See [`Graph::dependencies`](super::Graph::dependencies).
pub struct Dependencies<'g> {
    operations: &'g [Operation<'g>],
    predecessors: &'g Predecessors,
    /// The next operation, and how many of its predecessors were handed out.
    next: (usize, usize),
}

impl fmt::Debug for Dependencies<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dependencies").finish_non_exhaustive()
    }
}

impl<'g> Dependencies<'g> {
    pub(super) fn new(operations: &'g [Operation<'_>], predecessors: &'g Predecessors) -> Self {
        Self {
            operations,
            predecessors,
            next: (0, 0),
        }
    }
}

impl<'g> Iterator for Dependencies<'g> {
    type Item = Conflict<'g>;

    fn next(&mut self) -> Option<Conflict<'g>> {
        while self.next.0 < self.operations.len() {
            let (later, number) = self.next;
            if let Some(&earlier) = self.predecessors.of(later).get(number) {
                self.next.1 += 1;
                let conflict = Conflict::find(self.operations, earlier as usize, later);
                return Some(conflict.expect("found before"));
            }
            self.next = (later + 1, 0);
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.predecessors.left(self.next);
        (left, Some(left))
    }

    /// Without looking for hazards.
    fn count(self) -> usize {
        self.len()
    }
}

impl ExactSizeIterator for Dependencies<'_> {}

/// For each operation those that it has to wait for, ascending.
#[derive(Debug)]
pub(super) struct Predecessors {
    /// Those of operation `i` are `list[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    list: Vec<u32>,
}

impl Predecessors {
    /// Finds a set that implies all conflicts.
    pub(super) fn find(operations: &[Operation<'_>]) -> Self {
        let mut result = Self {
            starts: vec![0],
            list: Vec::new(),
        };
        let steps = (STEPS / operations.len().max(1)).max(STEPS_AT_LEAST);
        let mut paths = Paths::new(operations.len());
        let mut earlier = Earlier::none(operations);
        let mut candidates = Vec::new();
        for later in 0..operations.len() {
            earlier.conflicting(operations, later, &mut candidates);
            let from = result.list.len();
            paths.keep_nearest(&result, &mut candidates, steps);
            result
                .list
                .extend(candidates.iter().rev().map(|&i| i as u32));
            debug_assert!(result.list[from..].is_sorted());
            result.starts.push(result.list.len());
            earlier.add(operations, later);
            earlier.forget_covered(operations, later);
        }
        result
    }

    /// Those that operation `i` has to wait for.
    pub(super) fn of(&self, i: usize) -> &[u32] {
        &self.list[self.starts[i]..self.starts[i + 1]]
    }

    /// How many there are from the `number`th of operation `i` on.
    fn left(&self, (i, number): (usize, usize)) -> usize {
        self.list.len() - (self.starts[i] + number)
    }

    /// The number of operations.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// For each operation those that wait for it: the same form the other way round.
    pub(super) fn successors(&self) -> Self {
        let mut starts = vec![0; self.len() + 1];
        for &i in &self.list {
            starts[i as usize + 1] += 1;
        }
        for i in 0..self.len() {
            starts[i + 1] += starts[i];
        }
        let (mut list, mut next) = (vec![0; self.list.len()], starts.clone());
        for later in 0..self.len() {
            for &earlier in self.of(later) {
                list[next[earlier as usize]] = later as u32;
                next[earlier as usize] += 1;
            }
        }
        Self { starts, list }
    }
}

/// Leaves out predecessors that paths imply.
struct Paths {
    /// The operation for which each one was last seen.
    seen: Vec<u32>,
    round: u32,
    stack: Vec<u32>,
}

impl Paths {
    fn new(operations: usize) -> Self {
        Self {
            seen: vec![0; operations],
            round: 0,
            stack: Vec::new(),
        }
    }

    /// Keeps of `candidates`, ascending, those that no other one waits for; descending after that.
    fn keep_nearest(&mut self, known: &Predecessors, candidates: &mut Vec<usize>, steps: usize) {
        candidates.reverse();
        if candidates.len() < 2 {
            return;
        }
        self.round += 1;
        let (first, mut left) = (candidates[candidates.len() - 1] as u32, steps);
        candidates.retain(|&candidate| {
            if self.seen[candidate] == self.round {
                return false;
            }
            // Everything that this one waits for, as far back as there are candidates.
            self.stack.push(candidate as u32);
            while let Some(i) = self.stack.pop() {
                for &before in known.of(i as usize).iter().rev() {
                    if before < first {
                        break;
                    }
                    if left == 0 {
                        self.stack.clear();
                        return true;
                    }
                    left -= 1;
                    if self.seen[before as usize] != self.round {
                        self.seen[before as usize] = self.round;
                        self.stack.push(before);
                    }
                }
            }
            true
        });
    }
}

/// What earlier operations read and write, tensor by tensor.
#[derive(Debug)]
struct Earlier {
    tensors: Vec<OfTensor>,
    /// For each operation and each of its accesses, where that stands in its tensor's list.
    places: Vec<Vec<u32>>,
}

/// The accesses of one tensor, sorted by where they start.
#[derive(Debug)]
struct OfTensor {
    accesses: Vec<Entry>,
    all: Index,
    writes: Index,
}

/// An access: what most comparisons need of it, since those that meet stand together here and far
/// apart where they are.
#[derive(Clone, Copy, Debug)]
struct Entry {
    span: Span,
    operation: u32,
    /// Its number among those of the operation.
    number: u32,
}

impl Entry {
    fn access<'a>(&self, operations: &'a [Operation<'_>]) -> &'a Access {
        &operations[self.operation as usize].footprints.all()[self.number as usize]
    }
}

impl Earlier {
    /// Ready for all operations, with none added.
    fn none(operations: &[Operation<'_>]) -> Self {
        let mut lists: Vec<Vec<Entry>> = Vec::new();
        let mut places = Vec::with_capacity(operations.len());
        for (i, operation) in operations.iter().enumerate() {
            let accesses = operation.footprints.all();
            for (k, access) in accesses.iter().enumerate() {
                if access.slot() >= lists.len() {
                    lists.resize_with(access.slot() + 1, Vec::new);
                }
                lists[access.slot()].push(Entry {
                    span: *access.span(),
                    operation: i as u32,
                    number: k as u32,
                });
            }
            places.push(vec![0; accesses.len()]);
        }
        let tensors = lists.into_iter().map(|mut accesses| {
            accesses.sort_by_key(|entry| entry.span.start);
            for (place, entry) in accesses.iter().enumerate() {
                places[entry.operation as usize][entry.number as usize] = place as u32;
            }
            let starts: Vec<usize> = accesses.iter().map(|entry| entry.span.start).collect();
            OfTensor {
                accesses,
                all: Index::new(starts.clone()),
                writes: Index::new(starts),
            }
        });
        Self {
            tensors: tensors.collect(),
            places,
        }
    }

    /// Adds an operation.
    fn add(&mut self, operations: &[Operation<'_>], i: usize) {
        for (access, &place) in operations[i].footprints.all().iter().zip(&self.places[i]) {
            let span = access.span();
            if span.is_empty() {
                continue;
            }
            let tensor = &mut self.tensors[access.slot()];
            tensor.all.insert(place as usize, span.end);
            if access.writes() {
                tensor.writes.insert(place as usize, span.end);
            }
        }
    }

    /// The operations added that conflict with operation `i`, ascending.
    fn conflicting(&self, operations: &[Operation<'_>], i: usize, found: &mut Vec<usize>) {
        found.clear();
        for access in operations[i].footprints.all() {
            let tensor = &self.tensors[access.slot()];
            let index = if access.writes() {
                &tensor.all
            } else {
                &tensor.writes
            };
            for place in index.meeting(access.span().range()) {
                let entry = &tensor.accesses[place];
                let known = found.last() == Some(&(entry.operation as usize));
                if !known
                    && (access.span().plainly_shared(&entry.span).is_some()
                        || access
                            .layout()
                            .overlaps(entry.access(operations).layout())
                            .is_possible())
                {
                    found.push(entry.operation as usize);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
    }

    /// Takes out what operation `i`, which was added, has written over entirely: found where layouts
    /// are equal, and where what is written has no gaps.
    fn forget_covered(&mut self, operations: &[Operation<'_>], i: usize) {
        for write in operations[i]
            .footprints
            .all()
            .iter()
            .filter(|access| access.writes())
        {
            let tensor = &mut self.tensors[write.slot()];
            let covered: Vec<usize> = (tensor.all.meeting(write.span().range()))
                .filter(|&place| {
                    let entry = &tensor.accesses[place];
                    entry.operation as usize != i
                        && (write.span().covers(&entry.span)
                            || write.span().range() == entry.span.range()
                                && write.layout() == entry.access(operations).layout())
                })
                .collect();
            for place in covered {
                tensor.all.remove(place);
                tensor.writes.remove(place);
            }
        }
    }
}
