//! The CPU beside its instruction sets: the sizes of its caches, and whose cores it has.
//!
//! A file of its own because this is all that is asked of CPUID here: instruction sets are detected in
//! `isa`. Sizes are facts for a planner, and so are the cores, by which it decides little. Kernels decide more by them: those
//! of one vendor follow fewer streams of reads than those of another, wait for other stores, and split other registers, and
//! those that came later may not, so what is asked for ahead of time, and which of two ways is taken, is measured for each.
//! The bytes are the same, which is tested with the choices of all.

use core::sync::atomic::{AtomicU8, Ordering};

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

/// The cores that were measured, and those that are taken to be like them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cores {
    /// Intel's Xeon, and whatever is not named here.
    Others,
    /// Zen 3, and what AMD, or Hygon after it, made before.
    ToZen3,
    /// Zen 4.
    Zen4,
    /// Zen 5, and what comes after it.
    FromZen5,
}

/// What [`Cores::here`] answers, as a number, or that nobody has asked.
static HERE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = u8::MAX;

impl Cores {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Others, Self::ToZen3, Self::Zen4, Self::FromZen5];

    /// The name that [`Cores::parse`] knows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Others => "others",
            Self::ToZen3 => "zen3",
            Self::Zen4 => "zen4",
            Self::FromZen5 => "zen5",
        }
    }

    /// The cores with this name, if there are any.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cores| cores.name() == name)
    }

    /// Whose cores these are. CPUID is asked once a process: in a virtual machine that takes microseconds.
    #[must_use]
    #[inline(always)]
    pub fn here() -> Self {
        const TO_ZEN_3: u8 = Cores::ToZen3 as u8;
        const ZEN_4: u8 = Cores::Zen4 as u8;
        const FROM_ZEN_5: u8 = Cores::FromZen5 as u8;
        match HERE.load(Ordering::Relaxed) {
            TO_ZEN_3 => Self::ToZen3,
            ZEN_4 => Self::Zen4,
            FROM_ZEN_5 => Self::FromZen5,
            UNKNOWN => Self::of_cpuid().settled(),
            _ => Self::Others,
        }
    }

    /// What CPUID says.
    fn of_cpuid() -> Self {
        #[cfg(target_arch = "x86_64")]
        return cpuid::cores();
        #[cfg(not(target_arch = "x86_64"))]
        Self::Others
    }

    /// Has kernels choose as on such cores from now on, whatever CPUID says, and answers what they do: others if they
    /// were asked before, as what a kernel is given depends on its choices.
    #[cold]
    #[inline(never)]
    pub fn settled(self) -> Self {
        let order = Ordering::Relaxed;
        match HERE.compare_exchange(UNKNOWN, self as u8, order, order) {
            Ok(_) => self,
            Err(_) => Self::here(),
        }
    }
}

/// Whether AMD made this CPU: what is said of its cores was measured on Zen 3, 4 or 5, and holds on Zen 5 if nothing
/// else is said of that.
#[inline(always)]
pub(crate) fn by_amd() -> bool {
    Cores::here() != Cores::Others
}

/// The same, but before Zen 5: what is said of Zen 4 holds on those before it, if nothing else is said of them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn before_zen5() -> bool {
    matches!(Cores::here(), Cores::ToZen3 | Cores::Zen4)
}

/// The same, Zen 3 or before.
#[inline(always)]
pub(crate) fn to_zen3() -> bool {
    Cores::here() == Cores::ToZen3
}

/// The same, Zen 4.
#[inline(always)]
pub(crate) fn zen4() -> bool {
    Cores::here() == Cores::Zen4
}

/// The same, Zen 5 or later.
#[inline(always)]
pub(crate) fn from_zen5() -> bool {
    Cores::here() == Cores::FromZen5
}

/// Whether memory is best moved as one sequence of lines, not as some at the same time: on AMD's cores. GB/s of a
/// copy of 64 MiB around the caches, as one sequence of pages, two, four and eight, a line of each in turns, Zen
/// 4: 20.6, 13.6, 15.4, 13.1; read, and not written: 34, 17, 23, 29. On Xeon four are faster. Zen 5, of memcpy,
/// one and four, 1.28 and 0.94. Zen 3, one and four, 28.5 and 29.3, of 32 MiB 34.7 and 41.9: where that was found to
/// matter, its cores are asked about as well.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn in_one_sequence() -> bool {
    by_amd()
}

