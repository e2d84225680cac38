//! A plan: a recipe bound to the kernel of this machine.

use restride_kernels::{Isa, Kernel, Row, StageKernel, Token};

use super::direct::Direct;
use super::options::Options;
use super::problem::Problem;
use super::recipe::{Recipe, Work};
use super::repeat::{Repeat, Uses};
use crate::error::Error;
use crate::machine::{Machine, lowered};

/// A copy that is ready to run: any number of times, from any number of threads, on any buffers of
/// its layouts with any alignment.
///
/// Its [`Display`](std::fmt::Display) explains it: normal form, kernel, panel, loops, stores,
/// threads, and what bounds its speed.
///
/// ```
/// use restride::{Layout, Plan, Problem, View, ViewMut};
///
/// let (rows, columns) = (Layout::row_major(&[3, 4])?, Layout::column_major(&[3, 4])?);
/// let plan = Plan::new(&Problem::new::<f32>(&rows, &columns)?)?;
/// for step in 0..10 {
///     let src = [step as f32; 12];
///     let mut dst = [0.0; 12];
///     plan.run(
///         &View::with_layout(&src, rows.clone())?,
///         &mut ViewMut::with_layout(&mut dst, columns.clone())?,
///     )?;
///     assert_eq!(dst, src);
/// }
/// # Ok::<(), restride::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    direct: Direct,
    recipe: Recipe,
    /// There are some exactly where the recipe has work.
    kernels: Option<Kernels>,
    /// As many as the recipe has.
    repeats: Vec<Repeat<Self>>,
}

/// The kernels of a plan, bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernels {
    /// The one that the recipe names.
    pub(crate) chosen: Kernel,
    /// The one that stands in where no scratch can be had; it wants none.
    pub(crate) cached: Kernel,
    /// The one that streams blocks, in a batch.
    pub(crate) stage: Option<StageKernel>,
    /// Whether one thread does it all with the chosen one, which makes no streaming stores, and nothing is
    /// done between panels.
    pub(crate) simple: bool,
}

impl Plan {
    /// Plans `problem` for this machine with the default options.
    ///
    /// # Errors
    /// As [`Plan::with`].
    pub fn new(problem: &Problem) -> Result<Self, Error> {
        Self::with(problem, &Options::default())
    }

    /// Plans `problem` for this machine.
    ///
    /// # Errors
    /// [`Error::UnsupportedIsa`] if the options ask for an ISA that this machine, or the variable
    /// `RESTRIDE_ISA`, does not allow; and the errors of [`Machine::host`].
    pub fn with(problem: &Problem, options: &Options) -> Result<Self, Error> {
        Self::for_uses(problem, options, Uses::Many)
    }

    /// The same for a copy that is carried out once, just after it was planned.
    pub(crate) fn once(problem: &Problem, options: &Options) -> Result<Self, Error> {
        Self::for_uses(problem, options, Uses::Once)
    }

    #[inline]
    fn for_uses(problem: &Problem, options: &Options, uses: Uses) -> Result<Self, Error> {
        let machine = Machine::host()?;
        let facts = machine.facts();
        if let Some(wanted) = options.isa {
            lowered(facts.isa, wanted, "options.isa")?;
        }
        Self::made(problem, options, machine, uses)
    }

    /// Filled in place, so that it moves once, when it is returned: to move 700 bytes just after they were
    /// written is a third of planning.
    pub(crate) fn made(
        problem: &Problem,
        options: &Options,
        machine: &Machine,
        uses: Uses,
    ) -> Result<Self, Error> {
        let mut made = Ok(Self {
            direct: Direct::No,
            recipe: Recipe::blank(problem),
            kernels: None,
            repeats: Vec::new(),
        });
        if let Ok(Self {
            direct,
            recipe,
            kernels,
            repeats,
        }) = &mut made
        {
            let facts = machine.facts();
            let isa = options.tier(facts);
            recipe.decide(problem, options, facts, uses);
            if let Some(work) = &recipe.work {
                match Kernels::of(work, machine) {
                    Ok(bound) => {
                        if recipe.repeats.is_empty() {
                            *direct = Direct::of(problem, work, &bound, isa);
                        }
                        for repeat in &recipe.repeats {
                            repeats.push(repeat.try_map(|recipe| Self::of(recipe, isa, machine))?);
                        }
                        *kernels = Some(bound);
                    }
                    Err(error) => made = Err(error),
                }
            }
        }
        made
    }

    /// Binds a recipe that repeats nothing.
    fn of(recipe: &Recipe, isa: Isa, machine: &Machine) -> Result<Self, Error> {
        let work = recipe.work.as_ref();
        let kernels = work.map(|work| Kernels::of(work, machine)).transpose()?;
        let direct = match work.zip(kernels.as_ref()) {
            Some((work, kernels)) => Direct::of(&recipe.problem, work, kernels, isa),
            None => Direct::No,
        };
        Ok(Self {
            direct,
            recipe: recipe.clone(),
            kernels,
            repeats: Vec::new(),
        })
    }

    /// What is moved once and copied from there, if anything is.
    #[inline]
    pub(crate) fn repeats(&self) -> &[Repeat<Self>] {
        &self.repeats
    }

    /// The problem this was made for.
    #[must_use]
    #[inline]
    pub fn problem(&self) -> &Problem {
        &self.recipe.problem
    }

    /// What was decided.
    #[must_use]
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// What running this is, where it is one call.
    #[inline]
    pub(crate) fn direct(&self) -> &Direct {
        &self.direct
    }

    /// What there is to do and the kernels that do it, `None` if there is nothing to move.
    #[inline]
    pub(crate) fn bound(&self) -> Option<(&Work, &Kernels)> {
        self.recipe.work.as_ref().zip(self.kernels.as_ref())
    }
}

impl Kernels {
    /// The kernels that `work` names.
    #[inline]
    pub(crate) fn of(work: &Work, machine: &Machine) -> Result<Self, Error> {
        let token = machine.token();
        let stage = match &work.batch {
            Some(batch) => {
                let stage = batch.row.bind(token);
                Some(stage.ok_or_else(|| lacking(batch.row.isa, token))?)
            }
            None => None,
        };
        let one = !work.row.streams() && work.threads.most() == 1;
        Ok(Self {
            chosen: bound(work.row, machine)?,
            cached: bound(work.cached_row, machine)?,
            stage,
            simple: one && !work.fetches && work.batch.is_none(),
        })
    }
}

/// A row that was chosen, bound.
#[inline]
pub(crate) fn bound(row: &'static Row, machine: &Machine) -> Result<Kernel, Error> {
    let token = machine.token();
    row.bind(token).ok_or_else(|| lacking(row.isa, token))
}

/// The error of a recipe that names what needs more than this machine has.
#[cold]
fn lacking(wanted: Isa, token: Token) -> Error {
    Error::UnsupportedIsa {
        arg: "recipe",
        wanted,
        available: token.isa(),
    }
}
