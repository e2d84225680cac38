//! One case: a copy as data, and the arithmetic on it. The lists of cases are in `suites/`.

use restride::{Error, Problem, SourceGaps};

/// A copy between two strided layouts of the same shape.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name in tests, benches, tables, records and figures.
    pub name: String,
    /// What it stands for.
    pub kind: Kind,
    /// Bytes of a cell.
    pub cell: usize,
    /// One extent per axis.
    pub shape: Vec<usize>,
    /// The source.
    pub src: Side,
    /// The destination.
    pub dst: Side,
    /// What one call of restride includes.
    pub call: Call,
}

/// What a case stands for: reports show each kind in a section of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Six real scenarios.
    Flagship,
    /// The table that versions are compared on.
    Table,
    /// 2-D transposes.
    Transpose,
    /// The 57 of TTC and HPTT.
    Ttc,
    /// Layouts of arrays, machine learning and images.
    Layout,
    /// Small copies.
    Small,
    /// Volumes and tensor networks.
    Volume,
    /// A kernel family and cell at one of several sizes.
    Size,
    /// A permutation of axes.
    Permutation,
    /// Rows near bad strides.
    Resonance,
    /// A layout that nobody thought of.
    Random,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::Flagship,
        Self::Table,
        Self::Transpose,
        Self::Ttc,
        Self::Layout,
        Self::Small,
        Self::Volume,
        Self::Size,
        Self::Permutation,
        Self::Resonance,
        Self::Random,
    ];

    /// The word in the records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Flagship => "flagship",
            Self::Table => "table",
            Self::Transpose => "transpose",
            Self::Ttc => "ttc",
            Self::Layout => "layout",
            Self::Small => "small",
            Self::Volume => "volume",
            Self::Size => "size",
            Self::Permutation => "permutation",
            Self::Resonance => "resonance",
            Self::Random => "random",
        }
    }

    /// Whether it is one of very many that show something together.
    #[must_use]
    pub fn is_sweep(self) -> bool {
        matches!(
            self,
            Self::Size | Self::Permutation | Self::Resonance | Self::Random
        )
    }

    /// Whether it is measured on several threads where nothing else is said: sweeps are not, since
    /// they are many and compare one thing with another on one thread.
    #[must_use]
    pub fn is_threaded(self) -> bool {
        self != Self::Small && !self.is_sweep()
    }
}

/// One side of a case, in cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// One stride per axis.
    pub strides: Vec<isize>,
    /// From the start of the whole array to index `[0, 0, ..]`.
    pub offset: usize,
}

/// What one call of restride includes. The other implementations are not concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The plan stands; a call runs it.
    Prepared,
    /// A call makes problem and plan, and runs it.
    Planned,
    /// As `Prepared`; every index of this axis has its source in an allocation of its own.
    Listed(usize),
}

impl Call {
    /// The word in the records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::Planned => "planned",
            Self::Listed(_) => "listed",
        }
    }
}

/// Where one side lies in its buffer, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// From the start of the buffer to index `[0, 0, ..]`.
    pub base: usize,
    /// Bytes the buffer must have.
    pub len: usize,
}

/// Buffers begin at a multiple of this many bytes of the array they stand for, so that a part of a
/// large array keeps its alignment without the rest being allocated.
const PAGE: usize = 4096;

impl Case {
    /// Bytes of the source cells; the destination has as many.
    #[must_use]
    pub fn side_bytes(&self) -> usize {
        self.cell * self.shape.iter().product::<usize>()
    }

    /// Bytes read + written.
    #[must_use]
    pub fn bytes(&self) -> usize {
        2 * self.side_bytes()
    }

    /// Where the source lies.
    #[must_use]
    pub fn src_place(&self) -> Place {
        self.place(&self.src)
    }

    /// Where the destination lies.
    #[must_use]
    pub fn dst_place(&self) -> Place {
        self.place(&self.dst)
    }

    /// The problem, in bytes. The buffers belong to the measurement, so gaps are readable, as they
    /// are for every view of a `&[T]`.
    ///
    /// # Errors
    /// Those of the planner, for a case that is none.
    pub fn problem(&self) -> Result<Problem, Error> {
        let (src, dst) = (self.in_bytes(&self.src), self.in_bytes(&self.dst));
        let problem = Problem::from_bytes(self.cell, &self.shape, &src, &dst)?
            .with_source_gaps(SourceGaps::Readable);
        Ok(match self.call {
            Call::Listed(axis) => problem.with_listed_source(axis)?,
            Call::Prepared | Call::Planned => problem,
        })
    }

    /// The strides of a side in bytes.
    #[must_use]
    pub fn in_bytes(&self, side: &Side) -> Vec<isize> {
        let cell = self.cell as isize;
        side.strides.iter().map(|stride| stride * cell).collect()
    }

    fn place(&self, side: &Side) -> Place {
        let (mut low, mut high) = (side.offset as isize, side.offset as isize);
        for (&extent, &stride) in self.shape.iter().zip(&side.strides) {
            let reach = stride * (extent as isize - 1);
            low += reach.min(0);
            high += reach.max(0);
        }
        let start = low as usize * self.cell / PAGE * PAGE;
        Place {
            base: side.offset * self.cell - start,
            // At least as long as the cells alone, for the yardsticks.
            len: ((high as usize + 1) * self.cell - start).max(self.side_bytes()),
        }
    }
}

impl Side {
    /// Row-major without gaps.
    #[must_use]
    pub fn row_major(shape: &[usize]) -> Self {
        let mut strides = vec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis] as isize;
        }
        Self { strides, offset: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_volume_keeps_its_place_in_the_page() {
        let case = Case {
            name: "part".into(),
            kind: Kind::Table,
            cell: 2,
            shape: vec![2, 3],
            src: Side::row_major(&[2, 3]),
            dst: Side {
                strides: vec![-5000, 1],
                offset: 10_000,
            },
            call: Call::Prepared,
        };
        assert_eq!((case.side_bytes(), case.bytes()), (12, 24));
        assert_eq!(case.src_place(), Place { base: 0, len: 12 });
        // The lowest cell is 5000, byte 10,000, in the page that starts at 8192; the highest ends
        // at byte 20,006.
        let base = 20_000 - 8192;
        let len = 20_006 - 8192;
        assert_eq!(case.dst_place(), Place { base, len });
    }
}
