//! One pair of operations: may they change places, and if not, because of what?

#![forbid(unsafe_code)]

use core::fmt;

use super::operation::{Operation, OperationId};
use super::storage::Access;
use crate::layout::Overlap;

/// Why one operation has to wait for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HazardKind {
    /// The later one reads what the earlier one writes.
    ReadAfterWrite,
    /// The later one writes what the earlier one reads.
    WriteAfterRead,
    /// Both write.
    WriteAfterWrite,
}

impl fmt::Display for HazardKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReadAfterWrite => "read after write",
            Self::WriteAfterRead => "write after read",
            Self::WriteAfterWrite => "write after write",
        })
    }
}

/// Two views, one of the earlier operation and one of the later, that share an element which at
/// least one of them writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// Which of them writes.
    pub kind: HazardKind,
    /// Whether both are the same view. Otherwise they only overlap, which no look at names would
    /// find.
    pub explicit: bool,
    /// The earlier operation's view: its number among the views that operation reads and writes, in
    /// the order they were named.
    pub earlier: usize,
    /// The later operation's view.
    pub later: usize,
    /// An element that they share, counted from the start of the tensor. None where it could not be
    /// decided whether there is one, which counts as if there were.
    pub witness: Option<usize>,
}

/// Two operations that cannot change places.
#[derive(Clone)]
pub struct Conflict<'g> {
    /// The one that was submitted earlier.
    pub earlier: OperationId,
    /// The one that was submitted later.
    pub later: OperationId,
    /// All pairs of their views that say so; at least one.
    pub hazards: Vec<Hazard>,
    accesses: [&'g [Access]; 2],
}

impl fmt::Debug for Conflict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conflict")
            .field("earlier", &self.earlier)
            .field("later", &self.later)
            .field("hazards", &self.hazards)
            .finish()
    }
}

impl<'g> Conflict<'g> {
    /// The conflict between two operations, if there is one.
    pub(super) fn find(
        operations: &'g [Operation<'_>],
        earlier: usize,
        later: usize,
    ) -> Option<Self> {
        let accesses = [earlier, later].map(|i| operations[i].footprints.all());
        let mut hazards = Vec::new();
        for (i, first) in accesses[0].iter().enumerate() {
            for (j, second) in accesses[1].iter().enumerate() {
                hazards.extend(Hazard::between((i, first), (j, second)));
            }
        }
        (!hazards.is_empty()).then_some(Self {
            earlier: OperationId(earlier),
            later: OperationId(later),
            hazards,
            accesses,
        })
    }

    /// Whether one of the hazards is explicit: both operations name the same view.
    #[must_use]
    pub fn is_explicit(&self) -> bool {
        self.hazards.iter().any(|hazard| hazard.explicit)
    }

    /// What a hazard says, in words.
    pub fn describe(&self, hazard: &Hazard) -> impl fmt::Display + use<'g> {
        let [earlier, later] = self.accesses;
        Described {
            hazard: hazard.clone(),
            views: [&earlier[hazard.earlier], &later[hazard.later]],
        }
    }
}

struct Described<'g> {
    hazard: Hazard,
    views: [&'g Access; 2],
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Hazard {
            kind,
            explicit,
            witness,
            ..
        } = &self.hazard;
        let [earlier, later] = self.views;
        if *explicit {
            write!(f, "{kind}, explicit: {later}")?;
        } else {
            write!(f, "{kind}, implicit: {later} overlaps {earlier}")?;
        }
        match witness {
            Some(element) => write!(f, ", element {element}"),
            None => write!(f, ", not decided"),
        }
    }
}

impl Hazard {
    fn between((i, first): (usize, &Access), (j, second): (usize, &Access)) -> Option<Self> {
        let kind = match (first.writes(), second.writes()) {
            (true, false) => HazardKind::ReadAfterWrite,
            (false, true) => HazardKind::WriteAfterRead,
            (true, true) => HazardKind::WriteAfterWrite,
            (false, false) => return None,
        };
        if first.slot() != second.slot() {
            return None;
        }
        let witness = match first.span().plainly_shared(second.span()) {
            Some(shared) => Some(shared),
            None => match first.layout().overlaps(second.layout()) {
                Overlap::No => return None,
                Overlap::Undecided => None,
                Overlap::Yes { first: index, .. } => first.layout().place(&index),
            },
        };
        Some(Self {
            kind,
            explicit: first.layout() == second.layout(),
            earlier: i,
            later: j,
            witness,
        })
    }
}
