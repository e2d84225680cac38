//! Padding is uninitialised: elements with it are not copied as bytes.

#[derive(Clone, Copy)]
#[repr(C)]
struct Padded {
    _byte: u8,
    _word: u32,
}

fn main() {
    let data = [Padded { _byte: 1, _word: 2 }; 4];
    let view = restride::View::from_slice(&data, &[4]).unwrap();
    let _ = view.to_array();
}
