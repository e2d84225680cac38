//! Copies that read the same cells again and again, from where they lie apart: those are moved once, and what became
//! of them is copied to the other places.
//!
//! A file of its own because this makes several plans of one: what is moved once is a copy like any other, and so is
//! what is copied again, whose source is the destination. Where the cells are many, this is done piece by piece, so
//! that a piece is still in the caches when it is copied again:
//!
//! ```text
//!   source    | a . . b . . c . . d . . |      read once
//!   dest      | a b | c d |                    piece 0, piece 1
//!             | a b | c d |                    copied from the row above, each piece before the next one is read
//!             | a b | c d |
//! ```

use restride_kernels::SourceGaps;

use super::cut;
use super::draft::RUN_BYTES;
use super::normalise::{Dims, Form};
use super::options::{Options, Par, Stores};
use super::problem::{Dim, Problem};
use super::recipe::{Recipe, Threads};
use super::stores::repeats_stream;
use crate::machine::Facts;

/// Pieces that are moved once, and then copied from there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repeat<R = Recipe> {
    /// From piece to piece, outermost first.
    pub pieces: Dims,
    /// From the source address of index `[0, 0, ..]` to the first piece.
    pub src: isize,
    /// The same of the destination.
    pub dst: isize,
    /// How a piece is moved.
    pub once: R,
    /// How it is copied from there, and how far from there its first copy is: one for each dimension in which it is
    /// repeated, innermost first.
    pub again: Vec<(isize, R)>,
    /// Among how many threads pieces of all kinds are shared out.
    pub threads: Threads,
}

impl<R> Repeat<R> {
    /// How many pieces there are.
    #[must_use]
    pub fn count(&self) -> usize {
        count(&self.pieces)
    }

    /// That of what is moved once, then those of its copies.
    pub(super) fn recipes(&self) -> impl Iterator<Item = &R> {
        let again = self.again.iter().map(|(_, again)| again);
        core::iter::once(&self.once).chain(again)
    }

    /// The same with something else made of each recipe.
    pub(super) fn try_map<P, E>(
        &self,
        mut made: impl FnMut(&R) -> Result<P, E>,
    ) -> Result<Repeat<P>, E> {
        let again = self.again.iter();
        let again = again.map(|(at, again)| Ok((*at, made(again)?)));
        Ok(Repeat {
            again: again.collect::<Result<_, E>>()?,
            once: made(&self.once)?,
            pieces: self.pieces.clone(),
            src: self.src,
            dst: self.dst,
            threads: self.threads,
        })
    }
}

/// How often a plan is run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Uses {
    /// Once, just after it was made.
    Once,
    /// As often as one likes.
    Many,
    /// For each piece of what is repeated, which is then not looked at again.
    OfPieces,
}

impl Uses {
    /// Bytes of a copy from which on repeated cells are looked for. To plan pieces takes 1 us more than to plan a copy: f32
    /// transposed, planned and moved, anew each time and so, 8 times 64x64, 128 KiB, 1.8 and 2.4 us, 8 times 128x128, 512
    /// KiB, 11.6 and 6.2 us. Moved alone, 16 times 32x32 0.90 and 0.44 us, 4 times 32x32, 16 KiB, 247 and 155 ns, 4 times
    /// 16x16 98 and 86 ns.
    fn least(self) -> usize {
        match self {
            Self::Once => 256 << 10,
            Self::Many => 8 << 10,
            Self::OfPieces => usize::MAX,
        }
    }
}

/// Bytes that lie side by side in the destination from which on it pays if they are repeated at all; half of that, four
/// times 12 MiB, f32 transposed 0.46 and 0.41, reversed 0.84 and 0.46.
const LEAST_RUN: usize = 256;
/// The same if they are repeated [often](OFTEN).
const SHORTEST: usize = 16;
/// How often that is, and so often that short ones are, in all, twice as many bytes as [`LEAST_RUN`].
const OFTEN: usize = 8;
/// Bytes of a source row that a piece has at least, where it does not have all of it. With 256, and so, 24 MiB: u8 8
/// times 1773x1774 0.67 and 1.32, u16 4 times 0.86 and 1.11; with 512, f32 8 times 886x887 0.97 and 1.47.
const LEAST_READ: usize = 128;

/// Bytes of a piece at least, where more pieces are for more threads: *guess*.
const LEAST_PIECE: usize = 4 << 10;

/// A copy that repeats cells, and better reads them once.
pub(super) struct Repeated {
    /// The dimensions in which they are repeated, and the others.
    again: Dims,
    own: Dims,
    /// How often each cell is in the destination.
    times: usize,
    /// Whether the copies are written around the caches.
    streams: bool,
}

impl Repeated {
    /// That of a normal form, if it is one.
    #[inline(always)]
    pub(super) fn of(
        normal: &Form<'_>,
        uses: Uses,
        options: &Options,
        facts: &Facts,
    ) -> Option<Self> {
        let may = normal.bytes >= uses.least() && normal.dims.iter().any(|dim| dim.src == 0);
        if may {
            Self::found(normal, options, facts)
        } else {
            None
        }
    }

