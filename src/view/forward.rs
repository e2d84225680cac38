//! Stamps what [`Layout`](crate::Layout) can do on views and arrays: its operations, which give the
//! same data under another layout, and its questions.

/// Forwards the operations that reach every element at most once. `$self.$with(layout)` makes the
/// result.
macro_rules! forward_algebra {
    ($self:ident : $receiver:ty => $output:ty, $with:ident) => {
        $crate::view::forward::forward_algebra!(@each $self: $receiver => $output, $with;
            permute(perm: &[usize]), swap_axes(a: usize, b: usize), move_axis(from: usize, to: usize),
            index_axis(axis: usize, index: usize), narrow(axis: usize, start: usize, len: usize),
            flip(axis: usize), reshape(shape: &[usize]), reshape_column_major(shape: &[usize]),
            flatten(), squeeze(axis: usize), unsqueeze(axis: usize), diagonal(a: usize, b: usize));

        /// A part of every axis, as [`s!`](crate::s) writes it: see
        /// [`Layout::slice`](crate::Layout::slice).
        ///
        /// # Errors
        /// Those of that operation.
        pub fn slice<P: Clone + Into<$crate::Pick>>(
            $self: $receiver,
            slices: &[P],
        ) -> Result<$output, $crate::Error> {
            let layout = $self.layout.slice(slices)?;
            Ok($self.$with(layout))
        }

        /// All axes in reverse order.
        #[must_use]
        pub fn transpose($self: $receiver) -> $output {
            let layout = $self.layout.transpose();
            $self.$with(layout)
        }
    };
    (@each $self:ident : $receiver:ty => $output:ty, $with:ident;
     $($name:ident($($arg:ident: $type:ty),*)),*) => { $(
        #[doc = concat!("The same data under the layout that [`Layout::", stringify!($name), "`]\
                         (crate::Layout::", stringify!($name), ") makes of this one.\n\n\
                         # Errors\nThose of that operation.")]
        pub fn $name($self: $receiver, $($arg: $type),*) -> Result<$output, $crate::Error> {
            let layout = $self.layout.$name($($arg),*)?;
            Ok($self.$with(layout))
        }
    )* };
}
pub(crate) use forward_algebra;

/// Forwards the operations whose results share elements: of what is only read. `$self.$with(layout)`
/// makes a result, which lives for `$life`.
macro_rules! forward_reading {
    ($self:ident : $view:ident<$life:lifetime>, $with:ident) => {
        /// Extents of 1 repeated and axes added in front until the shape is `shape`.
        ///
        /// # Errors
        /// Those of [`Layout::broadcast_to`](crate::Layout::broadcast_to).
        pub fn broadcast_to(&$self, shape: &[usize]) -> Result<$view<$life, T>, $crate::Error> {
            Ok($self.$with($self.layout.broadcast_to(shape)?))
        }

        /// This and another view, broadcast to the shape that they have together.
        ///
        /// # Errors
        /// Those of [`Layout::broadcast_with`](crate::Layout::broadcast_with).
        pub fn broadcast_with<'o, U>(
            &$self,
            other: &$view<'o, U>,
        ) -> Result<($view<$life, T>, $view<'o, U>), $crate::Error> {
            let (own, others) = $self.layout.broadcast_with(other.layout())?;
            Ok(($self.$with(own), other.with(others)))
        }

        /// All windows of a shape, as [`Layout::windows`](crate::Layout::windows) lays them out.
        ///
        /// # Errors
        /// Those of that operation.
        pub fn windows(&$self, window: &[usize]) -> Result<$view<$life, T>, $crate::Error> {
            Ok($self.$with($self.layout.windows(window)?))
        }

        /// The indices of an axis before `index`, and those from it on.
        ///
        /// # Errors
        /// Those of [`Layout::split_at`](crate::Layout::split_at).
        pub fn split_at(
            &$self,
            axis: usize,
            index: usize,
        ) -> Result<($view<$life, T>, $view<$life, T>), $crate::Error> {
            let (before, from) = $self.layout.split_at(axis, index)?;
            Ok(($self.$with(before), $self.$with(from)))
        }

        /// `size` indices of an axis at a time; the last part has what is left.
        ///
        /// # Errors
        /// Those of [`Layout::chunks`](crate::Layout::chunks).
        pub fn chunks(
            &$self,
            axis: usize,
            size: usize,
        ) -> Result<impl DoubleEndedIterator<Item = $view<$life, T>> + ExactSizeIterator, $crate::Error>
        {
            let parts = $self.layout.chunks(axis, size)?;
            Ok(parts.map(|layout| $self.$with(layout)))
        }

        /// The view at each index of an axis, which is dropped.
        ///
        /// # Errors
        /// Those of [`Layout::unbind`](crate::Layout::unbind).
        pub fn unbind(
            &$self,
            axis: usize,
        ) -> Result<impl DoubleEndedIterator<Item = $view<$life, T>> + ExactSizeIterator, $crate::Error>
        {
            let parts = $self.layout.unbind(axis)?;
            Ok(parts.map(|layout| $self.$with(layout)))
        }
    };
}
pub(crate) use forward_reading;

/// Forwards the questions that every holder of a layout answers.
macro_rules! forward_queries {
    ($layout:literal) => {
        #[doc = concat!("The layout: ", $layout)]
        #[must_use]
        pub fn layout(&self) -> &$crate::Layout {
            &self.layout
        }

        /// The extents, one per axis.
        #[must_use]
        pub fn shape(&self) -> &[usize] {
            self.layout.shape()
        }

        /// The strides in elements, one per axis.
        #[must_use]
        pub fn strides(&self) -> &[isize] {
            self.layout.strides()
        }

        /// The number of axes.
        #[must_use]
        pub fn rank(&self) -> usize {
            self.layout.rank()
        }

        /// The number of elements.
        #[must_use]
        pub fn len(&self) -> usize {
            self.layout.len()
        }

        /// Whether there is no element.
        #[must_use]
        pub fn is_empty(&self) -> bool {
            self.layout.is_empty()
        }
    };
}
pub(crate) use forward_queries;
