//! How blocks are walked, whatever the registers are.
//!
//! Blocks of a register or less: as many as fit are moved with one load and one store, whole registers as long
//! as so many bytes are left. What is stored behind the blocks belongs to the next ones, and is written again.
//!
//! ```text
//!   load    | a b c | d e f | g h |        g and h are loaded and stored with the two blocks before,
//!   store   | c b a | f e d | . . |        and once more
//!   load                    | g h i | ..
//! ```
//!
//! Longer ones: two to four registers a block. The last one that is loaded ends where the block does; the last
//! one that is stored goes beyond it, as above.
//!
//! Loose ones, and others that do not follow each other, of up to a register: as many as lie in one, of which no more is
//! loaded than they are where what is between them may not be read.
//!
//! ```text
//!   load    | a b c - | d e f - |        from RGBA
//!   store   | c b a f e d . . . |        to BGR
//! ```

use super::REGISTERS;
use super::block::Block;
use crate::cell::Sized;
use crate::crossed::crossed;
use crate::gather::coming::Coming;
use crate::gather::places::bits;
use crate::panel::{LINE, Panel, SourceGaps};
use crate::row::Ask;

/// A register.
///
/// Every function needs the ISA that the implementing file names, enabled where it is inlined.
pub(super) trait Register: Copy {
    /// Bytes of it.
    const BYTES: usize;
    /// Bytes that a loose block may span.
    const LOOSE: usize;
    /// Whether [`load_some`](Self::load_some) takes little more than [`load`](Self::load).
    const MASKS: bool;

    /// Which bytes of `N` registers make one.
    type Order<const N: usize>: Copy;

    /// Loads a register.
    ///
    /// # Safety
    /// - Range: its bytes can be read.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn load(from: *const u8) -> Self;

    /// Stores a register.
    ///
    /// # Safety
    /// - Range: its bytes can be written.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn store(self, to: *mut u8);

    /// Loads those bytes of a register that `bytes` has a bit for; the others are any, and are not read.
    ///
    /// # Safety
    /// - Shape: a register has so many.
    /// - Range: they can be read.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn load_some(from: *const u8, bytes: u64) -> Self;

    /// Stores the first `bytes` of a register.
    ///
    /// # Safety
    /// - Shape: a register has so many.
    /// - Range: they can be written.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn store_part(self, to: *mut u8, bytes: usize);

    /// The order in which byte `i` is byte `places[i]` of `N` registers, one after another.
    ///
    /// # Safety
    /// - ISA: that of the file.
    unsafe fn order<const N: usize>(places: &[u8; LINE]) -> Self::Order<N>;

    /// Puts bytes into an order.
    ///
    /// # Safety
    /// - ISA: that of the file.
    unsafe fn shuffle<const N: usize>(order: Self::Order<N>, from: [Self; N]) -> Self;

    /// [`loosely`], in a function of its own: in one with the others, what its loops count does not stay in registers, and
    /// f32 3x3 of every second take 0.27 of memcpy instead of 0.36.
    ///
    /// # Safety
    /// As [`loosely`]; ISA: what the file names is there.
    unsafe fn loosely<S: Sink<Self>>(blocks: &Blocks, to: S) -> S;

    /// Moves a panel of blocks that are made of a few windows, if there are rows for that: where they are not in one register.
    ///
    /// # Safety
    /// As [`walk`].
    #[inline(always)]
    unsafe fn from_windows<S: Sink<Self>>(
        _: &Panel<'_>,
        _: impl FnOnce(*mut u8, usize) -> S,
    ) -> Option<S> {
        None
    }
}

/// Blocks of the source. Their own copy of what is done to each: the others are looked at in every turn of their loops if
/// that is somewhere else.
pub(super) struct Blocks {
    block: Block,
    /// Where the first one starts.
    src: *const u8,
    count: usize,
    /// Whether what lies between them may be read.
    readable: bool,
}

/// Where the bytes of the destination go, one register after another.
pub(super) trait Sink<R: Register> {
    /// Takes the first `bytes` of a register; the others are any.
    ///
    /// # Safety
    /// - Shape: a register has so many.
    /// - Range: they can be written where those that were taken before end.
    /// - ISA: that of the register is enabled where this is inlined.
    unsafe fn put(&mut self, register: R, bytes: usize);
}

/// Through the caches.
pub(super) struct Through {
    pub(super) to: *mut u8,
    /// Bytes that can be written from there on.
    pub(super) left: usize,
}

impl<R: Register> Sink<R> for Through {
    #[inline(always)]
    unsafe fn put(&mut self, register: R, bytes: usize) {
        // SAFETY: range: so many bytes are left; those behind the ones that are put will be written again; ISA:
        // passed on.
        unsafe {
            if self.left >= R::BYTES {
                register.store(self.to);
            } else {
                register.store_part(self.to, bytes);
            }
        }
        self.to = self.to.wrapping_add(bytes);
        self.left -= bytes;
    }
}

