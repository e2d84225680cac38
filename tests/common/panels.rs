//! Panel cases: a kernel row, two extents and a variant number determine everything else.
//!
//! The variant's low digits enumerate placements and signs; what remains (how rows are given,
//! padding, steps, poisoned gaps) follows from a seed made of the variant and the extents, so that
//! `name:rows x cols:variant` names a case for good.

use restride_kernels::{Ask, Family, Pairing, SourceGaps, Tile};

use super::harness::{Footprint, OPEN_PAGES, Place, ROOM};
use super::pages::page_size;
use super::random::{Random, mix};

/// What is tested: a function that moves panels, and what its row says about it.
pub(crate) struct Subject<'a> {
    pub(crate) name: &'a str,
    pub(crate) family: Family,
    /// The cell sizes to try.
    pub(crate) cells: &'a [usize],
    pub(crate) tile: Tile,
    pub(crate) streaming: bool,
    pub(crate) takes: &'a dyn Fn(&Ask) -> bool,
    /// An `unsafe fn(&Panel)` under the contract of the kernels, called only as that allows.
    pub(crate) call: &'a dyn Fn(&restride_kernels::Panel<'_>),
}

/// How the rows of a side are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Stride,
    Offsets,
    Pointers,
}

/// Where the source's bytes stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// In one piece.
    Dense,
    /// Each row in a page of its own, between pages that fault.
    Rows,
    /// Each cell of a row in a page of its own, between pages that fault.
    Cells,
}

/// One side of a case.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// Where each row starts. Multiples of `stride` if the form is a stride.
    pub(crate) starts: Vec<isize>,
    pub(crate) stride: isize,
    pub(crate) step: isize,
    pub(crate) form: Form,
    pub(crate) place: Place,
    pub(crate) footprint: Footprint,
    /// What a row list adds to each of its pointers.
    pub(crate) moved: isize,
}

/// One panel and everything around it but the addresses.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) variant: u64,
    pub(crate) cell: usize,
    pub(crate) pairing: Pairing,
    pub(crate) gaps: SourceGaps,
    pub(crate) spread: Spread,
    pub(crate) src: Side,
    pub(crate) dst: Side,
}

/// Variants below this enumerate 12 placements x 4 pairs of row signs.
pub(crate) const CORE: u64 = 4 * PLACES.len() as u64;
/// From here on, variants enumerate 64 x 64 alignments.
pub(crate) const ALIGNMENTS: u64 = 1 << 32;

const PLACES: [(Place, Place); 12] = [
    (Place::Left, Place::Left),
    (Place::Right, Place::Right),
    (Place::Left, Place::Right),
    (Place::Right, Place::Left),
    (Place::At(0), Place::At(0)),
    (Place::At(4), Place::At(60)),
    (Place::At(1), Place::At(32)),
    (Place::At(63), Place::At(17)),
    // A source that ends where its memory does, and rows that begin within a line.
    (Place::Right, Place::At(48)),
    (Place::Right, Place::At(20)),
    (Place::Left, Place::At(48)),
    (Place::Left, Place::At(23)),
];

impl Case {
    /// The case of this variant, if the row takes such a panel at all. A row that wants a certain
    /// step, pairing or gap is offered several.
    pub(crate) fn draw(
        subject: &Subject<'_>,
        rows: usize,
        cols: usize,
        variant: u64,
    ) -> Option<Self> {
        let seed = mix(&[variant, rows as u64, cols as u64]);
        let mut random = Random::new(seed);
        let ask = (0..24).find_map(|_| {
            let ask = draw_ask(subject, &mut random, rows, cols);
            (subject.takes)(&ask).then_some(ask)
        })?;
        let (src_place, dst_place) = if variant >= ALIGNMENTS {
            let v = (variant - ALIGNMENTS) as usize;
            (Place::At(v / 64 % 64), Place::At(v % 64))
        } else {
            PLACES[(variant % PLACES.len() as u64) as usize]
        };
        let of_signs = variant / PLACES.len() as u64;
        let signs = [of_signs % 2, of_signs / 2 % 2].map(|bit| 1 - 2 * bit as isize);

        let crossed = ask.pairing == Pairing::Crossed;
        let (src_rows, src_cells) = if crossed { (cols, rows) } else { (rows, cols) };
        let src_extents = [src_rows, src_cells];
        let spread = if rows == 0 || cols == 0 {
            Spread::Dense
        } else {
            draw_spread(&mut random, &ask, src_extents)
        };
        let src = Side::source(&mut random, &ask, src_extents, signs[0], spread);
        let dst = Side::destination(&mut random, &ask, signs[1]);
        Some(Self {
            rows,
            cols,
            variant,
            cell: ask.cell,
            pairing: ask.pairing,
            gaps: ask.gaps,
            spread,
            src: Side {
                place: src_place,
                ..src
            },
            dst: Side {
                place: dst_place,
                ..dst
            },
        })
    }

