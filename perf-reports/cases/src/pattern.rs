//! What stands in the source: bytes that are a function of their place. The oracle knows them without
//! reading the source, so that what a destination of 200 MiB must hold is written in one pass.
//!
//! Every 4 bytes are a normal f32 and every 8 a normal f64: a peer that multiplies by 1 changes the bits
//! of a NaN, and is slow on denormals.

/// Of either half of a word, the two upper bits of an f32's exponent: 0 and 1 in a normal number. They
/// are the same of the exponent of an f64.
const EXPONENTS: (u64, u64) = (0x4000_0000_4000_0000, 0x2000_0000_2000_0000);

/// The 8 bytes at place `8 * i`: the finaliser of splitmix64, whose words of consecutive `i` look
/// random, with exponents of normal numbers.
#[inline(always)]
fn word(i: usize) -> u64 {
    let mut word = (i as u64)
        .wrapping_add(1)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    let (never, always) = EXPONENTS;
    (word ^ (word >> 31)) & !never | always
}

/// The byte at `place`.
#[must_use]
pub fn byte(place: usize) -> u8 {
    word(place / 8).to_le_bytes()[place % 8]
}

/// The `N` bytes from `place` on, at most 16 of two words.
///
/// # Panics
/// If they are of more than two words.
#[must_use]
#[inline(always)]
pub fn bytes<const N: usize>(place: usize) -> [u8; N] {
    let (i, skipped) = (place / 8, place % 8);
    let low = word(i);
    // One word is the rule where cells are narrow, and it is worth the question.
    if skipped + N <= 8 {
        let shifted = (low >> (8 * skipped)).to_le_bytes();
        return std::array::from_fn(|at| shifted[at]);
    }
    assert!(skipped + N <= 16);
    let both = u128::from(low) | u128::from(word(i + 1)) << 64;
    let shifted = (both >> (8 * skipped)).to_le_bytes();
    std::array::from_fn(|at| shifted[at])
}

/// Fills `memory`, whose first byte is at place 0.
pub fn fill(memory: &mut [u8]) {
    let (words, rest) = memory.as_chunks_mut();
    for (i, bytes) in words.iter_mut().enumerate() {
        *bytes = word(i).to_le_bytes();
    }
    let last = word(words.len()).to_le_bytes();
    rest.copy_from_slice(&last[..rest.len()]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_ask_has_the_same_answer() {
        let mut memory = [0; 101];
        fill(&mut memory);
        for place in 0..80 {
            assert_eq!(memory[place], byte(place));
            assert_eq!(memory[place..place + 1], bytes::<1>(place));
            assert_eq!(memory[place..place + 4], bytes::<4>(place));
            assert_eq!(memory[place..place + 8], bytes::<8>(place));
            let even = place / 8 * 8;
            assert_eq!(memory[even..even + 16], bytes::<16>(even));
        }
    }

    #[test]
    fn all_are_normal_numbers() {
        for i in 0..1 << 12 {
            assert!(f32::from_le_bytes(bytes(4 * i)).is_normal());
            assert!(f64::from_le_bytes(bytes(8 * i)).is_normal());
        }
    }

    #[test]
    fn cells_differ_from_their_neighbours() {
        let mut cells: Vec<[u8; 4]> = (0..1 << 12).map(|i| bytes(4 * i)).collect();
        cells.sort_unstable();
        cells.dedup();
        assert!(cells.len() > (1 << 12) - 4);
    }
}
