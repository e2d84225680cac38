//! The threads of a run: one pool, bound to cores if that was asked for and the system allows it.

use std::sync::atomic::{AtomicUsize, Ordering};

use core_affinity::CoreId;

use crate::failure::Failure;

/// How threads are bound to cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pin {
    /// Neighbouring cores.
    Compact,
    /// Cores as far apart as their numbers.
    Spread,
    /// The system decides, and may move them.
    #[default]
    None,
}

impl Pin {
    /// Every way.
    pub(crate) const ALL: [Self; 3] = [Self::Compact, Self::Spread, Self::None];

    /// The word on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Compact => "compact",
            Self::Spread => "spread",
            Self::None => "none",
        }
    }

    /// The core of one of `threads` threads, of those that there are.
    fn core(self, thread: usize, threads: usize, cores: usize) -> Option<usize> {
        let step = match self {
            Self::None => return None,
            Self::Compact => 1,
            Self::Spread => (cores / threads.max(1)).max(1),
        };
        (cores > 0).then(|| thread * step % cores)
    }
}

/// Runs `work` as one of `threads` workers of rayon's global pool, or without a pool on one thread.
/// Hands it what could be bound, in words.
///
/// # Errors
/// [`Failure::Io`] if the threads cannot be started, and those of `work`.
pub(crate) fn within<T: Send>(
    threads: usize,
    pin: Pin,
    work: impl FnOnce(String) -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let cores = match pin {
        Pin::None => Vec::new(),
        _ => core_affinity::get_core_ids().unwrap_or_default(),
    };
    let bound = AtomicUsize::new(0);
    let bind = |thread: usize| {
        let core = pin.core(thread, threads, cores.len());
        if core.is_some_and(|core| core_affinity::set_for_current(cores[core])) {
            bound.fetch_add(1, Ordering::SeqCst);
        }
    };
    let words = || match (pin, bound.load(Ordering::SeqCst)) {
        (Pin::None, _) => String::from("not pinned"),
        (_, 0) => String::from("not pinned: the system does not allow it"),
        (_, n) => format!("{n} of {threads} threads pinned, {}", pin.name()),
    };
    if threads == 1 {
        bind(0);
        return work(words());
    }
    // Workers outlive this call, so each gets its core by value.
    let of_thread: Vec<Option<CoreId>> = (0..threads)
        .map(|thread| Some(cores[pin.core(thread, threads, cores.len())?]))
        .collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let refused = |error| Failure::Io(format!("cannot start {threads} threads: {error}"));
    pool.build_global().map_err(refused)?;
    let pinned = rayon::broadcast(|context| {
        of_thread[context.index()].is_some_and(core_affinity::set_for_current)
    });
    bound.store(pinned.iter().filter(|&&it| it).count(), Ordering::SeqCst);
    rayon::scope(|_| work(words()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_neighbours_or_far_apart() {
        let cores = |pin: Pin| -> Vec<_> { (0..4).map(|t| pin.core(t, 4, 8)).collect() };
        assert_eq!(cores(Pin::Compact), [0, 1, 2, 3].map(Some));
        assert_eq!(cores(Pin::Spread), [0, 2, 4, 6].map(Some));
        assert_eq!(cores(Pin::None), [None; 4]);
        // More threads than cores share them; without cores there is nothing to share.
        assert_eq!(Pin::Compact.core(5, 6, 2), Some(1));
        assert_eq!(Pin::Spread.core(0, 1, 0), None);
    }
}
