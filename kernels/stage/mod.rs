//! The stage: blocks of the destination are put together in the first-level cache, and streamed from there.
//!
//! A folder of its own because nothing here knows how a block is put together: any row that writes through the
//! caches writes it to the stage, and whole lines go from there around them. Blocks that follow each other in the
//! destination fill every line together; what is left of one waits in front of the stage for the next block:
//!
//! ```text
//!   dst           | block 0   | block 1   | block 2   | block 3   | ..
//!   lines    |        0        |        1        |        2        |
//!                 cached            streamed          waits for the next blocks
//! ```

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod pieces;
#[cfg(test)]
mod tests;
mod turns;
mod waiting;

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::cpu::zen4;
use crate::fence::StreamFence;
#[cfg(target_arch = "x86_64")]
use crate::isa::prefetch;
use crate::isa::{Isa, Token, prefetch_second, prefetch_write};
use crate::panel::{LINE, PAGE};
use pieces::Pieces;
pub use turns::Turns;
pub(crate) use waiting::{Pending, Waiting};

/// Streams the next lines, so many at most, while what will be read is asked for.
type Stream = unsafe fn(&mut Pending, usize, Reads);

/// What streams a stage: a line of the table.
pub struct StageRow {
    /// `stage-isa`.
    pub name: &'static str,
    /// The ISA it needs.
    pub isa: Isa,
    stream: Stream,
}

impl core::fmt::Debug for StageRow {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name)
    }
}

/// Names are unique.
impl PartialEq for StageRow {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for StageRow {}

/// Best first.
static TABLE: &[&[StageRow]] = &[
    #[cfg(target_arch = "x86_64")]
    avx512::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2::ROWS,
];

/// The first row that needs no more than `cap`, if there is one.
#[must_use]
pub fn find_stage(cap: Isa) -> Option<&'static StageRow> {
    TABLE.iter().copied().flatten().find(|row| row.isa <= cap)
}

impl StageRow {
    /// This row as something that can be run, if `token` proves its ISA.
    #[must_use]
    pub fn bind(&'static self, token: Token) -> Option<StageKernel> {
        (token.isa() >= self.isa).then_some(StageKernel {
            row: self,
            _token: token,
        })
    }
}

/// A row and the proof that this machine runs it.
#[derive(Clone, Copy, Debug)]
pub struct StageKernel {
    row: &'static StageRow,
    _token: Token,
}

impl StageKernel {
    /// Bytes of scratch for a stage of blocks of so many bytes, in rows of so many, if they can be counted.
    #[must_use]
    pub fn scratch_bytes(&self, block: usize, row: usize) -> Option<usize> {
        // Pages start anywhere in scratch.
        Half::of(block, row)?
            .bytes
            .checked_mul(2)?
            .checked_add(PAGE)
    }

    /// A stage in `scratch` for blocks of up to so many bytes, in rows of so many. None if it is shorter than
    /// [`scratch_bytes`](Self::scratch_bytes) says.
    #[must_use]
    pub fn begin<'s>(
        &self,
        scratch: &'s mut [MaybeUninit<u8>],
        block: usize,
        row: usize,
    ) -> Option<Stage<'s>> {
        if self.scratch_bytes(block, row)? > scratch.len() {
            return None;
        }
        let half = Half::of(block, row)?;
        let start = scratch.as_mut_ptr().cast::<u8>();
        let first = start.wrapping_add(start.align_offset(PAGE) + half.start);
        let halves = [first, first.wrapping_add(half.bytes)];
        Some(Stage {
            waiting: Waiting::of(first),
            halves,
            block,
            pending: Pending::none(),
            reads: Reads::NONE,
            pieces: None,
            kernel: *self,
            _fence: StreamFence::new(true, &mut []),
            scratch: PhantomData,
        })
    }
}

/// Half of a stage: whole pages, in which a block starts such that none of its rows lies in two of them, if two pages
/// hold it, with a line in front of it.
///
/// A store that crosses the end of a page waits until all stores around the caches before it are done: 100 ns a block
/// of 2176 bytes that takes 78 (Zen 4). Of the roof, with blocks that did and that did not cross one, 16 MB: u16 23x22,
/// four together, 0.30 and 0.42; f32 20x19, two, 0.34 and 0.52; f64 17x16 0.34 and 0.68; 16 bytes 15x14 0.41 and
/// 0.68. Loads that cross one do not wait.
struct Half {
    /// From the start of a page to the block.
    start: usize,
    bytes: usize,
}

