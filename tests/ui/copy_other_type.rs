//! A copy moves bytes as they are: both sides have the same type.

fn main() {
    let src = [1_u32; 4];
    let mut dst = [0_u64; 4];
    let src = restride::View::from_slice(&src, &[4]).unwrap();
    let mut dst = restride::ViewMut::from_slice(&mut dst, &[4]).unwrap();
    restride::copy(&src, &mut dst).unwrap();
}
