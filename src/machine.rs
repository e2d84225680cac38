//! What the planner may know about the machine, and the machine itself.
//!
//! [`Facts`] are plain data, so that a test can write them by hand and planning stays pure.
//! [`Machine::host`] detects them once per process; it is the only place that reads the
//! environment.

use std::sync::OnceLock;

pub use restride_kernels::{CacheSizes, Cores};
use restride_kernels::{Isa, Token, cache_sizes};

use crate::error::Error;

/// The variable that lowers the ISA of every plan that does not name one.
const ISA_VARIABLE: &str = "RESTRIDE_ISA";
/// The variable that names the cores whose choices are taken.
const CORES_VARIABLE: &str = "RESTRIDE_CORES";

/// What planning depends on beside the problem and the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The highest tier a plan may use.
    pub isa: Isa,
    /// Whose cores these are: what was measured on them decides.
    pub cores: Cores,
    /// Bytes of the caches and of a line.
    pub caches: CacheSizes,
    /// Threads that can run at the same time.
    pub workers: usize,
    /// What things cost.
    pub costs: Costs,
}

#[cfg(test)]
impl Facts {
    /// Those of one core of a server, for tests of what is decided.
    pub(crate) fn of_a_server(isa: Isa) -> Self {
        let caches = CacheSizes {
            line: 64,
            l1: 32 << 10,
            l2: 1 << 20,
            l3: 32 << 20,
        };
        Self {
            isa,
            cores: Cores::Zen4,
            caches,
            workers: 1,
            costs: Costs::default(),
        }
    }
}

/// What the choice between one thread and several weighs. The defaults were measured on a 2-core server
/// VM, copies and transpositions of 0.1 to 8 MiB on one thread and on two; `restride-perf calibrate`
/// measures them anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// Nanoseconds of a parallel section entered from inside the pool, or while its workers are still
    /// awake: 9 to 19 us.
    pub warm_section_ns: u64,
    /// Nanoseconds of a parallel section entered from outside, workers asleep: 48 us to wake one and hear
    /// back from it without work, 65 to 150 us more than half the time of one thread with copies.
    pub cold_section_ns: u64,
    /// Bytes, read and written together, that one thread moves in a microsecond out of the caches: 20 to
    /// 32 thousand.
    pub bytes_per_us: u64,
}

impl Default for Costs {
    fn default() -> Self {
        Self {
            warm_section_ns: 10_000,
            cold_section_ns: 100_000,
            bytes_per_us: 25_000,
        }
    }
}

/// The machine this process runs on: its facts, and the proof of its ISA that binds plans to
/// kernels.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    facts: Facts,
    token: Token,
}

impl Machine {
    /// The machine of this process, detected at the first call.
    ///
    /// The variable `RESTRIDE_ISA` (scalar, portable, avx2, avx512 or avx512vbmi) lowers the tier
    /// that plans use. The variable `RESTRIDE_CORES` (zen3, zen4, zen5 or others) has plans and kernels choose as they
    /// do on such cores, which changes speed and no byte: for tests, and for cores that are taken for
    /// what they are not. Both are read once.
    ///
    /// # Errors
    /// [`Error::UnknownIsa`] or [`Error::UnsupportedIsa`] if the first variable names a tier that does
    /// not exist or that this machine does not have, [`Error::UnknownCores`] if the second one names
    /// cores that do not exist. Every call then gives the same error.
    #[inline(always)] // once in every small copy
    pub fn host() -> Result<&'static Self, Error> {
        static HOST: OnceLock<Result<Machine, Error>> = OnceLock::new();
        if let Some(Ok(machine)) = HOST.get() {
            return Ok(machine);
        }
        Self::first(&HOST)
    }

    /// [`Machine::host`] where it is not detected yet, or cannot be had.
    #[cold]
    fn first(host: &'static OnceLock<Result<Self, Error>>) -> Result<&'static Self, Error> {
        let detect = || {
            settle_cores(std::env::var_os(CORES_VARIABLE))?;
            Self::detect(std::env::var_os(ISA_VARIABLE))
        };
        host.get_or_init(detect).as_ref().map_err(Error::clone)
    }

    fn detect(cap: Option<std::ffi::OsString>) -> Result<Self, Error> {
        let token = Token::best();
        let mut isa = token.isa();
        if let Some(cap) = cap.filter(|cap| !cap.is_empty()) {
            let name = cap.to_string_lossy();
            let wanted = Isa::parse(&name).map_err(|_| Error::UnknownIsa {
                arg: ISA_VARIABLE,
                got: name.into_owned(),
            })?;
            isa = lowered(isa, wanted, ISA_VARIABLE)?;
        }
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let facts = Facts {
            isa,
            cores: Cores::here(),
            caches: cache_sizes(),
            workers,
            costs: Costs::default(),
        };
        Ok(Self { facts, token })
    }

    /// What the planner may know.
    #[must_use]
    #[inline]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The proof that binds kernels.
    #[inline]
    pub(crate) fn token(&self) -> Token {
        self.token
    }
}

#[cfg(test)]
impl Machine {
    /// This one with other caches, for tests of what is done: what is decided for them is carried out here.
    pub(crate) fn with_caches(&self, caches: CacheSizes) -> Self {
        let facts = Facts {
            caches,
            ..self.facts
        };
        Self { facts, ..*self }
    }
}

/// Has kernels choose as on these cores, if any are named.
fn settle_cores(name: Option<std::ffi::OsString>) -> Result<(), Error> {
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        let name = name.to_string_lossy();
        let cores = Cores::parse(&name).ok_or_else(|| Error::UnknownCores {
            arg: CORES_VARIABLE,
            got: name.into_owned(),
        })?;
        let _ = cores.settled();
    }
    Ok(())
}

/// `wanted`, if `available` includes it: a cap only ever lowers.
pub(crate) fn lowered(available: Isa, wanted: Isa, arg: &'static str) -> Result<Isa, Error> {
    if wanted > available {
        return Err(Error::UnsupportedIsa {
            arg,
            wanted,
            available,
        });
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_lowers_and_refuses_what_it_does_not_know() {
        let plain = Machine::detect(None).unwrap();
        let capped = Machine::detect(Some("scalar".into())).unwrap();
        assert_eq!(
            capped.facts,
            Facts {
                isa: Isa::Scalar,
                ..plain.facts
            }
        );
        assert_eq!(Machine::detect(Some("".into())).unwrap().facts, plain.facts);
        let error = Machine::detect(Some("avx9".into())).unwrap_err();
        assert_eq!(
            error,
            Error::UnknownIsa {
                arg: "RESTRIDE_ISA",
                got: "avx9".into()
            }
        );
    }

    #[test]
    fn cores_that_do_not_exist_are_refused() {
        assert_eq!(settle_cores(None), Ok(()));
        assert_eq!(settle_cores(Some("".into())), Ok(()));
        let error = settle_cores(Some("zen".into())).unwrap_err();
        let (arg, got) = ("RESTRIDE_CORES", "zen".to_owned());
        assert_eq!(error, Error::UnknownCores { arg, got });
        assert!(error.to_string().contains("zen3, zen4, zen5"));
    }

    #[test]
    fn a_cap_above_the_machine_is_refused() {
        assert_eq!(lowered(Isa::Avx512, Isa::Avx2, "isa"), Ok(Isa::Avx2));
        let (wanted, available) = (Isa::Avx512, Isa::Avx2);
        let refused = Error::UnsupportedIsa {
            arg: "isa",
            wanted,
            available,
        };
        assert_eq!(lowered(Isa::Avx2, Isa::Avx512, "isa"), Err(refused));
    }
}
