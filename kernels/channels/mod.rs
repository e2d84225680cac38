//! `channels`: pixels that follow each other get channels of one value, as RGB gets alpha, or a real number an
//! imaginary part.
//!
//! Sixteen bytes of the destination are some whole pixels; they are a *lane*, and every lane is made in the same way:
//!
//! ```text
//!   src   r g b r g b r g b r g b            4, 8 or 12 bytes
//!   dst   r g b a r g b a r g b a r g b a    16 bytes, `a` from the value
//! ```
//!
//! A family of its own, because its contract is: what lies between the cells of the destination is written as well, and
//! does not come from the source. So whole lines can be streamed, which no row of `scatter` can do.
//!
//! # Obligations of every row
//!
//! - **Shape.** None.
//! - **Stride.** None: pixels follow each other on both sides.
//! - **Range.** All bytes of the source's pixels are initialised and can be read, those of the destination's written.
//! - **Aliasing.** No byte of the destination is one of the source, and no other thread touches it.
//! - **Alignment.** None.
//! - **ISA.** Bound with a token of the row's ISA or a higher one ([`ChannelsRow::bind`]).

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod walk;

use crate::fence::StreamFence;
use crate::isa::{Isa, Token};

/// Bytes of a lane: a register's smallest part in which bytes can be shuffled.
const LANE: usize = 16;

/// In [`Channels::places`], a byte that does not come from the source.
const NONE: u8 = 0x80;

/// What happens to a pixel: how many bytes it has in the source, and which ones stand before and after them in the
/// destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    /// Bytes of a pixel of the source, and of the destination.
    pixel: (usize, usize),
    /// Bytes of the source that a lane is made of.
    lane: usize,
    /// Which of them goes to each byte of a lane, if one does.
    places: [u8; LANE],
    /// What stands at the other bytes, and nothing but zeros at these.
    value: [u8; LANE],
}

impl Channels {
    /// Pixels of `bytes` bytes with `value` `before` times before them and `after` times after them. None if a lane is
    /// not whole pixels, or they are not 4, 8 or 12 bytes of the source.
    #[must_use]
    pub fn new(value: &[u8], before: usize, bytes: usize, after: usize) -> Option<Self> {
        let margin = |times: usize| times.checked_mul(value.len());
        let (first, last) = (margin(before)?, margin(after)?);
        let pixel = first.checked_add(bytes)?.checked_add(last)?;
        if pixel == 0 || !LANE.is_multiple_of(pixel) {
            return None;
        }
        let lane = LANE / pixel * bytes;
        if !matches!(lane, 4 | 8 | 12) {
            return None;
        }
        let (mut places, mut filled) = ([NONE; LANE], [0; LANE]);
        for at in 0..LANE {
            match (at % pixel).checked_sub(first) {
                Some(byte) if byte < bytes => places[at] = (at / pixel * bytes + byte) as u8,
                // A margin of nothing has no bytes, so the value has some.
                Some(byte) => filled[at] = value[(byte - bytes) % value.len()],
                None => filled[at] = value[at % pixel % value.len()],
            }
        }
        Some(Self {
            pixel: (bytes, pixel),
            lane,
            places,
            value: filled,
        })
    }

    /// Bytes of a pixel of the source, and of the destination.
    #[must_use]
    pub fn pixel(&self) -> (usize, usize) {
        self.pixel
    }
}

/// Moves so many pixels.
type Call = unsafe fn(&Channels, *const u8, *mut u8, usize);

/// One kernel of the family: a line of its table.
pub struct ChannelsRow {
    /// `channels-isa`.
    pub name: &'static str,
    /// The ISA it needs.
    pub isa: Isa,
    cached: Call,
    streamed: Call,
}

impl core::fmt::Debug for ChannelsRow {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name)
    }
}

impl ChannelsRow {
    /// This row as something that can be run, if `token` proves its ISA.
    #[must_use]
    pub fn bind(&'static self, token: Token) -> Option<ChannelsKernel> {
        (token.isa() >= self.isa).then_some(ChannelsKernel {
            row: self,
            _token: token,
        })
    }
}

/// A row and the proof that this machine runs it.
#[derive(Clone, Copy, Debug)]
pub struct ChannelsKernel {
    row: &'static ChannelsRow,
    _token: Token,
}

impl ChannelsKernel {
    /// The guard that a task holds while it runs this kernel, around the caches if it is to stream.
    pub fn begin(&self, streams: bool) -> StreamFence<'static> {
        StreamFence::new(streams, &mut [])
    }

    /// Moves so many pixels, around the caches if `fence` was begun so.
    ///
    /// # Safety
    /// In this order:
    /// - Range: all bytes of the pixels are initialised and can be read in the source, and written in the destination.
    /// - Aliasing: none of the destination is one of the source, and no other thread touches them.
    /// - Alignment: none.
    /// - ISA: met by this value.
    pub unsafe fn run(
        &self,
        channels: &Channels,
        (src, dst): (*const u8, *mut u8),
        pixels: usize,
        fence: &StreamFence<'_>,
    ) {
        let call = match fence.is_armed() {
            true => self.row.streamed,
            false => self.row.cached,
        };
        // SAFETY: passed on to the caller; ISA: the token in self.
        unsafe { call(channels, src, dst, pixels) }
    }
}

/// Best first.
static TABLE: &[&[ChannelsRow]] = &[
    #[cfg(target_arch = "x86_64")]
    avx512::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2::ROWS,
];

/// Every row of the family, in look-up order.
pub fn channels_rows() -> impl Iterator<Item = &'static ChannelsRow> {
    TABLE.iter().copied().flatten()
}

/// The first row that needs no more than `cap`, if there is one.
#[must_use]
pub fn find_channels(cap: Isa) -> Option<&'static ChannelsRow> {
    channels_rows().find(|row| row.isa <= cap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_lane_come_from_pixels_or_the_value() {
        let alpha = Channels::new(&[7], 0, 3, 1).unwrap();
        assert_eq!((alpha.pixel(), alpha.lane), ((3, 4), 12));
        assert_eq!(alpha.places[..8], [0, 1, 2, NONE, 3, 4, 5, NONE]);
        assert_eq!(alpha.value[..8], [0, 0, 0, 7, 0, 0, 0, 7]);
        let both = Channels::new(&[1, 2], 1, 4, 1).unwrap();
        assert_eq!(both.places[..8], [NONE, NONE, 0, 1, 2, 3, NONE, NONE]);
        assert_eq!(both.value[..8], [1, 2, 0, 0, 0, 0, 1, 2]);
    }

    #[test]
    fn lanes_are_whole_pixels() {
        assert!(Channels::new(&[0; 4], 0, 4, 1).is_some(), "complex of real");
        assert!(Channels::new(&[0; 8], 0, 8, 1).is_some(), "of double width");
        assert!(
            Channels::new(&[0; 8], 0, 24, 1).is_none(),
            "wider than a lane"
        );
        assert!(Channels::new(&[0], 1, 3, 1).is_none(), "five bytes");
        assert!(
            Channels::new(&[0], 0, 1, 7).is_none(),
            "two bytes of a lane"
        );
        assert!(Channels::new(&[0], 0, 4, 0).is_none(), "all of a lane");
        assert!(Channels::new(&[], 0, 0, 5).is_none(), "no bytes at all");
        assert!(Channels::new(&[0; 2], usize::MAX, 3, 1).is_none());
    }
}
