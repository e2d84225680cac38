//! `shuffle`: blocks of a few bytes that follow each other in the destination, the cells of each in another order
//! inside, from blocks that stand anywhere. Pixels whose channels change places, numbers whose byte order changes,
//! batches of small matrices.
//!
//! ```text
//!   src   r g b r g b r g b ..      a b c d | e f g h | ..      blocks of 3 and of 4 cells
//!   dst   b g r b g r b g r ..      a c b d | e g f h | ..
//! ```
//!
//! A block is a destination row, and a cell of a source row: the panel is crossed, its source rows are the
//! places of the cells in a block. Vector rows turn them into one permutation of bytes, for as many blocks
//! as a register holds, or for as many registers as a block takes. Blocks of up to a register may leave bytes of the
//! source out, or have some twice: RGBA to BGR, gray to RGB; with AVX2 only where what is left out may be read. Each
//! register of a block may be made of four *windows* of the source, which are anywhere: patches of pixels from planes, frames
//! from channels. With AVX-512 VBMI they are up to a line long, and loaded under masks; with AVX2 16 bytes, all of which are
//! loaded, which has to be allowed.
//!
//! Rows of pixels are small panels, and what is done to a block takes longer to find out than to move a hundred bytes: all
//! panels of all loops are moved by one call. A row of 100, ns, by a call for each and so, Xeon: BGR to RGB u8, 12 pixels 66
//! and 5.6, 56 pixels 70 and 12; with AVX2 92 and 11, 109 and 19; pixels twice, u16, 24 of them, with AVX2 96 and 14.
//! Large ones are written around the caches, with AVX2 where whole registers are stored.
//!
//! Obligations of every row: the contract in the crate's documentation; what defines the family is
//! [`Family::admits`](crate::Family::admits). Panels whose rows are something else than such blocks are moved
//! cell by cell.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512vbmi;
#[cfg(target_arch = "x86_64")]
mod block;
#[cfg(target_arch = "x86_64")]
mod carry;
#[cfg(target_arch = "x86_64")]
mod gathered;
#[cfg(target_arch = "x86_64")]
mod gathered_avx2;
#[cfg(target_arch = "x86_64")]
mod kept;
#[cfg(target_arch = "x86_64")]
mod loose;
#[cfg(target_arch = "x86_64")]
mod register;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sink;
#[cfg(target_arch = "x86_64")]
mod walk;
#[cfg(target_arch = "x86_64")]
mod whole;
#[cfg(target_arch = "x86_64")]
mod windows;

use crate::isa::Isa;
use crate::panel::{Panel, SourceGaps};
use crate::row::Row;

/// Registers that a block may take.
const REGISTERS: usize = 4;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[
    #[cfg(target_arch = "x86_64")]
    avx512vbmi::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2::ROWS,
    scalar::ROWS,
];

/// Bytes of a block at most, for vector rows.
#[derive(Clone, Copy, Debug)]
pub struct Shuffled {
    /// Of blocks that follow each other in the source as well.
    pub following: usize,
    /// Of others that the cells fill in the source.
    pub apart: usize,
    /// Of those that leave bytes out there, or have some twice, and from their lowest byte there to their highest.
    pub loose: usize,
    /// Of a part at least, where cells of three parts lie backwards or apart in the source and have rows of their own.
    pub triples: usize,
    /// Whether what is left out of a register is left out under masks.
    pub masks: bool,
}

impl Shuffled {
    /// Of rows that need no more than `isa`, where what lies between cells of the source may be read, or not: those of
    /// AVX2 have no masks to leave bytes out.
    #[must_use]
    #[inline]
    pub fn most(isa: Isa, gaps: SourceGaps) -> Self {
        let readable = gaps == SourceGaps::Readable;
        let (following, apart, loose) = match isa {
            _ if cfg!(not(target_arch = "x86_64")) => (0, 0, 0),
            Isa::Avx512Vbmi => (REGISTERS * 64, REGISTERS * 64, 64),
            Isa::Avx512 | Isa::Avx2 if readable => (REGISTERS * 32, REGISTERS * 32, 32),
            Isa::Avx512 | Isa::Avx2 => (REGISTERS * 32, 0, 0),
            _ => (0, 0, 0),
        };
        Self {
            following,
            apart,
            loose,
            triples: match isa {
                Isa::Avx512Vbmi => 1,
                Isa::Avx512 => 2,
                _ => usize::MAX,
            },
            masks: isa >= Isa::Avx512Vbmi,
        }
    }
}

/// What a turn of blocks takes whose cells lie in a few lines of the source, whatever lies between those.
#[derive(Clone, Copy, Debug)]
pub struct Gathered {
    /// Bytes that it moves.
    pub bytes: usize,
    /// Loads and stores.
    pub accesses: usize,
}

impl Shuffled {
    /// What a turn of a panel of the family takes, where vector rows take loose blocks; none if its cells lie in more lines.
    #[must_use]
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))] // only x86 rows do
    pub fn gathered(self, panel: &Panel<'_>) -> Option<Gathered> {
        #[cfg(target_arch = "x86_64")]
        if self.masks {
            return Some(gathered::Windows::of(panel)?.turn());
        } else if self.loose > 0 {
            return Some(gathered_avx2::Gathered::of(panel)?.turn());
        }
        None
    }
}
