//! The memory traffic that a recipe expects: lines touched on either side, and the level of the
//! memory that holds them.

use std::fmt;

use restride_kernels::CacheSizes;

use super::normalise::Normal;
use super::problem::Dim;
use super::recipe::Recipe;

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

/// What a copy moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic {
    /// The source. Each index of a listed axis is taken to have lines of its own, on the side that
    /// is listed.
    pub source: SideTraffic,
    /// The destination.
    pub dest: SideTraffic,
    /// The level whose speed bounds the copy once it has been run before.
    pub level: Level,
}

impl Recipe {
    /// The memory traffic to expect, `None` if there is nothing to move.
    #[must_use]
    pub fn traffic(&self) -> Option<Traffic> {
        let (normal, work) = (self.normal()?, self.work.as_ref()?);
        let CacheSizes { line, l1, l2, l3 } = work.caches;
        let with = |listed: Option<Dim>| normal.dims.iter().copied().chain(listed).collect();
        let (from, to): (Vec<Dim>, Vec<Dim>) = (with(normal.listed_dst), with(normal.listed));
        let source = side_traffic(&from, &normal, line, |dim| dim.src);
        let dest = side_traffic(&to, &normal, line, |dim| dim.dst);
        let bytes = (source.lines + dest.lines) * line as f64;
        let levels = [(l1, Level::L1), (l2, Level::L2), (l3, Level::L3)];
        let holds = levels.into_iter().find(|&(size, _)| bytes <= size as f64);
        let level = holds.map_or(Level::Memory, |(_, level)| level);
        Some(Traffic {
            source,
            dest,
            level,
        })
    }
}

fn side_traffic(
    dims: &[Dim],
    normal: &Normal,
    line: usize,
    side: impl Fn(&Dim) -> isize,
) -> SideTraffic {
    let (used, span) = dense_part(normal.cell, dims, line, &side);
    // What a side reads again and again (a stride of 0) is touched once.
    let repeated = dims.iter().filter(|dim| side(dim) == 0);
    let repeats: f64 = repeated.map(|dim| dim.extent as f64).product();
    let parts = (normal.cells() * normal.cell) as f64 / repeats / used as f64;
    SideTraffic {
        line_use: (used as f64 / span.max(line) as f64).min(1.0),
        lines: (parts * span.max(line) as f64 / line as f64).ceil(),
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
