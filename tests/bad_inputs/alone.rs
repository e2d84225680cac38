//! Rows that need a process of their own: the variable `RESTRIDE_ISA` is read once per process, and
//! a limit on memory would hit every test.

use std::process::Command;

use restride::{Array, Error, Isa, Layout, Options, Plan, Problem, View, ViewMut, copy, fill};

/// The rows here.
pub(crate) const ROWS: &[(u32, &str)] = &[
    (65, "an ISA that the machine, or its cap, does not have"),
    (66, "an ISA that does not exist"),
    (
        71,
        "memory for 2^40 bytes where there are 2^30; for 2^56 bytes anywhere",
    ),
];

/// Whether this is the process of its own; where it is not, starts that one and waits for its
/// success. `test` is the name of the calling test.
fn is_alone(test: &str, isa: &str) -> bool {
    const ALONE: &str = "RESTRIDE_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let myself = std::env::current_exe().expect("the test binary");
    let child = Command::new(myself)
        .args([test, "--exact", "--test-threads=1", "--nocapture"])
        .env(ALONE, "1")
        .env("RESTRIDE_ISA", isa)
        .output()
        .expect("the test binary runs");
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(
        said.contains("1 passed"),
        "{test}: {said}{}",
        String::from_utf8_lossy(&child.stderr)
    );
    false
}

/// The answer of every door that plans; none may write.
fn doors() -> Result<(), Error> {
    let (src, mut dst) = ([1, 2, 3, 4], [0_u32; 4]);
    let rows = View::from_slice(&src, &[2, 2])?;
    let mut columns = ViewMut::from_slice(&mut dst, &[2, 2])?.transpose();
    let problem = Problem::new::<u32>(rows.layout(), columns.layout())?;
    let answer = copy(&rows, &mut columns);
    let others = [
        rows.copy_to(&mut columns),
        fill(&mut columns, 7),
        Plan::new(&problem).map(drop),
        rows.to_array().map(drop),
        Array::filled(&[2, 2], 7).map(drop),
        rows.transpose().to_contiguous().map(drop),
        restride::Machine::host().map(drop),
    ];
    for other in others {
        assert_eq!(other, answer);
    }
    if answer.is_err() {
        assert_eq!(dst, [0; 4]);
    }
    answer
}

#[test]
fn an_isa_that_does_not_exist() {
    if is_alone("alone::an_isa_that_does_not_exist", "avx9") {
        let (arg, got) = ("RESTRIDE_ISA", "avx9".to_owned());
        let error = doors().unwrap_err();
        assert_eq!(error, Error::UnknownIsa { arg, got });
        // The message lists what is accepted.
        for isa in Isa::ALL {
            assert!(error.to_string().contains(isa.name()), "{error}");
        }
    }
    assert!(Isa::parse("avx9").is_err() && Isa::parse("AVX2").is_err() && Isa::parse("").is_err());
}

#[test]
fn an_isa_above_the_cap() {
    if is_alone("alone::an_isa_above_the_cap", "portable") {
        assert_eq!(doors(), Ok(()));
        let layout = Layout::row_major(&[4]).unwrap();
        let problem = Problem::new::<u32>(&layout, &layout).unwrap();
        for wanted in Isa::ALL {
            let options = Options {
                isa: Some(wanted),
                ..Options::default()
            };
            let (arg, available) = ("options.isa", Isa::Portable);
            let refused = Err(Error::UnsupportedIsa {
                arg,
                wanted,
                available,
            });
            let want = if wanted <= available { Ok(()) } else { refused };
            assert_eq!(Plan::with(&problem, &options).map(drop), want);
        }
    }
}

#[test]
fn an_isa_that_the_machine_does_not_have() {
    let available = Isa::detect();
    let Some(wanted) = Isa::ALL.into_iter().find(|&isa| isa > available) else {
        println!("skipped: this machine has every tier");
        return;
    };
    if is_alone(
        "alone::an_isa_that_the_machine_does_not_have",
        wanted.name(),
    ) {
        let arg = "RESTRIDE_ISA";
        assert_eq!(
            doors(),
            Err(Error::UnsupportedIsa {
                arg,
                wanted,
                available
            })
        );
    }
}

#[test]
fn memory_that_no_machine_has() {
    for shape in [
        vec![1 << 56],
        vec![1 << 28, 1 << 28],
        vec![isize::MAX as usize],
    ] {
        let bytes = shape.iter().product();
        assert_eq!(
            Array::filled(&shape, 7_u8).map(drop),
            Err(Error::AllocFailed { bytes })
        );
        let one = [7_u8];
        let wide = View::from_slice(&one, &[])
            .unwrap()
            .broadcast_to(&shape)
            .unwrap();
        assert_eq!(wide.to_array().map(drop), Err(Error::AllocFailed { bytes }));
        assert_eq!(
            wide.to_contiguous().map(drop),
            Err(Error::AllocFailed { bytes })
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_beyond_the_limit_of_the_process() {
    if is_alone("alone::memory_beyond_the_limit_of_the_process", "") {
        let limit = libc::rlimit {
            rlim_cur: 1 << 30,
            rlim_max: 1 << 30,
        };
        // SAFETY: the call reads one struct; this process is its own.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
        let (src, mut dst) = ([1_u32, 2, 3, 4], [0_u32; 4]);
        let wide = View::from_slice(&src, &[4, 1])
            .unwrap()
            .broadcast_to(&[4, 1 << 36])
            .unwrap();
        let bytes = 1 << 40;
        assert_eq!(wide.to_array().map(drop), Err(Error::AllocFailed { bytes }));
        assert_eq!(src, [1, 2, 3, 4]);
        // The engine goes on.
        let columns = &mut ViewMut::from_slice(&mut dst, &[2, 2]).unwrap().transpose();
        copy(&View::from_slice(&src, &[2, 2]).unwrap(), columns).unwrap();
        assert_eq!(dst, [1, 3, 2, 4]);
        assert_eq!(Array::filled(&[1000], 7_u8).unwrap().as_slice(), [7; 1000]);
    }
}
