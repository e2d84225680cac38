//! A view is as little `Send` as the slice behind it.

use std::rc::Rc;

fn main() {
    let data = [Rc::new(1)];
    let view = restride::View::from_slice(&data, &[1]).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || view.len());
    });
}