    /// [`Self::of`], where it may be.
    #[inline(never)] // beside the way of others
    fn found(normal: &Form<'_>, options: &Options, facts: &Facts) -> Option<Self> {
        let (again, own): (Dims, Dims) = normal.dims.iter().copied().partition(|dim| dim.src == 0);
        let times = count(&again);
        let streams = match options.stores {
            Stores::Auto => repeats_stream(normal.bytes, times, facts),
            stores => stores == Stores::Streaming,
        };
        let listed = normal.listed.or(normal.listed_dst).is_some();
        let pays = !listed && pays(normal.cell, &own, (times, again[0].dst), streams);
        pays.then_some(Self {
            again,
            own,
            times,
            streams,
        })
    }

    /// In which pieces, of one or two kinds, each is moved once and copied from there; none if they were too small.
    pub(super) fn pieces(
        &self,
        normal: &Form<'_>,
        gaps: SourceGaps,
        options: &Options,
        facts: &Facts,
    ) -> Vec<Repeat> {
        let wanted = cut::wanted(options.par, normal.bytes, facts);
        let (whole, kept) = (normal.cell * count(&self.own), facts.caches.l2 / 2);
        let parts = whole.div_ceil(kept).next_multiple_of(wanted.most());
        let each = whole.div_ceil(parts).max(LEAST_PIECE.min(kept));
        // Pieces for all threads, or all threads for each piece.
        let of = |most| Pieces::of(&self.own, normal.cell, most);
        let enough = |pieces: &Pieces| pieces.count() >= wanted.most();
        let (pieces, shared) = match of(each).filter(enough) {
            Some(pieces) => (pieces, true),
            // What is moved once is moved by one.
            None if wanted.most() > 1 && self.times < OFTEN => return Vec::new(),
            None => match of(kept) {
                Some(pieces) => (pieces, false),
                None => return Vec::new(),
            },
        };
        let made = Made {
            normal,
            gaps,
            facts,
            again: &self.again,
            options: Options {
                par: if shared { Par::Seq } else { options.par },
                stores: if self.streams {
                    Stores::Streaming
                } else {
                    Stores::Cached
                },
                ..*options
            },
            threads: if shared {
                wanted
            } else {
                Threads { cold: 1, warm: 1 }
            },
        };
        let whole = made.piece(&pieces.dims, &pieces.loops, (0, 0));
        let mut kinds = vec![whole];
        if let Some((dims, at)) = &pieces.left
            && let Some((_, outer)) = pieces.loops.split_last()
        {
            kinds.push(made.piece(dims, outer, *at));
        }
        kinds
    }
}

/// Whether it pays to copy again what was moved: cells of so many bytes at such dimensions, which are so many times in
/// the destination, the first time so far from where they were moved to.
///
/// Read anew and copied again, of the roof, one thread, Zen 5: u8 200 times 26214x3 pixels, 15 MiB 0.28 and 1.72; 10
/// times transposed, 100 KB, u8 0.30 and 0.73, f32 0.43 and 0.86; every fifth f32, 32 times 1 MiB 0.67 and 1.37; every
/// second 1000 bytes, 32 times, 12 MiB 1.17 and 2.72. Twice: 2x384x42 u8, 32 KiB 0.22 and 0.37, f32 1.5 MiB 0.72 and
/// 0.93. Not where cells lie side by side again and again, which is a fill.
///
/// Where copies are streamed, what is moved once is written and read in the caches beside that: 24 and 60 MB, f32 twice
/// 1.05 and 0.86, three times 1.21 and 1.09, four times 0.80 and 1.38, 1.39 and 1.37; f64 twice 1.07 and 0.99; 16 bytes
/// twice 1.33 and 0.88, four times 1.72 and 1.35, six times 1.71 and 1.56, eight times 1.05 and 1.51. Unless they are read
/// badly: every fifth f32 twice 0.27 and 0.45.
///
/// Short ones: reversed u8 of 16 bytes, 32 times 0.04 and 0.58; transposed, 8 times 512x16 0.47 and 0.45, 32 times
/// 24576x16 0.63 and 1.63; of 64 bytes, 8 times 0.61 and 0.85, 32 times 0.35 and 1.78; but reversed, 8 times 200 bytes
/// 0.99 and 0.76.
fn pays(cell: usize, own: &[Dim], (times, apart): (usize, isize), streams: bool) -> bool {
    let Some(near) = own.iter().map(|dim| dim.src.unsigned_abs()).min() else {
        return false;
    };
    let badly = near != cell && cell < RUN_BYTES;
    let least = match cell {
        _ if !streams || badly => 2,
        ..16 => OFTEN / 2,
        16.. => OFTEN,
    };
    let run = run_below(apart, cell, own);
    let enough = badly || run.saturating_mul(times) >= 2 * LEAST_RUN;
    let long = run >= LEAST_RUN || run >= SHORTEST && times >= OFTEN && enough;
    apart != cell as isize && times >= least && long
}

