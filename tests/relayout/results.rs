//! What comes out is what NumPy's transpose, indexing, flip and `order` would give.

use std::fs;

use crate::support::{Array, data, relayout, run};

/// Where the outputs of one test go.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn an_image_becomes_planes_and_an_image_again() {
    let dir = folder();
    let (planes, back) = (dir.path().join("planes.npy"), dir.path().join("back.npy"));
    let photo = Array::read(&data("photo.npy"));
    assert_eq!(photo.shape, [216, 384, 3]);

    let found = relayout(&data("photo.npy"), &planes, &["--permute", "2,0,1"]);
    assert!(found == photo.gather(&[3, 216, 384], false, |i| vec![i[1], i[2], i[0]]));
    assert!(relayout(&planes, &back, &["--permute", "1,2,0"]) == photo);
}

#[test]
fn numpy_wrote_the_same() {
    let dir = folder();
    let out = dir.path().join("out.npy");
    let (photo, tensor) = (data("photo.npy"), data("tensor.npy"));

    let found = relayout(
        &photo,
        &out,
        &["--permute", "2,0,1", "--slice", ":,::8,::-8"],
    );
    assert!(found == Array::read(&data("thumb.npy")));

    let found = relayout(
        &tensor,
        &out,
        &["--slice", "::-1,:,1:40:3,-1", "--permute", "3,1,2,0"],
    );
    assert_eq!(found, Array::read(&data("corner.npy")));

    let options = [
        "--slice",
        "0,...,1:3,6:1:-2",
        "--flip",
        "0,2",
        "--order",
        "F",
    ];
    assert_eq!(
        relayout(&tensor, &out, &options),
        Array::read(&data("fortran.npy"))
    );
}

#[test]
fn flips() {
    let dir = folder();
    let (input, out) = (dir.path().join("in.npy"), dir.path().join("out.npy"));
    let array = Array::numbered("'<i4'", 4, &[4, 5, 6], false);
    array.write(&input);
    for (axes, flipped) in [
        ("", &[][..]),
        ("1", &[1]),
        ("0,2", &[0, 2]),
        ("-1", &[2]),
        ("2,0,1", &[0, 1, 2]),
    ] {
        let expected = array.gather(&array.shape, false, |index| {
            let from = |axis: usize| match flipped.contains(&axis) {
                true => array.shape[axis] - 1 - index[axis],
                false => index[axis],
            };
            (0..3).map(from).collect()
        });
        assert_eq!(
            relayout(&input, &out, &["--flip", axes]),
            expected,
            "{axes}"
        );
    }
}

#[test]
fn the_steps_have_an_order() {
    let dir = folder();
    let (input, out) = (dir.path().join("in.npy"), dir.path().join("out.npy"));
    let array = Array::numbered("'<f8'", 8, &[4, 5, 6], true);
    array.write(&input);
    // Permuted: [6, 4, 5]. Sliced: indices 1, 3, 5; 3; 0, 1, 2. Flipped: axis 0.
    let options = [
        "--flip",
        "0",
        "--order",
        "f",
        "--slice",
        "1::2,-1,:3",
        "--permute=-1,0,1",
    ];
    let expected = array.gather(&[3, 3], true, |i| vec![3, i[1], [5, 3, 1][i[0]]]);
    assert_eq!(relayout(&input, &out, &options), expected);
}

#[test]
fn every_dtype_of_a_fixed_size() {
    let dir = folder();
    let (input, out) = (dir.path().join("in.npy"), dir.path().join("out.npy"));
    let dtypes = [
        ("'|u1'", 1),
        ("'|b1'", 1),
        ("'<f2'", 2),
        ("'>i4'", 4),
        ("'<c8'", 8),
        ("'>f8'", 8),
        ("'<f16'", 16),
        ("'<M8[ns]'", 8),
        ("'<m8[D]'", 8),
        ("'|S5'", 5),
        ("'<U3'", 12),
        ("'|V7'", 7),
        ("'|V0'", 0),
        ("[('a', '|u1'), ('b', '<f4')]", 5),
        ("[('a', '|u1'), ('', '|V3'), ('b', '<f4')]", 8),
        (
            "[('it\\'s (', '|u1'), ('p', [('x', '<f4'), ('y', '>i2')], (2,3,))]",
            37,
        ),
    ];
    let shapes: [&[usize]; 7] = [
        &[],
        &[0],
        &[7],
        &[3, 4],
        &[2, 0, 3],
        &[1, 5, 1],
        &[2, 3, 2, 3],
    ];
    for (descr, size) in dtypes {
        for (shape, order) in shapes.iter().zip(["C", "F"].into_iter().cycle()) {
            let array = Array::numbered(descr, size, shape, false);
            array.write(&input);
            let backwards: Vec<String> = (0..shape.len()).rev().map(|a| a.to_string()).collect();
            let found = relayout(
                &input,
                &out,
                &["--permute", &backwards.join(","), "--order", order],
            );
            let reversed: Vec<usize> = shape.iter().rev().copied().collect();
            let expected = array.gather(&reversed, order == "F", |i| {
                i.iter().rev().copied().collect()
            });
            assert_eq!(found, expected, "{descr} {shape:?} {order}");
        }
    }
}

