//! Loose blocks, and others that do not follow each other, of up to a register: as many as lie in one, of which no more is
//! loaded than they are where what is between them may not be read.
//!
//! ```text
//!   load    | a b c - | d e f - |        from RGBA
//!   store   | c b a f e d . . . |        to BGR
//! ```
//!
//! The last ones are loaded under masks. Without masks, and where all that they reach over may be read, in registers that
//! are moved back to where they end, or up to where they start.

use super::block::Block;
use super::register::Register;
use super::sink::Sink;
use crate::gather::coming::Coming;
use crate::panel::LINE;

/// Blocks of the source. Their own copy of what is done to each: the others are looked at in every turn of their loops if
/// that is somewhere else.
pub(super) struct Blocks {
    pub(super) block: Block,
    /// Where the first one starts.
    pub(super) src: *const u8,
    pub(super) count: usize,
    /// Whether what lies between them may be read.
    pub(super) readable: bool,
}

/// Moves blocks that are loose, or have others between them, and do not span more than a register: as many as one holds
/// together.
///
/// # Safety
/// - Range: `count` blocks can be read, and what lies between them as well if that is readable, and the sink takes them; the
///   same of each of its panels.
/// - ISA: that of the register is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn loosely<R: Register, S: Sink<R>>(blocks: &Blocks, mut to: S) -> S {
    let &Blocks {
        ref block,
        mut src,
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
    let before = block.start(0, R::BYTES);
    let whole = (count + most).saturating_sub(least) / most;
    let left = count - whole * most;
    let places = block.places_of_loose(most, R::BYTES);
    if !R::MASKS && readable {
        let reach = block.reach(count);
        let lowest = if block.step < 0 {
            reach - block.span
        } else {
            0
        };
        // SAFETY: range: passed on, `whole` registers are of what the blocks reach over, as are the others; ISA: passed on.
        unsafe {
            let order = R::order::<1>(&places);
            let first = lowest as isize - before as isize + step * whole as isize;
            let ends = Ends::<R>::of((&places, most, step), (first, left), reach);
            loop {
                let mut from = src.wrapping_sub(before);
                for _ in 0..whole {
                    to.put(R::shuffle(order, [R::load(from)]), bytes);
                    from = from.wrapping_offset(step);
                }
                ends.put(src.wrapping_sub(lowest), block.bytes, &mut to);
                let Some(on) = to.next() else {
                    return to;
                };
                src = src.wrapping_offset(on);
            }
        }
    }
    // SAFETY: range: `count` blocks can be read, the first of which starts where it does in the register at `from`, and
    // what lies between them where that is readable, which as many registers as are whole do not leave; ISA: passed on.
    unsafe {
        let order = R::order::<1>(&places);
        let moved = block.moved(most, R::BYTES);
        let coming = Coming::over(left * block.step.unsigned_abs(), step.signum());
        let last = left % most;
        let moved_last = match last {
            0 => 0,
            _ => block.moved(last, R::BYTES),
        };
        loop {
            let mut from = src.wrapping_sub(before);
            for _ in 0..whole {
                to.put(R::shuffle(order, [R::load(from)]), bytes);
                from = from.wrapping_offset(step);
            }
            for _ in 0..left / most {
                coming.ask(from, 1);
                to.put(R::shuffle(order, [R::load_some(from, moved)]), bytes);
                from = from.wrapping_offset(step);
            }
            if last > 0 {
                let register = R::load_some(from, moved_last);
                to.put(R::shuffle(order, [register]), last * block.bytes);
            }
            let Some(on) = to.next() else {
                return to;
            };
            src = src.wrapping_offset(on);
        }
    }
}

/// Registers of which it is found out once for all panels what they are made of: as many as cells four times have.
const KEPT: usize = 4;

/// The last of some blocks, without masks.
struct Ends<'p, R: Register> {
    /// Where each byte of a register's blocks is, from the first one's register on.
    places: &'p [u8; LINE],
    /// How many blocks a register has, and bytes from each to the next one.
    most: usize,
    step: isize,
    /// Where the first register would start, from the lowest byte of all blocks on, and how many blocks are left.
    first: isize,
    left: usize,
    /// Bytes that all blocks reach over.
    reach: usize,
    /// The orders of the first registers.
    kept: [R::Order<1>; KEPT],
}

impl<'p, R: Register> Ends<'p, R> {
    /// # Safety
    /// - ISA: that of the register is enabled where this is inlined.
    #[inline(always)]
    unsafe fn of(
        (places, most, step): (&'p [u8; LINE], usize, isize),
        (first, left): (isize, usize),
        reach: usize,
    ) -> Self {
        // SAFETY: ISA: passed on.
        unsafe {
            let mut ends = Self {
                places,
                most,
                step,
                first,
                left,
                reach,
                kept: [R::order::<1>(places); KEPT],
            };
            let few = left.div_ceil(most).min(KEPT);
            for nth in 0..few {
                ends.kept[nth] = ends.order(nth);
            }
            ends
        }
    }

    /// Where the `nth` register would start, and where it does, which is in what the blocks reach over.
    #[inline(always)]
    fn start(&self, nth: usize) -> (isize, isize) {
        let start = self.first + self.step * nth as isize;
        let highest = self.reach.saturating_sub(R::BYTES) as isize;
        (start, start.clamp(0, highest))
    }

    /// The order of the `nth` register.
    ///
    /// # Safety
    /// - ISA: that of the register is enabled where this is inlined.
    #[inline(always)]
    unsafe fn order(&self, nth: usize) -> R::Order<1> {
        let (start, at) = self.start(nth);
        let moved = start.wrapping_sub(at) as u8;
        let places = self.places.map(|place| place.wrapping_add(moved));
        // SAFETY: ISA: passed on.
        unsafe {
            if self.reach < R::BYTES {
                R::order_of_some(&places, 0..self.reach)
            } else {
                R::order::<1>(&places)
            }
        }
    }

    /// Moves the blocks, each of so many bytes, of which all reach from `low` on.
    ///
    /// # Safety
    /// - Range: what they reach over can be read, and the sink takes them.
    /// - ISA: that of the register is enabled where this is inlined.
    #[inline(always)]
    unsafe fn put(&self, low: *const u8, bytes: usize, to: &mut impl Sink<R>) {
        let mut left = self.left;
        let mut nth = 0;
        while left > 0 {
            let (_, at) = self.start(nth);
            let from = low.wrapping_offset(at);
            // SAFETY: range: a register of what the blocks reach over, or all of that; ISA: passed on.
            unsafe {
                let register = if self.reach < R::BYTES {
                    R::load_following(from, 0..self.reach)
                } else {
                    R::load(from)
                };
                let order = match self.kept.get(nth) {
                    Some(order) => *order,
                    None => self.order(nth),
                };
                let count = self.most.min(left);
                to.put(R::shuffle(order, [register]), count * bytes);
                left -= count;
            }
            nth += 1;
        }
    }
}