impl Half {
    fn of(block: usize, row: usize) -> Option<Self> {
        const ROOM: usize = PAGE - LINE;
        let start = match ROOM.checked_div(row) {
            Some(rows) if block > ROOM => PAGE - rows * row,
            _ => LINE,
        };
        let bytes = start.checked_add(block)?.checked_next_multiple_of(PAGE)?;
        Some(Self { start, bytes })
    }
}

/// What is asked for with the lines that are streamed.
#[derive(Clone, Copy, Debug)]
struct Reads {
    /// Where what is read next stands, if it is one sequence.
    next: Option<*const u8>,
    /// Where what is read a while later stands.
    later: Option<*const u8>,
}

impl Reads {
    /// What is asked for with the `n`th line that is streamed: the line that stands a little behind what is read next,
    /// and one of what is read later.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn ask(self) -> impl FnMut() {
        let mut byte = 0;
        move || {
            if let Some(next) = self.next {
                prefetch(next.wrapping_add(NEAR + byte));
            }
            if let Some(later) = self.later {
                prefetch_second(later.wrapping_add(byte));
            }
            byte += LINE;
        }
    }

    /// Nothing.
    const NONE: Self = Self {
        next: None,
        later: None,
    };

    /// What is left to ask for after so many lines.
    #[inline(always)]
    fn after(self, lines: usize) -> Self {
        let on = |read: *const u8| read.wrapping_add(lines * LINE);
        Self {
            next: self.next.map(on),
            later: self.later.map(on),
        }
    }
}

/// Bytes between what is read next and what is asked for into the first-level cache, while lines are streamed. Of
/// the roof, Zen 4, 32 MiB in blocks, without, with 1, 2, 4 and 8 KiB: f32 16x16 0.40, 0.91, 0.90, 1.10 and 1.11;
/// 63x65 0.33, 0.56, 0.55, 0.61 and 0.54; f64 16x16 0.57, 1.08, 1.16, 1.06 and 1.01.
#[cfg(target_arch = "x86_64")]
const NEAR: usize = 2 << 10;

/// What a stage is told of a block before it is put together. Addresses are only asked for.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// Bytes of it.
    pub bytes: usize,
    /// How its source lies to what is read after it.
    pub source: Source,
    /// Where it belongs.
    pub to: *mut u8,
    /// Where the one after it does.
    pub next: *mut u8,
}

/// How the source of a block lies to what is read after it.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// Both are sequences.
    InOrder {
        /// Where that of this block starts.
        read: *const u8,
        /// Where that of a later one does.
        later: *const u8,
    },
    /// Pieces of rows.
    Rows {
        /// Bytes to the next piece of each.
        on: isize,
        /// How many rows.
        rows: usize,
    },
}

/// A stage. When it is dropped, what is left in it is written, and all its stores are ordered.
#[derive(Debug)]
#[must_use = "dropping the stage writes what is left in it"]
pub struct Stage<'s> {
    waiting: Waiting,
    /// Where blocks are put together, the first one now; the other one holds the block before, which is streamed
    /// meanwhile.
    halves: [*mut u8; 2],
    /// Bytes of a block at most.
    block: usize,
    /// What is still to be streamed of the block in the second half.
    pending: Pending,
    /// What is asked for with the lines that are streamed.
    reads: Reads,
    /// What is asked for with tiles.
    pieces: Option<Pieces>,
    kernel: StageKernel,
    /// Dropped after all was written.
    _fence: StreamFence<'s>,
    /// What both halves lie in.
    scratch: PhantomData<&'s mut [MaybeUninit<u8>]>,
}