/// Versions 1 and 2 of the format hold Latin-1, version 3 UTF-8; 2 and 3 have a longer header.
#[test]
fn every_version_of_the_format() {
    let dir = folder();
    let (input, out) = (dir.path().join("in.npy"), dir.path().join("out.npy"));
    for (version, name) in [
        (1, &b"\xe9t\xe9"[..]),
        (2, b"\xe9t\xe9"),
        (3, "été".as_bytes()),
    ] {
        let (start, end) = (
            "{'descr': [('",
            "', '<i2')], 'fortran_order': False, 'shape': (2,)}\n",
        );
        let text = [start.as_bytes(), name, end.as_bytes()].concat();
        let size = &(text.len() as u32).to_le_bytes()[..if version == 1 { 2 } else { 4 }];
        let file = [b"\x93NUMPY", &[version, 0][..], size, &text, &[1, 2, 3, 4]].concat();
        fs::write(&input, file).unwrap();

        assert!(run(&input, &out, &["--flip", "0"]).status.success());
        let written = fs::read(&out).unwrap();
        let text = String::from_utf8_lossy(&written);
        assert!(
            text.contains("[('été', '<i2'), ]"),
            "version {version}: {text}"
        );
        assert!(written.ends_with(&[b'\n', 3, 4, 1, 2]), "version {version}");
    }
}

#[test]
fn many_axes() {
    let dir = folder();
    let (input, out) = (dir.path().join("in.npy"), dir.path().join("out.npy"));
    let shape: Vec<usize> = (0..32)
        .map(|axis| if axis % 3 == 0 { 2 } else { 1 })
        .collect();
    let array = Array::numbered("'<u2'", 2, &shape, false);
    array.write(&input);
    let backwards: Vec<String> = (0..32).rev().map(|axis| axis.to_string()).collect();
    let found = relayout(&input, &out, &["--permute", &backwards.join(",")]);
    let reversed: Vec<usize> = shape.iter().rev().copied().collect();
    assert_eq!(
        found,
        array.gather(&reversed, false, |i| i.iter().rev().copied().collect())
    );
}

#[test]
fn explain_prints_the_plan_before_the_report() {
    let dir = folder();
    let out = dir.path().join("out.npy");
    let options = ["--permute", "2,0,1", "--explain"];
    let run = run(&data("photo.npy"), &out, &options);
    let text = String::from_utf8(run.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(run.status.success() && lines.len() > 1, "{text}");
    let report = "[216, 384, 3] -> [3, 216, 384], dtype '|u1', order C: 497664 bytes";
    assert!(lines[lines.len() - 1].starts_with(report), "{text}");
}

#[test]
fn in_may_be_out() {
    let dir = folder();
    let file = dir.path().join("a.npy");
    let tensor = Array::read(&data("tensor.npy"));
    fs::copy(data("tensor.npy"), &file).unwrap();
    let found = relayout(&file, &file, &["--order", "C"]);
    assert_eq!(
        found,
        tensor.gather(&tensor.shape, false, <[usize]>::to_vec)
    );
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn links_stay_links_and_files_keep_their_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let dir = folder();
    let (real, link) = (dir.path().join("real.npy"), dir.path().join("link.npy"));
    fs::write(&real, "old").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.npy", &link).unwrap();

    assert_eq!(
        relayout(&data("corner.npy"), &link, &[]),
        Array::read(&data("corner.npy"))
    );
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
}