/// Moves blocks that follow each other in the source, as many as a register holds together.
///
/// # Safety
/// - Range: `count` blocks can be read, the first of which starts at `src`, and the sink takes them.
/// - ISA: that of the register is enabled where this is inlined.
#[inline(always)]
unsafe fn together<R: Register>(
    block: &Block,
    src: *const u8,
    count: usize,
    to: &mut impl Sink<R>,
) {
    let (from, remainders) = block.of_several();
    let mut within = [0; LINE];
    // SAFETY: range: a register is at most a line, and `from` is longer; ISA: passed on.
    let order = unsafe {
        let all = R::shuffle(R::order::<1>(remainders), [R::load(from.as_ptr())]);
        all.store(within.as_mut_ptr());
        R::order::<1>(&block.places_of_several(&within, R::BYTES))
    };
    let (mut left, whole) = (count * block.bytes, R::BYTES / block.bytes * block.bytes);
    // Downwards the first block of a register ends where it does.
    let down = block.step < 0;
    let (step, before) = if down {
        (-(whole as isize), R::BYTES - block.bytes)
    } else {
        (whole as isize, 0)
    };
    let mut from = src.wrapping_sub(before);
    while left >= R::BYTES {
        // SAFETY: range: so many bytes are left, from here on or, downwards, up to the end of this block; ISA:
        // passed on.
        unsafe { to.put(R::shuffle(order, [R::load(from)]), whole) };
        from = from.wrapping_offset(step);
        left -= whole;
    }
    if left > 0 {
        let part = if down {
            bits((R::BYTES - left) as isize, R::BYTES as isize)
        } else {
            bits(0, left as isize)
        };
        // SAFETY: range: the bytes that are left, which are less than a register, and so no more blocks than it
        // holds; ISA: passed on.
        unsafe { to.put(R::shuffle(order, [R::load_some(from, part)]), left) };
    }
}

/// Moves blocks that are loose, or have others between them, and do not span more than a register: as many as one holds
/// together.
///
/// # Safety
/// As [`together`], of the bytes of the blocks that are moved; those between them as well if they are readable.
#[inline(always)]
pub(super) unsafe fn loosely<R: Register, S: Sink<R>>(blocks: &Blocks, mut to: S) -> S {
    let &Blocks {
        ref block,
        src,
        count,
        readable,
    } = blocks;
    let most = block.of_register(R::BYTES);
    // One under a mask crosses fewer lines: f32 3x3 of every second 0.36 of memcpy, and 0.32 in whole registers.
    let least = if readable && (most > 1 || !R::MASKS) {
        block.fill_register(R::BYTES).max(most)
    } else {
        usize::MAX
    };
    let (bytes, step) = (most * block.bytes, block.step * most as isize);
    let mut from = src.wrapping_sub(block.start(0, R::BYTES));
    let whole = (count + most).saturating_sub(least) / most;
    let left = count - whole * most;
    // SAFETY: range: `count` blocks can be read, the first of which starts where it does in the register at `from`, and
    // what lies between them where that is readable, which as many registers as are whole do not leave; ISA: passed on.
    unsafe {
        let places = block.places_of_loose(most, R::BYTES);
        let order = R::order::<1>(&places);
        for _ in 0..whole {
            to.put(R::shuffle(order, [R::load(from)]), bytes);
            from = from.wrapping_offset(step);
        }
        if !R::MASKS && readable && block.reach(count) >= R::BYTES {
            within(blocks, &places, (from, left), most, &mut to);
            return to;
        }
        let moved = block.moved(most, R::BYTES);
        let coming = Coming::over(left * block.step.unsigned_abs(), step.signum());
        for _ in 0..left / most {
            coming.ask(from, 1);
            to.put(R::shuffle(order, [R::load_some(from, moved)]), bytes);
            from = from.wrapping_offset(step);
        }
        let left = left % most;
        if left > 0 {
            let register = R::load_some(from, block.moved(left, R::BYTES));
            to.put(R::shuffle(order, [register]), left * block.bytes);
        }
    }
    to
}

