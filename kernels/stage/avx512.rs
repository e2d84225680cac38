//! The stage with AVX-512: a register is a line.

use core::arch::x86_64::__m512i;

use super::{StageRow, Waiting, ahead};
use crate::isa::Isa;

/// # Safety
/// As [`Waiting::write`]; ISA: what is enabled here.
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn stream(
    waiting: &mut Waiting,
    stages: [*mut u8; 2],
    to: *mut u8,
    bytes: usize,
    read: *const u8,
) {
    let [from, next] = stages;
    // SAFETY: passed on.
    unsafe { waiting.write::<__m512i>((from, next), to, bytes, ahead(read)) }
}

pub(super) static ROWS: &[StageRow] = &[StageRow {
    name: "stage-avx512",
    isa: Isa::Avx512,
    stream,
}];
