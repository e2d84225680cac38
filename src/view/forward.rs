//! Stamps what [`Layout`](crate::Layout) can do on views and arrays: its operations, which give the
//! same data under another layout, and its questions.

/// Forwards the operations that reach every element at most once. `$self.$with(layout)` makes the
/// result.
macro_rules! forward_algebra {
    ($self:ident : $receiver:ty => $output:ty, $with:ident) => {
        $crate::view::forward::forward_algebra!(@each $self: $receiver => $output, $with;
            permute(perm: &[usize]), swap_axes(a: usize, b: usize), move_axis(from: usize, to: usize),
            slice(slices: &[$crate::Slice]), index_axis(axis: usize, index: usize), flip(axis: usize),
            reshape(shape: &[usize]), squeeze(axis: usize), unsqueeze(axis: usize));
    };
    (@each $self:ident : $receiver:ty => $output:ty, $with:ident;
     $($name:ident($($arg:ident: $type:ty),*)),*) => { $(
        #[doc = concat!("The same data under the layout that [`Layout::", stringify!($name), "`] \
                         makes of this one.\n\n# Errors\nThose of that operation.")]
        pub fn $name($self: $receiver, $($arg: $type),*) -> Result<$output, $crate::Error> {
            let layout = $self.layout.$name($($arg),*)?;
            Ok($self.$with(layout))
        }
    )* };
}
pub(crate) use forward_algebra;

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
