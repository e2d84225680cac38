//! The stage with AVX2: two registers are a line.

use core::arch::x86_64::__m256i;

use super::{Pending, Reads, StageRow};
use crate::isa::Isa;

/// # Safety
/// As [`Pending::stream`]; ISA: what is enabled here.
#[target_feature(enable = "avx2")]
unsafe fn stream(pending: &mut Pending, most: usize, reads: Reads) {
    // SAFETY: passed on.
    unsafe { pending.stream::<[__m256i; 2]>(most, reads.ask()) }
}

pub(super) static ROWS: &[StageRow] = &[StageRow {
    name: "stage-avx2",
    isa: Isa::Avx2,
    stream,
}];
