//! Seeded choices. Not a crate's generator, because a reproducer printed today must name the same
//! case after every update of every dependency.

/// SplitMix64 (Steele, Lea, Flood 2014): any seed is a good seed, and 64 bits are the whole state.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (((self.bits() >> 32) * n as u64) >> 32) as usize
    }

    /// True once in `n`.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// 1 or -1.
    pub(crate) fn sign(&mut self) -> isize {
        if self.one_in(2) { -1 } else { 1 }
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

/// One seed out of several numbers.
pub(crate) fn mix(parts: &[u64]) -> u64 {
    parts
        .iter()
        .fold(0, |seed, &part| Random::new(seed ^ part).bits())
}
