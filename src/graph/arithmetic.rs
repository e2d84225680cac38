//! The operations that need no closure of many views: fill, copy, map, binary, reduce.
//!
//! Arithmetic is plain loops over contiguous values, without a promise of speed; what is in another
//! layout is copied before and after by the engine.

#![forbid(unsafe_code)]

use core::any::type_name;

use bytemuck::NoUninit;

use super::Graph;
use super::handle::TensorView;
use super::number::Number;
use super::operation::{Input, NewOperation, OperationId, Output};
use super::storage::Io;
use crate::copy::{copy, fill};
use crate::error::Error;
use crate::layout::{PerAxis, check_same_shape};
use crate::view::View;

/// What [`Graph::reduce`] makes of many numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduce {
    /// Their sum; 0 for none. That of integers wraps around.
    Sum,
    /// The smallest; not a number if one of them is not.
    Min,
    /// The largest; not a number if one of them is not.
    Max,
}

impl<'f> Graph<'f> {
    /// Submits: every element of `dst` becomes `value`.
    ///
    /// # Errors
    /// Those of [`NewOperation::writes`].
    pub fn fill<T: NoUninit + Send + Sync>(
        &mut self,
        dst: &TensorView<T>,
        value: T,
    ) -> Result<OperationId, Error> {
        let mut operation = self.known("fill");
        let to = operation.writes(dst)?;
        operation.submit(move |io| fill(&mut io.write(to), value))
    }

    /// Submits: the elements of `src` are copied to `dst`, of the same shape.
    ///
    /// # Errors
    /// [`Error::RankMismatch`] or [`Error::ShapeMismatch`] if the shapes differ; those of
    /// [`NewOperation::reads`] and [`NewOperation::writes`].
    pub fn copy<T: NoUninit + Send + Sync>(
        &mut self,
        src: &TensorView<T>,
        dst: &TensorView<T>,
    ) -> Result<OperationId, Error> {
        check_same_shape(src.layout.shape(), dst.layout.shape())?;
        let mut operation = self.known("copy");
        let (from, to) = (operation.reads(src)?, operation.writes(dst)?);
        operation.submit(move |io| copy(&io.read(from), &mut io.write(to)))
    }

    /// Submits: each element of `dst` becomes `function` of the element of `src` with the same index.
    /// `function` is a closure or a function such as `f32::sqrt`, whose name the operation then has;
    /// it is called in row-major order.
    ///
    /// # Errors
    /// As [`Graph::copy`].
    pub fn map<T, U, F>(
        &mut self,
        src: &TensorView<T>,
        dst: &TensorView<U>,
        function: F,
    ) -> Result<OperationId, Error>
    where
        T: NoUninit + Send + Sync,
        U: NoUninit + Send + Sync,
        F: Fn(T) -> U + Send + Sync + 'f,
    {
        check_same_shape(src.layout.shape(), dst.layout.shape())?;
        let mut operation = self.called::<F>("map");
        let (from, to) = (operation.reads(src)?, operation.writes(dst)?);
        operation.submit(move |io| {
            let values = values(io, from)?;
            store(io, to, values.into_iter().map(&function).collect())
        })
    }

    /// Submits: each element of `dst` becomes `function` of the elements of `first` and `second`
    /// with the same index. It is called in row-major order.
    ///
    /// # Errors
    /// As [`Graph::copy`].
    pub fn binary<T, U, V, F>(
        &mut self,
        first: &TensorView<T>,
        second: &TensorView<U>,
        dst: &TensorView<V>,
        function: F,
    ) -> Result<OperationId, Error>
    where
        T: NoUninit + Send + Sync,
        U: NoUninit + Send + Sync,
        V: NoUninit + Send + Sync,
        F: Fn(T, U) -> V + Send + Sync + 'f,
    {
        for src in [first.layout.shape(), second.layout.shape()] {
            check_same_shape(src, dst.layout.shape())?;
        }
        let mut operation = self.called::<F>("binary");
        let (a, b) = (operation.reads(first)?, operation.reads(second)?);
        let to = operation.writes(dst)?;
        operation.submit(move |io| {
            let pairs = values(io, a)?.into_iter().zip(values(io, b)?);
            store(io, to, pairs.map(|(a, b)| function(a, b)).collect())
        })
    }

