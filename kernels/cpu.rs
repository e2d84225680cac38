//! The CPU beside its instruction sets: the sizes of its caches, and its vendor.
//!
//! A file of its own because this is all that is asked of CPUID here: instruction sets are detected in
//! `isa`. Sizes are facts for a planner. The vendor is known to kernels alone: the cores of one follow fewer
//! streams of reads than those of another, wait for other stores, and split other registers, so what is asked
//! for ahead of time, and which of two ways is taken, is measured for each. The bytes are the same.

/// Bytes of the data caches that one core sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSizes {
    /// Bytes in a cache line.
    pub line: usize,
    /// First level, data.
    pub l1: usize,
    /// Second level.
    pub l2: usize,
    /// Third level, all of it, although other cores may share it. 0 where there is none.
    pub l3: usize,
}

/// What is assumed where the machine does not say: *guess*, the smallest common sizes of servers.
const ASSUMED: CacheSizes = CacheSizes {
    line: 64,
    l1: 32 << 10,
    l2: 512 << 10,
    l3: 0,
};

/// The caches of the CPU this runs on, from CPUID where there is one, else assumed.
#[must_use]
pub fn cache_sizes() -> CacheSizes {
    #[cfg(target_arch = "x86_64")]
    {
        // Intel tells in leaf 4, AMD in 8000_001D, both in the same form.
        for leaf in [4, 0x8000_001D] {
            let found = cpuid::caches(leaf);
            if found.l1 != 0 && found.l2 != 0 {
                return found;
            }
        }
    }
    ASSUMED
}

/// Whether AMD made this CPU, or Hygon after it: what is said of its cores was measured on Zen 3 and 4, what is
/// said of others on Intel's Xeon. CPUID is asked once a process: in a virtual machine that takes microseconds.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn by_amd() -> bool {
    use core::sync::atomic::{AtomicU8, Ordering};
    const UNKNOWN: u8 = 2;
    static FOUND: AtomicU8 = AtomicU8::new(UNKNOWN);
    #[cold]
    #[inline(never)]
    fn found() -> u8 {
        let found = u8::from(cpuid::by_amd());
        FOUND.store(found, Ordering::Relaxed);
        found
    }
    let known = FOUND.load(Ordering::Relaxed);
    let known = if known == UNKNOWN { found() } else { known };
    known != 0
}

/// Whether memory is best moved as one sequence of lines, not as some at the same time: on AMD's cores. GB/s of a
/// copy of 64 MiB around the caches, as one sequence of pages, two, four and eight, a line of each in turns, Zen
/// 4: 20.6, 13.6, 15.4, 13.1; read, and not written: 34, 17, 23, 29. Zen 3 does not mind; on Xeon four are
/// faster.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn in_one_sequence() -> bool {
    by_amd()
}

/// Whether AMD made this CPU: no x86.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn by_amd() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
mod cpuid {
    use core::arch::x86_64::CpuidResult;

    use super::{ASSUMED, CacheSizes};

    fn cpuid(leaf: u32, index: u32) -> CpuidResult {
        // SAFETY: ISA: every x86-64 CPU has CPUID. (This was an unsafe function before Rust 1.94.)
        #[allow(unused_unsafe)]
        unsafe {
            core::arch::x86_64::__cpuid_count(leaf, index)
        }
    }

    /// From the vendor's name in leaf 0.
    pub(super) fn by_amd() -> bool {
        let CpuidResult { ebx, ecx, edx, .. } = cpuid(0, 0);
        let mut name = [0; 12];
        for (part, word) in name.chunks_exact_mut(4).zip([ebx, edx, ecx]) {
            part.copy_from_slice(&word.to_le_bytes());
        }
        matches!(&name, b"AuthenticAMD" | b"HygonGenuine")
    }

    /// Nothing but zeros where the CPU does not know the leaf.
    pub(super) fn caches(leaf: u32) -> CacheSizes {
        let mut sizes = CacheSizes {
            line: ASSUMED.line,
            l1: 0,
            l2: 0,
            l3: 0,
        };
        let highest = cpuid(leaf & 0x8000_0000, 0).eax;
        if highest < leaf {
            return sizes;
        }
        for index in 0..16 {
            let answer = cpuid(leaf, index);
            let (kind, level) = (answer.eax & 0x1f, (answer.eax >> 5) & 7);
            if kind == 0 {
                break;
            }
            let field =
                |word: u32, shift: u32, bits: u32| ((word >> shift) & ((1 << bits) - 1)) + 1;
            let line = field(answer.ebx, 0, 12) as usize;
            let partitions = field(answer.ebx, 12, 10) as usize;
            let ways = field(answer.ebx, 22, 10) as usize;
            let bytes = line * partitions * ways * (answer.ecx as usize + 1);
            match (kind, level) {
                (1 | 3, 1) => (sizes.l1, sizes.line) = (bytes, line),
                (1 | 3, 2) => sizes.l2 = bytes,
                (1 | 3, 3) => sizes.l3 = bytes,
                _ => {}
            }
        }
        sizes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_grow_outwards() {
        let sizes = cache_sizes();
        assert!(sizes.line.is_power_of_two() && sizes.line >= 16);
        assert!(sizes.l1 >= sizes.line && sizes.l2 >= sizes.l1, "{sizes:?}");
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_vendor_is_found_once_and_stays() {
        let found = cpuid::by_amd();
        assert_eq!([by_amd(), by_amd()], [found; 2]);
    }
}
