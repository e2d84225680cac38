//! `relayout IN OUT`: permutes, slices, flips and reorders the array of a `.npy` file.
//!
//! The example shows restride from the side of an embedder who has bytes, a shape and strides, but
//! no Rust element type: the elements of a `.npy` file may be anything of a fixed size.
//!
//! ```text
//! npy.rs       IN  -> element type, layout, payload        (the crate npyz reads the header)
//! steps.rs     --permute, --slice, --flip -> a new layout  (views: no byte moves)
//! main.rs      layout -> Problem -> Plan -> the one copy
//! npy.rs       payload -> a temporary file beside OUT -> OUT
//! ```
//!
//! `cli.rs` holds the options, `notation.rs` NumPy's slice notation, `guard.rs` what a header must
//! look like before anyone parses it.

mod cli;
mod guard;
mod notation;
mod npy;
mod steps;

use std::error::Error;
use std::io::{Write, stdout};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use restride::{Layout, Plan, Problem, SourceGaps};

use cli::{Cli, Order};
use npy::Source;

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) if !answer.use_stderr() => answer.exit(), // --help, --version
        Err(usage) => {
            // clap explains at length; its first paragraph is the error.
            let text = usage.to_string();
            let what = text.split("\n\n").next().unwrap_or_default();
            complain(what.trim_start_matches("error: "));
            return ExitCode::from(2);
        }
    };
    match relayout(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Reads IN, applies the steps, copies once, writes OUT, reports.
fn relayout(cli: &Cli) -> Result<()> {
    let source = npy::read(&cli.input)?;
    let view = steps::apply(source.layout.clone(), cli)?;
    let dense = match cli.order {
        Order::C => Layout::row_major(view.shape())?,
        Order::F => Layout::column_major(view.shape())?,
    };
    let copied = copy(&source, &view, &dense)?;
    npy::write(
        &cli.output,
        &source.dtype,
        view.shape(),
        cli.order,
        &copied.payload,
    )?;

    let moved = 2 * copied.payload.len();
    let seconds = copied.time.as_secs_f64();
    let speed = if moved == 0 {
        0.0
    } else {
        moved as f64 / seconds.max(1e-9) / 1e9
    };
    let mut report = format!(
        "{:?} -> {:?}, dtype {}, order {}: {moved} bytes read + written in {:.3} ms, {speed:.2} GB/s\n",
        source.layout.shape(),
        view.shape(),
        source.dtype.descr(),
        cli.order,
        seconds * 1e3,
    );
    if cli.explain {
        report.insert_str(0, &format!("{}\n", copied.plan));
    }
    let mut out = stdout();
    out.write_all(report.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|e| {
            format!(
                "{} is written, its report is not: {e}",
                cli.output.display()
            )
            .into()
        })
}

/// What one copy left behind.
struct Copied {
    payload: Vec<u8>,
    plan: Plan,
    /// Of the copy alone. The system hands out the memory of `payload` page by page meanwhile, as it
    /// does for every fresh result.
    time: Duration,
}

/// Copies the elements of `view`, a layout over `source`, to where `dense` puts them.
fn copy(source: &Source, view: &Layout, dense: &Layout) -> Result<Copied> {
    let size = source.item_bytes;
    // No one else writes to the payload: kernels may load whole lines of it.
    let problem = Problem::from_layouts(size, view, dense)?.with_source_gaps(SourceGaps::Readable);
    let plan = Plan::new(&problem)?;

    let bytes = dense.len() * size;
    let mut payload = npy::buffer(bytes)?;
    // Of the whole payload: after a flip, elements lie before the first one.
    let first = source.payload.as_ptr().wrapping_add(view.offset() * size);
    let start = Instant::now();
    // SAFETY:
    // - Shape, stride: the plan was made from this very shape and these strides.
    // - Range, source: `view` comes from the layout of the whole array by checked operations, so
    //   all it reaches lies inside the array, and so do the gaps between; `npy::read` returns a
    //   payload as long as the array.
    // - Range, destination: `dense` is contiguous from offset 0 and holds `bytes` bytes, which
    //   `npy::buffer` has reserved.
    // - Aliasing: `payload` is a fresh allocation that nothing else knows yet, and nothing writes
    //   to the source.
    // - Alignment: none is asked for.
    unsafe { plan.run_raw(first, payload.as_mut_ptr()) };
    let time = start.elapsed();
    // SAFETY: the capacity is at least `bytes`, and the copy wrote every one of them, because the
    // elements of `dense` lie without gaps.
    unsafe { payload.set_len(bytes) };
    Ok(Copied {
        payload,
        plan,
        time,
    })
}

/// One line on stderr, whatever stands in the message.
fn complain(message: &str) {
    let visible = message.replace(|c: char| c.is_control(), " ");
    let words: Vec<&str> = visible.split_whitespace().collect();
    eprintln!("relayout: {}", words.join(" "));
}