    /// Submits: each element of `dst` becomes the sum, or the smallest or largest, of the elements of
    /// `src` that have its index but for the axes named, which `dst` does not have.
    ///
    /// The numbers are taken one after another in row-major order, so that the sum of floats has the
    /// same bits whatever the number of threads.
    ///
    /// # Errors
    /// - [`Error::AxisOutOfRange`] and [`Error::NotAPermutation`] for an axis that `src` does not
    ///   have, or that is named twice.
    /// - [`Error::RankMismatch`] or [`Error::ShapeMismatch`] if `dst` has another shape than `src`
    ///   without the axes.
    /// - [`Error::NothingToReduce`] for the smallest or largest along axes without an index.
    /// - Those of [`NewOperation::reads`] and [`NewOperation::writes`].
    pub fn reduce<T: Number>(
        &mut self,
        reduce: Reduce,
        src: &TensorView<T>,
        axes: &[usize],
        dst: &TensorView<T>,
    ) -> Result<OperationId, Error> {
        let shape = src.layout.shape();
        let (order, kept) = reduced_last(shape.len(), axes)?;
        let extents: PerAxis<usize> = order.iter().map(|&axis| shape[axis]).collect();
        check_same_shape(&extents[..kept], dst.layout.shape())?;
        let each: usize = extents[kept..].iter().product();
        let empty = axes.iter().copied().find(|&axis| shape[axis] == 0);
        if let (Reduce::Min | Reduce::Max, Some(axis)) = (reduce, empty) {
            return Err(Error::NothingToReduce { axis });
        }
        let (name, of): (_, fn(T, T) -> T) = match reduce {
            Reduce::Sum => ("sum", T::plus),
            Reduce::Min => ("min", T::smaller),
            Reduce::Max => ("max", T::larger),
        };
        let mut operation = self.known(name);
        let (from, to) = (operation.reads(src)?, operation.writes(dst)?);
        let len = dst.layout.len();
        operation.submit(move |io| {
            let ordered = io.read(from).permute(&order)?.to_contiguous()?;
            let values = ordered.as_slice();
            let rows = (0..len).map(|row| &values[row * each..(row + 1) * each]);
            let reduced = rows.map(|row| row.iter().copied().reduce(of).unwrap_or(T::ZERO));
            store(io, to, reduced.collect())
        })
    }

    /// An operation of which everything is known here.
    fn known(&mut self, name: &str) -> NewOperation<'_, 'f> {
        let mut operation = self.operation(name);
        operation.foreign = false;
        operation
    }

    /// An operation that calls a function, with its name if it has one.
    fn called<F>(&mut self, what: &str) -> NewOperation<'_, 'f> {
        let path = type_name::<F>();
        match path.rsplit("::").next() {
            Some(name) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                self.operation(&format!("{what} {name}"))
            }
            _ => self.operation(what),
        }
    }
}

/// An order of the axes with these behind the others, and the number of the others.
fn reduced_last(rank: usize, axes: &[usize]) -> Result<(PerAxis<usize>, usize), Error> {
    let mut reduced: PerAxis<bool> = PerAxis::from_elem(false, rank);
    for (position, &axis) in axes.iter().enumerate() {
        let arg = "axes";
        let Some(place) = reduced.get_mut(axis) else {
            let got = axis;
            return Err(Error::AxisOutOfRange { arg, got, rank });
        };
        if core::mem::replace(place, true) {
            return Err(Error::NotAPermutation {
                arg,
                position,
                axis,
            });
        }
    }
    let mut order: PerAxis<usize> = (0..rank).collect();
    order.sort_by_key(|&axis| reduced[axis]);
    Ok((order, rank - axes.len()))
}

/// The values of a view in row-major order.
fn values<T: NoUninit + Send + Sync>(io: &Io<'_>, input: Input<T>) -> Result<Vec<T>, Error> {
    Ok(io.read(input).to_contiguous()?.as_slice().to_vec())
}

/// Puts values, in row-major order, where an output is.
fn store<T: NoUninit + Send + Sync>(
    io: &mut Io<'_>,
    output: Output<T>,
    values: Vec<T>,
) -> Result<(), Error> {
    let mut dst = io.write(output);
    let src = View::from_slice(&values, dst.shape())?;
    copy(&src, &mut dst)
}
