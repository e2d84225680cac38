//! The stage with AVX2: two registers are a line.

use core::arch::x86_64::__m256i;

use super::{StageRow, Waiting, ahead};
use crate::isa::Isa;

/// # Safety
/// As [`Waiting::write`]; ISA: what is enabled here.
#[target_feature(enable = "avx2")]
unsafe fn stream(
    waiting: &mut Waiting,
    stages: [*mut u8; 2],
    to: *mut u8,
    bytes: usize,
    read: *const u8,
) {
    let [from, next] = stages;
    // SAFETY: passed on.
    unsafe { waiting.write::<[__m256i; 2]>((from, next), to, bytes, ahead(read)) }
}

pub(super) static ROWS: &[StageRow] = &[StageRow {
    name: "stage-avx2",
    isa: Isa::Avx2,
    stream,
}];