/// Moves the last `left` of blocks in whole registers, `most` of them together, which are moved back to where they end, or
/// up to where they start. The first of them starts where it does in the register at `from`, whose bytes are at `places`.
///
/// # Safety
/// As [`loosely`], of blocks that reach over a register, and what lies between them may be read.
#[inline(always)]
unsafe fn within<R: Register>(
    blocks: &Blocks,
    places: &[u8; LINE],
    (mut from, left): (*const u8, usize),
    most: usize,
    to: &mut impl Sink<R>,
) {
    let block = &blocks.block;
    let reach = block.reach(blocks.count);
    let before = if block.step < 0 {
        reach - block.span
    } else {
        0
    };
    let low = blocks.src.wrapping_sub(before);
    for first in (0..left).step_by(most) {
        let count = most.min(left - first);
        let at =
            (from.addr().wrapping_sub(low.addr()) as isize).clamp(0, (reach - R::BYTES) as isize);
        let register = low.wrapping_offset(at);
        let moved = from.addr().wrapping_sub(register.addr()) as u8;
        let places = places.map(|place| place.wrapping_add(moved));
        // SAFETY: range: a register of what the blocks reach over; their bytes in the one at `from` are in it; ISA: passed
        // on.
        unsafe {
            to.put(
                R::shuffle(R::order::<1>(&places), [R::load(register)]),
                count * block.bytes,
            )
        };
        from = from.wrapping_offset(block.step * most as isize);
    }
}

/// Moves blocks of `N` registers, wherever they are.
///
/// # Safety
/// As [`together`].
#[inline(always)]
unsafe fn alone<R: Register, const N: usize>(
    block: &Block,
    src: *const u8,
    count: usize,
    to: &mut impl Sink<R>,
) {
    let (last, rest) = (block.bytes - R::BYTES, block.bytes - (N - 1) * R::BYTES);
    // SAFETY: range: the registers of each block, of which the last ends with it; ISA: passed on. No closures,
    // which would be without it.
    unsafe {
        let mut orders = [R::order::<N>(&block.places_of_one(0, R::BYTES, N)); N];
        for (nth, order) in orders.iter_mut().enumerate().skip(1) {
            *order = R::order::<N>(&block.places_of_one(nth, R::BYTES, N));
        }
        let mut from = src;
        for _ in 0..count {
            let mut loaded = [R::load(from.wrapping_add(last)); N];
            for (nth, register) in loaded[..N - 1].iter_mut().enumerate() {
                *register = R::load(from.wrapping_add(nth * R::BYTES));
            }
            for order in &orders[..N - 1] {
                to.put(R::shuffle(*order, loaded), R::BYTES);
            }
            to.put(R::shuffle(orders[N - 1], loaded), rest);
            from = from.wrapping_offset(block.step);
        }
    }
}

/// Panels that may be blocks, of cells that are less than a line.
pub(super) fn takes<R: Register>(ask: &Ask) -> bool {
    let bytes = ask.cols.saturating_mul(ask.cell);
    ask.cell < LINE && (1..=REGISTERS * R::BYTES).contains(&bytes)
}

/// Moves a panel to a sink that `sink` makes for the first byte and the number of bytes of the destination, if
/// it is one of blocks; else cell by cell. The sink is handed back.
///
/// # Safety
/// The contract of the crate, with a panel that [`takes`] admits; the sink takes as many bytes; the ISA of the
/// registers is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn walk<R: Register, S: Sink<R>>(
    panel: &Panel<'_>,
    sink: impl FnOnce(*mut u8, usize) -> S,
) -> Option<S> {
    if panel.rows == 0 {
        return None;
    }
    let Some(block) = Block::of(panel, R::LOOSE) else {
        // SAFETY: passed on; what is of no windows is all of the panel, which is crossed.
        unsafe {
            let moved = R::from_windows(panel, sink);
            if moved.is_none() {
                crossed(panel, Sized(panel.cell));
            }
            return moved;
        }
    };
    let (src, count) = (panel.src.base.wrapping_offset(block.low), panel.rows);
    // SAFETY: shape: there is a row.
    let dst = unsafe { panel.dst.cell(0, 0) };
    let mut to = sink(dst, count * block.bytes);
    if block.bytes <= R::BYTES && !block.follows() {
        let blocks = Blocks {
            block,
            src,
            count,
            readable: panel.gaps == SourceGaps::Readable,
        };
        // SAFETY: range and aliasing: passed on, as the cells are in blocks of up to a register; ISA: passed on.
        return Some(unsafe { R::loosely(&blocks, to) });
    }
    // SAFETY: range and aliasing: passed on, as the cells of both sides fill their blocks; ISA: passed on.
    unsafe {
        match block.bytes.div_ceil(R::BYTES) {
            1 => together(&block, src, count, &mut to),
            2 => alone::<R, 2>(&block, src, count, &mut to),
            3 => alone::<R, 3>(&block, src, count, &mut to),
            _ => alone::<R, REGISTERS>(&block, src, count, &mut to),
        }
    }
    Some(to)
}

/// Moves a panel through the caches.
///
/// # Safety
/// As [`walk`].
#[inline(always)]
pub(super) unsafe fn cached<R: Register>(panel: &Panel<'_>) {
    // SAFETY: passed on.
    unsafe { walk::<R, _>(panel, |to, left| Through { to, left }) };
}
