//! Short source rows that are one sequence of bytes, whatever bands are read of them.
//!
//! A file of its own because those who read do not mind how rows lie to each other.

use super::back_to_back::{BackToBack, Fill};
use super::in_groups::InGroups;

/// How rows are a sequence. By value, and groups asked for elsewhere: by reference what moves panels keeps less in registers,
/// f32 512x64, 96 of them, 0.98 of the roof instead of 1.00.
#[derive(Clone, Copy)]
pub(super) enum Sequence<'a> {
    /// All back to back.
    Stream(BackToBack),
    /// Those of each group.
    Groups(InGroups<'a>),
}

impl Sequence<'_> {
    /// Prefetches what is to be read after `bytes` of them are, which are those so many after the start of a row, or
    /// as many.
    #[inline(always)]
    pub(super) fn ask(self, read: (usize, usize), bytes: usize) {
        match &self {
            Self::Stream(stream) => stream.ask(read, bytes),
            Self::Groups(groups) => groups.ask(read, bytes),
        }
    }

    /// What starts so many bytes after the start of a row, if it is to be asked for.
    #[inline(always)]
    pub(super) fn fill<const LINES: usize>(self, first: (usize, usize)) -> Option<Fill<LINES>> {
        match &self {
            Self::Stream(stream) => stream.fill(first),
            Self::Groups(_) => None,
        }
    }
}
