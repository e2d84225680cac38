//! Running a graph: each operation as soon as all that it depends on have ended.
//!
//! Operations that are ready stand in one queue, and up to as many loops as there are threads take
//! from it. A loop ends when the queue is empty; who puts in more than one operation starts further
//! loops. So there are never more jobs in the pool than threads: an operation that waits for copies
//! of its own can at most be interrupted by that many loops, however long the graph is.

#![forbid(unsafe_code)]

use core::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Graph;
use super::analysis::Predecessors;
use super::operation::Operation;
use super::storage::Lender;
use crate::error::Error;
use crate::exec::split::{ranges, workers};
use crate::machine::Machine;
use crate::plan::{Par, wanted};

impl Graph<'_> {
    /// Runs all operations, with as many threads as are predicted to pay. The result is that of
    /// running them one after another in the order of submission. A graph can be run again.
    ///
    /// # Errors
    /// - [`Error::StaleHandle`] if a tensor that an operation uses was taken out; nothing is run then.
    /// - The first error that an operation meets or returns: [`Error::AllocFailed`] where a view that
    ///   has to be copied first cannot be. Operations that have not started by then do not start.
    ///
    /// # Panics
    /// If a closure does: once, with its message. Operations that have not started by then do not
    /// start; those that have, end. Tensors hold what was written, and the graph can be used on.
    pub fn run(&mut self) -> Result<(), Error> {
        self.run_with(Par::Auto)
    }

    /// [`Graph::run`] with up to so many operations at the same time.
    ///
    /// # Errors
    /// Those of [`Graph::run`].
    ///
    /// # Panics
    /// As [`Graph::run`].
    pub fn run_with(&mut self, par: Par) -> Result<(), Error> {
        let known = |operation: &Operation<'_>| self.storage.has(&operation.footprints);
        if !self.operations.iter().all(known) {
            return Err(Error::StaleHandle { arg: "tensor" });
        }
        let facts = Machine::host()?.facts();
        self.predecessors();
        let predecessors = self.predecessors.get().expect("just found");
        let threads = match par {
            Par::Seq => 1,
            Par::Threads(n) => n.max(1),
            // What a closure takes is not known: it may be worth a thread.
            Par::Auto if self.operations.iter().any(|operation| operation.foreign) => workers(),
            Par::Auto => ranges(wanted(Par::Auto, moved(&self.operations), facts)),
        };
        let run = Run::new(
            &self.operations,
            predecessors,
            Lender::new(&mut self.storage),
        );
        run.all(threads.min(self.operations.len()));
        match run
            .failure
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
        {
            None => Ok(()),
            Some(Failure::Refused(error)) => Err(error),
            Some(Failure::Panicked(payload)) => resume_unwind(payload),
        }
    }
}

/// The bytes of all views together.
fn moved(operations: &[Operation<'_>]) -> usize {
    let accesses = operations
        .iter()
        .flat_map(|operation| operation.footprints.all());
    accesses.fold(0, |all, access| all.saturating_add(access.bytes()))
}

/// Why a run ended early.
enum Failure {
    Refused(Error),
    Panicked(Box<dyn Any + Send>),
}

struct Run<'g, 'f> {
    operations: &'g [Operation<'f>],
    successors: Predecessors,
    /// For each operation, how many it still has to wait for.
    waiting: Vec<AtomicU32>,
    ready: Mutex<VecDeque<u32>>,
    /// Loops that take from the queue.
    loops: AtomicUsize,
    failure: Mutex<Option<Failure>>,
    lender: Lender<'g>,
}

/// Locks a mutex, of which none here is held while foreign code runs.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'g, 'f> Run<'g, 'f> {
    fn new(
        operations: &'g [Operation<'f>],
        predecessors: &Predecessors,
        lender: Lender<'g>,
    ) -> Self {
        let waiting = |i| predecessors.of(i).len() as u32;
        let waiting: Vec<u32> = (0..operations.len()).map(waiting).collect();
        let ready = (0..operations.len() as u32).filter(|&i| waiting[i as usize] == 0);
        Self {
            operations,
            successors: predecessors.successors(),
            ready: Mutex::new(ready.collect()),
            waiting: waiting.into_iter().map(AtomicU32::new).collect(),
            loops: AtomicUsize::new(1),
            failure: Mutex::new(None),
            lender,
        }
    }

    /// Runs everything, the calling thread taking a share.
    fn all(&self, threads: usize) {
        #[cfg(feature = "rayon")]
        if threads > 1 {
            return rayon::in_place_scope(|scope| self.work_in(scope, threads));
        }
        let _ = threads;
        self.work(&|_| {});
    }

    /// A loop on a thread of the pool.
    #[cfg(feature = "rayon")]
    fn work_in<'s>(&'s self, scope: &rayon::Scope<'s>, threads: usize) {
        self.help(scope, threads);
        self.work(&|_| self.help(scope, threads));
    }

    /// Starts loops for what is ready, besides the one that asks.
    #[cfg(feature = "rayon")]
    fn help<'s>(&'s self, scope: &rayon::Scope<'s>, threads: usize) {
        let spare = lock(&self.ready).len().saturating_sub(1);
        for _ in 0..spare {
            let more = |loops| (loops < threads).then_some(loops + 1);
            let order = Ordering::Relaxed;
            if self.loops.fetch_update(order, order, more).is_err() {
                return;
            }
            scope.spawn(move |scope| self.work_in(scope, threads));
        }
    }

    /// A loop: takes operations that are ready until there is none. `more` is told when there are
    /// several.
    fn work(&self, more: &dyn Fn(usize)) {
        while let Some(i) = self.take() {
            if !self.carry_out(i as usize) {
                break;
            }
            let mut ready = 0;
            for &next in self.successors.of(i as usize) {
                // What this operation wrote is seen by who finds that it was the last one.
                if self.waiting[next as usize].fetch_sub(1, Ordering::AcqRel) == 1 {
                    self.put(next);
                    ready += 1;
                }
            }
            if ready > 1 {
                more(ready);
            }
        }
        self.loops.fetch_sub(1, Ordering::Relaxed);
    }

    fn take(&self) -> Option<u32> {
        lock(&self.ready).pop_front()
    }

    /// Puts an operation that has nothing more to wait for into the queue.
    fn put(&self, i: u32) {
        let mut ready = lock(&self.ready);
        // After a failure the queue stays empty, so that all loops end and none is started.
        if lock(&self.failure).is_none() {
            ready.push_back(i);
        }
    }

    /// Carries out an operation. Returns whether the run goes on.
    fn carry_out(&self, i: usize) -> bool {
        let operation = &self.operations[i];
        let lend = || {
            self.lender
                .lend(&operation.footprints, |io| (operation.work)(io))
        };
        // What a closure leaves behind is plain data, all of it valid.
        let failure = match catch_unwind(AssertUnwindSafe(lend)) {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => Failure::Refused(error),
            Err(payload) => Failure::Panicked(payload),
        };
        let mut ready = lock(&self.ready);
        ready.clear();
        // The first one counts.
        lock(&self.failure).get_or_insert(failure);
        false
    }
}
