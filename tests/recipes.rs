//! Recipes as printed, for named cases and a machine written by hand. A difference is read like
//! prose in review, then accepted with `RESTRIDE_BLESS=1 cargo test --test recipes`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use restride::{
    CacheSizes, Cores, Costs, Facts, Isa, Layout, Options, Par, Problem, Recipe, Slice, SourceGaps,
    Stores,
};

/// A small server: the texts do not depend on where the tests run.
const FACTS: Facts = Facts {
    cores: Cores::Zen4,
    isa: Isa::Portable,
    caches: CacheSizes {
        line: 64,
        l1: 48 << 10,
        l2: 2 << 20,
        l3: 32 << 20,
    },
    workers: 4,
    costs: Costs {
        warm_section_ns: 10_000,
        cold_section_ns: 100_000,
        bytes_per_us: 25_000,
    },
};

const SEQ: Options = Options {
    par: Par::Seq,
    stores: Stores::Auto,
    isa: None,
};

struct Case {
    name: &'static str,
    problem: Problem,
    options: Options,
    facts: Facts,
}

fn case(name: &'static str, problem: Problem) -> Case {
    // Kernels are found by cores as well.
    assert_eq!(FACTS.cores.settled(), FACTS.cores);
    Case {
        name,
        problem,
        options: SEQ,
        facts: FACTS,
    }
}

/// A row-major source of `shape`, permuted, into a row-major destination.
fn permuted(cell: usize, shape: &[usize], perm: &[usize]) -> Problem {
    let src = Layout::row_major(shape).unwrap().permute(perm).unwrap();
    let dst = Layout::row_major(src.shape()).unwrap();
    between(cell, &src, &dst)
}

fn between(cell: usize, src: &Layout, dst: &Layout) -> Problem {
    Problem::from_layouts(cell, src, dst).unwrap()
}

fn row_major(shape: &[usize]) -> Layout {
    Layout::row_major(shape).unwrap()
}

fn strided(shape: &[usize], strides: &[isize], offset: usize) -> Layout {
    Layout::new(shape, strides, offset).unwrap()
}