    /// What each page of a spread source holds.
    pub(crate) fn window(&self) -> Footprint {
        match self.spread {
            Spread::Dense => self.src.footprint,
            Spread::Rows => {
                let cells = match self.pairing {
                    Pairing::Straight => self.cols,
                    Pairing::Crossed => self.rows,
                };
                Footprint::of(self.cell, &[cells], &[self.src.step]).expect("within a page")
            }
            Spread::Cells => {
                let starts = || self.src.starts.iter().copied();
                let (low, high) = (starts().min(), starts().max());
                Footprint {
                    low: low.expect("a spread panel has rows"),
                    high: high.expect("a spread panel has rows") + self.cell as isize,
                }
            }
        }
    }
}

/// Steps worth trying, in cells; bytes are added to some.
const STEPS: [isize; 15] = [2, 3, 4, -1, 1, 0, -2, -3, 5, 7, -4, 17, 8, -11, 16];

fn draw_ask(subject: &Subject<'_>, random: &mut Random, rows: usize, cols: usize) -> Ask {
    let bytes = random.pick(subject.cells);
    let cell = bytes as isize;
    let gaps = random.pick(&[SourceGaps::Forbidden, SourceGaps::Readable]);
    let any = |random: &mut Random| {
        if gaps == SourceGaps::Forbidden && random.one_in(8) {
            return random.sign() * 2 * page_size() as isize;
        }
        let step = random.pick(&STEPS) * cell;
        step + if random.one_in(8) {
            random.pick(&[1, -1, 3])
        } else {
            0
        }
    };
    let disjoint = |random: &mut Random| {
        let cells = random.pick(&[1, 2, 3, 4, 1, 5, 8]);
        let extra = if random.one_in(8) {
            random.pick(&[1, 3, 13])
        } else {
            0
        };
        random.sign() * (cells * cell + extra)
    };
    let unit = random.sign() * cell;
    // Pixels of three parts, with a fourth one between them.
    let thirds = (cell % 3 == 0 && random.one_in(3)).then_some(cell / 3 * 4);
    let (straight, crossed) = (Pairing::Straight, Pairing::Crossed);
    let (pairing, src_step, dst_step) = match subject.family {
        Family::Run => (straight, 1, 1),
        Family::Transpose | Family::Interleave => (crossed, cell, cell),
        Family::Gather => (straight, thirds.unwrap_or_else(|| any(random)), cell),
        Family::Scatter => match thirds {
            Some(step) => (straight, cell, step),
            None => (straight, unit, disjoint(random)),
        },
        Family::Fill => (straight, 0, disjoint(random)),
        Family::Shuffle => {
            let apart = random.pick(&[0, 0, 0, 1, 64, 200]);
            let step = cols as isize * cell + apart;
            (crossed, random.sign() * step, cell)
        }
        _ => {
            let to = disjoint(random);
            let from = if random.one_in(3) { to } else { any(random) };
            (random.pick(&[straight, crossed]), from, to)
        }
    };
    Ask {
        cell: bytes,
        rows,
        cols,
        pairing,
        src_step,
        dst_step,
        gaps,
        streaming: subject.streaming,
    }
}

/// Poisons what a row must not read: bytes between source rows, and where gaps are forbidden and
/// cells stand pages apart, bytes between the cells.
fn draw_spread(random: &mut Random, ask: &Ask, [rows, cells]: [usize; 2]) -> Spread {
    let span = span(cells, ask.src_step, ask.cell as isize) as usize;
    if ask.src_step.unsigned_abs() == 2 * page_size() {
        return if cells <= OPEN_PAGES && rows * ask.cell <= page_size() {
            Spread::Cells
        } else {
            Spread::Dense
        };
    }
    let fits = rows <= OPEN_PAGES && span <= page_size();
    if fits && random.one_in(4) {
        Spread::Rows
    } else {
        Spread::Dense
    }
}

/// Nowhere.
const EXACT: (usize, isize) = (1, 0);

const FORMS: [Form; 3] = [Form::Stride, Form::Offsets, Form::Pointers];

/// Whether rows of so many cells are to be pixels: half of those that may be.
fn pixels(random: &mut Random, ask: &Ask, cells: usize) -> bool {
    ask.pairing == Pairing::Crossed
        && ask.src_step == ask.cell as isize
        && ask.dst_step == ask.cell as isize
        && (2..=4).contains(&cells)
        && random.one_in(2)
}

/// Whether rows are to be those of blocks that do not overlap: most of those that may be.
fn blocks(random: &mut Random, ask: &Ask) -> bool {
    let cell = ask.cell as isize;
    ask.pairing == Pairing::Crossed
        && ask.src_step.abs() >= ask.cols as isize * cell
        && ask.dst_step == cell
        && ask.cols > 1
        && !random.one_in(8)
}

