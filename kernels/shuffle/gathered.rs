//! Blocks from windows of the source: as many loads under masks as a register has windows, one permutation of them, one
//! store.
//!
//! A file of its own because what is done in a turn is found out once for many panels: panels are small where a loop is
//! between blocks that follow each other in the destination only.

use core::arch::x86_64::{_mm256_maskz_loadu_epi8, _mm512_zextsi256_si512};

use super::avx512vbmi::Zmm;
use super::register::Register;
use super::sink::Sink;
use super::windows::{self, Piece, WINDOWS};
use crate::gather::coming::Coming;
use crate::panel::{LINE, Panel};

/// A register is a line, and so are its windows.
pub(super) type Windows = windows::Windows<LINE, LINE>;

/// Moves a panel to a sink.
///
/// # Safety
/// - Shape: `windows` is that of `panel`, but for where it lies.
/// - Range and aliasing: those of the crate, and the sink takes so many bytes.
/// - ISA: AVX-512 F, BW and VBMI are there.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
#[inline(never)]
pub(super) unsafe fn gathered<S: Sink<Zmm>>(windows: &Windows, panel: &Panel<'_>, mut to: S) -> S {
    // SAFETY: passed on; ISA: enabled here.
    unsafe {
        match (windows.windows, windows.narrow) {
            (1, false) => turns::<S, 1, false>(windows, panel, &mut to),
            (2, false) => turns::<S, 2, false>(windows, panel, &mut to),
            (3, false) => turns::<S, 3, false>(windows, panel, &mut to),
            (_, false) => turns::<S, WINDOWS, false>(windows, panel, &mut to),
            (1, true) => turns::<S, 1, true>(windows, panel, &mut to),
            (2, true) => turns::<S, 2, true>(windows, panel, &mut to),
            (3, true) => turns::<S, 3, true>(windows, panel, &mut to),
            (_, true) => turns::<S, WINDOWS, true>(windows, panel, &mut to),
        }
    }
    to
}

/// # Safety
/// As [`gathered`], with `N` windows.
#[inline(always)]
unsafe fn turns<S: Sink<Zmm>, const N: usize, const NARROW: bool>(
    windows: &Windows,
    panel: &Panel<'_>,
    to: &mut S,
) {
    let mut src = panel.src.base.cast_const();
    let together = windows.together;
    let step = windows.step * together as isize;
    let pieces = windows.pieces();
    let whole = panel.rows / together;
    let coming = Coming::over(panel.rows * windows.step.unsigned_abs(), step.signum());
    // SAFETY: range: so many blocks are left, and of each those bytes are loaded that are cells; ISA: passed on.
    unsafe {
        let first = Turn::<N, NARROW>::of(&pieces[0]);
        loop {
            let mut from = src;
            if let [piece] = pieces {
                for _ in 0..whole {
                    to.put(first.register(from, coming), piece.bytes);
                    from = from.wrapping_offset(step);
                }
            } else {
                for _ in 0..whole {
                    for piece in pieces {
                        let turn = Turn::<N, NARROW>::of(piece);
                        to.put(turn.register(from, coming), piece.bytes);
                    }
                    from = from.wrapping_offset(step);
                }
            }
            if windows.rest.bytes > 0 {
                let turn = Turn::<N, NARROW>::of(&windows.rest);
                to.put(turn.register(from, Coming::NOTHING), windows.rest.bytes);
            }
            let Some(on) = to.next() else {
                return;
            };
            src = src.wrapping_offset(on);
        }
    }
}

/// A piece, as registers.
struct Turn<const N: usize, const NARROW: bool> {
    starts: [isize; N],
    loaded: [u64; N],
    order: <Zmm as Register>::Order<N>,
}

impl<const N: usize, const NARROW: bool> Turn<N, NARROW> {
    /// # Safety
    /// - ISA: AVX-512 F is enabled where this is inlined.
    #[inline(always)]
    unsafe fn of(piece: &Piece) -> Self {
        let (mut starts, mut loaded) = ([0; N], [0; N]);
        starts.copy_from_slice(&piece.starts[..N]);
        loaded.copy_from_slice(&piece.loaded[..N]);
        Self {
            starts,
            loaded,
            // SAFETY: ISA: passed on.
            order: unsafe { Zmm::order::<N>(&piece.order) },
        }
    }

    /// # Safety
    /// - Range: the bytes of the windows can be read that are loaded, from `from` on.
    /// - ISA: AVX-512 BW and VBMI are enabled where this is inlined.
    #[inline(always)]
    unsafe fn register(&self, from: *const u8, coming: Coming) -> Zmm {
        // SAFETY: passed on.
        unsafe {
            let mut windows = [self.window(from, 0, coming); N];
            for (i, window) in windows.iter_mut().enumerate().skip(1) {
                *window = self.window(from, i, coming);
            }
            Zmm::shuffle::<N>(self.order, windows)
        }
    }

    /// # Safety
    /// As [`Self::register`].
    #[inline(always)]
    unsafe fn window(&self, from: *const u8, i: usize, coming: Coming) -> Zmm {
        let (from, loaded) = (from.wrapping_offset(self.starts[i]), self.loaded[i]);
        coming.ask(from, 1);
        // SAFETY: passed on; ISA: AVX-512 VL is enabled where this is inlined.
        unsafe {
            if NARROW {
                let half = _mm256_maskz_loadu_epi8(loaded as u32, from.cast());
                Zmm(_mm512_zextsi256_si512(half))
            } else {
                Zmm::load_some(from, loaded)
            }
        }
    }
}
