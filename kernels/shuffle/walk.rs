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

use super::REGISTERS;
use super::block::Block;
use super::loose::Blocks;
use super::register::Register;
use super::sink::{Everywhere, Sink, Through};
use crate::cell::Sized;
use crate::crossed::crossed;
use crate::gather::coming::Coming;
use crate::panel::{LINE, Panel, SourceGaps};
use crate::row::{Ask, Moves};

/// What is asked for of a source of so many bytes that is read in one sequence.
#[inline(always)]
fn coming<R: Register, S: Sink<R>>(bytes: usize, step: isize) -> Coming {
    if S::ASKS {
        Coming::in_sequence(bytes, step.signum())
    } else {
        Coming::NOTHING
    }
}

/// Moves blocks that follow each other in the source, as many as a register holds together.
///
/// # Safety
/// - Range: `count` blocks can be read, the first of which starts at `src`, and the sink takes them; the same of each of its
///   panels.
/// - ISA: that of the register is enabled where this is inlined.
#[inline(always)]
unsafe fn together<R: Register, S: Sink<R>>(
    block: &Block,
    mut src: *const u8,
    count: usize,
    to: &mut S,
) {
    let (from, remainders) = block.of_several();
    let mut within = [0; LINE];
    // SAFETY: range: a register is at most a line, and `from` is longer; ISA: passed on.
    let places = unsafe {
        let all = R::shuffle(R::order::<1>(remainders), [R::load(from.as_ptr())]);
        all.store(within.as_mut_ptr());
        block.places_of_several(&within, R::BYTES)
    };
    let (all, whole) = (count * block.bytes, R::BYTES / block.bytes * block.bytes);
    let turns = match all.checked_sub(R::BYTES) {
        Some(others) => others / whole + 1,
        None => 0,
    };
    // Less than a register, and so no more blocks than it holds.
    let left = all - turns * whole;
    // Downwards the first block of a register ends where it does.
    let down = block.step < 0;
    let (step, before) = if down {
        (-(whole as isize), R::BYTES - block.bytes)
    } else {
        (whole as isize, 0)
    };
    let part = if down {
        R::BYTES - left..R::BYTES
    } else {
        0..left
    };
    // SAFETY: ISA: passed on.
    let (order, last) = unsafe {
        (
            R::order::<1>(&places),
            R::order_of_some(&places, part.clone()),
        )
    };
    let coming = coming::<R, S>(all, block.step);
    loop {
        let mut from = src.wrapping_sub(before);
        for _ in 0..turns {
            coming.ask(from, 1);
            // SAFETY: range: so many bytes are left, from here on or, downwards, up to the end of this block; ISA:
            // passed on.
            unsafe { to.put(R::shuffle(order, [R::load(from)]), whole) };
            from = from.wrapping_offset(step);
        }
        if left > 0 {
            // SAFETY: range: the bytes that are left; ISA: passed on.
            unsafe {
                let some = R::load_following(from, part.clone());
                to.put(R::shuffle(last, [some]), left);
            }
        }
        let Some(on) = to.next() else {
            return;
        };
        src = src.wrapping_offset(on);
    }
}

/// Moves blocks of `N` registers, wherever they are.
///
/// # Safety
/// As [`together`].
#[inline(always)]
unsafe fn alone<R: Register, S: Sink<R>, const N: usize>(
    block: &Block,
    mut src: *const u8,
    count: usize,
    to: &mut S,
) {
    let (last, rest) = (block.bytes - R::BYTES, block.bytes - (N - 1) * R::BYTES);
    // SAFETY: range: the registers of each block, of which the last ends with it; ISA: passed on. No closures,
    // which would be without it.
    unsafe {
        let mut orders = [R::order::<N>(&block.places_of_one(0, R::BYTES, N)); N];
        for (nth, order) in orders.iter_mut().enumerate().skip(1) {
            *order = R::order::<N>(&block.places_of_one(nth, R::BYTES, N));
        }
        let coming = coming::<R, S>(count * block.bytes, block.step);
        loop {
            let mut from = src;
            for _ in 0..count {
                coming.ask(from, (N * R::BYTES).div_ceil(LINE));
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
            let Some(on) = to.next() else {
                return;
            };
            src = src.wrapping_offset(on);
        }
    }
}

/// Panels that may be blocks, of cells that are less than a line.
pub(super) fn takes<R: Register>(ask: &Ask) -> bool {
    let bytes = ask.cols.saturating_mul(ask.cell);
    ask.cell < LINE && (1..=REGISTERS * R::BYTES).contains(&bytes)
}

/// Bytes of the cells of a panel.
#[inline(always)]
fn bytes_of(panel: &Panel<'_>) -> usize {
    panel.rows * panel.cols * panel.cell
}

/// Moves a panel of such blocks to a sink, which is handed back.
///
/// # Safety
/// The contract of the crate, with a panel that [`takes`] admits and that has a row; the sink takes as many bytes; the ISA
/// of the registers is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn blocks<R: Register, S: Sink<R>>(
    block: Block,
    panel: &Panel<'_>,
    mut to: S,
) -> S {
    let (src, count) = (panel.src.base.wrapping_offset(block.low), panel.rows);
    if block.bytes <= R::BYTES && !block.follows() {
        let blocks = Blocks {
            block,
            src,
            count,
            readable: panel.gaps == SourceGaps::Readable,
        };
        // SAFETY: range and aliasing: passed on, as the cells are in blocks of up to a register; ISA: passed on.
        return unsafe { R::loosely(&blocks, to) };
    }
    // SAFETY: range and aliasing: passed on, as the cells of both sides fill their blocks; ISA: passed on.
    unsafe {
        match block.bytes.div_ceil(R::BYTES) {
            1 => together(&block, src, count, &mut to),
            2 => alone::<R, S, 2>(&block, src, count, &mut to),
            3 => alone::<R, S, 3>(&block, src, count, &mut to),
            _ => alone::<R, S, REGISTERS>(&block, src, count, &mut to),
        }
    }
    to
}

