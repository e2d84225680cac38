//! NumPy's slice notation, and its translation to `restride::Slice`.
//!
//! The two mean different things by a slice. NumPy clamps what is out of range, and with a negative
//! step `start` is where the walk begins and `stop` where it ends: `8:1:-2` visits 8, 6, 4, 2.
//! restride cuts a range out first, refuses what is out of range, and a negative step walks that
//! range backwards from its last element: the same walk is `2..9` by -2. So a slice becomes the list
//! of indices it visits (first, count, step), and that list becomes the range that covers it.

use std::str::FromStr;

use restride::Slice;

/// One entry of an index, between two commas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// `start:stop:step`, each of them optional.
    Range {
        start: Option<isize>,
        stop: Option<isize>,
        step: isize,
    },
    /// `7`: this index alone; the axis goes.
    Index(isize),
    /// `...`: every axis the other entries leave over.
    Ellipsis,
}

impl Entry {
    /// `:`, the whole axis.
    pub(crate) const ALL: Entry = Entry::Range {
        start: None,
        stop: None,
        step: 1,
    };

    /// The slice of an axis of `extent` elements that restride calls by another name.
    pub(crate) fn resolve(self, extent: usize) -> Result<Slice, String> {
        match self {
            Entry::Ellipsis => Ok(Slice::new(None, None, 1)),
            Entry::Index(index) => {
                let at = from_the_end(index, extent).ok_or_else(|| {
                    format!("index {index} is out of range for {extent} elements")
                })?;
                Ok(Slice::new(Some(at), Some(at + 1), 1))
            }
            Entry::Range { start, stop, step } => Ok(walk(start, stop, step, extent as isize)),
        }
    }
}

/// `index` counted from the start, if it is in range; a negative one counts from the end.
pub(crate) fn from_the_end(index: isize, extent: usize) -> Option<isize> {
    let extent = extent as isize;
    let at = if index < 0 { index + extent } else { index };
    (0..extent).contains(&at).then_some(at)
}

/// The indices Python's `slice(start, stop, step)` visits on `extent` elements.
fn walk(start: Option<isize>, stop: Option<isize>, step: isize, extent: isize) -> Slice {
    // A walk stays between `low` and `high`; backwards it may stop one before the first element.
    let (low, high) = if step > 0 {
        (0, extent)
    } else {
        (-1, extent - 1)
    };
    let clamp = |bound: isize| {
        let from_start = if bound < 0 {
            bound.saturating_add(extent)
        } else {
            bound
        };
        from_start.clamp(low, high)
    };
    let (begin, end) = if step > 0 { (low, high) } else { (high, low) };
    let first = start.map_or(begin, clamp);
    let end = stop.map_or(end, clamp);

    let distance = if step > 0 { end - first } else { first - end };
    if distance <= 0 {
        return Slice::new(Some(0), Some(0), 1);
    }
    let steps = (distance as usize - 1) / step.unsigned_abs(); // from the first to the last element
    if steps == 0 {
        return Slice::new(Some(first), Some(first + 1), 1); // the step, maybe huge, is never taken
    }
    let last = first + steps as isize * step;
    Slice::new(Some(first.min(last)), Some(first.max(last) + 1), step)
}

impl FromStr for Entry {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "..." {
            return Ok(Entry::Ellipsis);
        }
        let parts: Vec<Option<isize>> = text
            .split(':')
            .map(|part| number(part.trim()))
            .collect::<Result<_, _>>()?;
        match parts[..] {
            [Some(index)] => Ok(Entry::Index(index)),
            [None] => Err("expected an integer, a slice start:stop:step or `...`".into()),
            [_, _, Some(0)] => Err("a step of 0 gets nowhere".into()),
            [start, stop] => Ok(Entry::Range {
                start,
                stop,
                step: 1,
            }),
            [start, stop, step] => Ok(Entry::Range {
                start,
                stop,
                step: step.unwrap_or(1),
            }),
            _ => Err("a slice has at most three parts, start:stop:step".into()),
        }
    }
}

/// An integer, or nothing. One too large for any array is as good as the largest.
fn number(text: &str) -> Result<Option<isize>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let value: i128 = text
        .parse()
        .map_err(|_| "expected an integer, a slice start:stop:step or `...`")?;
    Ok(Some(
        value.clamp(-(isize::MAX as i128), isize::MAX as i128) as isize
    ))
}
