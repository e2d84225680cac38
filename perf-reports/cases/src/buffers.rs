//! The memory that is measured: page-aligned, in pages of the size that was asked for where the system
//! grants them, touched before anything is timed unless it is to be fresh.

use std::io;
use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Bytes from the start of the destination's memory to its first byte, so that source and
/// destination lines of the same index fall into different cache sets: 33 lines. Loads and stores
/// whose addresses agree in their low 12 bits would otherwise wait for each other: cases named `R.` have
/// them do so.
pub const DST_OFFSET: usize = 2112;

/// The size and alignment of a huge page on x86-64, and a multiple of every smaller page.
pub const HUGE: usize = 2 << 20;

/// The pages that the system is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pages {
    /// The largest there are: 2 MiB on x86-64.
    #[default]
    Huge,
    /// The smallest there are: 4 KiB on x86-64.
    Small,
}

impl Pages {
    /// Every size.
    pub const ALL: [Self; 2] = [Self::Huge, Self::Small];

    /// The word on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Huge => "huge",
            Self::Small => "small",
        }
    }
}

/// Bytes of its own memory.
#[derive(Debug)]
pub struct Buffer {
    memory: MmapMut,
    start: usize,
    len: usize,
}

impl Buffer {
    /// `len` bytes, `offset` bytes behind a multiple of 2 MiB, all zero and all touched.
    ///
    /// # Errors
    /// If the memory cannot be had.
    pub fn new(len: usize, offset: usize, pages: Pages) -> io::Result<Self> {
        let mut buffer = Self::fresh(len, offset, pages)?;
        buffer.fill(0);
        Ok(buffer)
    }

    /// As [`Buffer::new`], but no page is touched: the first write to each asks the system for it.
    ///
    /// # Errors
    /// If the memory cannot be had.
    pub fn fresh(len: usize, offset: usize, pages: Pages) -> io::Result<Self> {
        let whole = len
            .checked_add(offset)
            .and_then(|bytes| bytes.checked_add(HUGE))
            .filter(|&bytes| isize::try_from(bytes).is_ok())
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let memory = MmapMut::map_anon(whole)?;
        advise(&memory, pages);
        let base = memory.as_ptr().addr();
        let start = base.next_multiple_of(HUGE) - base + offset;
        Ok(Self { memory, start, len })
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

/// Asks for pages. A refusal changes speed, not meaning, so it is not looked at.
fn advise(memory: &MmapMut, pages: Pages) {
    #[cfg(target_os = "linux")]
    {
        let _ = memory.advise(match pages {
            Pages::Huge => memmap2::Advice::HugePage,
            Pages::Small => memmap2::Advice::NoHugePage,
        });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (memory, pages);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_placed_and_zero() {
        for pages in Pages::ALL {
            let one = Buffer::new(100, 0, pages).unwrap();
            let two = Buffer::fresh(100, DST_OFFSET, pages).unwrap();
            assert_eq!(one.as_ptr().addr() % HUGE, 0);
            assert_eq!(two.as_ptr().addr() % HUGE, DST_OFFSET);
            assert_eq!(DST_OFFSET % 64, 0);
            assert!(one.iter().chain(&*two).all(|&byte| byte == 0));
            assert!(Buffer::new(usize::MAX, 1, pages).is_err());
        }
        assert!(Buffer::new(0, 0, Pages::Huge).unwrap().is_empty());
    }
}
