//! The command line: what can be asked for. Whether an array has the axes asked for is decided in
//! `steps.rs`, when its shape is known.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Parser, ValueEnum};

use crate::notation::Entry;

/// Permutes, slices, flips and reorders the array of a .npy file, in one copy.
///
/// The steps are applied in the order permute, slice, flip, order, whatever their order on the
/// command line. Elements pass byte for byte: any dtype of a fixed size will do. OUT appears
/// complete or not at all, and may be IN.
#[derive(Parser)]
#[command(name = "relayout", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// The .npy file to read
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,

    /// The .npy file to write
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,

    /// New order of the axes, as in numpy.transpose: 2,0,1
    #[arg(long, value_name = "AXES", allow_hyphen_values = true)]
    pub(crate) permute: Option<List<isize>>,

    /// Index in NumPy's notation and with NumPy's meaning: '0:10,::-1,1:8:2' or '...,0'
    #[arg(long, value_name = "INDEX", allow_hyphen_values = true)]
    pub(crate) slice: Option<List<Entry>>,

    /// Axes to reverse, as in numpy.flip: 0,2
    #[arg(long, value_name = "AXES", allow_hyphen_values = true)]
    pub(crate) flip: Option<List<isize>>,

    /// Order of the elements in OUT: C (last axis fastest) or F (first axis fastest)
    #[arg(long, value_enum, ignore_case = true, default_value_t = Order::C)]
    pub(crate) order: Order,

    /// Print the plan of the copy
    #[arg(long)]
    pub(crate) explain: bool,
}

const EXAMPLES: &str = "\
Examples:
  relayout photo.npy planes.npy --permute 2,0,1          height x width x RGB -> three planes
  relayout photo.npy mirror.npy --flip 1                 left and right exchanged
  relayout photo.npy thumb.npy  --slice '::8,::8'        every eighth pixel of every eighth row
  relayout video.npy last.npy   --slice '-1,...,0'       last frame, first channel
  relayout a.npy a.npy          --order F                the same array, stored column-major";

/// The order of the elements in a file.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "UPPER")]
pub(crate) enum Order {
    /// The last axis varies fastest
    C,
    /// The first axis varies fastest
    F,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::C => "C",
            Order::F => "F",
        })
    }
}

/// Values between commas. As in Python, one comma may follow the last value.
#[derive(Clone)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

impl<T: FromStr<Err: fmt::Display>> FromStr for List<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(List(Vec::new()));
        }
        let values = text.strip_suffix(',').unwrap_or(text).split(',');
        let parse = |value: &str| value.trim().parse().map_err(|e| format!("`{value}`: {e}"));
        values.map(parse).collect::<Result<_, _>>().map(List)
    }
}
