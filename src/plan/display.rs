//! The words of a plan. They are stable: tests hold whole texts, and people read them in review.

use std::fmt;

use restride_kernels::{Pairing, SourceGaps};

use super::bind::Plan;
use super::direct::Direct;
use super::problem::Dim;
use super::recipe::{Recipe, RowPlan, SidePlan, SplitAxis, Stored};
use super::repeat::Repeat;
use super::traffic::Traffic;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.recipe().fmt(f)?;
        match self.direct() {
            Direct::Cells(few) => write!(f, "\nfew      {}, without the kernel", few.way),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(work), Some(normal), Some(traffic)) = (&self.work, self.normal(), self.traffic())
        else {
            return f.write_str("nothing to move");
        };
        if !self.repeats.is_empty() {
            write!(f, "normal   cells of {} B", normal.cell)?;
            list(f, normal.dims.iter())?;
            let mut between = "";
            for repeat in &self.repeats {
                f.write_str(between)?;
                pieces(f, repeat)?;
                between = "\n";
            }
            return Ok(());
        }
        let (panel, split) = (&work.panel, &work.split);
        writeln!(f, "kernel   {}", work.kernel())?;
        write!(f, "normal   cells of {} B", normal.cell)?;
        list(f, normal.dims.iter())?;
        if let Some(dim) = normal.listed {
            writeln!(
                f,
                "         {} x (source a list, dest {:+})",
                dim.extent, dim.dst
            )?;
        }
        if let Some(dim) = normal.listed_dst {
            writeln!(
                f,
                "         {} x (source {:+}, dest a list)",
                dim.extent, dim.src
            )?;
        }
        let pairing = match panel.pairing {
            Pairing::Straight => "straight",
            Pairing::Crossed => "crossed",
        };
        writeln!(
            f,
            "panel    {} x {} cells of {} B, {pairing}, tile {}x{}",
            panel.rows,
            panel.cols,
            panel.cell,
            work.tile().rows,
            work.tile().cols
        )?;
        side(f, "source", &panel.src)?;
        side(f, "dest", &panel.dst)?;
        write!(
            f,
            "loops    {}",
            if work.loops.is_empty() {
                "none"
            } else {
                "outermost first"
            }
        )?;
        if work.fetches {
            write!(f, ", the next panel fetched before each")?;
        }
        list(f, work.loops.iter())?;
        if let Some(batch) = &work.batch {
            let (bytes, stage) = (batch.bytes, batch.stage());
            let blocks = if batch.of_rows { "rows" } else { "blocks" };
            write!(f, "batch    {blocks} of {bytes} B, ")?;
            match batch.together {
                1 => write!(f, "one")?,
                n => write!(f, "{n} (source {:+})", batch.along.src)?,
            }
            write!(f, " for each position of ")?;
            match batch.outer {
                1 => write!(f, "the first loop")?,
                n => write!(f, "the first {n} loops")?,
            }
            if let Some(few) = &batch.few {
                write!(f, ", {}, without the kernel", few.way)?;
            }
            writeln!(f, ", streamed by {stage}")?;
        }
        let stores = match work.stores() {
            Stored::Cached => "cached",
            Stored::Streaming => "streaming",
        };
        let gaps = match self.problem.source_gaps() {
            SourceGaps::Forbidden => "never read",
            SourceGaps::Readable => "readable",
        };
        writeln!(f, "stores   {stores}; source gaps {gaps}")?;
        let axis = match split.axis {
            SplitAxis::Rows => "rows",
            SplitAxis::Cols => "cells",
        };
        write!(f, "threads  {}", work.threads.cold)?;
        if work.threads.warm != work.threads.cold {
            write!(f, " ({} from inside the pool)", work.threads.warm)?;
        }
        writeln!(f, "; {} tasks of {} {axis}", split.tasks, split.unit)?;
        let Traffic {
            source,
            dest,
            level,
        } = traffic;
        writeln!(
            f,
            "moves    {} B; of each line {:.0} % used in the source, {:.0} % in the destination",
            work.bytes,
            100.0 * source.line_use,
            100.0 * dest.line_use
        )?;
        let (lines, line) = (source.lines + dest.lines, work.caches.line);
        write!(f, "bound    {}: {lines} lines of {line} B", level)
    }
}

/// Pieces that are moved once and copied from there.
fn pieces(f: &mut fmt::Formatter<'_>, repeat: &Repeat) -> fmt::Result {
    let threads = match repeat.threads.warm {
        1 => String::new(),
        _ => format!(", among {} threads", repeat.threads.warm),
    };
    write!(
        f,
        "pieces   {}{threads}, moved once and copied from there",
        repeat.count()
    )?;
    list(f, repeat.pieces.iter())?;
    write!(f, "once")?;
    indented(f, &repeat.once)?;
    for (shift, again) in &repeat.again {
        write!(f, "\nagain    {shift:+}")?;
        indented(f, again)?;
    }
    Ok(())
}

fn indented(f: &mut fmt::Formatter<'_>, recipe: &Recipe) -> fmt::Result {
    let text = recipe.to_string();
    text.lines().try_for_each(|line| write!(f, "\n  {line}"))
}

fn list<'a>(f: &mut fmt::Formatter<'_>, dims: impl Iterator<Item = &'a Dim>) -> fmt::Result {
    for dim in dims {
        write!(
            f,
            "\n         {} x (source {:+}, dest {:+})",
            dim.extent, dim.src, dim.dst
        )?;
    }
    writeln!(f)
}

fn side(f: &mut fmt::Formatter<'_>, name: &str, side: &SidePlan) -> fmt::Result {
    write!(f, "  {name:<6} ")?;
    match &side.rows {
        RowPlan::Stride(stride) => write!(f, "rows every {stride:+}")?,
        RowPlan::Listed => write!(f, "rows at the pointers of a list")?,
        RowPlan::Nested(nest) => {
            let mut between = "rows";
            for (extent, stride) in nest.extents().into_iter().zip(nest.strides()) {
                if extent == 1 {
                    break;
                }
                write!(f, "{between} {extent} x {stride:+}")?;
                between = ",";
            }
        }
        RowPlan::Offsets(table) => write!(f, "rows at {} offsets of a table", table.len())?,
    }
    write!(f, ", cells every {:+}", side.step)?;
    if side.shift != 0 {
        write!(f, ", from {:+}", side.shift)?;
    }
    writeln!(f)
}
