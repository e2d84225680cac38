//! Tensors and views of them, as values that can be kept and passed around while the graph changes.

#![forbid(unsafe_code)]

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use crate::error::Error;
use crate::layout::Layout;

/// A tensor of a [`Graph`](super::Graph): its name for programs. It stays valid until the tensor is
/// taken out; then, and in any other graph, it is refused.
pub struct Tensor<T> {
    /// The number of the storage that it belongs to, of which no two in a process are the same.
    pub(super) storage: u64,
    pub(super) slot: usize,
    pub(super) len: usize,
    pub(super) element: PhantomData<fn() -> T>,
}

impl<T> Clone for Tensor<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Tensor<T> {}

impl<T> fmt::Debug for Tensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({})", self.slot)
    }
}

impl<T> Tensor<T> {
    /// A view of the tensor's elements, which stand in row-major order, through a layout. Whether it
    /// fits the tensor is asked when an operation uses it.
    #[must_use]
    pub fn view(self, layout: Layout) -> TensorView<T> {
        TensorView {
            tensor: self,
            layout,
            name: None,
        }
    }

    /// All elements in the order they stand in, under a shape with as many elements.
    ///
    /// # Errors
    /// [`Error::SizeOverflow`] as for [`Layout::new`], [`Error::SizeMismatch`] for another number of
    /// elements than the tensor has.
    pub fn all(self, shape: &[usize]) -> Result<TensorView<T>, Error> {
        let layout = Layout::row_major(shape)?;
        if layout.len() != self.len {
            let (arg, got, want) = ("shape", layout.len(), self.len);
            return Err(Error::SizeMismatch { arg, got, want });
        }
        Ok(self.view(layout))
    }
}

/// A tensor seen through a layout. Two views are the same if they are of the same tensor and their
/// layouts are equal.
#[derive(Clone, Debug)]
pub struct TensorView<T> {
    pub(super) tensor: Tensor<T>,
    pub(super) layout: Layout,
    pub(super) name: Option<Arc<str>>,
}

impl<T> TensorView<T> {
    /// The same view with a name, for people to read.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The layout over the tensor's elements.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The tensor.
    #[must_use]
    pub fn tensor(&self) -> Tensor<T> {
        self.tensor
    }

    /// The same tensor through a layout made from this one's, without a name.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn with(&self, make: impl FnOnce(&Layout) -> Result<Layout, Error>) -> Result<Self, Error> {
        Ok(self.tensor.view(make(&self.layout)?))
    }
}
