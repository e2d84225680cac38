//! Drawing: a canvas over plotters' SVG backend, colours for both themes, scales and axes. Figures
//! place everything in whole pixels and measure no fonts, so that the same data give the same bytes
//! on every machine.

mod axes;
mod canvas;
mod colour;
mod scale;

pub(super) use axes::{Entry, Plot, legend, spread};
pub(super) use canvas::{Anchor, Canvas, Mark, Words, draw};
pub(super) use colour::{
    AMBER, BAND, BLUE, Colour, FAR_BAND, GREEN, GREY, GRID, INK, PURPLE, SKY, SOFT, VERMILION,
    dark_rules, of_share,
};
pub(super) use scale::{Scale, byte_ticks, decades, even_ticks};
