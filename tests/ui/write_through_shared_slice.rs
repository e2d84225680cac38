//! A view that writes needs a slice that may be written.

fn main() {
    let data = [0_u32; 4];
    let _ = restride::ViewMut::from_slice(&data, &[2, 2]);
}
