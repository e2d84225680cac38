//! The kernels of [`restride`](https://docs.rs/restride): functions that move one *panel*, a
//! rectangle of cells, between two strided layouts. No planning, no threads, no allocation.
//!
//! # The kernel contract
//!
//! A **cell** is what a kernel moves: a fixed number of bytes whose meaning the kernel does not
//! know. A [`Panel`] is `rows x cols` cells. Destination row `r` starts at an address given by
//! [`Rows`] (a stride, an offset table or a list of pointers) and its cells follow each other at
//! `dst.step` bytes. The [`Pairing`] says where cell `(r, c)` comes from:
//!
//! ```text
//! Straight   src row r, cell c          Crossed    src row c, cell r
//!
//!   src row 0  a b c d    dst row 0       src row 0  a e      dst row 0  a b c d
//!   src row 1  e f g h -> dst row 1       src row 1  b f   -> dst row 1  e f g h
//!                                         src row 2  c g
//!                                         src row 3  d h
//! ```
//!
//! Rows of the family `swap` exchange cells of one matrix, and rows of `channels` write what is in no source, so theirs
//! are contracts of their own: see [`Swap`] and [`ChannelsKernel`].
//!
//! A **kernel row** ([`Row`]) is one function that moves a whole panel with its edges, together
//! with its name, the cell it moves, the ISA it needs and a predicate that says which panels it
//! takes. Rows stand in one table per family (a folder each), best first; the scalar rows stand
//! last and take every panel of their family, so looking a row up cannot fail.
//!
//! ## Obligations of a caller
//!
//! Every row is an `unsafe fn`; these are its obligations, in the order in which every safety
//! comment of this crate answers them.
//!
//! - **Shape.** Offset tables and pointer lists have at least as many entries as the panel has
//!   rows on that side (`rows` for the destination, `rows` or `cols` for the source by pairing).
//!   A streaming row is called with a [`StreamFence`] that holds the scratch it asks for; tables at one address are the
//!   same for all panels that are moved with it.
//! - **Stride.** The row's predicate ([`Row::takes`]) is true of the panel.
//! - **Range.** Every source cell is initialised and can be read, every destination cell can be
//!   written. If the panel
//!   says [`SourceGaps::Readable`], every byte between the first and the last cell of each source
//!   row can be read as well.
//! - **Aliasing.** No two destination cells share a byte, no destination cell shares a byte with
//!   what may be read, and no other thread touches the destination cells, nor writes what may be
//!   read, while the row runs.
//! - **Alignment.** None: any address is accepted on either side.
//! - **ISA.** The row was bound with a [`Token`] of its ISA or a higher one ([`Row::bind`]).
//!
//! ## What a row promises
//!
//! It writes the destination cells and nothing else, reads the source cells and (only where gaps
//! are readable) bytes between the first and the last cell of a source row, never reads the
//! destination, and never forms a reference to either side. The bytes of a cell arrive unchanged.
//! A streaming row leaves non-temporal stores pending; they are ordered by the drop of the
//! [`StreamFence`] it is called with.

#![no_std]

#[cfg(test)]
extern crate std;

mod ahead;
mod cell;
mod cpu;
mod crossed;
mod fence;
mod fetch;
mod isa;
mod kernel;
mod panel;
#[cfg(target_arch = "x86_64")]
mod records;
mod row;
mod scalar;
mod starts;
mod table;

mod channels;
mod fill;
mod gather;
mod interleave;
mod run;
mod scatter;
mod shuffle;
mod stage;
mod strided;
mod swap;
mod transpose;

#[cfg(test)]
mod parity;

pub use channels::{Channels, ChannelsKernel, ChannelsRow, channels_rows, find_channels};
pub use cpu::{CacheSizes, Cores, cache_sizes};
pub use fence::StreamFence;
pub use isa::{Isa, Token, UnknownIsa};
pub use kernel::{Kernel, TileKernel};
pub use panel::{Pairing, Panel, Rows, Side, SourceGaps};
pub use row::{Ask, CellSize, Family, Move, Moves, Row, Tile};
pub use shuffle::{Gathered, Shuffled};
pub use stage::{Expected, Source, Stage, StageKernel, StageRow, Turns, find_stage};
pub use swap::{Square, Swap, SwapRow, find_swap, swap_rows};
pub use table::{find, rows};
pub use transpose::{has_next_band, move_tile, spreads};
