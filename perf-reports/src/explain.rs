//! `restride-perf explain`: the plan of one copy, without a copy.

use restride::{Isa, Options, Par, Plan};

use crate::case::{Call, Case, Side};
use crate::cli::Explain;
use crate::failure::Failure;

/// The words of the plan, and a line end.
///
/// # Errors
/// [`Failure::Usage`] if lengths differ, strides do not fit, an ISA is not known or not there, or
/// the destination would be written twice.
pub(crate) fn explain(asked: &Explain) -> Result<String, Failure> {
    let shape = asked.shape.0.clone();
    let too_far =
        |name: &str| Failure::Usage(format!("--{name}: bytes do not fit {} bits", isize::BITS));
    let fits = |strides: &[isize]| -> bool {
        let cell = isize::try_from(asked.cell);
        strides
            .iter()
            .all(|s| cell.is_ok_and(|cell| s.checked_mul(cell).is_some()))
    };
    let dense = || {
        let cells = shape.iter().try_fold(1_isize, |cells, &extent| {
            cells.checked_mul(isize::try_from(extent).ok()?)
        });
        cells.map(|_| Side::row_major(&shape).strides)
    };
    let dst = match &asked.dst_strides {
        Some(strides) => strides.0.clone(),
        None => dense().ok_or_else(|| too_far("shape"))?,
    };
    let src = asked.src_strides.0.clone();
    for (name, strides) in [("src-strides", &src), ("dst-strides", &dst)] {
        if !fits(strides) {
            return Err(too_far(name));
        }
    }
    let side = |strides| Side { strides, offset: 0 };
    let case = Case {
        name: "asked".into(),
        cell: asked.cell,
        src: side(src),
        dst: side(dst),
        shape,
        call: Call::Prepared,
    };
    let isa = match &asked.isa {
        Some(name) => Some(
            Isa::parse(name)
                .map_err(|unknown| Failure::Usage(format!("--isa {name}: {unknown}")))?,
        ),
        None => None,
    };
    let par = asked.threads.map_or(Par::Auto, |threads| match threads {
        1 => Par::Seq,
        n => Par::Threads(n),
    });
    let options = Options {
        par,
        isa,
        ..Options::default()
    };
    Ok(format!("{}\n", Plan::with(&case.problem()?, &options)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::List;

    fn transpose() -> Explain {
        Explain {
            shape: List(vec![4096, 4096]),
            src_strides: List(vec![1, 4096]),
            dst_strides: None,
            cell: 4,
            isa: Some("scalar".into()),
            threads: Some(1),
        }
    }

    #[test]
    fn a_transpose_is_explained_and_nonsense_refused() {
        let text = explain(&transpose()).unwrap();
        assert!(text.starts_with("kernel   transpose-4-scalar"), "{text}");
        let usage = |asked: Explain| {
            let failure = explain(&asked).unwrap_err();
            assert_eq!(failure.exit_code(), 2);
            failure.to_string()
        };
        let isa = Some("mmx".into());
        assert!(usage(Explain { isa, ..transpose() }).contains("mmx"));
        let src_strides = List(vec![1]);
        usage(Explain {
            src_strides,
            ..transpose()
        });
        let src_strides = List(vec![isize::MAX, 1]);
        usage(Explain {
            src_strides,
            ..transpose()
        });
        let shape = List(vec![usize::MAX, 2]);
        usage(Explain {
            shape,
            ..transpose()
        });
        let dst_strides = Some(List(vec![0, 1]));
        usage(Explain {
            dst_strides,
            ..transpose()
        });
    }
}
