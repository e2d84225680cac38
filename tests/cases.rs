//! The cases that benches and reports measure, on every tier of this machine: the smaller ones are
//! copied and compared with the oracle, all are planned. Each is verified again before it is timed.

use restride::{Isa, Machine, Options, Par, Plan};
use restride_cases::{Call, Case, Suite, oracle, pattern};

/// Larger ones would take long without optimisation, and are verified where they are timed.
const COPIED: usize = 128 << 10;

#[test]
fn small_cases_are_right_on_every_tier() {
    let highest = Machine::host().expect("the variable is right").facts().isa;
    let prepared = |case: &Case| case.call == Call::Prepared && case.side_bytes() <= COPIED;
    let all = [Suite::All, Suite::Random].map(Suite::cases).concat();
    let cases: Vec<Case> = all.into_iter().filter(prepared).collect();
    assert!(cases.len() > 100);
    for isa in Isa::ALL {
        if isa > highest {
            println!("skipped: this machine has no {}", isa.name());
            continue;
        }
        for case in &cases {
            copied(case, isa);
        }
    }
}

fn copied(case: &Case, isa: Isa) {
    let (from, to) = (case.src_place(), case.dst_place());
    let (mut src, mut dst) = (vec![0; from.len], vec![oracle::BEFORE; to.len]);
    let mut expected = vec![0; to.len];
    pattern::fill(&mut src);
    oracle::expect(case, &mut expected);
    let options = Options {
        par: Par::Seq,
        isa: Some(isa),
        ..Options::default()
    };
    let problem = case.problem().expect("a case is a problem");
    let plan = Plan::with(&problem, &options).expect("it can be planned");
    // SAFETY: range: the buffers are as long as the places of the case say, which hold all its cells and
    // the gaps between; aliasing: they are apart, and `dst` is borrowed uniquely.
    unsafe { plan.run_raw(src.as_ptr().add(from.base), dst.as_mut_ptr().add(to.base)) };
    let wrong = oracle::first_difference(&dst, &expected);
    assert_eq!(wrong, None, "{} on {}", case.name, isa.name());
}

#[test]
fn every_case_can_be_planned() {
    for case in [Suite::All, Suite::Random].map(Suite::cases).concat() {
        let problem = case.problem().expect("a case is a problem");
        let plan = Plan::new(&problem).expect("it can be planned");
        let work = plan.recipe().work.as_ref();
        assert_eq!(
            work.map(|work| work.bytes),
            Some(case.side_bytes()),
            "{}",
            case.name
        );
    }
}
