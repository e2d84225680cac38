//! Memory out of all caches, as it is after other work.

/// Writes back what the caches have of some memory, and forgets it. Whether that can be had here: on x86-64.
pub fn flush(memory: &[u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_mm_clflush, _mm_mfence};
        /// Bytes of a line.
        const LINE: usize = 64;
        // The last byte may be in a line of its own.
        for byte in memory.iter().step_by(LINE).chain(memory.last()) {
            // SAFETY: range: a byte of the memory; ISA: every x86-64 CPU has it.
            unsafe { _mm_clflush(byte) };
        }
        // SAFETY: ISA: as above.
        unsafe { _mm_mfence() };
        true
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = memory;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;
    use std::time::{Duration, Instant};

    #[test]
    fn what_was_flushed_is_as_it_was_and_slower() {
        const LINES: usize = 1 << 14;
        let memory: Vec<u8> = (0..LINES * 64).map(|i| (i / 64) as u8).collect();
        // One line after another, where each is known from the one before: nothing is read ahead.
        let read = || {
            let start = Instant::now();
            let (mut at, mut sum, none) = (0, 0, black_box(LINES));
            for _ in 0..LINES {
                let byte = memory[at * 64];
                sum += u64::from(byte);
                at = (5 * at + 1 + usize::from(byte) * none) % LINES;
            }
            (sum, start.elapsed())
        };
        let (sum, _) = read();
        let all: u64 = memory.iter().step_by(64).map(|&byte| u64::from(byte)).sum();
        assert_eq!(sum, all, "each line once");
        let least = |before: &dyn Fn()| -> Duration {
            let times = (0..20).map(|_| {
                before();
                let (again, took) = read();
                assert_eq!(again, sum);
                took
            });
            times.min().expect("some")
        };
        let warm = least(&|| ());
        let flushed = least(&|| assert_eq!(flush(&memory), cfg!(target_arch = "x86_64")));
        // A line from memory takes some times as long as one of the second-level cache.
        if cfg!(target_arch = "x86_64") && !cfg!(debug_assertions) && !cfg!(miri) {
            assert!(flushed > warm, "{flushed:?} {warm:?}");
        }
        assert!(flush(&[]) || !cfg!(target_arch = "x86_64"));
    }
}
