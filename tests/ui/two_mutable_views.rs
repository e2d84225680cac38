//! One view at a time may write an array.

fn main() {
    let mut array = restride::Array::filled(&[2, 2], 0_u32).unwrap();
    let mut first = array.view_mut();
    let mut second = array.view_mut();
    restride::fill(&mut first, 1).unwrap();
    restride::fill(&mut second, 2).unwrap();
}
