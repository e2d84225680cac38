//! What the walks of this family are written against: a register of bytes, which can be put into another order.
//!
//! A file of its own because an ISA file supplies that, and nothing else.

use core::ops::Range;

use super::loose::Blocks;
use super::sink::Sink;
use crate::panel::{LINE, Panel};

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

    /// Loads these bytes of a register, at least one, for [`order_of_some`](Self::order_of_some).
    ///
    /// # Safety
    /// - Shape: a register has so many.
    /// - Range: they can be read.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn load_following(from: *const u8, bytes: Range<usize>) -> Self;

    /// The [order](Self::order) of [those](Self::load_following) bytes of a register, which may not be loaded to where they
    /// are in it.
    ///
    /// # Safety
    /// - ISA: that of the file.
    unsafe fn order_of_some(places: &[u8; LINE], bytes: Range<usize>) -> Self::Order<1>;

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

    /// What blocks that are not in one register are made of.
    type Windows;

    /// That of a panel, if its blocks are made of a few windows that may be loaded.
    fn windows(panel: &Panel<'_>) -> Option<Self::Windows>;

    /// Moves a panel of blocks that are made of windows to a sink.
    ///
    /// # Safety
    /// - Shape: `windows` are those of `panel`, but for where it lies.
    /// - Range and aliasing: those of the crate, and the sink takes so many bytes.
    /// - ISA: what the file names is there.
    unsafe fn gathered<S: Sink<Self>>(windows: &Self::Windows, panel: &Panel<'_>, to: S) -> S;
}