fn cases() -> Vec<Case> {
    let all = Slice::from(..);
    let mut cases = vec![
        case("nothing", permuted(4, &[5, 0, 3], &[2, 1, 0])),
        case("one-element", permuted(8, &[], &[])),
        case("contiguous", permuted(4, &[64, 64, 64], &[0, 1, 2])),
        case("transpose-u8", permuted(1, &[1024, 1024], &[1, 0])),
        case("transpose-u16", permuted(2, &[1000, 3000], &[1, 0])),
        case("transpose-f32", permuted(4, &[4096, 4096], &[1, 0])),
        case("transpose-f32-odd", permuted(4, &[4097, 4095], &[1, 0])),
        case("transpose-f64", permuted(8, &[512, 512], &[1, 0])),
        case("transpose-c128", permuted(16, &[512, 512], &[1, 0])),
        case("transpose-small", permuted(4, &[3, 7], &[1, 0])),
        case("small-reversed", permuted(4, &[4, 4, 4, 4], &[3, 2, 1, 0])),
        case("batched", permuted(4, &[8, 12, 512, 64], &[0, 1, 3, 2])),
        case("hwc-to-chw-u8", permuted(1, &[1080, 1920, 3], &[2, 0, 1])),
        case("chw-to-hwc-f32", permuted(4, &[3, 224, 224], &[1, 2, 0])),
        case(
            "nchw-to-nhwc",
            permuted(4, &[32, 64, 56, 56], &[0, 2, 3, 1]),
        ),
        case(
            "head-split",
            permuted(2, &[1, 2048, 32, 128], &[0, 2, 1, 3]),
        ),
        case("volume-201-c64", permuted(8, &[256, 256, 256], &[2, 0, 1])),
        case("volume-102-c64", permuted(8, &[256, 256, 256], &[1, 0, 2])),
        case(
            "24-axes-of-2",
            permuted(8, &[2; 24], &std::array::from_fn::<_, 24, _>(|i| 23 - i)),
        ),
        case(
            "15-axes-of-3",
            permuted(8, &[3; 15], &std::array::from_fn::<_, 15, _>(|i| 14 - i)),
        ),
        case(
            "six-axes",
            permuted(8, &[32, 32, 32, 32, 16, 2], &[5, 0, 4, 1, 3, 2]),
        ),
        case(
            "pixel-shuffle",
            permuted(4, &[8, 16, 2, 2, 64, 64], &[0, 1, 4, 2, 5, 3]),
        ),
        case("rgb-pixels-transposed", permuted(3, &[300, 400], &[1, 0])),
        case("complex-triples", permuted(24, &[100, 200], &[1, 0])),
    ];
    let matrix = row_major(&[1000, 1000]);
    for (name, cell, src, dst) in [
        (
            "reversed",
            4,
            strided(&[5000], &[-1], 4999),
            row_major(&[5000]),
        ),
        ("rows-reversed", 4, matrix.flip(0).unwrap(), matrix.clone()),
        (
            "columns-reversed",
            4,
            matrix.flip(1).unwrap(),
            matrix.clone(),
        ),
        (
            "both-reversed",
            4,
            strided(&[5000], &[-1], 4999),
            strided(&[5000], &[-1], 4999),
        ),
        (
            "every-second-column",
            4,
            matrix.slice(&[all, all.step(2)]).unwrap(),
            row_major(&[1000, 500]),
        ),
        (
            "into-every-third-column",
            2,
            row_major(&[1000, 334]),
            matrix.slice(&[all, all.step(3)]).unwrap(),
        ),
        (
            "every-second-of-both",
            4,
            matrix.slice(&[all, all.step(2)]).unwrap(),
            strided(&[1000, 500], &[1500, 3], 0),
        ),
        (
            "row-repeated",
            4,
            strided(&[1000, 1000], &[0, 1], 0),
            matrix.clone(),
        ),
        (
            "column-repeated",
            4,
            strided(&[1000, 1000], &[1, 0], 0),
            matrix.clone(),
        ),
        (
            "one-value",
            8,
            strided(&[1000, 1000], &[0, 0], 0),
            matrix.clone(),
        ),
        (
            "sub-block",
            2,
            row_major(&[64, 256, 256]),
            strided(&[64, 256, 256], &[1 << 20, 1024, 1], 9),
        ),
        (
            "padded-rows",
            4,
            strided(&[480, 640], &[704, 1], 0),
            row_major(&[480, 640]),
        ),
        (
            "halo-face",
            8,
            strided(&[258, 258], &[258 * 258, 258], 1),
            row_major(&[258, 258]),
        ),
        (
            "windows",
            4,
            strided(&[998, 3], &[1, 1], 0),
            row_major(&[998, 3]),
        ),
        (
            "windows-of-planes",
            4,
            strided(&[54, 54, 64, 3, 3], &[56, 1, 3136, 56, 1], 0),
            row_major(&[54, 54, 64, 3, 3]),
        ),
        (
            "rgba-to-rgb",
            1,
            strided(&[480, 640, 3], &[2560, 4, 1], 0),
            row_major(&[480, 640, 3]),
        ),
    ] {
        cases.push(case(name, between(cell, &src, &dst)));
    }
    let columns = Problem::from_bytes(4, &[100_000, 800], &[4, 0], &[3200, 4]).unwrap();
    cases.push(case(
        "listed-columns",
        columns.with_listed_source(1).unwrap(),
    ));
    let rows = Problem::from_bytes(4, &[100, 5000], &[0, 8], &[20_000, 4]).unwrap();
    cases.push(case("listed-rows", rows.with_listed_source(0).unwrap()));

    let readable = permuted(4, &[64, 64], &[1, 0]).with_source_gaps(SourceGaps::Readable);
    cases.push(case("gaps-readable", readable));
    let threads = |par| Options { par, ..SEQ };
    let large = permuted(4, &[4096, 4096], &[1, 0]);
    cases.push(Case {
        options: threads(Par::Threads(3)),
        ..case("three-threads", large.clone())
    });
    cases.push(Case {
        options: threads(Par::Auto),
        ..case("auto-threads-large", large.clone())
    });
    let medium = permuted(4, &[600, 600], &[1, 0]);
    cases.push(Case {
        options: threads(Par::Auto),
        ..case("auto-threads-medium", medium)
    });
    // Both sides in the second-level cache.
    let small = permuted(4, &[500, 500], &[1, 0]);
    cases.push(Case {
        options: threads(Par::Auto),
        ..case("auto-threads-small", small)
    });
    // As few bytes, but each in a line of its own.
    let far = Problem::from_bytes(4, &[250_000], &[64], &[4]).unwrap();
    cases.push(Case {
        options: threads(Par::Auto),
        ..case("auto-threads-far", far)
    });
    let run = permuted(1, &[1 << 26], &[0]);
    cases.push(Case {
        options: threads(Par::Auto),
        ..case("auto-threads-run", run)
    });
    let scalar = Options {
        isa: Some(Isa::Scalar),
        ..SEQ
    };
    cases.push(Case {
        options: scalar,
        ..case("capped", large.clone())
    });
    if cfg!(target_arch = "x86_64") {
        let heads = permuted(2, &[1, 2048, 32, 128], &[0, 2, 1, 3]);
        let volume = permuted(8, &[256, 256, 256], &[2, 0, 1]);
        // Half as many bytes as else stream.
        let crowded = permuted(2, &[1536, 1536], &[1, 0]);
        let not_crowded = permuted(2, &[1552, 1552], &[1, 0]);
        let loaded_once = permuted(8, &[768, 768], &[1, 0]);
        let cached = Options {
            stores: Stores::Cached,
            ..SEQ
        };
        let matrices = permuted(4, &[9, 2000, 33, 31], &[0, 1, 3, 2]);
        let image = permuted(1, &[8, 3, 14, 16, 14, 16], &[0, 2, 4, 3, 5, 1]);
        for (name, isa, problem, options) in [
            ("avx2", Isa::Avx2, &large, SEQ),
            ("avx512", Isa::Avx512, &large, SEQ),
            ("avx512-cached", Isa::Avx512, &large, cached),
            ("avx512-batch", Isa::Avx512, &matrices, SEQ),
            ("avx512vbmi-patches", Isa::Avx512Vbmi, &image, SEQ),
            ("avx512-crowded", Isa::Avx512, &crowded, SEQ),
            ("avx512-not-crowded", Isa::Avx512, &not_crowded, SEQ),
            ("avx512-loaded-once", Isa::Avx512, &loaded_once, SEQ),
            ("avx512-short-runs-in-order", Isa::Avx512, &heads, SEQ),
            (
                "avx512-short-reads-whole",
                Isa::Avx512,
                &volume,
                threads(Par::Threads(2)),
            ),
        ] {
            let facts = Facts { isa, ..FACTS };
            cases.push(Case {
                options,
                facts,
                ..case(name, problem.clone())
            });
        }
        // Rows of three lines, of which pairs are made where the third-level cache is far.
        let mut facts = Facts {
            isa: Isa::Avx512,
            ..FACTS
        };
        facts.caches.l3 = 480 << 20;
        let odd = permuted(4, &[28, 28, 28, 48, 48], &[2, 0, 4, 1, 3]);
        cases.push(Case {
            facts,
            ..case("avx512-pairs-of-lines-far", odd)
        });
    }
    cases
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/recipes/{name}.txt"))
}