impl Stage<'_> {
    /// Where the next block is put together; anywhere in a line.
    #[must_use]
    #[inline(always)]
    pub fn base(&self) -> *mut u8 {
        self.halves[0]
    }

    /// Asks for what the next block needs, and what a later one does: to be called before it is put together. A hint,
    /// which need not be true.
    ///
    /// What is read later is asked for with the lines that are streamed, and into the second-level cache, but on Zen 4 at
    /// once. Of the roof, at once and so, after one call and after all had been flushed (Xeon,
    /// lines streamed between tiles): f64 20x28 0.88 and 0.99, 0.76 and 0.92; 37x40 0.71 and 0.84, 0.54 and 0.66; 16
    /// bytes 14x18 0.85 and 0.98, 0.67 and 0.80, 8x8 0.94 and 0.99, 0.77 and 0.94. Nine kinds of blocks, 128 MiB, Zen
    /// 4: at once 0.67, so 0.61. Zen 5, a panel after another: f32 31x33 0.62 and 0.74, u8 65x63 0.58 and 0.71, u16 54
    /// MB of 64x64 0.54 and 0.80, u8 80x80 0.51 and 0.68, TTC's 32x15x32x15x15x15 (2 0 4 1 5 3) 0.68 and 0.89. Zen 3,
    /// 28 kinds of blocks: 0.65 both, after all had been flushed 0.56 and 0.58; f32 33x31 0.43 and 0.50, u16 48x48 0.42 and
    /// 0.48.
    ///
    /// Lines of the destination that blocks fill in part wait for cached stores, and lines that are streamed after those
    /// wait for them: 16 bytes 14x15, each block far from the one before, 0.83 and, asked for, 0.87; after all had been
    /// flushed 0.52 and 0.60.
    #[inline]
    pub fn expect(&mut self, block: &Expected) {
        let Expected {
            bytes, to, next, ..
        } = *block;
        let at_once = zen4();
        (self.reads, self.pieces) = match block.source {
            Source::InOrder { read, later } => {
                let (next, later) = (Some(read), Some(later).filter(|_| !at_once));
                (Reads { next, later }, None)
            }
            Source::Rows { on, rows } => (Reads::NONE, Some(Pieces::after(self.pieces, on, rows))),
        };
        if at_once {
            if let Source::InOrder { later, .. } = block.source {
                for byte in (0..bytes).step_by(LINE) {
                    prefetch_second(later.wrapping_add(byte));
                }
            }
            return;
        }
        let end = to.wrapping_add(bytes);
        for (border, joined) in [(to, self.waiting.goes_on(to)), (end, end == next)] {
            if !joined && !border.addr().is_multiple_of(LINE) {
                prefetch_write(border);
            }
        }
    }

    /// Whole lines that are still to be streamed of the block that was taken last.
    #[must_use]
    #[inline(always)]
    pub fn lines(&self) -> usize {
        self.pending.lines()
    }

    /// Streams the next lines of the block that was taken last, so many at most.
    #[inline]
    pub fn stream(&mut self, most: usize) {
        let lines = self.lines().min(most);
        if lines > 0 {
            // SAFETY: range: who gave the block promised that; ISA: the token in the kernel.
            unsafe { (self.kernel.row.stream)(&mut self.pending, lines, self.reads) }
            self.reads = self.reads.after(lines);
        }
    }

    /// Takes the block of so many bytes that was put together, which belongs to `to`, once nothing is left of the one
    /// before it.
    ///
    /// # Panics
    /// If the stage was not made for so many bytes.
    ///
    /// # Safety
    /// In this order:
    /// - Range: so many bytes were written from [`base`](Self::base) on, and can be written at `to`, until the stage
    ///   is dropped.
    /// - Aliasing: no byte at `to` is written twice through this stage, and no other thread touches them.
    /// - Alignment: none.
    /// - ISA: met by this value.
    #[inline]
    pub unsafe fn take(&mut self, to: *mut u8, bytes: usize) {
        assert!(bytes <= self.block, "a block of {bytes} bytes");
        self.stream(usize::MAX);
        let [from, next] = self.halves;
        // SAFETY: range: both halves have a line in front of them, of which that of the next one is not needed, as all
        // of it was streamed; the rest is passed on.
        self.pending = unsafe { self.waiting.begin_next((from, next), to, bytes) };
        self.halves.reverse();
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        self.stream(usize::MAX);
        // SAFETY: range: what is left belongs to blocks whose bytes can be written until now.
        unsafe { self.waiting.flush() }
    }
}
