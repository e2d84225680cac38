//! What the integration tests share: one idea a file.
//!
//! [`panels`] makes cases for kernel rows and [`layouts`] for whole plans, with [`strides`]; both
//! from seeds. [`pages`] maps guarded memory, [`harness`] runs a case in it and compares with the
//! [`oracle`], [`fault`] turns a fault into a report, [`memcheck`] guards single bytes under
//! valgrind. [`moved`] and [`copies`] bring the two kinds of cases there; [`sweep`] enumerates the
//! panels of a row and [`ways`] the options of a plan.

// Each test binary compiles all of this and uses a part of it.
#![allow(dead_code)]

pub(crate) mod copies;
pub(crate) mod counters;
pub(crate) mod env;
pub(crate) mod fault;
pub(crate) mod harness;
pub(crate) mod layouts;
pub(crate) mod memcheck;
pub(crate) mod moved;
pub(crate) mod oracle;
pub(crate) mod pages;
pub(crate) mod panels;
pub(crate) mod random;
pub(crate) mod strides;
pub(crate) mod sweep;
pub(crate) mod ways;
