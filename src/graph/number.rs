//! What can be summed up and compared.

#![forbid(unsafe_code)]

use bytemuck::NoUninit;

mod sealed {
    pub trait Sealed {}
}

/// A number: `f32`, `f64`, or an integer. Sealed.
pub trait Number: NoUninit + Send + Sync + sealed::Sealed {
    /// The sum of no numbers.
    const ZERO: Self;

    /// The sum. That of integers wraps around.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// The smaller of both; not a number if one of them is not.
    #[must_use]
    fn smaller(self, other: Self) -> Self;

    /// The larger of both; not a number if one of them is not.
    #[must_use]
    fn larger(self, other: Self) -> Self;
}

macro_rules! integers {
    ($($type:ty),*) => { $(
        impl sealed::Sealed for $type {}
        impl Number for $type {
            const ZERO: Self = 0;
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            fn smaller(self, other: Self) -> Self { self.min(other) }
            fn larger(self, other: Self) -> Self { self.max(other) }
        }
    )* };
}
integers!(
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize
);

macro_rules! floats {
    ($($type:ty),*) => { $(
        impl sealed::Sealed for $type {}
        impl Number for $type {
            const ZERO: Self = 0.0;
            fn plus(self, other: Self) -> Self { self + other }
            fn smaller(self, other: Self) -> Self {
                if self < other || self.is_nan() { self } else { other }
            }
            fn larger(self, other: Self) -> Self {
                if self > other || self.is_nan() { self } else { other }
            }
        }
    )* };
}
floats!(f32, f64);
