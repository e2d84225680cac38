//! What a caller may ask of a plan.

use restride_kernels::Isa;

use crate::machine::Facts;

/// How many threads a copy may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Par {
    /// The calling thread only.
    Seq,
    /// As many as are predicted to pay, which for small copies is one.
    #[default]
    Auto,
    /// The work is cut into this many ranges, of which the calling thread takes one. 0 counts as 1,
    /// and there are never more ranges than pieces of work. The bytes are the same for any number.
    ///
    /// While a worker of a pool waits for the other ranges it may run other jobs of that pool: do
    /// not hold a lock that such a job takes.
    Threads(usize),
}

/// Which stores write the destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stores {
    /// Streaming where the destination is too large to stay in the caches and a kernel streams.
    #[default]
    Auto,
    /// Through the caches: right if the result is read next.
    Cached,
    /// Around the caches, wherever a kernel streams. What is moved once and copied from there, where the source repeats
    /// it, goes through them once.
    Streaming,
}

/// What a caller may ask of a plan. The default lets the planner decide everything.
///
/// ```
/// use restride::{Options, Par};
///
/// let options = Options { par: Par::Seq, ..Options::default() };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// How many threads.
    pub par: Par,
    /// Which stores.
    pub stores: Stores,
    /// The highest ISA tier to use, where it is to be lower than the machine's.
    pub isa: Option<Isa>,
}

impl Options {
    /// The highest tier that is to be used on this machine.
    #[inline]
    pub(crate) fn tier(&self, facts: &Facts) -> Isa {
        self.isa.map_or(facts.isa, |cap| cap.min(facts.isa))
    }
}
