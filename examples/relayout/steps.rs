//! The steps between IN and OUT: each turns a layout into another one over the same bytes.

use restride::{Layout, Slice};

use crate::Result;
use crate::cli::Cli;
use crate::notation::{Entry, from_the_end};

/// Applies what was asked for, in the order that `--help` promises.
pub(crate) fn apply(mut layout: Layout, cli: &Cli) -> Result<Layout> {
    if let Some(axes) = &cli.permute {
        layout = permute(&layout, &axes.0).map_err(|e| format!("--permute: {e}"))?;
    }
    if let Some(index) = &cli.slice {
        layout = slice(&layout, &index.0).map_err(|e| format!("--slice: {e}"))?;
    }
    if let Some(axes) = &cli.flip {
        layout = flip(&layout, &axes.0).map_err(|e| format!("--flip: {e}"))?;
    }
    Ok(layout)
}

/// Axis `i` of the result is axis `axes[i]` of `layout`.
fn permute(layout: &Layout, axes: &[isize]) -> Result<Layout> {
    let rank = layout.rank();
    if axes.len() != rank {
        return Err(format!("the array has {rank} axes, {} are given", axes.len()).into());
    }
    Ok(layout.permute(&distinct(axes, rank)?)?)
}

/// Reverses `axes`.
fn flip(layout: &Layout, axes: &[isize]) -> Result<Layout> {
    let mut layout = layout.clone();
    for axis in distinct(axes, layout.rank())? {
        layout = layout.flip(axis)?;
    }
    Ok(layout)
}

/// NumPy's basic indexing: one entry for each axis; `...`, or the end, stands for axes left out.
fn slice(layout: &Layout, index: &[Entry]) -> Result<Layout> {
    let rank = layout.rank();
    let ellipses = index
        .iter()
        .filter(|&&entry| entry == Entry::Ellipsis)
        .count();
    if ellipses > 1 {
        return Err("`...` may stand only once".into());
    }
    let named = index.len() - ellipses;
    if named > rank {
        return Err(format!("the array has {rank} axes, {named} are indexed").into());
    }

    let before = index
        .iter()
        .take_while(|&&entry| entry != Entry::Ellipsis)
        .count();
    let left_out = std::iter::repeat_n(Entry::ALL, rank - named);
    let mut entries = index[..before].to_vec();
    entries.extend(left_out);
    entries.extend_from_slice(&index[(before + ellipses)..]);

    let mut slices: Vec<Slice> = Vec::with_capacity(rank);
    for (axis, (entry, &extent)) in entries.iter().zip(layout.shape()).enumerate() {
        slices.push(
            entry
                .resolve(extent)
                .map_err(|e| format!("axis {axis}: {e}"))?,
        );
    }
    let mut layout = layout.slice(&slices)?;
    // An integer left one element of its axis. Backwards, so that the other axes keep their number.
    for axis in (0..rank).rev() {
        if matches!(entries[axis], Entry::Index(_)) {
            layout = layout.index_axis(axis, 0)?;
        }
    }
    Ok(layout)
}

/// The axes as numbers from 0, each in range and none twice; negative ones count from the end.
fn distinct(axes: &[isize], rank: usize) -> Result<Vec<usize>> {
    let mut distinct = Vec::with_capacity(axes.len());
    for &axis in axes {
        let found = from_the_end(axis, rank)
            .ok_or_else(|| format!("axis {axis} is out of range for {rank} axes"))?
            as usize;
        if distinct.contains(&found) {
            return Err(format!("axis {axis} is named twice").into());
        }
        distinct.push(found);
    }
    Ok(distinct)
}
