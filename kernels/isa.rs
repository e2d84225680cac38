//! Instruction sets: their names, the tokens that prove them, and the hints that all of them have.
//!
//! A [`Token`] can only be made where the CPU and the operating system support its ISA, and a row
//! can only be bound with one, so *possession is proof*: no kernel asks again. Detection itself is
//! `pulp`'s. The order of the tiers is the order of the enum; a cap only ever lowers.

use core::fmt;

/// The tiers a kernel row can need, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Isa {
    /// Plain Rust, a cell at a time.
    Scalar,
    /// 128-bit vectors that every target of the build has (SSE2, NEON, wasm simd128).
    Portable,
    /// AVX2 with FMA and BMI: x86-64-v3.
    Avx2,
    /// AVX-512 F, BW, CD, DQ and VL: x86-64-v4.
    Avx512,
    /// AVX-512 with byte permutes (VBMI) beside v4.
    Avx512Vbmi,
}

impl Isa {
    /// Every tier, lowest first.
    pub const ALL: [Self; 5] = [
        Self::Scalar,
        Self::Portable,
        Self::Avx2,
        Self::Avx512,
        Self::Avx512Vbmi,
    ];

    /// The name used in kernel names, in plans and by [`Isa::parse`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx512Vbmi => "avx512vbmi",
        }
    }

    /// The tier with this name.
    ///
    /// # Errors
    /// [`UnknownIsa`] if no tier has it; its message lists those that exist.
    pub fn parse(name: &str) -> Result<Self, UnknownIsa> {
        Self::ALL
            .into_iter()
            .find(|isa| isa.name() == name)
            .ok_or(UnknownIsa)
    }

    /// The highest tier that this machine runs.
    #[must_use]
    pub fn detect() -> Self {
        Token::best().isa()
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no tier has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownIsa;

impl fmt::Display for UnknownIsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("accepted names are scalar, portable, avx2, avx512, avx512vbmi")
    }
}

impl core::error::Error for UnknownIsa {}

#[cfg(target_arch = "x86_64")]
mod detection {
    use pulp::x86::{V3, V4};

    use super::Isa;

    pulp::simd_type! {
        /// What VBMI rows need beside [`V4`].
        #[allow(missing_docs)]
        struct Vbmi {
            pub avx512vbmi: "avx512vbmi",
        }
    }

    pub(super) fn has(isa: Isa) -> bool {
        let v4 = || V4::try_new().is_some();
        match isa {
            Isa::Scalar | Isa::Portable => true,
            Isa::Avx2 => V3::try_new().is_some(),
            Isa::Avx512 => v4(),
            Isa::Avx512Vbmi => v4() && Vbmi::try_new().is_some(),
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod detection {
    /// Other targets have what the build has: nothing is left to detect.
    pub(super) fn has(isa: super::Isa) -> bool {
        isa <= super::Isa::Portable
    }
}

/// Proof that this machine runs an ISA tier, and every tier below it: only detection makes one.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    isa: Isa,
}

impl Token {
    /// The token of `isa`, where this machine has it.
    #[must_use]
    pub fn detect(isa: Isa) -> Option<Self> {
        detection::has(isa).then_some(Self { isa })
    }

    /// The token of the highest tier that this machine has.
    #[must_use]
    pub fn best() -> Self {
        let mut tiers = Isa::ALL.into_iter().rev().filter_map(Self::detect);
        tiers.next().expect("the scalar tier exists everywhere")
    }

    /// The tier this token proves.
    #[must_use]
    #[inline]
    pub fn isa(self) -> Isa {
        self.isa
    }
}

/// Waits until all earlier stores of this thread, non-temporal ones included, are visible.
#[inline(always)]
pub(crate) fn store_fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: ISA: sfence is part of SSE, which every x86-64 CPU has.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}

/// Asks for the line at `address` to be brought into the first-level cache. A hint: it never faults,
/// wherever the address leads, and other targets ignore it.
#[inline(always)]
pub(crate) fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: ISA: prefetches are part of SSE, which every x86-64 CPU has; nothing is accessed.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Waits until what was loaded so far has come, before anything after it is begun. Other targets ignore it.
#[inline(always)]
pub(crate) fn wait_for_loads() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: ISA: part of SSE2, which every x86-64 CPU has; nothing is accessed.
    unsafe {
        core::arch::x86_64::_mm_lfence();
    }
}

/// Asks for the line at `address` to be brought into the second-level cache. Other targets ignore it.
#[inline(always)]
pub(crate) fn prefetch_second(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: ISA: prefetches are part of SSE, which every x86-64 CPU has; nothing is accessed.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Asks for a line that is read a while later: into the second-level cache, where more requests can wait than in the first,
/// but on Zen 5, which drops many of those, into the first.
///
/// Of the roof, runs of 256 bytes around the caches, every fourth of the source, into the second and the first (Xeon): 0.50
/// and 0.44, of 512 0.62 and 0.53. Zen 5, every other 256 bytes 0.36 to 0.53 and 0.92, of 512, two by two, 0.18 to 0.82 and
/// 0.73 to 0.77, by where the code lies.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn prefetch_ahead(address: *const u8) {
    if crate::cpu::from_zen5() {
        prefetch(address);
    } else {
        prefetch_second(address);
    }
}

/// Asks for the line at `address` to be brought into the first-level cache to be written. A hint: it never
/// faults, wherever the address leads, and other targets ignore it. Written out because the compiler
/// has it only where a CPU is named.
#[inline(always)]
pub(crate) fn prefetch_write(address: *mut u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: nothing is accessed; ISA: CPUs of 64 bits that do not know it take it for a no-op.
    unsafe {
        core::arch::asm!("prefetchw byte ptr [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn names_parse_back_and_unknown_ones_do_not() {
        for isa in Isa::ALL {
            assert_eq!(Isa::parse(isa.name()), Ok(isa));
        }
        assert_eq!(Isa::parse("avx9"), Err(UnknownIsa));
        assert!(
            Isa::parse("avx9")
                .unwrap_err()
                .to_string()
                .contains("avx512vbmi")
        );
    }

    #[test]
    fn a_token_proves_every_tier_below_it() {
        let best = Token::best().isa();
        for isa in Isa::ALL
            .into_iter()
            .filter(|&isa| isa <= Isa::Avx512 && isa <= best)
        {
            assert!(Token::detect(isa).is_some(), "{isa} is below {best}");
        }
    }
}
