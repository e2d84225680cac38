//! The memory traffic that a recipe expects: lines touched on either side, and the level of the
//! memory that holds them.

use std::fmt;

use restride_kernels::CacheSizes;

use super::problem::Dim;
use super::recipe::Work;

/// Bytes moved and lines touched on one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SideTraffic {
    /// The share of the bytes of the touched lines that the copy uses, as the strides predict it.
    pub line_use: f64,
    /// Lines touched, counting each once.
    pub lines: f64,
}

/// The smallest level that holds both sides of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// First-level data cache.
    L1,
    /// Second-level cache.
    L2,
    /// Third-level cache.
    L3,
    /// None of them.
    Memory,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::L1 => "L1",
            Self::L2 => "L2",
            Self::L3 => "L3",
            Self::Memory => "memory",
        })
    }
}

impl Work {
    /// What the source side moves. Each index of a listed axis is taken to have lines of its own.
    #[must_use]
    pub fn source_traffic(&self) -> SideTraffic {
        self.traffic(&self.normal.dims, |dim| dim.src)
    }

    /// What the destination side moves.
    #[must_use]
    pub fn dest_traffic(&self) -> SideTraffic {
        let mut dims = self.normal.dims.clone();
        dims.extend(self.normal.listed);
        self.traffic(&dims, |dim| dim.dst)
    }

    /// The level whose speed bounds the copy once it has been run before.
    #[must_use]
    pub fn level(&self) -> Level {
        let CacheSizes { line, l1, l2, l3 } = self.caches;
        let bytes = (self.source_traffic().lines + self.dest_traffic().lines) * line as f64;
        let levels = [(l1, Level::L1), (l2, Level::L2), (l3, Level::L3)];
        let holds = levels.into_iter().find(|&(size, _)| bytes <= size as f64);
        holds.map_or(Level::Memory, |(_, level)| level)
    }

    fn traffic(&self, dims: &[Dim], side: impl Fn(&Dim) -> isize) -> SideTraffic {
        let line = self.caches.line;
        let (used, span) = dense_part(self.normal.cell, dims, line, &side);
        // What a side reads again and again (a stride of 0) is touched once.
        let repeated = dims.iter().filter(|dim| side(dim) == 0);
        let repeats: f64 = repeated.map(|dim| dim.extent as f64).product();
        let parts = self.bytes as f64 / repeats / used as f64;
        SideTraffic {
            line_use: (used as f64 / span.max(line) as f64).min(1.0),
            lines: (parts * span.max(line) as f64 / line as f64).ceil(),
        }
    }
}

/// The bytes used, and the bytes spanned, by the dimensions whose strides stay within a line of what
/// is spanned already.
fn dense_part(
    cell: usize,
    dims: &[Dim],
    line: usize,
    side: impl Fn(&Dim) -> isize,
) -> (usize, usize) {
    let mut strides: Vec<(usize, usize)> = dims
        .iter()
        .map(|dim| (side(dim).unsigned_abs(), dim.extent))
        .collect();
    strides.sort_unstable();
    let (mut used, mut span) = (cell, cell);
    for (stride, extent) in strides.into_iter().filter(|&(stride, _)| stride > 0) {
        if stride >= span + line {
            break;
        }
        used = used.saturating_mul(extent);
        span = span.saturating_add((extent - 1).saturating_mul(stride));
    }
    (used, span)
}
