//! What cannot be done is said in one line, with an exit code above 0, and nothing is left behind.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::folder::Folder;
use crate::support::{binary, data, file_with_header, run};

fn header(descr: &str, shape: &str) -> String {
    format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}")
}

#[test]
fn files_that_are_no_arrays() {
    let folder = Folder::new();
    let out = folder.join("out.npy");
    let refuses = |words: &str, input: &Path| {
        folder.refuses(1, words, || run(input, &out, &[]));
    };
    refuses("missing.npy: No such file", &folder.join("missing.npy"));
    refuses("not a regular file", folder.dir.path());
    refuses("not a .npy file", &folder.file("empty.npy", b""));
    refuses("not a .npy file", &folder.file("short.npy", b"\x93NUMPY"));
    refuses(
        "not a .npy file",
        &folder.file("garbage.npy", &[0x5a; 4096]),
    );
    refuses(
        "version 9.0",
        &folder.file("v9.npy", b"\x93NUMPY\x09\x00\x02\x00\x00\x00{}"),
    );

    // A file in the middle of being written, cut anywhere.
    let whole = fs::read(data("corner.npy")).unwrap();
    for length in (0..whole.len())
        .step_by(11)
        .chain([127, 128, whole.len() - 1])
    {
        let cut = folder.file("cut.npy", &whole[..length]);
        let words = match length {
            0..8 => "not a .npy file",
            8..128 => "truncated inside the header",
            _ => "truncated: 168 bytes of data expected",
        };
        refuses(words, &cut);
    }
}

#[test]
fn headers_that_cannot_be() {
    let folder = Folder::new();
    let out = folder.join("out.npy");
    let deep = header(&format!("{}{}", "[".repeat(3000), "]".repeat(3000)), "(1,)");
    let cases = [
        ("fixed size", header("'|O'", "(1,)")),
        ("fixed size", header("[('a', '|u1'), ('b', '|O')]", "(1,)")),
        ("invalid type string", header("'<q9'", "(1,)")),
        ("header not understood", header("None", "(1,)")),
        ("header not understood", header("'|u1'", "1")),
        ("header not understood", header("'|u1'", "('1',)")),
        ("negative", header("'|u1'", "(-1,)")),
        ("more elements", header("'|u1'", "(18446744073709551616,)")),
        ("more elements", header("'|u1'", "(18446744073709551615,)")),
        (
            "more elements",
            header("'|u1'", "(1099511627776, 1099511627776)"),
        ),
        (
            "more elements",
            header("'|u1'", "(1099511627776, 0, 1099511627776)"),
        ),
        ("too large", header("'<c16'", "(4611686018427387904,)")),
        ("too large", header("'|V9223372036854775807'", "(0, 2)")),
        (
            "truncated: 1000000000000 bytes",
            header("'|u1'", "(1000000, 1000000)"),
        ),
        ("missing key", "{'descr': '|u1', 'shape': (1,), }".into()),
        (
            "header not understood",
            header("'|u1'", "(1,)").replace("False", "3"),
        ),
        ("expected a python dict", "['descr', '|u1']".into()),
        ("header not understood", "{'descr': ".into()),
        ("does not end", "{'descr".into()),
        ("do not match", "{'descr': '|u1'}}".into()),
        ("nested", deep),
        ("nested", "{".repeat(3000)),
        ("long string", "{'''a".repeat(30)),
        ("not a Python dictionary", "\u{1b}[31mred\n\n\0".into()),
        (
            "limit",
            header("'|u1'", &format!("({})", "1, ".repeat(4000))),
        ),
    ];
    for (words, header) in cases {
        let input = folder.file(
            "bad.npy",
            &[file_with_header(&header), vec![0; 64]].concat(),
        );
        folder.refuses(1, words, || run(&input, &out, &[]));
    }

    let endless = folder.file("endless.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{");
    folder.refuses(1, "a header of 4294967295 bytes", || {
        run(&endless, &out, &[])
    });
}

#[test]
fn axes_the_array_does_not_have() {
    let folder = Folder::new();
    let (input, out) = (data("tensor.npy"), folder.join("out.npy"));
    for (words, option, value) in [
        (
            "--permute: the array has 4 axes, 3 are given",
            "--permute",
            "0,1,2",
        ),
        ("--permute: axis 4 is out of range", "--permute", "1,2,3,4"),
        (
            "--permute: axis -5 is out of range",
            "--permute",
            "1,2,3,-5",
        ),
        ("--permute: axis 1 is named twice", "--permute", "0,1,2,1"),
        ("--permute: axis -1 is named twice", "--permute", "0,1,3,-1"),
        ("--flip: axis 4 is out of range", "--flip", "4"),
        ("--flip: axis -4 is named twice", "--flip", "0,-4"),
        (
            "--slice: the array has 4 axes, 5 are indexed",
            "--slice",
            ":,:,:,:,:",
        ),
        ("--slice: axis 1: index 3 is out of range", "--slice", ":,3"),
        (
            "--slice: axis 3: index -8 is out of range",
            "--slice",
            "...,-8",
        ),
        ("--slice: `...` may stand only once", "--slice", "...,1,..."),
    ] {
        folder.refuses(1, words, || run(&input, &out, &[option, value]));
    }
}

#[test]
fn command_lines_without_a_meaning() {
    let folder = Folder::new();
    let (input, out) = (data("tensor.npy"), folder.join("out.npy"));
    for (words, options) in [
        ("`x`: expected an integer, a slice", &["--slice", "x"][..]),
        ("at most three parts", &["--slice", "1:2:3:4"]),
        ("a step of 0", &["--slice", "1:2:0"]),
        ("expected an integer, a slice", &["--slice", "1,,2"]),
        ("expected an integer, a slice", &["--slice", "1.5"]),
        ("invalid digit", &["--permute", "a,b"]),
        ("invalid value 'K'", &["--order", "K"]),
        ("unexpected argument '--turn'", &["--turn"]),
        ("unexpected argument 'third.npy'", &["third.npy"]),
        ("a value is required for '--flip <AXES>'", &["--flip"]),
    ] {
        folder.refuses(2, words, || run(&input, &out, options));
    }
    let only_in = || Command::new(binary()).arg(&input).output().unwrap();
    folder.refuses(2, "required arguments were not provided: <OUT>", only_in);
}