#[test]
fn recipes_read_as_they_did() {
    let bless = std::env::var_os("RESTRIDE_BLESS").is_some();
    let mut differences = String::new();
    for Case {
        name,
        problem,
        options,
        facts,
    } in cases()
    {
        let text = format!("{}\n", Recipe::choose(&problem, &options, &facts));
        if bless {
            std::fs::write(path(name), &text).unwrap();
        }
        let known = std::fs::read_to_string(path(name)).unwrap_or_default();
        if known != text {
            writeln!(
                differences,
                "--- {name}, was\n{known}+++ {name}, is\n{text}"
            )
            .unwrap();
        }
    }
    assert!(differences.is_empty(), "\n{differences}");
}

#[test]
fn a_recipe_depends_on_its_arguments_only() {
    for Case {
        problem,
        options,
        facts,
        ..
    } in cases()
    {
        let first = Recipe::choose(&problem, &options, &facts);
        assert_eq!(first, Recipe::choose(&problem.clone(), &options, &facts));
    }
}

#[test]
fn no_text_is_without_a_case() {
    let names: Vec<&str> = cases().iter().map(|case| case.name).collect();
    for entry in std::fs::read_dir(path("x").parent().unwrap()).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_stem().unwrap().to_str().unwrap();
        let elsewhere = name.starts_with("avx") && !cfg!(target_arch = "x86_64");
        assert!(elsewhere || names.contains(&name), "{name}.txt has no case");
    }
}