/// How many indices such dimensions have together.
fn count(dims: &[Dim]) -> usize {
    dims.iter().map(|dim| dim.extent).product()
}

/// Bytes that lie side by side in the destination, of cells of so many, before `end` of them.
fn run_below(end: isize, cell: usize, own: &[Dim]) -> usize {
    own.iter().fold(cell, |run, dim| {
        let next = dim.dst == run as isize && dim.dst < end;
        if next { run * dim.extent } else { run }
    })
}

/// The dimensions of what is not repeated, dealt out to pieces and to loops around them.
#[derive(Debug, PartialEq, Eq)]
struct Pieces {
    dims: Dims,
    /// From piece to piece, outermost first.
    loops: Dims,
    /// What is left over of the innermost loop, and where that is on either side.
    left: Option<(Dims, (isize, isize))>,
}

impl Pieces {
    /// Those of cells of so many bytes at such dimensions, of about `most` bytes each; none if pieces of source rows were
    /// too short. A quarter of the second-level cache and half of it, 84 copies of 24 and 60 MB, 1.15 and 1.16 of the roof
    /// in the mean.
    fn of(own: &[Dim], cell: usize, most: usize) -> Option<Self> {
        let mut bytes = cell;
        let whole = own.iter().take_while(|dim| {
            bytes = bytes.saturating_mul(dim.extent);
            bytes <= most
        });
        let (inner, outer) = own.split_at(whole.count());
        let (mut dims, mut loops): (Dims, Dims) = (inner.into(), outer.into());
        let mut left = None;
        let inside = cell * count(inner);
        let units = most.div_ceil(inside);
        if units > 1
            && let Some(first) = loops.first_mut()
        {
            let dim = *first;
            let each = dim.extent.div_ceil(dim.extent.div_ceil(units));
            let (count, rest) = (dim.extent / each, dim.extent % each);
            let after = |n: usize| (n as isize * dim.src, n as isize * dim.dst);
            let part = |extent| {
                inner
                    .iter()
                    .copied()
                    .chain([Dim { extent, ..dim }])
                    .collect()
            };
            dims = part(each);
            left = (rest > 0).then(|| (part(rest), after(count * each)));
            let (src, dst) = after(each);
            let extent = count;
            *first = Dim { extent, src, dst };
        }
        loops.reverse();
        let near = own.iter().min_by_key(|dim| dim.src.unsigned_abs())?;
        let read = |dims: &[Dim]| {
            let along = dims.iter().find(|dim| dim.src == near.src);
            along.map_or(cell, |dim| dim.extent * dim.src.unsigned_abs())
        };
        let lines = near.src.unsigned_abs() >= LEAST_READ / 2;
        let enough = lines || read(&dims) >= LEAST_READ.min(read(own));
        enough.then_some(Self { dims, loops, left })
    }

    /// How many there are, those that are left over as well.
    fn count(&self) -> usize {
        let left = self.left.as_ref().and(self.loops.split_last());
        count(&self.loops) + left.map_or(0, |(_, outer)| count(outer))
    }
}

/// What is copied from where cells at these dimensions are, and how far from there it begins: one for each dimension in
/// which they are repeated, each with what is there by then of the ones before.
fn copies(dims: &[Dim], again: &[Dim]) -> impl Iterator<Item = (isize, Dims)> {
    let there = dims.iter().map(|dim| Dim {
        src: dim.dst,
        ..*dim
    });
    let mut there: Dims = there.collect();
    again.iter().map(move |dim| {
        let mut all = there.clone();
        all.push(Dim {
            extent: dim.extent - 1,
            ..*dim
        });
        there.push(*dim);
        (dim.dst, all)
    })
}

/// What pieces are made for.
struct Made<'a> {
    normal: &'a Form<'a>,
    gaps: SourceGaps,
    facts: &'a Facts,
    /// The dimensions in which they are repeated.
    again: &'a [Dim],
    /// What is asked of their copies.
    options: Options,
    threads: Threads,
}

impl Made<'_> {
    /// Pieces of these dimensions, the first of which is so far from the first cell on either side.
    fn piece(&self, dims: &[Dim], loops: &[Dim], (src, dst): (isize, isize)) -> Repeat {
        let recipe = |dims: &[Dim], gaps, options: &Options| {
            let problem = Problem::of(self.normal.cell, dims.into()).with_source_gaps(gaps);
            Recipe::chosen(&problem, options, self.facts, Uses::OfPieces)
        };
        let through = Options {
            stores: Stores::Cached,
            par: Par::Seq,
            ..self.options
        };
        let again = copies(dims, self.again).map(|(shift, dims)| {
            // Between the cells of a destination, others may write.
            let recipe = recipe(&dims, SourceGaps::Forbidden, &self.options);
            (shift, recipe)
        });
        Repeat {
            again: again.collect(),
            once: recipe(dims, self.gaps, &through),
            pieces: loops.into(),
            src: self.normal.src_shift + src,
            dst: self.normal.dst_shift + dst,
            threads: self.threads,
        }
    }
}

#[cfg(test)]
mod tests;
