//! Operations: which views they read and write, and the closure that carries them out.

#![forbid(unsafe_code)]

use core::fmt;
use core::marker::PhantomData;

use bytemuck::NoUninit;

use super::Graph;
use super::handle::TensorView;
use super::storage::{Access, Footprints, Io};
use crate::error::Error;

/// An operation of a graph: its place in the order of submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub(super) usize);

impl OperationId {
    /// How many operations were submitted before it.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// A view that an operation reads, to be looked at in its closure.
pub struct Input<T> {
    pub(super) number: usize,
    element: PhantomData<fn() -> T>,
}

/// A view that an operation writes, to be written in its closure.
pub struct Output<T> {
    pub(super) number: usize,
    element: PhantomData<fn() -> T>,
}

macro_rules! plain_handle {
    ($name:ident) => {
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.number)
            }
        }
    };
}
plain_handle!(Input);
plain_handle!(Output);

/// What carries an operation out.
pub(super) type Work<'f> = Box<dyn Fn(&mut Io<'_>) -> Result<(), Error> + Send + Sync + 'f>;

/// An operation.
pub(super) struct Operation<'f> {
    pub(super) name: String,
    pub(super) footprints: Footprints,
    pub(super) work: Work<'f>,
    /// Whether the closure is a user's, of which nothing is known.
    pub(super) foreign: bool,
}

impl fmt::Debug for Operation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation")
            .field("name", &self.name)
            .field("footprints", &self.footprints)
            .finish_non_exhaustive()
    }
}

/// An operation that is being described: name the views it reads and writes, then give the closure.
///
/// ```
/// use restride::{Array, Graph, View, copy};
///
/// let mut graph = Graph::new();
/// let src = graph.tensor("src", Array::filled(&[6], 2)?);
/// let dst = graph.tensor("dst", Array::filled(&[2, 3], 0)?);
/// let mut double = graph.operation("double");
/// let x = double.reads(&src.all(&[2, 3])?)?;
/// let y = double.writes(&dst.all(&[2, 3])?)?;
/// double.submit(move |io| {
///     let values: Vec<i32> = io.read(x).to_contiguous()?.as_slice().iter().map(|x| 2 * x).collect();
///     copy(&View::from_slice(&values, &[2, 3])?, &mut io.write(y))
/// })?;
/// graph.run()?;
/// assert_eq!(graph.array(dst)?.as_slice(), [4; 6]);
/// # Ok::<(), restride::Error>(())
/// ```
#[derive(Debug)]
pub struct NewOperation<'g, 'f> {
    graph: &'g mut Graph<'f>,
    name: String,
    accesses: Vec<Access>,
    pub(super) foreign: bool,
}

impl<'g, 'f> NewOperation<'g, 'f> {
    pub(super) fn new(graph: &'g mut Graph<'f>, name: &str) -> Self {
        Self {
            graph,
            name: name.into(),
            accesses: Vec::new(),
            foreign: true,
        }
    }

    /// Another view that the operation reads. It may overlap with what the operation writes: then it
    /// is copied before the closure starts.
    ///
    /// # Errors
    /// - [`Error::StaleHandle`] if the tensor was taken out, or is another graph's.
    /// - [`Error::OutOfBounds`] if the view leaves its tensor, [`Error::OffsetOverflow`] if it leaves
    ///   what `isize` can count in bytes.
    pub fn reads<T: NoUninit + Send + Sync>(
        &mut self,
        view: &TensorView<T>,
    ) -> Result<Input<T>, Error> {
        self.accesses.push(self.graph.storage.read(view)?);
        Ok(Input {
            number: self.accesses.len() - 1,
            element: PhantomData,
        })
    }

    /// Another view that the operation writes. It can leave elements as they are, but not read them:
    /// a view that is both is named twice.
    ///
    /// # Errors
    /// Those of [`NewOperation::reads`], and
    /// - [`Error::InternalOverlap`] if the view reaches an element twice, [`Error::OverlapUndecided`]
    ///   if that could not be ruled out.
    pub fn writes<T: NoUninit + Send + Sync>(
        &mut self,
        view: &TensorView<T>,
    ) -> Result<Output<T>, Error> {
        self.accesses.push(self.graph.storage.write(view)?);
        Ok(Output {
            number: self.accesses.len() - 1,
            element: PhantomData,
        })
    }

    /// Submits the operation. `work` is called once in each run, on any thread; it gets at the views
    /// by what [`NewOperation::reads`] and [`NewOperation::writes`] gave. If it panics, what it wrote so
    /// far remains, and the panic arrives where the graph is run.
    ///
    /// # Errors
    /// [`Error::OutputsOverlap`] if two views that the operation writes may share an element.
    pub fn submit(
        self,
        work: impl Fn(&mut Io<'_>) -> Result<(), Error> + Send + Sync + 'f,
    ) -> Result<OperationId, Error> {
        let operation = Operation {
            name: self.name,
            footprints: Footprints::new(self.accesses)?,
            work: Box::new(work),
            foreign: self.foreign,
        };
        Ok(self.graph.submit(operation))
    }
}
