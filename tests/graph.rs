//! Graphs of operations: dependencies against element sets, results against operations carried out one
//! after another.

mod common;

#[path = "graph/arithmetic.rs"]
mod arithmetic;
#[path = "graph/failures.rs"]
mod failures;
#[path = "graph/many.rs"]
mod many;
#[path = "graph/model.rs"]
mod model;
#[path = "graph/random.rs"]
mod random;
#[path = "graph/reference.rs"]
mod reference;
