//! The stage with AVX-512: a register is a line.

use core::arch::x86_64::__m512i;

use super::{Pending, Reads, StageRow};
use crate::isa::Isa;

/// # Safety
/// As [`Pending::stream`]; ISA: what is enabled here.
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn stream(pending: &mut Pending, most: usize, reads: Reads) {
    // SAFETY: passed on.
    unsafe { pending.stream::<__m512i>(most, reads.ask()) }
}

pub(super) static ROWS: &[StageRow] = &[StageRow {
    name: "stage-avx512",
    isa: Isa::Avx512,
    stream,
}];
