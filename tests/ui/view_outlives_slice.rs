//! A view borrows its slice.

fn main() {
    let view = {
        let data = vec![0_u32; 4];
        restride::View::from_slice(&data, &[2, 2]).unwrap()
    };
    assert_eq!(view.len(), 4);
}
