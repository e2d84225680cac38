//! The tensors, and how they are lent to operations: the only file of the graph with `unsafe`.
//!
//! What makes it sound stands here, whatever the rest of the graph does:
//!
//! - An [`Access`] exists only for a view that fits its tensor, and that reaches no element twice if it
//!   writes. A tensor never changes its length, and its place is never given to another.
//! - The [`Footprints`] of an operation exist only if no two of its writes share an element. What it
//!   reads is copied first if it may share one with what it writes.
//! - A [`Lender`] has the tensors for itself. It keeps a list of the operations that it lends to at
//!   this moment, and refuses one that may share an element with them where either writes: with a
//!   panic, since the schedule is to prevent that.

use core::any::{Any, TypeId};
use core::fmt;
use core::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytemuck::NoUninit;

use super::handle::{Tensor, TensorView};
use super::operation::{Input, Output};
use super::short;
use super::span::Span;
use crate::array::Array;
use crate::error::Error;
use crate::layout::Layout;
use crate::view::{View, ViewMut};

/// All tensors of a graph. Places of tensors that were taken out stay empty.
pub(super) struct Storage {
    /// No two storages of a process have the same.
    number: u64,
    slots: Vec<Option<Stored>>,
}

struct Stored {
    name: Arc<str>,
    /// An `Array<T>`.
    array: Box<dyn Any + Send + Sync>,
    /// The address of its elements.
    start: fn(&mut (dyn Any + Send + Sync)) -> *mut u8,
}

impl Default for Storage {
    fn default() -> Self {
        static STORAGES: AtomicU64 = AtomicU64::new(0);
        Self {
            number: STORAGES.fetch_add(1, Ordering::Relaxed),
            slots: Vec::new(),
        }
    }
}

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.slots.iter().flatten().map(|stored| &stored.name);
        f.debug_list().entries(names).finish()
    }
}

const STALE: Error = Error::StaleHandle { arg: "tensor" };

impl Storage {
    pub(super) fn insert<T: NoUninit + Send + Sync>(
        &mut self,
        name: &str,
        array: Array<T>,
    ) -> Tensor<T> {
        let len = array.len();
        self.slots.push(Some(Stored {
            name: name.into(),
            array: Box::new(array),
            start: |array| {
                let array: &mut Array<T> = array.downcast_mut().expect("made for this array");
                array.as_mut_slice().as_mut_ptr().cast()
            },
        }));
        Tensor {
            storage: self.number,
            slot: self.slots.len() - 1,
            len,
            element: PhantomData,
        }
    }

    fn stored<T>(&self, tensor: Tensor<T>) -> Result<&Stored, Error> {
        let known = tensor.storage == self.number;
        let slot = known.then(|| self.slots.get(tensor.slot)?.as_ref());
        slot.flatten().ok_or(STALE)
    }

    pub(super) fn array<T: NoUninit + Send + Sync>(
        &self,
        tensor: Tensor<T>,
    ) -> Result<&Array<T>, Error> {
        let array = &self.stored(tensor)?.array;
        Ok(array
            .downcast_ref()
            .expect("handles have their tensor's type"))
    }

    /// Never handed out as it is: who has this could put an array of another length in its place.
    pub(super) fn array_mut<T: NoUninit + Send + Sync>(
        &mut self,
        tensor: Tensor<T>,
    ) -> Result<&mut Array<T>, Error> {
        self.stored(tensor)?;
        let stored = self.slots[tensor.slot].as_mut().expect("just looked at");
        let array = stored.array.downcast_mut();
        Ok(array.expect("handles have their tensor's type"))
    }

    pub(super) fn remove<T: NoUninit + Send + Sync>(
        &mut self,
        tensor: Tensor<T>,
    ) -> Result<Array<T>, Error> {
        self.stored(tensor)?;
        let stored = self.slots[tensor.slot].take().expect("just looked at");
        let array = stored.array.downcast();
        Ok(*array.expect("handles have their tensor's type"))
    }

    /// A view to be read.
    pub(super) fn read<T: NoUninit + Send + Sync>(
        &self,
        view: &TensorView<T>,
    ) -> Result<Access, Error> {
        self.access(view, false)
    }

    /// A view to be written.
    pub(super) fn write<T: NoUninit + Send + Sync>(
        &self,
        view: &TensorView<T>,
    ) -> Result<Access, Error> {
        let access = self.access(view, true)?;
        view.layout.check_injective("view")?;
        Ok(access)
    }

