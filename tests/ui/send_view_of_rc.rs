//! A view is as little `Send` as the slice behind it.

use std::rc::Rc;

fn send<T: Send>(_: T) {}

fn main() {
    let data = [Rc::new(1)];
    send(restride::View::from_slice(&data, &[1]).unwrap());
}