impl Side {
    fn source(
        random: &mut Random,
        ask: &Ask,
        [rows, cells]: [usize; 2],
        sign: isize,
        spread: Spread,
    ) -> Self {
        let cell = ask.cell as isize;
        let span = span(cells, ask.src_step, cell);
        let page = 2 * page_size() as isize;
        let stride = match spread {
            Spread::Rows => page,
            Spread::Cells => cell,
            Spread::Dense if span * (rows as isize) > ROOM as isize / 2 => cell,
            Spread::Dense => match random.below(8) {
                0 => 0,
                1 => cell,
                2 => random.pick(&[61, 127, 251, 509]),
                3 => (span + 63) & !63,
                4 if span * (rows as isize) < 1 << 14 && rows < 40 => random.pick(&[4096, 2048]),
                5 | 6 => span + random.below(70) as isize,
                _ => span,
            },
        };
        if spread == Spread::Dense && pixels(random, ask, cells) {
            return Self::pixels(random, [rows, cells], [sign, cell]);
        }
        if spread == Spread::Dense && blocks(random, ask) {
            let form = random.pick(&[Form::Stride, Form::Offsets, Form::Offsets]);
            // Now and then they leave every second cell out, or are one.
            let unit = random.pick(&[1, 1, 1, 1, 2, 0]) * cell;
            let strides = [sign * unit, ask.src_step, cell];
            // And in a few places apart.
            let jitter = (
                random.pick(&[1, 1, 2, 3, 4, 5]),
                random.pick(&[50, 97, 280]),
            );
            return Self::build(random, [rows, cells], strides, jitter, form);
        }
        // A page is the grain of poison: rows keep to whole pages, whatever their form.
        let jitter = (if spread == Spread::Dense { 9 } else { 1 }, 1);
        let form = random.pick(&FORMS);
        Self::build(
            random,
            [rows, cells],
            [sign * stride, ask.src_step, cell],
            jitter,
            form,
        )
    }

    fn destination(random: &mut Random, ask: &Ask, sign: isize) -> Self {
        let cell = ask.cell as isize;
        let step = ask.dst_step;
        let span = span(ask.cols, step, cell);
        // Rows that lie inside each other, as where the panel is a column-major matrix.
        let free = step != cell && ask.rows > 1 && step.abs() >= cell * ask.rows as isize;
        let stride = match random.below(8) {
            0 | 1 if free => cell,
            0 => (span + 63) & !63,
            1 => span + cell,
            2 if span * (ask.rows as isize) < 1 << 14 && ask.rows < 40 => 4096.max(span),
            3 | 4 => span + random.below(70) as isize,
            // Large panels, whose rows may be whole pages apart, or nearly.
            5 | 6 if span * (ask.rows as isize) >= 1 << 16 => {
                (((span + 4095) & !4095) + random.pick(&[0, 0, 4, -4, 16, 1])).max(span)
            }
            _ => span,
        };
        if pixels(random, ask, ask.cols) {
            return Self::pixels(random, [ask.rows, ask.cols], [sign, cell]);
        }
        if blocks(random, ask) {
            let strides = [span, cell, cell];
            return Self::build(random, [ask.rows, ask.cols], strides, EXACT, Form::Stride);
        }
        // Offsets may move each row by what the stride leaves free.
        let jitter = ((stride - span + 1).max(1) as usize, 1);
        let form = random.pick(&FORMS);
        Self::build(
            random,
            [ask.rows, ask.cols],
            [sign * stride, step, cell],
            jitter,
            form,
        )
    }

    /// Rows that are pixels: they follow each other, with no cell, a few, or as many as they have between them.
    fn pixels(random: &mut Random, [rows, cells]: [usize; 2], [sign, cell]: [isize; 2]) -> Self {
        let stride = (cells + random.pick(&[0, 0, 0, 1, 2, cells])) as isize * cell;
        // Mirrored ones now and then.
        let sign = if random.one_in(4) { sign } else { 1 };
        let strides = [sign * stride, cell, cell];
        Self::build(random, [rows, cells], strides, EXACT, Form::Stride)
    }

    /// A side from its strides. `jitter` is to how many places an offset may stray, and how far they are from each other.
    fn build(
        random: &mut Random,
        [rows, cells]: [usize; 2],
        [stride, step, cell]: [isize; 3],
        (jitter, apart): (usize, isize),
        form: Form,
    ) -> Self {
        let mut starts: Vec<isize> = (0..rows as isize).map(|i| i * stride).collect();
        if form != Form::Stride {
            for start in &mut starts {
                *start += random.below(jitter) as isize * apart;
            }
            if random.one_in(2) {
                random.shuffle(&mut starts);
            }
        }
        let footprint = if rows == 0 || cells == 0 {
            Footprint::EMPTY
        } else {
            let reach = (cells as isize - 1) * step;
            let low = starts.iter().min().expect("rows > 0") + reach.min(0);
            let high = starts.iter().max().expect("rows > 0") + reach.max(0) + cell;
            Footprint { low, high }
        };
        Self {
            starts,
            stride,
            step,
            form,
            place: Place::Left,
            footprint,
            moved: random.pick(&[0, 0, 64, -24, 4097]),
        }
    }
}

fn span(cells: usize, step: isize, cell: isize) -> isize {
    (cells as isize - 1).max(0) * step.abs() + cell
}