    fn access<T: NoUninit + Send + Sync>(
        &self,
        view: &TensorView<T>,
        writes: bool,
    ) -> Result<Access, Error> {
        let stored = self.stored(view.tensor)?;
        let len = self.array(view.tensor)?.len();
        view.layout.check_storage(len, size_of::<T>())?;
        Ok(Access {
            storage: self.number,
            slot: view.tensor.slot,
            span: Span::of(&view.layout),
            layout: view.layout.clone(),
            writes,
            bytes: view.layout.len() * size_of::<T>(),
            tensor: stored.name.clone(),
            view: view.name.clone(),
            element: TypeId::of::<T>(),
            stage: stage::<T>,
        })
    }

    /// Whether every tensor of these operations is still there.
    pub(super) fn has(&self, footprints: &Footprints) -> bool {
        let mut all = footprints.all.iter();
        all.all(|access| self.slots.get(access.slot).is_some_and(Option::is_some))
    }
}

/// A view of a tensor that an operation reads or writes.
pub(super) struct Access {
    storage: u64,
    slot: usize,
    layout: Layout,
    span: Span,
    writes: bool,
    bytes: usize,
    tensor: Arc<str>,
    view: Option<Arc<str>>,
    element: TypeId,
    stage: Stage,
}

/// [`stage`] for the type of a tensor.
type Stage = unsafe fn(*const u8, &Layout) -> Result<Box<dyn Any>, Error>;

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.writes { "writes " } else { "reads " })?;
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.view {
            Some(view) => f.write_str(view),
            None => write!(f, "{}[{}]", self.tensor, short(&self.layout)),
        }
    }
}

impl Access {
    /// The number of its tensor.
    pub(super) fn slot(&self) -> usize {
        self.slot
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn span(&self) -> &Span {
        &self.span
    }

    pub(super) fn writes(&self) -> bool {
        self.writes
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether this and another share an element, or may.
    pub(super) fn may_share(&self, other: &Self) -> bool {
        self.slot == other.slot
            && self.span.meets(&other.span)
            && (self.span.plainly_shared(&other.span).is_some()
                || self.layout.overlaps(&other.layout).is_possible())
    }

    /// Whether they could not change places.
    pub(super) fn conflicts(&self, other: &Self) -> bool {
        (self.writes || other.writes) && self.may_share(other)
    }
}

/// A copy of a view.
///
/// # Safety
/// Those of [`View::from_raw_parts`] for elements of `T`, `start` being the address of element 0.
unsafe fn stage<T: NoUninit + Send + Sync>(
    start: *const u8,
    layout: &Layout,
) -> Result<Box<dyn Any>, Error> {
    // SAFETY: passed on.
    let view: View<'_, T> = unsafe { View::from_raw_parts(start.cast(), layout.clone()) };
    Ok(Box::new(view.to_array()?))
}

/// All views of an operation.
#[derive(Debug)]
pub(super) struct Footprints {
    all: Vec<Access>,
    /// Those that are read, and may share an element with one that is written.
    staged: Vec<bool>,
}

impl Footprints {
    /// # Errors
    /// [`Error::OutputsOverlap`] if two that are written may share an element.
    pub(super) fn new(all: Vec<Access>) -> Result<Self, Error> {
        let mut staged = vec![false; all.len()];
        for (i, access) in all.iter().enumerate() {
            for (j, other) in all.iter().enumerate().filter(|(_, other)| other.writes) {
                if i == j || !access.may_share(other) {
                    continue;
                }
                if access.writes {
                    let (first, second) = (i.min(j), i.max(j));
                    return Err(Error::OutputsOverlap { first, second });
                }
                staged[i] = true;
            }
        }
        Ok(Self { all, staged })
    }

    pub(super) fn all(&self) -> &[Access] {
        &self.all
    }

    fn conflict(&self, other: &Self) -> bool {
        let pairs = |access: &Access| other.all.iter().any(|other| access.conflicts(other));
        self.all.iter().any(pairs)
    }
}

/// Lends tensors to operations, those of different operations at the same time.
pub(super) struct Lender<'s> {
    storage: u64,
    /// Where each tensor's elements start; null where it was taken out.
    starts: Vec<*mut u8>,
    lent: Mutex<Vec<*const Footprints>>,
    life: PhantomData<&'s mut Storage>,
}

// SAFETY: addresses of tensors, which are Send and Sync; what is reached through them is guarded by
// the list of what is lent.
unsafe impl Sync for Lender<'_> {}

impl<'s> Lender<'s> {
    pub(super) fn new(storage: &'s mut Storage) -> Self {
        let start = |slot: &mut Option<Stored>| match slot {
            Some(stored) => (stored.start)(&mut *stored.array),
            None => core::ptr::null_mut(),
        };
        Self {
            storage: storage.number,
            starts: storage.slots.iter_mut().map(start).collect(),
            lent: Mutex::new(Vec::new()),
            life: PhantomData,
        }
    }

