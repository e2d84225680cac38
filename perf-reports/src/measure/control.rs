//! The control: the same memcpy again and again during a run. Where it changes, the machine did.

use std::hint::black_box;
use std::time::Instant;

use restride_cases::{Buffer, DST_OFFSET, Pages, pattern};

use crate::data::ceilings::{CONTROL_BYTES, Control};
use crate::data::record::five_digits;
use crate::failure::Failure;

/// Samples each time; the first one, which finds others' data in the caches, is not kept.
const SAMPLES: usize = 5;

/// The buffers of the control.
pub(crate) struct Controls {
    src: Buffer,
    dst: Buffer,
    start: Instant,
}

impl Controls {
    pub(crate) fn new(pages: Pages, start: Instant) -> Result<Self, Failure> {
        let memory = |error| Failure::memory(&error);
        let mut src = Buffer::new(CONTROL_BYTES, 0, pages).map_err(memory)?;
        pattern::fill(&mut src);
        let dst = Buffer::new(CONTROL_BYTES, DST_OFFSET, pages).map_err(memory)?;
        Ok(Self { src, dst, start })
    }

    /// Times the copy, `after` so many cases.
    pub(crate) fn take(&mut self, after: usize) -> Control {
        let seconds = five_digits(self.start.elapsed().as_secs_f64());
        let mut copy = || {
            let start = Instant::now();
            black_box(&mut self.dst).copy_from_slice(black_box(&self.src));
            five_digits(start.elapsed().as_nanos() as f64)
        };
        copy();
        Control {
            after,
            seconds,
            samples_ns: (0..SAMPLES).map(|_| copy()).collect(),
        }
    }
}
