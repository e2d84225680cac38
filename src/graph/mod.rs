//! Operations on views whose dependencies are found by overlap.
//!
//! A [`Graph`] owns tensors and a list of operations on views of them. Two operations depend on each
//! other where their views share an element and at least one of them writes it: whatever the views
//! are called. The graph may be run with independent operations at the same time; the result is
//! always that of running the operations one after another, as they were submitted.
//!
//! - `handle`: tensors and views of them, as values.
//! - `storage`: the tensors, lent to one operation at a time where it matters. The only file here
//!   with `unsafe`.
//! - `operation`: what an operation reads and writes, and the closure that does it.
//! - `arithmetic`: fill, copy, map, binary, reduce.
//! - `conflict`, `index`, `analysis`: which operations depend on each other.
//! - `schedule`, `run`: in which order they may run, in words and pictures; and running them.

mod analysis;
mod arithmetic;
mod conflict;
mod handle;
mod index;
mod number;
mod operation;
mod run;
mod schedule;
mod span;
mod storage;

use std::sync::OnceLock;

use bytemuck::NoUninit;

use crate::array::Array;
use crate::error::Error;
use crate::layout::Layout;
use crate::view::ViewMut;
use analysis::Predecessors;
pub use analysis::{Conflicts, Dependencies};
pub use arithmetic::Reduce;
pub use conflict::{Conflict, Hazard, HazardKind};
pub use handle::{Tensor, TensorView};
pub use number::Number;
use operation::Operation;
pub use operation::{Input, NewOperation, OperationId, Output};
pub use schedule::Schedule;
pub use storage::Io;
use storage::Storage;

/// Tensors, and operations on views of them.
///
/// Operations are submitted in an order, and run by [`Graph::run`]; what they do is always the same as
/// if they ran in that order, one after another. `'f` is how long the closures of operations live.
///
/// ```
/// use restride::{Array, Graph, Layout};
///
/// let mut graph = Graph::new();
/// let a = graph.tensor("a", Array::filled(&[4, 4], 0.0_f32)?);
/// let left = a.view(Layout::new(&[4, 2], &[4, 1], 0)?);
/// let right = a.view(Layout::new(&[4, 2], &[4, 1], 2)?);
/// graph.fill(&left, 3.0)?;
/// graph.map(&left, &right, |x| x + 1.0)?;
/// assert_eq!(graph.dependencies().count(), 1); // the map reads what the fill writes
/// graph.run()?;
/// assert_eq!(graph.array(a)?.as_slice()[..4], [3.0, 3.0, 4.0, 4.0]);
/// # Ok::<(), restride::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Graph<'f> {
    storage: Storage,
    operations: Vec<Operation<'f>>,
    /// Found when it is first asked for after an operation was submitted.
    predecessors: OnceLock<Predecessors>,
}

impl<'f> Graph<'f> {
    /// A graph without tensors and operations.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An array becomes a tensor of this graph. The name is for people to read.
    pub fn tensor<T: NoUninit + Send + Sync>(&mut self, name: &str, array: Array<T>) -> Tensor<T> {
        self.storage.insert(name, array)
    }

    /// The elements of a tensor.
    ///
    /// # Errors
    /// [`Error::StaleHandle`] if the tensor was taken out, or is another graph's.
    pub fn array<T: NoUninit + Send + Sync>(&self, tensor: Tensor<T>) -> Result<&Array<T>, Error> {
        self.storage.array(tensor)
    }

    /// The elements of a tensor, to be written.
    ///
    /// # Errors
    /// As [`Graph::array`].
    pub fn array_mut<T: NoUninit + Send + Sync>(
        &mut self,
        tensor: Tensor<T>,
    ) -> Result<ViewMut<'_, T>, Error> {
        self.storage.array_mut(tensor).map(Array::view_mut)
    }

    /// Takes a tensor out of the graph. Operations that use it remain, and [`Graph::run`] refuses to
    /// run them.
    ///
    /// # Errors
    /// As [`Graph::array`].
    pub fn take_out<T: NoUninit + Send + Sync>(
        &mut self,
        tensor: Tensor<T>,
    ) -> Result<Array<T>, Error> {
        self.storage.remove(tensor)
    }

    /// Forgets all operations. Tensors remain.
    pub fn clear(&mut self) {
        self.operations.clear();
        self.predecessors = OnceLock::new();
    }

    /// The number of operations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there is no operation.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Starts an operation that a closure carries out, with any number of views read and written.
    /// See [`NewOperation`].
    pub fn operation(&mut self, name: &str) -> NewOperation<'_, 'f> {
        NewOperation::new(self, name)
    }

    /// The operations in the order of submission.
    pub fn operations(&self) -> impl ExactSizeIterator<Item = OperationId> + use<> {
        (0..self.operations.len()).map(OperationId)
    }

    /// What an operation was called.
    ///
    /// # Panics
    /// If the operation is not one of this graph's.
    #[must_use]
    pub fn name(&self, operation: OperationId) -> &str {
        &self.operations[operation.0].name
    }

    /// Every pair of operations that cannot change places, found one by one: by the later operation,
    /// then by the earlier one.
    #[must_use]
    pub fn conflicts(&self) -> Conflicts<'_> {
        Conflicts::new(&self.operations)
    }

    /// Conflicts that imply all others: a conflict that follows from a path of others is left out. In
    /// the order of [`Graph::conflicts`].
    ///
    /// Up to thousands of operations nothing more can be left out; beyond, the search for paths is
    /// bounded, and a few conflicts that long paths imply may remain.
    #[must_use]
    pub fn dependencies(&self) -> Dependencies<'_> {
        Dependencies::new(&self.operations, self.predecessors())
    }

    /// Which operations can run at the same time.
    #[must_use]
    pub fn schedule(&self) -> Schedule<'_> {
        Schedule::new(&self.operations, self.predecessors())
    }

    /// The dependencies as a graph in the DOT language: operations in waves, edges with their kinds
    /// and a witness, implicit ones dashed.
    #[must_use]
    pub fn to_dot(&self) -> String {
        self.schedule().to_dot()
    }

    fn predecessors(&self) -> &Predecessors {
        self.predecessors
            .get_or_init(|| Predecessors::find(&self.operations))
    }

    fn submit(&mut self, operation: Operation<'f>) -> OperationId {
        self.predecessors = OnceLock::new();
        self.operations.push(operation);
        OperationId(self.operations.len() - 1)
    }
}

/// What stands between the brackets of a view: its layout in short.
fn short(layout: &Layout) -> String {
    format!(
        "offset {}, shape {:?}, strides {:?}",
        layout.offset(),
        layout.shape(),
        layout.strides()
    )
}