    /// Calls `work` with the views of an operation.
    ///
    /// # Errors
    /// [`Error::AllocFailed`] if a view that is to be copied first cannot be; those of `work`.
    ///
    /// # Panics
    /// If an operation that this one conflicts with is being carried out, or a tensor is not there;
    /// if `work` does.
    pub(super) fn lend(
        &self,
        footprints: &Footprints,
        work: impl FnOnce(&mut Io<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let _lent = self.borrow(footprints);
        let start = |access: &Access| {
            assert_eq!(access.storage, self.storage, "accesses are of one graph");
            let start = self.starts[access.slot];
            assert!(!start.is_null(), "the tensor is still there");
            start
        };
        let mut copies = Vec::with_capacity(footprints.all.len());
        for (access, &staged) in footprints.all.iter().zip(&footprints.staged) {
            let start = start(access);
            copies.push(match staged {
                // SAFETY: range, alignment: the access was checked against its tensor, which has
                // this type; aliasing: no one who writes has borrowed it.
                true => Some(unsafe { (access.stage)(start, &access.layout)? }),
                false => None,
            });
        }
        let mut io = Io {
            starts: &self.starts,
            footprints,
            copies: &copies,
            written: vec![false; footprints.all.len()],
        };
        work(&mut io)
    }

    /// Puts an operation on the list of those that are being carried out.
    fn borrow<'l>(&'l self, footprints: &'l Footprints) -> Lent<'l, 's> {
        let mut lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
        for &other in &*lent {
            // SAFETY: what is on the list is borrowed by a `Lent`, whose drop takes it off.
            let other = unsafe { &*other };
            assert!(
                !footprints.conflict(other),
                "the schedule keeps conflicts apart"
            );
        }
        lent.push(footprints);
        Lent {
            lender: self,
            footprints,
        }
    }
}

/// An operation on the list of those that are being carried out.
struct Lent<'l, 's> {
    lender: &'l Lender<'s>,
    footprints: &'l Footprints,
}

impl Drop for Lent<'_, '_> {
    fn drop(&mut self) {
        let mut lent = (self.lender.lent.lock()).unwrap_or_else(PoisonError::into_inner);
        let place = lent
            .iter()
            .position(|&other| core::ptr::eq(other, self.footprints));
        lent.swap_remove(place.expect("on the list since it was made"));
    }
}

/// The views of an operation while it is carried out.
pub struct Io<'x> {
    starts: &'x [*mut u8],
    footprints: &'x Footprints,
    copies: &'x [Option<Box<dyn Any>>],
    written: Vec<bool>,
}

impl fmt::Debug for Io<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.footprints.fmt(f)
    }
}

impl<'x> Io<'x> {
    fn access<T: 'static>(&self, number: usize, writes: bool) -> &'x Access {
        let access = self.footprints.all.get(number);
        let access = access.filter(|access| access.writes == writes);
        let access = access.filter(|access| access.element == TypeId::of::<T>());
        access.expect("inputs and outputs are used in the operation they were made for")
    }

    /// A view that the operation reads: as it was before the operation wrote anything.
    ///
    /// # Panics
    /// If the input is another operation's, and this one has none like it.
    #[must_use]
    pub fn read<T: NoUninit + Send + Sync>(&self, input: Input<T>) -> View<'x, T> {
        let access = self.access::<T>(input.number, false);
        if let Some(copy) = &self.copies[input.number] {
            let copy: &'x Array<T> = copy.downcast_ref().expect("staged as what it is");
            return copy.view();
        }
        let start = self.starts[access.slot].cast::<T>();
        // SAFETY: range, alignment: the access was checked against its tensor, which has this type
        // and is there; aliasing: for 'x the operation is on the list of those being carried out, so
        // no other writes these elements; nor does this one, or they were copied.
        unsafe { View::from_raw_parts(start, access.layout.clone()) }
    }

    /// A view that the operation writes. It can be had once.
    ///
    /// # Panics
    /// If the output is another operation's, and this one has none like it; at the second call for
    /// the same output.
    #[must_use]
    pub fn write<T: NoUninit + Send + Sync>(&mut self, output: Output<T>) -> ViewMut<'x, T> {
        let access = self.access::<T>(output.number, true);
        let again = core::mem::replace(&mut self.written[output.number], true);
        assert!(!again, "an output is had once");
        let start = self.starts[access.slot].cast::<T>();
        // SAFETY: range, alignment: as above; the layout is injective; aliasing: for 'x no other
        // operation reads or writes these elements; of this one's views, no other that is written
        // shares one, those that are read and might are copies, and this one is handed out once.
        unsafe { ViewMut::from_raw_parts(start, access.layout.clone()) }
    }
}
