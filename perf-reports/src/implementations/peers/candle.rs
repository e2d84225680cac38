//! `candle-core`: the copy that its `contiguous` comes to, into a storage that stands already, so that
//! no allocation is timed. Its storages own their memory: source and result are copies of ours, on
//! pages of the same size, and the result is handed over to the oracle.

use std::hint::black_box;
use std::mem;

use bytemuck::cast_slice;
use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, Layout, Shape};

use super::cells::{Cell, unsigned};
use super::{Peer, Run, Terms};
use restride_cases::{Case, HUGE, Pages, Side};

pub(super) const PEER: Peer = Peer {
    name: "candle",
    version: Some(env!("RESTRIDE_PERF_CANDLE_CORE")),
    parallel: false,
    how: "candle-core: `copy_strided_src` between CPU storages of its own, u8, i16, f32, f64; dense \
          destinations",
    new,
};

fn new(case: &Case, terms: Terms) -> Option<Box<dyn Run>> {
    match case.cell {
        1 => of_type(case, terms, CpuStorage::U8),
        2 => of_type(case, terms, CpuStorage::I16),
        4 => of_type(case, terms, CpuStorage::F32),
        8 => of_type(case, terms, CpuStorage::F64),
        _ => None,
    }
}

struct Storages {
    /// Of the source: filled by the first run, and not again while a case lasts.
    src: CpuStorage,
    filled: bool,
    dst: CpuStorage,
    layout: Layout,
}

fn of_type<T: Cell + Default>(
    case: &Case,
    terms: Terms,
    storage: fn(Vec<T>) -> CpuStorage,
) -> Option<Box<dyn Run>> {
    if case.dst != Side::row_major(&case.shape) {
        return None;
    }
    let strides = unsigned(&case.src.strides)?;
    let (from, to) = (case.src_place(), case.side_bytes());
    let cells = |bytes| zeroed::<T>(bytes / case.cell, terms.pages);
    Some(Box::new(Storages {
        src: storage(cells(from.len)),
        filled: false,
        dst: storage(cells(to)),
        layout: Layout::new(Shape::from(&case.shape[..]), strides, from.base / case.cell),
    }))
}

/// The bytes of a storage.
fn bytes(storage: &CpuStorage) -> &[u8] {
    match storage {
        CpuStorage::U8(cells) => cells,
        CpuStorage::I16(cells) => cast_slice(cells),
        CpuStorage::F32(cells) => cast_slice(cells),
        CpuStorage::F64(cells) => cast_slice(cells),
        _ => unreachable!("no other is made here"),
    }
}

/// The same, to be written.
fn bytes_mut(storage: &mut CpuStorage) -> &mut [u8] {
    match storage {
        CpuStorage::U8(cells) => cells,
        CpuStorage::I16(cells) => bytemuck::cast_slice_mut(cells),
        CpuStorage::F32(cells) => bytemuck::cast_slice_mut(cells),
        CpuStorage::F64(cells) => bytemuck::cast_slice_mut(cells),
        _ => unreachable!("no other is made here"),
    }
}

impl Run for Storages {
    fn run(&mut self, src: &[u8], _: &mut [u8], times: usize) {
        if !mem::replace(&mut self.filled, true) {
            let own = bytes_mut(&mut self.src);
            own.copy_from_slice(&src[..own.len()]);
        }
        for _ in 0..times {
            let (src, dst) = (black_box(&self.src), black_box(&mut self.dst));
            let done = src.copy_strided_src(dst, 0, &self.layout);
            done.expect("the types agree");
        }
    }

    fn hand_over(&self, dst: &mut [u8]) {
        let own = bytes(&self.dst);
        dst[..own.len()].copy_from_slice(own);
    }
}

/// A vector on such pages, for those that take nothing else; page faults are over.
fn zeroed<T: Copy + Default>(len: usize, pages: Pages) -> Vec<T> {
    let mut cells: Vec<T> = Vec::with_capacity(len);
    let memory = cells.spare_capacity_mut();
    // Whole pages: what is smaller shares its pages with others, and is in a cache anyway.
    let (start, bytes) = (memory.as_mut_ptr().cast::<u8>(), size_of_val(memory));
    let before = start.addr().next_multiple_of(HUGE) - start.addr();
    if let Some(inner) = bytes.checked_sub(before).map(|rest| rest / HUGE * HUGE)
        && inner > 0
    {
        advise(start.wrapping_add(before), inner, pages);
    }
    cells.resize(len, T::default());
    cells
}

/// Asks for pages behind memory of the caller's. A refusal changes speed, not meaning, so it is not
/// looked at.
fn advise(memory: *mut u8, bytes: usize, pages: Pages) {
    #[cfg(target_os = "linux")]
    {
        let advice = match pages {
            Pages::Huge => libc::MADV_HUGEPAGE,
            Pages::Small => libc::MADV_NOHUGEPAGE,
        };
        // SAFETY: the range is within an allocation of ours, and this advice changes no contents.
        unsafe { libc::madvise(memory.cast(), bytes, advice) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (memory, bytes, pages);
}