/// Moves a panel to a sink that `sink` makes for the first byte and the number of bytes of the destination, if
/// it is one of blocks; else cell by cell. The sink is handed back.
///
/// # Safety
/// As [`blocks`], but the panel may have no row.
#[inline(always)]
pub(super) unsafe fn walk<R: Register, S: Sink<R>>(
    panel: &Panel<'_>,
    sink: impl FnOnce(*mut u8, usize) -> S,
) -> Option<S> {
    if panel.rows == 0 {
        return None;
    }
    // SAFETY: shape: there is a row; the rest is passed on.
    unsafe {
        let sink = || sink(panel.dst.cell(0, 0), bytes_of(panel));
        if let Some(block) = Block::of(panel, R::LOOSE) {
            return Some(blocks(block, panel, sink()));
        }
        if let Some(windows) = R::windows(panel) {
            return Some(R::gathered(&windows, panel, sink()));
        }
        crossed(panel, Sized(panel.cell));
    }
    None
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

/// Moves a panel and those that `moves` lead to through the caches: what is done to each block is found out once, which takes
/// longer than to move a hundred bytes.
///
/// # Safety
/// As [`walk`], for each of the panels.
#[inline(always)]
pub(super) unsafe fn everywhere<R: Register>(panel: &Panel<'_>, moves: &mut Moves<'_>) {
    if panel.rows == 0 {
        return;
    }
    // SAFETY: shape: there is a row; the rest is passed on.
    unsafe {
        if let Some(block) = Block::of(panel, R::LOOSE) {
            let to = Everywhere::of(panel.dst.cell(0, 0), bytes_of(panel), moves);
            blocks::<R, _>(block, panel, to);
        } else if let Some(windows) = R::windows(panel) {
            gathered_everywhere::<R>(&windows, panel, moves);
        } else {
            each(panel, moves, |panel| crossed(panel, Sized(panel.cell)));
        }
    }
}

/// Bytes of a panel from which on each is a call: a sink of all panels does not stay in registers. Of memcpy, by one call and
/// so, Xeon: 3x3 of every second u8, 1 KB a panel, 0.56 and 0.68, f32 0.40 and 0.53; but RGBA to BGR u8, 168 bytes, 0.08 and
/// 0.06.
const LARGE: usize = 512;

/// Moves a panel of blocks that are made of such windows, and those that `moves` lead to, through the caches.
///
/// # Safety
/// As [`everywhere`], with the [windows](Register::windows) of the panel, which has a row.
#[inline(always)]
pub(super) unsafe fn gathered_everywhere<R: Register>(
    windows: &R::Windows,
    panel: &Panel<'_>,
    moves: &mut Moves<'_>,
) {
    let left = bytes_of(panel);
    // SAFETY: shape: there is a row; the rest is passed on.
    unsafe {
        if left < LARGE {
            let to = Everywhere::of(panel.dst.cell(0, 0), left, moves);
            R::gathered(windows, panel, to);
        } else {
            each(panel, moves, |panel| {
                let to = panel.dst.cell(0, 0);
                R::gathered(windows, panel, Through { to, left });
            });
        }
    }
}

/// Hands a panel and each of those that `moves` lead to to `what`.
#[inline(always)]
fn each(panel: &Panel<'_>, moves: &mut Moves<'_>, mut what: impl FnMut(&Panel<'_>)) {
    let mut panel = *panel;
    what(&panel);
    for (src, dst) in moves {
        panel.move_on(src, dst);
        what(&panel);
    }
}
