//! `nt4copy`: a plain copy with non-temporal stores that walks four neighbouring pages at once, the
//! fastest plain copy found out of the caches. Reading four streams keeps more of the memory's
//! banks busy than one; whole lines go out, so that no line is read before it is written.
//!
//! ```text
//! block of 16 KiB    page 0 | page 1 | page 2 | page 3
//! order of lines          1        2        3        4
//!                         5        6        7        8   ..
//! ```
//!
//! Vectors are the widest this CPU has, up to a whole line. Heads up to the destination's first
//! line, tails of less than a block, and targets other than x86-64 are copied plainly.

/// Bytes copied in one turn of the outer loop.
pub const BLOCK: usize = 4 * PAGE;

const PAGE: usize = 4096;
#[cfg(any(test, target_arch = "x86_64"))]
const LINE: usize = 64;

/// Copies `src` to `dst`, which are of the same length, and waits until all of it is visible.
///
/// # Panics
/// If their lengths differ.
pub fn copy(dst: &mut [u8], src: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    x86::copy(dst, src);
    #[cfg(not(target_arch = "x86_64"))]
    dst.copy_from_slice(src);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::*;

    use super::{BLOCK, LINE, PAGE};

    /// Lines of a page.
    const LINES: usize = PAGE / LINE;

    pub(super) fn copy(dst: &mut [u8], src: &[u8]) {
        assert_eq!(dst.len(), src.len());
        let head = dst.as_ptr().align_offset(LINE).min(dst.len());
        let blocks = (dst.len() - head) / BLOCK;
        let tail = head + blocks * BLOCK;
        dst[..head].copy_from_slice(&src[..head]);
        let (to, from) = (&mut dst[head..tail], &src[head..tail]);
        // SAFETY: range: both parts have `blocks` whole blocks; alignment: `head` ends where a line
        // begins; aliasing: one is borrowed uniquely; ISA: each is called where it was detected,
        // and every x86-64 CPU has SSE2.
        unsafe {
            if is_x86_feature_detected!("avx512f") {
                avx512(to.as_mut_ptr(), from.as_ptr(), blocks);
            } else if is_x86_feature_detected!("avx2") {
                avx2(to.as_mut_ptr(), from.as_ptr(), blocks);
            } else {
                sse2(to.as_mut_ptr(), from.as_ptr(), blocks);
            }
        }
        dst[tail..].copy_from_slice(&src[tail..]);
    }

    /// Stamps the loop for one width of vectors.
    macro_rules! four_pages {
        ($name:ident, $feature:literal, $vector:ty, $load:ident, $stream:ident) => {
            /// Copies blocks and waits for the streamed stores.
            ///
            /// # Safety
            /// - Range: `src` and `dst` lead to as many bytes as `blocks` blocks have.
            /// - Aliasing: no byte of `dst` is one of `src`.
            /// - Alignment: `dst` is at the start of a line.
            /// - ISA: the CPU has the feature.
            #[target_feature(enable = $feature)]
            unsafe fn $name(dst: *mut u8, src: *const u8, blocks: usize) {
                const VECTOR: usize = size_of::<$vector>();
                for line in 0..blocks * LINES {
                    let line = line / LINES * BLOCK + line % LINES * LINE;
                    // Constant ranges, which the compiler unrolls.
                    for page in 0..4 {
                        for part in 0..LINE / VECTOR {
                            let at = line + page * PAGE + part * VECTOR;
                            // SAFETY: range: `at` and the vector behind it are within the blocks;
                            // alignment: `at` is a multiple of the vector's size, loads need none.
                            unsafe { $stream(dst.add(at).cast(), $load(src.add(at).cast())) };
                        }
                    }
                }
                // SAFETY: no obligations; the Rust of the least version that is supported asks for the block.
                #[allow(unused_unsafe)]
                unsafe {
                    _mm_sfence()
                };
            }
        };
    }

    four_pages!(
        avx512,
        "avx512f",
        __m512i,
        _mm512_loadu_si512,
        _mm512_stream_si512
    );
    four_pages!(
        avx2,
        "avx2",
        __m256i,
        _mm256_loadu_si256,
        _mm256_stream_si256
    );
    four_pages!(sse2, "sse2", __m128i, _mm_loadu_si128, _mm_stream_si128);

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn every_width_copies_whole_blocks() {
            let src: Vec<u8> = (0..3 * BLOCK).map(|i| (i % 251) as u8).collect();
            let mut memory = vec![0; 3 * BLOCK + LINE];
            let start = memory.as_ptr().align_offset(LINE);
            type Copy = unsafe fn(*mut u8, *const u8, usize);
            let widths: [(bool, Copy); 3] = [
                (is_x86_feature_detected!("avx512f"), avx512),
                (is_x86_feature_detected!("avx2"), avx2),
                (true, sse2),
            ];
            for (_, copy) in widths.into_iter().filter(|(has, _)| *has) {
                let dst = &mut memory[start..start + 3 * BLOCK];
                dst.fill(0);
                // SAFETY: range, alignment: three blocks from the start of a line; ISA: detected.
                unsafe { copy(dst.as_mut_ptr(), src.as_ptr(), 3) };
                assert_eq!(dst, src);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_tails_and_blocks_meet() {
        let src: Vec<u8> = (0..3 * BLOCK).map(|i| (i % 253) as u8).collect();
        let mut dst = vec![0; 3 * BLOCK];
        for start in [0, 1, 63, 64] {
            for len in [0, 1, LINE, BLOCK - 1, BLOCK, BLOCK + LINE, 2 * BLOCK + 77] {
                dst.fill(0);
                copy(&mut dst[start..start + len], &src[..len]);
                assert_eq!(dst[start..start + len], src[..len]);
                assert!(
                    dst[..start]
                        .iter()
                        .chain(&dst[start + len..])
                        .all(|&byte| byte == 0)
                );
            }
        }
    }
}
