//! Whether groups are formed at all, and of what kind.

use restride_kernels::{Isa, most_shuffled};

use crate::machine::Facts;
use crate::plan::stores::{LEAST_STREAMED, near_bytes, streaming_bytes};

/// From this many dimensions on, groups with tables are formed. Below it each side of a panel is
/// one dimension, so that planning takes no heap and a fraction of a microsecond.
pub(super) const TABLE_RANK: usize = 5;

/// The same where the destination is streamed: copies so long do not feel a table.
const STREAMED_TABLE_RANK: usize = 3;

/// Copies up to this many bytes are made of few large panels, whose rows are nests: a table is made on
/// the stack when they are run. f32 4x4x4x4 reversed in one panel instead of sixteen: a run takes 40 ns
/// instead of 100, plan and run 102 instead of 171; 2x2x2x2, 17 and 48, 90 and 130; rows of 32 bytes
/// permuted, 31 and 62, 80 and 120 (2-core AVX-512 server VM). *Guess*: above 4 KiB, calls vanish beside
/// the cells.
const NESTED_BYTES: usize = 4 << 10;

/// What the growth of groups depends on.
#[derive(Clone, Copy, Debug)]
pub(in crate::plan) struct Grow {
    /// Bytes of a line.
    pub(in crate::plan) line: usize,
    /// Whether the destination is written around the caches.
    pub(in crate::plan) streaming: bool,
    /// Whether it is, on a machine with a near third-level cache.
    pub(in crate::plan) streams_near: bool,
    /// Whether groups are nests.
    pub(in crate::plan) nested: bool,
    /// Whether panels may be fetched: cached stores to a destination that the caches do not hold.
    pub(in crate::plan) fetched: bool,
    /// Bytes of a block whose cells are shuffled in registers, at most: where blocks follow each other in the
    /// source, and where they do not.
    pub(in crate::plan) shuffled: (usize, usize),
}

impl Grow {
    /// For a copy of `bytes` with kernels that need no more than `isa`.
    #[inline]
    pub(in crate::plan) fn of(bytes: usize, facts: &Facts, isa: Isa, streaming: bool) -> Self {
        Self {
            line: facts.caches.line,
            streaming,
            streams_near: streaming && near_bytes(facts) > 0,
            nested: bytes <= NESTED_BYTES && !streaming,
            fetched: !streaming && bytes >= LEAST_STREAMED && bytes >= streaming_bytes(facts),
            shuffled: most_shuffled(isa),
        }
    }

    /// From this many dimensions on groups are formed.
    pub(super) fn table_rank(self) -> usize {
        if self.streaming {
            STREAMED_TABLE_RANK
        } else {
            TABLE_RANK
        }
    }
}
