//! A broadcast reaches elements twice, so there is none of a view that writes.

fn main() {
    let mut data = [0_u32; 4];
    let view = restride::ViewMut::from_slice(&mut data, &[1, 4]).unwrap();
    let _ = view.broadcast_to(&[4, 4]);
}