#[cfg(target_arch = "x86_64")]
mod cpuid {
    use core::arch::x86_64::CpuidResult;

    use super::{ASSUMED, CacheSizes, Cores};

    /// Under Miri, which has no CPUID, nothing but zeros, as where a leaf is not known.
    fn cpuid(leaf: u32, index: u32) -> CpuidResult {
        if cfg!(miri) {
            let [eax, ebx, ecx, edx] = [0; 4];
            return CpuidResult { eax, ebx, ecx, edx };
        }
        // SAFETY: ISA: every x86-64 CPU has CPUID. (This was an unsafe function before Rust 1.94.)
        #[allow(unused_unsafe)]
        unsafe {
            core::arch::x86_64::__cpuid_count(leaf, index)
        }
    }

    /// From the vendor's name in leaf 0, and family and model in leaf 1.
    pub(super) fn cores() -> Cores {
        let CpuidResult { ebx, ecx, edx, .. } = cpuid(0, 0);
        let mut name = [0; 12];
        for (part, word) in name.chunks_exact_mut(4).zip([ebx, edx, ecx]) {
            part.copy_from_slice(&word.to_le_bytes());
        }
        named(&name, cpuid(1, 0).eax)
    }

    /// The cores of a vendor with such a signature: of family 25, some models are Zen 3 and some Zen 4.
    pub(super) fn named(vendor: &[u8; 12], signature: u32) -> Cores {
        const ZEN_3_AND_4: u32 = 0x19;
        const ZEN_5: u32 = 0x1a;
        // A second field counts on where the first one ends.
        let family = match (signature >> 8) & 0xf {
            0xf => 0xf + ((signature >> 20) & 0xff),
            family => family,
        };
        let model = (signature >> 12) & 0xf0 | (signature >> 4) & 0xf;
        match (vendor, family, model) {
            (b"AuthenticAMD", ZEN_5.., _) => Cores::FromZen5,
            (b"AuthenticAMD", ZEN_3_AND_4, 0x10..=0x1f | 0x60..) => Cores::Zen4,
            (b"AuthenticAMD" | b"HygonGenuine", ..) => Cores::ToZen3,
            _ => Cores::Others,
        }
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
    fn the_cores_are_found_once_and_stay() {
        let found = Cores::here();
        assert_eq!(found, cpuid::cores());
        for other in Cores::ALL {
            assert_eq!((other.settled(), Cores::here()), (found, found));
        }
        assert_eq!(by_amd(), before_zen5() || from_zen5());
        assert!(before_zen5() || !to_zen3());
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn signatures_name_cores() {
        let amd = |signature| cpuid::named(b"AuthenticAMD", signature);
        // Naples, Rome, Milan, Vermeer, Cezanne; Genoa, Raphael, Phoenix, Bergamo; Turin.
        for zen3 in [
            0x0080_0f12,
            0x0083_0f10,
            0x00a0_0f11,
            0x00a2_0f10,
            0x00a5_0f00,
        ] {
            assert_eq!(amd(zen3), Cores::ToZen3, "{zen3:x}");
        }
        for zen4 in [0x00a1_0f11, 0x00a6_0f12, 0x00a7_0f41, 0x00aa_0f02] {
            assert_eq!(amd(zen4), Cores::Zen4, "{zen4:x}");
        }
        assert_eq!(amd(0x00b0_0f21), Cores::FromZen5);
        assert_eq!(cpuid::named(b"HygonGenuine", 0x0090_0f02), Cores::ToZen3);
        assert_eq!(cpuid::named(b"GenuineIntel", 0x0008_06f8), Cores::Others);
    }

    #[test]
    fn names_parse_back() {
        for cores in Cores::ALL {
            assert_eq!(Cores::parse(cores.name()), Some(cores));
        }
        assert_eq!(Cores::parse("zen"), None);
    }
}
